//! What every scheme keeps in a cell: packets are conserved, no station starves, and with neutral
//! keys the cell is the cell without the scheme. Closed forms of single schemes.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may fail, and shows what it measured"
)]

mod common;

use airtcp_sim::results::Replication;
use common::run_first;

/// Each registered scheme: its table, and its table with neutral keys if it has any.
const TABLES: &[(&str, &str, Option<&str>)] = &[
    ("ftca", "scheme = \"ftca\"", None),
    ("same-category", "scheme = \"same-category\"", Some("scheme = \"same-category\"")),
    ("leith-clifford", "scheme = \"leith-clifford\"", None),
    // The flows here end at the access point: nothing crosses its transport boundary. With flows
    // beyond it: `boundary.rs`.
    ("snoop", "scheme = \"snoop\"", Some("scheme = \"snoop\"")),
    ("split-tcp", "scheme = \"split-tcp\"", Some("scheme = \"split-tcp\"")),
    ("ack-agent", "scheme = \"ack-agent\"", Some("scheme = \"ack-agent\"")),
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
