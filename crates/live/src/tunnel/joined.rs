//! A TCP connection of an application, and its channel.
//!
//! Each direction ends by itself, as TCP's do: the end of what one side sends becomes a FIN on the other. Nothing is read
//! that the channel cannot take, so that a slow far end slows the near one down through its own TCP.

use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::os::fd::{AsFd as _, BorrowedFd};

use airtcp_os::wait::For;
use airtcp_tunnel::{ChannelId, Code, Mux};

/// Bytes that are read with one call.
const PART: usize = 64 << 10;

/// A connection and its channel.
#[derive(Debug)]
pub(super) struct Joined {
    stream: TcpStream,
    channel: ChannelId,
    /// The application has sent its last byte.
    is_read: bool,
    /// It had sent it when the tunnel was stopped.
    is_closed: bool,
    /// The application was told that the peer has.
    is_written: bool,
    /// The application's socket takes no more now.
    is_full: bool,
}

impl Joined {
    /// A connection that does not block.
    pub(super) const fn new(stream: TcpStream, channel: ChannelId) -> Self {
        Self {
            stream,
            channel,
            is_read: false,
            is_closed: false,
            is_written: false,
            is_full: false,
        }
    }

    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }

    /// What to wait for. Nothing while only the end of both directions could come: that is no error, and the kernel would say
    /// it again and again.
    pub(super) fn wants(&self, mux: &Mux) -> Option<For> {
        let reads = !self.is_read && mux.room(self.channel) > 0;
        match (reads, self.is_full) {
            (true, true) => Some(For::Both),
            (true, false) => Some(For::Reading),
            (false, true) => Some(For::Writing),
            (false, false) => (!self.is_written).then_some(For::Error),
        }
    }

    /// The connection has an error, which nothing that is read or written would meet.
    pub(super) fn fail(&self, mux: &mut Mux) {
        mux.reset(self.channel, Code::Reset);
        self.abort();
    }

    /// The tunnel ends: nothing more is read of an application that goes on sending.
    pub(super) fn stop(&mut self) {
        self.is_closed =
            self.is_read || airtcp_os::tcp::info(&self.stream).is_ok_and(|info| info.has_closed);
        self.is_read |= !self.is_closed;
    }

    /// True if the application had sent all when the tunnel was [stopped](Self::stop): its peer's end is worth waiting for.
    pub(super) const fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Moves what can be moved; `is_ready` says whether the connection was found ready for what it [wants](Self::wants).
    /// Returns false when it is over.
    pub(super) fn turn(&mut self, mux: &mut Mux, buffer: &mut Vec<u8>, is_ready: bool) -> bool {
        let read = if is_ready { self.read(mux, buffer) } else { Ok(()) };
        let waits = self.is_full && !is_ready;
        let moved = read.and_then(|()| if waits { Ok(()) } else { self.write(mux) });
        if moved.is_err() {
            self.fail(mux);
            return false;
        }
        mux.is_alive(self.channel)
    }

    /// The session has ended: what had arrived goes to the application. Where the peer's data had come to their end, the
    /// connection ends in peace, and the kernel delivers the rest; elsewhere the application is told that some is missing.
    pub(super) fn finish(&mut self, mux: &mut Mux) {
        if self.write(mux).is_err() || !self.is_written {
            self.abort();
        }
    }

    /// The peer ended the channel: so does this end of the connection.
    pub(super) fn abort(&self) {
        // Closing then sends RST.
        let _ = airtcp_os::tcp::drop_unsent(&self.stream);
    }

    /// Tells the application something before its data; a few bytes fit into an empty buffer.
    pub(super) fn say(&self, bytes: &[u8]) {
        let _ = (&self.stream).write_all(bytes);
    }

    fn read(&mut self, mux: &mut Mux, buffer: &mut Vec<u8>) -> io::Result<()> {
        while !self.is_read {
            let room = mux.room(self.channel).min(PART);
            if room == 0 {
                return Ok(());
            }
            buffer.resize(PART, 0);
            match self.stream.read(&mut buffer[..room]) {
                Ok(0) => {
                    self.is_read = true;
                    mux.finish(self.channel);
                }
                Ok(count) => {
                    mux.write(self.channel, &buffer[..count]);
                }
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    fn write(&mut self, mux: &mut Mux) -> io::Result<()> {
        self.is_full = false;
        while !mux.unread(self.channel).is_empty() {
            match self.stream.write(mux.unread(self.channel)) {
                Ok(count) => mux.consume(self.channel, count),
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => {
                    self.is_full = true;
                    return Ok(());
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        if mux.is_read(self.channel) && !self.is_written {
            self.is_written = true;
            // The application may have closed its side already.
            let _ = self.stream.shutdown(Shutdown::Write);
        }
        Ok(())
    }
}
