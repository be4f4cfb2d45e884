//! Whether marks are reliable, and what replaces them otherwise.
//!
//! Validation is QUIC's (RFC 9000 section 13.4.2 and appendix A.4). The first ten packets are sent
//! ECN-capable, then none until feedback confirms that capable packets arrive as such. Counts that
//! are too small or too large, or a timeout before any answer, end ECN for the connection. A path
//! that preserves the field may still have queues that do not mark. The sender assumes that queues
//! mark until one overflows: a queue stands, no mark came for `mark_memory`, and more of a block's
//! N segments are lost than chance explains. A mark restores this trust. S0 and S2 assume that ECN
//! works; this check is ours. A sender that answers no loss makes any queue that does not mark
//! overflow, so the evidence arrives.
//!
//! A short queue, or one that was never empty during the flow, is not detected as standing. Losses
//! that follow the flow's own growth (`overflow`) therefore end the trust too.
//!
//! If marks are not reliable, the sender reports losses to the congestion law while a queue stands
//! (this is also ours): a full queue is long, and corruption does not depend on one. It also
//! reports losses that follow growth.
//!
//! If no mark came for `DOUBT` after that, or at once if ECN failed, [`super::path`] estimates the
//! path's own losses in place of `overflow`.
//!
//! ```text
//! stands:   RTT - RTT_min >= max(queue_floor, queue_share (RTT_max - RTT_min))
//! overflow: lost >= 1 + N E + 3 sqrt(N E (1 - E))
//! ```
//!
//! RTT_min is the connection's minimum, RTT_max the maximum of the present and the previous
//! ten-second interval, E the estimate before the block.

use airtcp_units::{LowBits, Nanos, Saturate, Span};

use super::config::{LtConfig, Response, WithoutEcn};
use super::recent_max::RecentMax;

/// Packets sent ECN-capable before any is confirmed (RFC 9000 appendix A.4).
const TEST_PACKETS: u64 = 10;

/// Standard deviations above the mean that chance does not explain.
const DEVIATIONS: f64 = 3.0;

/// Length of the intervals over which the maximum round-trip time is kept.
const INTERVAL: Span = Span::from_secs(10);

/// Time for which marks may be late after an overflow without one: a slow average, as RED's, lags
/// behind a slow start.
const DOUBT: Span = Span::from_secs(2);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Path {
    /// ECN was not negotiated, or does not work.
    Failed,
    /// Capable packets are on their way; none is confirmed.
    Testing,
    /// Capable packets arrive as such.
    Capable,
}

#[derive(Debug, Clone)]
pub(crate) struct EcnPath {
    path: Path,
    /// Number of packets sent ECN-capable, and of those known to have arrived.
    sent: u64,
    arrived: u64,
    /// Counts that the peer reported.
    capable: u64,
    marked: u64,
    last_mark: Option<Nanos>,
    /// Time at which a queue overflowed without a mark.
    overflowed: Option<Nanos>,
}

impl EcnPath {
    pub(crate) const fn new(agreed: bool) -> Self {
        let path = if agreed { Path::Testing } else { Path::Failed };
        let (sent, arrived, capable, marked) = (0, 0, 0, 0);
        Self { path, sent, arrived, capable, marked, last_mark: None, overflowed: None }
    }

    pub(crate) const fn path(&self) -> Path {
        self.path
    }

    /// Whether the next packet leaves ECN-capable; if so, counts it.
    pub(crate) const fn send(&mut self) -> bool {
        let capable = match self.path {
            Path::Failed => false,
            Path::Testing => self.sent < TEST_PACKETS,
            Path::Capable => true,
        };
        if capable {
            self.sent += 1;
        }
        capable
    }

    /// A packet sent ECN-capable has arrived.
    pub(crate) const fn on_arrived(&mut self) {
        self.arrived += 1;
    }

    /// A timeout: if no capable packet was ever confirmed, the path drops such packets.
    pub(crate) fn on_timeout(&mut self) {
        if self.path == Path::Testing && self.arrived == 0 && self.sent > 0 {
            self.path = Path::Failed;
        }
    }

    /// Takes the peer's counts, after arrivals were noted. Returns whether a packet was newly
    /// marked.
    pub(crate) fn on_counts(&mut self, now: Nanos, capable: u16, marked: u16) -> bool {
        if self.path == Path::Failed {
            return false;
        }
        let more_capable = capable.wrapping_sub(u16::low_bits(self.capable));
        let more_marked = marked.wrapping_sub(u16::low_bits(self.marked));
        // Counts never fall: smaller ones are from feedback that was overtaken.
        if more_capable > u16::MAX / 2 || more_marked > u16::MAX / 2 {
            return false;
        }
        self.capable += u64::from(more_capable);
        self.marked += u64::from(more_marked);
        let counted = self.capable + self.marked;
        if counted < self.arrived || counted > self.sent {
            self.path = Path::Failed;
            return false;
        }
        if self.arrived > 0 {
            self.path = Path::Capable;
        }
        if more_marked > 0 {
            self.last_mark = Some(now);
            self.overflowed = None;
        }
        more_marked > 0
    }

    /// Of a block's first `sent` segments `lost` were lost, with an estimate of `expected` and a
    /// standing queue.
    pub(crate) fn on_losses(
        &mut self,
        now: Nanos,
        (lost, sent): (u16, u16),
        expected: f64,
        memory: Span,
    ) {
        if self.is_quiet(now, memory) && is_overflow(lost, sent, expected) {
            self.overflowed = self.overflowed.or(Some(now));
        }
    }

    /// More is lost than at small windows: a queue overflows without marks, however short it is.
    pub(crate) fn on_excess(&mut self, now: Nanos, memory: Span) {
        if self.is_quiet(now, memory) {
            self.overflowed = self.overflowed.or(Some(now));
        }
    }

    /// True if no mark came recently.
    fn is_quiet(&self, now: Nanos, memory: Span) -> bool {
        self.last_mark.is_none_or(|at| now.since(at) > memory)
    }

    /// True if marks are reliable.
    pub(crate) fn is_trusted(&self) -> bool {
        self.path != Path::Failed && self.overflowed.is_none()
    }

    /// True if marks are not reliable, and none came for a while after that was found.
    pub(crate) fn is_given_up(&self, now: Nanos) -> bool {
        let waited = |at: Nanos| now.since(at) >= DOUBT;
        self.path == Path::Failed || self.overflowed.is_some_and(waited)
    }
}

/// True if chance does not explain a loss of `lost` of `sent` segments.
fn is_overflow(lost: u16, sent: u16, expected: f64) -> bool {
    let mean = f64::from(sent) * expected;
    f64::from(lost) >= 1.0 + mean + DEVIATIONS * (mean * (1.0 - expected)).max(0.0).sqrt()
}

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct QueueGate {
    /// Round-trip times.
    greatest: RecentMax<Span>,
    since: Nanos,
    latest: Span,
}

impl QueueGate {
    pub(crate) fn sample(&mut self, now: Nanos, rtt: Span) {
        let passed = now.since(self.since);
        if passed >= INTERVAL {
            if passed >= INTERVAL * 2 {
                self.greatest.turn();
            }
            self.greatest.turn();
            self.since = now;
        }
        self.greatest.take(rtt);
        self.latest = rtt;
    }

    pub(crate) fn stands(&self, least: Span, config: &LtConfig) -> bool {
        let range = self.greatest.get().saturating_sub(least);
        let share = Span(u64::saturate(range.0 as f64 * config.queue_share));
        self.latest.saturating_sub(least) >= share.max(config.queue_floor)
    }
}

/// Whether a loss is reported to the congestion law.
pub(crate) fn reports_loss(
    path: &EcnPath,
    gate: &QueueGate,
    least: Option<Span>,
    config: &LtConfig,
) -> bool {
    match config.response {
        Response::Loss => true,
        Response::Ecn if path.is_trusted() => false,
        Response::Ecn => match config.without_ecn {
            WithoutEcn::Loss => true,
            WithoutEcn::Nothing => false,
            WithoutEcn::StandingQueue => least.is_some_and(|least| gate.stands(least, config)),
        },
    }
}

/// Whether losses that follow growth are reported to the congestion law, at any round-trip time.
pub(crate) fn reports_excess(path: &EcnPath, config: &LtConfig) -> bool {
    config.response == Response::Ecn
        && config.without_ecn == WithoutEcn::StandingQueue
        && !path.is_trusted()
}

/// Whether marks are given up: [`super::path`] then estimates the path's own losses, and the window
/// is spread over the round trip.
pub(crate) fn estimates_path(path: &EcnPath, config: &LtConfig, now: Nanos) -> bool {
    reports_excess(path, config) && path.is_given_up(now)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(path: &mut EcnPath, n: u64) -> u64 {
        (0..n).filter(|_| path.send()).count() as u64
    }

    #[test]
    fn ten_packets_and_then_proof() {
        let mut p = EcnPath::new(true);
        assert_eq!(sent(&mut p, 20), 10);
        assert!(!p.on_counts(Nanos(1), 0, 0));
        assert_eq!(p.path(), Path::Testing, "nothing has arrived, nothing is proved");
        p.on_arrived();
        assert!(!p.on_counts(Nanos(2), 1, 0));
        assert_eq!((p.path(), sent(&mut p, 20)), (Path::Capable, 20));
        for _ in 0..3 {
            p.on_arrived();
        }
        assert!(p.on_counts(Nanos(3), 3, 1), "a mark");
        assert!(!p.on_counts(Nanos(4), 2, 1), "feedback that was overtaken");
        assert_eq!(p.path(), Path::Capable);
    }

    #[test]
    fn paths_that_bleach_misreport_or_drop() {
        let fails = |counts: (u16, u16)| {
            let mut p = EcnPath::new(true);
            sent(&mut p, 10);
            p.on_arrived();
            p.on_arrived();
            p.on_counts(Nanos(1), counts.0, counts.1);
            (p.path() == Path::Failed) && sent(&mut p, 5) == 0
        };
        assert!(fails((0, 0)) && fails((1, 0)), "bleached");
        assert!(fails((11, 0)) && fails((8, 3)), "more than were sent");
        assert!(!fails((2, 0)) && !fails((0, 2)) && !fails((10, 0)));
        let mut p = EcnPath::new(true);
        sent(&mut p, 3);
        p.on_timeout();
        assert_eq!(p.path(), Path::Failed, "nothing came through");
        assert_eq!(sent(&mut EcnPath::new(false), 5), 0);
    }

    #[test]
    fn counts_wrap() {
        let mut p = EcnPath::new(true);
        p.on_arrived();
        (p.sent, p.path) = (200_000, Path::Capable);
        for n in (1000..150_000u64).step_by(1000) {
            p.on_counts(Nanos(n), n as u16, 0);
        }
        assert_eq!((p.path(), p.capable), (Path::Capable, 149_000));
    }

    #[test]
    fn trust_ends_with_an_overflow_and_returns_with_a_mark() {
        // 10 + 3 * 3 + 1 of a hundred at a tenth.
        assert!(!is_overflow(19, 100, 0.1) && is_overflow(20, 100, 0.1));
        assert!(!is_overflow(0, 100, 0.0) && is_overflow(1, 100, 0.0));
        let mut p = EcnPath::new(true);
        sent(&mut p, 2);
        p.on_arrived();
        let memory = Span(100);
        assert!(p.is_trusted());
        assert!(p.on_counts(Nanos(1000), 0, 1));
        p.on_losses(Nanos(1100), (5, 10), 0.0, memory);
        assert!(p.is_trusted(), "it marked lately");
        p.on_losses(Nanos(1101), (5, 10), 0.0, memory);
        assert!(!p.is_trusted());
        p.on_arrived();
        assert!(p.on_counts(Nanos(2000), 0, 2) && p.is_trusted());
        assert!(!EcnPath::new(false).is_trusted());
    }

    #[test]
    fn marks_are_given_up_a_while_after_the_trust_ended() {
        let config = LtConfig::default();
        let at = |ms: u64| Nanos::ZERO + Span::from_millis(ms);
        let mut p = EcnPath::new(true);
        sent(&mut p, 2);
        p.on_arrived();
        assert!(!estimates_path(&p, &config, at(0)));
        p.on_excess(at(1000), Span::ZERO);
        p.on_excess(at(2500), Span::ZERO);
        assert!(!estimates_path(&p, &config, at(2999)) && estimates_path(&p, &config, at(3000)));
        assert!(p.on_counts(at(4000), 0, 1) && !estimates_path(&p, &config, at(9000)), "a mark");
        let failed = EcnPath::new(false);
        assert!(estimates_path(&failed, &config, at(0)), "none can come");
        let papers = LtConfig { without_ecn: WithoutEcn::Nothing, ..config };
        assert!(!estimates_path(&failed, &papers, at(9000)));
    }

    #[test]
    fn a_queue_stands_or_not() {
        let ms = Span::from_millis;
        let config = LtConfig::default();
        let mut gate = QueueGate::default();
        let mut at = |now: u64, rtt: u64| {
            gate.sample(Nanos::ZERO + Span::from_secs(now), ms(rtt));
            gate.stands(ms(80), &config)
        };
        assert!(!at(0, 80) && !at(0, 89), "below the floor");
        assert!(at(0, 90) && at(1, 180), "the greatest so far");
        assert!(!at(2, 129) && at(2, 130), "half of the range");
        assert!(!at(11, 129), "the last interval counts");
        assert!(at(21, 129), "older values have expired");
    }
}
