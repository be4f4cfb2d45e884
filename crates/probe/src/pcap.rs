//! Captures of a host's segments: [`PcapProbe`] records what one end of a flow, or all ends of one side, send
//! and receive, as a capture on that host would. Both ends in one file would show every segment twice.

use std::io::{self, Write};

use airtcp_packet::{EndpointId, Segment, Side};
use airtcp_units::Nanos;
use airtcp_wire::pcapng::Pcapng;

use crate::{Event, EventSource, Probe, as_bytes};

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
        as_bytes::encode(&mut self.bytes, from, segment, id, self.snap as usize);
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
