//! Timestamps and protection against wrapped sequence numbers, RFC 7323 sections 3 to 5.

use airtcp_packet::Segment;
use airtcp_units::{LowBits, Nanos, Span};

/// Time for which a timestamp stays comparable without an update: 24 days, RFC 7323 section 5.5.
const STALE: Span = Span::from_secs(24 * 86_400);

/// Value of the timestamp clock; it starts at 1, since some stacks read an echo of 0 as none.
pub(crate) fn clock_at(now: Nanos, tick: Span) -> u32 {
    u32::low_bits(now.0 / tick.0.max(1)).wrapping_add(1)
}

#[derive(Debug, Clone)]
pub(crate) struct Timestamps {
    /// Both ends offered timestamps.
    pub(crate) enabled: bool,
    tick: Span,
    recent: u32,
    recent_at: Nanos,
    /// Offset acknowledged by the last segment sent.
    last_ack_sent: u64,
}

impl Timestamps {
    pub(crate) fn new(tick: Span) -> Self {
        Self {
            enabled: false,
            tick: Span(tick.0.max(1)),
            recent: 0,
            recent_at: Nanos::ZERO,
            last_ack_sent: 0,
        }
    }

    pub(crate) fn clock(&self, now: Nanos) -> u32 {
        clock_at(now, self.tick)
    }

    pub(crate) const fn recent(&self) -> u32 {
        self.recent
    }

    pub(crate) const fn on_ack_sent(&mut self, ack: u64) {
        self.last_ack_sent = ack;
    }

    /// The peer's SYN brought its first timestamp.
    pub(crate) const fn begin(&mut self, now: Nanos, value: u32) {
        self.recent = value;
        self.recent_at = now;
    }

    /// PAWS (section 5.3 R1): true if the segment is older than one already accepted.
    pub(crate) fn is_old(&self, now: Nanos, segment: &Segment) -> bool {
        segment.has_timestamps()
            && segment.timestamps.0.wrapping_sub(self.recent).cast_signed() < 0
            && now.since(self.recent_at) <= STALE
    }

    /// Section 4.3 (2): keeps the timestamp of the segment with the next byte to acknowledge, so
    /// that the echo includes the delay of the ACK.
    pub(crate) fn on_segment(&mut self, now: Nanos, seq: u64, segment: &Segment) {
        let newer = segment.timestamps.0.wrapping_sub(self.recent).cast_signed() >= 0
            || now.since(self.recent_at) > STALE;
        if segment.has_timestamps() && newer && seq <= self.last_ack_sent {
            self.recent = segment.timestamps.0;
            self.recent_at = now;
        }
    }

    /// The round-trip time of an echo (section 4), at least one tick; `None` for an echo of a value
    /// that this end cannot have sent.
    pub(crate) fn round_trip(&self, now: Nanos, segment: &Segment) -> Option<Span> {
        if !segment.has_timestamps() || segment.timestamps.1 == 0 {
            return None;
        }
        let ticks = self.clock(now).wrapping_sub(segment.timestamps.1);
        // More ticks than any timeout: a forged or broken echo.
        (ticks < 1 << 24).then(|| self.tick * u64::from(ticks.max(1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(value: u32, echo: u32) -> Segment {
        let mut s = Segment::default();
        s.set_timestamps(value, echo);
        s
    }

    fn at(ms: u64) -> Nanos {
        Nanos(ms * 1_000_000)
    }

    #[test]
    fn wrapped_clocks_compare() {
        let mut t = Timestamps::new(Span::from_millis(1));
        t.begin(at(0), u32::MAX - 1);
        assert!(!t.is_old(at(1), &segment(3, 0)), "3 is after 2^32 - 2");
        assert!(t.is_old(at(1), &segment(u32::MAX - 2, 0)));
        assert!(!t.is_old(at(0) + STALE + Span(1), &segment(u32::MAX - 2, 0)));
    }

    /// RFC 7323 section 4.3: a delayed ACK echoes its first segment, and an ACK of a filled gap
    /// echoes the segment that filled it.
    #[test]
    fn the_echo_is_that_of_the_next_byte_to_acknowledge() {
        let mut t = Timestamps::new(Span::from_millis(1));
        t.begin(at(0), 1);
        t.on_ack_sent(100);
        t.on_segment(at(1), 100, &segment(10, 0));
        t.on_segment(at(2), 200, &segment(20, 0));
        assert_eq!(t.recent(), 10);
        t.on_ack_sent(300);
        t.on_segment(at(3), 400, &segment(30, 0));
        assert_eq!(t.recent(), 10, "out of order");
        t.on_segment(at(4), 300, &segment(40, 0));
        assert_eq!(t.recent(), 40);
    }

    #[test]
    fn round_trips() {
        let t = Timestamps::new(Span::from_millis(1));
        let sent = t.clock(at(100));
        assert_eq!(t.round_trip(at(180), &segment(0, sent)), Some(Span::from_millis(80)));
        assert_eq!(t.round_trip(at(100), &segment(0, sent)), Some(Span::from_millis(1)));
        assert_eq!(t.round_trip(at(90), &segment(0, sent)), None, "an echo from the future");
        assert_eq!(t.round_trip(at(90), &segment(0, 0)), None);
    }
}
