//! Losses beyond those of the path itself: what an overflow is known by where no delay shows it.
//!
//! The share `p` that the path loses by itself is learned in moments that are not congested:
//!
//! - while the window is small (packets that left after it became so) and the queue is short of half of
//!   the longest seen: what is lost then does not depend on our rate;
//! - while the queue is empty and the window small;
//! - while the queue is short, at whatever window, from what is not significantly more than `p`;
//! - in a startup, as long as arrivals double without a queue ([`super::control`]).
//!
//! It is none to begin with, an average over up to `MEMORY` packets, and loses `FORGOTTEN` of itself when
//! it was not confirmed in such a moment for `BELIEVED` and `MEMORY` packets: who holds a wrong `p` keeps
//! a queue standing, and finds no such moment.
//!
//! Whatever is lost beyond it is summed up (a one-sided CUSUM test; Page 1954), with `s` the deviation
//! of `p` and `D` the dispersion of the losses:
//!
//! ```text
//! S <- max(0, S - (p + MARGIN + UNSURE s) n) + l,      overflow: S >= 1 + SLACK p (1 - p) D + min(2, SLACK_FEW p)
//! ```
//!
//! So without losses of the path the first loss is an overflow, as for any TCP; at 30 % it takes a
//! hundred packets with a sixth more. While the queue is long less will do:
//! `MARGIN_LONG` and `SLACK_LONG p`, the first loss if the path has none.
//!
//! A queue that overflows lets a part through. Of losses in a row only the first `RUN` count, and where
//! losses come in bursts (`D > BURSTS`) the sum says nothing: growth is bounded by [`super::delivery_bound`] there.

use airtcp_units::{Nanos, Span};

/// Packets at a small window from which the share is learned, and in a short queue.
const SMALL_SAMPLE: f64 = 48.0;
const SHORT_SAMPLE: f64 = 128.0;
/// Packets of a startup from which it is learned.
const STARTUP_SAMPLE: f64 = 24.0;
/// Packets over which it is averaged.
const MEMORY: f64 = 512.0;
/// What is tolerated beyond it, and deviations of it.
const MARGIN: f64 = 0.05;
const UNSURE: f64 = 1.5;
/// Deviations that chance explains.
const CHANCE: f64 = 2.0;
/// Losses that chance may add, for a variance of 1.
const SLACK: f64 = 70.0;
/// The same where losses are few, up to 2: then they are far from normal.
const SLACK_FEW: f64 = 200.0;
/// The same while the queue is long: beyond the share, and for each of it above the margin.
const MARGIN_LONG: f64 = 0.02;
const SLACK_LONG: f64 = 10.0;
/// Upper bound of the loss rate of one sample.
const MAX_LOSS_RATE: f64 = 0.6;
/// How long without confirmation, and what is left then.
const BELIEVED: Span = Span::from_secs(10);
const FORGOTTEN: f64 = 0.3;
/// Losses in a row that count; one in bursts.
const RUN: u32 = 4;
/// Dispersion from which on losses come in bursts.
const BURSTS: f64 = 4.0;
/// Packets without an overflow after which the window grows again.
const QUIET: f64 = 32.0;

/// Packets and how many of them were lost.
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

/// In which moment packets' fates became known.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Moment {
    /// The window is small.
    pub(super) small: bool,
    /// The queue is shorter than half of the longest seen; shorter than a third; empty.
    pub(super) half: bool,
    pub(super) short: bool,
    pub(super) empty: bool,
    /// It is long.
    pub(super) long: bool,
}

/// The share lost by the path, and what is beyond it.
#[derive(Debug)]
pub(super) struct LossCusum {
    path: Share,
    sum: f64,
    sum_long: f64,
    small: Share,
    short: Share,
    empty: Share,
    /// Packets since the last overflow, since the share was confirmed, and in all.
    quiet: f64,
    unconfirmed: f64,
    total: u64,
    /// Packets of this round of a startup, of the last, and of those that did not overflow.
    round: Share,
    before: Share,
    proven: Share,
    /// The startup tells nothing more: it is over, met an overflow, or other flows' queue.
    started: bool,
    confirmed: Nanos,
    /// Rounds until what left after the last reduction is heard of.
    wait: u32,
    dispersion: f64,
    /// The last loss, and how many there were in a row.
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
            quiet: QUIET,
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
    /// Share that the path loses by itself.
    pub(super) fn path(&self) -> f64 {
        if self.path.sent > 0.0 { self.path.lost / self.path.sent } else { 0.0 }
    }

    /// The same for judging losses: in a startup what was lost while arrivals doubled without a queue.
    fn believed(&self) -> f64 {
        let startup = self.path.sent <= 0.0 && !self.started && self.proven.sent > 0.0;
        if startup { self.proven.lost / self.proven.sent } else { self.path() }
    }

    /// Packets whose fates are known.
    pub(super) const fn total(&self) -> u64 {
        self.total
    }

    /// Losses come in bursts.
    pub(super) fn bursts(&self) -> bool {
        self.dispersion > BURSTS
    }

    /// There was no overflow for a while.
    pub(super) fn is_quiet(&self) -> bool {
        self.quiet >= QUIET
    }

    /// More is lost than the path explains.
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

    /// A packet was lost that left after the last reduction.
    pub(super) fn on_lost(&mut self) {
        self.sum += 1.0;
    }

    /// The same while the queue is long: true if that is more than the path explains.
    pub(super) fn on_lost_long(&mut self) -> bool {
        self.sum_long += 1.0;
        self.sum_long >= 1.0 + SLACK_LONG * (self.path() - MARGIN_LONG).max(0.0)
    }

    /// Of so many packets so many were lost. True if that tells what the path loses by itself.
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
        let mut told = false;
        if self.empty.sent >= SHORT_SAMPLE {
            let sample = std::mem::take(&mut self.empty);
            if at.small {
                self.learn(now, sample);
                told = true;
            }
        }
        if at.small && at.half && self.wait == 0 {
            self.small.add(lost, sent);
            if self.small.sent >= SMALL_SAMPLE {
                let sample = std::mem::take(&mut self.small);
                self.learn(now, sample);
                told = true;
            }
        }
        told
    }

    /// A sample is not significantly above the share.
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

    /// A round of a startup is over. If as much more arrived as was sent, and no packet waited, the round
    /// before did not overflow.
    pub(super) fn on_startup_round(&mut self, doubled: bool, no_queue: bool) {
        let round = std::mem::take(&mut self.round);
        let round = if no_queue { round } else { Share::default() };
        let before = std::mem::replace(&mut self.before, round);
        if doubled {
            self.proven.add(before.lost, before.sent);
        }
    }

    /// The startup is over.
    pub(super) const fn end_startup(&mut self) {
        self.started = true;
    }

    /// The startup met a queue, so that there was none before: what was lost then was the path's.
    pub(super) fn on_queue(&mut self, now: Nanos) {
        if self.proven.sent >= STARTUP_SAMPLE && !self.started {
            let sample = std::mem::take(&mut self.proven);
            self.learn(now, sample);
        }
    }

    /// The window was reduced for an overflow.
    pub(super) const fn on_overflow(&mut self) {
        (self.sum, self.sum_long, self.quiet) = (0.0, 0.0, 0.0);
        self.wait = 2;
        self.started = true;
    }

    /// It was reduced for a loss while the queue was long.
    pub(super) const fn on_long(&mut self) {
        self.sum_long = 0.0;
    }

    /// It grew after a probe.
    pub(super) const fn on_probed(&mut self) {
        self.wait = 1;
    }

    /// A round is over.
    pub(super) fn on_round(&mut self, now: Nanos, dispersion: f64) {
        if now.since(self.confirmed) > BELIEVED && self.unconfirmed > MEMORY {
            self.path.lost *= 1.0 - FORGOTTEN;
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

    /// `n` packets, every `every`-th of them lost; how many until more is lost than the path explains.
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
    fn the_first_loss_of_a_path_without() {
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
    fn what_small_windows_lose_is_the_paths() {
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
    fn what_is_not_confirmed_is_forgotten() {
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
