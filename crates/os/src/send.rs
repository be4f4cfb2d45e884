//! Frames to a device, many with one system call.

use crate::error::{Error, Result};
use crate::socket;
use std::io;
use std::mem;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::ptr;

/// Frames that one system call takes.
const BATCH: usize = 64;
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
            let batch = &frames[sent..frames.len().min(sent + BATCH)];
            match self.batch(batch) {
                Ok(count) => sent += count,
                Err(e) => match e.raw_os_error() {
                    Some(libc::EINTR) => {}
                    Some(libc::EAGAIN | libc::ENOBUFS) => return Ok(sent),
                    Some(libc::EMSGSIZE) => {
                        let (length, device) = (batch[0].len(), &self.device);
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

    /// Sends up to [`BATCH`] frames; one at least if there is no error.
    #[allow(unsafe_code, reason = "no safe library that is used has sendmmsg")]
    fn batch(&self, frames: &[&[u8]]) -> io::Result<usize> {
        let count = frames.len().min(BATCH);
        let part = |n: usize| {
            let bytes: &[u8] = frames.get(n).copied().unwrap_or_default();
            libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() }
        };
        let mut parts: [libc::iovec; BATCH] = std::array::from_fn(part);
        // SAFETY: headers of zeros are valid: they have numbers and null pointers only.
        let mut headers: [libc::mmsghdr; BATCH] = unsafe { mem::zeroed() };
        for (header, part) in headers.iter_mut().zip(&mut parts) {
            header.msg_hdr.msg_iov = ptr::from_mut(part);
            header.msg_hdr.msg_iovlen = 1;
        }
        let length = libc::c_uint::try_from(count).unwrap_or_default();
        let flags = libc::MSG_DONTWAIT;
        // SAFETY: the first `count` headers point at parts, and these at frames, all of which live through the call.
        // The kernel reads the frames, and writes only to the headers.
        let code =
            unsafe { libc::sendmmsg(self.socket.as_raw_fd(), headers.as_mut_ptr(), length, flags) };
        usize::try_from(code).map_err(|_| io::Error::last_os_error())
    }
}

impl AsFd for Sender {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
