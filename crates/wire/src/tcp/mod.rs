//! The header of TCP (RFC 9293 section 3.1), with the flag AE of RFC 9768.
//!
//! The reserved bit beside AE is the mark of a loss on the air, which `packet::Segment::has_loss_mark` describes.
//! Leaves out: the other reserved bits.

mod options;

use airtcp_packet::Seq;
use airtcp_units::LowBits;
use arrayvec::ArrayVec;

use crate::checksum::{Addresses, Payload, checksum, sum};
pub use airtcp_packet::Flags;
pub use options::{CODED_WORDS, Options};

/// IP's number of TCP.
pub const PROTOCOL: u8 = 6;
/// Bytes of a header without options.
pub const HEADER: usize = 20;
/// Bits of the byte with the data offset.
const AE: u8 = 0x01;
const LOSS_MARK: u8 = 0x02;

/// A segment, or the part of it that a capture has: at least its header without options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packet<'a> {
    data: &'a [u8],
    head: &'a [u8; HEADER],
}

impl<'a> Packet<'a> {
    /// A view of these bytes; `None` if they end before the options, or if the header's length is below 20.
    #[inline]
    pub fn new_checked(data: &'a [u8]) -> Option<Self> {
        let packet = Self { data, head: data.first_chunk()? };
        (packet.header_len() >= HEADER).then_some(packet)
    }

    #[inline]
    const fn half(&self, at: usize) -> u16 {
        u16::from_be_bytes([self.head[at], self.head[at + 1]])
    }

    #[inline]
    const fn word(&self, at: usize) -> u32 {
        let head = self.head;
        u32::from_be_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]])
    }

    /// Port of the source.
    #[inline]
    pub const fn source_port(&self) -> u16 {
        self.half(0)
    }

    /// Port of the destination.
    #[inline]
    pub const fn destination_port(&self) -> u16 {
        self.half(2)
    }

    /// Sequence number.
    #[inline]
    pub const fn seq(&self) -> Seq {
        Seq(self.word(4))
    }

    /// Acknowledgement number.
    #[inline]
    pub const fn ack(&self) -> Seq {
        Seq(self.word(8))
    }

    /// Bytes of the header with its options, which may be more than the capture has.
    #[inline]
    pub const fn header_len(&self) -> usize {
        (self.head[12] >> 4) as usize * 4
    }

    /// The flag AE, formerly NS.
    #[inline]
    pub const fn ae(&self) -> bool {
        self.head[12] & AE != 0
    }

    /// The mark of a loss on the air.
    pub const fn loss_mark(&self) -> bool {
        self.head[12] & LOSS_MARK != 0
    }

    /// Flags.
    #[inline]
    pub const fn flags(&self) -> Flags {
        Flags(self.head[13])
    }

    /// Window, before its scale.
    #[inline]
    pub const fn window(&self) -> u16 {
        self.half(14)
    }

    /// Checksum.
    #[inline]
    pub const fn checksum(&self) -> u16 {
        self.half(16)
    }

    /// Urgent pointer.
    pub const fn urgent(&self) -> u16 {
        self.half(18)
    }

    /// The options, as far as they are there.
    #[inline]
    pub fn options(&self) -> &'a [u8] {
        &self.data[HEADER..self.header_len().min(self.data.len())]
    }

    /// The payload, as far as it is there.
    pub fn payload(&self) -> &'a [u8] {
        self.data.get(self.header_len()..).unwrap_or_default()
    }

    /// True if the checksum of a whole segment is right.
    pub fn verify_checksum(&self, between: &Addresses) -> bool {
        checksum(between.pseudo(PROTOCOL, self.data.len()) + sum(self.data)) == 0
    }
}

/// What a header says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Repr {
    /// Port of the source.
    pub source_port: u16,
    /// Port of the destination.
    pub destination_port: u16,
    /// Sequence number.
    pub seq: Seq,
    /// Acknowledgement number, valid with [`Flags::ACK`].
    pub ack: Seq,
    /// Flags.
    pub flags: Flags,
    /// The flag AE.
    pub ae: bool,
    /// The mark of a loss on the air.
    pub loss_mark: bool,
    /// Window, before its scale.
    pub window: u16,
    /// Urgent pointer, valid with the flag URG.
    pub urgent: u16,
    /// Options.
    pub options: Options,
    /// Words of a transport with erasure coding; an option without words offers one.
    pub coding: Option<ArrayVec<u32, CODED_WORDS>>,
}

impl Repr {
    /// What a segment's header says. Options that the bytes end within are left out, and unknown ones. The checksum
    /// is not looked at ([`Packet::verify_checksum`]).
    pub fn parse(packet: &Packet<'_>) -> Self {
        Self {
            source_port: packet.source_port(),
            destination_port: packet.destination_port(),
            seq: packet.seq(),
            ack: packet.ack(),
            flags: packet.flags(),
            ae: packet.ae(),
            loss_mark: packet.loss_mark(),
            window: packet.window(),
            urgent: packet.urgent(),
            options: Options::parse(packet.options()),
            coding: options::coding(packet.options()),
        }
    }

    /// Bytes that [`emit`](Self::emit) writes.
    pub fn buffer_len(&self) -> usize {
        HEADER + self.options.emitted(self.coding.as_deref()).len()
    }

    /// Appends the header, with its checksum. Options that find no place among 40 bytes are left out.
    pub fn emit(&self, out: &mut Vec<u8>, between: &Addresses, payload: Payload) {
        let start = out.len();
        let options = self.options.emitted(self.coding.as_deref());
        let words = u8::low_bits(((HEADER + options.len()) / 4) as u64);
        let marks = if self.ae { AE } else { 0 } | if self.loss_mark { LOSS_MARK } else { 0 };
        out.extend(self.source_port.to_be_bytes());
        out.extend(self.destination_port.to_be_bytes());
        out.extend(self.seq.0.to_be_bytes());
        out.extend(self.ack.0.to_be_bytes());
        out.extend([words << 4 | marks, self.flags.0]);
        out.extend(self.window.to_be_bytes());
        out.extend([0; 2]);
        out.extend(self.urgent.to_be_bytes());
        out.extend(options);
        let value = payload.checksum(between, PROTOCOL, &out[start..]);
        out[start + 16..start + 18].copy_from_slice(&value.to_be_bytes());
    }
}

#[cfg(test)]
mod tests;
