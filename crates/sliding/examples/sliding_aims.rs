//! The sliding transport in one line per aspect: start-up, long paths, short transfers, many flows,
//! rivals, and the steady state. It shows the effect of a change on all of them.
//! `sliding_aims [PART...]`; a part is named by its first letters.

#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs, reason = "a program to look at")]

use std::sync::atomic::{AtomicUsize, Ordering};

#[path = "../tests/support/mod.rs"]
mod support;

use airtcp_random::Seed;
use airtcp_sliding::SlidingConfig;
use airtcp_transport::tcp::TcpConfig;
use airtcp_units::{Nanos, Saturate, Span};
use support::{Loss, Path, World};

const SECOND: u64 = 1_000_000_000;
type Job = (String, Box<dyn Fn() -> Vec<(&'static str, f64)> + Send + Sync>);

fn path(rtt: u64, queue: usize, p: f64, seed: u64) -> Path {
    Path {
        delay: Span::from_millis(rtt / 2),
        queue,
        forward: Loss::Independent(p),
        seed,
        ..Path::default()
    }
}

fn world(rtt: u64, queue: usize, p: f64, seed: u64) -> World {
    let mut w = World::new(path(rtt, queue, p, seed));
    w.shadowed = false;
    w
}

fn add(w: &mut World, law: &str, start: Nanos) {
    if law == "sliding" {
        w.sliding(&SlidingConfig::default(), None, start);
    } else {
        let text = format!(r#"{{"congestion":{{"law":"{law}"}},"receive_buffer":"4 MB"}}"#);
        w.tcp(&serde_json::from_str::<TcpConfig>(&text).unwrap(), None, start);
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (n, sum) = values.fold((0.0, 0.0), |(n, s), v| (n + 1.0, s + v));
    sum / n
}

/// Mb/s from `from` to `until` seconds as a share of (1-p) 10 Mb/s, and the longest mean queue in
/// ms.
fn start(rtt: u64, p: f64, until: &[u64], seeds: u64) -> Vec<(&'static str, f64)> {
    let mut got = vec![0.0; until.len()];
    let (mut queue, mut dropped) = (0.0, 0.0);
    for seed in 1..=seeds {
        let mut w = world(rtt, 100, p, seed);
        add(&mut w, "sliding", Nanos::ZERO);
        let mut before = (0, 0);
        for (g, t) in got.iter_mut().zip(until) {
            w.run(Nanos(t * SECOND), |_| false);
            let now = w.flows[0][1].delivered();
            *g += (now - before.0) as f64 * 8e-7 / (t - before.1) as f64 / (1.0 - p) / seeds as f64;
            before = (now, *t);
        }
        queue += w.queued / before.1 as f64 * 1.2 / seeds as f64;
        dropped += w.dropped as f64 / seeds as f64;
    }
    let names = ["first", "second", "third"];
    let mut r: Vec<_> = names.into_iter().zip(got).collect();
    r.push(("queue_ms", queue));
    r.push(("dropped", dropped));
    r
}

fn short(rtt: u64, p: f64, seeds: u64) -> Vec<(&'static str, f64)> {
    let mut times = Vec::new();
    let mut bytes = 0.0;
    for seed in 0..seeds {
        let mut w = world(rtt, 100, p, seed);
        w.sliding(&SlidingConfig::default(), Some(100_000), Nanos::ZERO);
        w.run(Nanos(120 * SECOND), |w| w.flows[0][1].delivered() == 100_000);
        times.push(w.now.as_secs_f64());
        bytes += w.carried as f64 / 1e5;
    }
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[usize::saturate(share * (seeds - 1) as f64)];
    let bytes = bytes / seeds as f64 * (1.0 - p);
    vec![("p50", at(0.5)), ("p90", at(0.9)), ("p99", at(0.99)), ("bytes", bytes)]
}

fn many(
    rtt: u64,
    n: u64,
    queue: usize,
    p: f64,
    spread: u64,
    t: (u64, u64),
    seeds: u64,
) -> Vec<(&'static str, f64)> {
    let mut all = Vec::new();
    for seed in 1..=seeds {
        let mut w = world(rtt, queue, p, seed);
        let mut draws = Seed::new(seed).stream("starts");
        for _ in 0..n {
            add(&mut w, "sliding", Nanos(draws.below(spread * SECOND / 1000)));
        }
        w.run(Nanos(t.0 * SECOND), |_| false);
        let before: Vec<u64> = w.flows.iter().map(|f| f[1].delivered()).collect();
        let (carried, dropped, queued) = (w.carried, w.dropped_bytes, w.queued);
        w.run(Nanos(t.1 * SECOND), |_| false);
        let time = (t.1 - t.0) as f64;
        let got = w.flows.iter().zip(&before).map(|(f, b)| (f[1].delivered() - b) as f64);
        let (sum, squares) = got.fold((0.0, 0.0), |(s, q), x| (s + x, q + x * x));
        let sent = (w.carried - carried + w.dropped_bytes - dropped) as f64 * 8e-6 / time;
        all.push([
            sent,
            sum * 8e-6 / time,
            sum * sum / squares.max(1.0) / n as f64,
            (w.queued - queued) / time * 1.2,
        ]);
    }
    let names = ["sent", "got", "jain", "queue_ms"];
    let mut r: Vec<_> =
        names.into_iter().enumerate().map(|(i, n)| (n, mean(all.iter().map(|a| a[i])))).collect();
    r.push(("most_sent", all.iter().map(|a| a[0]).fold(0.0, f64::max)));
    r.push(("least_jain", all.iter().map(|a| a[2]).fold(1.0, f64::min)));
    r
}

/// Mb/s of our flow and of the rival, 30 to 90 s.
fn beside(rtt: u64, queue: usize, p: f64, rival: &str, seeds: u64) -> Vec<(&'static str, f64)> {
    let mut r = [(0.0, 0.0), (0.0, 0.0)];
    let mut queued = 0.0;
    let mut least = 1.0_f64;
    for seed in 0..seeds {
        for (i, (ours, theirs)) in [(0, 5), (5, 0)].into_iter().enumerate() {
            let mut w = world(rtt, queue, p, seed + 1);
            add(&mut w, "sliding", Nanos(ours * SECOND));
            add(&mut w, rival, Nanos(theirs * SECOND + seed * 37_000_000));
            w.run(Nanos(30 * SECOND), |_| false);
            let before = [0, 1].map(|f: usize| w.flows[f][1].delivered());
            let q = w.queued;
            w.run(Nanos(90 * SECOND), |_| false);
            let rate =
                [0, 1].map(|f: usize| (w.flows[f][1].delivered() - before[f]) as f64 * 8e-6 / 60.0);
            r[i].0 += rate[0] / seeds as f64;
            r[i].1 += rate[1] / seeds as f64;
            least = least.min(rate[1] / (rate[0] + rate[1]));
            queued += (w.queued - q) / 60.0 * 1.2 / seeds as f64 / 2.0;
        }
    }
    vec![
        ("first", r[0].0),
        ("rival", r[0].1),
        ("second", r[1].0),
        ("rival1st", r[1].1),
        ("leastshare", least),
        ("queue_ms", queued),
    ]
}

fn bulk(rtt: u64, loss: Loss, p: f64, seeds: u64) -> Vec<(&'static str, f64)> {
    let (mut share, mut queue, mut bytes) = (0.0, 0.0, 0.0);
    for seed in 1..=seeds {
        let mut w = World::new(Path { forward: loss, ..path(rtt, 100, p, seed) });
        w.shadowed = false;
        add(&mut w, "sliding", Nanos::ZERO);
        w.run(Nanos(10 * SECOND), |_| false);
        let before = (w.flows[0][1].delivered(), w.queued, w.carried, w.lost, w.packets);
        w.run(Nanos(50 * SECOND), |_| false);
        let got = (w.flows[0][1].delivered() - before.0) as f64;
        let lost = (w.lost - before.3) as f64 / (w.packets - before.4) as f64;
        share += got * 8e-7 / 40.0 / (1.0 - lost) / seeds as f64;
        queue += (w.queued - before.1) / 40.0 * 1.2 / seeds as f64;
        bytes += (w.carried - before.2) as f64 * (1.0 - lost) / got / seeds as f64;
    }
    vec![("share", share), ("queue_ms", queue), ("bytes", bytes)]
}

/// One flow: start-up, short transfers, and the steady state.
fn alone(jobs: &mut Vec<Job>) {
    for p in [0.0, 0.01, 0.1, 0.3, 0.5] {
        jobs.push((
            format!("a start 80 ms p {p}"),
            Box::new(move || start(80, p, &[5, 10, 20], 10)),
        ));
        jobs.push((
            format!("b start 200 ms p {p}"),
            Box::new(move || start(200, p, &[5, 10, 20], 6)),
        ));
    }
    for rtt in [10, 80] {
        for p in [0.0, 0.1, 0.3, 0.5] {
            jobs.push((format!("c 100 kB {rtt} ms p {p}"), Box::new(move || short(rtt, p, 200))));
        }
    }
    for p in [0.0, 0.01, 0.1, 0.3, 0.5] {
        jobs.push((
            format!("s bulk 80 ms p {p}"),
            Box::new(move || bulk(80, Loss::Independent(p), p, 3)),
        ));
        jobs.push((
            format!("s bulk 10 ms p {p}"),
            Box::new(move || bulk(10, Loss::Independent(p), p, 3)),
        ));
    }
    for p in [0.1, 0.3, 0.5] {
        jobs.push((
            format!("s bulk 80 ms bursts p {p}"),
            Box::new(move || bulk(80, Loss::Bursts(p, Span::from_millis(50)), p, 3)),
        ));
    }
}

/// Several flows of this transport.
fn together(jobs: &mut Vec<Job>) {
    for (rtt, n, queue, p) in [
        (80, 2, 10, 0.0),
        (80, 2, 100, 0.1),
        (80, 5, 10, 0.0),
        (80, 5, 10, 0.1),
        (10, 5, 10, 0.0),
        (10, 5, 10, 0.1),
        (80, 5, 100, 0.1),
        (80, 10, 100, 0.1),
        (80, 10, 100, 0.3),
        (80, 20, 20, 0.1),
        (80, 20, 100, 0.1),
        (80, 20, 100, 0.3),
        (10, 20, 100, 0.1),
        (10, 20, 100, 0.0),
        (80, 50, 10, 0.0),
        (80, 50, 20, 0.0),
        (80, 50, 20, 0.1),
        (80, 50, 100, 0.0),
        (80, 50, 100, 0.1),
        (10, 50, 100, 0.0),
        (10, 50, 100, 0.1),
        (10, 20, 20, 0.0),
    ] {
        jobs.push((
            format!("d {n} flows {rtt} ms queue {queue} p {p}"),
            Box::new(move || many(rtt, n, queue, p, 5000, (20, 50), 10)),
        ));
    }
}

/// Newcomers among flows, and flows beside other laws.
fn mixed(jobs: &mut Vec<Job>) {
    for (rtt, n, queue, p) in [
        (80, 5, 10, 0.0),
        (80, 20, 100, 0.0),
        (80, 20, 100, 0.1),
        (80, 50, 100, 0.0),
        (80, 50, 20, 0.0),
        (10, 20, 100, 0.0),
    ] {
        jobs.push((
            format!("n newcomers {n} {rtt} ms queue {queue} p {p}, 0-5"),
            Box::new(move || many(rtt, n, queue, p, 100, (0, 5), 10)),
        ));
        jobs.push((
            format!("n newcomers {n} {rtt} ms queue {queue} p {p}, 5-20"),
            Box::new(move || many(rtt, n, queue, p, 100, (5, 20), 10)),
        ));
    }
    for (rtt, queue, rival) in [
        (10, 100, "bbr"),
        (10, 100, "bbr1"),
        (10, 100, "cubic"),
        (10, 100, "reno"),
        (80, 100, "bbr"),
        (80, 100, "bbr1"),
        (80, 100, "cubic"),
        (10, 10, "bbr"),
        (10, 10, "cubic"),
        (40, 100, "bbr"),
        (40, 100, "cubic"),
    ] {
        jobs.push((
            format!("e beside {rival} {rtt} ms queue {queue}"),
            Box::new(move || beside(rtt, queue, 0.0, rival, 3)),
        ));
    }
}

fn main() {
    let mut jobs: Vec<Job> = Vec::new();
    alone(&mut jobs);
    together(&mut jobs);
    mixed(&mut jobs);
    let parts: Vec<String> = std::env::args().skip(1).collect();
    jobs.retain(|j| parts.is_empty() || parts.iter().any(|p| j.0.starts_with(p.as_str())));
    let next = AtomicUsize::new(0);
    let found = std::sync::Mutex::new(vec![Vec::new(); jobs.len()]);
    std::thread::scope(|s| {
        for _ in 0..2 {
            s.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = jobs.get(i) else { break };
                    let r = (job.1)();
                    found.lock().unwrap()[i] = r;
                }
            });
        }
    });
    for (job, found) in jobs.iter().zip(found.into_inner().unwrap()) {
        let text: Vec<_> = found.iter().map(|(n, v)| format!("{n} {v:.3}")).collect();
        println!("{}: {}", job.0, text.join("  "));
    }
}
