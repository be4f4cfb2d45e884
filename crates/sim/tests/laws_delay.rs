//! Vegas, Veno, Westwood, Westwood+ and Jersey over whole flows in virtual time, held against what
//! their papers promise.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may fail, and shows what it measured"
)]

mod common;

use std::collections::BTreeMap;

use common::{no_traces, plan, run_with};

use airtcp_probe::{Event, Probe, Who};
use airtcp_sim::parallel::Stop;
use airtcp_sim::results::Replication;
use airtcp_sim::run_one;
use airtcp_units::Nanos;

/// Where the numbers of these tests come from: 10 Mb/s and 80 ms, 67 packets of 1500 bytes.
const LINK: &str = "[[links]]\nfrom = \"a\"\nto = \"b\"\nrate = \"10 Mb/s\"\ndelay = \"40 ms\"\n";
/// A scenario with `count` flows over one link.
fn scenario(link: &str, seconds: u32, count: u32, tcp: &str) -> String {
    format!(
        "duration = \"{seconds} s\"\nwarmup = \"20 s\"\n{LINK}{link}\n\
         [[flows]]\nfrom = \"a\"\nto = \"b\"\ncount = {count}\ntcp = {{ {tcp} }}\n"
    )
}

/// The path's round-trip time with nothing queued: propagation, a data packet, an ACK.
const BASE_S: f64 = 0.080 + 1500.0 * 8.0 / 10e6 + 40.0 * 8.0 / 10e6;

/// What the senders of a run's flows told of themselves.
#[derive(Default)]
struct Senders(BTreeMap<u32, Told>);

/// By one sender.
#[derive(Default)]
struct Told {
    /// Latest window, bytes.
    cwnd: u64,
    /// Latest round-trip time, seconds.
    rtt_s: f64,
    /// Estimates of the bandwidth, bits per second.
    bandwidth: Vec<(Nanos, f64)>,
    /// Windows just before and just after each fast retransmit, bytes.
    reductions: Vec<(u64, u64)>,
}

impl Probe for Senders {
    const ON: bool = true;

    fn record(&mut self, now: Nanos, who: Who, event: &Event) {
        let Who::Endpoint(end) = who else { return };
        let told = self.0.entry(end.flow()).or_default();
        match event {
            Event::Window { cwnd, .. } => {
                if let Some(r) = told.reductions.last_mut().filter(|r| r.1 == 0) {
                    r.1 = *cwnd;
                }
                told.cwnd = *cwnd;
            }
            Event::Rtt { sample, .. } => told.rtt_s = sample.as_secs_f64(),
            Event::Bandwidth { estimate } => {
                told.bandwidth.push((now, estimate.bps() as f64));
            }
            Event::FastRetransmit => told.reductions.push((told.cwnd, 0)),
            _ => {}
        }
    }
}

/// The first replication, and what its senders told.
fn recorded(text: &str) -> (Replication, Vec<Told>) {
    let probe = Senders::default();
    let (r, probe) = run_one(&plan(text), 0, &no_traces, probe, &Stop::default()).unwrap().unwrap();
    (r, probe.0.into_values().collect())
}

mod vegas {
    use super::*;

    #[test]
    fn keeps_alpha_to_beta_segments_queued() {
        for (congestion, low, high) in [
            ("\"vegas\"", 1.0, 3.0),
            ("{ law = \"vegas\", set = \"linux\" }", 2.0, 4.0),
            ("{ law = \"vegas\", alpha = 8, beta = 10 }", 8.0, 10.0),
        ] {
            for flows in [1, 2] {
                let tcp = format!("congestion = {congestion}, ack_every = 1");
                let (r, told) = recorded(&scenario("", 120, flows, &tcp));
                let (mean, used) = (r.links[0].mean_queue_packets, r.links[0].utilisation);
                // Of each flow by itself, from its window and the path's round-trip time.
                let own: Vec<f64> = told
                    .iter()
                    .map(|t| t.cwnd as f64 / 1460.0 * (1.0 - BASE_S / t.rtt_s))
                    .collect();
                println!(
                    "{congestion}, {flows} flows: {mean:.2} queued ({own:.2?}), {used:.3} used"
                );
                let n = f64::from(flows);
                assert!((n * low..=n * high).contains(&mean), "{mean} queued");
                assert!(own.iter().all(|own| (low..=high).contains(own)), "{own:?}");
                assert!(used > 0.99, "{used}");
                assert_eq!(r.flows.iter().map(|f| f.retransmissions).sum::<u64>(), 0);
            }
        }
    }
}

mod veno {
    use super::*;

    /// How much of its window each reaction to duplicates left.
    fn kept(link: &str) -> Vec<f64> {
        let tcp = "congestion = \"veno\", ack_every = 1, half_of_cwnd = true";
        let (_, told) = recorded(&scenario(link, 200, 1, tcp));
        let reductions = told.into_iter().flat_map(|t| t.reductions);
        reductions.map(|(before, after)| after as f64 / before as f64).collect()
    }

    #[test]
    fn random_losses_cost_a_fifth_and_congestion_half() {
        let random = "loss = { model = \"bernoulli\", probability = 0.002 }";
        let (random, congested) = (kept(random), kept(""));
        let about = |kept: &f64, share: f64| (kept - share).abs() < 0.01;
        let fifth = random.iter().filter(|k| about(k, 0.8)).count();
        println!("{fifth} of {} random losses, congestion {congested:.2?}", random.len());
        // A queue builds up whenever no loss comes for long.
        assert!(random.len() > 100 && fifth as f64 > 0.9 * random.len() as f64);
        assert!(random.iter().all(|k| about(k, 0.8) || about(k, 0.5)), "{random:?}");
        assert!(congested.len() > 5 && congested.iter().all(|k| about(k, 0.5)), "{congested:?}");
    }

    /// A window that grows by a segment a round trip and keeps a share b of itself at every loss
    /// carries sqrt((1 + b)/(2 (1 - b)))/sqrt(p) segments a round trip: 1.73 times as much with
    /// four fifths as with half.
    #[test]
    fn beats_reno_under_random_loss() {
        let goodput = |law: &str| {
            let link = "loss = { model = \"bernoulli\", probability = 0.01 }";
            let tcp = format!("congestion = \"{law}\", ack_every = 1");
            let text = format!("replications = 8\n{}", scenario(link, 120, 1, &tcp));
            let goodput = run_with(&text, 2).summary.flows[0].quantities["goodput_bps"];
            println!("{law}: {goodput:?}");
            goodput
        };
        let (reno, veno) = (goodput("reno"), goodput("veno"));
        assert!(veno.ci_low.unwrap() > reno.ci_high.unwrap());
        let ratio = veno.mean.unwrap() / reno.mean.unwrap();
        assert!((1.5..1.9).contains(&ratio), "{ratio}");
    }
}
