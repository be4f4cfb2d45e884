//! Minstrel: statistics of every rate, and a tenth of the packets to look around.
//!
//! ```text
//! every `period`, with a packet, for each rate that was used:
//!   P <- w P + (1 - w) successes / attempts            (P starts as the first such ratio)
//!   throughput = P / time of a frame of `packet_bytes`, 0 if P < 10 %
//! best, second      the two rates with the most throughput
//! surest            of those with P >= 95 % the one with most throughput, else the greatest P
//! a packet's chain  best, second, surest, lowest, each for the attempts that fit in 6 ms
//! look-around       sample, best, surest, lowest, or, if the sample is slower than the best,
//!                   best, sample, surest, lowest
//! ```
//! The rates to sample come from a table of `columns` random orders of all rates, one after the
//! other. A packet looks around when the samples taken are behind `look_around` of the packets.
//! Rates below 10 % or above 95 % are sampled in the first place four times a period at most, and
//! get at most two attempts in a chain. A slower rate that has not been used for 20 periods is sampled in the
//! first place.
//!
//! Source: Smithies' description in `MadWifi` (2005) and Linux `rc80211_minstrel` (2013 to 2018),
//! after which ns-3's `MinstrelWifiManager` is written. Left out: RTS in the retry counts, and the
//! later rule of Linux by which a sample of the best rate itself is skipped.

use airtcp_probe::ConfigError;
use airtcp_random::Stream;
use airtcp_units::{Nanos, Narrow, Probability, Saturate, Span};

use super::{Attempt, Control, ControlInputs, Ladder, Outcome, Peers, RateControl, positive};
use crate::phy::Mode;

/// Below this success a rate has no throughput, and is seldom sampled.
const POOR: f64 = 0.10;
/// Above this success a rate counts as sure, and is seldom sampled.
const SURE: f64 = 0.95;
/// Samples of a poor or sure rate in a period.
const SELDOM: u32 = 4;
/// Periods without use after which a slower rate is sampled in the first place.
const STALE: u32 = 20;
/// Time that the attempts of one stage may take.
const STAGE_TIME: Span = Span::from_millis(6);
/// Most attempts of one stage.
const STAGE_TRIES: u32 = 7;
/// Attempts of a stage whose rate is poor or sure.
const FEW_TRIES: u32 = 2;
/// Packets after which the counts of packets and samples begin anew.
const FORGET: u32 = 10_000;

/// Minstrel.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MinstrelConfig {
    /// Time between updates of the statistics.
    pub period: Span,
    /// Weight of the past.
    pub ewma: Probability,
    /// Share of the packets that look around.
    pub look_around: Probability,
    /// Orders in the table of samples.
    pub columns: u32,
    /// Length of the frame by which throughputs are compared, in bytes.
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

/// What is known of one rate.
#[derive(Debug, Clone)]
struct Known {
    attempts: u32,
    successes: u32,
    probability: Option<f64>,
    throughput: f64,
    /// Attempts in a chain.
    tries: u32,
    /// Samples left in this period, if they are limited.
    samples_left: Option<u32>,
    unused: u32,
}

impl Known {
    fn probability(&self) -> f64 {
        self.probability.unwrap_or(0.0)
    }
}

/// The chain of one packet: steps, and the attempts after which the next one follows.
type Plan = [(usize, u32); 4];

#[derive(Debug, Clone)]
struct State {
    rates: Vec<Known>,
    best: usize,
    second: usize,
    surest: usize,
    updated: Nanos,
    packets: u32,
    samples: u32,
    /// Look-arounds in the second place that have not been used yet.
    deferred: u32,
    /// Place in the table of samples.
    next: usize,
    /// By category: the chain of the packet at its head, and whether its second stage is a sample.
    plans: [(Plan, bool); 4],
}

/// Minstrel.
#[derive(Debug)]
pub struct Minstrel {
    config: MinstrelConfig,
    ladder: Ladder,
    /// Duration of the reference frame, and attempts that fit in a stage, by step.
    times: Vec<(Span, u32)>,
    /// Random orders of the steps, one after the other.
    table: Vec<usize>,
    peers: Peers<State>,
}

impl Minstrel {
    /// A period is over.
    fn update(config: &MinstrelConfig, times: &[(Span, u32)], state: &mut State) {
        for (rate, (time, tries)) in state.rates.iter_mut().zip(times) {
            if rate.attempts > 0 {
                let now = f64::from(rate.successes) / f64::from(rate.attempts);
                let w = config.ewma.get();
                rate.probability = Some(rate.probability.map_or(now, |p| w * p + (1.0 - w) * now));
                rate.unused = 0;
            } else {
                rate.unused = rate.unused.saturating_add(1);
            }
            (rate.attempts, rate.successes) = (0, 0);
            let p = rate.probability();
            rate.throughput = if p < POOR { 0.0 } else { p * 1e9 / time.0 as f64 };
            let seldom = !(POOR..=SURE).contains(&p);
            rate.samples_left = seldom.then_some(SELDOM);
            rate.tries = if seldom { (*tries).min(FEW_TRIES) } else { *tries };
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

    /// The step to look around with, and whether in the first place; `None` for a plain packet.
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
        let most = 2 * u32::narrow(times.len());
        if state.packets >= FORGET {
            (state.packets, state.samples, state.deferred) = (0, 0, 0);
        } else if behind > i64::from(most) {
            // No burst of samples to make up for those missed.
            state.samples += u32::narrow(behind).saturating_sub(most);
        }
        let step = table[state.next];
        state.next = (state.next + 1) % table.len();
        if times[step].0 > times[state.best].0 && state.rates[step].unused < STALE {
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

    fn plan(state: &State, sample: Option<(usize, bool)>) -> Plan {
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
    fn on_packet(&mut self, first: &Attempt) {
        let state = self.peers.get_mut(first.to);
        if first.now >= state.updated + self.config.period {
            Self::update(&self.config, &self.times, state);
            state.updated = first.now;
        }
        let sample = Self::sample(&self.config, &self.times, &self.table, state);
        let plan = Self::plan(state, sample);
        state.plans[usize::from(first.category) % 4] = (plan, matches!(sample, Some((_, false))));
    }

    fn pick(&self, attempt: &Attempt) -> Mode {
        let (plan, _) = &self.peers.get(attempt.to).plans[usize::from(attempt.category) % 4];
        let stage = plan.iter().find(|(_, until)| attempt.number < *until);
        self.ladder.mode(stage.map_or(0, |(step, _)| *step))
    }

    fn on_result(&mut self, outcome: &Outcome) {
        let Some(acknowledged) = outcome.acknowledged() else { return };
        let Some(step) = self.ladder.step(outcome.mode) else { return };
        let attempt = &outcome.attempt;
        let state = self.peers.get_mut(attempt.to);
        let rate = &mut state.rates[step];
        rate.attempts += 1;
        rate.successes += u32::from(acknowledged);
        if !acknowledged && !outcome.given_up {
            return;
        }
        let (plan, deferred) = state.plans[usize::from(attempt.category) % 4];
        if deferred && attempt.number >= plan[0].1 {
            state.samples += 1;
        }
        state.deferred = state.deferred.saturating_sub(1);
    }
}

/// Attempts of a frame that fit in the time of a stage, the back-offs between them included.
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
            let message = format!("is {}: accepted are 1 to 1000", config.columns);
            return Err(ConfigError::new("columns", message));
        }
        if config.period == Span::ZERO {
            return Err(ConfigError::new("period", "is 0: a period lasts"));
        }
        if config.ewma == Probability::ONE {
            return Err(ConfigError::new("ewma", "is 1: nothing would ever be learnt"));
        }
        let time = |mode: &Mode| {
            let frame = inputs.context.timing.frame(*mode, config.packet_bytes);
            (frame, tries(*mode, inputs, config.packet_bytes))
        };
        let times: Vec<(Span, u32)> = inputs.ladder.modes().iter().map(time).collect();
        let fresh = |(_, tries): &(Span, u32)| Known {
            attempts: 0,
            successes: 0,
            probability: None,
            throughput: 0.0,
            tries: *tries,
            samples_left: None,
            unused: 0,
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
            plans: [([(start, 1); 4], false); 4],
        };
        let mut random = inputs.context.seed.stream(inputs.context.label);
        let orders = (0..config.columns).flat_map(|_| order(times.len(), &mut random));
        Ok(Self {
            config: config.clone(),
            ladder: inputs.ladder.clone(),
            table: orders.collect(),
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

/// A random order of the numbers below `n`.
fn order(n: usize, random: &mut Stream) -> Vec<usize> {
    let mut all: Vec<usize> = (0..n).collect();
    for i in (1..n).rev() {
        all.swap(i, usize::narrow(random.below(i as u64 + 1)));
    }
    all
}

#[cfg(test)]
#[path = "minstrel/tests.rs"]
mod tests;
