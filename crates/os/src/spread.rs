//! Which processors do the protocol work of an interface.
//!
//! What is written to one end of a veth pair is received at the other end on the same processor and within the same
//! system call: the writer pays for the receiver's TCP. Receive packet steering (networking/scaling of the kernel's
//! documentation) gives this work to other processors. It may be set by root of the system only, not by that of a user
//! namespace.

use crate::error::{Error, Result, check};
use crate::namespace::{NetNs, own_mounts};
use crate::privilege::{self, Capability};
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::ptr;

/// The setting of one interface with one queue.
#[derive(Debug)]
pub struct Spread {
    file: File,
    /// Processors that run.
    online: Vec<usize>,
    /// The processor that does none of the work, or none yet.
    free: Option<usize>,
}

const ONLINE: &str = "/sys/devices/system/cpu/online";

impl Spread {
    /// Opens the setting of an interface in `namespace`. Nothing changes yet.
    ///
    /// # Errors
    /// If the process may not, if there is one processor only, or if the kernel has no such setting.
    pub fn open(namespace: &NetNs, device: &str) -> Result<Self> {
        let failed = |e| Error::device(device, "choosing the processors", e);
        let online = list(&std::fs::read_to_string(ONLINE).map_err(failed)?);
        if online.len() < 2 {
            return Err(Error::Input("there is one processor only".to_owned()));
        }
        let file = namespace.within(|| open(device).map_err(failed))?;
        Ok(Self { file, online, free: None })
    }

    /// Gives the work to all processors but that of the calling thread. Call it again after the thread may have moved.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn away_from_here(&mut self) -> Result<()> {
        let here = rustix::thread::sched_getcpu();
        if self.free == Some(here) {
            return Ok(());
        }
        let others: Vec<usize> = self.online.iter().copied().filter(|cpu| *cpu != here).collect();
        privilege::with(Capability::NetAdmin, || self.file.write_all(mask(&others).as_bytes()))
            .map_err(|e| Error::system("choosing the processors of an interface", e))?;
        self.free = Some(here);
        Ok(())
    }
}

/// The file of the setting. `/sys` shows the interfaces of the namespace where it was mounted, so it is mounted again for
/// this thread only.
#[allow(unsafe_code, reason = "mounts are not in the features of rustix that are used")]
fn open(device: &str) -> io::Result<File> {
    own_mounts()?;
    let flags = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
    let (kind, place) = (c"sysfs".as_ptr(), c"/sys".as_ptr());
    // SAFETY: all pointers are null or strings that end in NUL and outlive the call.
    unsafe { check(libc::mount(kind, place, kind, flags, ptr::null()))? };
    let place = format!("/sys/class/net/{device}/queues/rx-0/rps_cpus");
    OpenOptions::new().write(true).open(place)
}

/// The numbers of a list such as `0-2,4`.
fn list(text: &str) -> Vec<usize> {
    let range = |part: &str| {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        Some(from.parse().ok()?..=to.parse().ok()?)
    };
    text.trim().split(',').filter_map(range).flatten().collect()
}

/// A set of processors as the kernel reads it: words of 32 bits, the highest first.
fn mask(cpus: &[usize]) -> String {
    let mut words = vec![0_u32; cpus.iter().max().map_or(1, |cpu| cpu / 32 + 1)];
    for cpu in cpus {
        words[cpu / 32] |= 1 << (cpu % 32);
    }
    let words: Vec<String> = words.iter().rev().map(|word| format!("{word:08x}")).collect();
    words.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_processors() {
        assert_eq!(list("0-2,4\n"), [0, 1, 2, 4]);
        assert_eq!(list("0"), [0]);
        assert!(list("").is_empty());
        assert_eq!(mask(&[0, 1, 4]), "00000013");
        assert_eq!(mask(&[1, 33]), "00000002,00000002");
        assert_eq!(mask(&[]), "00000000");
    }
}
