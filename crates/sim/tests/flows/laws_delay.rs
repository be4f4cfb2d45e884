//! Vegas, Veno, Westwood, Westwood+ and Jersey over whole flows, compared with the claims of their papers.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may fail, and prints its measurements"
)]

use std::collections::BTreeMap;

use crate::common::{no_traces, plan, run_first, run_with};

use airtcp_probe::{Event, EventSource, Probe};
use airtcp_sim::parallel::Stop;
use airtcp_sim::results::{FlowResult, Replication};
use airtcp_sim::{Estimate, run_one};
use airtcp_units::{Nanos, Span};

/// 10 Mb/s and 80 ms: a bandwidth-delay product of 67 packets of 1500 bytes.
const LINK: &str = "[[links]]\nfrom = \"a\"\nto = \"b\"\nrate = \"10 Mb/s\"\ndelay = \"40 ms\"\n";
/// Payload rate of 10 Mb/s with segments of 1460 bytes.
const PAYLOAD: f64 = 1460.0 / 1500.0 * 10e6;

/// A scenario with `count` flows over one link.
fn scenario(link: &str, seconds: u32, count: u32, tcp: &str) -> String {
    format!(
        "duration = \"{seconds} s\"\nwarmup = \"20 s\"\n{LINK}{link}\n\
         [[flows]]\nfrom = \"a\"\nto = \"b\"\ncount = {count}\ntcp = {{ {tcp} }}\n"
    )
}

/// The path's round-trip time without queueing: propagation, a data packet, an ACK.
const BASE_S: f64 = 0.080 + 1500.0 * 8.0 / 10e6 + 40.0 * 8.0 / 10e6;

/// Records of all senders of a run.
#[derive(Default)]
struct Senders(BTreeMap<u32, SenderRecord>);

/// Record of one sender.
#[derive(Default)]
struct SenderRecord {
    /// Latest window, bytes.
    cwnd: u64,
    /// All windows, bytes.
    windows: Vec<u64>,
    /// Latest round-trip time, seconds.
    rtt_s: f64,
    /// Estimates of the bandwidth, bits per second.
    bandwidth: Vec<(Nanos, f64)>,
    /// Windows just before and just after each fast retransmit, bytes.
    reductions: Vec<(u64, u64)>,
}

impl Probe for Senders {
    const ON: bool = true;

    fn record(&mut self, now: Nanos, source: EventSource, event: &Event) {
        let EventSource::Endpoint(end) = source else { return };
        let told = self.0.entry(end.flow()).or_default();
        match event {
            Event::Window { cwnd, .. } => {
                if let Some(r) = told.reductions.last_mut().filter(|r| r.1 == 0) {
                    r.1 = *cwnd;
                }
                if told.cwnd != *cwnd {
                    told.windows.push(*cwnd);
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

/// The first replication, and the records of its senders.
fn recorded(text: &str) -> (Replication, Vec<SenderRecord>) {
    let probe = Senders::default();
    let (r, probe) = run_one(&plan(text), 0, &no_traces, probe, &Stop::default()).unwrap().unwrap();
    (r, probe.0.into_values().collect())
}

/// Goodput in bits per second under 1 % random loss, with its 95 % interval.
fn goodput_under_loss(congestion: &str) -> Estimate {
    let link = "loss = { model = \"bernoulli\", probability = 0.01 }";
    let tcp = format!("congestion = {congestion}, ack_every = 1");
    let text = format!("replications = 8\n{}", scenario(link, 120, 1, &tcp));
    let goodput = run_with(&text, 2).summary.flows[0].quantities["goodput_bps"];
    println!("{congestion} at 1 % loss: {goodput:?}");
    goodput
}

/// 10 Mb/s and 80 ms without loss, a minute from the first SYN on. A second run is the same.
#[test]
fn each_uses_a_clean_link_and_repeats_itself() {
    for (law, queue, floor) in [
        ("vegas", "drop-tail", 0.9),
        ("veno", "drop-tail", 0.95),
        ("westwood", "drop-tail", 0.95),
        ("westwood+", "drop-tail", 0.9),
        ("jersey", "jersey", 0.95),
    ] {
        let text = format!(
            "duration = \"60 s\"\n{LINK}queue = {{ kind = \"{queue}\" }}\n\
             [[flows]]\nfrom = \"a\"\nto = \"b\"\n\
             tcp = {{ congestion = \"{law}\", ecn = true }}\n"
        );
        let (once, again) = (run_first(&text), run_first(&text));
        let used = once.links[0].utilisation;
        println!("{law}: {used:.3}");
        assert!(used > floor, "{law}: {used}");
        assert_eq!(once.fingerprint, again.fingerprint);
    }
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
                // For each flow, from its window and the path's round-trip time.
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

    /// Share of the window left after each fast retransmit.
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
        // A queue builds up when no loss occurs for a long time.
        assert!(random.len() > 100 && fifth as f64 > 0.9 * random.len() as f64);
        assert!(random.iter().all(|k| about(k, 0.8) || about(k, 0.5)), "{random:?}");
        assert!(congested.len() > 5 && congested.iter().all(|k| about(k, 0.5)), "{congested:?}");
    }

    /// A window that grows by a segment per round trip and keeps a share b at every loss carries
    /// sqrt((1 + b)/(2 (1 - b)))/sqrt(p) segments per round trip: 1.73 times as many with b = 4/5 as with
    /// b = 1/2.
    #[test]
    fn beats_reno_under_random_loss() {
        let (reno, veno) = (goodput_under_loss("\"reno\""), goodput_under_loss("\"veno\""));
        assert!(veno.ci_low.unwrap() > reno.ci_high.unwrap());
        let ratio = veno.mean.unwrap() / reno.mean.unwrap();
        assert!((1.5..1.9).contains(&ratio), "{ratio}");
    }
}

mod westwood {
    use super::*;

    const PLUS: [&str; 2] = ["\"westwood+\"", "{ law = \"westwood+\", filter = \"ns-3\" }"];

    #[test]
    fn beats_reno_under_random_loss() {
        let reno = goodput_under_loss("\"reno\"");
        for law in ["\"westwood\"", PLUS[0], PLUS[1]] {
            assert!(goodput_under_loss(law).ci_low.unwrap() > 1.2 * reno.ci_high.unwrap(), "{law}");
        }
    }

    /// Time average of each sender's estimate from 20 s on, as a share of the link's payload rate.
    fn estimates(text: &str) -> (Replication, Vec<f64>) {
        let (r, told) = recorded(text);
        let (warm, end) = (Nanos::ZERO + Span::from_secs(20), r.duration_s);
        let mean = |t: &SenderRecord| {
            let mut area = 0.0;
            for (k, (at, estimate)) in t.bandwidth.iter().enumerate() {
                let until = t.bandwidth.get(k + 1).map_or(end, |next| next.0.as_secs_f64());
                area += estimate * (until - (*at).max(warm).as_secs_f64()).max(0.0);
            }
            area / (end - warm.as_secs_f64()) / PAYLOAD
        };
        (r, told.iter().filter(|t| !t.bandwidth.is_empty()).map(mean).collect())
    }

    #[test]
    fn converges_to_the_links_rate() {
        for law in ["\"westwood\"", PLUS[0], PLUS[1]] {
            let (r, found) = estimates(&scenario("", 80, 1, &format!("congestion = {law}")));
            println!("{law}: {found:.3?}, {:.3} used", r.links[0].utilisation);
            assert!((found[0] - 1.0).abs() < 0.02, "{found:?}");
        }
    }

    /// Estimates and goodputs of flows that share the link, as shares of its rate.
    fn shared(law: &str, flows: u32, pacing: &str) -> Vec<(f64, f64)> {
        let tcp = format!("congestion = {law}, pacing = \"{pacing}\"");
        let (r, found) = estimates(&scenario("", 140, flows, &tcp));
        let own = r.flows.iter().map(|f| f.goodput_bps / PAYLOAD);
        let both: Vec<(f64, f64)> = found.into_iter().zip(own).collect();
        println!("{law}, {flows} flows, paced by {pacing}: {both:.3?}");
        both
    }

    /// If the packets of the flows interleave, as with pacing, each estimate is the flow's share.
    #[test]
    fn converges_to_the_fair_share() {
        for law in ["\"westwood\"", PLUS[0], PLUS[1]] {
            for flows in [2, 4] {
                let both = shared(law, flows, "cwnd");
                let mean = both.iter().map(|b| b.0).sum::<f64>() / f64::from(flows);
                assert!((mean * f64::from(flows) - 1.0).abs() < 0.06, "{mean}");
                assert!(both.iter().all(|(bwe, own)| (bwe / own - 1.0).abs() < 0.06), "{both:?}");
            }
        }
    }

    /// If the windows of the flows alternate, the ACKs of a flow with the share f of the link come at the link's
    /// rate C for the share f of the time, and then pause during the windows of the others. The trapezoid over
    /// the pause begins at C and ends near 0, so the original's filter gives f + (1 - f)/2 = (1 + f)/2 of C.
    /// Westwood+ gives the share.
    #[test]
    fn alternating_windows_mislead_the_original() {
        for flows in [2, 4] {
            let original = shared("\"westwood\"", flows, "law");
            let off = |(bwe, own): &(f64, f64)| bwe / f64::midpoint(1.0, *own) - 1.0;
            assert!(original.iter().all(|both| off(both).abs() < 0.03), "{original:?}");
            // Far from the share itself.
            assert!(original.iter().all(|(bwe, own)| bwe / own > 1.3), "{original:?}");
            for plus in PLUS {
                let both = shared(plus, flows, "law");
                assert!(both.iter().all(|(bwe, own)| (bwe / own - 1.0).abs() < 0.1), "{both:?}");
            }
        }
    }

    /// Data in the reverse direction delay ACKs in the queue and compress them into bursts.
    #[test]
    fn compressed_acks_inflate_the_original_only() {
        let both = |law: &str| {
            let back = "[[flows]]\nfrom = \"b\"\nto = \"a\"\n";
            let text = scenario("", 80, 1, &format!("congestion = {law}")) + back;
            let (r, found) = estimates(&text);
            let own = r.flows[0].goodput_bps / PAYLOAD;
            println!("{law} against data the other way: {:.3} of {own:.3}", found[0]);
            (found[0], own)
        };
        let (bwe, own) = both("\"westwood\"");
        assert!(bwe > 1.3 && bwe > 1.5 * own, "more than the link has: {bwe} of {own}");
        for plus in PLUS {
            let (bwe, own) = both(plus);
            assert!((bwe / own - 1.0).abs() < 0.02, "{bwe} of {own}");
        }
    }
}

mod jersey {
    use super::*;

    const QUEUE: &str = "queue = { kind = \"jersey\" }";

    fn run(link: &str, flows: u32, congestion: &str) -> (Replication, Vec<SenderRecord>) {
        let tcp = format!("congestion = {congestion}, ecn = true");
        let (r, told) = recorded(&scenario(link, 120, flows, &tcp));
        let l = &r.links[0];
        println!(
            "{congestion}, {flows} flows: {:.1} queued, {:.3} used, {} of {} marked",
            l.mean_queue_packets, l.utilisation, l.marked_packets, l.sent_packets
        );
        (r, told)
    }

    #[test]
    fn the_estimate_is_the_links_rate_and_marks_control_the_queue() {
        let (r, told) = run(QUEUE, 1, "\"jersey\"");
        let link = &r.links[0];
        // The estimate is constant since before the end of the warm-up.
        let (at, estimate) = *told[0].bandwidth.last().unwrap();
        assert!((estimate / PAYLOAD - 1.0).abs() < 0.001, "{estimate}");
        assert!(at < Nanos::ZERO + Span::from_secs(20), "{at:?}");
        // Above the threshold of 25 packets the window stops growing; below it the window grows.
        assert!((23.0..28.0).contains(&link.mean_queue_packets), "{}", link.mean_queue_packets);
        assert!(link.utilisation > 0.99 && link.marked_packets > 0);
        assert_eq!((r.flows[0].retransmissions, r.flows[0].timeouts), (0, 0));
    }

    /// A window from the smoothed round-trip time equals the data in flight, so marks only hold the queue. A
    /// window from the minimum round-trip time drains it.
    #[test]
    fn the_smallest_round_trip_time_drains_the_queue() {
        for flows in [1, 2, 4] {
            let mean = |congestion: &str| {
                let (r, _) = run(QUEUE, flows, congestion);
                assert!(r.links[0].utilisation > 0.98);
                assert_eq!(r.flows.iter().map(|f| f.retransmissions).sum::<u64>(), 0);
                r.links[0].mean_queue_packets
            };
            let smoothed = mean("\"jersey\"");
            let smallest = mean("{ law = \"jersey\", window_rtt = \"smallest\" }");
            assert!(smallest < 0.7 * smoothed && smoothed < 60.0, "{smallest} {smoothed}");
        }
    }

    /// A window of 40 segments never queues on a path of 67 segments.
    #[test]
    fn random_loss_without_congestion_leaves_the_window() {
        let link = "loss = { model = \"bernoulli\", probability = 0.002 }\n\
                    queue = { kind = \"jersey\" }";
        let (r, told) = run(link, 1, "\"jersey\", max_window = 40");
        let flow = &r.flows[0];
        assert!(flow.fast_retransmits > 50 && flow.timeouts == 0, "{}", flow.fast_retransmits);
        let full = told[0].windows.iter().position(|w| *w == 40 * 1460).unwrap();
        assert_eq!(told[0].windows.len(), full + 1, "no change after it was reached");
        let (reno, _) = run(link, 1, "\"reno\", max_window = 40");
        let ratio = flow.goodput_bps / reno.flows[0].goodput_bps;
        assert!(ratio > 1.1, "{ratio}");
    }

    #[test]
    fn carries_the_link_at_one_percent_loss() {
        let link = "loss = { model = \"bernoulli\", probability = 0.01 }\n\
                    queue = { kind = \"jersey\" }";
        let share = |law: &str| {
            let (r, _) = run(link, 1, law);
            r.flows[0].goodput_bps / PAYLOAD
        };
        let (jersey, reno) = (share("\"jersey\""), share("\"reno\""));
        assert!(jersey > 0.9 && reno < 0.2, "{jersey} {reno}");
    }

    /// Without marks it fills the queue until it overflows.
    #[test]
    fn without_marks_it_knows_no_congestion() {
        let retransmitted = |link: &str| {
            let (r, _) = run(link, 4, "\"jersey\"");
            let sum = |f: fn(&FlowResult) -> u64| r.flows.iter().map(f).sum::<u64>() as f64;
            println!("{} timeouts", sum(|f| f.timeouts));
            sum(|f| f.retransmissions) / sum(|f| f.segments_sent)
        };
        let (blind, warned) = (retransmitted(""), retransmitted(QUEUE));
        println!("{blind:.3} and {warned:.3} of the segments sent again");
        assert!(blind > 0.02 && warned == 0.0);
    }
}
