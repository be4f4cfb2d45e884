//! Pairs of arrivals while the bottleneck is busy, and the mode of their slopes.
//!
//! A step between successive triggers is *busy* if nothing between them was lost and each packet found a backlog. Each
//! pair of triggers of a run of busy steps gives a slope, the time by the bits between them. Undisturbed pairs agree
//! to the resolution of the clock, disturbed ones smear. So the mode stands even where most pairs are disturbed
//! (Paxson, ToN 7(3), 1999, for bunches of packets; Dovrolis, Ramanathan and Moore, ToN 12(6), 2004, for modes).

use airtcp_units::detmath;

use super::transmissions::{Fate, Transmissions};

/// Most triggers of a run.
const LONGEST: usize = 60;
/// Time below which a step of one packet is no delayed ACK.
const UNDELAYED_S: f64 = 0.02;
/// Width of the mode in log slope.
const WIDTH: f64 = 0.03;
/// Most pairs; if there are more, runs are left out evenly.
const MOST_PAIRS: usize = 2_000_000;

/// A run of busy steps.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Run {
    /// Bits sent up to each trigger, and its arrival.
    pub(super) points: Vec<(f64, f64)>,
    /// Packets after the first trigger.
    pub(super) packets: usize,
}

impl Run {
    pub(super) fn bits(&self) -> f64 {
        self.ends(|point| point.0)
    }

    pub(super) fn seconds(&self) -> f64 {
        self.ends(|point| point.1)
    }

    pub(super) fn rate_bps(&self) -> f64 {
        self.bits() / self.seconds().max(1e-9)
    }

    fn ends(&self, of: impl Fn(&(f64, f64)) -> f64) -> f64 {
        let (first, last) = (self.points.first(), self.points.last());
        first.zip(last).map_or(0.0, |(first, last)| of(last) - of(first))
    }
}

/// The runs in which each packet finds a backlog of `least` packets or more.
pub(super) fn runs(sent: &Transmissions, early: &[u64], least: u64) -> Vec<Run> {
    let triggers = sent.triggers();
    let (mut bits, mut bad) = (vec![0.0], vec![0usize]);
    for (packet, backlog) in sent.list.iter().zip(early) {
        let is_bad = *backlog < least || packet.fate != Fate::Delivered;
        bits.push(bits[bits.len() - 1] + 8.0 * packet.bytes);
        bad.push(bad[bad.len() - 1] + usize::from(is_bad));
    }
    let arrival = |place: usize| sent.list[place].acked_s.unwrap_or(0.0);
    let is_busy = |from: usize, to: usize| {
        let step = arrival(to) - arrival(from);
        bad[to + 1] == bad[from + 1]
            && (to - from > 1 || sent.list[to].is_immediate || step < UNDELAYED_S)
    };
    let mut found = Vec::new();
    let mut first = 0;
    while first + 1 < triggers.len() {
        let mut last = first;
        while last + 1 < triggers.len()
            && last - first < LONGEST
            && is_busy(triggers[last], triggers[last + 1])
        {
            last += 1;
        }
        if last >= first + 2 {
            let points = triggers[first..=last].iter().map(|t| (bits[t + 1], arrival(*t)));
            let packets = triggers[last] - triggers[first];
            found.push(Run { points: points.collect(), packets });
        }
        first = last.max(first + 1);
    }
    found
}

/// A pair of triggers of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Slope {
    /// Logarithm of the rate in bit/s.
    pub(super) log_rate: f64,
    /// Square of the bits by the triggers of the run: long pairs are exact, and long runs do not decide alone.
    pub(super) weight: f64,
    /// Its run.
    pub(super) run: usize,
}

/// The slopes of all pairs with at least so many bits between them, in the order of the rates.
pub(super) fn slopes(runs: &[Run], least_bits: f64) -> Vec<Slope> {
    let all: usize = runs.iter().map(|run| run.points.len() * run.points.len() / 2).sum();
    let every = all.div_ceil(MOST_PAIRS).max(1);
    let mut found = Vec::new();
    for (number, run) in runs.iter().enumerate().step_by(every) {
        for (place, (bits, at)) in run.points.iter().enumerate() {
            for (further, later) in &run.points[place + 1..] {
                let (more, seconds) = (further - bits, later - at);
                if more >= least_bits && seconds > 0.0 {
                    found.push(Slope {
                        log_rate: detmath::ln(more / seconds),
                        weight: more * more / run.points.len() as f64 / 1e10,
                        run: number,
                    });
                }
            }
        }
    }
    found.sort_by(|a, b| a.log_rate.total_cmp(&b.log_rate));
    found
}

/// The mode of the slopes: the weighted median in the narrow interval that has most weight, in bit/s, and the part of
/// the weight in it.
pub(super) fn mode(slopes: &[Slope]) -> Option<(f64, f64)> {
    let total: f64 = slopes.iter().map(|slope| slope.weight).sum();
    let (mut best, mut inside, mut end) = ((0.0, 0, 0), 0.0, 0);
    for (begin, slope) in slopes.iter().enumerate() {
        while let Some(next) = slopes.get(end)
            && next.log_rate <= slope.log_rate + WIDTH
        {
            inside += next.weight;
            end += 1;
        }
        if inside > best.0 {
            best = (inside, begin, end);
        }
        inside -= slope.weight;
    }
    let (weight, begin, end) = best;
    let mut half = weight / 2.0;
    let middle = slopes[begin..end].iter().find(|slope| {
        half -= slope.weight;
        half <= 0.0
    })?;
    Some((detmath::exp(middle.log_rate), weight / total))
}

#[cfg(test)]
mod tests {
    use airtcp_units::Saturate as _;

    use super::*;

    fn run(times_ms: impl Iterator<Item = f64>) -> Run {
        let points: Vec<(f64, f64)> =
            times_ms.enumerate().map(|(n, t)| (12_000.0 * n as f64, t / 1e3)).collect();
        let packets = points.len() - 1;
        Run { points, packets }
    }

    /// Unit test 12 of the design: 20 packets at 10 Mb/s, 6 of them 3 ms late, and 8 of them moved at random.
    #[test]
    fn the_mode_stands_beside_disturbed_arrivals() {
        let least = 4.0 * 12_000.0;
        let moved = |n: usize| 1.2 * n as f64 + if n % 3 == 1 && n < 18 { 3.0 } else { 0.0 };
        let (rate, _) = mode(&slopes(&[run((0..20).map(moved))], least)).unwrap();
        assert!((rate / 1e7 - 1.0).abs() < 0.005, "{rate}");
        let mut state = 7u64;
        let mut draw = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64 / f64::from(1u32 << 31)
        };
        let mut right = 0;
        for _ in 0..200 {
            let mut times: Vec<f64> = (0..20).map(|n| 1.2 * f64::from(n)).collect();
            let mut places: Vec<usize> = (0..20).collect();
            for k in 0..8 {
                let other = k + usize::saturate(draw() * (20 - k) as f64);
                places.swap(k, other.min(19));
                times[places[k]] += 4.5 * draw() - 1.5;
            }
            let (rate, _) = mode(&slopes(&[run(times.into_iter())], least)).unwrap();
            right += u32::from((rate / 1e7 - 1.0).abs() < 0.01);
        }
        assert!(right >= 194, "{right} of 200");
    }

    #[test]
    fn nothing_has_no_mode() {
        assert_eq!(mode(&slopes(&[], 1.0)), None);
    }
}
