//! The blocks of a pcapng file: sections, interfaces, packets, counts
//! (draft-ietf-opsawg-pcapng). Other blocks are passed over.

use airtcp_wire::bytes::be32;
use airtcp_wire::pcapng::{self, EnhancedPacket, Order, Section, Statistics};

use super::buffer::Buffer;
use super::damage::{Damage, MAX_PACKET, Step};
use super::drops::Dropped;
use super::interfaces::{Interface, MAX_INTERFACES, Names};
use super::packet::Packet;

/// Block types.
const SECTION: u32 = Section::KIND;
const INTERFACE: u32 = pcapng::Interface::KIND;
const OBSOLETE_PACKET: u32 = EnhancedPacket::OBSOLETE;
const SIMPLE_PACKET: u32 = 3;
const ENHANCED_PACKET: u32 = EnhancedPacket::KIND;
const STATISTICS: u32 = Statistics::KIND;
/// Types at which reading goes on after damage: names, statistics and secrets are among them.
const KNOWN: [u32; 8] =
    [SECTION, INTERFACE, OBSOLETE_PACKET, SIMPLE_PACKET, 4, STATISTICS, ENHANCED_PACKET, 10];
/// Bytes of the shortest block: its type, and its length twice.
const SHORTEST: usize = 12;
/// Longest block.
const LONGEST: u32 = MAX_PACKET + 4096;

/// The state of a section.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    order: Order,
    interfaces: Vec<Interface>,
    names: Names,
    /// The only interface whose packets are wanted, by its name.
    only: Option<String>,
    /// Time of the last packet that has one, and of the first packet.
    last_ns: u64,
    first_ns: Option<u64>,
}

impl Blocks {
    /// True if these bytes begin a pcapng file.
    pub(super) fn is_start_of_file(start: &[u8]) -> bool {
        be32(start, 0) == Some(SECTION)
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
        let kind = self.order.word(data, at)?;
        let length = if kind == SECTION {
            Section::order(data.get(at + 8..)?)?.word(data, at + 4)?
        } else {
            self.order.word(data, at + 4)?
        };
        (length as usize >= SHORTEST && length.is_multiple_of(4)).then_some((kind, length))
    }

    /// Leaves out the packets of all interfaces but one.
    pub(super) fn read_only(&mut self, interface: &str) {
        self.only = Some(interface.to_owned());
    }

    /// The names of the interfaces so far, by their numbers in the file.
    pub(super) fn names(&self) -> &[String] {
        self.names.all()
    }

    /// A section begins: its byte order, and no interfaces yet.
    fn begin_section(&mut self, block: &[u8]) {
        self.order = Section::order(&block[8..]).unwrap_or_default();
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
            STATISTICS => {
                let dropped = self.dropped(body);
                return dropped.map_or(Step::Other(length), |found| Step::Dropped(found, length));
            }
            _ => return Step::Other(length),
        };
        if let Some(packet) = &packet {
            self.last_ns = packet.time_ns;
            self.first_ns.get_or_insert(packet.time_ns);
            let is_wanted = |only: &String| self.names.is(packet.interface, only);
            if !self.only.as_ref().is_none_or(is_wanted) {
                return Step::Other(length);
            }
        }
        packet.map_or(Step::Malformed(length), |packet| Step::Packet(packet, length))
    }

    /// An interface description block: link type, longest packet, and options.
    fn interface(&mut self, body: &[u8]) -> Option<Interface> {
        let described = pcapng::Interface::parse(body, self.order)?;
        let per_second = described.per_second().unwrap_or(1_000_000);
        let offset = described.offset.unwrap_or(0);
        let interface = Interface::new(described.link_type, per_second, offset);
        let number = self.names.number(described.name);
        Some(interface.with_longest(described.longest).with_number(number))
    }

    fn timed<'a>(&self, block: &EnhancedPacket<'a>) -> Option<Packet<'a>> {
        let interface = self.interfaces.get(block.interface as usize)?;
        Some(Packet {
            time_ns: interface.time_ns(block.ticks),
            is_timed: true,
            link_type: interface.link_type,
            interface: interface.number,
            wire_len: block.length.max(u32::try_from(block.data.len()).ok()?),
            data: block.data,
        })
    }

    fn enhanced<'a>(&self, body: &'a [u8]) -> Option<Packet<'a>> {
        self.timed(&EnhancedPacket::parse(body, self.order)?)
    }

    fn obsolete<'a>(&self, body: &'a [u8]) -> Option<Packet<'a>> {
        self.timed(&EnhancedPacket::parse_obsolete(body, self.order)?)
    }

    /// Packets that an interface statistics block shows to have been dropped since the one before.
    fn dropped(&mut self, body: &[u8]) -> Option<Dropped> {
        let count = Statistics::parse(body, self.order)?;
        let interface = self.interfaces.get_mut(count.interface as usize)?;
        if self.only.as_ref().is_some_and(|only| !self.names.is(interface.number, only)) {
            return None;
        }
        let at_ns = interface.time_ns(count.ticks);
        interface.counted.take(&count, at_ns, self.first_ns)
    }

    /// A simple packet block has no time, and belongs to the first interface. It gets the time of the packet
    /// before.
    fn simple<'a>(&self, body: &'a [u8]) -> Option<Packet<'a>> {
        let interface = self.interfaces.first()?;
        let original = self.order.word(body, 0)?;
        let rest = body.get(4..)?;
        let captured = interface.longest().min(original) as usize;
        Some(Packet {
            time_ns: self.last_ns,
            is_timed: false,
            link_type: interface.link_type,
            interface: interface.number,
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
                ENHANCED_PACKET => has_interface(self.order.word(data, place + 8)),
                _ => length > SHORTEST,
            }
    }
}
