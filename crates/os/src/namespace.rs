//! Network namespaces that have no name, and go with the last process or descriptor that holds them.

use crate::error::{Error, Result};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::thread;

/// A network namespace.
#[derive(Debug)]
pub struct NetNs {
    fd: OwnedFd,
}

/// What to do where a namespace is refused.
pub(crate) const NAMESPACE_REMEDY: &str =
    "run as root, or allow user namespaces to unprivileged users";

impl NetNs {
    /// A new namespace, with its loopback interface up.
    ///
    /// # Errors
    /// If the process may not make one.
    pub fn new() -> Result<Self> {
        let made = thread::scope(|scope| scope.spawn(Self::unshared).join());
        let namespace = made.unwrap_or_else(|_| Err(Error::Input("a thread failed".to_owned())))?;
        namespace.within(|| crate::program::ip("link set dev lo up\n"))?;
        Ok(namespace)
    }

    /// The namespace of the calling thread.
    ///
    /// # Errors
    /// If `/proc` is not there.
    pub fn current() -> Result<Self> {
        let file = File::open("/proc/thread-self/ns/net")
            .map_err(|e| Error::system("opening the network namespace of this thread", e))?;
        Ok(Self { fd: file.into() })
    }

    #[allow(unsafe_code, reason = "no safe library wraps unshare")]
    fn unshared() -> Result<Self> {
        // SAFETY: CLONE_NEWNET changes the network namespace of this thread, and no memory or descriptors.
        if unsafe { libc::unshare(libc::CLONE_NEWNET) } == 0 {
            return Self::current();
        }
        let error = std::io::Error::last_os_error();
        let action = "making a network namespace".to_owned();
        Err(match error.raw_os_error() {
            Some(libc::EPERM) => Error::Forbidden { action, remedy: NAMESPACE_REMEDY },
            _ => Error::system(action, error),
        })
    }

    /// Moves the calling thread in.
    ///
    /// # Errors
    /// If the process may not enter.
    pub fn enter(&self) -> Result<()> {
        move_into_link_name_space(self.fd.as_fd(), Some(LinkNameSpaceType::Network))
            .map_err(|e| Error::system("entering a network namespace", e))
    }

    /// Calls `task` on a thread inside, and returns what it returned: sockets that it opens belong to the namespace.
    ///
    /// # Errors
    /// If the thread may not enter, or those of `task`.
    pub fn within<T: Send>(&self, task: impl FnOnce() -> Result<T> + Send) -> Result<T> {
        let run = || {
            self.enter()?;
            task()
        };
        thread::scope(|scope| match scope.spawn(run).join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        })
    }
}

impl AsFd for NetNs {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}
