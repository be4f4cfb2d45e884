//! Flows of one transport on a drop-tail queue of 10 Mb/s and 80 ms:
//! `matrix NAME FLOWS PACKETS LOSS SEEDS [FIRST]`. Lists are separated by commas. NAME is `sliding`, `lt`, `cubic` or `tcp`,
//! FIRST the first seed. The flows start within 5 s and are measured from 20 to 50 s. The program
//! makes the tables of `docs/models`.

#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs, reason = "a program to look at")]

use std::sync::atomic::{AtomicUsize, Ordering};

#[path = "../tests/support/mod.rs"]
mod support;

use airtcp_random::Seed;
use airtcp_sliding::SlidingConfig;
use airtcp_transport::lt::LtConfig;
use airtcp_transport::tcp::TcpConfig;
use airtcp_units::{Nanos, Saturate};
use support::{Loss, Path, World};

const SECOND: u64 = 1_000_000_000;

fn cell(name: &str, flows: u64, queue: usize, p: f64, seed: u64) -> [f64; 4] {
    let mut w = World::new(Path { queue, forward: Loss::Independent(p), seed, ..Path::default() });
    w.shadowed = false;
    let mut draws = Seed::new(seed).stream("starts");
    for _ in 0..flows {
        let start = Nanos(draws.below(5 * SECOND));
        match name {
            "sliding" => w.sliding(&SlidingConfig::default(), None, start),
            "lt" => w.lt(&LtConfig::default(), None, start),
            "cubic" => w.tcp(
                &serde_json::from_str::<TcpConfig>(r#"{"congestion":{"law":"cubic"}}"#).unwrap(),
                None,
                start,
            ),
            _ => w.tcp(&TcpConfig::default(), None, start),
        };
    }
    w.run(Nanos(20 * SECOND), |_| false);
    let before: Vec<u64> = w.flows.iter().map(|f| f[1].delivered()).collect();
    let (carried, dropped, queued) = (w.carried, w.dropped_bytes, w.queued);
    w.run(Nanos(50 * SECOND), |_| false);
    let got = w.flows.iter().zip(&before).map(|(f, b)| (f[1].delivered() - b) as f64);
    let (sum, squares) = got.fold((0.0, 0.0), |(s, q), x| (s + x, q + x * x));
    let sent = (w.carried - carried + w.dropped_bytes - dropped) as f64 * 8.0 / 30e6;
    [sent, sum * 8.0 / 30e6, sum * sum / squares / flows as f64, (w.queued - queued) / 30.0]
}

fn list(i: usize, other: &str) -> Vec<f64> {
    let text = std::env::args().nth(i).unwrap_or_else(|| other.into());
    text.split(',').map(|x| x.parse().unwrap()).collect()
}

fn main() {
    let name = std::env::args().nth(1).unwrap_or_else(|| "sliding".into());
    let (seeds, first) = (u64::saturate(list(5, "3")[0]), u64::saturate(list(6, "1")[0]));
    let mut jobs = Vec::new();
    for q in list(3, "10,20,100") {
        for n in list(2, "2,5,10,20,50") {
            for p in list(4, "0,0.1,0.3") {
                jobs.push((u64::saturate(n), usize::saturate(q), p));
            }
        }
    }
    println!("| queue | flows | loss | sent (most) | got | Jain (least) | packets queued |");
    let next = AtomicUsize::new(0);
    std::thread::scope(|s| {
        for _ in 0..2 {
            s.spawn(|| loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                let Some(&(n, q, p)) = jobs.get(i) else { break };
                let r: Vec<_> = (first..first + seeds).map(|s| cell(&name, n, q, p, s)).collect();
                let of = |k: usize| {
                    let n = r.len() as f64;
                    let mean = r.iter().map(|x| x[k]).sum::<f64>() / n;
                    let most = r.iter().map(|x| x[k]).fold(f64::MIN, f64::max);
                    let least = r.iter().map(|x| x[k]).fold(f64::MAX, f64::min);
                    (mean, least, most)
                };
                let (sent, got, jain, queue) = (of(0), of(1), of(2), of(3));
                println!(
                    "| {q:>3} | {n:>2} | {p:.1} | {:.1} ({:.1}) | {:.2} | {:.2} ({:.2}) | {:.1} |",
                    sent.0, sent.2, got.0, jain.0, jain.1, queue.0
                );
            });
        }
    });
}
