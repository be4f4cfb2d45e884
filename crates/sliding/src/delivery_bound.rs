//! Whether growth is paid for in what arrives: the bound of the window that needs no delay to be seen.
//!
//! A buffer that is short, or full all the time, drops what is sent too much, and the round trip says
//! nothing. But what arrives does not grow then. With `A` the most packets per second that arrived in
//! one of the last samples, and `p` the least loss rate of the last minutes, what the link takes is
//! `A/(1 - p)`; more is sent in vain. Losses of the link itself lower `A` and raise `p` alike and leave
//! the quotient as it is.
//!
//! `p` is the least upper bound of the samples (Wilson's, three deviations, of as many
//! packets as would say as much were losses independent), so that a few packets without
//! loss do not count as a link without. It is renewed where little is sent, at the latest by a probe.

use airtcp_units::{Nanos, Span};

/// Packets of a sample, at least; it lasts a round trip or more.
const SAMPLE: u64 = 32;
/// The same for its loss rate, where losses are independent.
const FLOOR_SAMPLE: u64 = 128;
/// Samples of which the greatest rate counts.
const SAMPLES: usize = 16;
/// Deviations of the upper bound.
const DEVIATIONS: f64 = 3.0;
/// How long the least loss rate is believed, once or twice that.
const MEMORY: Span = Span::from_secs(60);

/// What arrived of what was sent.
#[derive(Debug, Default)]
pub(super) struct DeliveryBound {
    since: Nanos,
    arrived: u64,
    resolved: u64,
    /// Something of the last sample was lost.
    lossy: bool,
    rates: [f64; SAMPLES],
    taken: usize,
    /// Lost of so many packets, for the loss rate.
    sample: (u64, u64),
    floor: [Option<f64>; 2],
    floor_since: Nanos,
}

impl DeliveryBound {
    pub(super) const fn on_resolved(&mut self, resolved: u64, arrived: u64) {
        self.resolved += resolved;
        self.arrived += arrived;
    }

    /// A round is over; `limited` if the window held packets back all the time. `dispersion` is how much
    /// more than independent losses these vary. True if that was a sample.
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

    /// What was counted so far belongs to no sample.
    pub(super) const fn restart(&mut self, now: Nanos) {
        self.since = now;
        self.arrived = 0;
        self.resolved = 0;
    }

    /// Something of the last sample was lost.
    pub(super) const fn lossy(&self) -> bool {
        self.lossy
    }

    /// Most packets per second that arrived of late.
    pub(super) fn arriving(&self) -> f64 {
        self.rates.iter().copied().fold(0.0, f64::max)
    }

    fn floor(&self) -> f64 {
        self.floor.iter().flatten().copied().fold(1.0, f64::min)
    }

    /// Packets per second that the link is known to take; `None` while nothing is known.
    pub(super) fn taken(&self) -> Option<f64> {
        let floor = self.floor();
        let rate = self.arriving();
        (rate > 0.0 && floor < 1.0).then(|| rate / (1.0 - floor))
    }
}

/// Upper end of Wilson's interval for `lost` of `packets`.
fn upper_bound(lost: f64, packets: f64) -> f64 {
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
        assert_eq!(paid.taken(), None);
        let mut now = Nanos::ZERO;
        let mut round = |paid: &mut DeliveryBound, sent, arrived| {
            now += Span::from_millis(100);
            paid.on_resolved(sent, arrived);
            paid.on_round(now, true, 1.0);
        };
        // Half of it is lost, however much is sent: what the link takes is what is sent, within a fifth.
        for _ in 0..20 {
            round(&mut paid, 400, 200);
        }
        assert!((3.9e3..4.8e3).contains(&paid.taken().unwrap()));
        // No loss, then more and more that is lost altogether: what the link takes does not grow.
        let mut paid = DeliveryBound::default();
        for sent in [100, 120, 200, 400, 800] {
            round(&mut paid, sent, sent.min(120));
        }
        assert!((1.2e3..1.35e3).contains(&paid.taken().unwrap()));
    }
}
