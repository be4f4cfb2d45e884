//! The packets of a capture, in the order of the file.
//!
//! `records` and `blocks` read the two formats. This file decides what to do with damage: it searches the
//! next place where packets can be read, goes on there, and the summary names what was skipped. A
//! block that is whole but malformed is skipped and counted.

use std::io::Read;
use std::ops::ControlFlow;

use super::blocks::Blocks;
use super::buffer::Buffer;
use super::damage::{Damage, Step};
use super::input::Input;
use super::packet::{DamagedPlace, FileSummary, Packet};
use super::records::{FILE_HEADER, Records};
use crate::error::CaptureError;

/// Bytes that are searched before they are consumed.
const SEARCHED: usize = 4096;

/// A stream of packets.
pub struct Packets {
    buffer: Buffer,
    format: Format,
    last_ns: u64,
    summary: FileSummary,
    /// True if the stream ended within a packet.
    ends_early: bool,
}

/// The format of a file, with its state.
enum Format {
    Pcap(Records),
    PcapNg(Blocks),
}

impl Format {
    #[inline]
    fn next<'a>(&mut self, buffer: &'a mut Buffer) -> Step<'a> {
        match self {
            Self::Pcap(records) => records.next(buffer),
            Self::PcapNg(blocks) => blocks.next(buffer),
        }
    }

    fn is_start(&self, buffer: &mut Buffer, place: usize) -> bool {
        match self {
            Self::Pcap(records) => records.is_start(buffer, place),
            Self::PcapNg(blocks) => blocks.is_start(buffer, place),
        }
    }
}

impl Packets {
    /// Begins to read a capture.
    ///
    /// # Errors
    /// If the stream is no capture, or ends within its header.
    pub fn new(input: Input) -> Result<Self, CaptureError> {
        let Input { name, mut reader, .. } = input;
        let mut start = Vec::new();
        reader
            .by_ref()
            .take(FILE_HEADER as u64)
            .read_to_end(&mut start)
            .map_err(|source| CaptureError::Io { path: name.clone(), source })?;
        let format = if Blocks::is_start_of_file(&start) {
            Format::PcapNg(Blocks::default())
        } else if let Some(records) = Records::of(&start) {
            Format::Pcap(records)
        } else {
            return Err(not_a_capture(&name, &start));
        };
        if start.len() < FILE_HEADER {
            return Err(CaptureError::CutOff { path: name, bytes: start.len() as u64 });
        }
        let mut buffer = Buffer::new(&start, reader);
        if matches!(format, Format::Pcap(_)) {
            buffer.consume(FILE_HEADER);
        }
        let summary = FileSummary { bytes: buffer.consumed(), ..FileSummary::default() };
        Ok(Self { buffer, format, last_ns: 0, summary, ends_early: false })
    }

    /// Passes packets to `sink` until the end of the file, or until `sink` breaks. True at the end.
    pub fn read(&mut self, mut sink: impl FnMut(&Packet<'_>) -> ControlFlow<()>) -> bool {
        let mut is_broken = false;
        while !is_broken {
            let more = self.read_next(|packet| is_broken = sink(packet).is_break());
            if more.is_none() {
                return true;
            }
        }
        false
    }

    /// Reads what comes next, and passes it to `sink` if it is a packet. True if it is one, `None` at the end.
    #[inline]
    pub fn read_next(&mut self, sink: impl FnOnce(&Packet<'_>)) -> Option<bool> {
        let (length, is_packet) = match self.format.next(&mut self.buffer) {
            Step::Packet(packet, length) => {
                count(&mut self.summary, &mut self.last_ns, &packet);
                sink(&packet);
                (length, true)
            }
            Step::Other(length) => (length, false),
            Step::Dropped(dropped, length) => {
                self.summary.add_dropped(dropped);
                (length, false)
            }
            Step::Malformed(length) => {
                self.summary.malformed += 1;
                (length, false)
            }
            Step::Damaged(damage) => return self.goes_on_after(damage).then_some(false),
            Step::End => return None,
        };
        self.buffer.consume(length);
        self.summary.bytes = self.buffer.consumed();
        Some(is_packet)
    }

    /// Searches the next place where packets can be read. False if the file has none.
    fn goes_on_after(&mut self, damage: Damage) -> bool {
        let at = self.buffer.consumed();
        let mut is_found = false;
        let mut place = 1;
        while self.buffer.fill(place + 1) {
            if self.format.is_start(&mut self.buffer, place) {
                is_found = true;
                self.buffer.consume(place);
                break;
            }
            place += 1;
            // What cannot begin a packet is consumed, so that the buffer can read on.
            if place == SEARCHED {
                self.buffer.consume(place);
                place = 0;
            }
        }
        let skipped = is_found.then(|| self.buffer.consumed() - at);
        let what = damage.name(self.buffer.failed());
        self.summary.add_damage(DamagedPlace { at, skipped, what });
        self.ends_early = damage == Damage::Ends && !is_found;
        is_found
    }

    /// Leaves out the packets of all interfaces but one. A file of the format pcap has one interface, without a name.
    pub fn read_only(&mut self, interface: &str) {
        if let Format::PcapNg(blocks) = &mut self.format {
            blocks.read_only(interface);
        }
    }

    /// The names of the interfaces so far, by their numbers. Without a name, an interface is called by its number. A file
    /// of the format pcap has none.
    pub fn interfaces(&self) -> &[String] {
        match &self.format {
            Format::Pcap(_) => &[],
            Format::PcapNg(blocks) => blocks.names(),
        }
    }

    /// True if the stream ended within a packet.
    pub const fn ends_early(&self) -> bool {
        self.ends_early
    }

    /// Takes an end within a packet as the end of the stream: whoever wrote it was stopped.
    pub fn accept_end(&mut self) {
        if std::mem::take(&mut self.ends_early) {
            self.summary.remove_last_damage();
        }
    }

    /// What was found so far.
    pub const fn summary(&self) -> &FileSummary {
        &self.summary
    }
}

/// Counts a packet.
#[inline]
fn count(summary: &mut FileSummary, last_ns: &mut u64, packet: &Packet<'_>) {
    summary.packets += 1;
    summary.first_ns.get_or_insert(packet.time_ns);
    summary.last_ns = summary.last_ns.max(packet.time_ns);
    if summary.link_types.last() != Some(&packet.link_type)
        && !summary.link_types.contains(&packet.link_type)
    {
        summary.link_types.push(packet.link_type);
    }
    summary.cut += u64::from((packet.data.len() as u64) < u64::from(packet.wire_len));
    summary.untimed += u64::from(!packet.is_timed);
    summary.unsorted += u64::from(packet.time_ns < *last_ns);
    *last_ns = packet.time_ns;
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
        hint = "They may be compressed with gzip, xz or zstd. If Wireshark reads the file, 'editcap -F \
                pcap IN OUT' converts it.";
        let shown: Vec<String> = start.iter().take(8).map(|b| format!("{b:02x}")).collect();
        format!("a file that begins with the bytes {}", shown.join(" "))
    };
    CaptureError::NotACapture { path: name.to_owned(), what, hint }
}
