//! One file of a capture: its packets, by their content, to whoever analyses them.

use std::ops::ControlFlow;
use std::path::Path;

use crate::air::Sniffer;
use crate::dissect::{Content, Fragments, Segment, dissect, dissect_ip};
use crate::error::CaptureError;
use crate::read::{Input, Packet, Packets, Sorter};
use crate::warnings::Found;

/// Packets between two reports of progress.
const PROGRESS_EVERY: u64 = 65_536;

/// What became of a file.
pub(crate) struct Finished {
    pub(crate) found: Found,
    /// False if the analysis was stopped.
    pub(crate) whole: bool,
    /// True if the file can be read again.
    pub(crate) again: bool,
    /// Its interfaces, by their numbers.
    pub(crate) interfaces: Vec<String>,
}

/// How a file is read.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Manner<'a> {
    /// In the order of the times of its packets, as far as memory allows.
    pub(crate) sorted: bool,
    /// Only the packets of this interface.
    pub(crate) interface: Option<&'a str>,
}

/// Time in ns and link type of the first packet of a regular file that has one.
pub(crate) fn first_packet(path: &Path) -> Result<Option<(u64, u16)>, CaptureError> {
    if path.as_os_str() == "-" || is_empty(path) {
        return Ok(None);
    }
    let input = Input::open(path)?;
    // What is no regular file can be read only once.
    if input.length.is_none() {
        return Ok(None);
    }
    let mut first = None;
    Packets::new(input)?.read(|packet| {
        first = Some((packet.time_ns, packet.link_type));
        ControlFlow::Break(())
    });
    Ok(first)
}

/// True for a regular file without a byte, which `tcpdump -C` leaves behind.
pub(crate) fn is_empty(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|known| known.is_file() && known.len() == 0)
}

/// Reads a file. `take` gets each packet. `progress` gets the bytes read and the length; it breaks to stop.
#[inline]
pub(crate) fn read_file(
    path: &Path,
    manner: Manner<'_>,
    mut progress: impl FnMut(u64, Option<u64>) -> ControlFlow<()>,
    mut take: impl FnMut(&Packet<'_>, &mut Fragments, &mut Found),
) -> Result<Finished, CaptureError> {
    let input = Input::open(path)?;
    let (read, length) = (input.read.clone(), input.length);
    let mut packets = Packets::new(input)?;
    if let Some(interface) = manner.interface {
        packets.read_only(interface);
    }
    let sorted = manner.sorted;
    let mut fragments = Fragments::default();
    let mut found = Found { sorted, ..Found::default() };
    let mut count = 0u64;
    let mut each = |packet: &Packet<'_>| {
        take(packet, &mut fragments, &mut found);
        count += 1;
        if count.is_multiple_of(PROGRESS_EVERY) {
            return progress(read.get(), length);
        }
        ControlFlow::Continue(())
    };
    let mut whole = if sorted {
        let mut sorter = Sorter::default();
        let whole = packets.read(|packet| sorter.push(packet, &mut each))
            && sorter.finish(&mut each).is_continue();
        found.late = sorter.late();
        whole
    } else {
        packets.read(each)
    };
    // Ctrl-C also stops the program that writes to a pipe, mostly within a packet.
    if length.is_none() && packets.ends_early() && progress(read.get(), length).is_break() {
        packets.accept_end();
        whole = false;
    }
    found.incomplete = fragments.incomplete();
    found.summary = packets.summary().clone();
    let interfaces = packets.interfaces().to_vec();
    if let Some(name) = manner.interface.filter(|_| whole)
        && !interfaces.iter().any(|known| known == name)
    {
        return Err(CaptureError::no_interface(path.display().to_string(), name, &interfaces));
    }
    Ok(Finished { found, whole, again: length.is_some(), interfaces })
}

/// Counts a packet by its content. Frames of 802.11 go to `sniffer`, and TCP segments, those in frames
/// included, to `on_segment`.
#[inline]
pub(crate) fn take(
    packet: &Packet<'_>,
    fragments: &mut Fragments,
    found: &mut Found,
    sniffer: &mut Sniffer,
    mut on_segment: impl FnMut(&Segment),
) {
    match &dissect(packet, fragments) {
        Content::Tcp(segment) => {
            found.tcp += 1;
            on_segment(segment);
        }
        Content::Air { link_type, data, wire } => {
            found.air += 1;
            let wire_len = u32::try_from(*wire).unwrap_or(u32::MAX);
            let frame = Packet { link_type: *link_type, data, wire_len, ..*packet };
            let is_read = sniffer.on_packet(&frame, |ip, wire| {
                match dissect_ip(packet.time_ns, ip, wire, fragments) {
                    Content::Tcp(mut segment) => {
                        found.tcp += 1;
                        segment.of_air = true;
                        on_segment(&segment);
                    }
                    Content::Unread(what) => found.unread.add(what),
                    _ => {}
                }
            });
            found.unreadable += u64::from(!is_read);
        }
        Content::Unreadable => found.unreadable += 1,
        Content::Unread(what) => found.unread.add(*what),
        Content::UnknownLink(number) => found.unread.add_link(*number),
        Content::OtherIp | Content::Other | Content::Fragment => {}
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::fs;
    use std::io::Write as _;
    use std::os::fd::AsRawFd as _;

    use super::*;

    /// The labelled capture, cut within a packet, through a pipe.
    fn through_a_pipe(stopped: bool) -> Finished {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/loss");
        let whole = fs::read(folder.join("sender.pcap.gz")).unwrap();
        let mut bytes = Vec::new();
        let source = Box::new(std::io::Cursor::new(whole));
        let mut input = Input::new("sender", source, None).unwrap();
        std::io::Read::read_to_end(&mut input.reader, &mut bytes).unwrap();
        let (reader, mut writer) = std::io::pipe().unwrap();
        writer.write_all(&bytes[..20_011]).unwrap();
        drop(writer);
        let path = format!("/proc/self/fd/{}", reader.as_raw_fd());
        let progress = |_, _| {
            if stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        read_file(Path::new(&path), Manner::default(), progress, |_, _, _| ()).unwrap()
    }

    /// If Ctrl-C stops a pipe within a packet, the packets before it are all that was captured. Without
    /// Ctrl-C, the stream is damaged.
    #[test]
    fn the_end_of_an_interrupted_pipe_is_no_damage() {
        let damaged = through_a_pipe(false);
        assert!(damaged.whole && damaged.found.summary.damages == 1);
        let stopped = through_a_pipe(true);
        assert!(!stopped.whole);
        let summary = stopped.found.summary;
        assert_eq!((summary.damages, summary.damaged.len()), (0, 0));
        assert_eq!(summary.packets, damaged.found.summary.packets);
    }
}
