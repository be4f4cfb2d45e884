use std::ops::ControlFlow;
use std::path::PathBuf;
use airtcp_capture::analyse;
use airtcp_capture::tcp::TrackerLimits;
use airtcp_capture::tcp::series::SegmentKind;
use serde_json::{Value, json};
fn main() {
    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let limits = TrackerLimits { series: Some(1 << 20), ..TrackerLimits::default() };
    let report = analyse(&paths, limits, |_, _| ControlFlow::Continue(())).unwrap();
    let mut t: std::collections::BTreeMap<&str, Vec<Value>> = Default::default();
    for (i, c) in report.tcp.connections.iter().enumerate() { for d in &c.directions {
        let Some(s) = &d.series else { continue };
        let off = |x: u64| x.wrapping_sub(s.origin).cast_signed();
        let s9 = |x: u64| x as f64 / 1e9;
        let mut segs: Vec<_> = s.first.points().iter().chain(s.other.points()).collect();
        segs.sort_by_key(|p| p.time_ns);
        for p in segs { let cause = match p.kind { SegmentKind::Retransmission(c) => Some(c.name()), _ => None };
            t.entry("segment_series").or_default().push(json!({"time_s": s9(p.time_ns), "connection": i, "from": d.from, "one_of": s.first.one_of(), "offset_bytes": off(p.start), "length": p.length, "kind": p.kind.name(), "cause": cause, "spurious": cause.map(|_| p.spurious)})); }
        for p in s.acks.points() { t.entry("ack_series").or_default().push(json!({"time_s": s9(p.time_ns), "connection": i, "from": d.from, "one_of": s.acks.one_of(), "ack_offset_bytes": off(p.ack), "receive_window_bytes": p.window, "in_flight_bytes": p.flight})); }
        for p in s.sacks.points() { t.entry("sack_series").or_default().push(json!({"time_s": s9(p.time_ns), "connection": i, "from": d.from, "one_of": s.sacks.one_of(), "start_offset_bytes": off(p.start), "end_offset_bytes": off(p.end), "duplicate": p.duplicate})); }
        for p in s.rtts.points() { t.entry("rtt_series").or_default().push(json!({"time_s": s9(p.time_ns), "connection": i, "from": d.from, "one_of": s.rtts.one_of(), "rtt_s": s9(p.rtt_ns), "srtt_s": s9(p.srtt_ns)})); }
        for p in s.rounds.points() { t.entry("window_series").or_default().push(json!({"time_s": s9(p.time_ns), "connection": i, "from": d.from, "one_of": s.rounds.one_of(), "in_flight_bytes": p.flight, "cwnd_bytes": p.cwnd, "receive_window_bytes": p.window})); }
    } }
    println!("{}", json!({"report": report, "retransmissions": report.tcp.retransmissions(), "tables": t}));
}
