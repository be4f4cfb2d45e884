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
    let mut list: Vec<PollFd<'_>> =
        fds.iter().map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN)).collect();
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

#[cfg(test)]
mod tests {
    use super::*;

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
