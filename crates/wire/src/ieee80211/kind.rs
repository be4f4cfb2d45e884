//! Kinds of frames by type and subtype (IEEE 802.11-2020 section 9.2.4.1.3), and QoS control (section 9.2.4.5).

/// Bit of the subtypes of data with QoS control, and of those without a body.
pub(super) const QOS: u8 = 8;
const NULL: u8 = 4;

/// Kind of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Data with a body.
    Data,
    /// A data frame without body, such as one that announces power saving.
    NullData,
    /// Beacon.
    Beacon,
    /// Another management frame, by its subtype.
    Management(u8),
    /// Request to send.
    Rts,
    /// Clear to send.
    Cts,
    /// Acknowledgement.
    Ack,
    /// Request for a block acknowledgement.
    BlockAckRequest,
    /// Block acknowledgement.
    BlockAck,
    /// End of a contention-free period or of a reservation.
    CfEnd,
    /// Request of a sleeping station for a buffered frame.
    PsPoll,
    /// Another control frame, by its subtype. What follows the receiver counts as body.
    Control(u8),
    /// A frame of the extension type.
    Extension(u8),
}

impl Kind {
    pub(super) const fn of(class: u8, subtype: u8) -> Self {
        match (class, subtype) {
            (0, 8) => Self::Beacon,
            (0, other) => Self::Management(other),
            (1, 8) => Self::BlockAckRequest,
            (1, 9) => Self::BlockAck,
            (1, 10) => Self::PsPoll,
            (1, 11) => Self::Rts,
            (1, 12) => Self::Cts,
            (1, 13) => Self::Ack,
            (1, 14 | 15) => Self::CfEnd,
            (1, other) => Self::Control(other),
            (2, subtype) if subtype & NULL != 0 => Self::NullData,
            (2, _) => Self::Data,
            (_, other) => Self::Extension(other),
        }
    }

    /// Type and subtype, as they stand in the first byte of a frame. Data is without QoS control.
    pub(super) const fn first_byte(self) -> u8 {
        let (class, subtype) = match self {
            Self::Beacon => (0, 8),
            Self::Management(other) => (0, other),
            Self::BlockAckRequest => (1, 8),
            Self::BlockAck => (1, 9),
            Self::PsPoll => (1, 10),
            Self::Rts => (1, 11),
            Self::Cts => (1, 12),
            Self::Ack => (1, 13),
            Self::CfEnd => (1, 14),
            Self::Control(other) => (1, other),
            Self::NullData => (2, NULL),
            Self::Data => (2, 0),
            Self::Extension(other) => (3, other),
        };
        subtype << 4 | class << 2
    }

    /// True if the header has sequence control.
    pub(super) const fn is_sequenced(self) -> bool {
        matches!(self, Self::Data | Self::NullData | Self::Beacon | Self::Management(_))
    }

    pub(super) const fn is_data(self) -> bool {
        matches!(self, Self::Data | Self::NullData)
    }

    /// True if the second address of a control frame is that of its transmitter.
    pub(super) const fn has_transmitter(self) -> bool {
        !matches!(self, Self::Ack | Self::Cts | Self::Control(_) | Self::Extension(_))
    }
}

/// QoS control of a data frame. Its second byte is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Qos {
    /// Traffic identifier, 4 bits: of EDCA the user priority.
    pub tid: u8,
    /// Acknowledgement policy, 2 bits: 0 normal, 1 none, 2 no explicit one, 3 by block.
    pub ack_policy: u8,
    /// The body is an aggregate of MSDUs.
    pub is_amsdu: bool,
}

impl Qos {
    pub(super) const fn of(byte: u8) -> Self {
        Self { tid: byte & 0x0f, ack_policy: byte >> 5 & 3, is_amsdu: byte & 0x80 != 0 }
    }

    pub(super) const fn byte(self) -> u8 {
        self.tid & 0x0f | (self.ack_policy & 3) << 5 | if self.is_amsdu { 0x80 } else { 0 }
    }

    /// The sender asks for no acknowledgement.
    pub const fn no_ack(self) -> bool {
        self.ack_policy == 1
    }
}
