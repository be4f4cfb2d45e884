//! Every quantity stays in its range over random scenarios: shares between 0 and 1, no negative counts, no
//! goodput above the link's rate.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use crate::common::run_with;
use airtcp_sim::results::{Replication, RunResult};
use proptest::prelude::*;
use serde_json::Value;

/// Keys of shares, which are at most 1.
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
/// Keys of quantities that may be negative: positions, levels in dB.
const SIGNED: [&str; 5] = ["x_m", "y_m", "signal_dbm", "snr_db", "center"];

/// Walks through a document and checks each number by its key.
fn check(key: &str, value: &Value, place: &str) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                // An estimate's mean has the range of its quantity.
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

/// Data delivered in order in the measured time may have arrived earlier: up to the receivers' buffers.
fn within_capacity(r: &Replication, rate_bps: f64, measured_s: f64, held_bytes: f64) {
    let carried = rate_bps + held_bytes * 8.0 / measured_s;
    assert!(r.total_goodput_bps <= carried, "{} over {rate_bps}", r.total_goodput_bps);
    for link in &r.links {
        // A packet in transmission at the end of the warm-up is delivered after it.
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

/// Three messages, then a FIN without data that is lost three times: no data are retransmitted.
#[test]
fn a_retransmitted_fin_is_not_data() {
    let text = "duration = \"30 s\"\n[[links]]\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mb/s\"\ndelay = \"10 ms\"\n\
                loss = { model = \"script\", drop = [\"6-8\"] }\n\
                [[flows]]\nfrom = \"a\"\nto = \"b\"\n\
                app = { kind = \"constant-rate\", rate = \"8 kb/s\", message = \"100 B\", stop = \"250 ms\" }\n";
    let result = run_with(text, 1);
    let flow = &result.replications[0].flows[0];
    assert!(flow.timeouts > 0, "the FIN was lost and repeated");
    assert_eq!((flow.retransmissions, flow.retransmission_ratio), (0, 0.0));
}

/// Without observed losses, a link with a loss model has an interval above 0; a link without one has not.
#[test]
fn zero_observed_losses_have_an_interval() {
    let run = |loss: &str, transport: &str| {
        let text = format!(
            "duration = \"2 s\"\nreplications = 3\n[[links]]\nfrom = \"a\"\nto = \"b\"\n\
             rate = \"1 Mb/s\"\ndelay = \"1 ms\"\nloss = {loss}\n\
             [[flows]]\nfrom = \"a\"\nto = \"b\"\n{transport}"
        );
        run_with(&text, 1)
    };
    let bernoulli = |p: f64| format!("{{ model = \"bernoulli\", probability = {p} }}");
    let ends = |result: &RunResult, link: usize, key: &str| {
        let estimate = &result.summary.links[link].quantities[key];
        assert_eq!(estimate.mean, Some(0.0), "{key}");
        [estimate.ci_low.unwrap(), estimate.ci_high.unwrap()]
    };
    let udp = "transport = \"udp\"\napp = { kind = \"constant-rate\", rate = \"100 kb/s\" }";
    let result = run(&bernoulli(1e-9), udp);
    let sent: u64 = result.replications.iter().map(|r| r.links[0].sent_packets).sum();
    let [low, high] = ends(&result, 0, "loss_rate");
    // Garwood: no event in all lies below 3.6889.
    assert!(low == 0.0 && (high * sent as f64 - 3.6889).abs() < 1e-3, "{low} {high} {sent}");
    // UDP has no retransmissions and no timeouts.
    let flow = &result.summary.flows[0].quantities;
    for key in ["retransmission_ratio", "retransmissions", "timeouts", "fast_retransmits"] {
        assert_eq!(flow[key].ci_high, Some(0.0), "{key}");
    }
    assert!(flow["datagrams_lost"].ci_high > Some(0.0));

    for lossless in [bernoulli(0.0), "{ model = \"none\" }".to_owned()] {
        let result = run(&lossless, udp);
        let [low, high] = ends(&result, 0, "loss_rate");
        assert!(low == 0.0 && high == 0.0, "{lossless}: {low} {high}");
    }
    let tcp = run(&bernoulli(1e-9), "tcp = { max_window = 4 }");
    assert_eq!(tcp.summary.flows[0].quantities["datagrams_lost"].ci_high, Some(0.0));
    assert!(tcp.summary.flows[0].quantities["retransmission_ratio"].ci_high > Some(0.0));

    // With a link protocol, both units and frames may be lost.
    let text = format!("{}\nprotocol = {{ kind = \"ll-arq\" }}", bernoulli(1e-9));
    let result = run(&text, udp);
    let links = &result.replications[0].links;
    let units: u64 = links.iter().filter_map(|l| Some(l.protocol.as_ref()?.units)).sum();
    assert!(units > 0, "{links:?}");
    let [_, of_frames] = ends(&result, 0, "loss_rate");
    let [_, of_units] = ends(&result, 0, "unit_loss_rate");
    assert!(of_frames >= of_units && of_units > 0.0, "{of_frames} {of_units}");

    // If all are lost, the lower end is as far below 1.
    let result = run(&bernoulli(1.0), udp);
    let all = &result.summary.links[0].quantities["loss_rate"];
    assert!(all.mean == Some(1.0) && all.ci_low < Some(1.0) && all.ci_high == Some(1.0), "{all:?}");
}
