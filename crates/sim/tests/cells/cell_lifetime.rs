//! Lifetime of packets in a cell: reported drops, and unchanged results otherwise.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use crate::common::run_first;
use airtcp_sim::results::Replication;

/// A station with more traffic than 24 Mb/s carry, in the named categories.
fn cell(mac: &str, categories: &[&str]) -> Replication {
    let flow = |category: &&str| {
        let category = match *category {
            "" => String::new(),
            name => format!("access_category = \"{name}\""),
        };
        format!(
            r#"
            [[flows]]
            from = "sta0"
            to = "ap"
            transport = "udp"
            app = {{ kind = "constant-rate", rate = "30 Mb/s", message = "1000 B" }}
            {category}
        "#
        )
    };
    let flows: String = categories.iter().map(flow).collect();
    run_first(&format!(
        r#"
        duration = "2 s"
        warmup = "500 ms"
        [[cells]]
        layout = {{ kind = "star", stations = 1, radius_m = 5 }}
        propagation.path_loss = {{ model = "log-distance", exponent = 3.5, reference_loss_db = 46.67 }}
        noise.floor_dbm = -99
        rate = "24 Mb/s"
        queue = {{ kind = "drop-tail", packets = 400 }}
        {mac}
        {flows}
    "#
    ))
}

#[test]
fn a_lifetime_bounds_the_queue() {
    let without = cell("", &[""]);
    let with = cell("mac.lifetime = \"50 ms\"", &[""]);
    let (before, after) = (&without.cells[0].stations[1], &with.cells[0].stations[1]);
    assert_eq!(before.lifetime_drops, 0);
    assert!(before.queue_drops > 1000 && before.queue_delay_mean_s.unwrap() > 0.15);
    // 3750 packets arrive per second, 188 of them in 50 ms, so the queue never fills up.
    assert_eq!(after.queue_drops, 0);
    assert!((after.mean_queue_packets - 187.5).abs() < 2.0, "{}", after.mean_queue_packets);
    assert!((after.queue_delay_mean_s.unwrap() - 0.05).abs() < 5e-4);
    // Excess packets are dropped in another place, and the medium carries as much.
    let drops = after.lifetime_drops as f64 / before.queue_drops as f64;
    assert!((drops - 1.0).abs() < 0.01, "{drops}");
    let sent = after.frames["data"].sent as f64;
    let lost = after.lifetime_drops as f64 / (after.lifetime_drops as f64 + sent);
    assert!((after.residual_loss.unwrap() - lost).abs() < 0.001);
    let goodput = with.flows[0].goodput_bps / without.flows[0].goodput_bps;
    assert!((goodput - 1.0).abs() < 0.005, "{goodput}");
    assert!(with.conservation.ok && without.conservation.ok);
}

#[test]
fn a_lifetime_that_no_packet_reaches_changes_nothing() {
    let edca = "mac.access = \"edca\"";
    for (mac, categories) in [("", &[""][..]), (edca, &["voice", "best-effort"])] {
        let without = cell(mac, categories);
        let with = cell(&format!("{mac}\nmac.lifetime = \"10 s\""), categories);
        assert_eq!(with.fingerprint, without.fingerprint);
        assert_eq!(with.cells, without.cells);
    }
}

#[test]
fn a_category_drops_what_is_older_than_its_own() {
    let mac = "mac = { access = \"edca\", edca.voice.lifetime = \"20 ms\" }";
    let run = cell(mac, &["voice", "best-effort"]);
    let categories = &run.cells[0].stations[1].categories;
    let of = |name: &str| categories.iter().find(|c| c.category == name).unwrap();
    let (voice, other) = (of("voice"), of("best-effort"));
    assert!(voice.lifetime_drops > 1000 && voice.queue_drops == 0);
    assert!(other.lifetime_drops == 0 && other.queue_drops > 1000);
    assert!(voice.queue_delay_mean_s.unwrap() < 0.0205, "{:?}", voice.queue_delay_mean_s);
    assert_eq!(run.cells[0].stations[1].lifetime_drops, voice.lifetime_drops);
    assert!(run.conservation.ok);
}
