//! Writing pcapng files (draft-ietf-opsawg-pcapng): a section, its interfaces, packets with
//! nanosecond time.
//!
//! Little-endian. Blocks written: Section Header, Interface Description (link type 228, IPv4
//! without a link header; option `if_tsresol` = 9), Enhanced Packet.
//! [`PcapProbe`] records the segments that one end of a flow, or all ends of one side, send and receive,
//! as a capture on that host would. Both ends in one file would show every segment twice.

use std::io::{self, Write};

use airtcp_packet::{EndpointId, Segment, Side};
use airtcp_units::{LowBits, Nanos, Narrow};

use crate::{Event, EventSource, Probe, wire};

const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const BYTE_ORDER: u32 = 0x1a2b_3c4d;
const INTERFACE: u32 = 1;
const PACKET: u32 = 6;
/// LINKTYPE_IPV4.
const LINK_TYPE: u16 = 228;

/// A pcapng file being written.
#[derive(Debug)]
pub struct Pcapng<W: Write> {
    out: W,
    block: Vec<u8>,
    interfaces: u32,
}

fn pad(bytes: &mut Vec<u8>) {
    bytes.resize(bytes.len().next_multiple_of(4), 0);
}

/// An option of a block: code, length, value padded to four bytes.
fn option(block: &mut Vec<u8>, code: u16, value: &[u8]) {
    block.extend(code.to_le_bytes());
    block.extend(u16::narrow(value.len()).to_le_bytes());
    block.extend(value);
    pad(block);
}

impl<W: Write> Pcapng<W> {
    /// Begins a file: writes the section header with `application` as the writing application.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn new(out: W, application: &str) -> io::Result<Self> {
        let mut file = Self { out, block: Vec::new(), interfaces: 0 };
        file.begin();
        file.block.extend(BYTE_ORDER.to_le_bytes());
        // Version 1.0, section of unknown length.
        file.block.extend([1, 0, 0, 0]);
        file.block.extend(u64::MAX.to_le_bytes());
        option(&mut file.block, 4, &application.as_bytes()[..application.len().min(255)]);
        option(&mut file.block, 0, &[]);
        file.end(SECTION_HEADER)?;
        Ok(file)
    }

    /// Adds an interface with IPv4 packets and returns its number. `snap` is the maximum number of bytes
    /// kept of a packet, 0 for no limit.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn interface(&mut self, name: &str, snap: u32) -> io::Result<u32> {
        self.interface_with_link_type(LINK_TYPE, name, snap)
    }

    /// As [`interface`](Self::interface), with packets of another link type.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn interface_with_link_type(
        &mut self,
        link_type: u16,
        name: &str,
        snap: u32,
    ) -> io::Result<u32> {
        self.begin();
        self.block.extend(link_type.to_le_bytes());
        self.block.extend([0, 0]);
        self.block.extend(snap.to_le_bytes());
        option(&mut self.block, 2, &name.as_bytes()[..name.len().min(255)]);
        // if_tsresol: times are in units of 10^-9 s.
        option(&mut self.block, 9, &[9]);
        option(&mut self.block, 0, &[]);
        self.end(INTERFACE)?;
        self.interfaces += 1;
        Ok(self.interfaces - 1)
    }

    /// Writes a packet of `length` bytes, of which `kept` are in the file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn packet(
        &mut self,
        interface: u32,
        at: Nanos,
        kept: &[u8],
        length: u32,
    ) -> io::Result<()> {
        self.begin();
        self.block.extend(interface.to_le_bytes());
        self.block.extend(((at.0 >> 32) as u32).to_le_bytes());
        self.block.extend(u32::low_bits(at.0).to_le_bytes());
        self.block.extend(u32::narrow(kept.len()).to_le_bytes());
        self.block.extend(length.to_le_bytes());
        self.block.extend(kept);
        pad(&mut self.block);
        self.end(PACKET)
    }

    /// Ends the file.
    ///
    /// # Errors
    /// If the rest cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }

    fn begin(&mut self) {
        self.block.clear();
    }

    /// Writes the block: type, total length, body, total length again.
    fn end(&mut self, kind: u32) -> io::Result<()> {
        let total = (u32::narrow(self.block.len()) + 12).to_le_bytes();
        self.out.write_all(&kind.to_le_bytes())?;
        self.out.write_all(&total)?;
        self.out.write_all(&self.block)?;
        self.out.write_all(&total)
    }
}

/// Vantage point of a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vantage {
    /// One end of one flow.
    Endpoint(EndpointId),
    /// This side of every flow.
    Side(Side),
}

impl Vantage {
    fn sees(self, end: EndpointId) -> bool {
        match self {
            Self::Endpoint(this) => this == end,
            Self::Side(side) => end.side() == side,
        }
    }
}

/// Writes a capture of the segments at a vantage point. Give it a buffered writer.
///
/// The IP identification counts the packets of each sender in the order in which they pass the vantage
/// point, without those lost before it. After a write error the probe writes nothing more, and
/// [`finish`](Self::finish) returns the error.
#[derive(Debug)]
pub struct PcapProbe<W: Write> {
    file: Pcapng<W>,
    vantage: Vantage,
    snap: u32,
    /// Next IP identification of each sender, by [`EndpointId::index`].
    ip_ids: Vec<u16>,
    packets: u64,
    bytes: Vec<u8>,
    error: Option<io::Error>,
}

impl<W: Write> PcapProbe<W> {
    /// Begins a capture. `snap` is the maximum number of bytes kept of each packet, headers included. The
    /// payload is zeros, so with a limit of 100 only TCP checksums can no longer be verified.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn new(out: W, vantage: Vantage, snap: Option<u32>) -> io::Result<Self> {
        let mut file = Pcapng::new(out, concat!("airtcp ", env!("CARGO_PKG_VERSION")))?;
        let name = match vantage {
            Vantage::Endpoint(end) if end.side() == Side::Client => {
                format!("flow {} client", end.flow())
            }
            Vantage::Endpoint(end) => format!("flow {} server", end.flow()),
            Vantage::Side(Side::Client) => "clients".to_owned(),
            Vantage::Side(Side::Server) => "servers".to_owned(),
        };
        file.interface(&name, snap.unwrap_or(0))?;
        Ok(Self {
            file,
            vantage,
            snap: snap.unwrap_or(u32::MAX),
            ip_ids: Vec::new(),
            packets: 0,
            bytes: Vec::new(),
            error: None,
        })
    }

    /// Packets written.
    pub const fn packets(&self) -> u64 {
        self.packets
    }

    fn write(&mut self, now: Nanos, from: EndpointId, segment: &Segment) -> io::Result<()> {
        if self.ip_ids.len() <= from.index() {
            self.ip_ids.resize(from.index() + 1, 0);
        }
        let id = self.ip_ids[from.index()];
        self.ip_ids[from.index()] = id.wrapping_add(1);
        wire::encode(&mut self.bytes, from, segment, id, self.snap as usize);
        self.file.packet(0, now, &self.bytes, segment.wire_len())?;
        self.packets += 1;
        Ok(())
    }

    /// Ends the capture and returns the writer.
    ///
    /// # Errors
    /// The first error met while writing.
    pub fn finish(self) -> io::Result<W> {
        match self.error {
            Some(error) => Err(error),
            None => self.file.finish(),
        }
    }
}

impl<W: Write> Probe for PcapProbe<W> {
    const ON: bool = true;

    fn record(&mut self, now: Nanos, source: EventSource, event: &Event) {
        let EventSource::Endpoint(end) = source else { return };
        let (from, segment) = match event {
            Event::SegmentSent { segment, .. } => (end, segment),
            Event::SegmentReceived { segment } => (end.peer(), segment),
            _ => return,
        };
        if self.vantage.sees(end) && self.error.is_none() {
            self.error = self.write(now, from, segment).err();
        }
    }
}

#[cfg(test)]
mod tests;
