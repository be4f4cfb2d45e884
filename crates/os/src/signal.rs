//! Signals as something to read, so that a loop needs no handler.

use crate::error::{Error, Result};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd};
use std::{io, ptr};

/// A signal that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// Ctrl-C.
    Interrupt,
    /// A request to end.
    Terminate,
    /// A child ended or stopped.
    Child,
}

const ALL: [(libc::c_int, Signal); 3] = [
    (libc::SIGINT, Signal::Interrupt),
    (libc::SIGTERM, Signal::Terminate),
    (libc::SIGCHLD, Signal::Child),
];

/// A `signalfd` of SIGINT, SIGTERM and SIGCHLD. These are blocked in the thread that opened it and in threads that it
/// starts afterwards, so it is opened first. Children inherit that: [`spawn_in`](crate::child::spawn_in) unblocks
/// them.
#[derive(Debug)]
pub struct Signals {
    fd: OwnedFd,
}

impl Signals {
    /// Blocks the three signals, and opens them for reading.
    ///
    /// # Errors
    /// If no descriptor is left.
    #[allow(unsafe_code, reason = "no safe library wraps signalfd")]
    pub fn open() -> Result<Self> {
        let failed = |e| Error::system("opening a descriptor of signals", e);
        mask(libc::SIG_BLOCK).map_err(failed)?;
        let set = set();
        let flags = libc::SFD_CLOEXEC | libc::SFD_NONBLOCK;
        // SAFETY: the kernel reads the set. The descriptor is new and owned by nobody else.
        unsafe {
            let fd = libc::signalfd(-1, &raw const set, flags);
            if fd < 0 {
                Err(failed(io::Error::last_os_error()))
            } else {
                Ok(Self { fd: OwnedFd::from_raw_fd(fd) })
            }
        }
    }

    /// The next signal, if one has arrived.
    ///
    /// # Errors
    /// If reading fails.
    pub fn read(&self) -> Result<Option<Signal>> {
        self.read_with_origin().map(|read| read.map(|(signal, _)| signal))
    }

    /// The next signal, if one has arrived, and whether the kernel sent it: Ctrl-C of a terminal reaches all processes
    /// of the group in its foreground, while a signal from a process reaches one.
    ///
    /// # Errors
    /// If reading fails.
    pub fn read_with_origin(&self) -> Result<Option<(Signal, bool)>> {
        let mut bytes = [0_u8; size_of::<libc::signalfd_siginfo>()];
        match rustix::io::read(&self.fd, &mut bytes) {
            Ok(_) => {
                // Number, error, code: the first three words of `signalfd_siginfo`.
                let number = i32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
                let code = i32::from_ne_bytes([bytes[8], bytes[9], bytes[10], bytes[11]]);
                let found = ALL.iter().find(|(n, _)| *n == number);
                Ok(found.map(|(_, signal)| (*signal, code == libc::SI_KERNEL)))
            }
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => Ok(None),
            Err(e) => Err(Error::system("reading signals", e)),
        }
    }
}

/// The three signals.
#[allow(unsafe_code, reason = "no safe library wraps sets of signals")]
fn set() -> libc::sigset_t {
    let mut set = MaybeUninit::uninit();
    // SAFETY: sigemptyset writes the whole set, and the numbers are valid signals.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        for (number, _) in ALL {
            libc::sigaddset(set.as_mut_ptr(), number);
        }
        set.assume_init()
    }
}

/// Blocks or unblocks the three signals in the calling thread. It allocates nothing, so it may run between fork and
/// exec.
#[allow(unsafe_code, reason = "no safe library wraps sigprocmask")]
pub(crate) fn mask(how: libc::c_int) -> io::Result<()> {
    let set = set();
    // SAFETY: the set is read, and no old set is asked for.
    let code = unsafe { libc::pthread_sigmask(how, &raw const set, ptr::null_mut()) };
    if code == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(code)) }
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{clock, wait};

    #[test]
    fn the_end_of_a_child_is_read() {
        // Other tests have threads where SIGCHLD is not blocked, which may take it: so this one is sent to the thread.
        std::thread::spawn(|| {
            let signals = Signals::open().unwrap();
            assert_eq!(signals.read().unwrap(), None);
            raise_child();
            let ready = wait::until(&[signals.as_fd()], Some(clock::now() + 5_000_000_000));
            assert_eq!(ready.unwrap(), [true]);
            assert_eq!(signals.read().unwrap(), Some(Signal::Child));
            assert_eq!(signals.read().unwrap(), None);
        })
        .join()
        .unwrap();
    }

    #[allow(unsafe_code, reason = "a signal to this thread, for the test")]
    fn raise_child() {
        // SAFETY: SIGCHLD is blocked in this thread, and ignored by default.
        assert_eq!(unsafe { libc::raise(libc::SIGCHLD) }, 0);
    }
}
