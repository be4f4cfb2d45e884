//! Every reported quantity stays in the range it can have, over scenarios drawn at random: shares
//! between 0 and 1, nothing negative, nothing carried beyond what the link can.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod common;

use airtcp_sim::results::{Replication, RunResult};
use common::run_with;
use proptest::prelude::*;
use serde_json::Value;

/// Keys of quantities that are shares of something: at most 1.
const SHARES: [&str; 10] = [
    "retransmission_ratio",
    "utilisation",
    "loss_rate",
    "jain_index",
    "busy_share",
    "airtime_share",
    "error_rate",
    "residual_loss",
    "loss_event_rate",
    "loss_estimate",
];
/// Keys of quantities that may be negative: places, levels in dB.
const SIGNED: [&str; 5] = ["x_m", "y_m", "signal_dbm", "snr_db", "center"];

/// Walks through a document and checks each number by its key.
fn check(key: &str, value: &Value, place: &str) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                // An estimate's mean is of the quantity that the object is under.
                let of = if name == "mean" { key } else { name };
                if !["ci_low", "ci_high", "scenario"].contains(&name.as_str()) {
                    check(of, value, &format!("{place}.{name}"));
                }
            }
        }
        Value::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                check(key, item, &format!("{place}[{i}]"));
            }
        }
        Value::Number(number) => {
            let number = number.as_f64().unwrap();
            if !SIGNED.contains(&key) {
                assert!(number >= 0.0, "{place} = {number}");
            }
            if SHARES.contains(&key) {
                assert!(number <= 1.0 + 1e-9, "{place} = {number}");
            }
        }
        _ => {}
    }
}

fn check_all(result: &RunResult) {
    check("", &serde_json::to_value(&result.replications).unwrap(), "replications");
    check("", &serde_json::to_value(&result.summary).unwrap(), "summary");
}

/// What is delivered in order while measured may have arrived before: up to the receivers' buffers.
fn within_capacity(r: &Replication, rate_bps: f64, measured_s: f64, held_bytes: f64) {
    let carried = rate_bps + held_bytes * 8.0 / measured_s;
    assert!(r.total_goodput_bps <= carried, "{} over {rate_bps}", r.total_goodput_bps);
    for link in &r.links {
        // The packet that is on the wire at the warm-up is delivered after it.
        assert!(
            link.delivered_bps <= rate_bps + 1500.0 * 8.0 / measured_s,
            "{}",
            link.delivered_bps
        );
        let all = link.delivered_packets as f64;
        assert!(all <= link.sent_packets as f64 + 1.0 + rate_bps * 0.4 / 8.0 / 40.0);
    }
}

fn application() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        Just("app = { kind = \"bulk\" }"),
        Just("app = { kind = \"bulk\", size = \"3 kB\" }"),
        Just("app = { kind = \"bulk\", size = \"200 kB\", start = \"900 ms\" }"),
        Just("app = { kind = \"bulk\", start = \"2900 ms\" }"),
        Just(
            "app = { kind = \"constant-rate\", rate = \"2 Mb/s\", message = \"500 B\" }\ntransport = \"udp\""
        ),
        Just("transport = \"lt-tcp\""),
        Just("transport = \"sliding\""),
        Just("tcp = { congestion = \"cubic\", recovery = \"newreno\" }"),
        Just("tcp = { profile = \"linux\" }\napp = { kind = \"bulk\", size = \"1 B\" }"),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn wired(
        rate in prop_oneof![Just(1.0), Just(4.0), Just(20.0)],
        delay_ms in 1_u32..150,
        packets in 1_u32..60,
        loss in prop_oneof![Just(0.0), Just(0.02), Just(0.3), Just(0.9)],
        warmup in prop_oneof![Just("0 s"), Just("1 s")],
        seed in 0_u64..1000,
        flows in prop::collection::vec(application(), 1..5),
    ) {
        let written: Vec<String> = flows
            .iter()
            .map(|flow| format!("[[flows]]\nfrom = \"a\"\nto = \"b\"\n{flow}\n"))
            .collect();
        let text = format!(
            "duration = \"3 s\"\nwarmup = \"{warmup}\"\nreplications = 2\nseed = {seed}\n\
             [[links]]\nfrom = \"a\"\nto = \"b\"\nrate = \"{rate} Mb/s\"\ndelay = \"{delay_ms} ms\"\n\
             queue = {{ kind = \"drop-tail\", packets = {packets} }}\n\
             loss = {{ model = \"bernoulli\", probability = {loss} }}\n{}",
            written.concat()
        );
        let result = run_with(&text, 1);
        check_all(&result);
        let measured = if warmup == "0 s" { 3.0 } else { 2.0 };
        let held = if warmup == "0 s" { 0.0 } else { 2e6 };
        for replication in &result.replications {
            prop_assert!(replication.conservation.ok);
            within_capacity(replication, rate * 1e6, measured, held);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn cells(
        stations in 1_u32..5,
        radius in prop_oneof![Just(5.0), Just(60.0), Just(400.0)],
        packets in 1_u32..40,
        up in application(),
        down in application(),
        seed in 0_u64..1000,
    ) {
        let text = format!(
            "duration = \"1 s\"\nwarmup = \"200 ms\"\nreplications = 2\nseed = {seed}\n\
             [[cells]]\nlayout = {{ kind = \"star\", stations = {stations}, radius_m = {radius} }}\n\
             queue = {{ kind = \"drop-tail\", packets = {packets} }}\n\
             [[flows]]\ncount = {stations}\nfrom = \"sta*\"\nto = \"ap\"\n{up}\n\
             [[flows]]\nname = \"down\"\nfrom = \"ap\"\nto = \"sta0\"\n{down}\n"
        );
        let result = run_with(&text, 1);
        check_all(&result);
        for replication in &result.replications {
            prop_assert!(replication.conservation.ok);
            // 54 Mb/s is the highest rate of a cell of 802.11a.
            prop_assert!(replication.total_goodput_bps < 54e6);
        }
    }
}

/// Three messages, then a FIN by itself that is lost three times: no data are sent twice.
#[test]
fn a_repeated_fin_is_no_data() {
    let text = "duration = \"30 s\"\n[[links]]\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mb/s\"\ndelay = \"10 ms\"\n\
                loss = { model = \"script\", drop = [\"6-8\"] }\n\
                [[flows]]\nfrom = \"a\"\nto = \"b\"\n\
                app = { kind = \"constant-rate\", rate = \"8 kb/s\", message = \"100 B\", stop = \"250 ms\" }\n";
    let result = run_with(text, 1);
    let flow = &result.replications[0].flows[0];
    assert!(flow.timeouts > 0, "the FIN was lost and repeated");
    assert_eq!((flow.retransmissions, flow.retransmission_ratio), (0, 0.0));
}
