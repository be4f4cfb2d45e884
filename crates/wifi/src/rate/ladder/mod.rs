//! The allowed modes as steps, and what rate controls share: state per destination, periods, and climbing (`climb`, whose
//! laws stand here).

mod aarf;
mod arf;
mod climb;
mod s0;

use std::collections::BTreeMap;
use std::fmt;

use airtcp_probe::ConfigError;
use airtcp_units::{Nanos, Span};

use crate::node::NodeId;
use crate::phy::Mode;

pub use aarf::{Aarf, AarfConfig};
pub use arf::{Arf, ArfConfig};
pub use s0::{S0, S0Config};

/// Allowed modes, slowest first; never empty. A step is an index into them.
#[derive(Debug, Clone, PartialEq)]
pub struct Ladder {
    modes: Vec<Mode>,
    /// Bandwidth of the widest mode of HT, VHT and HE in Hz; `None` without one.
    widest_hz: Option<f64>,
}

impl Ladder {
    /// Sorts the modes by rate and removes duplicates. Of two equally fast modes DSSS comes first.
    ///
    /// # Errors
    /// If `modes` is empty.
    pub fn new(modes: &[Mode]) -> Result<Self, ConfigError> {
        let mut all = modes.to_vec();
        all.sort_unstable_by_key(|mode| (mode.kbps(), *mode));
        all.dedup();
        if all.is_empty() {
            return Err(ConfigError::new("rates", "is empty: expected one rate or more"));
        }
        let widths = all.iter().filter(|mode| mode.is_mcs()).map(|mode| mode.bandwidth_hz());
        let widest_hz = widths.reduce(f64::max);
        Ok(Self { modes: all, widest_hz })
    }

    /// The mode at a step, or the fastest mode if there are fewer steps.
    pub fn mode(&self, step: usize) -> Mode {
        self.modes[step.min(self.top())]
    }

    /// The step of the fastest mode.
    pub fn top(&self) -> usize {
        self.modes.len() - 1
    }

    /// The step of a mode.
    pub fn step(&self, mode: Mode) -> Option<usize> {
        self.modes.iter().position(|m| *m == mode)
    }

    /// The highest step whose rate is at most `kbps`, or the lowest of all.
    pub fn at_most(&self, kbps: u32) -> usize {
        self.modes.iter().rposition(|mode| mode.kbps() <= kbps).unwrap_or(0)
    }

    /// The highest step whose non-HT reference rate is at most `kbps`, or the lowest of all. For 802.11a, b and
    /// g the reference rate is the rate; for an MCS it is that of its modulation and code.
    pub fn at_most_reference(&self, kbps: u32) -> usize {
        self.modes.iter().rposition(|mode| mode.reference_kbps() <= kbps).unwrap_or(0)
    }

    /// A band as part of that of the widest mode; 1 without modes of HT, VHT and HE.
    pub fn part_of_widest(&self, hz: f64) -> f64 {
        self.widest_hz.map_or(1.0, |widest| hz / widest)
    }

    /// The band of a mode of the ladder as part of that of the widest one.
    pub fn part_of_mode(&self, mode: Mode) -> f64 {
        if mode.is_mcs() { self.part_of_widest(mode.bandwidth_hz()) } else { 1.0 }
    }

    /// The mode of attempt `number` on a retry chain from a step down: `tries` attempts at each of its first steps, and
    /// all others one step below these.
    pub(crate) fn on_chain(&self, step: usize, number: u32, tries: &[u32]) -> Mode {
        let ends = tries.iter().scan(0, |end, tries| {
            *end += tries;
            Some(*end)
        });
        let lower = ends.take_while(|end| number >= *end).count();
        self.mode(step.saturating_sub(lower))
    }

    /// All modes, slowest first.
    pub fn modes(&self) -> &[Mode] {
        &self.modes
    }
}

impl fmt::Display for Ladder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, mode) in self.modes.iter().enumerate() {
            write!(f, "{}{mode}", if i > 0 { ", " } else { "" })?;
        }
        Ok(())
    }
}

/// State per destination, created at its first change.
#[derive(Debug, Clone)]
pub(crate) struct Peers<S> {
    known: BTreeMap<NodeId, S>,
    fresh: S,
}

impl<S: Clone> Peers<S> {
    pub(crate) const fn new(fresh: S) -> Self {
        Self { known: BTreeMap::new(), fresh }
    }

    pub(crate) fn get(&self, to: NodeId) -> &S {
        self.known.get(&to).unwrap_or(&self.fresh)
    }

    pub(crate) fn get_mut(&mut self, to: NodeId) -> &mut S {
        self.known.entry(to).or_insert_with(|| self.fresh.clone())
    }
}

/// Time between two decisions for a destination; the first period begins with its first packet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Period {
    ends: Option<Nanos>,
}

impl Period {
    pub(crate) const fn new() -> Self {
        Self { ends: None }
    }

    /// True if a period has ended by `now`, the time of a packet. Then, and at the first packet, a
    /// period of `length` begins.
    pub(crate) fn has_ended(&mut self, now: Nanos, length: Span) -> bool {
        if self.ends.is_some_and(|ends| ends > now) {
            return false;
        }
        self.ends.replace(now + length).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_in_order_of_speed() {
        let all: Vec<Mode> = Mode::OFDM.into_iter().chain(Mode::DSSS).chain(Mode::OFDM).collect();
        let ladder = Ladder::new(&all).unwrap();
        let kbps: Vec<u32> = ladder.modes().iter().map(|m| m.kbps()).collect();
        assert_eq!(
            kbps,
            [1, 2, 5, 6, 9, 11, 12, 18, 24, 36, 48, 54].map(|m| if m == 5 {
                5_500
            } else {
                m * 1_000
            })
        );
        assert_eq!((ladder.at_most(36_000), ladder.at_most(40_000), ladder.at_most(10)), (9, 9, 0));
        assert_eq!(ladder.step(Mode::OFDM[0]), Some(3));
        assert_eq!(Ladder::new(&[]).unwrap_err().key, "rates");
    }

    #[test]
    fn periods_begin_with_a_packet() {
        let mut period = Period::new();
        let mut ended = |at| period.has_ended(Nanos(at), Span(10));
        // The first packet begins a period; a packet after its end begins the next.
        assert_eq!(
            [3, 12, 13, 22, 40, 49, 50].map(&mut ended),
            [false, false, true, false, true, false, true]
        );
    }
}
