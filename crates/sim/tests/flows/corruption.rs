//! Notices of corrupted packets from links and of frames given up in cells, and senders that do not reduce
//! their window for them.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use crate::common::run_first;
use airtcp_sim::results::{FlowResult, Replication};

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

/// A cell with one station, which loses 5 % of its data frames, and a wired server.
fn cell(from: &str, to: &str, losses: &str, tcp: &str) -> Replication {
    run_first(&format!(
        "seed = 4\nduration = \"20 s\"\nwarmup = \"2 s\"\n\
         [[links]]\nfrom = \"ap\"\nto = \"server\"\nrate = \"100 Mb/s\"\ndelay = \"20 ms\"\n\
         queue = {{ kind = \"drop-tail\", packets = 1000 }}\n\
         [[cells]]\nlayout = {{ kind = \"star\", stations = 1 }}\nrate = \"24 Mb/s\"\n{losses}\n\
         [[flows]]\nfrom = \"{from}\"\nto = \"{to}\"\ntcp = {{ max_window = 60, {tcp} }}\n"
    ))
}

const ONE_ATTEMPT: &str = "residual_error = \"5 %\"\nmac.attempts = 1";

/// The station reports each frame that it gave up. An upload that loses 5 % of its frames on the air, and
/// more to collisions with TCP ACKs, repairs each of them once and never reduces its window.
#[test]
fn an_upload_recovers_from_frames_given_up() {
    for recovery in ["newreno", "sack"] {
        let tcp = format!("recovery = \"{recovery}\"");
        let without = cell("sta0", "server", ONE_ATTEMPT, &tcp);
        let with = cell("sta0", "server", ONE_ATTEMPT, &format!("{tcp}, {ORACLE}"));
        let flow = &with.flows[0];
        assert_eq!((flow.fast_retransmits, flow.timeouts), (0, 0), "{recovery}");
        // Only frames that were given up are repaired, but for those at the edges of the measured time.
        let drops = with.cells[0].stations[1].retry_drops;
        assert!(drops > 500 && drops.abs_diff(flow.retransmissions) <= 2, "{drops} {flow:?}");
        // 60 packets per round trip of at least 40 ms, at least 5 % of them lost.
        let most = 60.0 * 1460.0 * 8.0 / 0.04 * 0.95;
        let (goodput, plain) = (flow.goodput_bps, without.flows[0].goodput_bps);
        assert!(goodput > 0.75 * most && goodput <= most, "{recovery}: {goodput}");
        assert!(plain < 0.3 * goodput, "{recovery}: {plain} {goodput}");
    }
}

/// A sender behind the access point gets its notices after its delay, a sender on the station at once.
#[test]
fn notices_take_their_delay_from_the_access_point_only() {
    let of = |from: &str, to: &str, delay: &str| {
        let tcp = format!("recovery = \"sack\", {ORACLE}, loss_notification_delay = \"{delay}\"");
        cell(from, to, ONE_ATTEMPT, &tcp)
    };
    let down = |delay: &str| of("server", "sta0", delay).flows.remove(0);
    let (soon, late) = (down("20 ms"), down("2 s"));
    assert_eq!((soon.fast_retransmits, soon.timeouts), (0, 0));
    assert!(late.fast_retransmits + late.timeouts > 10, "{late:?}");
    assert!(soon.goodput_bps > 3.0 * late.goodput_bps, "{soon:?} {late:?}");
    let (now, never_late) = (of("sta0", "server", "0 s"), of("sta0", "server", "2 s"));
    assert_eq!(now.fingerprint, never_late.fingerprint);
}

/// Without a frame given up, a sender that asks for notices sends the same packets. So does one
/// behind an access point that splits its connection: the frames given up are not its own.
#[test]
fn notices_of_no_frame_change_nothing() {
    let split = format!("{ONE_ATTEMPT}\nschemes = [{{ scheme = \"split-tcp\" }}]");
    for (from, to, keys) in [("sta0", "server", ""), ("server", "sta0", split.as_str())] {
        let (plain, asks) = (cell(from, to, keys, ""), cell(from, to, keys, ORACLE));
        assert_eq!(plain.fingerprint, asks.fingerprint, "{from}");
        let given_up: u64 = plain.cells[0].stations.iter().map(|s| s.retry_drops).sum();
        assert_eq!(given_up > 0, !keys.is_empty(), "{from}: {given_up}");
    }
}
