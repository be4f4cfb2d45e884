//! Alternating runs of successes and losses whose lengths are drawn from histograms.
//!
//! Lengths are independent of each other, but need not be geometric as in a Gilbert-Elliott chain:
//! measured links have far longer runs. S2 drives its links with measured distributions of
//! consecutive errors. Lengths count time slots, slot `k` covering `k slot .. (k + 1) slot`, or
//! packets. If lengths count packets, the channel does not change while the sender is idle. On a
//! link with a protocol the packets are units, as in S2.
//!
//! Starts from stationarity: time zero falls on each slot of each run of the histograms with the
//! same probability. Leaves out: dependence between neighbouring runs.

use airtcp_probe::ConfigError;
use airtcp_random::{Seed, Stream};
use airtcp_units::{Nanos, Narrow, Outcomes, Pace, Span};

use super::sojourn::{Alternation, Sojourns};
use super::{Build, Frame, LossModel, Model, one_by_one, trace};
use crate::protocol::SymbolSet;

/// Semi-Markov channel. Give `successes` and `losses`, or `path`.
#[derive(
    Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(deny_unknown_fields, default)]
pub struct SemiMarkovConfig {
    /// Histogram of success runs: pairs of length in slots and count.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub successes: Vec<(u64, u64)>,
    /// Histogram of loss runs: pairs of length in slots and count.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub losses: Vec<(u64, u64)>,
    /// Delivery trace from which to count the runs, instead of histograms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Length of a slot. Default: the link's slot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<Span>,
    /// Unit of run lengths: time slots, or packets (units, with a link protocol).
    pub stepping: RunStepping,
}

/// Unit of run lengths.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Default,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum RunStepping {
    /// Time slots.
    #[default]
    Slot,
    /// Packets.
    Packet,
}

/// A histogram of run lengths, ready to draw from.
#[derive(Debug, Clone, Default)]
struct Runs {
    lengths: Vec<u64>,
    /// Number of runs of at most the length at the same index.
    cumulative: Vec<u64>,
    /// Start of the search for a run: the index of the first run in each block of 2^`shift` runs.
    guide: Vec<u32>,
    shift: u32,
    /// Slots in all runs.
    slots: u64,
}

impl Runs {
    /// `None` if a length or count is zero or there are 2^62 slots or more, so that two
    /// histograms together still fit.
    fn new(histogram: &[(u64, u64)]) -> Option<Self> {
        let mut runs = Self::default();
        let mut total = 0u64;
        for &(length, count) in histogram {
            if length == 0 || count == 0 {
                return None;
            }
            total = total.checked_add(count)?;
            runs.slots = runs.slots.checked_add(length.checked_mul(count)?)?;
            runs.lengths.push(length);
            runs.cumulative.push(total);
        }
        // About one block per length, so that one or two steps find a run.
        let pieces = runs.lengths.len().next_power_of_two() as u64;
        runs.shift = (total / pieces).checked_ilog2().unwrap_or(0);
        let place = |which: u64| u32::narrow(runs.cumulative.partition_point(|c| *c <= which));
        runs.guide = (0..=total >> runs.shift).map(|piece| place(piece << runs.shift)).collect();
        (runs.slots < 1 << 62).then_some(runs)
    }

    fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }

    fn draw(&self, draws: &mut Stream) -> u64 {
        let which = draws.below(self.cumulative.last().copied().unwrap_or(0));
        let begin =
            self.guide.get(usize::narrow(which >> self.shift)).map_or(0, |place| *place as usize);
        let mut later = self.cumulative.iter().zip(&self.lengths).skip(begin);
        later.find(|(c, _)| **c > which).map_or(1, |(_, length)| *length)
    }

    /// Rest of the run that contains slot number `slot`, this slot included.
    fn residual(&self, mut slot: u64) -> u64 {
        let mut before = 0;
        for (length, count) in self.lengths.iter().zip(&self.cumulative) {
            let block = length * (count - before);
            if slot < block {
                return length - slot % length;
            }
            slot -= block;
            before = *count;
        }
        1
    }
}

#[derive(Debug, Clone)]
struct Stays {
    successes: Runs,
    losses: Runs,
    slot: Span,
}

impl Sojourns for Stays {
    fn draw(&mut self, lost: bool, draws: &mut Stream) -> Span {
        let (runs, other) =
            if lost { (&self.losses, &self.successes) } else { (&self.successes, &self.losses) };
        if other.is_empty() {
            return Span::MAX;
        }
        self.slot * runs.draw(draws)
    }
}

/// Alternating runs of successes and losses.
#[derive(Debug, Clone)]
pub struct SemiMarkov {
    is_lost: Alternation<Stays>,
    by_packet: bool,
    mean_loss: f64,
}

impl SemiMarkov {
    /// Runs counted in `outcomes`, with the truncated runs at both ends, drawn from `seed` under
    /// `label`. An empty record loses nothing.
    pub fn from_outcomes(outcomes: &Outcomes, slot: Span, seed: Seed, label: &str) -> Self {
        let (successes, losses) = count_runs(outcomes);
        let runs = |histogram: &[(u64, u64)]| Runs::new(histogram).unwrap_or_default();
        Self::new(runs(&successes), runs(&losses), slot.max(Span(1)), seed, label)
    }

    fn new(successes: Runs, losses: Runs, slot: Span, seed: Seed, label: &str) -> Self {
        let mut draws = seed.stream(label);
        let slots = successes.slots + losses.slots;
        let at = draws.below(slots);
        let lost = at >= successes.slots && !losses.is_empty();
        let first =
            if lost { losses.residual(at - successes.slots) } else { successes.residual(at) };
        let mean_loss = if slots == 0 { 0.0 } else { losses.slots as f64 / slots as f64 };
        let never_changes = successes.is_empty() || losses.is_empty();
        let remaining = if never_changes { Span::MAX } else { slot * first };
        let stays = Stays { successes, losses, slot };
        let is_lost = Alternation::new(stays, draws, lost, remaining);
        Self { is_lost, by_packet: false, mean_loss }
    }
}

/// Histograms of success and loss runs, shortest first.
fn count_runs(outcomes: &Outcomes) -> (Vec<(u64, u64)>, Vec<(u64, u64)>) {
    let mut counts = [std::collections::BTreeMap::new(), std::collections::BTreeMap::new()];
    let mut run: Option<(bool, u64)> = None;
    for received in outcomes.iter().map(Some).chain([None]) {
        match (&mut run, received) {
            (Some((kind, length)), Some(r)) if *kind == r => *length += 1,
            _ => {
                if let Some((kind, length)) = run {
                    *counts[usize::from(kind)].entry(length).or_insert(0u64) += 1;
                }
                run = received.map(|r| (r, 1));
            }
        }
    }
    let [losses, successes] = counts.map(|histogram| histogram.into_iter().collect());
    (successes, losses)
}

impl LossModel for SemiMarkov {
    #[inline]
    fn loses(&mut self, frame: &Frame) -> bool {
        // Packet n is slot n of 1 ns.
        self.is_lost.at(if self.by_packet { Nanos(frame.ordinal) } else { frame.now })
    }

    fn losses_of_train(&mut self, first: &Frame, pace: Pace, count: u16) -> SymbolSet {
        if !self.by_packet {
            return one_by_one(self, first, pace, count);
        }
        // Run by run instead of packet by packet.
        let (mut lost, mut place) = (SymbolSet::EMPTY, 0);
        while place < count {
            let is_lost = self.is_lost.at(Nanos(first.ordinal + u64::from(place)));
            let left = self.is_lost.until().0.saturating_sub(first.ordinal);
            let end = u16::narrow(left.min(u64::from(count)));
            if is_lost {
                lost.insert_range(place, end);
            }
            place = end;
        }
        lost
    }

    fn mean_loss(&self) -> Option<f64> {
        Some(self.mean_loss)
    }
}

impl Model for SemiMarkov {
    type Config = SemiMarkovConfig;

    fn build(config: &SemiMarkovConfig, build: &Build<'_>) -> Result<Self, ConfigError> {
        let by_packet = config.stepping == RunStepping::Packet;
        let slot = match (by_packet, config.slot) {
            (true, None) => Span(1),
            (true, Some(_)) => {
                let message = "has no effect with stepping = \"packet\"; omit one of the two";
                return Err(ConfigError::new("slot", message));
            }
            _ => build.slot(config.slot, "run lengths are in slots")?,
        };
        let label = build.label("runs");
        let runs = |key, histogram: &[(u64, u64)]| {
            Runs::new(histogram).ok_or_else(|| {
                ConfigError::new(
                    key,
                    "a histogram is a list of [length, count], both at least 1, with fewer than \
                     2^62 slots in all",
                )
            })
        };
        let empty = config.successes.is_empty() && config.losses.is_empty();
        match (&config.path, empty) {
            (Some(path), true) => {
                let outcomes = trace::load(path, build)?;
                let made = Self::from_outcomes(&outcomes, slot, build.seed, &label);
                Ok(Self { by_packet, ..made })
            }
            (None, false) => {
                let successes = runs("successes", &config.successes)?;
                let losses = runs("losses", &config.losses)?;
                let made = Self::new(successes, losses, slot, build.seed, &label);
                Ok(Self { by_packet, ..made })
            }
            _ => Err(ConfigError::new(
                "",
                "the run lengths are given either by `successes` and `losses` or by `path`, and \
                 by one of these only",
            )),
        }
    }

    #[cfg(test)]
    fn samples() -> Vec<SemiMarkovConfig> {
        let slot = Some(Span::from_millis(5));
        vec![
            SemiMarkovConfig {
                successes: vec![(1, 10), (5, 4), (40, 2)],
                losses: vec![(1, 12), (3, 3), (9, 1)],
                slot,
                ..SemiMarkovConfig::default()
            },
            SemiMarkovConfig { path: Some("sample".into()), slot, ..SemiMarkovConfig::default() },
            SemiMarkovConfig { successes: vec![(3, 1)], slot, ..SemiMarkovConfig::default() },
            SemiMarkovConfig {
                path: Some("sample".into()),
                stepping: RunStepping::Packet,
                ..SemiMarkovConfig::default()
            },
        ]
    }
}

#[cfg(test)]
mod tests;
