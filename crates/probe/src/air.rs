//! What happens on a shared medium, as an observer is told of it: frames, who heard them, and what
//! stations wait for.
//!
//! Frames are told of when they end, so one that is on the air at the end of a run is not. Times
//! are those of the medium: propagation takes none. Powers are in dBm at the radio.

use airtcp_packet::{EndpointId, Segment};
use airtcp_units::{BitRate, Nanos, Span};

/// What a frame is for the statistics of collisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FrameClass {
    /// A packet with payload.
    Data,
    /// A TCP segment without payload.
    TcpAck,
    /// MAC acknowledgement.
    Ack,
    /// Request to send.
    Rts,
    /// Clear to send.
    Cts,
    /// Beacon.
    Beacon,
    /// Authentication, or the answer to it.
    Authentication,
    /// Association request.
    AssociationRequest,
    /// Association response.
    AssociationResponse,
}

impl FrameClass {
    /// All classes, in order; a counter array has one place for each.
    pub const ALL: [Self; 9] = [
        Self::Data,
        Self::TcpAck,
        Self::Ack,
        Self::Rts,
        Self::Cts,
        Self::Beacon,
        Self::Authentication,
        Self::AssociationRequest,
        Self::AssociationResponse,
    ];

    /// Whether it is a management frame.
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
        }
    }
}

/// Why a frame was lost at the station it was for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameLoss {
    /// The receiver was sending during part of it.
    TransmitterSide,
    /// The strongest frame that overlapped it was of this class.
    Collision(FrameClass),
    /// The receiver went over to a stronger frame of this class.
    Captured(FrameClass),
    /// An interferer destroyed it, or was stronger than noise and all other frames.
    Interferer,
    /// No other frame was involved: too weak, or noise.
    Noise,
}

impl FrameLoss {
    /// Name in results: the key under which such losses are counted.
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
            Self::Captured(_) => "captured",
            Self::Interferer => "interferer",
            Self::Noise => "noise",
        }
    }
}

/// A frame that has been on the air. Stations are numbered within their medium.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AirFrame {
    /// Who sent it.
    pub from: u32,
    /// Whom it was for; `None` for everybody.
    pub to: Option<u32>,
    /// What it was.
    pub class: FrameClass,
    /// Rate of its body.
    pub rate: BitRate,
    /// Whether that is an OFDM rate.
    pub ofdm: bool,
    /// Length with MAC header and FCS.
    pub bytes: u32,
    /// Access category under EDCA, lowest priority first.
    pub category: Option<u8>,
    /// Sequence number, modulo 4096; of data frames and beacons.
    pub sequence: u16,
    /// Number of the fragment.
    pub fragment: u8,
    /// Whether more fragments of the packet follow.
    pub more_fragments: bool,
    /// The retry bit: a data or management frame that had been sent before. Control frames have it at 0.
    pub retry: bool,
    /// How many times a data frame had been sent with this; 0 for other frames.
    pub attempt: u32,
    /// Its Duration field.
    pub duration: Span,
    /// When its preamble began,
    pub started: Nanos,
    /// when the first bit of its MAC header was on the air,
    pub body: Nanos,
    /// and when it ended.
    pub ended: Nanos,
    /// The segment in it (of a fragment: that it is a part of) and the end of a flow that is for;
    /// `None` without one, and where the receiver has it already (a repetition after a lost
    /// acknowledgement).
    pub content: Option<(EndpointId, Segment)>,
}

/// Something that happened on a medium.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum AirEvent {
    /// A transmission ended.
    Sent {
        /// The frame.
        frame: AirFrame,
        /// Why the station it was for did not decode it; `None` if it did, or if it was for all.
        loss: Option<FrameLoss>,
    },
    /// A radio that had locked on to a frame reached its end; before the event that it was sent.
    Heard {
        /// The radio's station.
        station: u32,
        /// The frame.
        frame: AirFrame,
        /// Power of the frame there.
        signal_dbm: f64,
        /// Noise there, interferers included.
        noise_dbm: f64,
        /// Whether it was received without error.
        whole: bool,
    },
    /// A back-off counted down, until it was over or the medium became busy.
    BackedOff {
        /// The station.
        station: u32,
        /// Its access category (0 under DCF).
        category: u8,
        /// Start of the first slot that counted.
        from: Nanos,
        /// When it stopped.
        until: Nanos,
        /// Slots that were left at the beginning,
        slots: u32,
        /// and at the end.
        left: u32,
    },
    /// What a station takes for the end of others' reservations (NAV) changed.
    Reserved {
        /// The station.
        station: u32,
        /// The new end; not after the present if the reservation was dropped.
        until: Nanos,
    },
}
