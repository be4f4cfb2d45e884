//! A capture while it is written: frames, and counts of the kernel.

use std::io::{self, Write};

use airtcp_os::ring::{Frame, Seen};
use airtcp_units::Nanos;
use airtcp_wire::link_type::ETHERNET;
use airtcp_wire::pcapng::{Pcapng, Statistics};

/// Bytes of the addresses of Ethernet, behind which a VLAN tag stands, and of the tag.
const ADDRESSES: usize = 12;
const TAG: u32 = 4;

/// A capture of one interface.
pub(super) struct Recording<W: Write> {
    file: Pcapng<W>,
    link_type: u16,
    snap: usize,
    /// Bytes of a frame with its tag.
    tagged: Vec<u8>,
}

impl<W: Write> Recording<W> {
    /// Begins a capture. At most `snap` bytes of a frame are kept.
    pub(super) fn new(out: W, device: &str, link_type: u16, snap: u32) -> io::Result<Self> {
        let mut file = Pcapng::new(out, "airtcp")?;
        file.interface_with_link_type(link_type, device, snap)?;
        file.flush()?;
        Ok(Self { file, link_type, snap: snap as usize, tagged: Vec::new() })
    }

    /// Writes a frame. A VLAN tag that the kernel took out stands in its place again.
    pub(super) fn frame(&mut self, frame: &Frame<'_>) -> io::Result<()> {
        let at = Nanos(u64::try_from(frame.wall).unwrap_or_default());
        if let (Some((protocol, control)), ETHERNET) = (frame.vlan, self.link_type)
            && let Some((addresses, rest)) = frame.bytes.split_at_checked(ADDRESSES)
        {
            self.tagged.clear();
            self.tagged.extend(addresses);
            self.tagged.extend(protocol.to_be_bytes());
            self.tagged.extend(control.to_be_bytes());
            self.tagged.extend(rest);
            let kept = &self.tagged[..self.tagged.len().min(self.snap)];
            return self.file.packet(0, at, kept, frame.length + TAG);
        }
        let kept = &frame.bytes[..frame.bytes.len().min(self.snap)];
        self.file.packet(0, at, kept, frame.length)
    }

    /// Writes what the kernel counted up to a time in ns since 1970, and passes everything on.
    pub(super) fn counted(&mut self, seen: Seen, wall: i64) -> io::Result<()> {
        self.file.statistics(&Statistics {
            interface: 0,
            ticks: u64::try_from(wall).unwrap_or_default(),
            received: Some(seen.frames),
            dropped: Some(seen.dropped),
            dropped_by_system: None,
        })?;
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airtcp_wire::pcapng::{EnhancedPacket, Order};

    fn frame(bytes: &[u8]) -> Frame<'_> {
        let length = u32::try_from(bytes.len()).unwrap() + 1000;
        Frame { bytes, length, stamp: 5, wall: 7_000_000_001, vlan: None, unsummed: false }
    }

    /// The blocks of a file: kind and content.
    fn blocks(file: &[u8]) -> Vec<(u32, Vec<u8>)> {
        let (mut rest, mut found) = (file, Vec::new());
        while let (Some(kind), Some(total)) =
            (Order::Little.word(rest, 0), Order::Little.word(rest, 4))
        {
            let (block, behind) = rest.split_at(total as usize);
            found.push((kind, block[8..block.len() - 4].to_vec()));
            rest = behind;
        }
        found
    }

    #[test]
    fn a_frame_is_cut_and_its_length_kept() {
        let mut out = Vec::new();
        let mut recording = Recording::new(&mut out, "eth0", ETHERNET, 20).unwrap();
        let bytes: Vec<u8> = (0..40).collect();
        recording.frame(&frame(&bytes)).unwrap();
        let vlan = Some((0x8100, 0x0007));
        recording.frame(&Frame { vlan, ..frame(&bytes) }).unwrap();
        let seen = Seen { frames: 9, dropped: 4 };
        recording.counted(seen, 8_000_000_000).unwrap();
        drop(recording);
        let found = blocks(&out);
        let kinds: Vec<u32> = found.iter().map(|(kind, _)| *kind).collect();
        assert_eq!(kinds, [0x0a0d_0d0a, 1, 6, 6, 5]);
        let plain = EnhancedPacket::parse(&found[2].1, Order::Little).unwrap();
        assert_eq!((plain.ticks, plain.length), (7_000_000_001, 1040));
        assert_eq!(plain.data, &bytes[..20]);
        let tagged = EnhancedPacket::parse(&found[3].1, Order::Little).unwrap();
        assert_eq!(tagged.length, 1044);
        let expected = [&bytes[..12], &[0x81, 0, 0, 7], &bytes[12..16]].concat();
        assert_eq!(tagged.data, expected);
        let counted = Statistics::parse(&found[4].1, Order::Little).unwrap();
        assert_eq!((counted.received, counted.dropped), (Some(9), Some(4)));
    }
}
