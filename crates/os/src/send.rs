//! Frames to a device, many with one system call.

use crate::error::{Error, Result};
use crate::socket::{self, Message};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// Memory for frames that the receiver has not taken yet, bytes; the system grants less to a user without privilege.
const BUFFER: libc::c_int = 8 << 20;

/// A socket that sends whole frames, from the header of the link layer on, and receives none.
#[derive(Debug)]
pub struct Sender {
    socket: OwnedFd,
    device: String,
}

impl Sender {
    /// Opens a device for sending, in the namespace of the calling thread.
    ///
    /// # Errors
    /// If the device is not there, or if the process may not.
    pub fn open(device: &str) -> Result<Self> {
        let index = socket::index(device)?;
        let socket = socket::packet(device)?;
        socket::bind(&socket, device, index, false)?;
        socket::buffer(&socket, BUFFER);
        Ok(Self { socket, device: device.to_owned() })
    }

    /// Sends frames in order, and returns how many the device took: fewer than given if its queue is full, in which
    /// case the rest may be sent later.
    ///
    /// # Errors
    /// If the device went or is down, or if the first frame that was not sent is longer than it carries.
    pub fn send(&self, frames: &[&[u8]]) -> Result<usize> {
        let mut sent = 0;
        while sent < frames.len() {
            let rest = &frames[sent..];
            let messages =
                rest.iter().map(|frame| Message { bytes: frame, to: None, control: None });
            match socket::send_many(&self.socket, messages, libc::MSG_DONTWAIT) {
                Ok(count) => sent += count,
                Err(e) => match e.raw_os_error() {
                    Some(libc::EINTR) => {}
                    Some(libc::EAGAIN | libc::ENOBUFS) => return Ok(sent),
                    Some(libc::EMSGSIZE) => {
                        let (length, device) = (rest[0].len(), &self.device);
                        let text = format!(
                            "a frame of {length} bytes is longer than '{device}' carries; make its MTU larger"
                        );
                        return Err(Error::Input(text));
                    }
                    _ => return Err(Error::device(&self.device, "sending", e)),
                },
            }
        }
        Ok(sent)
    }
}

impl AsFd for Sender {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
