//! Cells of 802.11n, ac and ax: throughput of one station without aggregation, in closed form.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod common;

use airtcp_wifi::phy::{Format, GuardInterval, Mode, Standard, Timing, TimingConfig, Width};
use common::run_first;

/// IP length of the datagrams, and length of their data frame: QoS control, LLC and SNAP.
const PACKET: u32 = 1_500;
const FRAME: u32 = PACKET + 8 + 30;

fn goodput_mbps(keys: &str) -> f64 {
    let text = format!(
        r#"
        duration = "3 s"
        warmup = "1 s"
        [[cells]]
        layout = {{ kind = "star", stations = 1, radius_m = 2 }}
        mac.aggregation.max_mpdus = 1
        {keys}
        [[flows]]
        from = "sta0"
        to = "ap"
        transport = "udp"
        app = {{ kind = "constant-rate", rate = "900 Mb/s", message = "1472 B" }}
    "#
    );
    run_first(&text).flows[0].goodput_bps / 1e6
}

/// A packet takes DIFS, 7.5 slots of back-off, data frame, SIFS and ACK.
#[test]
fn one_saturated_station_is_a_sum_of_times() {
    for (keys, standard, parts) in [
        ("standard = \"802.11n\"\nmcs = 7", Standard::N, (7, 1, Width::Mhz40)),
        (
            "standard = \"802.11ac\"\nmcs = 9\nwidth = \"80 MHz\"\nstreams = 2",
            Standard::Ac,
            (9, 2, Width::Mhz80),
        ),
        (
            "standard = \"802.11ax\"\nmcs = 5\nwidth = \"20 MHz\"",
            Standard::Ax,
            (5, 1, Width::Mhz20),
        ),
    ] {
        let timing = Timing::new(standard, &TimingConfig::default()).unwrap();
        let (index, streams, width) = parts;
        let format = standard.format();
        let guard = if format == Format::He { GuardInterval::Ns800 } else { GuardInterval::Ns400 };
        let mode = Mode::mcs(format, index, streams, width, guard).unwrap();
        let backoff = 7.5 * timing.slot.0 as f64;
        let air = timing.difs() + timing.frame(mode, FRAME) + timing.sifs + timing.ack(mode);
        let expected = 1_472.0 * 8e3 / (air.0 as f64 + backoff);
        let found = goodput_mbps(keys);
        assert!((found / expected - 1.0).abs() < 0.01, "{standard}: {found} {expected}");
    }
}
