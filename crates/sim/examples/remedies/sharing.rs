//! Two flows over one bottleneck of 10 Mb/s: with SACK or CUBIC, with the same scheme, and with different
//! round-trip times.

use airtcp_probe::NoProbe;
use airtcp_units::Narrow;

use super::schemes::{CUBIC, LT, RED, SACK, SCHEMES, SLIDING, TAIL, flow, link, loss};
use super::{Found, Job, simulate};

const SEEDS: u64 = 5;
const HEAD: &str = "duration = \"150 s\"\nwarmup = \"50 s\"\n";
/// When the first and the second flow begin.
const STARTS: [(u64, u64); 3] = [(0, 0), (0, 10), (10, 0)];

/// Shares of the link and Jain's index of two flows.
fn shares(text: &str, seed: u64, found: &mut Found) {
    let (r, _) = simulate(text, seed, NoProbe);
    let share = |i: usize| r.flows[i].goodput_bps / 10e6;
    found.push((seed, "first", share(0)));
    found.push((seed, "second", share(1)));
    found.push((seed, "ratio", share(0) / share(1).max(1e-9)));
    found.extend(r.jain_index.map(|j| (seed, "jain", j)));
    found.push((seed, "queue_ms", r.links[0].mean_queue_packets * 1.2));
}

fn marked(tcp: &str) -> String {
    tcp.replace("{ ", "{ ecn = true, ")
}

/// Each scheme beside another flow on a link without loss, for both orders of starting.
fn beside(jobs: &mut Vec<Job>) {
    for scheme in SCHEMES {
        let marks = scheme.queue == RED;
        for (name, rival) in [("CUBIC", CUBIC), ("SACK", SACK), ("itself", scheme.flow)] {
            let rival = if marks && name != "itself" { marked(rival) } else { rival.to_owned() };
            let none = loss(None, 0.0);
            let bottleneck = HEAD.to_owned() + &link(scheme, &none, &none);
            let work = move || {
                let mut found = Vec::new();
                for seed in 1..=SEEDS * 3 {
                    let (ours, theirs) = STARTS[usize::narrow(seed % 3)];
                    // Start times differ by milliseconds, because these runs have no randomness.
                    let at = |s: u64, ms: u64| {
                        format!("{{ kind = \"bulk\", start = \"{} ms\" }}", s * 1000 + ms)
                    };
                    let text = bottleneck.clone()
                        + &flow(scheme.flow, &at(ours, 0))
                        + &flow(&rival, &at(theirs, 37 * seed));
                    shares(&text, seed, &mut found);
                }
                found
            };
            jobs.push(Job {
                part: "beside",
                scheme: scheme.name.into(),
                channel: "none",
                loss: 0.0,
                case: name.into(),
                work: Box::new(work),
            });
        }
    }
}

/// LT-TCP beside SACK and CUBIC: with a marking queue, with a queue that only drops, and without ECN.
fn lt(jobs: &mut Vec<Job>) {
    let no_ecn = format!("{LT}\nlt = {{ ecn = false }}");
    let blind = format!("{LT}\nlt = {{ ecn = false, without_ecn = \"nothing\" }}");
    let law = LT.replace("{ ", "{ congestion = \"cubic\", ");
    for (name, first, queue) in [
        ("LT-TCP, queue marks", LT, RED),
        ("LT-TCP, queue drops", LT, TAIL),
        ("LT-TCP, ECN not agreed on", &no_ecn, TAIL),
        ("LT-TCP with CUBIC's law, queue marks", &law, RED),
        ("LT-TCP with CUBIC's law, queue drops", &law, TAIL),
        ("LT-TCP of the papers, no ECN", &blind, TAIL),
        ("SACK, queue drops", SACK, TAIL),
    ] {
        for (rival, keys) in [("SACK", SACK), ("CUBIC", CUBIC)] {
            for p in [0.0, 0.01, 0.1] {
                let keys = if queue == RED { marked(keys) } else { keys.to_owned() };
                let scheme = super::Scheme { queue, ..SCHEMES[0] };
                let bottleneck = HEAD.to_owned() + &link(&scheme, &loss(None, p), &loss(None, 0.0));
                let first = first.to_owned();
                let work = move || {
                    let mut found = Vec::new();
                    for seed in 1..=SEEDS {
                        let start = format!("{{ kind = \"bulk\", start = \"{} ms\" }}", 37 * seed);
                        let text = bottleneck.clone()
                            + &flow(&first, "{ kind = \"bulk\" }")
                            + &flow(&keys, &start);
                        shares(&text, seed, &mut found);
                    }
                    found
                };
                jobs.push(Job {
                    part: "lt",
                    scheme: name.into(),
                    channel: "independent",
                    loss: p,
                    case: rival.into(),
                    work: Box::new(work),
                });
            }
        }
    }
}

/// Two flows of one scheme with round-trip times of 40, 80 and 160 ms; the first has the shorter one.
fn round_trips(jobs: &mut Vec<Job>) {
    let cubic_law = LT.replace("{ ", "{ congestion = \"cubic\", ");
    for (name, keys, queue) in [
        ("LT-TCP, queue marks", LT.to_owned(), RED),
        ("LT-TCP, queue drops", LT.to_owned(), TAIL),
        ("LT-TCP with CUBIC's law, queue marks", cubic_law, RED),
        ("sliding", SLIDING.to_owned(), TAIL),
        ("SACK, queue drops", SACK.to_owned(), TAIL),
        ("SACK, queue marks", marked(SACK), RED),
        ("CUBIC, queue drops", CUBIC.to_owned(), TAIL),
        ("CUBIC, queue marks", marked(CUBIC), RED),
    ] {
        for (short, long) in [(40, 80), (40, 160), (80, 160)] {
            for p in [0.0, 0.1] {
                let access = |from: &str, rtt: u32| {
                    format!(
                        "[[links]]\nfrom = \"{from}\"\nto = \"a\"\ndelay = \"{} ms\"\n",
                        rtt / 2 - 10
                    )
                };
                let text = format!(
                    "{HEAD}[[links]]\nfrom = \"a\"\nto = \"b\"\nrate = \"10 Mb/s\"\ndelay = \"10 ms\"\nqueue = {queue}\n\
                     loss = {}\nreverse = {{ loss = {} }}\n{}{}",
                    loss(None, p),
                    loss(None, 0.0),
                    access("s", short),
                    access("t", long)
                );
                let keys = keys.clone();
                let work = move || {
                    let mut found = Vec::new();
                    for seed in 1..=SEEDS {
                        let start = format!("{{ kind = \"bulk\", start = \"{} ms\" }}", 37 * seed);
                        let from = |node: &str, app: &str| {
                            flow(&keys, app).replace("from = \"a\"", &format!("from = \"{node}\""))
                        };
                        let text =
                            text.clone() + &from("s", "{ kind = \"bulk\" }") + &from("t", &start);
                        shares(&text, seed, &mut found);
                    }
                    found
                };
                jobs.push(Job {
                    part: "rtt",
                    scheme: name.into(),
                    channel: "independent",
                    loss: p,
                    case: format!("{short} and {long} ms"),
                    work: Box::new(work),
                });
            }
        }
    }
}

pub fn jobs(jobs: &mut Vec<Job>) {
    beside(jobs);
    lt(jobs);
    round_trips(jobs);
}
