//! Outages: the link loses everything for a while. Such losses are neither a sample of the usual
//! loss rate nor congestion. This is ours, not the papers'.
//!
//! A full queue still forwards packets at the rate of the link. A run of successive packets that
//! were all lost therefore shows an outage:
//!
//! ```text
//! outage:  a run of packets without an arrival, sent at `outage_run` times or more, each
//!          SRTT / APART or more after the one before
//! probe:   PTO after the last feedback, then after PTO and twice 2 PTO, 4 PTO; 4 PTO from then on
//! PTO:     max(SRTT + 4 RTTVAR, 1.5 SRTT), plus the ACK delay if one packet is in flight
//! ```
//!
//! The packets of one burst count once, since a queue may drop the tail of a burst.

use airtcp_units::{Nanos, Span};

/// Divisor of the round-trip time: minimum spacing of the packets of a run that count.
const APART: u64 = 32;

/// Symbols of a probe: as many later arrivals make an earlier packet lost.
pub(crate) const PROBE: u16 = 3;

/// Maximum number of doublings of the time between probes.
const DOUBLINGS: u32 = 2;

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Run {
    times: u16,
    last: Option<Nanos>,
}

impl Run {
    /// Another packet of the run was lost, which had left at `at`.
    pub(crate) fn take(&mut self, at: Nanos, srtt: Span) {
        if self.last.is_none_or(|last| at.since(last) >= srtt / APART) {
            self.times = self.times.saturating_add(1);
            self.last = Some(at);
        }
    }

    pub(crate) const fn is_outage(&self, least: u16) -> bool {
        self.times >= least
    }
}

/// The time from the last feedback or probe to the next probe, after `probes` others.
pub(crate) fn probe_after(srtt: Span, deviation: Span, ack_delay: Span, probes: u32) -> Span {
    let spread = (deviation * 4).max(srtt / 2);
    (srtt + spread + ack_delay) * (1 << probes.min(DOUBLINGS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bursts_count_once() {
        let at = |ms: u64| Nanos::ZERO + Span::from_millis(ms);
        let srtt = Span::from_millis(64);
        let mut run = Run::default();
        for _ in 0..50 {
            run.take(at(10), srtt);
        }
        run.take(at(11), srtt);
        assert!(run.is_outage(1) && !run.is_outage(2));
        run.take(at(12), srtt);
        run.take(at(30), srtt);
        assert!(run.is_outage(3) && !run.is_outage(4));
    }

    #[test]
    fn probes_by_hand() {
        let ms = Span::from_millis;
        assert_eq!(probe_after(ms(80), ms(5), Span::ZERO, 0), ms(120));
        assert_eq!(probe_after(ms(80), ms(20), ms(40), 0), ms(200));
        assert_eq!(
            [1, 2, 9].map(|n| probe_after(ms(80), ms(0), ms(0), n)),
            [240, 480, 480].map(ms)
        );
    }
}
