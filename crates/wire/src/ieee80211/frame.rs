//! The header of a frame (IEEE 802.11-2020 sections 9.2 and 9.3).
//!
//! ```text
//! data        frame control 2, duration 2, three addresses 18, sequence control 2, [fourth address 6,]
//!             [QoS control 2,] [HT control 4]
//! management  frame control, duration, three addresses, sequence control, [HT control]
//! control     frame control, duration, receiver, [transmitter]
//! ```
//! Leaves out: HT control, which is passed over, and the bits for power saving.

use crate::bytes::{byte, le16};

use super::mac::Mac;

/// Bits of the second byte of frame control.
const TO_DS: u8 = 0x01;
const FROM_DS: u8 = 0x02;
const MORE_FRAGMENTS: u8 = 0x04;
const RETRY: u8 = 0x08;
const PROTECTED: u8 = 0x40;
/// Of management and QoS data: HT control follows.
const ORDER: u8 = 0x80;
/// Bit of the subtypes of data with QoS control, and of those without a body.
const QOS: u8 = 8;
const NULL: u8 = 4;
/// Bytes up to the receiver, up to the transmitter, and of a header with sequence control.
const RECEIVER: usize = 10;
const TRANSMITTER: usize = 16;
const SEQUENCED: usize = 24;

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
    const fn of(class: u8, subtype: u8) -> Self {
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
    const fn first_byte(self) -> u8 {
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
    const fn is_sequenced(self) -> bool {
        matches!(self, Self::Data | Self::NullData | Self::Beacon | Self::Management(_))
    }

    const fn is_data(self) -> bool {
        matches!(self, Self::Data | Self::NullData)
    }

    /// True if the second address of a control frame is that of its transmitter.
    const fn has_transmitter(self) -> bool {
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
    const fn of(byte: u8) -> Self {
        Self { tid: byte & 0x0f, ack_policy: byte >> 5 & 3, is_amsdu: byte & 0x80 != 0 }
    }

    const fn byte(self) -> u8 {
        self.tid & 0x0f | (self.ack_policy & 3) << 5 | if self.is_amsdu { 0x80 } else { 0 }
    }

    /// The sender asks for no acknowledgement.
    pub const fn no_ack(self) -> bool {
        self.ack_policy == 1
    }
}

/// A frame, or the part of it that a capture has: its header, but for the transmitter of a control frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packet<'a> {
    frame: &'a [u8],
    kind: Kind,
    flags: u8,
    qos: Option<Qos>,
}

impl<'a> Packet<'a> {
    /// A view of these bytes, with or without the frame check sequence; `None` if they end within the header, or if
    /// its version is not 0.
    #[inline]
    pub fn new_checked(frame: &'a [u8]) -> Option<Self> {
        let [first, flags, ..] = *frame.first_chunk::<RECEIVER>()?;
        if first & 3 != 0 {
            return None;
        }
        let (class, subtype) = (first >> 2 & 3, first >> 4);
        let kind = Kind::of(class, subtype);
        let mut packet = Self { frame, kind, flags, qos: None };
        if kind.is_sequenced() && frame.len() < SEQUENCED {
            return None;
        }
        if kind.is_data() && subtype & QOS != 0 {
            packet.qos = Some(Qos::of(byte(frame, packet.addresses())?));
        }
        Some(packet)
    }

    /// Kind.
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    const fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// Bytes up to the last address, of a header with sequence control.
    const fn addresses(&self) -> usize {
        SEQUENCED + if self.has_four_addresses() { 6 } else { 0 }
    }

    /// Both directions of the distribution system: a bridge or mesh with four addresses.
    const fn has_four_addresses(&self) -> bool {
        self.kind.is_data() && self.flags & (TO_DS | FROM_DS) == TO_DS | FROM_DS
    }

    /// Bytes of the header. `padded` means that bytes behind that of a data frame fill it up to a multiple of 4.
    #[inline]
    pub fn header_len(&self, padded: bool) -> usize {
        let control = if self.has(ORDER) { 4 } else { 0 };
        match self.kind {
            Kind::Beacon | Kind::Management(_) => SEQUENCED + control,
            Kind::Data | Kind::NullData => {
                // The order bit of data without QoS is another one.
                let length = self.addresses() + self.qos.map_or(0, |_| 2 + control);
                if padded { length.next_multiple_of(4) } else { length }
            }
            _ if self.kind.has_transmitter() => TRANSMITTER,
            _ => RECEIVER,
        }
    }

    /// What follows the header, as far as it is there, the frame check sequence included.
    #[inline]
    pub fn body(&self, padded: bool) -> &'a [u8] {
        self.frame.get(self.header_len(padded)..).unwrap_or_default()
    }
}

/// What a header says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repr {
    /// Kind.
    pub kind: Kind,
    /// To the distribution system, that is to the access point.
    pub to_ds: bool,
    /// From it.
    pub from_ds: bool,
    /// Another fragment follows.
    pub more_fragments: bool,
    /// The frame was sent before.
    pub retry: bool,
    /// The body is encrypted.
    pub protected: bool,
    /// The field Duration/ID.
    pub duration: u16,
    /// Address of the receiver.
    pub receiver: Mac,
    /// Address of the transmitter, without the bit by which a control frame announces a bandwidth; CTS and ACK have
    /// none.
    pub transmitter: Option<Mac>,
    /// Third address, of data and management: BSSID, source or destination.
    pub third: Option<Mac>,
    /// Fourth address, of data to and from the distribution system.
    pub fourth: Option<Mac>,
    /// Sequence number, 12 bits, of data and management.
    pub sequence: Option<u16>,
    /// Fragment number, 4 bits.
    pub fragment: u8,
    /// QoS control, of QoS data.
    pub qos: Option<Qos>,
}

impl Repr {
    /// A frame of a kind to a receiver, with nothing else.
    pub const fn new(kind: Kind, receiver: Mac) -> Self {
        Self {
            kind,
            to_ds: false,
            from_ds: false,
            more_fragments: false,
            retry: false,
            protected: false,
            duration: 0,
            receiver,
            transmitter: None,
            third: None,
            fourth: None,
            sequence: None,
            fragment: 0,
            qos: None,
        }
    }

    /// What a frame's header says.
    #[inline]
    pub fn parse(packet: &Packet<'_>) -> Option<Self> {
        let frame = packet.frame;
        let mut repr = Self {
            to_ds: packet.has(TO_DS),
            from_ds: packet.has(FROM_DS),
            more_fragments: packet.has(MORE_FRAGMENTS),
            retry: packet.has(RETRY),
            protected: packet.has(PROTECTED),
            duration: le16(frame, 2)?,
            qos: packet.qos,
            ..Self::new(packet.kind, Mac::at(frame, 4)?)
        };
        if packet.kind.is_sequenced() {
            let control = le16(frame, 22)?;
            repr.transmitter = Mac::at(frame, 10);
            repr.third = Mac::at(frame, 16);
            repr.fourth = if packet.has_four_addresses() { Mac::at(frame, 24) } else { None };
            repr.sequence = Some(control >> 4);
            repr.fragment = (control & 0x0f) as u8;
        } else if packet.kind.has_transmitter() {
            // A frame that is cut off within the address lacks its transmitter.
            repr.transmitter = Mac::at(frame, 10).map(Mac::individual);
        }
        Some(repr)
    }

    /// Reservation in µs, if the field is one.
    pub fn duration_us(&self) -> Option<u16> {
        (self.duration & 0x8000 == 0).then_some(self.duration)
    }

    /// Traffic identifier, of QoS data.
    pub fn tid(&self) -> Option<u8> {
        self.qos.map(|qos| qos.tid)
    }

    /// The sender asks for no acknowledgement.
    pub fn no_ack(&self) -> bool {
        self.qos.is_some_and(Qos::no_ack)
    }

    /// Bytes that [`emit`](Self::emit) writes.
    pub fn buffer_len(&self) -> usize {
        if !self.kind.is_sequenced() {
            return if self.writes_transmitter() { TRANSMITTER } else { RECEIVER };
        }
        SEQUENCED
            + if self.writes_fourth() { 6 } else { 0 }
            + self.qos.filter(|_| self.kind.is_data()).map_or(0, |_| 2)
    }

    const fn writes_transmitter(&self) -> bool {
        self.kind.has_transmitter() && self.transmitter.is_some()
    }

    const fn writes_fourth(&self) -> bool {
        self.kind.is_data() && self.to_ds && self.from_ds
    }

    /// Appends the header. Addresses that the kind has and this lacks are zeros.
    pub fn emit(&self, out: &mut Vec<u8>) {
        let qos = self.qos.filter(|_| self.kind.is_data());
        let bits = [
            (self.to_ds, TO_DS),
            (self.from_ds, FROM_DS),
            (self.more_fragments, MORE_FRAGMENTS),
            (self.retry, RETRY),
            (self.protected, PROTECTED),
        ];
        let flags = bits.iter().filter(|(set, _)| *set).fold(0, |flags, (_, flag)| flags | flag);
        let first = self.kind.first_byte() | if qos.is_some() { QOS << 4 } else { 0 };
        out.extend([first, flags]);
        out.extend(self.duration.to_le_bytes());
        out.extend(self.receiver.0);
        if !self.kind.is_sequenced() {
            if let Some(transmitter) = self.transmitter.filter(|_| self.writes_transmitter()) {
                out.extend(transmitter.0);
            }
            return;
        }
        out.extend(self.transmitter.unwrap_or_default().0);
        out.extend(self.third.unwrap_or_default().0);
        let control = self.sequence.unwrap_or(0) << 4 | u16::from(self.fragment & 0x0f);
        out.extend(control.to_le_bytes());
        if self.writes_fourth() {
            out.extend(self.fourth.unwrap_or_default().0);
        }
        if let Some(qos) = qos {
            out.extend([qos.byte(), 0]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn frame(control: [u8; 2], rest: &[u8]) -> Vec<u8> {
        let mut frame = vec![control[0], control[1], 48, 0];
        frame.extend([2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 3, 0x53, 0x12]);
        frame.extend(rest);
        frame
    }

    fn parsed(bytes: &[u8]) -> Option<Repr> {
        Packet::new_checked(bytes).and_then(|packet| Repr::parse(&packet))
    }

    #[test]
    fn data_with_every_optional_field() {
        // QoS data with four addresses, HT control, retry, A-MSDU, TID 5.
        let mut rest = vec![2, 0, 0, 0, 0, 4, 0x85, 0, 1, 2, 3, 4, 0xaa];
        let bytes = frame([0x88, 0x8b], &rest);
        let packet = Packet::new_checked(&bytes).unwrap();
        let repr = Repr::parse(&packet).unwrap();
        assert_eq!(repr.kind, Kind::Data);
        assert!(repr.retry && repr.to_ds && repr.from_ds && !repr.protected);
        assert_eq!((repr.sequence, repr.fragment), (Some(0x125), 3));
        assert_eq!(repr.qos, Some(Qos { tid: 5, ack_policy: 0, is_amsdu: true }));
        assert_eq!((repr.duration_us(), packet.body(false)), (Some(48), &[0xaa][..]));
        assert_eq!(repr.transmitter.unwrap().to_string(), "02:00:00:00:00:02");
        assert_eq!(repr.fourth, Some(Mac([2, 0, 0, 0, 0, 4])));
        // 36 bytes need no padding; without HT control, 32 do not either, 26 do.
        rest.splice(..6, []);
        let bytes = frame([0x88, 0x01], &[0, 0, 0xff, 0xff, 0xaa]);
        assert_eq!(Packet::new_checked(&bytes).unwrap().body(true), [0xaa]);
    }

    #[test]
    fn control_frames() {
        let ack = [0xd4, 0, 0, 0, 2, 0, 0, 0, 0, 1];
        let repr = parsed(&ack).unwrap();
        assert_eq!((repr.kind, repr.transmitter), (Kind::Ack, None));
        let mut rts = vec![0xb4, 0, 0, 0, 2, 0, 0, 0, 0, 1, 3, 0, 0, 0, 0, 2];
        // The bit of a group in the transmitter's address announces a bandwidth.
        assert_eq!(parsed(&rts).unwrap().transmitter, Some(Mac([2, 0, 0, 0, 0, 2])));
        rts.truncate(15);
        assert_eq!(parsed(&rts).unwrap().transmitter, None);
        assert_eq!(parsed(&ack[..9]), None);
        assert_eq!(parsed(&[0xd5, 0, 0, 0, 2, 0, 0, 0, 0, 1]), None);
    }

    fn kind() -> impl Strategy<Value = Kind> {
        prop_oneof![
            Just(Kind::Data),
            Just(Kind::NullData),
            Just(Kind::Beacon),
            (0..8u8).prop_map(Kind::Management),
            Just(Kind::Rts),
            Just(Kind::Cts),
            Just(Kind::Ack),
            Just(Kind::BlockAckRequest),
            Just(Kind::BlockAck),
            Just(Kind::CfEnd),
            Just(Kind::PsPoll),
            (0..8u8).prop_map(Kind::Control),
            (0..16u8).prop_map(Kind::Extension),
        ]
    }

    /// What a header of a kind can say.
    fn repr() -> impl Strategy<Value = Repr> {
        let mac = || any::<[u8; 6]>().prop_map(|bytes| Mac(bytes).individual());
        let macs = (any::<[u8; 6]>().prop_map(Mac), mac(), mac(), mac());
        let numbers = (any::<u16>(), 0..4096u16, 0..16u8);
        let qos = prop::option::of((0..16u8, 0..4u8, any::<bool>()));
        (kind(), any::<[bool; 5]>(), macs, numbers, qos).prop_map(
            |(kind, bits, macs, (duration, sequence, fragment), qos)| {
                let sequenced = kind.is_sequenced();
                let [to_ds, from_ds, more_fragments, retry, protected] = bits;
                let qos = qos.map(|(tid, ack_policy, is_amsdu)| Qos { tid, ack_policy, is_amsdu });
                Repr {
                    to_ds,
                    from_ds,
                    more_fragments,
                    retry,
                    protected,
                    duration,
                    transmitter: (sequenced || kind.has_transmitter()).then_some(macs.1),
                    third: sequenced.then_some(macs.2),
                    fourth: (kind.is_data() && to_ds && from_ds).then_some(macs.3),
                    sequence: sequenced.then_some(sequence),
                    fragment: if sequenced { fragment } else { 0 },
                    qos: qos.filter(|_| kind.is_data()),
                    ..Repr::new(kind, macs.0)
                }
            },
        )
    }

    proptest! {
        #[test]
        fn round_trip(repr in repr(), body in prop::collection::vec(any::<u8>(), 0..9)) {
            let mut out = Vec::new();
            repr.emit(&mut out);
            prop_assert_eq!(out.len(), repr.buffer_len());
            out.extend(&body);
            let packet = Packet::new_checked(&out).unwrap();
            prop_assert_eq!(Repr::parse(&packet), Some(repr));
            prop_assert_eq!(packet.header_len(false), repr.buffer_len());
            prop_assert_eq!(packet.body(false), &body);
        }

        #[test]
        fn any_bytes(frame in prop::collection::vec(any::<u8>(), 0..50), padded: bool) {
            if let Some(packet) = Packet::new_checked(&frame) {
                prop_assert!(Repr::parse(&packet).is_some());
                prop_assert!(frame.ends_with(packet.body(padded)));
            }
        }
    }

    #[test]
    fn no_length_panics() {
        for first in 0..=255u8 {
            for flags in [0, 0xff] {
                let bytes = frame([first, flags], &[0xff; 24]);
                for cut in 0..bytes.len() {
                    let packet = Packet::new_checked(&bytes[..cut]);
                    let _ = packet.map(|packet| (packet.body(cut % 2 == 0), Repr::parse(&packet)));
                }
            }
        }
    }
}
