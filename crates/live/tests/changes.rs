//! A scenario that changes while it runs: each change takes effect at its time, is recorded, and meets the same fates again.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may fail")]

use std::sync::Arc;

use airtcp_live::emulate::{Emulation, Fate, RECORD_HEADER, Recorded, Set, read_arrivals, replay};
use airtcp_scenario::{Resolved, Source};
use airtcp_units::{Nanos, Outcomes};

use traffic::{Numbers, traffic};

mod traffic;

const LINK: &str = r#"
duration = "1 s"
links = [{ from = "server", to = "client", rate = "10 Mb/s", delay = "40 ms",
  queue = { kind = "drop-tail", packets = 100 } }]
"#;
const CELL: &str = r#"
duration = "1 s"
links = [{ from = "server", to = "ap", rate = "100 Mb/s", delay = "5 ms" }]
cells = [{ standard = "802.11n", layout = { kind = "star", stations = 2, radius_m = 5 } }]
flows = [{ from = "server", to = "sta0" }, { from = "sta1", to = "ap", transport = "udp",
  app = { kind = "constant-rate", rate = "300 kb/s", message = "500 B" } }]
"#;
const END: Nanos = Nanos(6_000_000_000);

fn load(_: &str) -> Result<Arc<Outcomes>, String> {
    Err("no file".into())
}

/// A scenario with its changes so far.
struct Subject(Source);

impl Subject {
    fn new(text: &str) -> Self {
        Self(Source::new(text, "").unwrap())
    }

    fn plan(&self) -> Resolved {
        self.0.scenario(&[]).unwrap().resolve().unwrap()
    }

    fn change(&mut self, set: &Set) -> Result<Resolved, String> {
        let next =
            self.0.with(&[(set.key.clone(), set.value.clone())]).map_err(|e| e.to_string())?;
        let plan = next.scenario(&[]).and_then(|scenario| scenario.resolve());
        let plan = plan.map_err(|e| e.to_string())?;
        self.0 = next;
        Ok(plan)
    }
}

/// Changes, each at a time in ms.
fn changes(lines: &[(u64, &str)]) -> Vec<(Nanos, Set)> {
    let set = |line: &str| Set::read(&format!("set {line}")).unwrap().unwrap();
    lines.iter().map(|(ms, line)| (Nanos(ms * 1_000_000), set(line))).collect()
}

/// Runs a scenario with changes, with a driver that is late now and then; returns the fates and what it recorded.
fn run(text: &str, lines: &[(u64, &str)], late: u64) -> (Vec<Fate>, Vec<Recorded>) {
    let mut subject = Subject::new(text);
    let mut emulation = Emulation::new(&subject.plan(), Vec::new(), &load).unwrap();
    emulation.record();
    let (mut fates, mut numbers) = (Vec::new(), Numbers(9));
    let traffic = traffic(4);
    let (mut next, mut wall, mut left) = (0, 0, changes(lines).into_iter().peekable());
    while wall < END.0 {
        wall = (wall + 1 + numbers.below(late)).min(END.0);
        // A change takes effect when it is read: what came before it is in the model, and nothing else.
        let change = left.next_if(|(at, _)| at.0 <= wall);
        let until = change.as_ref().map_or(wall, |(at, _)| at.0);
        while let Some((at, port, bytes)) = traffic.get(next).filter(|(at, ..)| at.0 <= until) {
            emulation.enter(*port, bytes, *at);
            next += 1;
        }
        emulation.run_until(Nanos(until));
        if let Some((_, set)) = change {
            let plan = subject.change(&set).unwrap();
            emulation.change(&set, &plan, &load).unwrap();
            wall = until;
        }
        while emulation.leave().is_some() {}
        fates.extend(std::iter::from_fn(|| emulation.take_fate()));
    }
    assert_eq!((emulation.in_flight(), emulation.counts().clamped), (0, 0));
    (fates, emulation.take_arrivals())
}

fn again(text: &str, recorded: &[Recorded]) -> Vec<Fate> {
    let lines: Vec<String> = recorded.iter().map(Recorded::to_string).collect();
    let read = read_arrivals(&format!("{RECORD_HEADER}\n{}\n", lines.join("\n")), 2).unwrap();
    assert_eq!(read, recorded);
    let mut subject = Subject::new(text);
    let plan = subject.plan();
    let mut changed = |set: &Set| subject.change(set);
    let emulation = Emulation::new(&plan, Vec::new(), &load).unwrap();
    replay(emulation, &load, &read, &mut changed, END).unwrap()
}

const ALL: &[(u64, &str)] = &[
    (200, "links[0].rate=3 Mb/s"),
    (400, "links[0].delay=5 ms"),
    (
        401,
        "links[0].loss={ model = \"gilbert-elliott\", mean_loss = 0.1, mean_burst = 5, slot = \"1 ms\" }",
    ),
    (600, "links[0].queue.packets=5"),
    (700, "links[0].jitter={ mean = \"2 ms\", distribution = \"exponential\" }"),
    (900, "links[0].duplication=0.1"),
    (1_000, "links[0].reordering={ probability = 0.1, extra = \"3 ms\" }"),
    (
        1_200,
        "links[0].reverse={ rate = \"1 Mb/s\", loss = { model = \"bernoulli\", probability = 0.2 } }",
    ),
    (
        1_400,
        "links[0].loss={ model = \"blackout\", period = \"100 ms\", duration = \"20 ms\", phase = \"0 s\" }",
    ),
    (1_600, "links[0].loss={ model = \"none\" }"),
    (1_700, "links[0].rate=20 Mb/s"),
];

#[test]
fn lateness_changes_no_fate_and_the_record_meets_the_same() {
    let cell = &[(300, "links[0].rate=2 Mb/s"), (900, "links[0].delay=1 ms")][..];
    for (text, lines) in [(LINK, ALL), (CELL, cell)] {
        let (once, recorded) = run(text, lines, 1_000);
        let (late, _) = run(text, lines, 30_000_000);
        assert!(once.len() > 2_000, "{}", once.len());
        assert_eq!(once.iter().zip(&late).filter(|(a, b)| a != b).count(), 0);
        assert!(once == late && once == again(text, &recorded));
        let unchanged = recorded.iter().filter(|one| matches!(one, Recorded::Arrival(_)));
        let unchanged: Vec<Recorded> = unchanged.cloned().collect();
        assert_eq!(unchanged.len() + lines.len(), recorded.len());
        assert!(once != again(text, &unchanged), "the changes have no effect");
    }
}

/// Each value shows in the fates after its time, and in none before.
#[test]
fn each_change_shows_from_its_time_on() {
    let at = 700;
    let from = |fates: &[Fate]| -> Vec<Fate> {
        fates.iter().filter(|fate| fate.port == "server").cloned().collect()
    };
    let took = |fate: &Fate| fate.left.since(fate.entered).as_secs_f64();
    let base = from(&run(LINK, &[], 1_000).0);
    let with = |line: &str| from(&run(LINK, &[(at, line)], 1_000).0);
    let before = |fates: &[Fate]| -> Vec<Fate> {
        fates.iter().filter(|fate| fate.left < Nanos(at * 1_000_000)).cloned().collect()
    };
    for (line, shows) in [
        ("links[0].loss={ model = \"bernoulli\", probability = 0.5 }", "loss"),
        ("links[0].queue.packets=1", "queue_full"),
    ] {
        let fates = with(line);
        assert!(before(&fates) == before(&base));
        let dropped = |fates: &[Fate]| fates.iter().filter(|fate| fate.fate == shows).count();
        assert!(dropped(&fates) > dropped(&base) + 20, "{line}: {}", dropped(&fates));
    }
    // 60 bytes of headers and 1448 of data at 10 and at 2 Mb/s.
    let slower = with("links[0].rate=2 Mb/s");
    let late = |fate: &&Fate| fate.entered > Nanos(at * 1_000_000 + 100_000_000);
    let shortest = |fates: &[Fate]| {
        let long = fates.iter().filter(|fate| fate.length > 1_000 && fate.fate == "delivered");
        long.filter(late).map(took).fold(f64::INFINITY, f64::min)
    };
    assert!(shortest(&base) >= 0.04 + 1_500.0 * 8.0 / 10e6 - 1e-6, "{}", shortest(&base));
    assert!(shortest(&slower) >= 0.04 + 1_500.0 * 8.0 / 2e6 - 1e-6, "{}", shortest(&slower));
    let nearer = with("links[0].delay=10 ms");
    // The queue is the same, and the way behind it is 30 ms shorter.
    assert!((shortest(&nearer) - (shortest(&base) - 0.03)).abs() < 1e-9);
    assert!(nearer.is_sorted_by_key(|fate| fate.left), "no packet overtakes another");
}

/// A blackout that the scenario has loses what starts in its time, and nothing else.
#[test]
fn the_blackouts_of_a_scenario_come_at_their_times() {
    let text = r#"
duration = "1 s"
links = [{ from = "server", to = "client", delay = "5 ms",
  loss = { model = "blackout", period = "250 ms", duration = "30 ms", phase = "100 ms" } }]
"#;
    let (fates, _) = run(text, &[], 5_000_000);
    let sent: Vec<&Fate> = fates.iter().filter(|fate| fate.port == "server").collect();
    let dark = |fate: &&&Fate| (fate.entered.0 / 1_000_000 + 150) % 250 < 30;
    let lost = sent.iter().filter(|fate| fate.fate == "loss").count();
    assert!(lost > 20 && lost == sent.iter().filter(dark).count(), "{lost}");
    assert!(sent.iter().filter(dark).all(|fate| fate.fate == "loss"));
}

/// What cannot change is refused with the reason, and nothing changes.
#[test]
fn refused() {
    for (text, line, part) in [
        (LINK, "links[0].mtu=500 B", "mtu: cannot change while the link runs"),
        (LINK, "links[0].protocol={ kind = \"ll-arq\" }", "protocol: cannot change"),
        (LINK, "links[0].queue={ kind = \"codel\" }", "only the limit of a drop-tail queue"),
        (LINK, "links[0].queue.packets=0", "passes nothing"),
        (LINK, "links[0].sender_device=true", "sender_device: cannot change"),
        (LINK, "links[0].from=\"x\"", "cannot change while it runs: expected the rate"),
        (LINK, "seed=3", "cannot change while it runs: expected the rate"),
        (LINK, "duration=3 s", "cannot change while it runs"),
        (LINK, "flows[0].tcp.congestion=\"cubic\"", "flows: cannot change while"),
        (CELL, "cells[0].standard=\"802.11a\"", "cells: cannot change while"),
        (LINK, "links.0.rate=5 Mb/s", "has its number in brackets: links[0].rate"),
        (LINK, "links[0].rate=5", "such as"),
        (LINK, "links[3].rate=5 Mb/s", "there is no element 3"),
        (LINK, "links[0].loss={ model = \"trace\", path = \"x\", slot = \"1 ms\" }", "no file"),
    ] {
        let mut subject = Subject::new(text);
        let mut emulation = Emulation::new(&subject.plan(), Vec::new(), &load).unwrap();
        emulation.record();
        let set = Set::read(&format!("set {line}")).unwrap().unwrap();
        let error = match subject.change(&set) {
            Ok(plan) => emulation.change(&set, &plan, &load).expect_err(line).to_string(),
            Err(error) => error,
        };
        assert!(error.contains(part), "{line}: {error}");
        assert_eq!(emulation.take_arrivals(), []);
    }
}
