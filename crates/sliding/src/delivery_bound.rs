//! A bound on the window from the arrivals, which needs no visible delay.
//!
//! A buffer that is short, or always full, drops the excess without a change of the round-trip
//! time. But then the arrivals do not grow. `A` is the maximum arrival rate in packets per second
//! of the recent samples, `p` the minimum loss rate of the last minutes. The link then takes
//! `A/(1 - p)`; the excess is dropped. Losses of the link itself lower `A` and raise `p`, and leave
//! the quotient unchanged.
//!
//! `p` is the minimum of the samples' upper bounds (Wilson's, three standard deviations, with the
//! number of independent packets that carries the same information). A few packets without loss
//! therefore do not count as a link without loss. Rounds with little traffic renew `p`, at the
//! latest a probe.

use airtcp_units::{Nanos, Span};

/// Minimum number of packets of a sample; it lasts at least a round trip.
const SAMPLE: u64 = 32;
/// Minimum number of packets of a sample of the loss rate, where losses are independent.
const FLOOR_SAMPLE: u64 = 128;
/// Number of samples over which the maximum rate is taken.
const SAMPLES: usize = 16;
/// Standard deviations of the upper bound.
const DEVIATIONS: f64 = 3.0;
/// Time for which the minimum loss rate is kept: between this and twice this.
const MEMORY: Span = Span::from_secs(60);

/// Packets resolved and arrived, and the bound.
#[derive(Debug, Default)]
pub(super) struct DeliveryBound {
    since: Nanos,
    arrived: u64,
    resolved: u64,
    /// A packet of the last sample was lost.
    lossy: bool,
    rates: [f64; SAMPLES],
    taken: usize,
    /// Packets and losses of the sample of the loss rate.
    sample: (u64, u64),
    floor: [Option<f64>; 2],
    floor_since: Nanos,
}

impl DeliveryBound {
    pub(super) const fn on_resolved(&mut self, resolved: u64, arrived: u64) {
        self.resolved += resolved;
        self.arrived += arrived;
    }

    /// A round is over; `limited` if the window was the limit throughout. `dispersion` is the
    /// variance of the losses over that of independent ones. Returns whether that was a sample.
    pub(super) fn on_round(&mut self, now: Nanos, limited: bool, dispersion: f64) -> bool {
        let time = now.since(self.since).as_secs_f64();
        if !limited || time <= 0.0 {
            self.restart(now);
            return false;
        }
        if self.resolved < SAMPLE {
            return false;
        }
        self.rates[self.taken % SAMPLES] = self.arrived as f64 / time;
        self.taken += 1;
        if now.since(self.floor_since) >= MEMORY {
            self.floor = [None, self.floor[0]];
            self.floor_since = now;
        }
        let lost = self.resolved.saturating_sub(self.arrived);
        self.sample.0 += lost;
        self.sample.1 += self.resolved;
        if self.sample.1 >= FLOOR_SAMPLE || dispersion > 1.5 || self.floor[0].is_none() {
            let (lost, sent) = std::mem::take(&mut self.sample);
            let bound = upper_bound(lost as f64 / dispersion, sent as f64 / dispersion);
            self.floor[0] = Some(self.floor[0].map_or(bound, |f| f.min(bound)));
        }
        self.lossy = lost > 0;
        self.restart(now);
        true
    }

    /// Discards the counts so far.
    pub(super) const fn restart(&mut self, now: Nanos) {
        self.since = now;
        self.arrived = 0;
        self.resolved = 0;
    }

    /// True if a packet of the last sample was lost.
    pub(super) const fn lossy(&self) -> bool {
        self.lossy
    }

    /// Maximum recent arrival rate in packets per second.
    pub(super) fn arriving(&self) -> f64 {
        self.rates.iter().copied().fold(0.0, f64::max)
    }

    fn floor(&self) -> f64 {
        self.floor.iter().flatten().copied().fold(1.0, f64::min)
    }

    /// Packets per second that the link is known to take; `None` before the first sample.
    pub(super) fn taken(&self, path: f64) -> Option<f64> {
        let floor = self.floor().max(path);
        let rate = self.arriving();
        (rate > 0.0 && floor < 1.0).then(|| rate / (1.0 - floor))
    }
}

/// Upper end of Wilson's interval for `lost` of `packets`.
pub(super) fn upper_bound(lost: f64, packets: f64) -> f64 {
    let (z, share) = (DEVIATIONS, lost / packets);
    let spread = (packets * share * (1.0 - share) + z * z / 4.0).sqrt();
    (lost + z * z / 2.0 + z * spread) / (packets + z * z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_of_wilson() {
        // Wilson's interval with z = 3: 0 of 91 is at most 9/100; 20 of 40 at most (24.5 + 3 sqrt 12.25)/49.
        assert!((upper_bound(0.0, 91.0) - 0.09).abs() < 1e-12);
        assert!((upper_bound(20.0, 40.0) - 35.0 / 49.0).abs() < 1e-12);
        assert!(upper_bound(60.0, 60.0) <= 1.0);
    }

    #[test]
    fn what_the_link_takes() {
        let mut paid = DeliveryBound::default();
        assert_eq!(paid.taken(0.0), None);
        let mut now = Nanos::ZERO;
        let mut round = |paid: &mut DeliveryBound, sent, arrived| {
            now += Span::from_millis(100);
            paid.on_resolved(sent, arrived);
            paid.on_round(now, true, 1.0);
        };
        // Half of the packets are lost at any rate: the link takes what is sent, within a fifth.
        for _ in 0..20 {
            round(&mut paid, 400, 200);
        }
        assert!((3.9e3..4.8e3).contains(&paid.taken(0.0).unwrap()));
        // No loss, then additional packets that are all lost: the link's rate does not grow.
        let mut paid = DeliveryBound::default();
        for sent in [100, 120, 200, 400, 800] {
            round(&mut paid, sent, sent.min(120));
        }
        assert!((1.2e3..1.35e3).contains(&paid.taken(0.0).unwrap()));
    }
}
