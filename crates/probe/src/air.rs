//! Events of a shared medium: transmissions, receptions, back-offs and reservations.
//!
//! A frame's event comes at its end, so a frame on the air at the end of a run has none. Propagation takes
//! no time. Powers are in dBm at the radio.

use airtcp_packet::{EndpointId, Segment};
use airtcp_units::{BitRate, Nanos, Span};
pub use airtcp_wire::radiotap::{Format as AirFormat, Modulation as AirMcs};

/// Class of a frame in collision statistics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FrameClass {
    /// A packet with payload.
    Data,
    /// A TCP segment without payload.
    TcpAck,
    /// MAC acknowledgement: ACK or BlockAck.
    Ack,
    /// Request to send.
    Rts,
    /// Clear to send.
    Cts,
    /// Beacon.
    Beacon,
    /// Authentication request or response.
    Authentication,
    /// Association request.
    AssociationRequest,
    /// Association response.
    AssociationResponse,
    /// Trigger frame.
    Trigger,
    /// BlockAckReq.
    BlockAckReq,
}

impl FrameClass {
    /// All classes, in order; arrays of counters are indexed by class.
    pub const ALL: [Self; 11] = [
        Self::Data,
        Self::TcpAck,
        Self::Ack,
        Self::Rts,
        Self::Cts,
        Self::Beacon,
        Self::Authentication,
        Self::AssociationRequest,
        Self::AssociationResponse,
        Self::Trigger,
        Self::BlockAckReq,
    ];

    /// True for management frames.
    pub const fn is_management(self) -> bool {
        matches!(
            self,
            Self::Beacon
                | Self::Authentication
                | Self::AssociationRequest
                | Self::AssociationResponse
        )
    }

    /// Name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Data => "data",
            Self::TcpAck => "tcp_ack",
            Self::Ack => "mac_ack",
            Self::Rts => "rts",
            Self::Cts => "cts",
            Self::Beacon => "beacon",
            Self::Authentication => "authentication",
            Self::AssociationRequest => "association_request",
            Self::AssociationResponse => "association_response",
            Self::Trigger => "trigger",
            Self::BlockAckReq => "block_ack_req",
        }
    }
}

/// Why the receiver of a frame did not decode it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameLoss {
    /// The receiver transmitted during part of the frame.
    TransmitterSide,
    /// Frames overlapped it; the strongest was of this class.
    Collision(FrameClass),
    /// The receiver switched to a stronger frame of this class.
    Captured(FrameClass),
    /// An interferer destroyed the frame, or was stronger than noise and all other frames.
    Interferer,
    /// The frame was too weak, or noise destroyed it. No other frame overlapped it.
    Noise,
}

impl FrameLoss {
    /// Name in results: the key of the counter of such losses.
    pub const fn name(self) -> &'static str {
        match self {
            Self::TransmitterSide => "transmitter_side",
            Self::Collision(FrameClass::Data) => "with_data",
            Self::Collision(FrameClass::TcpAck) => "with_tcp_ack",
            Self::Collision(FrameClass::Ack) => "with_mac_ack",
            Self::Collision(FrameClass::Rts) => "with_rts",
            Self::Collision(FrameClass::Cts) => "with_cts",
            Self::Collision(FrameClass::Beacon) => "with_beacon",
            Self::Collision(FrameClass::Authentication) => "with_authentication",
            Self::Collision(FrameClass::AssociationRequest) => "with_association_request",
            Self::Collision(FrameClass::AssociationResponse) => "with_association_response",
            Self::Collision(FrameClass::Trigger) => "with_trigger",
            Self::Collision(FrameClass::BlockAckReq) => "with_block_ack_req",
            Self::Captured(_) => "captured",
            Self::Interferer => "interferer",
            Self::Noise => "noise",
        }
    }
}

/// A frame that has been on the air. Stations are numbered within their medium.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AirFrame {
    /// Transmitting station.
    pub from: u32,
    /// Receiving station; `None` for broadcast.
    pub to: Option<u32>,
    /// Class.
    pub class: FrameClass,
    /// Rate of its body.
    pub rate: BitRate,
    /// True if `rate` is an OFDM rate.
    pub ofdm: bool,
    /// Length with MAC header and FCS.
    pub bytes: u32,
    /// Access category under EDCA, lowest priority first.
    pub category: Option<u8>,
    /// Sequence number of a data frame or beacon, modulo 4096.
    pub sequence: u16,
    /// Fragment number.
    pub fragment: u8,
    /// True if more fragments of the packet follow.
    pub more_fragments: bool,
    /// Retry bit: set in a data or management frame that was sent before, 0 in control frames.
    pub retry: bool,
    /// True if a data frame under EDCA asks for no MAC ACK.
    pub no_ack: bool,
    /// Number of this attempt of a data frame, from 1; 0 for other frames.
    pub attempt: u32,
    /// Duration field.
    pub duration: Span,
    /// Start of the preamble.
    pub started: Nanos,
    /// Start of the MAC header.
    pub body: Nanos,
    /// End of the frame.
    pub ended: Nanos,
    /// The segment in the frame, or of which the frame carries a fragment, and the segment's destination.
    /// `None` if there is no segment, and in a retransmission after a lost acknowledgement, because the
    /// packet has left the cell.
    pub content: Option<(EndpointId, Segment)>,
    /// Of an MPDU in an A-MPDU, its place there. `started` and `ended` are then those of the MPDU; the
    /// first MPDU has the preamble.
    pub aggregate: Option<AirAggregate>,
    /// Of a BlockAck (class [`FrameClass::Ack`]) or BlockAckReq, what it says.
    pub block_ack: Option<AirBlockAck>,
    /// Of an HT, VHT or HE frame, its modulation and coding scheme.
    pub mcs: Option<AirMcs>,
}

/// Place of an MPDU in an A-MPDU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AirAggregate {
    /// Number of the A-MPDU among the frames of its cell.
    pub reference: u32,
    /// Number of the MPDU, from 0.
    pub number: u16,
    /// Number of MPDUs.
    pub count: u16,
}

/// What a BlockAck or a BlockAckReq says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AirBlockAck {
    /// True for a BlockAckReq.
    pub asks: bool,
    /// First sequence number of the bitmap.
    pub start: u16,
    /// The MPDUs that the receiver has, from `start` on, lowest bit first.
    pub bitmap: [u64; 4],
}

/// An event on a medium.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum AirEvent {
    /// A transmission ended.
    Sent {
        /// The frame.
        frame: AirFrame,
        /// Why the receiver did not decode the frame; `None` if it did, and for broadcast.
        loss: Option<FrameLoss>,
    },
    /// The end of a frame that a radio had locked on to. Comes before the frame's [`Sent`](Self::Sent).
    Heard {
        /// The radio's station.
        station: u32,
        /// The frame.
        frame: AirFrame,
        /// Received power.
        signal_dbm: f64,
        /// Noise at the radio, interferers included.
        noise_dbm: f64,
        /// True if the radio decoded the frame.
        decoded: bool,
    },
    /// A back-off counted down until it expired or the medium became busy.
    BackedOff {
        /// The station.
        station: u32,
        /// Its access category (0 under DCF).
        category: u8,
        /// Start of the first slot that counted.
        from: Nanos,
        /// End of the countdown.
        until: Nanos,
        /// Slots left at the start.
        slots: u32,
        /// Slots left at the end.
        left: u32,
    },
    /// A station set its NAV.
    Reserved {
        /// The station.
        station: u32,
        /// New end of the NAV; not later than now if the station cleared it.
        until: Nanos,
    },
}
