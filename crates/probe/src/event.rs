//! The events machines record, and whom they concern.

use airtcp_packet::{EndpointId, PacketId, Segment};
use airtcp_units::{BitRate, Span};

use crate::air::AirEvent;

/// Whom an event concerns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Who {
    /// One end of a flow.
    Endpoint(EndpointId),
    /// A link (one direction), by its number in the scenario.
    Link(u32),
    /// The queue in front of a link.
    Queue(u32),
    /// A medium that stations share, by its number.
    Air(u32),
}

impl Who {
    /// A number for this machine and a part of it, for [`Pool::discard`](airtcp_packet::Pool::discard).
    #[allow(clippy::cast_possible_truncation, reason = "const; endpoints are numbered in 32 bits")]
    pub const fn place(self, part: u32) -> u64 {
        let (kind, number) = match self {
            Self::Queue(number) => (0, number),
            Self::Link(number) => (1, number),
            Self::Air(number) => (2, number),
            Self::Endpoint(end) => (3, end.index() as u32),
        };
        // Media are fewer than 2^16, queues and links less than 2^24 with no part.
        kind << 56 | (number as u64) << 32 | part as u64
    }
}

/// Why a packet ended without being delivered. Every created packet is delivered, dropped for
/// one of these reasons, or still under way: a run checks the sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DropReason {
    /// The queue was full.
    QueueFull,
    /// An active queue manager dropped it early.
    QueueEarly,
    /// The link's loss model took it.
    Loss,
    /// It was longer than the link's MTU.
    TooLong,
    /// No route to its destination.
    NoRoute,
    /// Its endpoint does not exist or is closed.
    NoEndpoint,
    /// Its last attempt on the air went without an answer.
    RetryLimit,
    /// It had been in its station's queue for longer than its lifetime.
    Lifetime,
    /// The station it was for took its frame for a repetition of an earlier one: 4096 sequence
    /// numbers had passed between the two.
    Duplicate,
    /// A newer acknowledgement of its flow replaced it in the queue.
    AckFiltered,
}

impl DropReason {
    /// All reasons, in order; a counter array has one place for each.
    pub const ALL: [Self; 10] = [
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
        }
    }
}

/// What an endpoint takes a loss for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LossCause {
    /// A full buffer.
    Overflow,
    /// A collision on the medium: congestion too.
    Collision,
    /// Bit errors of the link.
    Corruption,
}

/// Something that happened. Sizes in bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Event {
    /// A transport endpoint put a segment out.
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
    /// A congestion law that estimates what the path carries changed its estimate.
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
        /// The retransmission timeout that follows from it.
        rto: Span,
    },
    /// The retransmission timer expired.
    Timeout {
        /// How often in a row, 1 for the first.
        backoff: u32,
    },
    /// Fast retransmit: loss recovery was entered without a timeout.
    FastRetransmit,
    /// A recovery (of either kind) ended.
    Recovered,
    /// A retransmission turned out to have been unnecessary.
    Spurious,
    /// An endpoint judged what took packets.
    LossJudged {
        /// Number of the first packet (for a byte stream: offset of its first byte).
        number: u64,
        /// How many packets in a row.
        packets: u64,
        /// What it takes the loss for.
        cause: LossCause,
    },
    /// A sender with erasure coding began a block.
    Coding {
        /// Its estimate of the loss rate, in millionths.
        estimate_ppm: u32,
        /// Size of its segments, header of the coding included.
        segment: u32,
        /// Segments of data in the block.
        data: u32,
        /// Parity segments sent with it.
        parity: u32,
    },
    /// In-order data reached the application.
    Delivered {
        /// How much.
        bytes: u64,
    },
    /// A packet was put into a queue.
    Enqueued {
        /// The packet.
        packet: PacketId,
        /// Queue length after it, in packets.
        packets: u32,
        /// Queue length after it, in bytes.
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
    /// A queue set the congestion-experienced mark.
    Marked {
        /// The packet.
        packet: PacketId,
    },
    /// A link began to send a packet.
    TxStart {
        /// The packet.
        packet: PacketId,
        /// How long its transmission lasts.
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
    },
    /// Something happened on a medium. Told only to probes that ask ([`Probe::wants_air`]).
    ///
    /// [`Probe::wants_air`]: crate::Probe::wants_air
    Air(AirEvent),
}
