//! Network namespaces: without a name they go with the last process or descriptor that holds them, with one they stay until
//! they are removed.

use crate::error::{Error, Result, check};
use crate::program;
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::thread;
use std::{io, ptr};

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
        made.unwrap_or_else(|_| Err(Error::Input("a thread failed".to_owned())))?.loopback_up()
    }

    /// A new namespace with a name, as `ip netns` makes it, with its loopback interface up. The name
    /// stays until [`remove`].
    ///
    /// # Errors
    /// If there is one of this name, if the name cannot be one, or if the process may not.
    pub fn named(name: &str) -> Result<Self> {
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if !(1..=200).contains(&name.len())
            || !name.chars().all(fits)
            || name.starts_with(['-', '.'])
        {
            return Err(Error::Input(format!(
                "'{name}' cannot be the name of a namespace: use letters, digits, '-', '_' and '.'"
            )));
        }
        program::ip_netns("add", name)?;
        let path = Path::new(FOLDER).join(name);
        let opened = File::open(&path)
            .map_err(|e| Error::system(format!("opening '{}'", path.display()), e));
        let up = opened.and_then(|file| Self { fd: file.into() }.loopback_up());
        up.inspect_err(|_| _ = remove(name))
    }

    fn loopback_up(self) -> Result<Self> {
        self.within(|| program::ip("link set dev lo up\n"))?;
        Ok(self)
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
        let Err(error) = check(unsafe { libc::unshare(libc::CLONE_NEWNET) }) else {
            return Self::current();
        };
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

/// Where `ip netns` keeps its names.
const FOLDER: &str = "/run/netns";

/// Removes the name of a namespace, as `ip netns` does.
///
/// # Errors
/// If there is none of this name, or if the process may not.
pub fn remove(name: &str) -> Result<()> {
    program::ip_netns("del", name)
}

/// A mount namespace of the calling thread, whose changes no other sees.
#[allow(unsafe_code, reason = "mounts are not in the features of rustix that are used")]
pub(crate) fn own_mounts() -> io::Result<()> {
    let none = ptr::null();
    let private = libc::MS_REC | libc::MS_PRIVATE;
    // SAFETY: all pointers are null or strings that end in NUL and outlive the calls. The mounts of this
    // thread change, and no memory does.
    unsafe {
        check(libc::unshare(libc::CLONE_NEWNS))?;
        check(libc::mount(none, c"/".as_ptr(), none, private, none.cast()))
    }
}

impl AsFd for NetNs {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}
