//! The packets of a capture, in the order of the file.
//!
//! `pcap-parser` reads the blocks of both formats. This file adds timestamps, interfaces, and what to
//! do with damage: the first place that cannot be read ends the packets, and the summary names it.
//! A block that is whole but malformed is skipped and counted.

use std::io::{self, Read};
use std::ops::ControlFlow;

use pcap_parser::traits::{PcapNGPacketBlock as _, PcapReaderIterator};
use pcap_parser::{Block, LegacyPcapReader, PcapBlockOwned, PcapError, PcapHeader, PcapNGReader};

use super::input::Input;
use super::interfaces::{Interface, MAX_INTERFACES};
use crate::bytes::{be32, le32};
use crate::error::CaptureError;

/// Bytes of a reader's buffer, and thus the longest packet.
const BUFFER: usize = 1 << 20;
/// Block type of the obsolete packet block of pcapng.
const OBSOLETE_PACKET: u32 = 2;
/// Bits of the link type in a pcap header; the others tell the length of the frame check sequence.
const LINK_TYPE: i32 = 0xffff;

/// A packet as a capture holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packet<'a> {
    /// Time in nanoseconds since 1970-01-01.
    pub time_ns: u64,
    /// Link type (number of the registry at tcpdump.org).
    pub link_type: u16,
    /// Number of the interface in the file.
    pub interface: u32,
    /// Length on the wire.
    pub wire_len: u32,
    /// The captured bytes.
    pub data: &'a [u8],
}

/// What was found in a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileSummary {
    /// Link types of its packets, in the order of their first appearance.
    pub link_types: Vec<u16>,
    /// Number of packets.
    pub packets: u64,
    /// Bytes after decompression up to which the file was read.
    pub bytes: u64,
    /// The place from which on the file could not be read, as a number of bytes after decompression.
    pub damaged_at: Option<u64>,
    /// What is wrong at that place.
    pub damage: Option<String>,
    /// Blocks that were skipped because they are malformed.
    pub malformed: u64,
    /// Packets of which the capture holds only the beginning.
    pub cut: u64,
    /// Packets earlier than the one before.
    pub unsorted: u64,
}

/// A stream of packets.
pub struct Packets {
    blocks: Box<dyn PcapReaderIterator>,
    interfaces: Vec<Interface>,
    /// True if the section is in big-endian order.
    big_endian: bool,
    last_ns: u64,
    summary: FileSummary,
}

impl Packets {
    /// Begins to read a capture.
    ///
    /// # Errors
    /// If the stream is no capture, or ends within its header.
    pub fn new(input: Input) -> Result<Self, CaptureError> {
        let Input { name, mut reader, .. } = input;
        let failed = |source| CaptureError::Io { path: name.clone(), source };
        let start = first_bytes(&mut reader).map_err(failed)?;
        let cut_off = || CaptureError::CutOff { path: name.clone(), bytes: start.len() as u64 };
        let is_ng = start.starts_with(&[0x0a, 0x0d, 0x0d, 0x0a]);
        if start.len() < 24 && (is_ng || is_pcap(&start)) {
            return Err(cut_off());
        }
        let chained = Chained { start: start.clone(), used: 0, rest: reader };
        let unknown = || not_a_capture(&name, &start);
        let blocks: Box<dyn PcapReaderIterator> = if is_ng {
            Box::new(PcapNGReader::new(BUFFER, chained).map_err(|_| unknown())?)
        } else if is_pcap(&start) {
            Box::new(LegacyPcapReader::new(BUFFER, chained).map_err(|_| unknown())?)
        } else {
            return Err(unknown());
        };
        Ok(Self {
            blocks,
            interfaces: Vec::new(),
            big_endian: false,
            last_ns: 0,
            summary: FileSummary::default(),
        })
    }

    /// Passes packets to `sink` until the end of the file, or until `sink` breaks. True at the end.
    pub fn read(&mut self, mut sink: impl FnMut(&Packet<'_>) -> ControlFlow<()>) -> bool {
        loop {
            let taken = match self.blocks.next() {
                Ok((length, block)) => {
                    let state = State {
                        interfaces: &mut self.interfaces,
                        big_endian: &mut self.big_endian,
                        malformed: &mut self.summary.malformed,
                    };
                    let mut flow = ControlFlow::Continue(());
                    if let Some(packet) = packet_of(&block, state) {
                        count(&mut self.summary, &mut self.last_ns, &packet);
                        flow = sink(&packet);
                    }
                    Ok((length, flow))
                }
                Err(error) => Err(Failure::of(&error)),
            };
            match taken {
                Ok((length, flow)) => {
                    self.consume(length);
                    if flow.is_break() {
                        return false;
                    }
                }
                Err(failure) => {
                    if !self.goes_on_after(failure) {
                        return true;
                    }
                }
            }
        }
    }

    fn consume(&mut self, length: usize) {
        self.summary.bytes += length as u64;
        self.blocks.consume(length);
    }

    /// Handles a failure. False if it ends the packets.
    fn goes_on_after(&mut self, failure: Failure) -> bool {
        let damage = match failure {
            Failure::Incomplete => {
                if self.blocks.refill().is_ok() {
                    return true;
                }
                "the file could not be read further"
            }
            Failure::Malformed => {
                if let Some(length) = self.malformed_length() {
                    self.summary.malformed += 1;
                    self.consume(length);
                    return true;
                }
                "the bytes are no packet"
            }
            Failure::TooLong => "a packet is longer than 1 MiB",
            // The end of a file whose last packet is whole is no damage.
            Failure::End if self.blocks.data().is_empty() => return false,
            Failure::End => "the file ends within a packet",
        };
        self.summary.damaged_at = Some(self.summary.bytes);
        self.summary.damage = Some(damage.to_owned());
        false
    }

    /// What was found so far.
    pub const fn summary(&self) -> &FileSummary {
        &self.summary
    }

    /// Length of the malformed block at the current place, if its two lengths agree.
    fn malformed_length(&self) -> Option<usize> {
        let data = self.blocks.data();
        let word = if self.big_endian { be32 } else { le32 };
        // Only pcapng has a block's length at both ends.
        if self.interfaces.is_empty() {
            return None;
        }
        let length = word(data, 4)? as usize;
        let plausible = length >= 12 && length.is_multiple_of(4) && length <= data.len();
        (plausible && word(data, length - 4)? as usize == length).then_some(length)
    }
}

/// Why there is no next block.
#[derive(Debug, Clone, Copy)]
enum Failure {
    /// The buffer has only a part of it.
    Incomplete,
    /// The file ends.
    End,
    TooLong,
    Malformed,
}

impl Failure {
    fn of(error: &PcapError<&[u8]>) -> Self {
        match error {
            PcapError::Incomplete(_) => Self::Incomplete,
            PcapError::Eof | PcapError::UnexpectedEof => Self::End,
            PcapError::BufferTooSmall => Self::TooLong,
            _ => Self::Malformed,
        }
    }
}

/// Counts a packet.
fn count(summary: &mut FileSummary, last_ns: &mut u64, packet: &Packet<'_>) {
    summary.packets += 1;
    if !summary.link_types.contains(&packet.link_type) {
        summary.link_types.push(packet.link_type);
    }
    summary.cut += u64::from((packet.data.len() as u64) < u64::from(packet.wire_len));
    summary.unsorted += u64::from(packet.time_ns < *last_ns);
    *last_ns = packet.time_ns;
}

/// The part of a reader that a block may change.
struct State<'a> {
    interfaces: &'a mut Vec<Interface>,
    big_endian: &'a mut bool,
    malformed: &'a mut u64,
}

/// The packet of a block, if it has one.
fn packet_of<'a>(block: &'a PcapBlockOwned<'_>, state: State<'_>) -> Option<Packet<'a>> {
    match block {
        PcapBlockOwned::LegacyHeader(header) => {
            state.interfaces.push(legacy_interface(header));
            None
        }
        PcapBlockOwned::Legacy(record) => {
            let interface = state.interfaces.first()?;
            let per_second = interface.per_second();
            let ticks = u64::from(record.ts_sec) * per_second + u64::from(record.ts_usec);
            Some(Packet {
                time_ns: interface.time_ns(ticks),
                link_type: interface.link_type,
                interface: 0,
                wire_len: record.origlen.max(record.caplen),
                data: record.data,
            })
        }
        PcapBlockOwned::NG(block) => packet_of_ng(block, state),
    }
}

fn packet_of_ng<'a>(block: &'a Block<'_>, state: State<'_>) -> Option<Packet<'a>> {
    let State { interfaces, big_endian, malformed } = state;
    match block {
        Block::SectionHeader(header) => {
            *big_endian = header.big_endian();
            interfaces.clear();
            None
        }
        Block::InterfaceDescription(described) => {
            let link_type = u16::try_from(described.linktype.0).unwrap_or(u16::MAX);
            let offset = if *big_endian {
                described.if_tsoffset.swap_bytes()
            } else {
                described.if_tsoffset
            };
            let per_second = described.ts_resolution().unwrap_or(1_000_000);
            if interfaces.len() < MAX_INTERFACES {
                interfaces.push(Interface::new(link_type, per_second, offset));
            } else {
                *malformed += 1;
            }
            None
        }
        Block::EnhancedPacket(packet) => {
            let Some(interface) = interfaces.get(packet.if_id as usize) else {
                *malformed += 1;
                return None;
            };
            let ticks = u64::from(packet.ts_high) << 32 | u64::from(packet.ts_low);
            Some(Packet {
                time_ns: interface.time_ns(ticks),
                link_type: interface.link_type,
                interface: packet.if_id,
                wire_len: packet.origlen.max(packet.caplen),
                data: packet.packet_data(),
            })
        }
        Block::SimplePacket(packet) => {
            let interface = interfaces.first()?;
            Some(Packet {
                time_ns: 0,
                link_type: interface.link_type,
                interface: 0,
                wire_len: packet.origlen,
                data: packet.packet_data(),
            })
        }
        Block::Unknown(unknown) if unknown.block_type == OBSOLETE_PACKET => {
            let packet = obsolete(unknown.data, *big_endian, interfaces);
            *malformed += u64::from(packet.is_none());
            packet
        }
        _ => None,
    }
}

/// The packet of an obsolete packet block, which has 16 bits for the interface.
fn obsolete<'a>(data: &'a [u8], big_endian: bool, interfaces: &[Interface]) -> Option<Packet<'a>> {
    let word = if big_endian { be32 } else { le32 };
    let first = word(data, 0)?;
    let number = if big_endian { first >> 16 } else { first & 0xffff };
    let interface = interfaces.get(number as usize)?;
    let ticks = u64::from(word(data, 4)?) << 32 | u64::from(word(data, 8)?);
    let captured = word(data, 12)? as usize;
    Some(Packet {
        time_ns: interface.time_ns(ticks),
        link_type: interface.link_type,
        interface: number,
        wire_len: word(data, 16)?,
        data: data.get(20..20 + captured)?,
    })
}

fn legacy_interface(header: &PcapHeader) -> Interface {
    let per_second = if header.is_nanosecond_precision() { 1_000_000_000 } else { 1_000_000 };
    let link_type = u16::try_from(header.network.0 & LINK_TYPE).unwrap_or(u16::MAX);
    Interface::new(link_type, per_second, 0)
}

fn is_pcap(start: &[u8]) -> bool {
    const MAGICS: [[u8; 4]; 5] = [
        [0xd4, 0xc3, 0xb2, 0xa1],
        [0xa1, 0xb2, 0xc3, 0xd4],
        [0x4d, 0x3c, 0xb2, 0xa1],
        [0xa1, 0xb2, 0x3c, 0x4d],
        [0x34, 0xcd, 0xb2, 0xa1],
    ];
    MAGICS.iter().any(|magic| start.starts_with(magic))
}

fn not_a_capture(name: &str, start: &[u8]) -> CaptureError {
    let mut hint = "They may be compressed with gzip, xz or zstd.";
    let what = if start.is_empty() {
        "empty".to_owned()
    } else if let Some((what, todo)) = airtcp_trace::reader::binary_kind(start) {
        if what.ends_with("capture") {
            hint = todo;
        }
        what.to_owned()
    } else {
        let shown: Vec<String> = start.iter().take(8).map(|b| format!("{b:02x}")).collect();
        format!("a file that begins with the bytes {}", shown.join(" "))
    };
    CaptureError::NotACapture { path: name.to_owned(), what, hint }
}

/// The first bytes of a stream: a whole section header block of pcapng, or the header of pcap.
fn first_bytes(reader: &mut impl Read) -> io::Result<Vec<u8>> {
    /// More than any section header holds; its options are texts.
    const MAX_SECTION_HEADER: u32 = 512 * 1024;
    let mut start = Vec::new();
    reader.by_ref().take(28).read_to_end(&mut start)?;
    if let Some(&[0x0a, 0x0d, 0x0d, 0x0a, a, b, c, d, e, ..]) = start.get(..28) {
        let length = if e == 0x1a {
            u32::from_be_bytes([a, b, c, d])
        } else {
            u32::from_le_bytes([a, b, c, d])
        };
        let rest = u64::from(length.min(MAX_SECTION_HEADER)).saturating_sub(28);
        reader.by_ref().take(rest).read_to_end(&mut start)?;
    }
    Ok(start)
}

/// First bytes given back before the rest of a stream. Its first read yields all of them.
struct Chained {
    start: Vec<u8>,
    used: usize,
    rest: Box<dyn Read>,
}

impl Read for Chained {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.used < self.start.len() {
            let n = (&self.start[self.used..]).read(buffer)?;
            self.used += n;
            return Ok(n);
        }
        self.rest.read(buffer)
    }
}
