//! LT-TCP over whole links: goodput, overhead and sharing.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use crate::common::{run_first as run, run_with};
use airtcp_sim::results::Replication;

/// A link with this rate and one-way delay, and further `keys` of its forward direction.
fn path(rate_mbps: u32, delay_ms: u32, keys: &str) -> String {
    format!(
        r#"
[[links]]
from = "a"
to = "b"
[links.forward]
rate = "{rate_mbps} Mb/s"
delay = "{delay_ms} ms"
{keys}
"#
    )
}

fn link(transport: &str, loss: f64, rtt_ms: u32, seed: u64, more: &str) -> String {
    let loss = format!("loss = {{ model = \"bernoulli\", probability = {loss} }}");
    let link = path(10, rtt_ms / 2, &format!("queue = {RED}\n{loss}"));
    format!(
        r#"
seed = {seed}
duration = "100 s"
{link}
[[flows]]
from = "a"
to = "b"
transport = "{transport}"
{more}
"#
    )
}

fn goodput(r: &Replication) -> f64 {
    assert!(r.conservation.ok);
    r.flows[0].goodput_bps
}

/// S0 Table IV: without losses LT-TCP costs little (4.43 instead of 4.64 Mb/s there).
#[test]
fn a_run_without_losses_is_within_6_percent_of_sack() {
    for rtt in [10, 80, 200] {
        let lt = run(&link("lt-tcp", 0.0, rtt, 1, ""));
        let sack = run(&link("tcp", 0.0, rtt, 1, "tcp = { ecn = true }"));
        let ratio = goodput(&lt) / goodput(&sack);
        assert!((0.94..1.06).contains(&ratio), "{rtt} ms: {ratio}");
        assert_eq!(lt.flows[0].timeouts, 0);
        let coding = lt.flows[0].coding.unwrap();
        // Slow start overflows the queue once, and parity repairs these losses.
        assert!(coding.pfec_bps < 0.005 * coding.data_bps, "{rtt} ms: {}", coding.pfec_bps);
    }
}

/// S0 figure 3: goodput declines gradually, and never exceeds the share of the link that erasures leave.
#[test]
fn goodput_declines_with_losses_and_parts_add_up() {
    for rtt in [10, 80, 200] {
        let mut last = f64::INFINITY;
        for tenths in 0..=5 {
            let p = f64::from(tenths) / 10.0;
            // At 50 % loss, three runs in a hundred have consecutive timeouts, so the test averages several runs.
            let runs = if tenths == 5 { 4 } else { 1 };
            let text = format!("replications = {runs}\n{}", link("lt-tcp", p, rtt, 1, ""));
            let all = run_with(&text, 2).replications;
            let flow = &all[0].flows[0];
            let goodput = all.iter().map(goodput).sum::<f64>() / f64::from(runs);
            assert!(goodput < last, "{rtt} ms, {p}: {goodput} after {last}");
            assert!(goodput <= 10e6 * (1.0 - p), "{rtt} ms, {p}: {goodput}");
            assert!(goodput >= 2e6, "{rtt} ms, {p}: {goodput}");
            last = goodput;
            let c = flow.coding.unwrap();
            let parts = c.data_bps + c.pfec_bps + c.rfec_bps + c.resent_bps;
            assert!((parts / flow.throughput_bps - 1.0).abs() < 1e-9);
            assert!(flow.goodput_bps <= c.data_bps && flow.goodput_bps > 0.97 * c.data_bps);
            // The estimate follows the loss rate of the link, whatever the header sizes.
            assert!((c.loss_estimate - p).abs() < 0.15, "{p}: {}", c.loss_estimate);
        }
    }
}

/// Two flows over one bottleneck of 10 Mb/s with a round-trip time of 80 ms.
fn two(queue: &str, loss: f64, first: &str, second: &str) -> [f64; 2] {
    let r = run(&format!(
        r#"
seed = 3
duration = "200 s"
warmup = "20 s"
[topology]
kind = "dumbbell"
pairs = 2
bottleneck = {{ rate = "10 Mb/s", delay = "39 ms", queue = {queue}, loss = {{ model = "bernoulli", probability = {loss} }} }}
access_delays = ["0 ms"]
[[flows]]
from = "s0"
to = "r0"
{first}
[[flows]]
from = "s1"
to = "r1"
{second}
"#
    ));
    assert!(r.conservation.ok);
    [0, 1].map(|i| r.flows[i].goodput_bps / 1e6)
}

const RED: &str = r#"{ kind = "red", limit = 100, min = 25.0, max = 90.0, ecn = true }"#;
const TAIL: &str = r#"{ kind = "drop-tail", packets = 100 }"#;
const LT: &str = "transport = \"lt-tcp\"";

/// LT-TCP responds to marks as its law does, so it shares equally with a TCP of the same law.
#[test]
fn beside_tcp_with_marking_queues() {
    let cubic = |flow: &str| format!("{flow}\ntcp = {{ congestion = \"cubic\", ecn = true }}");
    for (name, first, second) in [
        ("SACK", LT.to_owned(), "tcp = { ecn = true }".to_owned()),
        ("itself", LT.to_owned(), LT.to_owned()),
        ("CUBIC, with its law", cubic(LT), cubic("")),
    ] {
        let [a, b] = two(RED, 0.0, &first, &second);
        assert!((0.7..1.4).contains(&(a / b)), "beside {name}: {a} and {b}");
        assert!(a + b > 9.0, "beside {name}: {a} and {b}");
    }
}

/// Without marks, with ECN negotiated or not, LT-TCP responds to losses of a standing queue, so that no flow
/// starves.
#[test]
fn beside_tcp_with_queues_that_only_drop() {
    let off = format!("{LT}\nlt = {{ ecn = false }}");
    for lt in [LT, &off] {
        let [a, b] = two(TAIL, 0.0, lt, "");
        assert!((0.6..1.7).contains(&(a / b)), "beside SACK: {a} and {b}");
        let [a, b] = two(TAIL, 0.0, lt, "tcp = { congestion = \"cubic\" }");
        assert!(b > 0.4 * (a + b) && a > 0.1 * (a + b), "beside CUBIC: {a} and {b}");
    }
    // The papers' rules would take the whole link.
    let blind = format!("{LT}\nlt = {{ ecn = false, without_ecn = \"nothing\" }}");
    let [a, b] = two(TAIL, 0.0, &blind, "");
    assert!(a > 5.0 * b, "blind to losses: {a} and {b}");
}

/// Total throughput and goodput of `count` flows in Mb/s, and Jain's index.
fn many(count: u32, (rate, delay, packets): (u32, u32, u32), more: &str, seed: u32) -> [f64; 3] {
    let queue = format!("queue = {{ kind = \"drop-tail\", packets = {packets} }}");
    let link = path(rate, delay, &queue);
    let r = run(&format!(
        r#"
seed = {seed}
duration = "40 s"
warmup = "10 s"
{link}
[[flows]]
from = "a"
to = "b"
count = {count}
start_spread = "5 s"
{more}
"#
    ));
    let all: Vec<f64> = r.flows.iter().map(|f| f.goodput_bps / 1e6).collect();
    let (sum, squares) = (all.iter().sum::<f64>(), all.iter().map(|x| x * x).sum::<f64>());
    let sent = r.flows.iter().map(|f| f.throughput_bps / 1e6).sum();
    [sent, sum, sum * sum / (f64::from(count) * squares)]
}

/// Queues that do not mark, with ECN negotiated: flows that start with a standing queue, and queues too short
/// for a measurable delay. Means of four runs.
#[test]
fn many_flows_and_short_queues_are_not_flooded() {
    // Flows, queue limit in packets, maximum throughput, minimum goodput, minimum Jain's index.
    for (flows, packets, most, least, fair) in [
        (5, 20, 10.5, 9.2, 0.95),
        (20, 100, 10.5, 9.0, 0.85),
        (20, 20, 12.0, 7.3, 0.55),
        (40, 100, 14.5, 7.3, 0.4),
    ] {
        let runs = [1, 2, 3, 4].map(|seed| many(flows, (10, 40, packets), LT, seed));
        let [sent, sum, jain] = [0, 1, 2].map(|k| runs.iter().map(|r| r[k]).sum::<f64>() / 4.0);
        let case = format!("{flows} on {packets}: {sent}, {sum}, {jain}");
        assert!(sent < most && sum > least && jain > fair, "{case}");
    }
    for link in [(10, 40, 5), (100, 10, 20)] {
        let [sent, lt, _] = many(1, link, LT, 1);
        let [_, sack, _] = many(1, link, "", 1);
        assert!(sent < 1.1 * f64::from(link.0), "{link:?}: sends {sent}");
        assert!(lt > 0.9 * sack, "{link:?}: {lt} and {sack}");
    }
}

/// One flow on a queue of a few packets: the queue drops bursts of slow start at any window. This is not the
/// path's own loss.
#[test]
fn alone_on_a_few_packets() {
    for (delay, packets, least) in [
        (1, 1, 4.0),
        (1, 2, 6.5),
        (5, 1, 7.0),
        (5, 2, 8.5),
        (5, 5, 9.0),
        (10, 1, 7.2),
        (10, 5, 8.0),
    ] {
        let [sent, got, _] = many(1, (10, delay, packets), LT, 1);
        let case = format!("{} ms, {packets} packets: {sent}, {got}", 2 * delay);
        assert!(sent < 12.2 && got > least, "{case}");
    }
}

/// The send buffer limits the flow to one buffer per round trip.
#[test]
fn send_buffer() {
    let r = run(&link("lt-tcp", 0.0, 80, 1, "tcp = { send_buffer = \"20 kB\" }"));
    let bound = 20_000.0 * 8.0 / 0.08;
    assert!((0.7 * bound..bound).contains(&goodput(&r)), "{}", goodput(&r));
}

/// If one end does not code, both use plain TCP: all payload is data or retransmissions.
#[test]
fn plain_tcp_sends_data_only() {
    let r = run(&link("lt-tcp", 0.05, 80, 1, "lt = { offer = false }"));
    let coding = r.flows[0].coding.unwrap();
    let sum = coding.data_bps + coding.resent_bps;
    assert!((sum / r.flows[0].throughput_bps - 1.0).abs() < 1e-9, "{coding:?}");
    assert!(coding.resent_bps > 0.02 * coding.data_bps, "{coding:?}");
    assert!(coding.pfec_bps + coding.rfec_bps <= 0.0 && coding.blocks_decoded == 0);
}

/// If both ends offer coding, `mss_max` limits the packets.
#[test]
fn small_segments_over_a_small_mtu() {
    let text = |more: &str| {
        link("lt-tcp", 0.0, 80, 1, more).replace("delay = ", "mtu = \"600 B\"\ndelay = ")
    };
    let carried = goodput(&run(&text("lt = { mss_max = 500 }")));
    assert!(carried > 1e6, "{carried}");
    for (more, said) in [
        ("lt = { mss_max = 561 }", "lt.mss_max = 561 and tcp.mss = 1460; one of them at most 560"),
        ("lt = { mss_max = 500, offer = false }", "with mss = 1460; an mss of at most 560"),
    ] {
        let e = airtcp_scenario::read(&text(more), "test", &[])
            .and_then(|s| s.resolve())
            .map(|plan| airtcp_sim::run(&plan, &crate::common::no_traces, Some(1), |_, _| true));
        let e = e.unwrap().unwrap_err().to_string();
        assert!(e.contains(said), "{more}: {e}");
    }
}

/// Corruption on a path without marks: the flow uses most of the remaining capacity, without a standing
/// queue.
#[test]
fn corruption_without_marks() {
    for more in ["", "lt = { ecn = false }"] {
        let text = link("lt-tcp", 0.1, 80, 1, more).replace("ecn = true", "ecn = false");
        let r = run(&text);
        let goodput = goodput(&r);
        assert!(goodput > 5e6, "{more}: {goodput}");
        assert!(r.links[0].mean_queue_packets < 15.0, "{}", r.links[0].mean_queue_packets);
        assert_eq!(r.flows[0].ecn_reactions, 0);
        assert!(r.flows[0].coding.unwrap().loss_reactions > 5);
    }
}

/// Impossible values are refused at their keys.
#[test]
fn refusals() {
    let refused = |more: &str| {
        let text = link("lt-tcp", 0.0, 10, 1, more);
        let e = airtcp_scenario::read(&text, "test", &[]).and_then(|s| s.resolve()).unwrap_err();
        format!("{e}")
    };
    for (more, said) in [
        ("lt = { mss_min = 0 }", "flows[0].lt"),
        ("lt = { mss_min = 0 }", "would carry nothing"),
        ("lt = { mss_min = 1500 }", "above mss_max"),
        ("lt = { mss_min = 600 }\ntcp = { mss = 536 }", "above tcp.mss, which is 536"),
        ("lt = { block_limit = 255 }", "at most 255 symbols"),
        ("lt = { granulations = 5 }", "granulation"),
        ("tcp = { dup_thresh = 100 }", "up to 64"),
    ] {
        let e = refused(more);
        assert!(e.contains(said), "{more}: {e}");
    }
}

/// Exchanges over coded segments, and a transfer of given size that completes.
#[test]
fn other_applications() {
    let text = link(
        "lt-tcp",
        0.1,
        80,
        1,
        "app = { kind = \"request-response\", request = \"500 B\", response = \"50 kB\", count = 20 }",
    );
    let r = run(&text);
    assert_eq!((r.flows[0].exchanges, r.flows[0].delivered_bytes), (20, 20 * 50_500));
    let r = run(&link("lt-tcp", 0.2, 80, 1, "app = { kind = \"bulk\", size = \"100 kB\" }"));
    assert_eq!(r.flows[0].delivered_bytes, 100_000);
    assert!(r.flows[0].completion_s.unwrap() < 3.0, "{:?}", r.flows[0].completion_s);
}

/// Goodput in Mb/s of one flow over 10 Mb/s with a drop-tail queue of 100 packets and these losses, mean of
/// three runs.
fn alone(rtt_ms: u32, loss: &str, more: &str) -> f64 {
    let link = path(10, rtt_ms / 2, &format!("queue = {TAIL}\nloss = {{ {loss} }}"));
    let text = format!(
        r#"
replications = 3
duration = "60 s"
{link}
[[flows]]
from = "a"
to = "b"
{more}
"#
    );
    run_with(&text, 2).replications.iter().map(goodput).sum::<f64>() / 3e6
}

/// After an outage the sender probes the path and restores the window. Losses of the outage are neither
/// congestion nor samples of the loss rate.
#[test]
fn outages_are_bridged() {
    let cubic = "tcp = { congestion = \"cubic\" }";
    for (rtt, lost, every, least) in [
        (20, "250 ms", "2 s", 6.0),
        (80, "250 ms", "2 s", 5.5),
        (80, "1 s", "10 s", 7.7),
        (80, "2 s", "10 s", 6.2),
        (200, "1 s", "10 s", 6.7),
    ] {
        let loss = format!("model = \"blackout\", period = \"{every}\", duration = \"{lost}\"");
        let [lt, cubic] = [LT, cubic].map(|flow| alone(rtt, &loss, flow));
        let case = format!("{lost} of {every} at {rtt} ms: {lt}, CUBIC {cubic}");
        assert!(lt > least && lt > cubic, "{case}");
    }
}

/// Bursts that lose a part of a window, or a whole small window.
#[test]
fn bursts_of_50_ms() {
    let loss = "model = \"gilbert-elliott\", mean_loss = 0.1, mean_burst = 50.0, \
                slot = \"1 ms\", stepping = \"slot\"";
    let [lt, sack] = [LT, "tcp = { ecn = true }"].map(|flow| alone(80, loss, flow));
    assert!(lt > 2.5 && lt > 5.0 * sack, "{lt}, SACK {sack}");
    // The papers' response to an outage: the timer alone.
    let timer = alone(80, loss, &format!("{LT}\nlt = {{ outages = \"timeout\" }}"));
    assert!(lt > 2.0 * timer, "{lt}, with the timer alone {timer}");
}

/// Reactions to losses until 3 s after an outage of 400 ms that begins at `at`.
fn reactions(rtt_ms: u32, at: f64, [forward, reverse]: [bool; 2]) -> u64 {
    let loss = |lost: bool| {
        let duration = if lost { "400 ms" } else { "1 ns" };
        format!(
            "loss = {{ model = \"blackout\", period = \"99 s\", duration = \"{duration}\", phase = \"{at} s\" }}"
        )
    };
    let r = run(&format!(
        r#"
duration = "{} s"
[[links]]
from = "a"
to = "b"
[links.forward]
rate = "10 Mb/s"
delay = "{} ms"
queue = {{ kind = "drop-tail", packets = 100 }}
{}
[links.reverse]
queue = {{ kind = "drop-tail" }}
{}
[[flows]]
from = "a"
to = "b"
{LT}
"#,
        at + 3.4,
        rtt_ms / 2,
        loss(forward),
        loss(reverse)
    ));
    assert!(r.conservation.ok);
    assert_eq!(r.flows[0].timeouts, 0, "{rtt_ms} ms, {at} s");
    r.flows[0].coding.unwrap().loss_reactions
}

/// An outage does not reduce the window: the sender does not refill the path with a burst that the queue
/// cannot hold, and packets beyond the feedback's bitmap are not counted as lost because feedback was lost.
#[test]
fn an_outage_does_not_reduce_the_window() {
    for (rtt, at) in [(80, 10.0), (80, 20.3), (200, 10.0), (200, 14.1), (200, 20.3)] {
        let without = reactions(rtt, at, [false; 2]);
        for ways in [[true, false], [true; 2]] {
            let with = reactions(rtt, at, ways);
            assert_eq!(with, without, "{rtt} ms, at {at} s, forward and back {ways:?}");
        }
    }
}
