//! Corruption notices, and senders that do not reduce their window for corruption.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod common;

use airtcp_sim::results::FlowResult;
use common::run_first;

fn scenario(loss: &str, queue: u32, tcp: &str) -> String {
    format!(
        "seed = 3\nduration = \"60 s\"\n[[links]]\nname = \"air\"\nfrom = \"a\"\nto = \"b\"\n\
         rate = \"10 Mb/s\"\ndelay = \"20 ms\"\nqueue = {{ kind = \"drop-tail\", packets = {queue} }}\n\
         {loss}\n[[flows]]\nfrom = \"a\"\nto = \"b\"\ntcp = {{ {tcp} }}\n"
    )
}

fn flow(loss: &str, queue: u32, tcp: &str) -> FlowResult {
    run_first(&scenario(loss, queue, tcp)).flows.remove(0)
}

const LOSS: &str = "loss = { model = \"bernoulli\", probability = 0.05 }";
const ORACLE: &str = "loss_notification = \"oracle\"";

/// With a window below the queue limit, all losses are corruption. They cost only their own packets: 95 % of
/// the link is left for new data.
#[test]
fn corruption_alone_costs_only_its_packets() {
    // Without SACK, the window also counts segments that duplicate ACKs show to have arrived.
    for (recovery, share) in [("newreno", 0.8), ("sack", 0.95)] {
        let tcp = format!("recovery = \"{recovery}\", max_window = 60");
        let without = flow(LOSS, 100, &tcp);
        let with = flow(LOSS, 100, &format!("{tcp}, {ORACLE}"));
        assert_eq!((with.fast_retransmits, with.timeouts), (0, 0), "{recovery}");
        assert!(with.retransmissions > 1000, "{recovery}");
        let ratio = with.retransmission_ratio;
        assert!((ratio - 0.05).abs() < 0.01, "{recovery}: {ratio}");
        // 10 Mb/s minus headers (1460 of 1500) and retransmissions.
        let most = 10e6 * 1460.0 / 1500.0 * 0.95;
        assert!(with.goodput_bps > share * most, "{recovery}: {}", with.goodput_bps);
        assert!(without.goodput_bps < 0.2 * most, "{recovery}: {}", without.goodput_bps);
    }
}

/// Queue drops give no notices: without corruption the oracle changes no packet.
#[test]
fn queue_drops_give_no_notices() {
    for recovery in ["newreno", "sack"] {
        let tcp = format!("recovery = \"{recovery}\"");
        let (plain, oracle) = (
            run_first(&scenario("", 20, &tcp)),
            run_first(&scenario("", 20, &format!("{tcp}, {ORACLE}"))),
        );
        assert!(plain.flows[0].fast_retransmits > 0);
        assert_eq!(plain.fingerprint, oracle.fingerprint, "{recovery}");
    }
}

/// With both kinds of loss, fast retransmits answer queue drops only.
#[test]
fn queue_drops_are_answered_by_fast_retransmits() {
    let tcp = format!("recovery = \"sack\", {ORACLE}");
    let (lossy, clean) = (flow(LOSS, 20, &tcp), flow("", 20, &tcp));
    assert!(clean.fast_retransmits > 5, "{}", clean.fast_retransmits);
    let reductions = lossy.fast_retransmits + lossy.timeouts;
    assert!(reductions > clean.fast_retransmits / 2, "{reductions} {}", clean.fast_retransmits);
    // At 5 % loss an ordinary sender reduces its window about every 20 packets.
    assert!(reductions < lossy.retransmissions / 10, "{reductions} {}", lossy.retransmissions);
    assert!(lossy.goodput_bps > 0.6 * clean.goodput_bps);
}

/// A notice that arrives after the duplicate ACKs does not help.
#[test]
fn late_notices_help_little() {
    let at = |delay: &str| {
        let tcp = format!("max_window = 60, {ORACLE}, loss_notification_delay = \"{delay}\"");
        flow(LOSS, 100, &tcp)
    };
    let (soon, late) = (at("20 ms"), at("2 s"));
    assert!(late.fast_retransmits > 100 && soon.fast_retransmits < 5);
    assert!(soon.goodput_bps > 3.0 * late.goodput_bps);
}
