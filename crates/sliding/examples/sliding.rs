//! A quick comparison of the sliding transport and others over 10 Mb/s, 80 ms and a queue of 100
//! packets: `sliding bulk|short|beside|marks NAME [KEYS]`. NAME is `sliding`, `lt` or `tcp`, KEYS
//! is JSON. `crates/sim/examples/remedies` makes the tables of `docs/models/sliding.md`, except
//! those of marks (this program) and of many flows (`matrix`).

#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs, reason = "a program to look at")]

#[path = "../tests/support/mod.rs"]
mod support;

use airtcp_sliding::SlidingConfig;
use airtcp_transport::lt::LtConfig;
use airtcp_transport::tcp::TcpConfig;
use airtcp_units::{Nanos, Saturate, Span};
use support::{Loss, Path, World, stats};

const SECOND: u64 = 1_000_000_000;
const BURST: Span = Span::from_millis(50);
const RUNS: u64 = 400;

fn add(world: &mut World, name: &str, keys: &str, size: Option<u64>, start: Nanos) {
    match name {
        "sliding" => {
            let config: SlidingConfig = serde_json::from_str(keys).unwrap();
            world.sliding(&config, size, start);
        }
        "lt" => {
            let config: LtConfig = serde_json::from_str(keys).unwrap();
            world.lt(&config, size, start);
        }
        _ => {
            let config: TcpConfig = serde_json::from_str(keys).unwrap();
            world.tcp(&config, size, start);
        }
    }
}

fn bulk(path: Path, head: &str, name: &str, keys: &str) {
    let mut w = World::new(path);
    add(&mut w, name, keys, None, Nanos::ZERO);
    w.run(Nanos(10 * SECOND), |_| false);
    let before = (w.flows[0][1].delivered(), w.queued, w.carried, w.lost, w.packets);
    w.run(Nanos(70 * SECOND), |_| false);
    let delivered = (w.flows[0][1].delivered() - before.0) as f64;
    let lost = (w.lost - before.3) as f64 / (w.packets - before.4) as f64;
    let carried = (w.carried - before.2) as f64;
    let s = stats(&w, 0);
    let mut delays = w.delays.split_off(w.delays.len() / 7);
    delays.sort_unstable();
    let at = |share: f64| {
        let i = usize::saturate(share * delays.len().saturating_sub(1) as f64);
        delays.get(i).map_or(0.0, |d| d.as_secs_f64() * 1e3)
    };
    println!(
        "{head}: {:.2} Mb/s, {:.3} of (1-p)C; queue {:.1} ms; link {:.2}; bytes (1-p)/delivered {:.2}; \
         dropped {} silent {} combinations {}; in order after {:.0} / {:.0} / {:.0} ms (50, 95, 99 %)",
        delivered * 8.0 / 60e6,
        delivered * 8.0 / 60e7 / (1.0 - lost),
        (w.queued - before.1) / 60.0 * 1.2,
        carried * 8.0 / 60e7,
        carried * (1.0 - lost) / delivered,
        w.dropped,
        s.timeouts,
        s.combinations,
        at(0.5),
        at(0.95),
        at(0.99),
    );
}

fn short(path: impl Fn(u64) -> Path, head: &str, name: &str, keys: &str, p: f64) {
    let mut times = Vec::new();
    let mut bytes = 0.0;
    for seed in 0..RUNS {
        let mut w = World::new(path(seed));
        add(&mut w, name, keys, Some(100_000), Nanos::ZERO);
        w.run(Nanos(120 * SECOND), |w| w.flows[0][1].delivered() == 100_000);
        times.push(w.now.as_secs_f64());
        bytes += w.carried as f64 / 1e5;
    }
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[usize::saturate(share * (RUNS - 1) as f64)];
    println!(
        "{head}: median {:.3} p90 {:.3} p99 {:.3} s; bytes (1-p)/delivered {:.2}",
        at(0.5),
        at(0.9),
        at(0.99),
        bytes / RUNS as f64 * (1.0 - p)
    );
}

fn beside(name: &str, keys: &str) {
    for (ours, theirs) in [(0, 0), (0, 10), (10, 0)] {
        for seed in 1..4 {
            let mut w = World::new(Path { seed, ..Path::default() });
            add(&mut w, name, keys, None, Nanos(ours * SECOND));
            let start = Nanos(theirs * SECOND + seed * 50_000_000);
            add(&mut w, "tcp", r#"{"congestion":{"law":"cubic"}}"#, None, start);
            w.run(Nanos(30 * SECOND), |_| false);
            let before = (w.flows[0][1].delivered(), w.flows[1][1].delivered(), w.queued);
            w.run(Nanos(130 * SECOND), |_| false);
            let share = |now: u64, then: u64| (now - then) as f64 * 8.0 / 1e9;
            println!(
                "start at {ours} s, CUBIC at {theirs} s: {:.2}, CUBIC {:.2} of the link; queue {:.0} ms",
                share(w.flows[0][1].delivered(), before.0),
                share(w.flows[1][1].delivered(), before.1),
                (w.queued - before.2) / 100.0 * 1.2
            );
        }
    }
}

/// Beside a TCP, with a queue that marks from 5 or 20 packets on, or from a mean of 25.
fn marks(name: &str, keys: &str) {
    for (threshold, weight) in [(5.0, 1.0), (20.0, 1.0), (25.0, 0.002)] {
        for law in ["", "reno", "cubic"] {
            for (ours, theirs) in [(0, 10), (10, 0)] {
                let mut w = World::new(Path { mark: Some((threshold, weight)), ..Path::default() });
                add(&mut w, name, keys, None, Nanos(ours * SECOND));
                if law.is_empty() {
                    add(&mut w, name, keys, None, Nanos(theirs * SECOND));
                } else {
                    let tcp = format!(r#"{{"congestion":{{"law":"{law}"}},"ecn":true}}"#);
                    add(&mut w, "tcp", &tcp, None, Nanos(theirs * SECOND));
                }
                w.run(Nanos(30 * SECOND), |_| false);
                let before = (w.flows[0][1].delivered(), w.flows[1][1].delivered(), w.queued);
                w.run(Nanos(130 * SECOND), |_| false);
                let share = |now: u64, then: u64| (now - then) as f64 * 8.0 / 1e8;
                println!(
                    "marks from {threshold} ({weight}), start at {ours} s, {} at {theirs} s: {:.2}, {:.2} Mb/s; \
                     queue {:.0} ms; marked {} dropped {} answers {}",
                    if law.is_empty() { "its like" } else { law },
                    share(w.flows[0][1].delivered(), before.0),
                    share(w.flows[1][1].delivered(), before.1),
                    (w.queued - before.2) / 100.0 * 1.2,
                    w.marked,
                    w.dropped,
                    stats(&w, 0).ecn_reactions,
                );
            }
        }
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let get = |i: usize, other| arguments.get(i).map_or(other, String::as_str).to_owned();
    let (what, name, keys) = (get(0, "bulk"), get(1, "sliding"), get(2, "{}"));
    match what.as_str() {
        "beside" => return beside(&name, &keys),
        "marks" => return marks(&name, &keys),
        _ => {}
    }
    for (bursts, both) in [(false, false), (true, false), (false, true), (true, true)] {
        for p in [0.0, 0.1, 0.3, 0.5] {
            if p <= 0.0 && (bursts || both) {
                continue;
            }
            let loss = if bursts { Loss::Bursts(p, BURST) } else { Loss::Independent(p) };
            let back = if both { loss } else { Loss::Independent(0.0) };
            let path = |seed| Path { forward: loss, back, seed, ..Path::default() };
            let head = format!(
                "{} {p} {}",
                if bursts { "bursts of 50 ms," } else { "independent," },
                if both { "both ways" } else { "forward" }
            );
            if what == "bulk" {
                bulk(path(1), &head, &name, &keys);
            } else {
                short(path, &head, &name, &keys, p);
            }
        }
    }
}
