//! Minstrel-HT: success statistics of every scheme, with samples of single frames at other schemes.
//!
//! ```text
//! groups            schemes of the same width and number of streams
//! every `period`, for each scheme that was used:
//!   x = MPDUs acknowledged / MPDUs sent
//!   P <- 0.286 x + 1.287 P - 0.574 P'              P' is the previous P; P starts as the first x
//!   throughput = min(P, 90 %) / (time of a packet of 1200 B + overhead / A), 0 if P < 10 %
//! A                 <- 0.75 A + 0.25 (MPDUs per PPDU in the period), 1 at first
//! best              the four schemes with the highest throughput
//! surest            the highest throughput among P > 75 %, else the highest P; with fewer streams than the
//!                   first of the best, if there are any
//! retry chain       best 1, best 2, best 3, surest, each for the PPDUs that fit in 6 ms
//! of a sample       the sample once, then best 2, best 3, surest, always with a single MPDU
//! sudden death      best 1 or 2 with more than 30 MPDUs in the period of which less than a quarter arrived:
//!                   the best of the next lower group with at most as many streams takes its place at once
//! ```
//! The statistics are used when a PPDU was answered or its retry chain has ended, as a driver reports it then with all
//! its attempts. A collision alone is therefore no sudden death: the retransmission that succeeds counts with it.
//!
//! A scheme that was never used has the greatest P of the faster schemes of its group. Samples: `sampling`.
//!
//! Source: Linux `net/mac80211/rc80211_minstrel_ht.c` since 5.13 (samples by the clock, moving average with a
//! noise filter of period 16). A driver does not aggregate the packet of a sample (ath9k, `ath_lookup_rate`), nor
//! does this control. Real numbers replace Linux's fixed-point ones. Linux's list has 20 to 80 MHz and up to VHT, and both
//! guard intervals; here the list has the widths and formats of the plan, and its one guard interval. Leaves out
//! RTS before the second and further stages, and the limit of A-MSDUs.

mod groups;
mod ranking;
mod sampling;
#[cfg(test)]
mod tests;

use airtcp_probe::ConfigError;
use airtcp_random::Stream;
use airtcp_units::{Nanos, Span};
use groups::Schemes;
use ranking::{Choice, Stats};
use sampling::Samples;

use super::minstrel::permutation;
use super::{Attempt, Control, ControlInputs, Ending, Outcome, Peers, RateControl, check_period};
use crate::phy::Mode;

/// Weight of the previous average of the MPDUs per PPDU.
const LENGTH_WEIGHT: f64 = 0.75;
/// Columns of the table of samples.
const COLUMNS: usize = 10;
/// MPDUs in a period after which a scheme can die suddenly.
const DEATH_MPDUS: u32 = 30;

/// Minstrel-HT.
#[derive(
    Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(deny_unknown_fields, default)]
pub struct MinstrelHtConfig {
    /// Time between updates of the statistics.
    pub period: Span,
    /// Minimum time between samples.
    pub sample_interval: Span,
}

impl Default for MinstrelHtConfig {
    fn default() -> Self {
        Self { period: Span::from_millis(50), sample_interval: Span::from_millis(20) }
    }
}

/// Retry chain: schemes, and the number of attempts after which the next one follows.
type Stages = [(usize, u32); 4];

/// State of a destination.
#[derive(Debug, Clone)]
struct State {
    stats: Vec<Stats>,
    choice: Choice,
    stages: Stages,
    samples: Samples,
    /// By category, the sample of the packet at the head.
    sampled: [Option<usize>; 4],
    updated: Nanos,
    /// PPDUs and MPDUs of the period, and the average of their ratio.
    ppdus: u32,
    mpdus: u32,
    length: f64,
}

impl State {
    fn new(schemes: &Schemes, start: Option<usize>) -> Self {
        let first = start.unwrap_or(0);
        let choice = Choice::of(first, schemes);
        let mut state = Self {
            stats: vec![Stats::default(); schemes.len()],
            stages: [(first, 1); 4],
            samples: Samples::new(schemes),
            sampled: [None; 4],
            updated: Nanos::ZERO,
            ppdus: 0,
            mpdus: 0,
            length: 1.0,
            choice,
        };
        state.set_stages(schemes);
        state
    }

    /// Updates the statistics at the end of a period, and what follows from them.
    fn update(&mut self, now: Nanos, schemes: &Schemes, table: &[Vec<usize>]) {
        if self.ppdus > 0 {
            let mean = f64::from(self.mpdus) / f64::from(self.ppdus);
            self.length = LENGTH_WEIGHT * self.length + (1.0 - LENGTH_WEIGHT) * mean;
        }
        (self.ppdus, self.mpdus) = (0, 0);
        ranking::update(&mut self.stats, schemes);
        self.choice = Choice::new(&self.stats, schemes, self.length);
        self.samples.refill(&self.stats, &self.choice, schemes, table);
        self.set_stages(schemes);
        self.updated = now;
        self.samples.allow(now);
    }

    /// The retry chain of the chosen schemes.
    fn set_stages(&mut self, schemes: &Schemes) {
        let [first, second, third, _] = self.choice.best;
        let mut until = 0;
        self.stages = [first, second, third, self.choice.surest].map(|scheme| {
            until += schemes.tries(scheme, self.stats[scheme].probability(), self.length);
            (scheme, until)
        });
    }

    /// Replaces the best schemes that hardly any MPDU has survived in this period.
    fn check_death(&mut self, schemes: &Schemes) {
        let mut changed = false;
        for rank in 0..2 {
            let stats = &self.stats[self.choice.best[rank]];
            if stats.sent > DEATH_MPDUS && 4 * stats.acknowledged < stats.sent {
                changed |= self.choice.descend(rank, schemes);
            }
        }
        if changed {
            self.set_stages(schemes);
        }
    }

    /// The scheme of an attempt.
    fn scheme(&self, attempt: &Attempt) -> usize {
        let mut number = attempt.number;
        if let Some(sample) = self.sampled[usize::from(attempt.category) % 4] {
            if number == 0 {
                return sample;
            }
            // The sample takes the place of the first stage.
            number = number - 1 + self.stages[0].1;
        }
        let stage = self.stages.iter().find(|(_, until)| number < *until);
        stage.map_or(self.stages[3].0, |(scheme, _)| *scheme)
    }
}

/// Minstrel-HT.
#[derive(Debug)]
pub struct MinstrelHt {
    config: MinstrelHtConfig,
    schemes: Schemes,
    /// Random permutations of the places in a group.
    table: Vec<Vec<usize>>,
    peers: Peers<State>,
}

impl RateControl for MinstrelHt {
    fn learns_from_receptions(&self) -> bool {
        false
    }

    fn on_packet(&mut self, first: &Attempt) {
        let state = self.peers.get_mut(first.to);
        let sample = state.samples.next(first.now, self.config.sample_interval);
        state.sampled[usize::from(first.category) % 4] = sample;
    }

    fn pick(&self, attempt: &Attempt) -> Mode {
        self.schemes.mode(self.peers.get(attempt.to).scheme(attempt))
    }

    fn is_single(&self, attempt: &Attempt) -> bool {
        self.peers.get(attempt.to).sampled[usize::from(attempt.category) % 4].is_some()
    }

    fn on_result(&mut self, outcome: &Outcome) {
        if outcome.ending == Ending::NoCts {
            return;
        }
        let Some(scheme) = self.schemes.place(outcome.mode) else { return };
        let state = self.peers.get_mut(outcome.attempt.to);
        state.ppdus += 1;
        state.mpdus += outcome.mpdus;
        state.stats[scheme].count(outcome);
        let ended = outcome.given_up || outcome.attempt.number + 1 >= state.stages[3].1;
        if outcome.ending == Ending::NoAck && !ended {
            // The driver reports all attempts of a PPDU when one was answered, or the chain has ended.
            return;
        }
        state.check_death(&self.schemes);
        let now = outcome.attempt.now;
        if now >= state.updated + self.config.period {
            state.update(now, &self.schemes, &self.table);
        }
    }
}

impl Control for MinstrelHt {
    type Config = MinstrelHtConfig;

    fn build(config: &MinstrelHtConfig, inputs: &ControlInputs<'_>) -> Result<Self, ConfigError> {
        check_period(config.period)?;
        if config.sample_interval == Span::ZERO {
            let message = "is 0 s: expected longer times";
            return Err(ConfigError::new("sample_interval", message));
        }
        let schemes = Schemes::new(inputs.ladder.modes(), inputs.context.timing);
        let mut random: Stream = inputs.context.seed.stream(inputs.context.label);
        let longest = schemes.longest_group();
        let table: Vec<Vec<usize>> =
            (0..COLUMNS).map(|_| permutation(longest, &mut random)).collect();
        let start = inputs.start.and_then(|step| schemes.place(inputs.ladder.mode(step)));
        let mut state = State::new(&schemes, start);
        state.samples.refill(&state.stats, &state.choice, &schemes, &table);
        Ok(Self { config: config.clone(), schemes, table, peers: Peers::new(state) })
    }

    #[cfg(test)]
    fn samples() -> Vec<MinstrelHtConfig> {
        let period = Span::from_millis(100);
        vec![MinstrelHtConfig::default(), MinstrelHtConfig { period, ..Default::default() }]
    }
}
