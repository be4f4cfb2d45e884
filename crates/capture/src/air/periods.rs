//! Periodic losses of a link, as interferers make them: microwave ovens (half a cycle of the mains),
//! Bluetooth voice, access points that poll.
//!
//! `Z(f) = sum (x - p) exp(-2 pi i f t)` over the attempts, where `x` is 1 for a lost one and `p` their
//! mean, does not depend on when the attempts are made. Without a period, `|Z|^2 / (n p (1 - p))` is
//! exponential with mean 1 if losses are independent. Losses in bursts raise it at all frequencies of
//! a neighbourhood, so it is divided by its mean there. Its sum over segments of 8 s has a gamma
//! distribution, which gives the probability without a period; it is multiplied by the number of
//! frequencies that are tried.
//!
//! An access point that polls is deaf for a few ms of each period, of which the length is not known (S4:
//! 2 s). All attempts fail meanwhile: an outage. An outage is a run of lost attempts so long that
//! independent losses make at most five such runs in the capture. Rayleigh's test looks for a period of
//! their starts, as of the losses of TCP.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use airtcp_units::detmath;

use crate::tcp::period;

/// Length of a segment, within which the phase of an interferer must be steady.
const SEGMENT_NS: u64 = 8_000_000_000;
/// Segments that are added up.
const MAX_SEGMENTS: usize = 256;
/// Fewest attempts, and fewest lost ones.
const MIN_ATTEMPTS: usize = 500;
const MIN_LOST: usize = 50;
/// Distance of the frequencies of the neighbourhood in Hz, and their number on each side.
const STEP_HZ: f64 = 0.9;
const NEIGHBOURS: u32 = 8;
/// Largest probability that counts as a period.
const SIGNIFICANT: f64 = 0.001;
/// A period is left out if it has less than this share of the power of another one.
const WEAK: f64 = 0.1;
/// Fewest lost attempts of an outage.
const SHORTEST_OUTAGE: u32 = 3;
/// Runs of as many lost attempts that independent losses may make.
const OUTAGES_BY_CHANCE: f64 = 5.0;
/// Outages of which the starts are tested.
const MAX_OUTAGES: usize = 512;
/// What is looked for, by frequency in Hz.
const PATTERNS: [(Pattern, f64); 4] = [
    (Pattern::Mains50Hz, 50.0),
    (Pattern::Mains60Hz, 60.0),
    (Pattern::BluetoothHv3, 1e6 / 3750.0),
    (Pattern::BluetoothHv1, 1e6 / 1250.0),
];

/// What causes periodic losses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Pattern {
    /// A microwave oven on mains of 50 Hz.
    #[serde(rename = "mains_50hz")]
    Mains50Hz,
    /// A microwave oven on mains of 60 Hz.
    #[serde(rename = "mains_60hz")]
    Mains60Hz,
    /// Bluetooth voice with a packet each 3.75 ms.
    #[serde(rename = "bluetooth_hv3")]
    BluetoothHv3,
    /// Bluetooth voice with a packet each 1.25 ms.
    #[serde(rename = "bluetooth_hv1")]
    BluetoothHv1,
    /// Outages with a period of their own, as of an access point that polls.
    #[serde(rename = "polling")]
    Polling,
}

/// A period of the losses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LossPeriod {
    /// Its likely cause.
    pub pattern: Pattern,
    /// The period in s.
    pub period_s: f64,
    /// Probability of as strong a period by chance, for all patterns that were tried.
    pub p_value: f64,
    /// Loss in the worst half of the period, and in the other half.
    pub loss_by_half: [f64; 2],
}

/// Significant periods of the losses. `outcomes` has time in ns and whether the attempt arrived.
pub(crate) fn periods(outcomes: &[(u64, bool)]) -> Vec<LossPeriod> {
    let lost = outcomes.iter().filter(|(_, arrived)| !*arrived).count();
    if outcomes.len() < MIN_ATTEMPTS || lost < MIN_LOST || lost == outcomes.len() {
        return Vec::new();
    }
    let loss = lost as f64 / outcomes.len() as f64;
    let begin = outcomes[0].0;
    let number = |(ns, _): &(u64, bool)| ns.saturating_sub(begin) / SEGMENT_NS;
    let segments: Vec<&[(u64, bool)]> =
        outcomes.chunk_by(|a, b| number(a) == number(b)).take(MAX_SEGMENTS).collect();
    let count = segments.len() as f64;
    let mut found: Vec<(f64, LossPeriod)> = Vec::new();
    for (pattern, hz) in PATTERNS {
        let power = |hz: f64| -> f64 { segments.iter().map(|s| power(s, hz, loss)).sum() };
        let around = (1..=NEIGHBOURS).map(|k| f64::from(k) * STEP_HZ);
        let sum: f64 = around.map(|off| power(hz - off) + power(hz + off)).sum();
        let background = (sum / f64::from(2 * NEIGHBOURS) / count).max(1.0);
        let strength = power(hz) / background;
        let p_value = (PATTERNS.len() as f64 * tail(segments.len(), strength)).min(1.0);
        if p_value < SIGNIFICANT {
            let loss_by_half = by_half(&segments, hz, loss);
            found.push((
                strength,
                LossPeriod { pattern, period_s: 1.0 / hz, p_value, loss_by_half },
            ));
        }
    }
    let mut found = main_ones(found);
    found.extend(polling(outcomes, loss));
    found
}

/// A period of the outages.
fn polling(outcomes: &[(u64, bool)], loss: f64) -> Option<LossPeriod> {
    let starts = outages(outcomes, loss);
    let first = *starts.first()?;
    let seconds: Vec<f64> =
        starts.iter().map(|start| start.saturating_sub(first) as f64 / 1e9).collect();
    let clock = period(&seconds).filter(|clock| clock.p_value < SIGNIFICANT)?;
    Some(LossPeriod {
        pattern: Pattern::Polling,
        period_s: clock.period_s,
        p_value: clock.p_value,
        loss_by_half: by_half(&[outcomes], 1.0 / clock.period_s, loss),
    })
}

/// The starts of runs of lost attempts, of more than chance makes.
fn outages(outcomes: &[(u64, bool)], loss: f64) -> Vec<u64> {
    let mut length = SHORTEST_OUTAGE as usize;
    let begun = outcomes.len() as f64 * (1.0 - loss);
    let mut expected = begun * loss * loss * loss;
    while expected > OUTAGES_BY_CHANCE && length < outcomes.len() {
        expected *= loss;
        length += 1;
    }
    let runs = outcomes.chunk_by(|a, b| a.1 == b.1);
    let outages = runs.filter(|run| !run[0].1 && run.len() >= length).map(|run| run[0].0);
    outages.take(MAX_OUTAGES).collect()
}

/// Without the periods that others explain: those that are much weaker, as the products of an
/// interferer's period with those of the traffic are, and the third harmonic of Bluetooth voice, which
/// is the frequency of its other kind.
fn main_ones(mut found: Vec<(f64, LossPeriod)>) -> Vec<LossPeriod> {
    let most = found.iter().map(|(strength, _)| *strength).fold(0.0, f64::max);
    found.retain(|(strength, _)| *strength >= WEAK * most);
    if found.iter().any(|(_, period)| period.pattern == Pattern::BluetoothHv3) {
        found.retain(|(_, period)| period.pattern != Pattern::BluetoothHv1);
    }
    found.into_iter().map(|(_, period)| period).collect()
}

/// `Z(f)` of a segment.
fn transform(segment: &[(u64, bool)], hz: f64, loss: f64) -> (f64, f64) {
    let begin = segment[0].0;
    let mut sum = (0.0, 0.0);
    for (ns, arrived) in segment {
        let angle = phase(*ns, begin, hz) * std::f64::consts::TAU;
        let x = f64::from(u8::from(!*arrived)) - loss;
        sum.0 += x * detmath::cos(angle);
        sum.1 -= x * detmath::sin(angle);
    }
    sum
}

/// Part of the period that has passed at a time.
fn phase(ns: u64, begin: u64, hz: f64) -> f64 {
    (ns.saturating_sub(begin) as f64 / 1e9 * hz).fract()
}

fn power(segment: &[(u64, bool)], hz: f64, loss: f64) -> f64 {
    let (re, im) = transform(segment, hz, loss);
    (re * re + im * im) / (segment.len() as f64 * loss * (1.0 - loss))
}

/// Loss in the half period around the phase of most losses, and in the other half.
fn by_half(segments: &[&[(u64, bool)]], hz: f64, loss: f64) -> [f64; 2] {
    let mut counts = [(0.0, 0.0); 2];
    for segment in segments {
        let (re, im) = transform(segment, hz, loss);
        let size = (re * re + im * im).sqrt().max(f64::MIN_POSITIVE);
        for (ns, arrived) in *segment {
            let angle = phase(*ns, segment[0].0, hz) * std::f64::consts::TAU;
            // The cosine of the distance from the phase of most losses.
            let near = (detmath::cos(angle) * re - detmath::sin(angle) * im) / size;
            let half = &mut counts[usize::from(near < 0.0)];
            half.0 += f64::from(u8::from(!*arrived));
            half.1 += 1.0;
        }
    }
    counts.map(|(lost, all): (f64, f64)| if all > 0.0 { lost / all } else { 0.0 })
}

/// Probability that the sum of `count` exponential variables of mean 1 exceeds `sum`.
fn tail(count: usize, sum: f64) -> f64 {
    let (mut term, mut all) = (-sum, 0.0f64);
    let mut k = 0.0;
    for _ in 0..count {
        all += detmath::exp(term);
        k += 1.0;
        term += detmath::ln(sum.max(f64::MIN_POSITIVE)) - detmath::ln(k);
    }
    all.min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Attempts about each 2 ms for 16 s, lost with probability `on` in the first part `duty` of each
    /// period and with `off` otherwise. The generator is SplitMix64 (Steele et al., OOPSLA 2014).
    fn attempts(period_us: u64, duty: f64, on: f64, off: f64, seed: u64) -> Vec<(u64, bool)> {
        let mut state = seed;
        let mut random = || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = state;
            z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((z ^ z >> 31) >> 11) as f64 / (1u64 << 53) as f64
        };
        let (mut us, mut found) = (7_000_000_000u64, Vec::new());
        while us < 7_016_000_000 {
            let is_on = (us % period_us) as f64 / (period_us as f64) < duty;
            let lost = random() < if is_on { on } else { off };
            found.push((us * 1000, !lost));
            let gap: u64 = airtcp_units::Saturate::saturate(random() * 3000.0);
            us += 500 + gap;
        }
        found
    }

    #[test]
    fn interferers_with_periods_are_found() {
        for (period, pattern) in [
            (20_000, Pattern::Mains50Hz),
            (1250, Pattern::BluetoothHv1),
            (3750, Pattern::BluetoothHv3),
        ] {
            let found = periods(&attempts(period, 0.5, 0.5, 0.1, 3));
            assert_eq!(found.len(), 1, "{found:?}");
            assert_eq!(found[0].pattern, pattern);
            let [worse, better] = found[0].loss_by_half;
            assert!((worse - 0.5).abs() < 0.03 && (better - 0.1).abs() < 0.03, "{found:?}");
        }
    }

    /// Deaf for 20 ms of every 2 s, as in `scenarios/polling-access-point.toml`, for 112 s, beside other
    /// losses. The same outages at another time of each 2 s have no period.
    #[test]
    fn an_access_point_that_polls_is_found() {
        let polling = |outcomes: &[(u64, bool)]| {
            let found = periods(outcomes).into_iter();
            found.filter(|p| p.pattern == Pattern::Polling).map(|p| p.period_s).collect::<Vec<_>>()
        };
        for seed in 0..8u64 {
            let parts = (0..7).flat_map(|part| {
                let again = attempts(2_000_000, 0.01, 1.0, 0.1, seed + 100 * part);
                again.into_iter().map(move |(ns, ok)| (ns + part * 16_000_000_000, ok))
            });
            let mut outcomes: Vec<(u64, bool)> = parts.collect();
            let found = polling(&outcomes);
            assert!(found.len() == 1 && (found[0] - 2.0).abs() < 0.02, "{found:?}");
            for (ns, _) in &mut outcomes {
                let beat = *ns / 2_000_000_000;
                let turn = (beat * beat * 617 + seed * 911) % 1980 * 1_000_000;
                *ns = beat * 2_000_000_000 + (*ns + turn) % 2_000_000_000;
            }
            outcomes.sort_unstable();
            assert!(polling(&outcomes).is_empty(), "{seed}");
        }
    }

    #[test]
    fn losses_without_period_or_with_another_one_are_not() {
        let mut significant = 0;
        for seed in 0..12 {
            significant += periods(&attempts(20_000, 1.0, 0.3, 0.0, seed)).len();
        }
        assert_eq!(significant, 0);
        // 55 Hz is none of the patterns; bursts of 0.3 s raise all low frequencies, and have a period of
        // their own.
        assert!(periods(&attempts(18_182, 0.5, 0.5, 0.1, 5)).is_empty());
        let bursts = periods(&attempts(611_000, 0.5, 0.9, 0.1, 5));
        assert!(bursts.len() == 1 && bursts[0].pattern == Pattern::Polling, "{bursts:?}");
        assert!((bursts[0].period_s / 0.611 - 1.0).abs() < 0.02, "{bursts:?}");
        assert!(periods(&[]).is_empty());
    }

    #[test]
    fn the_tail_of_a_sum() {
        // exp(-2); (1 + 3) exp(-3).
        assert!((tail(1, 2.0) - 0.135_335).abs() < 1e-6);
        assert!((tail(2, 3.0) - 0.199_148).abs() < 1e-6);
    }
}
