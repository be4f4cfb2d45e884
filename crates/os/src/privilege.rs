//! What a process keeps of its capabilities once it is set up: those of root, or of its file.
//!
//! Capabilities belong to threads, and new threads have those of the thread that makes them. So a process gives them up while
//! it has one thread. The few that it needs later stay permitted, and are in effect only within [`with`].

use crate::error::{Error, Result};
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, set_capabilities, set_no_new_privs,
};

/// What may be needed after the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Capability {
    /// Choosing the processors that do the protocol work of an interface.
    NetAdmin,
    /// Listening at a port below 1024.
    NetBind,
}

impl Capability {
    const fn set(self) -> CapabilitySet {
        match self {
            Self::NetAdmin => CapabilitySet::NET_ADMIN,
            Self::NetBind => CapabilitySet::NET_BIND_SERVICE,
        }
    }
}

/// Gives up all capabilities but those named, for good: programs that it starts later get none, whatever their files say. None
/// are in effect afterwards.
///
/// # Errors
/// If the system refuses, which it has no reason to.
pub fn give_up(kept: &[Capability]) -> Result<()> {
    let failed = |e| Error::system("giving up capabilities", e);
    let now = capabilities(None).map_err(failed)?;
    let kept = kept.iter().fold(CapabilitySet::empty(), |all, one| all | one.set());
    let sets = CapabilitySets {
        effective: CapabilitySet::empty(),
        permitted: now.permitted & kept,
        inheritable: CapabilitySet::empty(),
    };
    // Ambient capabilities go with the permitted or inheritable ones.
    set_capabilities(None, sets).map_err(failed)?;
    set_no_new_privs(true).map_err(failed)
}

/// Calls `task` with a capability in effect, if the calling thread has kept it.
pub fn with<T>(capability: Capability, task: impl FnOnce() -> T) -> T {
    let before = capabilities(None).ok();
    let raised =
        before.filter(|sets| !sets.effective.contains(capability.set())).and_then(|sets| {
            let permitted = sets.permitted & capability.set();
            let more = CapabilitySets { effective: sets.effective | permitted, ..sets };
            set_capabilities(None, more).ok()
        });
    let answer = task();
    if let (Some(()), Some(before)) = (raised, before) {
        let _ = set_capabilities(None, before);
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The capabilities of the calling thread, as the kernel says: in effect, and permitted.
    fn kernel_says() -> [u64; 2] {
        let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
        ["CapEff:\t", "CapPrm:\t"].map(|key| {
            let line = status.lines().find_map(|line| line.strip_prefix(key)).unwrap();
            u64::from_str_radix(line, 16).unwrap()
        })
    }

    /// On a thread of its own, whose capabilities nobody else has.
    #[test]
    fn what_is_kept_is_in_effect_only_while_it_is_used() {
        let checks = || {
            const NET_ADMIN: u64 = 1 << 12;
            let before = kernel_says()[1];
            give_up(&[Capability::NetAdmin]).unwrap();
            assert_eq!(kernel_says(), [0, before & NET_ADMIN]);
            let within = with(Capability::NetAdmin, kernel_says);
            assert_eq!(within, [before & NET_ADMIN; 2]);
            assert_eq!(with(Capability::NetBind, kernel_says)[0], 0);
            assert_eq!(kernel_says(), [0, before & NET_ADMIN]);
            give_up(&[]).unwrap();
            assert_eq!(with(Capability::NetAdmin, kernel_says), [0, 0]);
            let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
            assert!(status.contains("NoNewPrivs:\t1"), "{status}");
        };
        std::thread::spawn(checks).join().unwrap();
    }
}
