//! Interfaces of a capture: link type, the resolution of timestamps, and names.

use std::collections::BTreeMap;

use super::drops::Counted;

/// Nanoseconds per second.
const SECOND: u64 = 1_000_000_000;

/// Most interfaces of a file; the rest are counted as damage.
pub(super) const MAX_INTERFACES: usize = 65_536;

/// One interface of a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Interface {
    /// Link type (number of the registry at tcpdump.org).
    pub(super) link_type: u16,
    /// Units of a timestamp per second.
    per_second: u64,
    /// Seconds to add to a timestamp.
    offset: i64,
    /// Most bytes of a packet that were captured.
    longest: u32,
    /// Its number in the file.
    pub(super) number: u32,
    /// What was counted at it so far.
    pub(super) counted: Counted,
}

impl Interface {
    /// Resolution as units per second, and an offset in seconds.
    pub(super) const fn new(link_type: u16, per_second: u64, offset: i64) -> Self {
        let per_second = if per_second == 0 { 1_000_000 } else { per_second };
        Self { link_type, per_second, offset, longest: u32::MAX, number: 0, counted: Counted::NONE }
    }

    /// The same with a number in the file.
    pub(super) const fn with_number(self, number: u32) -> Self {
        Self { number, ..self }
    }

    /// The same with at most `longest` bytes of a packet; 0 stands for all.
    pub(super) const fn with_longest(self, longest: u32) -> Self {
        Self { longest: if longest == 0 { u32::MAX } else { longest }, ..self }
    }

    /// Most bytes of a packet that were captured.
    pub(super) const fn longest(&self) -> u32 {
        self.longest
    }

    /// Units of a timestamp per second.
    pub(super) const fn per_second(&self) -> u64 {
        self.per_second
    }

    /// Time in nanoseconds since the epoch, of seconds, and of units that are whole nanoseconds.
    pub(super) fn time_of(&self, seconds: u32, units: u32) -> u64 {
        u64::from(seconds) * SECOND + u64::from(units) * (SECOND / self.per_second)
    }

    /// Time in nanoseconds since the epoch, of a timestamp in units; bounded to what 64 bits hold.
    pub(super) fn time_ns(&self, ticks: u64) -> u64 {
        // What nearly all files have, without divisions of 128 bits.
        if self.offset == 0 && SECOND.is_multiple_of(self.per_second) {
            return ticks.saturating_mul(SECOND / self.per_second);
        }
        let seconds = ticks / self.per_second;
        let rest = ticks % self.per_second;
        let fraction = u128::from(rest) * u128::from(SECOND) / u128::from(self.per_second);
        let whole = i128::from(seconds) + i128::from(self.offset);
        let ns = whole * i128::from(SECOND) + i128::try_from(fraction).unwrap_or(0);
        u64::try_from(ns.max(0)).unwrap_or(u64::MAX)
    }
}

/// Longest name that is kept, in characters.
const LONGEST_NAME: usize = 64;

/// The interfaces of a file: the name of each. An interface of several sections is one.
#[derive(Debug, Default)]
pub(super) struct Names {
    all: Vec<String>,
    by_name: BTreeMap<String, u32>,
}

impl Names {
    /// The number of an interface in the file. Without a name, each description is another interface. Those beyond
    /// the most that are told apart have the last number.
    pub(super) fn number(&mut self, name: Option<&str>) -> u32 {
        let next = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        let name = match name {
            Some(name) => name.chars().take(LONGEST_NAME).collect(),
            None => format!("interface {next}"),
        };
        if let Some(known) = self.by_name.get(&name) {
            return *known;
        }
        if self.all.len() >= MAX_INTERFACES {
            return next - 1;
        }
        self.by_name.insert(name.clone(), next);
        self.all.push(name);
        next
    }

    /// True if the interface of a number has this name.
    pub(super) fn is(&self, number: u32, name: &str) -> bool {
        self.all.get(number as usize).is_some_and(|known| known == name)
    }

    /// All names, by number.
    pub(super) fn all(&self) -> &[String] {
        &self.all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interface_of_several_sections_is_one() {
        let mut names = Names::default();
        let numbers =
            [Some("eth0"), None, Some("lo"), Some("eth0"), None].map(|name| names.number(name));
        assert_eq!(numbers, [0, 1, 2, 0, 3]);
        assert_eq!(names.all(), ["eth0", "interface 1", "lo", "interface 3"]);
    }

    #[test]
    fn resolutions() {
        assert_eq!(Interface::new(1, 1_000_000, 0).time_ns(1_500_000), 1_500_000_000);
        assert_eq!(Interface::new(1, SECOND, 2).time_ns(5), 2_000_000_005);
        // Powers of two (pcapng if_tsresol with its top bit set).
        assert_eq!(Interface::new(1, 1 << 32, 0).time_ns(1 << 31), 500_000_000);
        assert_eq!(Interface::new(1, 1, -10).time_ns(3), 0);
        assert_eq!(Interface::new(1, 1, i64::MAX).time_ns(u64::MAX), u64::MAX);
    }
}
