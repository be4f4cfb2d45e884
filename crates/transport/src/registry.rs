//! Names that a scenario can choose, for `airtcp list`.

use airtcp_probe::Entry;

use crate::tcp::{Profile, Recovery};

/// Values of a flow's `transport`.
const TRANSPORTS: &[Entry] = &[
    transport("tcp", "TCP, configured by tcp", "RFC 9293"),
    transport("udp", "Datagrams as the application sends them", "RFC 768"),
    transport(
        "tfrc",
        "Datagrams at the rate of TCP's throughput equation, configured by tfrc",
        "RFC 5348",
    ),
    transport(
        "lt-tcp",
        "TCP with erasure coding, small segments and ECN, configured by lt and tcp",
        "S0 section III, S2 section V",
    ),
];

const fn transport(name: &'static str, description: &'static str, source: &'static str) -> Entry {
    Entry { family: "transport", name, description, source }
}

/// Everything that this crate registers: transports, loss recoveries, TCP profiles.
pub fn registry() -> Vec<Entry> {
    [TRANSPORTS, Recovery::ENTRIES, Profile::ENTRIES].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_described() {
        let entries = registry();
        for family in ["transport", "recovery", "tcp-profile"] {
            assert!(entries.iter().any(|e| e.family == family), "{family} is empty");
        }
        let mut names: Vec<_> = entries.iter().map(|e| (e.family, e.name)).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), entries.len(), "a name occurs twice");
        for e in entries {
            assert!(!e.description.is_empty() && !e.source.is_empty(), "{}", e.name);
            assert!(!e.description.ends_with('.'), "{}", e.name);
        }
    }
}
