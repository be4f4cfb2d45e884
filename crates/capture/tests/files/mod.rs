//! Captures that are made from labelled ones.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use airtcp_capture::read::{Input, Packets};
use airtcp_capture::tcp::TrackerLimits;
use airtcp_capture::{CaptureReport, analyse};

/// A packet: its time in us, and its bytes from the IP header on.
pub(crate) type Raw = (u64, Vec<u8>);

/// A labelled capture.
pub(crate) fn labelled(end: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/loss/{end}.pcap.gz"))
}

/// The IP packets of a labelled capture.
pub(crate) fn packets(end: &str) -> Vec<Raw> {
    let mut found = Vec::new();
    let mut packets = Packets::new(Input::open(&labelled(end)).unwrap()).unwrap();
    packets.read(|packet| {
        let at = packet.data.windows(2).position(|two| two == [0x45, 0]).unwrap();
        found.push((packet.time_ns / 1000, packet.data[at..].to_vec()));
        ControlFlow::Continue(())
    });
    found
}

/// A capture with these packets; `before` precedes each.
#[allow(dead_code, reason = "not every test program makes files")]
pub(crate) fn pcap(link_type: u32, before: &[u8], packets: &[Raw]) -> Vec<u8> {
    let mut file = Vec::new();
    for word in [0xa1b2_c3d4, 0x0004_0002, 0, 0, 65_535, link_type] {
        file.extend(u32::to_le_bytes(word));
    }
    for (us, data) in packets {
        let wire = before.len() + usize::from(data[2]) * 256 + usize::from(data[3]);
        let lengths = [before.len() + data.len(), wire].map(|n| u32::try_from(n).unwrap());
        let times = [us / 1_000_000, us % 1_000_000].map(|n| u32::try_from(n).unwrap());
        for word in times.into_iter().chain(lengths) {
            file.extend(word.to_le_bytes());
        }
        file.extend(before);
        file.extend(data);
    }
    file
}

/// The report of a file with these bytes.
#[allow(dead_code, reason = "not every test program makes files")]
pub(crate) fn report_of(name: &str, bytes: &[u8]) -> CaptureReport {
    let folder = std::env::temp_dir().join(format!("airtcp-files-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    fs::write(&path, bytes).unwrap();
    let limits = TrackerLimits::default();
    let report =
        analyse(std::slice::from_ref(&path), limits, |_, _| ControlFlow::Continue(())).unwrap();
    fs::remove_file(path).unwrap();
    report
}
