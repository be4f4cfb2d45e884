//! The fields of TFRC's packets (RFC 5348 section 3.2), carried in the fields of a UDP
//! [`Segment`] that a datagram does not use.
//!
//! The RFC defines no format. Here a data packet carries 12 bytes in front of its payload
//! (number, time, round-trip time), a report 16 (echoed time, delay, receive rate, loss event
//! rate). Times are microseconds in 32 bits, which wrap after 71 minutes.

use airtcp_packet::{Ecn, Flags, Segment, Seq};
use airtcp_units::{LowBits, Nanos, Saturate, Span};

/// Bytes in front of the payload of a data packet.
pub const DATA_HEADER: u16 = 12;
/// Bytes of a report.
pub const REPORT: u16 = 16;

/// Scale of the loss event rate in a report: 32 bits for 0 to 1.
const RATE_SCALE: f64 = 4_294_967_295.0;

/// The time in the microseconds of the packets.
pub(crate) fn micros(now: Nanos) -> u32 {
    u32::low_bits(now.0 / 1000)
}

/// A data packet of `payload` bytes; `rtt` is zero while unknown.
pub(crate) fn data(number: u64, payload: u16, now: Nanos, rtt: Span, ecn: bool) -> Segment {
    let mut segment = Segment::datagram(u32::low_bits(number), payload.saturating_add(DATA_HEADER));
    segment.timestamps = (micros(now), u32::try_from(rtt.0 / 1000).unwrap_or(u32::MAX));
    segment.ecn = if ecn { Ecn::Ect0 } else { Ecn::NotEct };
    segment
}

/// A receiver's report.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Report {
    /// Timestamp of the last data packet received.
    pub echo_us: u32,
    /// Time from its arrival to this report.
    pub delay_us: u32,
    /// Receive rate over about the last round trip, in bytes per second without headers.
    pub receive_rate: f64,
    /// Loss event rate.
    pub loss_event_rate: f64,
}

impl Report {
    /// The packet that carries the report.
    pub(crate) fn to_segment(self) -> Segment {
        let mut segment = Segment::datagram(0, REPORT);
        segment.flags = Flags::ACK;
        segment.timestamps = (self.echo_us, self.delay_us);
        segment.ack = Seq(u32::saturate(self.receive_rate.min(f64::from(u32::MAX))));
        // Rounded up: a rate above zero must not become zero, which would mean slow start.
        segment.seq =
            Seq(u32::saturate((self.loss_event_rate.clamp(0.0, 1.0) * RATE_SCALE).ceil()));
        segment
    }

    /// Parses a report; `None` if the packet is none.
    pub(crate) fn from_segment(segment: &Segment) -> Option<Self> {
        segment.flags.has(Flags::ACK).then(|| Self {
            echo_us: segment.timestamps.0,
            delay_us: segment.timestamps.1,
            receive_rate: f64::from(segment.ack.0),
            loss_event_rate: f64::from(segment.seq.0) / RATE_SCALE,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_round_trips() {
        for p in [0.0, 1e-9, 0.01, 1.0] {
            let report =
                Report { echo_us: 7, delay_us: 8, receive_rate: 123_456.0, loss_event_rate: p };
            let back = Report::from_segment(&report.to_segment()).unwrap();
            assert!((back.loss_event_rate - p).abs() < 1e-9);
            assert_eq!(back.loss_event_rate > 0.0, p > 0.0);
            assert_eq!((back.echo_us, back.receive_rate as u64), (7, 123_456));
        }
        assert!(Report::from_segment(&data(1, 5, Nanos(1), Span(1), false)).is_none());
    }
}
