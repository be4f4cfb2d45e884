//! The blocks of a pcapng file: sections, interfaces, packets
//! (draft-ietf-opsawg-pcapng). Other blocks are passed over.

use airtcp_wire::bytes::{be16, be32, be64, byte, le16, le32, le64};

use super::buffer::Buffer;
use super::damage::{Damage, MAX_PACKET, Step};
use super::interfaces::{Interface, MAX_INTERFACES};
use super::packet::Packet;

/// Block types.
const SECTION: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
const OBSOLETE_PACKET: u32 = 2;
const SIMPLE_PACKET: u32 = 3;
const ENHANCED_PACKET: u32 = 6;
/// Types at which reading goes on after damage: names, statistics and secrets are among them.
const KNOWN: [u32; 8] =
    [SECTION, INTERFACE, OBSOLETE_PACKET, SIMPLE_PACKET, 4, 5, ENHANCED_PACKET, 10];
/// The number that tells the byte order of a section.
const BYTE_ORDER: u32 = 0x1a2b_3c4d;
/// Bytes of the shortest block: its type, and its length twice.
const SHORTEST: usize = 12;
/// Longest block.
const LONGEST: u32 = MAX_PACKET + 4096;
/// Options of an interface.
const IF_TSRESOL: u16 = 9;
const IF_TSOFFSET: u16 = 14;

/// The state of a section.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    big_endian: bool,
    interfaces: Vec<Interface>,
    /// Time of the last packet that has one.
    last_ns: u64,
}

impl Blocks {
    /// True if these bytes begin a pcapng file.
    pub(super) fn is_start_of_file(start: &[u8]) -> bool {
        be32(start, 0) == Some(SECTION)
    }

    fn word(&self, data: &[u8], at: usize) -> Option<u32> {
        if self.big_endian { be32(data, at) } else { le32(data, at) }
    }

    fn half(&self, data: &[u8], at: usize) -> Option<u16> {
        if self.big_endian { be16(data, at) } else { le16(data, at) }
    }

    /// The next block; the caller consumes its bytes.
    pub(super) fn next<'a>(&mut self, buffer: &'a mut Buffer) -> Step<'a> {
        if !buffer.fill(SHORTEST) {
            return Step::at_end(buffer);
        }
        let Some((kind, length)) = self.head(buffer.data(), 0) else {
            return Step::Damaged(Damage::NoPacket);
        };
        if length > LONGEST {
            return Step::Damaged(Damage::TooLong);
        }
        let length = length as usize;
        if !buffer.fill(length) {
            return Step::Damaged(Damage::Ends);
        }
        let block = &buffer.data()[..length];
        if block[4..8] != block[length - 4..] {
            return Step::Damaged(Damage::NoPacket);
        }
        if kind == SECTION {
            self.begin_section(block);
        }
        self.take(kind, &block[8..length - 4], length)
    }

    /// Type and length of the block at a place, if they can be that of a block.
    fn head(&self, data: &[u8], at: usize) -> Option<(u32, u32)> {
        let kind = self.word(data, at)?;
        let length = if kind == SECTION {
            match (le32(data, at + 8)?, be32(data, at + 8)?) {
                (BYTE_ORDER, _) => le32(data, at + 4)?,
                (_, BYTE_ORDER) => be32(data, at + 4)?,
                _ => return None,
            }
        } else {
            self.word(data, at + 4)?
        };
        (length as usize >= SHORTEST && length.is_multiple_of(4)).then_some((kind, length))
    }

    /// A section begins: its byte order, and no interfaces yet.
    fn begin_section(&mut self, block: &[u8]) {
        self.big_endian = be32(block, 8) == Some(BYTE_ORDER);
        self.interfaces.clear();
    }

    fn take<'a>(&mut self, kind: u32, body: &'a [u8], length: usize) -> Step<'a> {
        let packet = match kind {
            INTERFACE => {
                let described =
                    self.interface(body).filter(|_| self.interfaces.len() < MAX_INTERFACES);
                let Some(described) = described else { return Step::Malformed(length) };
                self.interfaces.push(described);
                return Step::Other(length);
            }
            ENHANCED_PACKET => self.enhanced(body),
            SIMPLE_PACKET => self.simple(body),
            OBSOLETE_PACKET => self.obsolete(body),
            _ => return Step::Other(length),
        };
        if let Some(packet) = &packet {
            self.last_ns = packet.time_ns;
        }
        packet.map_or(Step::Malformed(length), |packet| Step::Packet(packet, length))
    }

    /// An interface description block: link type, longest packet, and options.
    fn interface(&self, body: &[u8]) -> Option<Interface> {
        let link_type = self.half(body, 0)?;
        let longest = self.word(body, 4)?;
        let (mut per_second, mut offset) = (1_000_000, 0);
        let mut at = 8;
        while let (Some(code), Some(length)) = (self.half(body, at), self.half(body, at + 2)) {
            match code {
                0 => break,
                IF_TSRESOL => {
                    per_second = byte(body, at + 4).and_then(resolution).unwrap_or(1_000_000);
                }
                IF_TSOFFSET => {
                    let read = if self.big_endian { be64 } else { le64 };
                    offset = read(body, at + 4).map_or(0, u64::cast_signed);
                }
                _ => {}
            }
            at += 4 + usize::from(length).next_multiple_of(4);
        }
        Some(Interface::new(link_type, per_second, offset).with_longest(longest))
    }

    fn packet<'a>(&self, number: u32, body: &'a [u8], at: usize) -> Option<Packet<'a>> {
        let interface = self.interfaces.get(number as usize)?;
        let ticks = u64::from(self.word(body, at)?) << 32 | u64::from(self.word(body, at + 4)?);
        let captured = self.word(body, at + 8)?;
        Some(Packet {
            time_ns: interface.time_ns(ticks),
            is_timed: true,
            link_type: interface.link_type,
            interface: number,
            wire_len: self.word(body, at + 12)?.max(captured),
            data: body.get(at + 16..)?.get(..captured as usize)?,
        })
    }

    fn enhanced<'a>(&self, body: &'a [u8]) -> Option<Packet<'a>> {
        self.packet(self.word(body, 0)?, body, 4)
    }

    /// The obsolete packet block has 16 bits for the interface, and 16 for a count of drops.
    fn obsolete<'a>(&self, body: &'a [u8]) -> Option<Packet<'a>> {
        self.packet(u32::from(self.half(body, 0)?), body, 4)
    }

    /// A simple packet block has no time, and belongs to the first interface. It gets the time of the packet
    /// before.
    fn simple<'a>(&self, body: &'a [u8]) -> Option<Packet<'a>> {
        let interface = self.interfaces.first()?;
        let original = self.word(body, 0)?;
        let rest = body.get(4..)?;
        let captured = interface.longest().min(original) as usize;
        Some(Packet {
            time_ns: self.last_ns,
            is_timed: false,
            link_type: interface.link_type,
            interface: 0,
            wire_len: original,
            data: &rest[..captured.min(rest.len())],
        })
    }

    /// True if reading can go on `place` bytes from here, after damage: a block of a known type with the
    /// same length at both ends.
    pub(super) fn is_start(&self, buffer: &mut Buffer, place: usize) -> bool {
        if !buffer.fill(place + SHORTEST) {
            return false;
        }
        let found = self.head(buffer.data(), place);
        let is_known = |(kind, length): &(u32, u32)| KNOWN.contains(kind) && *length <= LONGEST;
        let Some((kind, length)) = found.filter(is_known) else { return false };
        let length = length as usize;
        if !buffer.fill(place + length) {
            return false;
        }
        let data = buffer.data();
        let has_interface =
            |number: Option<u32>| number.is_some_and(|n| (n as usize) < self.interfaces.len());
        let (own, end) =
            (data.get(place + 4..place + 8), data.get(place + length - 4..place + length));
        own == end
            && match kind {
                ENHANCED_PACKET => has_interface(self.word(data, place + 8)),
                _ => length > SHORTEST,
            }
    }
}

/// Units of a timestamp per second, of the option `if_tsresol`: a power of ten, or of two with the top
/// bit.
fn resolution(value: u8) -> Option<u64> {
    let exponent = u32::from(value & 0x7f);
    if value & 0x80 == 0 { 10u64.checked_pow(exponent) } else { 1u64.checked_shl(exponent) }
}
