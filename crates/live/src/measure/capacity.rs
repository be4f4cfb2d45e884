//! The capacity of a direction, from how far apart the probes of bursts arrive.
//!
//! Probes that are sent back to back leave the narrowest link at its rate. Every two probes of a burst between which
//! nothing was lost or overtaken, and that are at least 4 apart, give a slope: time per bit. Slopes that nothing
//! disturbed agree, and disturbed ones differ from each other. So the capacity is the weighted median of the slopes in
//! the interval of 3 % that has the most weight, where a slope weighs as the square of its bits
//! (Paxson, ToN 7(3), 1999; Dovrolis, Ramanathan, Moore, ToN 12(6), 2004, for the mode).
//!
//! A link that hands over several packets at once, as aggregates of 802.11 do, spreads nothing. Its bursts have a rate
//! only as wholes: their bits over the time from the first that is sent to the last that arrives, less the least delay.

use airtcp_units::{Narrow as _, Saturate as _, detmath};
use serde::Serialize;

use super::arrivals::Arrival;
use super::delay::UNIT;
use super::plan::{BURST, BURST_PROBE};

/// Probes between two that give a slope, at least.
const APART: usize = 4;
/// Width of the interval around the mode.
const WIDE: f64 = 0.03;
/// A burst whose rate differs by less agrees with the capacity.
const AGREES: f64 = 0.1;
/// Probes of a run that has a rate of its own.
const RUN: usize = 8;
/// Probes that arrive at this share of the rate that they were sent at, or more, met no narrower link.
const NOT_SPREAD: f64 = 0.8;
/// Probes that arrive faster than they were sent by this factor were handed over together.
const TOGETHER: f64 = 1.25;
/// A step of less than this share of the mean step of its run is one of probes handed over together.
const SHORT: f64 = 0.25;

/// What bursts say of a direction.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Capacity {
    /// Bits of IP packets in a second.
    pub bps: f64,
    /// `steady`; `varying` if bursts differ or arrive in batches, so that the interval is a range; `at least` if the path
    /// did not spread the bursts, so that they were as fast as their sender.
    pub kind: &'static str,
    /// An interval of two standard errors, or the range of nine tenths of the bursts.
    pub interval_bps: (f64, f64),
    /// Share of the weight of all slopes within 3 %.
    pub support: f64,
    /// Bursts of which enough arrived.
    pub bursts: usize,
    /// Bits per second at which the sender sent: the median of the bursts.
    pub sent_bps: f64,
    /// Each burst: seconds since the measurement began, by the receiver's clock, and bits per second.
    pub over_time: Vec<(f64, f64)>,
}

/// A slope, as the logarithm of a rate.
struct Slope {
    log_bps: f64,
    bps: f64,
    weight: f64,
}

/// What these arrivals of bursts say; nothing without a run of probes in order. The sender's system took `pace` probes a second;
/// 0 if it is not known.
pub(super) fn capacity(arrivals: &[Arrival], headers: u32, pace: u32) -> Option<Capacity> {
    let bits = 8.0 * (BURST_PROBE as f64 + f64::from(headers));
    let runs = runs(arrivals);
    let mut slopes: Vec<Slope> = runs.iter().flat_map(|run| pairs(run, bits)).collect();
    slopes.sort_by(|a, b| a.bps.total_cmp(&b.bps));
    if !runs.iter().any(|run| run.len() > APART) {
        return None;
    }
    // Without a slope, all arrived at once.
    let (bps, support) = mode(&slopes).unwrap_or((f64::INFINITY, 0.0));
    let each = |at: fn(&Arrival) -> u32| -> Vec<(f64, f64)> {
        runs.iter().filter_map(|run| rate(run, bits, at)).collect()
    };
    let over_time = each(|a| a.at);
    let (rates, sent) = (in_order(&over_time), in_order(&each(|a| a.sent)));
    let taken = if pace > 0 { bits * f64::from(pace) } else { f64::INFINITY };
    let sent_bps = quantile(&sent, 0.5).unwrap_or(bps).min(taken);
    let found = |bps: f64, kind, interval_bps, over_time: Vec<(f64, f64)>| Capacity {
        bps,
        kind,
        interval_bps,
        support,
        bursts: over_time.len(),
        sent_bps,
        over_time,
    };
    if bps > TOGETHER * sent_bps || 2 * short(&runs) > steps(&runs) {
        let wholes = wholes(arrivals, bits);
        let rates = in_order(&wholes);
        let range = (quantile(&rates, 0.05)?, quantile(&rates, 0.95)?);
        return Some(found(quantile(&rates, 0.5)?, "varying", range, wholes));
    }
    let near = rates.iter().filter(|rate| (*rate / bps - 1.0).abs() <= AGREES).count();
    let range = (quantile(&rates, 0.05).unwrap_or(bps), quantile(&rates, 0.95).unwrap_or(bps));
    let (kind, interval_bps) = if bps >= NOT_SPREAD * sent_bps {
        ("at least", (bps, f64::INFINITY))
    } else if 2 * near >= rates.len() {
        let half = bps * error(&slopes, bps, runs.len());
        ("steady", (bps - half, bps + half))
    } else {
        ("varying", (range.0.min(bps), range.1.max(bps)))
    };
    Some(found(bps, kind, interval_bps, over_time))
}

/// The rates, in order.
fn in_order(over_time: &[(f64, f64)]) -> Vec<f64> {
    let mut rates: Vec<f64> = over_time.iter().map(|(_, rate)| *rate).collect();
    rates.sort_by(f64::total_cmp);
    rates
}

/// A quantile of values in order.
fn quantile(list: &[f64], share: f64) -> Option<f64> {
    let last = list.len().checked_sub(1)?;
    list.get(usize::saturate((last as f64 * share).round())).copied()
}

fn steps(runs: &[&[Arrival]]) -> usize {
    runs.iter().map(|run| run.len() - 1).sum()
}

/// Steps of probes that were handed over together.
fn short(runs: &[&[Arrival]]) -> usize {
    let of = |run: &&[Arrival]| {
        let (Some(first), Some(last)) = (run.first(), run.last()) else { return 0 };
        let mean = f64::from(last.at - first.at) / (run.len() as f64 - 1.0).max(1.0);
        run.windows(2).filter(|pair| f64::from(pair[1].at - pair[0].at) < SHORT * mean).count()
    };
    runs.iter().map(of).sum()
}

/// When each burst arrived, and its rate as a whole: what arrived after the first, over the time that all took beside the
/// least delay.
fn wholes(arrivals: &[Arrival], bits: f64) -> Vec<(f64, f64)> {
    let delay = |a: &Arrival| f64::from(a.at) - f64::from(a.sent);
    let least = arrivals.iter().map(delay).fold(f64::INFINITY, f64::min);
    let same = |a: &Arrival, b: &Arrival| a.number / BURST == b.number / BURST;
    let rate = |burst: &[Arrival]| {
        let sent = burst.iter().map(|a| a.sent).min()?;
        let last = burst.iter().map(|a| a.at).max().filter(|_| burst.len() >= RUN)?;
        let ticks = f64::from(last) - f64::from(sent) - least;
        let at = f64::from(last) * UNIT;
        (ticks >= 1.0).then(|| (at, bits * (burst.len() as f64 - 1.0) / (ticks * UNIT)))
    };
    arrivals.chunk_by(same).filter_map(rate).collect()
}

/// Runs of probes of one burst that arrived in order, one after the other.
fn runs(arrivals: &[Arrival]) -> Vec<&[Arrival]> {
    let follows = |a: &Arrival, b: &Arrival| {
        b.number == a.number + 1 && b.number / BURST == a.number / BURST && b.at >= a.at
    };
    arrivals.chunk_by(follows).collect()
}

fn pairs(run: &[Arrival], bits: f64) -> Vec<Slope> {
    let mut found = Vec::new();
    for (first, a) in run.iter().enumerate() {
        for b in run.iter().skip(first + APART) {
            let ticks = f64::from(b.at - a.at);
            let carried = bits * f64::from(b.number - a.number);
            if ticks > 0.0 {
                let bps = carried / (ticks * UNIT);
                found.push(Slope { log_bps: detmath::ln(bps), bps, weight: carried * carried });
            }
        }
    }
    found
}

/// The weighted median in the interval with the most weight, and its share of all weight.
fn mode(slopes: &[Slope]) -> Option<(f64, f64)> {
    let total: f64 = slopes.iter().map(|slope| slope.weight).sum();
    let (mut first, mut inside) = (0, 0.0);
    let mut best: Option<(usize, usize, f64)> = None;
    for (last, slope) in slopes.iter().enumerate() {
        inside += slope.weight;
        while slope.log_bps - slopes[first].log_bps > WIDE {
            inside -= slopes[first].weight;
            first += 1;
        }
        if best.is_none_or(|(.., weight)| inside > weight) {
            best = Some((first, last, inside));
        }
    }
    let (first, last, weight) = best?;
    let mut below = 0.0;
    let median = slopes[first..=last].iter().find(|slope| {
        below += slope.weight;
        2.0 * below >= weight
    })?;
    Some((median.bps, weight / total))
}

/// When a whole run arrived, and its rate, if it is long enough.
fn rate(run: &[Arrival], bits: f64, at: fn(&Arrival) -> u32) -> Option<(f64, f64)> {
    let (first, last) = (run.first()?, run.last().filter(|_| run.len() >= RUN)?);
    let ticks = f64::from(at(last)) - f64::from(at(first));
    let probes = f64::from(u32::narrow(run.len() - 1));
    // Faster than the clock: as fast as it can tell.
    Some((f64::from(last.at) * UNIT, bits * probes / (ticks.max(1.0) * UNIT)))
}

/// Two standard errors of the capacity, as a share: from the spread of the slopes that agree, or what clocks allow.
fn error(slopes: &[Slope], bps: f64, runs: usize) -> f64 {
    let near = slopes.iter().map(|slope| (slope.bps / bps - 1.0, slope.weight));
    let near = near.filter(|(off, _)| off.abs() <= AGREES);
    let (sum, weight) =
        near.fold((0.0, 0.0), |(s, w), (off, weight)| (s + weight * off * off, w + weight));
    let spread = if weight > 0.0 { (sum / weight).sqrt() } else { 0.0 };
    (2.0 * spread / (runs.max(1) as f64).sqrt()).max(0.004)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TICKS: u32 = 960;

    /// Bursts over a link of 100 Mb/s, 96 us a probe, as 1,200 bytes.
    fn bursts(moved: impl Fn(u32) -> Option<u32>) -> Vec<Arrival> {
        let each = |n: u32| {
            let (burst, place) = (n / BURST, n % BURST);
            let start = burst * 1_000_000;
            Some(Arrival {
                number: n,
                at: start + place * TICKS + moved(n)?,
                sent: start + place * 30,
            })
        };
        (0..640).filter_map(each).collect()
    }

    fn near(found: &Capacity, bps: f64, share: f64) -> bool {
        (found.bps / bps - 1.0).abs() <= share
    }

    #[test]
    fn a_link_alone_is_exact() {
        let found = capacity(&bursts(|_| Some(0)), 28, 0).unwrap();
        assert!(near(&found, 1e8, 1e-9) && found.support > 0.999, "{found:?}");
        assert_eq!((found.kind, found.bursts, found.over_time.len()), ("steady", 20, 20));
    }

    #[test]
    fn disturbed_arrivals_and_losses_do_not_move_it() {
        let late = |n: u32| match (n.wrapping_mul(2_654_435_761) >> 16) % 10 {
            0 => None,
            1 | 2 => Some((n.wrapping_mul(40_503) >> 8) % 400),
            _ => Some(0),
        };
        let found = capacity(&bursts(late), 28, 0).unwrap();
        assert!(near(&found, 1e8, 0.005), "{found:?}");
    }

    #[test]
    fn bursts_that_differ_are_a_range() {
        let list: Vec<Arrival> = bursts(|_| Some(0))
            .into_iter()
            .map(|a| {
                let (burst, place) = (a.number / BURST, a.number % BURST);
                Arrival { at: burst * 1_000_000 + place * (500 + 200 * (burst % 7)), ..a }
            })
            .collect();
        let found = capacity(&list, 28, 0).unwrap();
        assert_eq!(found.kind, "varying");
        assert!(found.interval_bps.0 < 6e7 && found.interval_bps.1 > 1.5e8, "{found:?}");
    }

    #[test]
    fn bursts_that_were_not_spread_give_a_bound() {
        let list: Vec<Arrival> =
            bursts(|_| Some(0)).into_iter().map(|a| Arrival { at: a.sent, ..a }).collect();
        let found = capacity(&list, 28, 0).unwrap();
        assert_eq!((found.kind, found.interval_bps.1), ("at least", f64::INFINITY));
    }

    #[test]
    fn bursts_that_arrive_in_batches_have_the_rate_of_the_whole() {
        // Aggregates of 16 and of 32, at the end of their time on a medium of 100 Mb/s; the least delay is 960 ticks.
        for size in [16, 32] {
            let each = |a: Arrival| {
                let (burst, place) = (a.number / BURST, a.number % BURST);
                let at = burst * 1_000_000 + (place / size + 1) * size * TICKS + place / 3;
                Arrival { at, sent: burst * 1_000_000 + place * 30, ..a }
            };
            let list: Vec<Arrival> = bursts(|_| Some(0)).into_iter().map(each).collect();
            let found = capacity(&list, 28, 0).unwrap();
            assert_eq!((found.kind, found.bursts), ("varying", 20), "{found:?}");
            assert!((8e7..5e9).contains(&found.bps), "{found:?}");
        }
    }

    #[test]
    fn without_runs_there_is_none() {
        assert_eq!(capacity(&[], 28, 0), None);
        assert_eq!(capacity(&bursts(|n| n.is_multiple_of(3).then_some(0)), 28, 0), None);
    }
}
