//! The events that machines record, and their sources.

use airtcp_packet::{EndpointId, PacketId, Segment};
use airtcp_units::{BitRate, Span};

use crate::air::AirEvent;

/// The machine that records an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EventSource {
    /// One end of a flow.
    Endpoint(EndpointId),
    /// A link (one direction), by its number in the scenario.
    Link(u32),
    /// The queue in front of a link.
    Queue(u32),
    /// A medium that stations share, by its number.
    Medium(u32),
}

impl EventSource {
    /// Number under which [`Pool::discard`](airtcp_packet::Pool::discard) counts the drops of this
    /// machine. `part` is the station of a medium, and 0 for other machines.
    #[allow(clippy::cast_possible_truncation, reason = "const; endpoints are numbered in 32 bits")]
    pub const fn place(self, part: u32) -> u64 {
        let (kind, number) = match self {
            Self::Queue(number) => (0, number),
            Self::Link(number) => (1, number),
            Self::Medium(number) => (2, number),
            Self::Endpoint(end) => (3, end.index() as u32),
        };
        // The number has 24 bits: there are fewer than 2^24 queues, links and media.
        kind << 56 | (number as u64) << 32 | part as u64
    }
}

/// Why a packet was dropped. Every created packet is delivered, dropped for one of these reasons,
/// absorbed by a scheme at an access point, or in flight; a run checks the sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DropReason {
    /// The queue was full.
    QueueFull,
    /// An active queue manager dropped it early.
    QueueEarly,
    /// The link's loss model lost the packet.
    Loss,
    /// The packet was longer than the link's MTU.
    TooLong,
    /// There was no route to the destination.
    NoRoute,
    /// The endpoint does not exist or is closed.
    NoEndpoint,
    /// The last attempt on the air was not acknowledged.
    RetryLimit,
    /// The packet waited in its station's queue for longer than its lifetime.
    Lifetime,
    /// The receiving station mistook the frame for a duplicate of one sent 4096 sequence numbers earlier.
    Duplicate,
    /// A newer ACK of the same flow replaced the packet in the queue.
    AckFiltered,
    /// The packet exceeded the rate and the burst of a policer.
    Policed,
}

impl DropReason {
    /// All reasons, in order; arrays of counters are indexed by reason.
    pub const ALL: [Self; 11] = [
        Self::QueueFull,
        Self::QueueEarly,
        Self::Loss,
        Self::TooLong,
        Self::NoRoute,
        Self::NoEndpoint,
        Self::RetryLimit,
        Self::Lifetime,
        Self::Duplicate,
        Self::AckFiltered,
        Self::Policed,
    ];

    /// Name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::QueueFull => "queue_full",
            Self::QueueEarly => "queue_early",
            Self::Loss => "loss",
            Self::TooLong => "too_long",
            Self::NoRoute => "no_route",
            Self::NoEndpoint => "no_endpoint",
            Self::RetryLimit => "retry_limit",
            Self::Lifetime => "lifetime",
            Self::Duplicate => "duplicate",
            Self::AckFiltered => "ack_filtered",
            Self::Policed => "policed",
        }
    }
}

/// Cause of a loss, as judged by an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LossCause {
    /// A full buffer.
    Overflow,
    /// A collision on the medium, which is congestion too.
    Collision,
    /// Bit errors of the link.
    Corruption,
}

/// An event. Sizes in bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Event {
    /// A transport endpoint sent a segment.
    SegmentSent {
        /// The segment.
        segment: Segment,
        /// True if any of its bytes were sent before.
        retransmission: bool,
    },
    /// A transport endpoint received a segment.
    SegmentReceived {
        /// The segment.
        segment: Segment,
    },
    /// The sender's window state changed.
    Window {
        /// Congestion window of the law.
        cwnd: u64,
        /// Slow-start threshold.
        ssthresh: u64,
        /// Data outstanding in the network, as the sender estimates it (RFC 6675 `pipe`).
        pipe: u64,
        /// The receiver's advertised window.
        peer_window: u64,
    },
    /// A congestion law changed its estimate of the bandwidth.
    Bandwidth {
        /// The estimate, payload only.
        estimate: BitRate,
    },
    /// A round-trip time was measured.
    Rtt {
        /// The sample.
        sample: Span,
        /// Smoothed (RFC 6298).
        srtt: Span,
        /// Retransmission timeout computed from it.
        rto: Span,
    },
    /// The retransmission timer expired.
    Timeout {
        /// Number of consecutive expirations, from 1.
        backoff: u32,
    },
    /// Fast retransmit: loss recovery was entered without a timeout.
    FastRetransmit,
    /// A loss recovery ended, after a fast retransmit or a timeout.
    Recovered,
    /// A retransmission turned out to have been unnecessary.
    Spurious,
    /// An endpoint judged the cause of a loss.
    LossJudged {
        /// Number of the first packet (for a byte stream: offset of its first byte).
        number: u64,
        /// Number of consecutive packets.
        packets: u64,
        /// Judged cause.
        cause: LossCause,
    },
    /// A sender with erasure coding began a block.
    Coding {
        /// Its estimate of the loss rate, in millionths.
        estimate_ppm: u32,
        /// Size of its segments, coding header included.
        segment: u32,
        /// Data segments in the block.
        data: u32,
        /// Parity segments sent with it.
        parity: u32,
    },
    /// In-order data reached the application.
    Delivered {
        /// Number of bytes.
        bytes: u64,
    },
    /// A packet was put into a queue.
    Enqueued {
        /// The packet.
        packet: PacketId,
        /// Queue length with it, in packets.
        packets: u32,
        /// Queue length with it, in bytes.
        bytes: u64,
    },
    /// A packet left a queue.
    Dequeued {
        /// The packet.
        packet: PacketId,
        /// Queue length without it, in packets.
        packets: u32,
        /// Queue length without it, in bytes.
        bytes: u64,
    },
    /// A queue set the congestion-experienced (CE) mark.
    Marked {
        /// The packet.
        packet: PacketId,
    },
    /// A link began to send a packet.
    TxStart {
        /// The packet.
        packet: PacketId,
        /// Duration of the transmission.
        duration: Span,
    },
    /// A link delivered a packet to its far end.
    Arrived {
        /// The packet.
        packet: PacketId,
    },
    /// A packet was dropped.
    Dropped {
        /// The packet.
        packet: PacketId,
        /// Why.
        reason: DropReason,
        /// The station of a medium that dropped it; 0 elsewhere.
        part: u32,
    },
    /// A packet came from outside: the record of a real one. Its source is the endpoint that it leaves.
    Entered {
        /// The packet.
        packet: PacketId,
    },
    /// A packet reached an endpoint that stands for the world outside, and leaves the pool.
    Left {
        /// The packet.
        packet: PacketId,
        /// Its record, with the marks that it got on the way.
        segment: Segment,
    },
    /// A link made a second packet of one.
    Copied {
        /// The new packet.
        packet: PacketId,
        /// The packet that it is a copy of.
        of: PacketId,
    },
    /// An event on a medium. Only probes with [`Probe::wants_air`] receive it.
    ///
    /// [`Probe::wants_air`]: crate::Probe::wants_air
    Air(AirEvent),
}
