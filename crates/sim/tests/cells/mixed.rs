//! An 802.11b station in an 802.11g cell: throughput against a closed form, defaults and refusals.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may fail, and shows what it measured"
)]

use crate::common::run_first;
use airtcp_scenario::read;
use airtcp_sim::results::Replication;
use airtcp_units::detmath::pow;

const PAYLOAD: f64 = 1472.0;

/// Saturated uploads of an 802.11g and an 802.11b station. As in Bianchi's chain, a busy period counts
/// as one slot and all stations resume DIFS after it.
fn uploads(mac: &str, keys: &str) -> Replication {
    run_first(&format!(
        r#"
        duration = "31 s"
        warmup = "1 s"
        [[cells]]
        standard = "802.11g"
        layout = {{ kind = "star", stations = 2, radius_m = 5 }}
        stations = [{{ name = "sta1", standard = "802.11b" }}]
        timing.ack_timeout = "50 us"
        mac = {{ eifs = false, backoff_decrement = "slot-start"{mac} }}
        {keys}
        [[flows]]
        count = 2
        from = "sta*"
        to = "ap"
        transport = "udp"
        app = {{ kind = "constant-rate", rate = "40 Mb/s", message = "1472 B" }}
    "#
    ))
}

/// Attempts per slot of a station that collides with probability `p`: its window doubles from
/// `window` to 1024 in seven attempts.
fn attempts_per_slot(window: f64, p: f64) -> f64 {
    let stage = |i: u32| (pow(p, f64::from(i)), (window * pow(2.0, f64::from(i))).min(1024.0));
    let sum = |(a, s): (f64, f64), (q, w): (f64, f64)| (a + q, s + q * (w + 1.0) / 2.0);
    let (attempts, slots) = (0..7).map(stage).fold((0.0, 0.0), sum);
    attempts / slots
}

/// Throughputs in Mb/s of the 802.11g and the 802.11b station, from the times of their exchanges and of
/// a collision in us. CWmin is 15 and 31, a slot 20 us, and DIFS 50 us.
fn expected(exchange: [f64; 2], collision: f64) -> [f64; 2] {
    let (mut new, mut old) = (0.1, 0.1);
    for _ in 0..200 {
        (new, old) = (attempts_per_slot(16.0, old), attempts_per_slot(32.0, new));
    }
    let alone = [new * (1.0 - old), old * (1.0 - new)];
    let both = new * old;
    let idle = (1.0 - new) * (1.0 - old);
    let slot = idle * 20.0
        + alone[0] * (exchange[0] + 50.0)
        + alone[1] * (exchange[1] + 50.0)
        + both * (collision + 50.0);
    alone.map(|p| p * 8.0 * PAYLOAD / slot)
}

/// 1536 B at 54 Mb/s: 20 + 4 ceil(12310 / 216) + 6 us, MAC ACK at 24 Mb/s 34 us. At 11 Mb/s: 192 + 1118 us,
/// MAC ACK 192 + 11 us. At 2 Mb/s a CTS takes 192 + 56 us, an RTS 192 + 80 us. SIFS 10 us.
#[test]
fn saturated_stations_of_both_standards() {
    let (new, old) = (254.0 + 10.0 + 34.0, 1310.0 + 10.0 + 203.0);
    for (mac, before) in [
        ("", 0.0),
        (", protection = \"cts-to-self\"", 248.0 + 10.0),
        (", protection = \"rts-cts\"", 272.0 + 10.0 + 248.0 + 10.0),
    ] {
        let run = uploads(mac, "");
        let got = [0, 1].map(|i| run.flows[i].goodput_bps / 1e6);
        let formula = expected([before + new, old], 1310.0);
        println!("{mac:?}: {got:.3?} Mb/s, by formula {formula:.3?}");
        for (got, formula) in got.iter().zip(formula) {
            assert!((got / formula - 1.0).abs() < 0.03, "{mac}: {got} {formula}");
        }
        let rates = |i: usize| -> Vec<u64> {
            run.cells[0].stations[i].rates.iter().map(|rate| rate.rate_bps).collect()
        };
        assert_eq!((rates(1), rates(2)), (vec![54_000_000], vec![11_000_000]));
    }
}

/// TCP in both directions, with a rate of its own and with rate control: the 802.11b station takes part.
#[test]
fn tcp_in_a_mixed_cell() {
    let run = |rate: &str, own: &str| {
        run_first(&format!(
            "duration = \"5 s\"\n[[cells]]\nstandard = \"802.11g\"\n\
             layout = {{ kind = \"star\", stations = 2, radius_m = 5 }}\n{rate}\n\
             stations = [{{ name = \"sta1\", standard = \"802.11b\"{own} }}]\n\
             mac.protection = \"cts-to-self\"\n\
             [[flows]]\ncount = 2\nfrom = \"sta*\"\nto = \"ap\"\n\
             [[flows]]\nname = \"down\"\ncount = 2\nfrom = \"ap\"\nto = \"sta*\"\n"
        ))
    };
    let rates = |run: &Replication, i: usize| -> Vec<u64> {
        run.cells[0].stations[i].rates.iter().map(|rate| rate.rate_bps).collect()
    };
    let fixed = run("", ", rate = \"5.5 Mb/s\"");
    assert_eq!(
        (rates(&fixed, 2), rates(&fixed, 0)),
        (vec![5_500_000], vec![5_500_000, 54_000_000])
    );
    let adaptive = run("rate_control.control = \"minstrel\"", "");
    assert!(
        rates(&adaptive, 2).iter().all(|rate| [1e6, 2e6, 5.5e6, 11e6].contains(&(*rate as f64)))
    );
    assert!(rates(&adaptive, 1).contains(&54_000_000));
    for flow in fixed.flows.iter().chain(&adaptive.flows) {
        assert!(flow.goodput_bps > 1e5, "{flow:?}");
    }
}

/// The standard of the cell as a key of a station changes nothing.
#[test]
fn the_standard_of_the_cell_changes_nothing() {
    let of = |stations: &str| {
        run_first(&format!(
            "duration = \"2 s\"\n[[cells]]\nstandard = \"802.11g\"\n\
             layout = {{ kind = \"star\", stations = 2 }}\n{stations}\n\
             [[flows]]\ncount = 2\nfrom = \"sta*\"\nto = \"ap\"\n"
        ))
    };
    let named = of("stations = [{ name = \"sta1\", standard = \"802.11g\" }]");
    assert_eq!(of("").fingerprint, named.fingerprint);
}

#[test]
fn impossible_mixtures_are_refused() {
    let refuse = |cell: &str, own: &str, keys: &str| {
        let text = format!(
            "duration = \"1 s\"\n[[cells]]\nstandard = \"{cell}\"\n\
             layout = {{ kind = \"star\", stations = 2 }}\n{keys}\n\
             stations = [{{ name = \"sta1\", standard = {own} }}]\n\
             [[flows]]\nfrom = \"sta0\"\nto = \"ap\"\n"
        );
        read(&text, "test", &[]).unwrap().resolve().unwrap_err().to_string()
    };
    let (g, b) = ("802.11g", "\"802.11b\"");
    for (cell, own, keys, expected) in [
        (
            "802.11a",
            b,
            "",
            "stations[0].standard: is 802.11b in a cell of 802.11a: expected 802.11a",
        ),
        (g, "\"802.11a\"", "", "is 802.11a in a cell of 802.11g"),
        ("802.11b", "\"802.11g\"", "", "leave out the key"),
        (g, b, "rates = [\"6 Mb/s\", \"54 Mb/s\"]", "has no rate of 802.11b: add one"),
        (g, b, "timing.ack_rate = { fixed = \"6 Mb/s\" }", "timing.ack_rate: is 6 Mb/s"),
        (
            g,
            b,
            "mac = { rts_threshold = \"0 B\", rts_rate = \"6 Mb/s\" }",
            "mac.rts_rate: is 6 Mb/s",
        ),
        (
            g,
            "\"802.11b\", rate = \"54 Mb/s\"",
            "",
            "stations[0].rate: is 54 Mb/s: 802.11b has 1 Mb/s",
        ),
    ] {
        let error = refuse(cell, own, keys);
        assert!(error.contains(expected), "{error}\n{expected}");
    }
}
