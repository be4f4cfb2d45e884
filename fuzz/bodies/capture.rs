//! Any bytes as a capture: packets and a summary that agree, whatever the reads, and never a panic.

use std::io::{self, Cursor, Read};
use std::ops::ControlFlow;

use airtcp_capture::CaptureError;
use airtcp_capture::air::Sniffer;
use airtcp_capture::dissect::{Content, Fragments, dissect};
use airtcp_capture::read::{FileSummary, Input, Packet, Packets, Sorter};
use airtcp_capture::tcp::{Tracker, TrackerLimits};

/// Longest packet.
const LONGEST: usize = 1 << 20;

/// A packet: its times and lengths, and a sum of its bytes.
type Seen = (u64, u32, u32, usize, u64);

fn seen(packet: &Packet<'_>) -> Seen {
    let Packet { time_ns, interface, wire_len, data, .. } = *packet;
    let sum = data.iter().fold(0u64, |sum, byte| sum.rotate_left(5) ^ u64::from(*byte));
    (time_ns, interface, wire_len, data.len(), sum)
}

/// Gives few bytes at a time.
struct Slow(Cursor<Vec<u8>>, usize);

impl Read for Slow {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.1 = self.1 * 7 % 61 + 1;
        let n = self.1.min(buffer.len());
        self.0.read(&mut buffer[..n])
    }
}

fn packets(reader: Box<dyn Read>) -> Result<Packets, CaptureError> {
    Packets::new(Input::new("fuzz", reader, None)?)
}

fn all(reader: Box<dyn Read>) -> Option<(Vec<Seen>, FileSummary)> {
    let mut packets = packets(reader).ok()?;
    let mut found = Vec::new();
    let ended = packets.read(|packet| {
        found.push(seen(packet));
        ControlFlow::Continue(())
    });
    assert!(ended, "nothing stopped the reading");
    Some((found, packets.summary().clone()))
}

/// What the summary says agrees with the packets and with the length of the file.
fn hold(found: &[Seen], summary: &FileSummary, length: u64) {
    assert_eq!(summary.packets, found.len() as u64);
    let captured: u64 = found.iter().map(|packet| packet.3 as u64).sum();
    assert!(captured + summary.skipped_bytes <= length, "more bytes than the file has");
    assert!(found.iter().all(|packet| packet.3 <= LONGEST));
    let unsorted = found.windows(2).filter(|two| two[1].0 < two[0].0).count();
    assert_eq!(summary.unsorted, unsorted as u64);
    assert!(summary.damaged.len() as u64 <= summary.damages);
    assert!(summary.damaged.windows(2).all(|two| two[0].at < two[1].at));
    assert!(summary.damaged.iter().all(|place| place.at + place.skipped.unwrap_or(0) <= length));
}

/// Sorting keeps every packet, and all are in order but those that are counted as late.
fn sort(bytes: &[u8], found: &[Seen]) {
    let Ok(mut packets) = packets(Box::new(Cursor::new(bytes.to_vec()))) else { return };
    let mut sorter = Sorter::default();
    let mut sorted = Vec::new();
    let mut take = |packet: &Packet<'_>| {
        sorted.push(seen(packet));
        ControlFlow::Continue(())
    };
    packets.read(|packet| sorter.push(packet, &mut take));
    assert!(sorter.finish(&mut take).is_continue());
    let late = sorted.windows(2).filter(|two| two[1].0 < two[0].0).count();
    assert_eq!(sorter.late(), late as u64);
    let (mut sorted, mut found) = (sorted, found.to_vec());
    sorted.sort_unstable();
    found.sort_unstable();
    assert_eq!(sorted, found);
}

/// Every packet has one content, and the report counts no more than was passed on.
fn analyse(bytes: &[u8]) {
    let Ok(mut packets) = packets(Box::new(Cursor::new(bytes.to_vec()))) else { return };
    let mut fragments = Fragments::default();
    let mut tracker =
        Tracker::new(TrackerLimits { open: 16, reported: 64, ..TrackerLimits::default() });
    let mut sniffer = Sniffer::default();
    let mut segments = 0;
    packets.read(|packet| {
        match dissect(packet, &mut fragments) {
            Content::Tcp(segment) => {
                segments += 1;
                tracker.on_segment(&segment);
            }
            Content::Air { link_type, data, wire } => {
                assert!(packet.data.ends_with(data), "the frame is not the end of its packet");
                let wire_len = u32::try_from(wire).unwrap_or(u32::MAX);
                let frame = Packet { link_type, wire_len, data, ..*packet };
                sniffer.on_packet(&frame, |ip, _| assert!(ip.len() <= data.len()));
            }
            _ => {}
        }
        ControlFlow::Continue(())
    });
    super::segments::hold(&tracker.finish(), segments, 64);
    let _ = sniffer.finish();
}

/// The properties of any file that begins with `magic`.
fn read(bytes: &[u8], magics: &[[u8; 4]]) {
    // Compressed files, and those of the other format, are other inputs.
    if !magics.iter().any(|magic| bytes.starts_with(magic)) {
        return;
    }
    let Some((found, summary)) = all(Box::new(Cursor::new(bytes.to_vec()))) else { return };
    hold(&found, &summary, bytes.len() as u64);
    let slow = all(Box::new(Slow(Cursor::new(bytes.to_vec()), 0)));
    assert!(slow == Some((found.clone(), summary)), "the packets depend on the reads");
    sort(bytes, &found);
    analyse(bytes);
}

/// A pcap file.
pub(crate) fn pcap(bytes: &[u8]) {
    read(
        bytes,
        &[
            [0xd4, 0xc3, 0xb2, 0xa1],
            [0xa1, 0xb2, 0xc3, 0xd4],
            [0x4d, 0x3c, 0xb2, 0xa1],
            [0xa1, 0xb2, 0x3c, 0x4d],
            [0x34, 0xcd, 0xb2, 0xa1],
        ],
    );
}

/// A pcapng file.
pub(crate) fn pcapng(bytes: &[u8]) {
    read(bytes, &[[0x0a, 0x0d, 0x0d, 0x0a]]);
}
