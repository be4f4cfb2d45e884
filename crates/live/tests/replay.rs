//! Lateness never changes a fate: a drive that calls late and irregularly meets the fates of one in virtual time, and so
//! does the file of its arrivals.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::sync::Arc;

use airtcp_link::Rate;
use airtcp_live::emulate::{
    Counts, Emulation, Fate, RECORD_HEADER, Recorded, Set, read_arrivals, replay,
};
use airtcp_scenario::Resolved;
use airtcp_units::{Capacity, Nanos, Span};
use airtcp_wire::ipv4;

use traffic::{Numbers, traffic};

mod traffic;

const BURSTY: &str = r#"
duration = "1 s"
links = [{ from = "server", to = "client", rate = "10 Mb/s", delay = "40 ms", duplication = 0.02,
  loss = { model = "gilbert-elliott", mean_loss = 0.02, mean_burst = 42, slot = "1.2 ms" } }]
"#;
const CODEL: &str = r#"
duration = "1 s"
links = [{ from = "server", to = "client", rate = "10 Mb/s", delay = "10 ms", queue = { kind = "fq-codel" } }]
flows = [{ from = "server", to = "client" }, { from = "server", to = "client" }]
"#;
const CAPACITY: &str = r#"
duration = "1 s"
links = [{ from = "server", to = "client", rate = { trace = "even" }, delay = "10 ms" }]
"#;
const ARQ: &str = r#"
duration = "1 s"
links = [{ from = "server", to = "client", rate = "10 Mb/s", delay = "10 ms", protocol = { kind = "ll-arq" },
  loss = { model = "bernoulli", probability = 0.1 } }]
"#;
const CELL: &str = r#"
duration = "1 s"
outside = [{ node = "ap" }, { node = "sta7" }]
cells = [{ standard = "802.11a", rate = "54 Mb/s", layout = { kind = "star", stations = 20, radius_m = 5 },
  residual_error = "1 %" }]
flows = [{ count = 20, from = "sta*", to = "ap", transport = "udp",
  app = { kind = "constant-rate", rate = "300 kb/s", message = "500 B" } }]
"#;
const MULTI_USER: &str = r#"
duration = "1 s"
cells = [{ standard = "802.11ax", width = "20 MHz", layout = { kind = "star", stations = 12, radius_m = 5 },
  mac.ofdma = {}, access_point_queue.kind = "airtime-fair" }]
flows = [{ from = "ap", to = "sta0" },
  { count = 12, from = "ap", to = "sta*", transport = "udp",
    app = { kind = "constant-rate", rate = "240 kb/s", message = "200 B" } },
  { count = 12, from = "sta*", to = "ap", transport = "udp",
    app = { kind = "constant-rate", rate = "240 kb/s", message = "200 B" } }]
"#;

fn load(_: &str) -> Result<Arc<airtcp_units::Outcomes>, String> {
    Err("no file".into())
}

fn plan(text: &str) -> Resolved {
    let mut plan = airtcp_scenario::read(text, "", &[]).unwrap().resolve().unwrap();
    let every_ms: Vec<Span> =
        (1..=40).filter(|ms| ms % 7 != 0).map(|ms| Span(ms * 1_000_000)).collect();
    let capacity = Arc::new(Capacity::opportunities(every_ms, 1_504).unwrap());
    for link in &mut plan.links {
        if let Some(Rate::Trace(trace)) = &mut link.direction.rate {
            trace.capacity = Some(capacity.clone());
        }
    }
    plan
}

const END: Nanos = Nanos(4_000_000_000);

fn begin(plan: &Resolved) -> Emulation {
    Emulation::new(plan, Vec::new(), &load).unwrap()
}

/// What a drive has seen.
#[derive(Default)]
struct Seen {
    fates: Vec<Fate>,
    /// Port, time and bytes of what left.
    left: Vec<(usize, Nanos, Vec<u8>)>,
    arrivals: Vec<Recorded>,
    counts: Counts,
}

impl Seen {
    fn drain(&mut self, emulation: &mut Emulation) {
        while let Some(frame) = emulation.leave() {
            self.left.push((frame.port, frame.at, frame.bytes));
        }
        self.fates.extend(std::iter::from_fn(|| emulation.take_fate()));
        self.arrivals.extend(emulation.take_arrivals());
        self.counts = *emulation.counts();
    }
}

/// All frames in order, and one call at the end.
fn in_virtual_time(plan: &Resolved, traffic: &[(Nanos, usize, Vec<u8>)]) -> Seen {
    let mut emulation = Emulation::new(plan, Vec::new(), &load).unwrap();
    let mut seen = Seen::default();
    for (at, port, bytes) in traffic {
        emulation.enter(*port, bytes, *at);
    }
    emulation.run_until(END);
    seen.drain(&mut emulation);
    assert_eq!(emulation.in_flight(), 0, "nothing is left in the model");
    seen
}

/// As a process on a busy machine: it wakes up at most 30 ms late, reads what has arrived, runs the model until then, and
/// at times calls for no reason.
fn live(plan: &Resolved, traffic: &[(Nanos, usize, Vec<u8>)], seed: u64) -> Seen {
    let mut emulation = Emulation::new(plan, Vec::new(), &load).unwrap();
    emulation.record();
    let (mut numbers, mut seen, mut wall, mut next) = (Numbers(seed), Seen::default(), 0, 0);
    while wall < END.0 {
        let due = emulation.next_event().map_or(wall, |at| at.0);
        let late =
            if numbers.below(10) == 0 { numbers.below(30_000_000) } else { numbers.below(100_000) };
        wall = due.max(wall).min(wall + 1_000_000) + late + 1;
        while let Some((at, port, bytes)) = traffic.get(next).filter(|(at, ..)| at.0 <= wall) {
            if numbers.below(4) == 0 {
                let now = emulation.now().0;
                emulation.run_until(Nanos(now + numbers.below(at.0 - now + 1)));
            }
            emulation.enter(*port, bytes, *at);
            next += 1;
        }
        emulation.run_until(Nanos(wall.min(END.0)));
        seen.drain(&mut emulation);
    }
    seen
}

fn same(name: &str, text: &str, also: impl Fn(&Counts)) {
    let plan = plan(text);
    for seed in [1, 2] {
        let traffic = traffic(seed);
        let once = in_virtual_time(&plan, &traffic);
        let late = live(&plan, &traffic, seed + 10);
        assert!(once.counts.entered > 2_000, "{name}: {:?}", once.counts);
        assert_eq!(once.counts.entered, traffic.len() as u64);
        assert_eq!(late.counts, once.counts, "{name}");
        let differ = late.fates.iter().zip(&once.fates).filter(|(a, b)| a != b).count();
        assert_eq!((late.fates.len(), differ), (once.fates.len(), 0), "{name}: fates that differ");
        assert!(late.left == once.left, "{name}: frames that differ");
        let lines: Vec<String> = late.arrivals.iter().map(Recorded::to_string).collect();
        let file = format!("{RECORD_HEADER}\n{}\n", lines.join("\n"));
        let read = read_arrivals(&file, 2).unwrap();
        assert_eq!(read, late.arrivals);
        let mut none = |_: &Set| Err("no change was recorded".to_owned());
        let again = replay(begin(&plan), &load, &read, &mut none, END).unwrap();
        assert!(again == late.fates, "{name}: replay");
        also(&once.counts);
    }
}

#[test]
fn a_link_with_bursts() {
    same("bursts", BURSTY, |n| assert!(n.dropped > 10 && n.copied > 10, "{n:?}"));
}

#[test]
fn fq_codel_with_marks() {
    same("FQ-CoDel", CODEL, |n| assert!(n.marked > 10, "{n:?}"));
}

#[test]
fn a_capacity_trace() {
    same("capacity", CAPACITY, |n| assert!(n.dropped > 10, "{n:?}"));
}

#[test]
fn ll_arq() {
    same("LL-ARQ", ARQ, |n| assert!(n.delivered > 1_000, "{n:?}"));
}

#[test]
fn a_cell_with_two_real_nodes() {
    same("cell", CELL, |n| assert!(n.delivered > 1_000, "{n:?}"));
}

#[test]
fn a_multi_user_cell() {
    same("multi-user", MULTI_USER, |n| assert!(n.delivered > 1_000, "{n:?}"));
}

/// Frames leave as they came, but for the mark of congestion.
#[test]
fn bytes_are_kept() {
    let plan = plan(CODEL);
    let traffic = traffic(3);
    let seen = in_virtual_time(&plan, &traffic);
    let mut marked = 0;
    for (port, _, bytes) in &seen.left {
        let found = traffic.iter().any(|(_, from, sent)| {
            *from != *port && sent[34..] == bytes[34..] && sent[18..24] == bytes[18..24]
        });
        assert!(found, "bytes that nobody sent");
        let ip = ipv4::Packet::new_checked(&bytes[14..]).unwrap();
        assert!(ip.verify_checksum());
        marked += u64::from(ip.ecn() == 3);
    }
    assert_eq!(marked, seen.counts.marked);
}

/// What no real packet can pass is refused by name.
#[test]
fn refused() {
    let cell = |scheme: &str| {
        let access = if scheme == "ftca" { "edca" } else { "dcf" };
        format!(
            "duration = \"1 s\"\ncells = [{{ standard = \"802.11a\", layout = {{ kind = \"star\", stations = 2, \
             radius_m = 5 }}, mac = {{ access = \"{access}\" }}, schemes = [{{ scheme = \"{scheme}\" }}] }}]\n\
             links = [{{ from = \"server\", to = \"ap\", rate = \"100 Mb/s\", delay = \"1 ms\" }}]\n\
             flows = [{{ from = \"server\", to = \"sta0\" }}]"
        )
    };
    for scheme in ["snoop", "split-tcp", "ack-agent", "eln"] {
        let plan = plan(&cell(scheme));
        let error = Emulation::new(&plan, Vec::new(), &load).err().unwrap().to_string();
        assert!(error.contains(scheme) && error.contains("schemes"), "{error}");
    }
    assert!(Emulation::new(&plan(&cell("ftca")), Vec::new(), &load).is_ok());
    // A run refuses nodes for real traffic.
    let error = airtcp_sim::prepare(&plan(CELL), &load).unwrap_err().to_string();
    assert!(error.contains("airtcp emulate"), "{error}");
    for (text, part) in [
        ("", "no file of arrivals"),
        ("airtcp arrivals 1\n5 2 60 00", "the port is \"2\""),
        ("airtcp arrivals 1\n5 1 60 00\n4 1 60 00", "line 3"),
        ("airtcp arrivals 1\n5 1 60 0g", "hexadecimal"),
        ("airtcp arrivals 1\n5 1 1 0000", "up to 1 bytes"),
        ("airtcp arrivals 1\n5 set links[0].rate", "is no change: expected such as set"),
        ("airtcp arrivals 1\n5 set a=1\n4 set a=2", "line 3 of the arrivals: the time 4"),
        ("airtcp arrivals 1\nx set a=1", "the time is \"x\""),
    ] {
        let error = read_arrivals(text, 2).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}

/// A driver that sleeps until `next_event` writes each frame when it leaves, and not later.
#[test]
fn nothing_leaves_between_calls() {
    for text in [BURSTY, CODEL, CAPACITY, ARQ, CELL, MULTI_USER] {
        let mut emulation = Emulation::new(&plan(text), Vec::new(), &load).unwrap();
        let (mut left, mut late, mut most) = (0, 0, 0);
        for (at, port, frame) in traffic(3) {
            while let Some(next) = emulation.next_event().filter(|next| *next < at) {
                emulation.run_until(next);
                while let Some(frame) = emulation.leave() {
                    left += 1;
                    late += u64::from(frame.at < next);
                    most = most.max(next.0 - frame.at.0.min(next.0));
                }
            }
            emulation.enter(port, &frame, at);
            while let Some(frame) = emulation.leave() {
                left += 1;
                late += u64::from(frame.at < at);
                most = most.max(at.0 - frame.at.0.min(at.0));
            }
        }
        assert!(left > 500, "{text}: {left}");
        assert_eq!(late, 0, "{text}: of {left}, up to {most} ns");
    }
}
