//! The path's own loss rate `p`, and losses beyond it, which show an overflow where no delay does.
//!
//! Some packets leave at the same instant as the one before. If the second of such a pair arrived, a
//! drop-tail queue had room for it, and so had room for the first: if the first is lost, the path lost
//! it. Hence
//!
//! ```text
//! p = lost first packets / pairs whose second arrived            (PRIOR pairs without a loss beside them)
//! ```
//!
//! This needs neither a base round-trip time nor the number of other flows, and it holds while the queue
//! overflows. It assumes that the pair arrives at the bottleneck together: where the packets before it take
//! a share of the time of a packet at the bottleneck, that share of the overflows counts as the path's. An
//! AQM drops one of a pair as well; pairs count only while its queue would be too short for that, and may
//! confirm `p` at other times. Losses while the queue is known and short count too. In bursts the first
//! and the second share their fate, and `p` is too low.
//!
//! `p` is an average over up to `MEMORY` packets. If nothing confirms it for `CONFIRMATION_TIME` and
//! `MEMORY` packets, it loses the share `UNCONFIRMED_LOSS_REDUCTION`.
//!
//! A one-sided CUSUM test (Page 1954) sums the losses beyond `p`, with `s` the standard deviation
//! of `p` and `D` the dispersion of the losses:
//!
//! ```text
//! S <- max(0, S - (p + MARGIN + UNSURE s) n) + l,      overflow: S >= 1 + SLACK p (1 - p) D + min(2, SLACK_FEW p)
//! ```
//!
//! In small windows it is `S >= 1 + SLACK_SMALL p`, with smaller margins. If the path has no losses of its own,
//! the first loss is an overflow, as in TCP. The slack is what brings a window back that fell below four packets:
//! at a bound of 1 every loss halves it, however well `p` is known, and at a loss rate of one half it stays at
//! its minimum. While the queue is long, the bound is lower (`MARGIN_LONG` and `SLACK_LONG p`).

use airtcp_units::{Nanos, Span};

use crate::delivery_bound::upper_bound;

/// Maximum number of packets in the average.
const MEMORY: f64 = 256.0;
/// Pairs without a loss that count before the first: a rate from three pairs is none.
const PRIOR: f64 = 8.0;
/// Minimum number of pairs that show the rate, or confirm it in a long queue, and the standard deviations that
/// chance explains.
const CONFIRMATION: f64 = 32.0;
const CHANCE: f64 = 2.0;
/// Tolerance above the loss rate, and in its standard deviations up to a maximum of these.
const MARGIN: (f64, f64) = (0.05, 1.5);
const SMALL_MARGIN: (f64, f64) = (0.02, 1.0);
const MAX_SPREAD: f64 = 0.05;
/// Losses that chance may add in small windows, per unit of the rate: about one overflow by chance in 35 packets
/// at any rate.
const SLACK_SMALL: f64 = 4.0;
/// Losses that chance may add, for a variance of 1.
const SLACK: f64 = 70.0;
/// Additional tolerance at low loss rates, up to 2 losses, where the distribution is far from
/// normal.
const SLACK_FEW: f64 = 200.0;
/// Tolerance while the queue is long: above the loss rate, and in losses per unit of the rate.
const MARGIN_LONG: f64 = 0.02;
const SLACK_LONG: f64 = 10.0;
/// Time without confirmation, and the share of the losses removed after it.
const CONFIRMATION_TIME: Span = Span::from_secs(10);
const UNCONFIRMED_LOSS_REDUCTION: f64 = 0.3;
/// Number of successive losses that count; one in bursts.
const RUN: u32 = 4;
/// Dispersion from which losses count as bursts.
const BURSTS: f64 = 4.0;
/// Dispersion up to which pairs show the loss rate of a startup.
const FEW_BURSTS: f64 = 2.0;
/// Number of packets without an overflow after which the window grows again.
const QUIET_PACKETS: f64 = 16.0;

/// Packets, and the number of lost ones.
#[derive(Debug, Clone, Copy, Default)]
struct Share {
    lost: f64,
    sent: f64,
}

impl Share {
    fn add(&mut self, lost: f64, sent: f64) {
        self.lost += lost;
        self.sent += sent;
    }
}

/// The path's loss rate, and the sum of losses beyond it.
#[derive(Debug)]
pub(super) struct LossCusum {
    path: Share,
    other: Share,
    sum: f64,
    sum_long: f64,
    /// Packets since the last overflow, and since the last confirmation.
    quiet: f64,
    unconfirmed: f64,
    confirmed: Nanos,
    dispersion: f64,
    /// The last loss, and the number of successive losses.
    run: (u64, u32),
}

impl Default for LossCusum {
    fn default() -> Self {
        let none = Share::default();
        Self {
            path: none,
            other: none,
            sum: 0.0,
            sum_long: 0.0,
            quiet: QUIET_PACKETS,
            unconfirmed: 0.0,
            confirmed: Nanos::ZERO,
            dispersion: 1.0,
            run: (u64::MAX, 0),
        }
    }
}

impl LossCusum {
    /// The path's own loss rate.
    pub(super) fn path(&self) -> f64 {
        self.path.lost / (self.path.sent + PRIOR)
    }

    /// The most that it may be, by three standard deviations; 1 without a pair, and where losses come in bursts, in
    /// which pairs show too little.
    pub(super) fn most(&self) -> f64 {
        if self.path.sent <= 0.0 || self.dispersion > FEW_BURSTS {
            return 1.0;
        }
        upper_bound(self.path.lost / self.dispersion, self.path.sent / self.dispersion)
    }

    pub(super) fn bursts(&self) -> bool {
        self.dispersion > BURSTS
    }

    /// True if there was no overflow for a while.
    pub(super) fn is_quiet(&self, window: f64) -> bool {
        self.quiet >= QUIET_PACKETS.min(2.0 + 4.0 * window)
    }

    /// Number of losses beyond the path's that show an overflow.
    fn bound(&self, small: bool) -> f64 {
        let p = self.path();
        if small {
            return 1.0 + SLACK_SMALL * p;
        }
        1.0 + SLACK * p * (1.0 - p) * self.dispersion + (SLACK_FEW * p).min(2.0)
    }

    /// True if more is lost than the path explains.
    pub(super) fn exceeded(&self, small: bool) -> bool {
        let p = self.path();
        let long = 1.0 + SLACK_LONG * (p - MARGIN_LONG).max(0.0);
        // The losses of a queue that stays full come in bursts as well.
        (!self.bursts() && self.sum >= self.bound(small)) || self.sum_long >= long
    }

    /// Whether the loss of packet `number` counts.
    pub(super) fn counts(&mut self, number: u64) -> bool {
        let again = number == self.run.0.wrapping_add(1);
        let run = if again { self.run.1.saturating_add(1) } else { 1 };
        self.run = (number, run);
        run <= if self.bursts() { 1 } else { RUN }
    }

    /// A packet sent after the last reduction was lost.
    pub(super) fn on_lost(&mut self, high: bool) {
        self.sum += 1.0;
        if high {
            self.sum_long += 1.0;
        }
    }

    /// The fates of `sent` packets became known.
    pub(super) fn on_resolved(&mut self, sent: u64, high: bool, small: bool) {
        let sent = sent as f64;
        let p = self.path();
        let spread =
            (p * (1.0 - p) * self.dispersion / self.path.sent.max(1.0)).sqrt().min(MAX_SPREAD);
        let (margin, unsure) = if small { SMALL_MARGIN } else { MARGIN };
        self.sum = (self.sum - (p + margin + unsure * spread) * sent).max(0.0);
        if high {
            self.sum_long = (self.sum_long - (p + MARGIN_LONG) * sent).max(0.0);
        }
        self.quiet += sent;
        self.unconfirmed += sent;
    }

    /// True if a sample is not significantly above the loss rate.
    fn is_chance(&self, sample: Share) -> bool {
        let q = (sample.lost + self.path.lost) / (sample.sent + self.path.sent);
        let each = 1.0 / sample.sent + 1.0 / self.path.sent;
        let spread = (q * (1.0 - q) * self.dispersion * each).max(0.0).sqrt();
        sample.lost / sample.sent - self.path() < CHANCE * spread
    }

    /// Of `n` packets whose successor arrived with them, `lost` were lost.
    pub(super) fn on_pairs(&mut self, now: Nanos, n: u64, lost: u64, short: bool) {
        let (n, lost) = (n as f64, (lost as f64).min(n as f64));
        if !short {
            // An AQM may have dropped these: they may confirm the rate, not raise it.
            self.other.add(lost, n);
            if self.other.sent >= CONFIRMATION {
                let sample = std::mem::take(&mut self.other);
                if self.path.sent > 0.0 && self.is_chance(sample) {
                    self.learn(now, sample.sent, sample.lost);
                }
            }
            return;
        }
        self.learn(now, n, lost);
    }

    pub(super) fn learn(&mut self, now: Nanos, n: f64, lost: f64) {
        let room = (MEMORY - n).max(0.0);
        if self.path.sent > room {
            let keep = room / self.path.sent;
            self.path.lost *= keep;
            self.path.sent *= keep;
        }
        self.path.add(lost, n);
        self.confirmed = now;
        self.unconfirmed = 0.0;
    }

    pub(super) const fn on_overflow(&mut self) {
        (self.sum, self.sum_long, self.quiet) = (0.0, 0.0, 0.0);
    }

    pub(super) fn on_round(&mut self, now: Nanos, dispersion: f64) {
        if now.since(self.confirmed) > CONFIRMATION_TIME && self.unconfirmed > MEMORY {
            self.path.lost *= 1.0 - UNCONFIRMED_LOSS_REDUCTION;
            self.confirmed = now;
            self.unconfirmed = 0.0;
        }
        self.dispersion = dispersion;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds packets of which every `every`-th is lost; returns the number until more is lost than the path
    /// explains.
    fn feed(e: &mut LossCusum, n: u64, every: u64, small: bool) -> Option<u64> {
        (1..=n).find(|i| {
            e.on_resolved(1, false, small);
            if i % every == 0 {
                e.on_lost(false);
            }
            e.exceeded(small)
        })
    }

    #[test]
    fn the_first_loss_of_a_loss_free_path_is_an_overflow() {
        assert_eq!(feed(&mut LossCusum::default(), 100, 19, false), Some(19));
        assert_eq!(feed(&mut LossCusum::default(), 100, 19, true), Some(19));
    }

    #[test]
    fn pairs_show_the_rate() {
        let mut e = LossCusum::default();
        // 3 of 4 pairs say little: 3/(4 + 8).
        e.on_pairs(Nanos(1), 4, 3, true);
        assert!((e.path() - 0.25).abs() < 1e-9);
        let mut e = LossCusum::default();
        e.on_pairs(Nanos(1), 192, 48, true);
        assert!((e.path() - 48.0 / 200.0).abs() < 1e-9);
        // A quarter is lost: no overflow. Half is: 0.5 - 0.24 - 0.05 - 1.5 sqrt(0.24 0.76/192) = 0.164 a packet,
        // up to 1 + 70 0.24 0.76 + 2 = 15.8.
        assert_eq!(feed(&mut e, 4000, 4, false), None);
        let found = feed(&mut e, 4000, 2, false).unwrap();
        assert!((80..115).contains(&found), "{found}");
    }

    /// Known losses do not hold a small window down: at any rate, chance looks like an overflow less often than a
    /// window needs to double, and half of all packets lost beyond the path's is found within a few.
    #[test]
    fn small_windows_forgive_known_losses() {
        let mut draws = airtcp_random::Seed::new(1).stream("losses");
        for p in [0.1, 0.3, 0.5] {
            let mut between = |loss: f64| {
                let mut e = LossCusum::default();
                e.learn(Nanos(1), 192.0, 200.0 * p);
                let mut found = 0;
                for _ in 0..10_000 {
                    e.on_resolved(1, false, true);
                    if draws.chance(loss) {
                        e.on_lost(false);
                        if e.exceeded(true) {
                            found += 1;
                            e.on_overflow();
                        }
                    }
                }
                10_000 / found
            };
            let (known, more) = (between(p), between(1.0 - (1.0 - p) / 2.0));
            assert!((20..120).contains(&known), "{p}: {known}");
            assert!(more < 16, "{p}: {more}");
        }
    }

    #[test]
    fn pairs_in_a_long_queue_only_confirm() {
        let mut e = LossCusum::default();
        e.on_pairs(Nanos(1), 1000, 300, false);
        assert!(e.path() <= 0.0);
        e.on_pairs(Nanos(1), 192, 20, true);
        let before = e.path();
        e.on_pairs(Nanos(1), 64, 40, false);
        assert!((e.path() - before).abs() < 1e-9, "far more than the rate");
        e.on_pairs(Nanos(1), 64, 6, false);
        assert!(e.path() < before, "not significantly more");
    }

    #[test]
    fn an_unconfirmed_loss_rate_shrinks() {
        let mut e = LossCusum::default();
        e.on_pairs(Nanos(1), 192, 100, true);
        let before = e.path();
        for s in 1..=30_u64 {
            e.on_resolved(1000, true, false);
            e.on_round(Nanos(s * 1_000_000_000), 1.0);
        }
        assert!((e.path() - before * 0.7 * 0.7).abs() < 1e-9, "{}", e.path());
    }
}
