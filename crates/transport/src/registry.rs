//! What can be chosen by name in a scenario, for `airtcp list`.

use airtcp_probe::Entry;

use crate::congestion::{LawConfig, SlowStartKind};
use crate::tcp::{Profile, Recovery};

/// Everything this crate registers: congestion laws, slow starts, loss recoveries, TCP
/// profiles.
pub fn registry() -> Vec<Entry> {
    [LawConfig::ENTRIES, SlowStartKind::ENTRIES, Recovery::ENTRIES, Profile::ENTRIES].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_described() {
        let entries = registry();
        for family in ["congestion", "slow-start", "recovery", "tcp-profile"] {
            assert!(entries.iter().any(|e| e.family == family), "{family} is empty");
        }
        let mut names: Vec<_> = entries.iter().map(|e| (e.family, e.name)).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), entries.len(), "a name stands twice");
        for e in entries {
            assert!(!e.description.is_empty() && !e.source.is_empty(), "{}", e.name);
            assert!(!e.description.ends_with('.'), "{}", e.name);
        }
    }
}
