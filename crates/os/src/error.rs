//! Errors of system calls, with what was attempted and what to do about it.

use std::io;

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A system call failed.
    #[error("{action}: {source}")]
    System {
        /// What was attempted.
        action: String,
        /// The system's answer.
        source: io::Error,
    },
    /// The system allows it to a privileged process only.
    #[error("{action}: not permitted; {remedy}")]
    Forbidden {
        /// What was attempted.
        action: String,
        /// What the reader can do.
        remedy: &'static str,
    },
    /// The device does not exist, or no longer.
    #[error("interface '{0}' does not exist")]
    NoDevice(String),
    /// The device exists, and is down.
    #[error("interface '{0}' is down; bring it up with `ip link set dev {0} up`")]
    Down(String),
    /// A name or an address that cannot be used.
    #[error("{0}")]
    Input(String),
    /// A program that was needed answered with an error.
    #[error("{program} failed: {answer}")]
    Program {
        /// Its name.
        program: &'static str,
        /// What it wrote to standard error.
        answer: String,
    },
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// The error of a system call that was `action`.
    pub fn system(action: impl Into<String>, source: impl Into<io::Error>) -> Self {
        Self::System { action: action.into(), source: source.into() }
    }

    /// The error that the last system call of this thread left.
    pub(crate) fn last(action: impl Into<String>) -> Self {
        Self::system(action, io::Error::last_os_error())
    }

    /// The error of a system call on a device: that it is gone or down is said as such.
    pub(crate) fn device(device: &str, action: &str, source: io::Error) -> Self {
        match source.raw_os_error() {
            Some(libc::ENODEV | libc::ENXIO) => Self::NoDevice(device.to_owned()),
            Some(libc::ENETDOWN) => Self::Down(device.to_owned()),
            Some(libc::EPERM | libc::EACCES) => Self::Forbidden {
                action: format!("{action} of '{device}'"),
                remedy: "run as root, or give the program CAP_NET_RAW and CAP_NET_ADMIN",
            },
            _ => Self::system(format!("{action} of '{device}'"), source),
        }
    }
}

/// The error of a system call that returns a negative number.
pub(crate) fn check(code: libc::c_int) -> io::Result<()> {
    if code < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
