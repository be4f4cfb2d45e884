//! What every scheme keeps in a cell: packets are conserved, no station starves, and with neutral
//! keys the cell is the cell without the scheme. Closed forms of single schemes.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may fail, and shows what it measured"
)]

use crate::common::run_first;
use airtcp_sim::results::Replication;

/// Each registered scheme: its table, and its table with neutral keys if it has any.
const TABLES: &[(&str, &str, Option<&str>)] = &[
    ("ftca", "scheme = \"ftca\"", None),
    ("same-category", "scheme = \"same-category\"", Some("scheme = \"same-category\"")),
    ("leith-clifford", "scheme = \"leith-clifford\"", None),
    ("tap", "scheme = \"tap\"", None),
    ("dcf+", "scheme = \"dcf+\"", None),
    // A window that cannot shrink is the usual one.
    ("auto-zoom", "scheme = \"auto-zoom\"", Some("scheme = \"auto-zoom\", least = 15")),
    (
        "per-station",
        "scheme = \"per-station\", controller = { interval = \"100 ms\" }",
        Some("scheme = \"per-station\", stations = [{ station = \"sta0\", aifsn = 3 }]"),
    ),
    (
        "power-classes",
        "scheme = \"power-classes\", gain_db = 3",
        Some("scheme = \"power-classes\", gain_db = 0"),
    ),
    // A probability of 0 marks and drops nothing.
    (
        "link-red",
        "scheme = \"link-red\", pacing = true",
        Some("scheme = \"link-red\", max_p = 0.0"),
    ),
    // The flows here end at the access point: nothing crosses its transport boundary. With flows
    // beyond it: `boundary.rs`.
    ("snoop", "scheme = \"snoop\"", Some("scheme = \"snoop\"")),
    ("split-tcp", "scheme = \"split-tcp\"", Some("scheme = \"split-tcp\"")),
    ("ack-agent", "scheme = \"ack-agent\"", Some("scheme = \"ack-agent\"")),
    ("eln", "scheme = \"eln\"", Some("scheme = \"eln\"")),
];

/// S3's star for `seconds` of traffic, with schemes and further keys of medium access.
fn star(seconds: u32, schemes: &str, mac: &str) -> Replication {
    run_first(&format!(
        r#"
        duration = "{} s"
        warmup = "2 s"
        [[cells]]
        layout = {{ kind = "star", stations = 6, radius_m = 5 }}
        propagation.path_loss = {{ model = "log-distance", exponent = 3.5, reference_loss_db = 46.67 }}
        noise.floor_dbm = -99
        capture = {{ model = "message-in-message", margin_db = 8 }}
        sensing.detection_time = "16 us"
        timing = {{ ack_rate = {{ fixed = "6 Mb/s" }}, ack_timeout = "75 us" }}
        residual_error = "1 %"
        queue = {{ kind = "drop-tail", packets = 400 }}
        schemes = [{schemes}]
        [cells.mac]
        access = "edca"
        txop_limits = "zero"
        attempts_long = 7
        backoff_decrement = "slot-end"
        immediate_access = "at-arrival"
        after_timeout = "ifs-again"
        {mac}
        [[flows]]
        count = 6
        from = "sta*"
        to = "ap"
        app = {{ kind = "bulk", start = "2 s" }}
        tcp = {{ profile = "s3", initial_ssthresh = "65535 B" }}
    "#,
        seconds + 2
    ))
}

/// Share of the TCP ACKs that were lost on the air.
fn ack_error(run: &Replication) -> f64 {
    let acks = &run.cells[0].stations[0].frames["tcp_ack"];
    acks.error_rate
}

#[test]
fn every_scheme_has_a_table_here() {
    let named: Vec<&str> = TABLES.iter().map(|(name, ..)| *name).collect();
    let registered: Vec<&str> =
        airtcp_wifi::scheme::registry().iter().map(|entry| entry.name).collect();
    assert_eq!(named, registered);
}

#[test]
fn packets_are_conserved_and_nobody_starves() {
    for (name, table, _) in TABLES {
        let run = star(4, &format!("{{ {table} }}"), "");
        assert!(run.conservation.ok, "{name}: {:?}", run.conservation);
        let least = run.flows.iter().map(|f| f.goodput_bps).fold(f64::INFINITY, f64::min);
        println!("{name}: {:.2} Mb/s, least {:.2}", run.total_goodput_bps / 1e6, least / 1e6);
        assert!(least > 0.05 * run.total_goodput_bps / 6.0, "{name}: {least}");
    }
}

#[test]
fn with_neutral_keys_the_cell_is_the_base() {
    let base = star(1, "", "");
    for (name, _, neutral) in TABLES {
        let Some(table) = neutral else { continue };
        let run = star(1, &format!("{{ {table} }}"), "");
        assert_eq!(run.fingerprint, base.fingerprint, "{name}");
    }
}

/// FTCA loses next to no ACKs, and six equal stations share equally (S3 section 7.1: 0.24 % and a
/// Jain's index of 0.9996).
#[test]
fn ftca_protects_acks() {
    let base = star(8, "", "");
    let ftca = star(8, "{ scheme = \"ftca\" }", "");
    println!("ACK error {:.4} -> {:.4}", ack_error(&base), ack_error(&ftca));
    println!("JFI {:?} -> {:?}", base.jain_index, ftca.jain_index);
    assert!(ack_error(&base) > 0.1 && ack_error(&ftca) < 0.02);
    assert!(ftca.jain_index.unwrap() > 0.99);
}

/// A category above voice carries the ACKs and nothing else.
#[test]
fn an_exclusive_category_has_its_own_counters() {
    let run = star(2, "{ scheme = \"ftca\", exclusive = true }", "");
    let of = |station: usize| -> Vec<&str> {
        run.cells[0].stations[station].categories.iter().map(|c| c.category.as_str()).collect()
    };
    assert_eq!(of(0), ["exclusive"]);
    // A station's SYN and the last ACK of its handshake are control packets too.
    assert_eq!(of(1), ["best-effort", "exclusive"]);
}

/// TAP sends ACKs ahead of all data: none collides.
#[test]
fn tap_loses_no_acks() {
    let base = star(6, "", "");
    let one = star(6, "{ scheme = \"tap\", acks = 1 }", "");
    let four = star(6, "{ scheme = \"tap\", acks = 4 }", "");
    for (name, run) in [("base", &base), ("1", &one), ("4", &four)] {
        println!(
            "tap {name}: {:.3} Mb/s, ACK error {:.4}, JFI {:?}",
            run.total_goodput_bps / 1e6,
            ack_error(run),
            run.jain_index
        );
    }
    // Residual errors of 1 % are all that is lost of the ACKs.
    assert!(ack_error(&one) < 0.02 && ack_error(&four) < 0.02);
    assert!(four.jain_index.unwrap() > 0.99);
}

/// A saturated download and its uplink ACKs: with DCF+ at the stations no ACK contends, so that the
/// share of collisions falls.
#[test]
fn dcf_plus_returns_acks_without_contention() {
    let of = |schemes: &str| {
        run_first(&format!(
            r#"
            duration = "6 s"
            warmup = "1 s"
            [[cells]]
            layout = {{ kind = "star", stations = 1, radius_m = 5 }}
            schemes = [{schemes}]
            [[flows]]
            from = "ap"
            to = "sta0"
            tcp = {{ ack_every = 1 }}
        "#
        ))
    };
    let (base, plus) = (of(""), of("{ scheme = \"dcf+\", at = \"stations\" }"));
    let error = |run: &Replication| run.cells[0].stations[0].frames["data"].error_rate;
    let cts = |run: &Replication| run.cells[0].stations[0].frames.get("cts").map_or(0, |f| f.sent);
    println!(
        "dcf+: {:.3} -> {:.3} Mb/s",
        base.total_goodput_bps / 1e6,
        plus.total_goodput_bps / 1e6
    );
    println!("data error {:.4} -> {:.4}; CTS {}", error(&base), error(&plus), cts(&plus));
    assert!(error(&base) > 0.02 && error(&plus) < 0.7 * error(&base));
    assert!(cts(&base) == 0 && cts(&plus) > 1000);
    assert!(plus.total_goodput_bps > base.total_goodput_bps);
}

/// A lone saturated sender under auto-zoom hardly backs off: its exchange takes DIFS, data, SIFS and
/// ACK, and half a slot of back-off in the mean (a window of 1), in place of 7.5 slots.
#[test]
fn auto_zoom_shrinks_the_window_of_a_lone_sender() {
    let of = |schemes: &str| {
        run_first(&format!(
            r#"
            duration = "3 s"
            warmup = "1 s"
            [[cells]]
            layout = {{ kind = "star", stations = 1, radius_m = 5 }}
            schemes = [{schemes}]
            [[flows]]
            from = "sta0"
            to = "ap"
            transport = "udp"
            app = {{ kind = "constant-rate", rate = "60 Mb/s", message = "1472 B" }}
        "#
        ))
    };
    let packets = |run: &Replication| run.flows[0].delivered_bytes as f64 / 1472.0 / 2.0;
    let (base, zoomed) = (of(""), of("{ scheme = \"auto-zoom\" }"));
    // The mean back-off is the only difference between the times of one exchange.
    let saved = 1.0 / packets(&base) - 1.0 / packets(&zoomed);
    println!(
        "auto-zoom: {:.0} -> {:.0} packets/s, {saved:.3e} s",
        packets(&base),
        packets(&zoomed)
    );
    let slots = 7.5 - 0.5;
    assert!((saved - slots * 9e-6).abs() < 0.02 * slots * 9e-6, "{saved}");
}

/// The controller brings unequal stations towards equal shares: of two saturated stations, one with a
/// window eight times as large, the other one waits longer.
#[test]
fn a_controller_evens_out_shares() {
    let of = |controller: &str| {
        run_first(&format!(
            r#"
            duration = "30 s"
            warmup = "20 s"
            [[cells]]
            layout = {{ kind = "star", stations = 2, radius_m = 5 }}
            [cells.mac]
            access = "edca"
            txop_limits = "zero"
            [[cells.schemes]]
            scheme = "per-station"
            stations = [{{ station = "sta1", cw_min = 127 }}]
            {controller}
            [[flows]]
            count = 2
            from = "sta*"
            to = "ap"
            transport = "udp"
            app = {{ kind = "constant-rate", rate = "60 Mb/s", message = "1472 B" }}
        "#
        ))
    };
    let ratio = |run: &Replication| run.flows[0].goodput_bps / run.flows[1].goodput_bps;
    let (fixed, adjusted) = (of(""), of("controller = { tolerance = 0.05 }"));
    let aifsn = |i: usize| adjusted.cells[0].stations[i].adjusted_aifsn;
    println!(
        "shares {:.2} -> {:.2}, AIFSN {:?} {:?}",
        ratio(&fixed),
        ratio(&adjusted),
        aifsn(1),
        aifsn(2)
    );
    assert!(ratio(&fixed) > 5.0 && ratio(&adjusted) < ratio(&fixed) / 2.0);
    assert!(aifsn(1) > aifsn(2));
    // The shares stay apart: both stations end at a bound.
    let limited = |i: usize| adjusted.cells[0].stations[i].aifsn_limited_share;
    println!("at a bound: {:?} {:?}", limited(1), limited(2));
    assert_eq!((aifsn(1), aifsn(2)), (Some(10), Some(2)));
    assert!(limited(1) > Some(0.5) && limited(2) > Some(0.5) && limited(0).is_none());
    assert_eq!(fixed.cells[0].stations[1].aifsn_limited_share, None);
    assert_eq!(fixed.cells[0].stations[1].adjusted_aifsn, None);
}

#[test]
fn schemes_that_cannot_act_are_refused() {
    let refuse = |schemes: &str, mac: &str| {
        let text = format!(
            "[[cells]]\nlayout = {{ kind = \"star\", stations = 2, radius_m = 5 }}\n\
             mac = {{ {mac} }}\nschemes = [{schemes}]\n[[flows]]\nfrom = \"sta0\"\nto = \"ap\"\n"
        );
        match airtcp_scenario::read(&text, "test", &[]) {
            Err(error) => error.to_string(),
            Ok(scenario) => scenario.resolve().map(|_| ()).unwrap_err().to_string(),
        }
    };
    for (schemes, mac, wanted) in [
        ("{ scheme = \"ftca\" }", "", "cells[0].schemes[0].scheme"),
        ("{ scheme = \"ftca\" }", "", "set mac.access = \"edca\""),
        (
            "{ scheme = \"ftca\" }, { scheme = \"tap\" }",
            "access = \"edca\"",
            "\"tap\" sets the access category of TCP ACKs, which \"ftca\" has set",
        ),
        ("{ scheme = \"tap\", acks = 0 }", "access = \"edca\"", "acks: is 0: expected 1 to 64"),
        (
            "{ scheme = \"per-station\", stations = [{ station = \"sta7\", aifsn = 2 }] }",
            "",
            "the cell has no node \"sta7\"",
        ),
        (
            "{ scheme = \"per-station\", controller = { aifsn_min = 9, aifsn_max = 3 } }",
            "",
            "is 3: expected 9 to 15",
        ),
    ] {
        let error = refuse(schemes, mac);
        assert!(error.contains(wanted), "{error}");
    }
}

/// Two saturated stations at one distance over Rayleigh fading, and a receiver that decodes a frame if it is
/// stronger than the other one by `z` = 10 dB. Each collision involves both. A frame of the high class
/// is lost with probability `1 - 1 / (1 + z / g)`, one of the other class with `1 - 1 / (1 + z g)`.
#[test]
fn captures_of_power_classes_follow_the_closed_form() {
    let of = |gain_db: f64| {
        run_first(&format!(
            r#"
            duration = "100 s"
            [[cells]]
            layout = {{ kind = "star", stations = 2, radius_m = 5 }}
            schemes = [{{ scheme = "power-classes", high = ["sta0"], gain_db = {gain_db} }}]
            fading = {{ model = "rayleigh", coherence_time = "1 us" }}
            error = {{ model = "threshold", sinr_db = 10 }}
            capture = {{ model = "sinr" }}
            # A fade hides next to no frame from the other station.
            power_dbm = 40
            [[flows]]
            count = 2
            from = "sta*"
            to = "ap"
            transport = "udp"
            app = {{ kind = "constant-rate", rate = "30 Mb/s", message = "500 B" }}
        "#
        ))
    };
    let lost = |run: &Replication, i: usize| {
        run.cells[0].stations[i].frames["data"].lost.get("with_data").map_or(0.0, |n| *n as f64)
    };
    for gain_db in [0.0, 5.0, 10.0, 20.0] {
        let run = of(gain_db);
        let (z, g) = (10.0, airtcp_units::Db(gain_db).linear());
        let expected = (1.0 - 1.0 / (1.0 + z / g)) / (1.0 - 1.0 / (1.0 + z * g));
        let found = lost(&run, 1) / lost(&run, 2);
        println!("power classes, {gain_db} dB: {found:.4}, closed form {expected:.4}");
        assert!(lost(&run, 2) > 10_000.0);
        assert!((found - expected).abs() < 0.03 * expected, "{gain_db} dB: {found} {expected}");
    }
}
