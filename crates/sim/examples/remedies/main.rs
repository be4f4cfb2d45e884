//! Compares the remedies of S0 and S2 and the project's own, for `docs/figures/remedies.py`.
//! `remedies PART...` runs the named parts, or all without arguments. It writes one row for each quantity of
//! each run: part, scheme, channel, loss, case, seed, quantity, value.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    unreachable_pub,
    missing_docs,
    reason = "a program to look at"
)]

mod schemes;
mod sharing;
mod units;
mod watch;

use std::sync::Arc;

use airtcp_probe::{NoProbe, Probe};
use airtcp_scenario::read;
use airtcp_sim::parallel::{Stop, default_workers, run_many};
use airtcp_sim::results::Replication;
use airtcp_sim::run_one;
use airtcp_units::{Nanos, Outcomes};
use schemes::{CHANNELS, LOSSES, SCHEMES, Scheme, flow, link, loss};
use watch::{Watch, mean, percentile};

const RATE: f64 = 10e6;
const BULK_SEEDS: u64 = 5;
const TRANSFERS: u64 = 300;
/// Transfers per job.
const BATCH: u64 = 50;
/// Maximum duration of a transfer in seconds; longer ones count as this.
const LONGEST: u64 = 120;
const WARM_UP: Nanos = Nanos(10_000_000_000);

/// Results of a job: seed, quantity, value.
pub type Found = Vec<(u64, &'static str, f64)>;

/// One or several simulations of one kind.
pub struct Job {
    pub part: &'static str,
    pub scheme: String,
    pub channel: &'static str,
    pub loss: f64,
    /// Other properties of the runs.
    pub case: String,
    pub work: Box<dyn Fn() -> Found + Send + Sync>,
}

/// Runs a scenario once.
pub fn simulate<P: Probe>(text: &str, seed: u64, probe: P) -> (Replication, P) {
    let text = format!("seed = {seed}\n{text}");
    let plan = read(&text, "remedies", &[])
        .and_then(|s| s.resolve())
        .unwrap_or_else(|e| panic!("{e}\n{text}"));
    let no_traces = |name: &str| -> Result<Arc<Outcomes>, String> { Err(name.into()) };
    run_one(&plan, 0, &no_traces, probe, &Stop::new())
        .unwrap_or_else(|e| panic!("{e}\n{text}"))
        .unwrap()
}

fn bulk(scheme: &Scheme, loss: &str, back: &str, p: f64) -> Found {
    let mut found = Vec::new();
    for seed in 1..=BULK_SEEDS {
        let text = "duration = \"70 s\"\nwarmup = \"10 s\"\n".to_owned()
            + &link(scheme, loss, back)
            + &flow(scheme.flow, "{ kind = \"bulk\" }");
        let (r, mut watch) = simulate(&text, seed, Watch::new(WARM_UP));
        let (f, l) = (&r.flows[0], &r.links[0]);
        let mut say = |what, value: Option<f64>| found.extend(value.map(|v| (seed, what, v)));
        say("goodput_share", Some(f.goodput_bps / RATE / (1.0 - p)));
        say("queue_ms", mean(&watch.queued));
        say("queue_p95_ms", percentile(&mut watch.queued, 0.95));
        let bytes = l.utilisation * RATE / f.goodput_bps;
        say("link_bytes", (f.goodput_bps > 0.0).then_some(bytes * (1.0 - p)));
        say("delay_p50_ms", percentile(&mut watch.delays, 0.5));
        say("delay_p99_ms", percentile(&mut watch.delays, 0.99));
        say("residual_loss", Some(l.loss_rate));
        say("timeouts", Some(f.timeouts as f64));
    }
    found
}

fn short(scheme: &Scheme, loss: &str, back: &str, p: f64, seeds: std::ops::Range<u64>) -> Found {
    let mut found = Vec::new();
    for seed in seeds {
        let text = format!("duration = \"{LONGEST} s\"\n")
            + &link(scheme, loss, back)
            + &flow(scheme.flow, "{ kind = \"bulk\", size = \"100 kB\" }");
        let (r, _) = simulate(&text, seed, NoProbe);
        let f = &r.flows[0];
        found.push((seed, "completion_s", f.completion_s.unwrap_or(LONGEST as f64)));
        if f.completion_s.is_some() {
            let bytes = r.links[0].utilisation * RATE / 8.0 * r.duration_s;
            found.push((seed, "link_bytes", bytes * (1.0 - p) / 1e5));
        }
    }
    found
}

fn table(jobs: &mut Vec<Job>) {
    for scheme in SCHEMES {
        for &(channel, burst) in CHANNELS {
            for &p in LOSSES {
                for both in [false, true] {
                    if (p <= 0.0 && (both || burst.is_some()))
                        || (both
                            && !scheme.name.starts_with("sliding")
                            && !scheme.name.starts_with("LT"))
                    {
                        continue;
                    }
                    let forward = loss(burst, p);
                    let back = if both { loss(burst, p) } else { loss(None, 0.0) };
                    let case = if both { "both ways" } else { "forward" };
                    let job = |part, work| Job {
                        part,
                        scheme: scheme.name.into(),
                        channel,
                        loss: p,
                        case: case.into(),
                        work,
                    };
                    let (f, b) = (forward.clone(), back.clone());
                    jobs.push(job("bulk", Box::new(move || bulk(scheme, &f, &b, p))));
                    for batch in 0..TRANSFERS / BATCH {
                        let (f, b) = (forward.clone(), back.clone());
                        let seeds = batch * BATCH..(batch + 1) * BATCH;
                        let work = move || short(scheme, &f, &b, p, seeds.clone());
                        jobs.push(job("short", Box::new(work)));
                    }
                }
            }
        }
    }
}

fn main() {
    let parts: Vec<String> = std::env::args().skip(1).collect();
    let mut jobs = Vec::new();
    table(&mut jobs);
    sharing::jobs(&mut jobs);
    units::jobs(&mut jobs);
    let wanted = |job: &Job| {
        let of_scheme = format!("{}:{}", job.part, job.scheme);
        parts.is_empty() || parts.iter().any(|p| *p == job.part || *p == of_scheme)
    };
    jobs.retain(wanted);
    let work = |i: usize, _: &Stop| Some((jobs[i].work)());
    let found = run_many(jobs.len(), default_workers(), work, |_| true);
    println!("part,scheme,channel,loss,case,seed,quantity,value");
    for (job, found) in jobs.iter().zip(found) {
        for (seed, quantity, value) in found.into_iter().flatten() {
            println!(
                "{},\"{}\",{},{},\"{}\",{seed},{quantity},{value:.6}",
                job.part, job.scheme, job.channel, job.loss, job.case
            );
        }
    }
}
