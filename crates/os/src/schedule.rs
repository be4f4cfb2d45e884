//! Priority of the thread that drives a model by the clock.

use crate::error::{Error, Result};
use std::{fmt, io, mem};

/// How the thread is scheduled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Priority {
    /// `SCHED_DEADLINE`: .9 ms of each 1 ms.
    Deadline,
    /// `SCHED_FIFO`, priority 20. The kernel stops it 50 ms a second once it takes a whole core.
    Fifo,
    /// As any other thread: the system allowed no more.
    Ordinary,
}

impl fmt::Display for Priority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Deadline => "SCHED_DEADLINE, 0.9 of each 1 ms",
            Self::Fifo => "SCHED_FIFO, priority 20",
            Self::Ordinary => "no priority",
        })
    }
}

const RESET_ON_FORK: u64 = 1;
const DEADLINE: u32 = 6;
const FIFO: u32 = 1;

/// Raises the calling thread as far as the system allows, and returns how far. Children start as ordinary threads.
/// Timers of the thread are exact to 1 ns.
pub fn raise() -> Priority {
    exact_timers();
    let deadline = attributes(DEADLINE, 0, [900_000, 1_000_000, 1_000_000]);
    let fifo = attributes(FIFO, 20, [0; 3]);
    if set(&deadline).is_ok() {
        Priority::Deadline
    } else if set(&fifo).is_ok() {
        Priority::Fifo
    } else {
        Priority::Ordinary
    }
}

/// Makes the calling thread ordinary again.
///
/// # Errors
/// If the system refuses.
pub fn lower() -> Result<()> {
    set(&attributes(0, 0, [0; 3])).map_err(|e| Error::system("lowering the priority", e))
}

fn attributes(policy: u32, priority: u32, times: [u64; 3]) -> libc::sched_attr {
    libc::sched_attr {
        size: u32::try_from(mem::size_of::<libc::sched_attr>()).unwrap_or(48),
        sched_policy: policy,
        sched_flags: RESET_ON_FORK,
        sched_nice: 0,
        sched_priority: priority,
        sched_runtime: times[0],
        sched_deadline: times[1],
        sched_period: times[2],
    }
}

#[allow(unsafe_code, reason = "no safe library wraps sched_setattr")]
fn set(attributes: &libc::sched_attr) -> io::Result<()> {
    // SAFETY: the kernel reads `size` bytes of a live struct, and writes only its size.
    let code =
        unsafe { libc::syscall(libc::SYS_sched_setattr, 0, std::ptr::from_ref(attributes), 0_u32) };
    if code == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

#[allow(unsafe_code, reason = "no safe library wraps PR_SET_TIMERSLACK")]
fn exact_timers() {
    // SAFETY: this prctl takes a number and touches no memory. It cannot fail.
    let _ = unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1_u64) };
}

/// Keeps the process in memory, so that no page fault of a disk delays it.
///
/// # Errors
/// If the limit of locked memory or a missing privilege forbids it.
#[allow(unsafe_code, reason = "no safe library wraps mlockall")]
pub fn lock_memory() -> Result<()> {
    // SAFETY: it changes no content of memory.
    if unsafe { libc::mlockall(libc::MCL_CURRENT | libc::MCL_FUTURE) } == 0 {
        return Ok(());
    }
    Err(Error::last("locking memory"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_agrees_with_what_is_said() {
        std::thread::spawn(|| {
            let said = raise();
            let file = std::fs::read_to_string("/proc/thread-self/sched").unwrap_or_default();
            let policy = file.lines().find_map(|line| {
                line.strip_prefix("policy")?.split(':').nth(1)?.trim().parse::<u32>().ok()
            });
            let expected = match said {
                Priority::Deadline => DEADLINE,
                Priority::Fifo => FIFO,
                Priority::Ordinary => 0,
            };
            // Kernels without CONFIG_SCHED_DEBUG do not say it.
            if let Some(policy) = policy {
                assert_eq!(policy, expected, "{said}");
            }
            lower().unwrap();
        })
        .join()
        .unwrap();
    }
}
