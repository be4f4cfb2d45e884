//! LT-TCP where the queue does not mark: the tables of `docs/models/lt-tcp.md`. `lt_queues TABLE FIRST SEEDS [KEYS]`, TABLE
//! `flood`, `many`, `losses` or `pairs`, runs with seeds FIRST to FIRST + SEEDS - 1; KEYS replace the flow's (TOML), and a further
//! argument is what the names of wanted cells contain.

#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs, reason = "a program to look at")]

use std::sync::Arc;

use airtcp_probe::NoProbe;
use airtcp_scenario::read;
use airtcp_sim::parallel::{Stop, default_workers, run_many};
use airtcp_sim::run_one;
use airtcp_units::Outcomes;

const LT: &str = "transport = \"lt-tcp\"";

/// A cell of a table: what it is called and its scenario.
type Cell = (String, String);

fn link(head: &str, rate: u32, rtt_ms: u32, packets: u32, loss: f64) -> String {
    format!(
        "{head}\n[[links]]\nfrom = \"a\"\nto = \"b\"\n[links.forward]\nrate = \"{rate} Mb/s\"\ndelay = \"{} ms\"\n\
         queue = {{ kind = \"drop-tail\", packets = {packets} }}\nloss = {{ model = \"bernoulli\", probability = {loss} }}\n",
        rtt_ms / 2
    )
}

fn flow(keys: &str) -> String {
    format!("[[flows]]\nfrom = \"a\"\nto = \"b\"\n{keys}\n")
}

/// Alone on short queues.
fn flood(keys: &str) -> Vec<Cell> {
    let mut cells = Vec::new();
    for rtt in [2, 10, 20, 80] {
        for packets in [1, 2, 5, 10] {
            let head = "duration = \"60 s\"\nwarmup = \"10 s\"";
            let text = link(head, 10, rtt, packets, 0.0) + &flow(keys);
            cells.push((format!("{rtt} ms, {packets} packets"), text));
        }
    }
    cells
}

/// Several that begin within 5 s.
fn many(keys: &str) -> Vec<Cell> {
    let cell = |(count, rate, rtt, packets): (u32, u32, u32, u32)| {
        let head = "duration = \"40 s\"\nwarmup = \"10 s\"";
        let more = format!("count = {count}\nstart_spread = \"5 s\"\n{keys}");
        let name = format!("{count} flows, {rate} Mb/s, {rtt} ms, {packets} packets");
        (name, link(head, rate, rtt, packets, 0.0) + &flow(&more))
    };
    let rows = [
        (1, 10, 80, 5),
        (1, 100, 20, 20),
        (5, 10, 80, 20),
        (10, 10, 80, 100),
        (20, 10, 80, 100),
        (20, 10, 80, 20),
        (40, 10, 80, 100),
    ];
    rows.map(cell).to_vec()
}

/// Alone on 100 packets with losses of the link.
fn losses(keys: &str) -> Vec<Cell> {
    let mut cells = Vec::new();
    for ecn in [true, false] {
        for loss in [0.0, 0.01, 0.1, 0.3, 0.5] {
            let keys =
                if ecn { keys.to_owned() } else { format!("{keys}\nlt = {{ ecn = false }}") };
            let text = link("duration = \"100 s\"", 10, 80, 100, loss) + &flow(&keys);
            cells.push((format!("ECN {ecn}, loss {loss}"), text));
        }
    }
    cells
}

/// Two on a drop-tail queue of 100 packets.
fn pairs(keys: &str) -> Vec<Cell> {
    let mut cells = Vec::new();
    let cubic = "tcp = { congestion = \"cubic\" }";
    let both = format!("{keys}\n{cubic}");
    for ecn in [true, false] {
        for (name, first, second) in [
            ("SACK", keys, ""),
            ("CUBIC", keys, cubic),
            ("CUBIC, with its law", &both, cubic),
            ("itself", keys, keys),
        ] {
            for loss in [0.0, 0.01, 0.1] {
                let off = |flow: &str| {
                    let lt = !ecn && flow.contains("lt-tcp");
                    if lt { format!("{flow}\nlt = {{ ecn = false }}") } else { flow.to_owned() }
                };
                let text = link("duration = \"200 s\"\nwarmup = \"20 s\"", 10, 80, 100, loss)
                    + &flow(&off(first))
                    + &flow(&off(second))
                    + "app = { kind = \"bulk\", start = \"START ms\" }\n";
                cells.push((format!("beside {name}, ECN {ecn}, loss {loss}"), text));
            }
        }
    }
    cells
}

/// Sent and got in all, Jain's index, packets queued, timeouts, and what the first and the second got; rates in Mb/s.
fn simulate(text: &str, seed: u64) -> [f64; 7] {
    // Milliseconds tell runs apart that have no chance in them.
    let text = format!("seed = {seed}\n{text}").replace("START", &(37 * seed).to_string());
    let plan = read(&text, "cell", &[])
        .and_then(|s| s.resolve())
        .unwrap_or_else(|e| panic!("{e}\n{text}"));
    let no_traces = |name: &str| -> Result<Arc<Outcomes>, String> { Err(name.into()) };
    let (r, _) = run_one(&plan, 0, &no_traces, NoProbe, &Stop::new()).unwrap().unwrap();
    let got: Vec<f64> = r.flows.iter().map(|f| f.goodput_bps / 1e6).collect();
    let (sum, squares) = got.iter().fold((0.0, 0.0), |(s, q), x| (s + x, q + x * x));
    let sent = r.flows.iter().map(|f| f.throughput_bps / 1e6).sum();
    let timeouts = r.flows.iter().map(|f| f.timeouts as f64).sum();
    let jain = sum * sum / (got.len() as f64 * squares);
    let second = got.get(1).copied().unwrap_or(0.0);
    [sent, sum, jain, r.links[0].mean_queue_packets, timeouts, got[0], second]
}

fn main() {
    let argument = |i: usize| std::env::args().nth(i);
    let table = argument(1).unwrap_or_else(|| "flood".into());
    let first: u64 = argument(2).map_or(1, |x| x.parse().unwrap());
    let seeds: u64 = argument(3).map_or(5, |x| x.parse().unwrap());
    let keys = argument(4).unwrap_or_else(|| LT.into());
    let cells = match table.as_str() {
        "many" => many(&keys),
        "losses" => losses(&keys),
        "pairs" => pairs(&keys),
        _ => flood(&keys),
    };
    let cells: Vec<Cell> = match argument(5) {
        Some(part) => cells.into_iter().filter(|c| c.0.contains(&part)).collect(),
        None => cells,
    };
    let jobs: Vec<(usize, u64)> =
        (0..cells.len()).flat_map(|c| (first..first + seeds).map(move |s| (c, s))).collect();
    let work = |i: usize, _: &Stop| Some(simulate(&cells[jobs[i].0].1, jobs[i].1));
    let found = run_many(jobs.len(), default_workers(), work, |_| true);
    println!("| cell | sent (most) | got | Jain (least) | queued | timeouts | first, second |");
    for (c, (name, _)) in cells.iter().enumerate() {
        let rows: Vec<[f64; 7]> =
            jobs.iter().zip(&found).filter(|(j, _)| j.0 == c).filter_map(|(_, f)| *f).collect();
        let mean = |k: usize| rows.iter().map(|r| r[k]).sum::<f64>() / rows.len() as f64;
        let most = rows.iter().map(|r| r[0]).fold(f64::MIN, f64::max);
        let least = rows.iter().map(|r| r[2]).fold(f64::MAX, f64::min);
        println!(
            "| {name} | {:.1} ({most:.1}) | {:.2} | {:.2} ({least:.2}) | {:.1} | {:.0} | {:.2}, {:.2} |",
            mean(0),
            mean(1),
            mean(2),
            mean(3),
            mean(4),
            mean(5),
            mean(6)
        );
    }
}
