//! Estimates of losses: their rate and their burstiness.
//!
//! Every packet counts once its fate is known, with a weight that falls by 1/256 per packet after
//! it [choice: about the last 256 packets, two to four round trips of the links in question]. The
//! measure of burstiness is the probability `a` that the packet after a lost one is lost too. In a
//! two-state chain the correlation of neighbours is `rho = (a - p)/(1 - p)`, and the variance of
//! the number of losses among many packets is `(1 + rho)/(1 - rho)` times the binomial one.
//!
//! The number of combinations nevertheless assumes independent losses. A burst also destroys most
//! combinations sent ahead of it, and its losses are replaced when their answers are overdue.

/// Factor on the weight of earlier packets at every packet.
const KEPT: f64 = 1.0 - 1.0 / 256.0;
/// Minimum number of losses (by weight) for an estimate of their correlation.
const MIN_LOSSES: f64 = 4.0;
/// Maximum correlation: bursts of about 20 packets. Longer ones do not matter for coding.
const MAX_CORRELATION: f64 = 0.9;
/// Dispersion above which losses are not independent: an estimate from a few losses varies.
const MAX_DISPERSION: f64 = 1.5;
/// Maximum number of losses of a symbol before it is sent in duplicate.
const MAX_LOSSES: u32 = 16;
/// Maximum number of packets sent ahead.
const MAX_REPAIR: u32 = 512;

/// Moving counts of packets and losses.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Losses {
    packets: f64,
    lost: f64,
    /// Lost packets whose successor's fate is known, and the number of lost successors.
    followed: f64,
    again: f64,
    last_lost: bool,
}

impl Losses {
    /// Records the fate of the next packet.
    #[inline]
    pub(crate) fn record(&mut self, lost: bool) {
        let hit = f64::from(u8::from(lost));
        self.packets = self.packets * KEPT + 1.0;
        self.lost = self.lost * KEPT + hit;
        if self.last_lost {
            self.followed = self.followed * KEPT + 1.0;
            self.again = self.again * KEPT + hit;
        }
        self.last_lost = lost;
    }

    /// Loss rate, 0 without samples; below 1.
    #[inline]
    pub(crate) fn rate(&self) -> f64 {
        // One additional packet keeps the rate below 1 and has no other effect.
        if self.packets == 0.0 { 0.0 } else { self.lost / (self.packets + 1.0) }
    }

    /// Mean length of a run of lost packets: `1/(1 - a)` of a two-state chain; 1 while too few were lost.
    pub(crate) fn mean_burst(&self) -> f64 {
        if self.followed < MIN_LOSSES {
            return 1.0;
        }
        1.0 / (1.0 - self.again / (self.followed + 1.0))
    }

    /// Variance of the losses over that of independent losses.
    #[inline]
    pub(crate) fn dispersion(&self) -> f64 {
        if self.followed < MIN_LOSSES {
            return 1.0;
        }
        let p = self.rate();
        let rho = ((self.again / self.followed - p) / (1.0 - p)).clamp(0.0, MAX_CORRELATION);
        (1.0 + rho) / (1.0 - rho)
    }

    /// Number of losses after which a symbol is sent in duplicate, so that duplicates keep to this
    /// share of the sent packets: `p^k` of the symbols are lost `k` times, and each takes `1/(1-p)`
    /// packets. `None` where losses come in bursts, since a duplicate then shares the fate of its
    /// symbol.
    #[inline]
    pub(crate) fn duplicate_after(&self, share: f64) -> Option<u32> {
        let p = self.rate();
        if share <= 0.0 || p <= 0.0 || self.dispersion() > MAX_DISPERSION {
            return None;
        }
        let mut extra = p * p * (1.0 - p);
        let mut losses = 2;
        while extra > share && losses < MAX_LOSSES {
            extra *= p;
            losses += 1;
        }
        Some(losses)
    }

    /// Number of combinations in flight beside `symbols` others with which all can be decoded, for
    /// losses up to `deviations` standard deviations above the expected ones.
    #[inline]
    pub(crate) fn repair_for(&self, symbols: usize, deviations: f64) -> u32 {
        let p = self.rate();
        if symbols == 0 || p <= 0.0 {
            return 0;
        }
        let variance = p * (1.0 - p);
        let enough = |repair: u32| {
            let all = symbols as f64 + f64::from(repair);
            f64::from(repair) >= all * p + deviations * (all * variance).sqrt()
        };
        // Repair grows with the losses; 1 - p > 0, so the search ends.
        let (mut low, mut high) = (0, MAX_REPAIR);
        while low < high {
            let middle = u32::midpoint(low, high);
            if enough(middle) { high = middle } else { low = middle + 1 }
        }
        low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(pattern: impl Iterator<Item = bool>) -> Losses {
        let mut losses = Losses::default();
        pattern.for_each(|lost| losses.record(lost));
        losses
    }

    #[test]
    fn rate_and_bursts() {
        assert!(Losses::default().rate() <= 0.0);
        let third = after((0..3000).map(|i| i % 3 == 0));
        assert!((third.rate() - 1.0 / 3.0).abs() < 0.01);
        assert!((third.dispersion() - 1.0).abs() < 1e-9, "losses never follow one another");
        // Ten lost, ten received: a = 0.9, p = 0.5, rho = 0.8, nine times the variance.
        let bursts = after((0..3000).map(|i| i % 20 < 10));
        assert!((bursts.dispersion() - 9.0).abs() < 1.5, "{}", bursts.dispersion());
        assert!((bursts.mean_burst() - 10.0).abs() < 1.0, "{}", bursts.mean_burst());
        assert!((third.mean_burst() - 1.0).abs() < 1e-9 && Losses::default().mean_burst() <= 1.0);
        assert!(after((0..9).map(|_| true)).rate() < 1.0);
    }

    #[test]
    fn duplicates_keep_to_their_share() {
        // Independent by its neighbours: losses follow losses as often as arrivals.
        let lost = |p: u64| {
            let draw = |i: u64| (i + 7).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33;
            after((0..4000).map(move |i| draw(draw(i)) % 100 < p))
        };
        assert_eq!(Losses::default().duplicate_after(0.05), None);
        // 0.1^2 0.9 = 0.009; 0.3^2 0.7 = 0.063, 0.3^3 0.7 = 0.019; 0.5^4 0.5 = 0.031.
        for (p, losses) in [(10, 2), (30, 3), (50, 4)] {
            let l = lost(p);
            assert!((l.rate() - p as f64 / 100.0).abs() < 0.06, "{p}: {}", l.rate());
            assert_eq!(l.duplicate_after(0.05), Some(losses), "{p}: {}", l.dispersion());
            assert_eq!(l.duplicate_after(0.0), None);
        }
        assert_eq!(after((0..3000).map(|i| i % 20 < 10)).duplicate_after(0.05), None, "bursts");
        assert_eq!(after((0..3000).map(|_| true)).duplicate_after(0.0001), None);
    }

    #[test]
    fn repair_covers_what_is_expected_and_more() {
        assert_eq!(Losses::default().repair_for(50, 1.5), 0);
        let tenth = after((0..3000).map(|i| i % 10 == 0));
        assert_eq!(tenth.repair_for(0, 1.5), 0);
        let p = tenth.rate();
        let r = f64::from(tenth.repair_for(50, 1.5));
        assert!(r >= (50.0 + r) * p + 1.5 * ((50.0 + r) * p * (1.0 - p)).sqrt());
        assert!((tenth.repair_for(50, 0.0), tenth.repair_for(1, 1.5)) == (6, 1));
        assert!(after((0..3000).map(|_| true)).repair_for(50, 1.5) <= MAX_REPAIR);
    }
}
