//! Losses beyond those of the path itself, which show an overflow where no delay does.
//!
//! The path's own loss rate `p` is learned while the path is not congested:
//!
//! - while the window is small (from packets that left after it became small) and the queue is
//!   shorter than half of the longest seen: such losses do not depend on our rate;
//! - while the queue is empty and the window small;
//! - while the queue is short, at any window, from loss rates that are not significantly above `p`;
//! - in a startup, as long as arrivals double without a queue ([`super::control`]).
//!
//! `p` is 0 at first, then an average over up to `MEMORY` packets. If no such moment confirms it
//! for `CONFIRMATION_TIME` and `MEMORY` packets, it loses the share `UNCONFIRMED_LOSS_REDUCTION`: a
//! sender with a wrong `p` keeps a queue standing and never meets such a moment.
//!
//! A one-sided CUSUM test (Page 1954) sums the losses beyond `p`, with `s` the standard deviation
//! of `p` and `D` the dispersion of the losses:
//!
//! ```text
//! S <- max(0, S - (p + MARGIN + UNSURE s) n) + l,      overflow: S >= 1 + SLACK p (1 - p) D + min(2, SLACK_FEW p)
//! ```
//!
//! If the path has no losses of its own, the first loss is an overflow, as in TCP. At 30 % it takes
//! a hundred packets with a sixth more losses. While the queue is long, the bound is lower
//! (`MARGIN_LONG` and `SLACK_LONG p`): the first loss if the path has none.
//!
//! A queue that overflows lets a part through. Of successive losses only the first `RUN` count.
//! Where losses come in bursts (`D > BURSTS`) the test does not apply, and
//! [`super::delivery_bound`] bounds the growth.

use airtcp_units::{Nanos, Span};

/// Minimum number of packets of a sample in a small window, and in a short queue.
const SMALL_SAMPLE: f64 = 48.0;
const SHORT_SAMPLE: f64 = 128.0;
/// Minimum number of packets of a startup sample.
const STARTUP_SAMPLE: f64 = 24.0;
/// Maximum number of packets in the average.
const MEMORY: f64 = 512.0;
/// Tolerance above the loss rate, and in its standard deviations.
const MARGIN: f64 = 0.05;
const UNSURE: f64 = 1.5;
/// Standard deviations that chance explains.
const CHANCE: f64 = 2.0;
/// Losses that chance may add, for a variance of 1.
const SLACK: f64 = 70.0;
/// Additional tolerance at low loss rates, up to 2 losses, where the distribution is far from
/// normal.
const SLACK_FEW: f64 = 200.0;
/// Tolerance while the queue is long: above the loss rate, and in losses per unit of the rate.
const MARGIN_LONG: f64 = 0.02;
const SLACK_LONG: f64 = 10.0;
/// Upper bound of the loss rate of one sample.
const MAX_LOSS_RATE: f64 = 0.6;
/// Time without confirmation, and the share of the losses removed after it.
const CONFIRMATION_TIME: Span = Span::from_secs(10);
const UNCONFIRMED_LOSS_REDUCTION: f64 = 0.3;
/// Number of successive losses that count; one in bursts.
const RUN: u32 = 4;
/// Dispersion from which losses count as bursts.
const BURSTS: f64 = 4.0;
/// Number of packets without an overflow after which the window grows again.
const QUIET_PACKETS: f64 = 32.0;

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

/// State of window and queue when the fates of packets became known.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Moment {
    pub(super) small: bool,
    /// The queue is shorter than half of the longest seen; shorter than a third; empty.
    pub(super) half: bool,
    pub(super) short: bool,
    pub(super) empty: bool,
    pub(super) long: bool,
}

/// The path's loss rate, and the sum of losses beyond it.
#[derive(Debug)]
pub(super) struct LossCusum {
    path: Share,
    sum: f64,
    sum_long: f64,
    small: Share,
    short: Share,
    empty: Share,
    /// Packets since the last overflow, since the last confirmation, and in total.
    quiet: f64,
    unconfirmed: f64,
    total: u64,
    /// Packets of this startup round, of the last, and of those without an overflow.
    round: Share,
    before: Share,
    proven: Share,
    /// The startup gives no more information: it is over, met an overflow, or met other flows'
    /// queue.
    started: bool,
    confirmed: Nanos,
    /// Rounds until the packets sent after the last reduction are resolved.
    wait: u32,
    dispersion: f64,
    /// The last loss, and the number of successive losses.
    run: (u64, u32),
}

impl Default for LossCusum {
    fn default() -> Self {
        let none = Share::default();
        Self {
            path: none,
            sum: 0.0,
            sum_long: 0.0,
            small: none,
            short: none,
            empty: none,
            quiet: QUIET_PACKETS,
            unconfirmed: 0.0,
            total: 0,
            round: none,
            before: none,
            proven: none,
            started: false,
            confirmed: Nanos::ZERO,
            wait: 0,
            dispersion: 1.0,
            run: (u64::MAX, 0),
        }
    }
}

impl LossCusum {
    /// The path's own loss rate.
    pub(super) fn path(&self) -> f64 {
        if self.path.sent > 0.0 { self.path.lost / self.path.sent } else { 0.0 }
    }

    /// The loss rate for the test: in a startup, that of the rounds with doubled arrivals and no
    /// queue.
    fn believed(&self) -> f64 {
        let startup = self.path.sent <= 0.0 && !self.started && self.proven.sent > 0.0;
        if startup { self.proven.lost / self.proven.sent } else { self.path() }
    }

    /// Number of packets with known fates.
    pub(super) const fn total(&self) -> u64 {
        self.total
    }

    pub(super) fn bursts(&self) -> bool {
        self.dispersion > BURSTS
    }

    /// True if there was no overflow for a while.
    pub(super) fn is_quiet(&self) -> bool {
        self.quiet >= QUIET_PACKETS
    }

    /// True if more is lost than the path explains.
    pub(super) fn exceeded(&self) -> bool {
        let p = self.believed();
        let slack = SLACK * p * (1.0 - p) * self.dispersion + (SLACK_FEW * p).min(2.0);
        !self.bursts() && self.sum >= 1.0 + slack
    }

    /// Whether the loss of packet `number` counts.
    pub(super) fn counts(&mut self, number: u64) -> bool {
        let again = number == self.run.0.wrapping_add(1);
        let run = if again { self.run.1.saturating_add(1) } else { 1 };
        self.run = (number, run);
        run <= if self.bursts() { 1 } else { RUN }
    }

    /// A packet sent after the last reduction was lost.
    pub(super) fn on_lost(&mut self) {
        self.sum += 1.0;
    }

    /// The same while the queue is long; returns whether that is more than the path explains.
    pub(super) fn on_lost_long(&mut self) -> bool {
        self.sum_long += 1.0;
        self.sum_long >= 1.0 + SLACK_LONG * (self.path() - MARGIN_LONG).max(0.0)
    }

    /// `lost` of `sent` packets were lost. Returns whether that showed the path's own loss rate.
    pub(super) fn on_resolved(&mut self, now: Nanos, lost: u64, sent: u64, at: Moment) -> bool {
        self.total += sent;
        let (lost, sent) = (lost as f64, sent as f64);
        self.round.add(lost, sent);
        let p = self.believed();
        let sample = self.path.sent.max(self.proven.sent).max(1.0);
        let spread = (p * (1.0 - p) * self.dispersion / sample).sqrt();
        self.sum = (self.sum - (p + MARGIN + UNSURE * spread) * sent).max(0.0);
        if at.long {
            self.sum_long = (self.sum_long - (p + MARGIN_LONG) * sent).max(0.0);
        }
        self.quiet += sent;
        self.unconfirmed += sent;
        if at.short {
            self.short.add(lost, sent);
        }
        if self.short.sent >= SHORT_SAMPLE {
            let sample = std::mem::take(&mut self.short);
            let little = self.path.sent <= 0.0 && sample.lost <= MARGIN * sample.sent;
            if little || (self.path.sent > 0.0 && self.is_chance(sample)) {
                self.learn(now, sample);
            }
        }
        if at.empty {
            self.empty.add(lost, sent);
        }
        let mut learned = false;
        if self.empty.sent >= SHORT_SAMPLE {
            let sample = std::mem::take(&mut self.empty);
            if at.small {
                self.learn(now, sample);
                learned = true;
            }
        }
        if at.small && at.half && self.wait == 0 {
            self.small.add(lost, sent);
            if self.small.sent >= SMALL_SAMPLE {
                let sample = std::mem::take(&mut self.small);
                self.learn(now, sample);
                learned = true;
            }
        }
        learned
    }

    /// True if a sample is not significantly above the loss rate.
    fn is_chance(&self, sample: Share) -> bool {
        let q = (sample.lost + self.path.lost) / (sample.sent + self.path.sent);
        let each = 1.0 / sample.sent + 1.0 / self.path.sent;
        let spread = (q * (1.0 - q) * self.dispersion * each).max(0.0).sqrt();
        sample.lost / sample.sent - self.path() < CHANCE * spread
    }

    fn learn(&mut self, now: Nanos, sample: Share) {
        let room = (MEMORY - sample.sent).max(0.0);
        if self.path.sent > room {
            let keep = room / self.path.sent;
            self.path.lost *= keep;
            self.path.sent *= keep;
        }
        self.path.add(sample.lost.min(MAX_LOSS_RATE * sample.sent), sample.sent);
        self.confirmed = now;
        self.unconfirmed = 0.0;
    }

    /// A startup round is over. If the arrivals grew as much as the sent packets, and no packet
    /// waited, the round before did not overflow.
    pub(super) fn on_startup_round(&mut self, doubled: bool, no_queue: bool) {
        let round = std::mem::take(&mut self.round);
        let round = if no_queue { round } else { Share::default() };
        let before = std::mem::replace(&mut self.before, round);
        if doubled {
            self.proven.add(before.lost, before.sent);
        }
    }

    pub(super) const fn end_startup(&mut self) {
        self.started = true;
    }

    /// The startup met a queue and therefore had met none before: the earlier losses were the
    /// path's.
    pub(super) fn on_queue(&mut self, now: Nanos) {
        if self.proven.sent >= STARTUP_SAMPLE && !self.started {
            let sample = std::mem::take(&mut self.proven);
            self.learn(now, sample);
        }
    }

    pub(super) const fn on_overflow(&mut self) {
        (self.sum, self.sum_long, self.quiet) = (0.0, 0.0, 0.0);
        self.wait = 2;
        self.started = true;
    }

    /// The window was reduced for a loss while the queue was long.
    pub(super) const fn on_long(&mut self) {
        self.sum_long = 0.0;
    }

    pub(super) const fn on_probed(&mut self) {
        self.wait = 1;
    }

    pub(super) fn on_round(&mut self, now: Nanos, dispersion: f64) {
        if now.since(self.confirmed) > CONFIRMATION_TIME && self.unconfirmed > MEMORY {
            self.path.lost *= 1.0 - UNCONFIRMED_LOSS_REDUCTION;
            self.confirmed = now;
            self.unconfirmed = 0.0;
        }
        self.wait = self.wait.saturating_sub(1);
        self.dispersion = dispersion;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FREE: Moment =
        Moment { small: false, half: true, short: true, empty: false, long: false };
    const SMALL: Moment = Moment { small: true, ..FREE };

    /// `n` packets, every `every`-th of them lost; returns the number until more is lost than the
    /// path explains.
    fn feed(e: &mut LossCusum, at: Moment, n: u64, every: u64) -> Option<u64> {
        (1..=n).find(|i| {
            let lost = i % every == 0;
            e.on_resolved(Nanos(*i), u64::from(lost), 1, at);
            if lost {
                e.on_lost();
            }
            e.exceeded()
        })
    }

    #[test]
    fn the_first_loss_of_a_loss_free_path_is_an_overflow() {
        assert_eq!(feed(&mut LossCusum::default(), Moment::default(), 100, 19), Some(19));
        // At a hundredth: 1 + 0.7 + 2, and 0.06 a packet.
        let mut e = LossCusum::default();
        for i in 1..=512_u64 {
            e.on_resolved(Nanos(i), u64::from(i % 100 == 0), 1, FREE);
        }
        assert!((0.004..0.02).contains(&e.path()), "{}", e.path());
        assert_eq!(feed(&mut e, FREE, 1000, 25), None);
        assert!(feed(&mut e, Moment::default(), 1000, 5).is_some());
    }

    #[test]
    fn losses_in_small_windows_are_the_paths() {
        let mut e = LossCusum::default();
        for i in 0..256_u64 {
            e.on_resolved(Nanos(i), u64::from(i % 4 == 0), 1, SMALL);
        }
        assert!((e.path() - 0.25).abs() < 1e-9);
        e.on_overflow();
        assert_eq!(feed(&mut e, FREE, 4000, 4), None, "the same at a large window");
        // Half: 0.5 - 0.25 - 0.05 - 1.5 * 0.02 a packet, up to 1 + 70 * 0.1875 = 14.1.
        let found = feed(&mut e, FREE, 4000, 2).unwrap();
        assert!((60..130).contains(&found), "{found}");
    }

    #[test]
    fn an_unconfirmed_loss_rate_shrinks() {
        let mut e = LossCusum::default();
        for i in 0..128_u64 {
            e.on_resolved(Nanos(i), u64::from(i % 2 == 0), 1, SMALL);
        }
        assert!((e.path() - 0.5).abs() < 1e-9);
        let full = Moment { long: true, ..Moment::default() };
        for s in 1..=30_u64 {
            e.on_resolved(Nanos(s * 1_000_000_000), 500, 1000, full);
            e.on_round(Nanos(s * 1_000_000_000), 1.0);
        }
        assert!((e.path() - 0.5 * 0.7 * 0.7).abs() < 1e-9, "{}", e.path());
    }

    #[test]
    fn runs_count_little() {
        let mut e = LossCusum::default();
        assert_eq!((10..30).filter(|n| e.counts(*n)).count(), 4);
        e.on_round(Nanos(1), 10.0);
        assert_eq!((40..60).filter(|n| e.counts(*n)).count(), 1);
        assert!(feed(&mut e, FREE, 1000, 2).is_none(), "bursts are not judged");
    }
}
