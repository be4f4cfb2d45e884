//! Departure times of paced segments, and a pacing rate from the window for laws without a rate.
//!
//! A segment waits for `C.next_send_time` of draft-ietf-ccwg-bbr section 5.6.2, computed from
//! payload. A law with a send quantum paces as Linux does: the quantum leaves at once, and a
//! segment that leaves late shortens the next wait, by at most a half.

use airtcp_units::{BitRate, Nanos, Span};

use airtcp_congestion::CongestionControl;

/// The pacing rate of `window` as in Linux: twice `window / srtt` while the law's window is below
/// half of its threshold, 1.2 times above, so that the whole window leaves within the round trip.
pub(crate) fn spread(window: u64, law: &impl CongestionControl, srtt: Span) -> Option<BitRate> {
    let tenths = if law.cwnd() < law.ssthresh() / 2 { 20 } else { 12 };
    let bit_ns = u128::from(window) * 8_000_000_000 * tenths / 10;
    let bps = u64::try_from(bit_ns / u128::from(srtt.0.max(1))).unwrap_or(u64::MAX);
    BitRate::new(bps.max(1))
}

/// When the next paced segment may leave.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Pacer {
    /// Earliest time of the next segment.
    pub(crate) next: Nanos,
    /// Time at which the last quantum began to leave, and its unsent bytes.
    at: Nanos,
    left: u64,
    /// How late the last quantum left, less the time by which later waits were shortened.
    late: Span,
}

impl Pacer {
    /// Whether new data of `bytes` belongs to the quantum of this instant.
    #[inline]
    pub(crate) fn continues(&self, now: Nanos, bytes: u64) -> bool {
        self.left >= bytes && self.at == now
    }

    /// `bytes` leave, which takes `time` at the pacing rate. `quantum` is the law's; 0 for a
    /// segment that leaves alone (a retransmission). Without a quantum no segments leave together,
    /// and a late departure does not shorten the next wait.
    pub(crate) fn on_sent(&mut self, now: Nanos, bytes: u64, time: Span, quantum: Option<u64>) {
        let Some(quantum) = quantum else {
            self.next = self.next.max(now) + time;
            return;
        };
        if quantum > 0 && self.continues(now, bytes) {
            self.left -= bytes;
        } else {
            (self.at, self.left) = (now, quantum.saturating_sub(bytes));
            self.late = now.since(self.next);
        }
        let saved = self.late.min(time / 2);
        self.late = Span(self.late.0 - saved.0);
        self.next = self.next.max(now) + Span(time.0 - saved.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1000;
    const TIME: Span = Span::from_millis(4);

    fn at(ms: u64) -> Nanos {
        Nanos::ZERO + Span::from_millis(ms)
    }

    #[test]
    fn without_a_quantum_each_segment_waits_for_the_last() {
        let mut p = Pacer::default();
        p.on_sent(at(10), MSS, TIME, None);
        assert_eq!((p.next, p.continues(at(10), MSS)), (at(14), false));
        p.on_sent(at(20), MSS, TIME, None);
        assert_eq!(p.next, at(24), "being late earns nothing");
    }

    #[test]
    fn a_quantum_leaves_at_once_and_is_paced_as_one() {
        let mut p = Pacer { next: at(10), ..Pacer::default() };
        p.on_sent(at(10), MSS, TIME, Some(2 * MSS));
        assert!(p.continues(at(10), MSS) && !p.continues(at(11), MSS));
        p.on_sent(at(10), MSS, TIME, Some(2 * MSS));
        assert!(!p.continues(at(10), MSS), "two segments, not three");
        assert_eq!(p.next, at(18));
        // A retransmission belongs to no quantum.
        p.on_sent(at(18), MSS, TIME, Some(0));
        assert_eq!((p.next, p.continues(at(18), MSS)), (at(22), false));
    }

    #[test]
    fn lateness_shortens_the_wait_by_a_half_at_most() {
        let pair = |late| {
            let mut p = Pacer { next: at(10), ..Pacer::default() };
            let now = at(10) + late;
            p.on_sent(now, MSS, TIME, Some(2 * MSS));
            p.on_sent(now, MSS, TIME, Some(2 * MSS));
            p.next.since(now)
        };
        let ms = Span::from_millis;
        assert_eq!([ms(0), ms(1), ms(3), ms(4), ms(99)].map(pair), [8, 7, 5, 4, 4].map(ms));
    }
}
