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

use super::kind::{Kind, QOS, Qos};
use super::mac::Mac;

/// Bits of the second byte of frame control.
const TO_DS: u8 = 0x01;
const FROM_DS: u8 = 0x02;
const MORE_FRAGMENTS: u8 = 0x04;
const RETRY: u8 = 0x08;
const PROTECTED: u8 = 0x40;
/// Of management and QoS data: HT control follows.
const ORDER: u8 = 0x80;
/// Bytes up to the receiver, up to the transmitter, and of a header with sequence control.
const RECEIVER: usize = 10;
const TRANSMITTER: usize = 16;
const SEQUENCED: usize = 24;

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
mod tests;
