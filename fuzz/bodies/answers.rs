//! Any bytes as a capture that a user asks about: the whole way from the file to the document of `capture` and
//! to what `diagnose` measures, never a panic.

use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use airtcp_capture::bottleneck::{Told, measure};
use airtcp_capture::tcp::TrackerLimits;
use airtcp_capture::{CaptureReport, Wanted, analyse, examine, points};

/// Most bytes of an input: the work of an answer grows with the packets.
const LONGEST: usize = 1 << 16;
/// Most connections that are diagnosed.
const DIAGNOSED: usize = 4;

static NUMBER: AtomicU64 = AtomicU64::new(0);

/// A file that is removed at the end, also if a body fails.
struct File(PathBuf);

impl File {
    fn new(bytes: &[u8]) -> Self {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("airtcp-answers-{}-{number}.pcap", process::id());
        let path = std::env::temp_dir().join(name);
        fs::write(&path, bytes).expect("the folder of temporary files can be written to");
        Self(path)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Any bytes as a capture: an error in one line, or a document that can be written, read, and asked.
pub(crate) fn answers(bytes: &[u8]) {
    let file = File::new(&bytes[..bytes.len().min(LONGEST)]);
    let paths = [file.0.clone()];
    let limits = TrackerLimits {
        open: 64,
        reported: 64,
        series: Some(4096),
        log: Some(1 << 16),
        ..TrackerLimits::default()
    };
    let go_on = |_: u64, _: Option<u64>| ControlFlow::Continue(());
    match analyse(&paths, limits, go_on) {
        Ok(report) => hold(&report),
        Err(error) => {
            assert!(!error.to_string().contains('\n'), "{error}");
            return;
        }
    }
    let Ok(places) = points(&paths) else { return };
    if let Ok(found) = examine(&places, Wanted { packets: true, traces: true }, limits, go_on) {
        hold(&found.report);
        for trace in &found.traces {
            assert!(trace.outcomes.is_sorted_by_key(|outcome| outcome.0), "outcomes in order");
        }
    }
}

/// The document holds finite numbers and can be read again; each sender can be diagnosed.
fn hold(report: &CaptureReport) {
    let text = serde_json::to_string(report).expect("a document is JSON");
    let again: CaptureReport = serde_json::from_str(&text).expect("a document can be read");
    assert_eq!(serde_json::to_string(&again).expect("a document is JSON"), text);
    assert_eq!(report.tcp.connections.is_empty(), again.tcp.connections.is_empty());
    let connections = &report.tcp.connections;
    for (place, connection) in connections.iter().enumerate().take(DIAGNOSED) {
        for sender in [&connection.client, &connection.server] {
            if let Some(found) = measure(connections, place, sender, Told::default()) {
                assert!(found.lost <= found.transmissions);
                serde_json::to_string(&found).expect("a bottleneck is JSON");
            }
        }
    }
}
