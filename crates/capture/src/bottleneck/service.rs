//! The service of the bottleneck over time, in bins of 50 ms, for a replay: what it served while busy, nothing in
//! stand-stills, and its rate while idle.

use airtcp_units::Saturate as _;

use super::rate::Rate;
use super::stalls::Stall;
use super::transmissions::Transmissions;

/// Length of a bin.
pub(super) const BIN_S: f64 = 0.05;
/// Most bins: half an hour.
const MOST: usize = 36_000;

struct Bins {
    bits: Vec<f64>,
    seconds: Vec<f64>,
}

impl Bins {
    /// Adds service between two times.
    fn add(&mut self, begin: f64, end: f64, bits: f64) {
        let end = end.max(begin + 1e-6);
        let first = usize::saturate(begin.max(0.0) / BIN_S);
        let last = usize::saturate(end.max(0.0) / BIN_S).min(self.bits.len().saturating_sub(1));
        for bin in first..=last.max(first) {
            if bin >= self.bits.len() {
                return;
            }
            let from = bin as f64 * BIN_S;
            let inside = end.min(from + BIN_S) - begin.max(from);
            if inside > 0.0 {
                self.bits[bin] += bits * inside / (end - begin);
                self.seconds[bin] += inside;
            }
        }
    }
}

/// Rates of the bins in bit/s, from the first arrival on.
pub(super) fn service(
    sent: &Transmissions,
    early: &[u64],
    stood: &[Stall],
    rate: &Rate,
) -> Vec<f64> {
    let origin = sent.list.first().map_or(0.0, |first| first.sent_s) + sent.least_rtt_s;
    let last = sent.list.iter().filter_map(|packet| packet.acked_s).fold(origin, f64::max);
    let count = (usize::saturate((last - origin) / BIN_S) + 1).min(MOST);
    let mut bins = Bins { bits: vec![0.0; count], seconds: vec![0.0; count] };
    for stall in stood {
        let begin = stall.begin - origin;
        bins.add(begin, begin + stall.length, 0.0);
    }
    let (mut bits, mut idle) = (vec![0.0], vec![0usize]);
    for (packet, backlog) in sent.list.iter().zip(early) {
        let is_delivered = packet.acked_s.is_some();
        bits.push(bits[bits.len() - 1] + if is_delivered { 8.0 * packet.bytes } else { 0.0 });
        idle.push(idle[idle.len() - 1] + usize::from(*backlog < 1));
    }
    let mut next = 0;
    for pair in sent.triggers().windows(2) {
        let (from, to) = (pair[0], pair[1]);
        let (Some(begin), Some(end)) = (sent.list[from].acked_s, sent.list[to].acked_s) else {
            continue;
        };
        while stood.get(next).is_some_and(|stall| stall.begin + stall.length <= begin) {
            next += 1;
        }
        let is_stall = stood.get(next).is_some_and(|stall| stall.begin < end);
        if idle[to + 1] > idle[from + 1] || is_stall {
            continue;
        }
        bins.add(begin - origin, end - origin, bits[to + 1] - bits[from + 1]);
    }
    let usual = rate.service_bps();
    let bin = |(bits, seconds): (&f64, &f64)| {
        (bits + (BIN_S - seconds).max(0.0) * usual) / seconds.max(BIN_S)
    };
    bins.bits.iter().zip(&bins.seconds).map(bin).collect()
}
