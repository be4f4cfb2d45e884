//! LT-TCP over whole links: what it carries, what it costs, and how it shares.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod common;

use airtcp_sim::results::Replication;
use common::run_first as run;

fn link(transport: &str, loss: f64, rtt_ms: u32, seed: u64, more: &str) -> String {
    format!(
        r#"
seed = {seed}
duration = "100 s"
[[links]]
from = "a"
to = "b"
[links.forward]
rate = "10 Mb/s"
delay = "{} ms"
queue = {{ kind = "red", limit = 100, min = 25.0, max = 90.0, ecn = true }}
loss = {{ model = "bernoulli", probability = {loss} }}
[[flows]]
from = "a"
to = "b"
transport = "{transport}"
{more}
"#,
        rtt_ms / 2
    )
}

fn goodput(r: &Replication) -> f64 {
    assert!(r.conservation.ok);
    r.flows[0].goodput_bps
}

/// S0 Table IV: without losses LT-TCP costs little, 4.43 of 4.64 Mb/s there.
#[test]
fn a_run_without_losses_is_within_5_percent_of_sack() {
    for rtt in [10, 80, 200] {
        let lt = run(&link("lt-tcp", 0.0, rtt, 1, ""));
        let sack = run(&link("tcp", 0.0, rtt, 1, "tcp = { ecn = true }"));
        let ratio = goodput(&lt) / goodput(&sack);
        assert!((0.95..1.05).contains(&ratio), "{rtt} ms: {ratio}");
        assert_eq!(lt.flows[0].timeouts, 0);
        let coding = lt.flows[0].coding.unwrap();
        // Slow start overflows the queue once; parity answers that alone.
        assert!(coding.pfec_bps < 0.005 * coding.data_bps, "{rtt} ms: {}", coding.pfec_bps);
    }
}

/// S0 figure 3: graceful decline, and never above what erasures leave of the link.
#[test]
fn goodput_declines_with_losses_and_parts_add_up() {
    for rtt in [10, 80, 200] {
        let mut last = f64::INFINITY;
        for tenths in 0..=5 {
            let p = f64::from(tenths) / 10.0;
            let r = run(&link("lt-tcp", p, rtt, 1, ""));
            let flow = &r.flows[0];
            let goodput = goodput(&r);
            assert!(goodput < last, "{rtt} ms, {p}: {goodput} after {last}");
            assert!(goodput <= 10e6 * (1.0 - p), "{rtt} ms, {p}: {goodput}");
            assert!(goodput >= 2.5e6, "{rtt} ms, {p}: {goodput}");
            last = goodput;
            let c = flow.coding.unwrap();
            let parts = c.data_bps + c.pfec_bps + c.rfec_bps + c.resent_bps;
            assert!((parts / flow.throughput_bps - 1.0).abs() < 1e-9);
            assert!(goodput <= c.data_bps && goodput > 0.97 * c.data_bps);
            // The estimate follows the loss rate of the link, header sizes notwithstanding.
            assert!((c.loss_estimate - p).abs() < 0.15, "{p}: {}", c.loss_estimate);
        }
    }
}
