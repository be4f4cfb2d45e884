//! Whether marks can be relied on, and what stands for them where they cannot.
//!
//! Validation is QUIC's (RFC 9000 section 13.4.2 and appendix A.4): the first ten packets are sent
//! ECN-capable, then none until feedback confirms that capable packets arrive as such; counts that
//! are too small or too great, or a timeout before any answer, end ECN for the connection. That a
//! path leaves the field alone does not show that its queues mark. They are taken to do so until
//! they overflow: a queue stands, no mark came for `mark_memory`, and of a block's N segments more
//! are lost than chance explains. A mark restores the trust. S0 and S2 take ECN for granted; this is
//! ours. A sender that answers no loss makes any queue that does not mark overflow, so that the
//! evidence comes.
//!
//! A queue that is short, or was never empty while the flow lasted, is not seen to stand: losses that
//! follow the flow's own growth (`overflow`) end the trust as well.
//!
//! Where marks cannot be relied on, losses are told to the congestion law while a queue stands
//! (ours as well): a full queue is long, corruption does not wait for one. And those that follow growth.
//!
//! Once no mark came for `DOUBT` after that, or at once where ECN failed, the path's own losses are
//! found out by [`super::path`], which takes the place of `overflow`.
//!
//! ```text
//! stands:   RTT - RTT_min >= max(queue_floor, queue_share (RTT_max - RTT_min))
//! overflow: lost >= 1 + N E + 3 sqrt(N E (1 - E))
//! ```
//!
//! RTT_min is the connection's, RTT_max that of the present and the last ten seconds, E the
//! estimate before the block.

use airtcp_units::{LowBits, Nanos, Saturate, Span};

use super::config::{LtConfig, Response, WithoutEcn};
use super::greatest::Greatest;

/// Packets sent ECN-capable before any is confirmed (RFC 9000 appendix A.4).
const TEST_PACKETS: u64 = 10;

/// Deviations above the mean that chance does not explain.
const DEVIATIONS: f64 = 3.0;

/// Length of the intervals of which the greatest round trip is remembered.
const INTERVAL: Span = Span::from_secs(10);

/// How long marks may be late after a queue overflowed without one: a slow average, as RED's, lags behind
/// a slow start.
const DOUBT: Span = Span::from_secs(2);

/// What is known of the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Path {
    /// Not negotiated, or found not to work.
    Failed,
    /// Capable packets are on their way, none is confirmed.
    Testing,
    /// Capable packets arrive as such.
    Capable,
}

/// Validation of ECN.
#[derive(Debug, Clone)]
pub(crate) struct EcnPath {
    path: Path,
    /// Packets sent ECN-capable, and those of them known to have arrived.
    sent: u64,
    arrived: u64,
    /// Counts of the peer.
    capable: u64,
    marked: u64,
    last_mark: Option<Nanos>,
    /// When a queue was found to have overflowed that should have marked.
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

    /// Whether the next packet leaves ECN-capable; counts it if so.
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

    /// A timeout: if nothing capable was ever confirmed, the path takes such packets away.
    pub(crate) fn on_timeout(&mut self) {
        if self.path == Path::Testing && self.arrived == 0 && self.sent > 0 {
            self.path = Path::Failed;
        }
    }

    /// Takes the peer's counts, after what has arrived was noted. True if a packet was newly marked.
    pub(crate) fn on_counts(&mut self, now: Nanos, capable: u16, marked: u16) -> bool {
        if self.path == Path::Failed {
            return false;
        }
        let more_capable = capable.wrapping_sub(u16::low_bits(self.capable));
        let more_marked = marked.wrapping_sub(u16::low_bits(self.marked));
        // Counts never fall: these are of feedback that was overtaken.
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

    /// Of a block's first `sent` segments `lost` were lost, by an estimate of `expected`, with a
    /// queue standing.
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

    /// More is lost than at small windows: a queue that does not mark overflows, however short it
    /// is.
    pub(crate) fn on_excess(&mut self, now: Nanos, memory: Span) {
        if self.is_quiet(now, memory) {
            self.overflowed = self.overflowed.or(Some(now));
        }
    }

    /// No mark came lately.
    fn is_quiet(&self, now: Nanos, memory: Span) -> bool {
        self.last_mark.is_none_or(|at| now.since(at) > memory)
    }

    /// Marks are relied on.
    pub(crate) fn is_trusted(&self) -> bool {
        self.path != Path::Failed && self.overflowed.is_none()
    }

    /// Marks cannot be relied on, and none came for a while after that was found.
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

/// Whether a queue stands.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct QueueGate {
    /// Round trips.
    greatest: Greatest<Span>,
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

/// Whether a loss is told to the congestion law.
pub(crate) fn tells_loss(
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

/// Whether losses that follow growth are told to the congestion law, whatever the round trip.
pub(crate) fn tells_excess(path: &EcnPath, config: &LtConfig) -> bool {
    config.response == Response::Ecn
        && config.without_ecn == WithoutEcn::StandingQueue
        && !path.is_trusted()
}

/// Marks are given up: what the path loses by itself is found out ([`super::path`]), with the window
/// spread over the round trip.
pub(crate) fn finds_out(path: &EcnPath, config: &LtConfig, now: Nanos) -> bool {
    tells_excess(path, config) && path.is_given_up(now)
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
    fn paths_that_bleach_lie_or_drop() {
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
        assert!(!finds_out(&p, &config, at(0)));
        p.on_excess(at(1000), Span::ZERO);
        p.on_excess(at(2500), Span::ZERO);
        assert!(!finds_out(&p, &config, at(2999)) && finds_out(&p, &config, at(3000)));
        assert!(p.on_counts(at(4000), 0, 1) && !finds_out(&p, &config, at(9000)), "a mark");
        let failed = EcnPath::new(false);
        assert!(finds_out(&failed, &config, at(0)), "none can come");
        let papers = LtConfig { without_ecn: WithoutEcn::Nothing, ..config };
        assert!(!finds_out(&failed, &papers, at(9000)));
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
        assert!(at(21, 129), "what was before is forgotten");
    }
}
