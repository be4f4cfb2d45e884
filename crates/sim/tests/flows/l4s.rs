//! Prague and classic flows over `DualPI2`: equal rates by the coupling, and a short queue for the scalable flow (RFC 9332).
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may fail, and prints its measurements"
)]

use crate::common::run_first;
use airtcp_sim::results::Replication;

const L4S: &str = "congestion = \"prague\", ecn = true, accecn = true, ect = \"ect1\"";
/// Round-trip time without queues.
const BASE_S: f64 = 0.020;

/// 40 Mb/s and 20 ms, 60 s after 20 s: flows with these keys.
fn run(queue: &str, flows: &[&str]) -> Replication {
    let mut text = format!(
        "duration = \"80 s\"\nwarmup = \"20 s\"\n[[links]]\nfrom = \"a\"\nto = \"b\"\nrate = \"40 Mb/s\"\n\
         delay = \"10 ms\"\nqueue = {{ {queue} }}\n"
    );
    for tcp in flows {
        text += "[[flows]]\nfrom = \"a\"\nto = \"b\"\n";
        text += &["tcp = { profile = \"linux\", ", tcp, " }\n"].concat();
    }
    run_first(&text)
}

/// Mean wait of the packets of a flow in the queue.
fn wait(r: &Replication, flow: usize) -> f64 {
    r.flows[flow].rtt_mean_s.unwrap() - BASE_S
}

/// RFC 9332 section 2.1: a Scalable flow runs at roughly the rate of a Reno flow. Sections 1 and A: waits of about 1 ms and
/// of 15 ms.
#[test]
fn a_scalable_and_a_classic_flow_share_a_link() {
    for classic in [
        "congestion = \"reno\", ecn = true",
        "congestion = \"cubic\", ecn = true",
        "congestion = \"reno\"",
        "congestion = \"cubic\"",
    ] {
        let r = run("kind = \"dualpi2\"", &[classic, L4S]);
        let rate = |flow: usize| r.flows[flow].goodput_bps / 1e6;
        let (c, l) = (rate(0), rate(1));
        let waits = (1e3 * wait(&r, 0), 1e3 * wait(&r, 1));
        println!("{classic}: {c:.1} and {l:.1} Mb/s, {:.1} and {:.2} ms", waits.0, waits.1);
        println!("{:?}", r.flows[1]);
        assert!((0.6..=2.2).contains(&(l / c)), "{classic}: {l:.1} beside {c:.1} Mb/s");
        assert!(r.links[0].utilisation > 0.95);
        assert!((8.0..=20.0).contains(&waits.0), "{classic}: {waits:?}");
        assert!((0.1..=1.5).contains(&waits.1), "{classic}: {waits:?}");
    }
}

/// Alone, Prague fills the link with a wait of about the threshold, and nothing is lost.
#[test]
fn a_scalable_flow_alone() {
    for queue in ["kind = \"dualpi2\"", "kind = \"dualpi2\", ramp_start = \"1 ms\", ramp = \"0 s\""]
    {
        let r = run(queue, &[L4S]);
        let flow = &r.flows[0];
        println!("{queue}: {} {:?}", r.links[0].utilisation, flow);
        assert!(r.links[0].utilisation > 0.95, "{queue}: {}", r.links[0].utilisation);
        assert!(wait(&r, 0) < 0.0015, "{queue}: {}", wait(&r, 0));
        assert_eq!(flow.retransmissions, 0);
    }
}

/// What the sender is told with a peer that has only RFC 3168: Prague is Reno there.
#[test]
fn without_accurate_feedback_it_shares_as_reno() {
    let fallback = "congestion = \"prague\", ecn = true";
    let r = run("kind = \"dualpi2\"", &["congestion = \"reno\", ecn = true", fallback]);
    let ratio = r.flows[1].goodput_bps / r.flows[0].goodput_bps;
    println!("{ratio}");
    assert!((0.7..=1.4).contains(&ratio), "{ratio}");
}
