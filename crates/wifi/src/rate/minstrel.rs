//! Minstrel: success statistics of every rate, with samples of other rates in a tenth of the packets.
//!
//! ```text
//! every `period`, on a new packet, for each rate that was used:
//!   P <- w P + (1 - w) successes / attempts            (P starts as the first such ratio)
//!   throughput = P / time of a frame of `packet_bytes`, 0 if P < 10 %
//! best, second      the two rates with the highest throughput
//! surest            the one with the highest throughput among P >= 95 %, else the one with the
//!                   highest P
//! retry chain       best, second, surest, lowest, each for the attempts that fit in 6 ms
//! of a sample       sample, best, surest, lowest, or, if the sample is slower than the best,
//!                   best, sample, surest, lowest
//! ```
//! A packet samples another rate while fewer than the share `look_around` of the packets have done so.
//! The rates to sample come from a table of `columns` random permutations of all rates. A rate with P
//! below 10 % or above 95 % is sampled in the first stage at most four times per period, and gets at
//! most two attempts in a stage. A slower rate that was unused for 20 periods is sampled in the first
//! stage. Attempts and successes count MPDUs.
//!
//! Source: Smithies' description in `MadWifi` (2005) and Linux `rc80211_minstrel` (2013 to 2018), the
//! models of ns-3's `MinstrelWifiManager`. Leaves out RTS in the retry counts, and the later Linux
//! rule that skips a sample of the best rate itself.

use airtcp_probe::ConfigError;
use airtcp_random::Stream;
use airtcp_units::{Nanos, Narrow, Probability, Saturate, Span};

use super::{
    Attempt, Control, ControlInputs, Ending, Ladder, Outcome, Peers, RateControl, check_period,
    positive,
};
use crate::phy::Mode;

/// A rate with a success probability below this has throughput 0 and few samples.
const POOR: f64 = 0.10;
/// A rate with a success probability above this counts as sure and has few samples.
const SURE: f64 = 0.95;
/// Maximum number of samples of a poor or sure rate per period.
const FEW_SAMPLES: u32 = 4;
/// Unused periods after which a slower rate is sampled in the first stage.
const STALE_PERIODS: u32 = 20;
/// Maximum time of the attempts of one stage.
const STAGE_TIME: Span = Span::from_millis(6);
/// Maximum number of attempts of one stage.
const STAGE_TRIES: u32 = 7;
/// Maximum number of attempts of a stage with a poor or sure rate.
const FEW_TRIES: u32 = 2;
/// Packets after which the counts of packets and samples restart.
const RESTART_PACKETS: u32 = 10_000;

/// Minstrel.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MinstrelConfig {
    /// Time between updates of the statistics.
    pub period: Span,
    /// Weight of the previous average in the moving average of the success ratio.
    pub ewma: Probability,
    /// Share of the packets that sample another rate.
    pub look_around: Probability,
    /// Number of random permutations in the table of samples.
    pub columns: u32,
    /// Length of the reference frame for throughputs, in bytes.
    pub packet_bytes: u32,
}

impl Default for MinstrelConfig {
    fn default() -> Self {
        Self {
            period: Span::from_millis(100),
            ewma: Probability::clamped(0.75),
            look_around: Probability::clamped(0.1),
            columns: 10,
            packet_bytes: 1200,
        }
    }
}

/// Statistics of one rate.
#[derive(Debug, Clone)]
struct RateStats {
    attempts: u32,
    successes: u32,
    probability: Option<f64>,
    throughput: f64,
    /// Attempts in a stage.
    tries: u32,
    /// Samples left in this period; `None` without a limit.
    samples_left: Option<u32>,
    unused_periods: u32,
}

impl RateStats {
    fn probability(&self) -> f64 {
        self.probability.unwrap_or(0.0)
    }
}

/// Retry chain of one packet: steps, and the number of attempts after which the next one follows.
type RetryChain = [(usize, u32); 4];

#[derive(Debug, Clone)]
struct State {
    rates: Vec<RateStats>,
    best: usize,
    second: usize,
    surest: usize,
    updated: Nanos,
    packets: u32,
    samples: u32,
    /// Samples in a second stage that was not reached yet.
    deferred: u32,
    /// Index into the table of samples.
    next: usize,
    /// By category: retry chain of the packet at the head; true if its second stage is a sample.
    chains: [(RetryChain, bool); 4],
}

/// Minstrel.
#[derive(Debug)]
pub struct Minstrel {
    config: MinstrelConfig,
    ladder: Ladder,
    /// Duration of the reference frame, and attempts that fit in a stage, by step.
    times: Vec<(Span, u32)>,
    /// Random permutations of the steps, one after the other.
    table: Vec<usize>,
    peers: Peers<State>,
}

impl Minstrel {
    /// Updates the statistics at the end of a period.
    fn update(config: &MinstrelConfig, times: &[(Span, u32)], state: &mut State) {
        for (rate, (time, tries)) in state.rates.iter_mut().zip(times) {
            if rate.attempts > 0 {
                let now = f64::from(rate.successes) / f64::from(rate.attempts);
                let w = config.ewma.get();
                rate.probability = Some(rate.probability.map_or(now, |p| w * p + (1.0 - w) * now));
                rate.unused_periods = 0;
            } else {
                rate.unused_periods = rate.unused_periods.saturating_add(1);
            }
            (rate.attempts, rate.successes) = (0, 0);
            let p = rate.probability();
            rate.throughput = if p < POOR { 0.0 } else { p * 1e9 / time.0 as f64 };
            let few = !(POOR..=SURE).contains(&p);
            rate.samples_left = few.then_some(FEW_SAMPLES);
            rate.tries = if few { (*tries).min(FEW_TRIES) } else { *tries };
        }
        let rates = &state.rates;
        let better =
            |a: usize, b: usize| if rates[b].throughput > rates[a].throughput { b } else { a };
        state.best = (0..rates.len()).reduce(better).unwrap_or(0);
        let others = (0..rates.len()).filter(|i| *i != state.best);
        state.second = others.reduce(better).unwrap_or(state.best);
        let sure = (0..rates.len()).filter(|i| rates[*i].probability() >= SURE);
        let likelier = |a: usize, b: usize| {
            if rates[b].probability() >= rates[a].probability() { b } else { a }
        };
        let likeliest = (0..rates.len()).reduce(likelier).unwrap_or(0);
        state.surest = sure.reduce(better).unwrap_or(likeliest);
    }

    /// The step to sample, and true if in the first stage; `None` for a packet without a sample.
    fn sample(
        config: &MinstrelConfig,
        times: &[(Span, u32)],
        table: &[usize],
        state: &mut State,
    ) -> Option<(usize, bool)> {
        state.packets += 1;
        let due = u32::saturate(f64::from(state.packets) * config.look_around.get());
        let behind = i64::from(due) - i64::from(state.samples + state.deferred / 2);
        if behind < 0 || config.look_around == Probability::ZERO {
            return None;
        }
        let max_behind = 2 * u32::narrow(times.len());
        if state.packets >= RESTART_PACKETS {
            (state.packets, state.samples, state.deferred) = (0, 0, 0);
        } else if behind > i64::from(max_behind) {
            // Avoids a burst of samples after a pause.
            state.samples += u32::narrow(behind).saturating_sub(max_behind);
        }
        let step = table[state.next];
        state.next = (state.next + 1) % table.len();
        if times[step].0 > times[state.best].0 && state.rates[step].unused_periods < STALE_PERIODS {
            state.deferred += 1;
            return Some((step, false));
        }
        let left = &mut state.rates[step].samples_left;
        if *left == Some(0) {
            return None;
        }
        *left = left.map(|n| n - 1);
        state.samples += 1;
        Some((step, true))
    }

    fn chain(state: &State, sample: Option<(usize, bool)>) -> RetryChain {
        let steps = match sample {
            None => [state.best, state.second, state.surest, 0],
            Some((step, true)) => [step, state.best, state.surest, 0],
            Some((step, false)) => [state.best, step, state.surest, 0],
        };
        let mut until = 0;
        steps.map(|step| {
            until += state.rates[step].tries;
            (step, until)
        })
    }
}

impl RateControl for Minstrel {
    fn learns_from_receptions(&self) -> bool {
        false
    }

    fn on_packet(&mut self, first: &Attempt) {
        let state = self.peers.get_mut(first.to);
        if first.now >= state.updated + self.config.period {
            Self::update(&self.config, &self.times, state);
            state.updated = first.now;
        }
        let sample = Self::sample(&self.config, &self.times, &self.table, state);
        let chain = Self::chain(state, sample);
        state.chains[usize::from(first.category) % 4] = (chain, matches!(sample, Some((_, false))));
    }

    fn pick(&self, attempt: &Attempt) -> Mode {
        let (chain, _) = &self.peers.get(attempt.to).chains[usize::from(attempt.category) % 4];
        let stage = chain.iter().find(|(_, until)| attempt.number < *until);
        self.ladder.mode(stage.map_or(0, |(step, _)| *step))
    }

    fn on_result(&mut self, outcome: &Outcome) {
        if outcome.ending == Ending::NoCts {
            return;
        }
        let Some(step) = self.ladder.step(outcome.mode) else { return };
        let attempt = &outcome.attempt;
        let state = self.peers.get_mut(attempt.to);
        let rate = &mut state.rates[step];
        rate.attempts += outcome.mpdus;
        rate.successes += outcome.acknowledged;
        if outcome.ending == Ending::NoAck && !outcome.given_up {
            return;
        }
        let (chain, deferred) = state.chains[usize::from(attempt.category) % 4];
        if deferred && attempt.number >= chain[0].1 {
            state.samples += 1;
        }
        state.deferred = state.deferred.saturating_sub(1);
    }
}

/// Number of attempts that fit in the time of a stage, with the back-offs between them.
fn tries(mode: Mode, inputs: &ControlInputs<'_>, bytes: u32) -> u32 {
    let timing = inputs.context.timing;
    let one = timing.frame(mode, bytes) + timing.ack(mode);
    let (mut tries, mut cw, mut total) = (1, timing.standard.cw_min(), one);
    loop {
        total = total + one + Span(timing.slot.0 * u64::from(cw) / 2);
        if total >= STAGE_TIME || tries >= STAGE_TRIES {
            return tries;
        }
        cw = (2 * cw + 1).min(timing.standard.cw_max());
        tries += 1;
    }
}

impl Control for Minstrel {
    type Config = MinstrelConfig;

    fn build(config: &MinstrelConfig, inputs: &ControlInputs<'_>) -> Result<Self, ConfigError> {
        positive("packet_bytes", config.packet_bytes)?;
        if !(1..=1_000).contains(&config.columns) {
            let message = format!("is {}: expected 1 to 1000", config.columns);
            return Err(ConfigError::new("columns", message));
        }
        check_period(config.period)?;
        if config.ewma == Probability::ONE {
            return Err(ConfigError::new("ewma", "is 1: expected smaller values"));
        }
        let time = |mode: &Mode| {
            let frame = inputs.context.timing.frame(*mode, config.packet_bytes);
            (frame, tries(*mode, inputs, config.packet_bytes))
        };
        let times: Vec<(Span, u32)> = inputs.ladder.modes().iter().map(time).collect();
        let fresh = |(_, tries): &(Span, u32)| RateStats {
            attempts: 0,
            successes: 0,
            probability: None,
            throughput: 0.0,
            tries: *tries,
            samples_left: None,
            unused_periods: 0,
        };
        let start = inputs.start.unwrap_or(0);
        let state = State {
            rates: times.iter().map(fresh).collect(),
            best: start,
            second: start,
            surest: start,
            updated: Nanos::ZERO,
            packets: 0,
            samples: 0,
            deferred: 0,
            next: 0,
            chains: [([(start, 1); 4], false); 4],
        };
        let mut random = inputs.context.seed.stream(inputs.context.label);
        let permutations = (0..config.columns).flat_map(|_| permutation(times.len(), &mut random));
        Ok(Self {
            config: config.clone(),
            ladder: inputs.ladder.clone(),
            table: permutations.collect(),
            times,
            peers: Peers::new(state),
        })
    }

    #[cfg(test)]
    fn samples() -> Vec<MinstrelConfig> {
        let half = MinstrelConfig { look_around: Probability::clamped(0.5), ..Default::default() };
        vec![MinstrelConfig::default(), half]
    }
}

/// A random permutation of the numbers below `n`.
pub(super) fn permutation(n: usize, random: &mut Stream) -> Vec<usize> {
    let mut all: Vec<usize> = (0..n).collect();
    for i in (1..n).rev() {
        all.swap(i, usize::narrow(random.below(i as u64 + 1)));
    }
    all
}

#[cfg(test)]
#[path = "minstrel/tests.rs"]
mod tests;
