//! The aims: what each measures, and its table.

use airtcp_random::Seed;
use airtcp_units::detmath;

use crate::Options;
use crate::world::{Path, Queue, SECOND, World};

const RATE: u64 = 10_000_000;
const LOSSES: [f64; 5] = [0.0, 0.01, 0.1, 0.3, 0.5];
const ROUND_TRIPS: [f64; 3] = [10.0, 80.0, 200.0];
/// A queue that never overflows.
const UNLIMITED: usize = 1_000_000;

fn path(rate: u64, rtt_ms: f64, queue: Queue, loss: f64, seed: u64) -> Path {
    Path { rate, rtt_ms, queue, loss, jitter_ms: 0.0, seed }
}

/// Goodput as a share of the ceiling.
fn share_of(mbps: f64, rate: u64, loss: f64) -> f64 {
    mbps * 1e6 / (rate as f64 * 1436.0 / 1496.0 * (1.0 - loss))
}

fn mean(x: &[f64]) -> f64 {
    x.iter().sum::<f64>() / x.len() as f64
}

fn least(x: &[f64]) -> f64 {
    x.iter().copied().fold(f64::MAX, f64::min)
}

fn jain(x: &[f64]) -> f64 {
    let (sum, squares) = x.iter().fold((0.0, 0.0), |(s, q), x| (s + x, q + x * x));
    sum * sum / squares / x.len() as f64
}

fn header(title: &str, columns: &[String]) {
    println!("{title}\n\n| {} |\n|{}", columns.join(" | "), "---|".repeat(columns.len()));
}

fn losses(first: &str) -> Vec<String> {
    std::iter::once(first.to_owned()).chain(LOSSES.map(|p| format!("{} %", p * 100.0))).collect()
}

fn queue_name(packets: usize) -> String {
    if packets == UNLIMITED { "unlimited".into() } else { packets.to_string() }
}

/// One flow alone, 30 to 60 s: mean and least of the seeds.
pub(crate) fn gate(o: &Options) {
    let seeds = o.seeds(20);
    header(
        &format!(
            "Gate: share of the ceiling from 30 to 60 s, mean (least of {seeds} seeds); aim: none below 0.80"
        ),
        &losses("Mb/s, round trip, queue"),
    );
    let rates: &[u64] = if o.short { &[10] } else { &[10, 100] };
    let mut below = 0;
    for mbps in rates {
        // A fast link takes longer to simulate.
        let seeds = if *mbps > 10 { seeds.div_ceil(5) } else { seeds };
        for rtt in ROUND_TRIPS {
            for queue in [5, 20, 100, UNLIMITED] {
                let mut row = format!("| {mbps}, {rtt} ms, {}", queue_name(queue));
                for p in LOSSES {
                    let got: Vec<f64> = (1..=seeds)
                        .map(|seed| {
                            let rate = mbps * 1_000_000;
                            let mut w = World::new(path(rate, rtt, Queue::Tail(queue), p, seed));
                            w.add(&o.law, 1);
                            w.run(30 * SECOND);
                            share_of(w.measure(60).rates[0], rate, p)
                        })
                        .collect();
                    let bold = if least(&got) < 0.8 { "**" } else { "" };
                    below += u32::from(least(&got) < 0.8);
                    row += &format!(" | {bold}{:.2} ({:.2}){bold}", mean(&got), least(&got));
                }
                println!("{row} |");
            }
        }
    }
    println!("\n{below} cells have a seed below 0.80.");
}

/// The link is busy when a flow opens.
pub(crate) fn opening(o: &Options) {
    let seeds = o.seeds(9).max(3);
    let busy = [0, 1, 10];
    let columns = ["path, loss, seconds".to_owned()].into_iter();
    let columns: Vec<String> = columns.chain(busy.map(|ms| format!("busy for {ms} ms"))).collect();
    header(
        &format!(
            "Opening: share of the ceiling in the first seconds, median (least of {seeds} seeds)"
        ),
        &columns,
    );
    for (mbps, rtt, p, seconds) in
        [(10, 80.0, 0.1, 7), (10, 80.0, 0.3, 10), (100, 40.0, 0.1, 3), (1000, 20.0, 0.01, 1)]
    {
        let mut row = format!("| {mbps} Mb/s {rtt} ms, {} %, {seconds} s", p * 100.0);
        for ms in busy {
            let rate = mbps * 1_000_000;
            let packets = (rate as f64 * rtt * 1e-3 / 12_000.0) as usize;
            let mut got: Vec<f64> = (1..=seeds)
                .map(|seed| {
                    let mut w = World::new(path(rate, rtt, Queue::Tail(packets.max(100)), p, seed));
                    w.occupy(ms * 1_000_000);
                    w.add(&o.law, 1);
                    share_of(w.measure(seconds).rates[0], rate, p)
                })
                .collect();
            got.sort_by(f64::total_cmp);
            row += &format!(" | {:.3} ({:.2})", got[got.len() / 2], got[0]);
        }
        println!("{row} |");
    }
}

/// Queues of this path: a share of the product of rate and round-trip time, `CoDel` and FQ-CoDel.
fn queues(rate: u64, rtt: f64) -> Vec<(String, Queue)> {
    let packets = rate as f64 * rtt * 1e-3 / 12_000.0;
    let tail = |x: f64| (x.to_string(), Queue::Tail(((packets * x).round() as usize).max(2)));
    let mut all: Vec<_> = [0.25, 0.5, 1.0, 2.0, 4.0].map(tail).into();
    all.extend([("CoDel".to_owned(), Queue::Codel), ("FQ-CoDel".to_owned(), Queue::FqCodel)]);
    all
}

/// Goodput over a rival's, with the times of both starts.
fn ratio(o: &Options, path: Path, rival: &str, starts: (u64, u64)) -> f64 {
    let mut w = World::new(path);
    w.add(&o.law, starts.0 + 1);
    w.add(rival, starts.1 + 12_345);
    let (from, to) = if path.rtt_ms > 100.0 { (30, 120) } else { (20, 80) };
    w.run(from * SECOND);
    let rates = w.measure(to).rates;
    rates[0] / rates[1].max(0.01)
}

/// Beside another flow.
pub(crate) fn share(o: &Options) {
    let distances: &[u64] = if o.short { &[5] } else { &[0, 2, 5, 9] };
    let rates: &[u64] = if o.short { &[10] } else { &[10, 100] };
    let columns: Vec<String> = ["Mb/s, rival, round trip".to_owned()]
        .into_iter()
        .chain(queues(RATE, 80.0).into_iter().map(|q| q.0))
        .collect();
    header(
        "Sharing: goodput over the rival's, geometric mean of both orders and of all distances in time; columns: queue over \
         the product of rate and round-trip time; bold: beside CUBIC outside 0.6 to 1.9",
        &columns,
    );
    for mbps in rates {
        let rivals: &[&str] =
            if *mbps > 10 { &["cubic"] } else { &["reno", "cubic", "bbr1", "bbr"] };
        for rival in rivals {
            for rtt in ROUND_TRIPS {
                if *mbps > 10 && (rtt - 80.0).abs() > 1.0 {
                    continue;
                }
                let rate = mbps * 1_000_000;
                let mut row = format!("| {mbps}, {rival}, {rtt} ms");
                for (_, queue) in queues(rate, rtt) {
                    let mut logs = Vec::new();
                    for gap in distances.iter().map(|s| s * SECOND) {
                        for (i, starts) in [(0, gap), (gap, 0)].into_iter().enumerate() {
                            let path = path(rate, rtt, queue, 0.0, 1 + i as u64);
                            logs.push(detmath::ln(ratio(o, path, rival, starts).max(1e-3)));
                        }
                    }
                    let ratio = detmath::exp(mean(&logs));
                    let misses = *rival == "cubic" && !(0.6..=1.9).contains(&ratio);
                    let bold = if misses { "**" } else { "" };
                    row += &format!(" | {bold}{ratio:.2}{bold}");
                }
                println!("{row} |");
            }
        }
    }
}

/// A flow that joins a standing queue of Reno.
pub(crate) fn joiner(o: &Options) {
    let distances: &[u64] = if o.short { &[5] } else { &[2, 5, 9] };
    let columns: Vec<String> = ["Mb/s, round trip".to_owned()]
        .into_iter()
        .chain(queues(RATE, 80.0).into_iter().take(5).map(|q| q.0))
        .collect();
    header(
        &format!(
            "Joiner: goodput over that of Reno, which began {distances:?} s before, least; aim: at least 0.3"
        ),
        &columns,
    );
    for (mbps, rtt) in [(10, 80.0), (10, 200.0), (100, 80.0)] {
        let rate = mbps * 1_000_000;
        let mut row = format!("| {mbps}, {rtt} ms");
        for (_, queue) in queues(rate, rtt).into_iter().take(5) {
            let all: Vec<f64> = distances
                .iter()
                .map(|s| ratio(o, path(rate, rtt, queue, 0.0, 2), "reno", (s * SECOND, 0)))
                .collect();
            let bold = if least(&all) < 0.3 { "**" } else { "" };
            row += &format!(" | {bold}{:.2}{bold}", least(&all));
        }
        println!("{row} |");
    }
}

/// Many flows that start within two seconds.
pub(crate) fn many(o: &Options) {
    let seeds = o.seeds(3);
    let columns = [
        "flows, round trip",
        "queue of 20 packets",
        "of 100",
        "of 20, 10 % loss",
        "of 100, 10 % loss",
    ];
    header(
        &format!(
            "Many flows: load and Jain's index from 20 to 50 s, goodput of the first 5 s as a share of the ceiling, means \
             of {seeds} seeds; bold: load above 1.3, or Jain below 0.8 (0.7 at 200 ms over 20 packets) without loss"
        ),
        &columns.map(str::to_owned),
    );
    let counts: &[u64] = if o.short { &[5, 50] } else { &[5, 20, 50, 100] };
    for flows in counts {
        for rtt in ROUND_TRIPS {
            let mut row = format!("| {flows}, {rtt} ms");
            for (queue, p) in [(20, 0.0), (100, 0.0), (20, 0.1), (100, 0.1)] {
                let (mut loads, mut jains, mut firsts) = (Vec::new(), Vec::new(), Vec::new());
                for seed in 1..=seeds {
                    let mut w = World::new(path(RATE, rtt, Queue::Tail(queue), p, seed));
                    let mut draws = Seed::new(seed).stream("starts");
                    for _ in 0..*flows {
                        w.add(&o.law, draws.below(2 * SECOND));
                    }
                    firsts.push(share_of(w.measure(5).rates.iter().sum(), RATE, p));
                    w.run(20 * SECOND);
                    let later = w.measure(50);
                    loads.push(later.load);
                    jains.push(jain(&later.rates));
                }
                let fair = if rtt > 100.0 && queue < 100 { 0.7 } else { 0.8 };
                let misses = mean(&loads) > 1.3 || (p <= 0.0 && mean(&jains) < fair);
                let bold = if misses { "**" } else { "" };
                row += &format!(
                    " | {bold}{:.2}, {:.2}{bold}, {:.2}",
                    mean(&loads),
                    mean(&jains),
                    mean(&firsts)
                );
            }
            println!("{row} |");
        }
    }
}

/// One flow: share in the first five seconds and from 5 to 30 s, queueing delay and its 95 % point.
fn alone_row(o: &Options, name: &str, seeds: u64, path_of: impl Fn(f64, u64) -> Path) {
    let mut row = format!("| {name}");
    for p in LOSSES {
        let (mut first, mut later, mut queue, mut high) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for seed in 1..=seeds {
            let path = path_of(p, seed);
            let mut w = World::new(path);
            w.add(&o.law, 1);
            first.push(share_of(w.measure(5).rates[0], path.rate, p));
            let m = w.measure(30);
            later.push(share_of(m.rates[0], path.rate, p));
            queue.push(m.queue);
            high.push(m.queue_95);
        }
        row += &format!(
            " | {:.2}, {:.3}, {:.1} ({:.1})",
            mean(&first),
            mean(&later),
            mean(&queue),
            mean(&high)
        );
    }
    println!("{row} |");
}

pub(crate) fn alone(o: &Options) {
    let seeds = o.seeds(5);
    header(
        &format!(
            "Alone: share of the ceiling in the first 5 s, from 5 to 30 s, mean queueing delay in ms (95 % point), means of \
             {seeds} seeds"
        ),
        &losses("Mb/s, round trip, queue"),
    );
    for (mbps, rtt, queue) in
        [(10, 10.0, 100), (10, 80.0, 100), (10, 200.0, 100), (1, 80.0, 100), (100, 80.0, 400)]
    {
        let name = format!("{mbps}, {rtt} ms, {queue}");
        alone_row(o, &name, seeds, |p, seed| {
            path(mbps * 1_000_000, rtt, Queue::Tail(queue), p, seed)
        });
    }
}

pub(crate) fn jitter(o: &Options) {
    let seeds = o.seeds(3);
    header(
        &format!(
            "Jitter, in order, behind the queue: as the table before, 80 ms, 100 packets, means of {seeds} seeds"
        ),
        &losses("jitter"),
    );
    for ms in [1.0, 5.0, 10.0, 20.0] {
        alone_row(o, &format!("{ms} ms"), seeds, |p, seed| Path {
            jitter_ms: ms,
            ..path(RATE, 80.0, Queue::Tail(100), p, seed)
        });
    }
}
