//! Waiting for descriptors or a time.

use crate::clock;
use crate::error::{Error, Result};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::os::fd::BorrowedFd;

/// Waits until a descriptor is readable or in error, or the monotonic clock shows `deadline` (ns). Returns for each
/// descriptor whether it needs attention: none does if the time came first, or if a signal ended the wait.
///
/// # Errors
/// If the system call fails.
pub fn until(fds: &[BorrowedFd<'_>], deadline: Option<i64>) -> Result<Vec<bool>> {
    poll_until(
        fds.iter().map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN)).collect(),
        deadline,
    )
}

fn poll_until(mut list: Vec<PollFd<'_>>, deadline: Option<i64>) -> Result<Vec<bool>> {
    let left = deadline.map(|deadline| {
        let left = deadline.saturating_sub(clock::now()).max(0);
        Timespec { tv_sec: left / 1_000_000_000, tv_nsec: left % 1_000_000_000 }
    });
    match poll(&mut list, left.as_ref()) {
        Ok(_) | Err(rustix::io::Errno::INTR) => {}
        Err(e) => return Err(Error::system("waiting for packets", e)),
    }
    Ok(list.iter().map(|fd| !fd.revents().is_empty()).collect())
}

/// What a descriptor is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum For {
    /// That something can be read.
    Reading,
    /// That something can be written.
    Writing,
    /// Either.
    Both,
    /// Nothing but an error, or the end of a connection.
    Error,
}

/// As [`until`], for reading or writing.
///
/// # Errors
/// If the system call fails.
pub fn ready(fds: &[(BorrowedFd<'_>, For)], deadline: Option<i64>) -> Result<Vec<bool>> {
    let flags = |wanted: For| match wanted {
        For::Reading => PollFlags::IN,
        For::Writing => PollFlags::OUT,
        For::Both => PollFlags::IN | PollFlags::OUT,
        For::Error => PollFlags::empty(),
    };
    let list = fds.iter().map(|(fd, wanted)| PollFd::from_borrowed_fd(*fd, flags(*wanted)));
    poll_until(list.collect(), deadline)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsFd as _;

    #[test]
    fn a_socket_is_ready_for_what_was_asked() {
        let (one, other) = std::os::unix::net::UnixStream::pair().unwrap();
        let look = |wanted| ready(&[(one.as_fd(), wanted)], Some(clock::now())).unwrap()[0];
        assert_eq!([For::Reading, For::Writing, For::Error].map(look), [false, true, false]);
        std::io::Write::write_all(&mut &other, b"x").unwrap();
        assert_eq!([For::Reading, For::Both, For::Error].map(look), [true, true, false]);
        drop(other);
        assert!(look(For::Error), "the other end is gone");
    }

    #[test]
    fn the_deadline_is_kept() {
        let start = clock::now();
        assert!(until(&[], Some(start + 3_000_000)).unwrap().is_empty());
        assert!(clock::now() >= start + 3_000_000);
        let past = clock::now();
        until(&[], Some(past - 1)).unwrap();
        assert!(clock::now() - past < 1_000_000_000);
    }
}
