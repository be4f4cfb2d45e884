//! Tables whose names or values leave room for another reading, and answers that would not fit them.

use super::questions::{asks, link_column, refusal, rows};
use super::*;

fn answer(column: &str, kind: ColumnKind, lost_value: Option<&str>) -> ReadOptions {
    let (column, kind) = (Some(column.to_owned()), Some(kind));
    ReadOptions {
        column,
        kind,
        lost_value: lost_value.map(str::to_owned),
        ..ReadOptions::default()
    }
}

/// A loss in every seventh row.
const fn lost(n: u64) -> bool {
    n % 7 == 3
}

#[test]
fn running_totals_with_idle_rows_or_a_restart_are_no_bytes_per_row() {
    let table = |bytes: &dyn Fn(u64) -> u64| {
        format!("time_s,delivered_bytes\n{}", rows(100, |n| format!("{n},{}", bytes(n))))
    };
    let total = "rises in nearly every row, as a running total of bytes does";
    asks(&table(&|n| 125_000 * n), total);
    asks(&table(&|n| 125_000 * (n - n / 10)), total);
    asks(&table(&|n| 125_000 * (n % 60)), total);
    // Bytes per second fall as often as they rise.
    let text = table(&|n| 125_000 + 7919 * n % 1009);
    assert!(one("t.csv", &text).capacity.is_some());
    assert!(one("t.csv", &table(&|_| 125_000)).capacity.is_some());
}

#[test]
fn rates_that_may_not_be_those_of_the_link_are_asked_about() {
    let table = |name: &str, more: &str| {
        format!("time_s,{name}{more}\n{}", rows(20, |n| format!("{n},{}{more}", 50 + n % 3)))
    };
    for name in [
        "phy_rate_mbps",
        "phyRateMbps",
        "link_speed_mbps",
        "offered_mbps",
        "cumulative_mbps",
        "codec_kbps",
        "total_mbps",
        "target_mbps",
        "requested_mbps",
        "bitrate_kbps",
    ] {
        for more in ["", ",place"] {
            let text = table(name, more);
            asks(
                &text,
                &format!("column \"{name}\" may be the rate of the modulation, of a sender"),
            );
            let rate = ReadOptions { rate_column: Some(name.into()), ..ReadOptions::default() };
            assert!(read_as("t.csv", &text, &rate).unwrap()[0].capacity.is_some());
        }
    }
    for name in ["rate_mbps", "rx_kbps", "link_rate_mbps", "bandwidth (MB/s)", "downlink_mbps"] {
        assert!(one("t.csv", &table(name, "")).capacity.is_some(), "{name}");
    }
}

#[test]
fn names_of_arrivals_have_no_other_words() {
    let table = |name: &str| {
        let cell = |n: u64| if lost(n) { String::new() } else { format!("{}.5", 20 + n % 5) };
        format!("{name},len\n{}", rows(60, |n| format!("{},100", cell(n))))
    };
    for name in [
        "inter_arrival_ms",
        "delay_variation_ms",
        "rtt_p99_ms",
        "latency_p95_ms",
        "rtt_count",
        "arrival_rate_hz",
        "delay_class",
        "latency_budget_ms",
        "delay_limit_ms",
        "processing_delay_ms",
        "tx_delay_ms",
        "last_rtt_ms",
        "rx_at_ant1",
    ] {
        let text = table(name);
        asks(&text, "no column has a documented name");
        asks(&text, &format!("\"{name}\" (--column {name} --kind arrival)"));
        let links = read_as("t.csv", &text, &answer(name, ColumnKind::Arrival, None)).unwrap();
        assert_eq!(links[0].outcomes.received(), 51);
    }
    for name in ["rtt (ms)", "owd_us", "one_way_delay_ms", "recv_time_s", "e2e latency", "ping_rtt"]
    {
        assert_eq!(one("t.csv", &table(name)).outcomes.received(), 51, "{name}");
    }
}

#[test]
fn losses_beside_counts_are_asked_about() {
    for name in ["tx", "frames", "n_frames", "messages", "requests", "expected", "samples", "burst"]
    {
        let row = |n: u64| format!("{n},100,{}", u8::from(lost(n)));
        let text = format!("time_s,{name},lost\n{}", rows(60, row));
        asks(&text, &format!("column \"{name}\" holds counts above 1"));
        let links = read_as("t.csv", &text, &answer("lost", ColumnKind::Lost, None)).unwrap();
        assert_eq!(links[0].outcomes.len(), 60);
    }
}

#[test]
fn more_names_of_nodes_and_runs_are_asked_about() {
    for name in [
        "ue",
        "imei",
        "rnti",
        "hostname",
        "ssid",
        "user",
        "vehicle",
        "car_id",
        "robot",
        "drone",
        "tag",
        "conn",
        "port",
        "direction",
        "dir",
        "rep",
        "replica",
        "round",
        "test",
        "exp",
        "cell",
        "pci",
        "antenna",
        "link_no",
        "target",
        "hop",
        "day",
        "file",
        "channel",
        "tx",
    ] {
        let text = format!(
            "{name},received\n{}",
            rows(100, |n| format!("{},{}", n % 3, u8::from(!lost(n))))
        );
        asks(&text, &format!("column \"{name}\" (\"0\", \"1\", \"2\") may tell links apart"));
        asks(&text, &format!("\"{name}\" (--link-column {name})"));
        assert_eq!(read_as("t.csv", &text, &link_column(name)).unwrap().len(), 3);
    }
}

#[test]
fn values_beside_the_stated_ones_mean_received_only_where_documented() {
    let text = "lost\n0\n5\n1\n3\n0\n";
    let e = refusal(text, &answer("lost", ColumnKind::Lost, Some("5")));
    assert!(e.contains("line 5: found \"3\" in column \"lost\""), "{e}");
    let links = read_as("t.csv", text, &answer("lost", ColumnKind::Lost, Some("5,3"))).unwrap();
    assert_eq!(bits(&links[0]), "10001");
    let text = "lost,n\n,1\nx,2\n,3\n";
    let links = read_as("t.csv", text, &answer("lost", ColumnKind::Received, Some("x"))).unwrap();
    assert_eq!(bits(&links[0]), "101");
    let blank = answer("lost", ColumnKind::Received, Some("blank"));
    assert_eq!(bits(&read_as("t.csv", text, &blank).unwrap()[0]), "010");
}

#[test]
fn a_second_mark_below_zero_is_asked_about() {
    let cell = |n: u64| match n % 30 {
        3 => "-1".to_owned(),
        7 | 8 => "-2".to_owned(),
        n => (20 + n % 5).to_string(),
    };
    let text = format!("seq,rtt_ms\n{}", rows(300, |n| format!("{n},{}", cell(n))));
    asks(&text, "holds -2 in 20, -1 in 10 of 300 rows");
    asks(&text, "(--lost-value -1,-2)");
    let marks =
        |marks: &str| ReadOptions { lost_value: Some(marks.into()), ..ReadOptions::default() };
    let e = refusal(&text, &marks("-1"));
    assert!(e.contains("holds -2 in 20 of 300 rows") && e.contains("(--lost-value -1,-2)"), "{e}");
    assert!(e.contains("--lost-value -1,none"), "{e}");
    for (said, received) in [("-1,-2", 270), ("-1,none", 290), ("none", 300)] {
        let links = read_as("t.csv", &text, &marks(said)).unwrap();
        assert_eq!(links[0].outcomes.received(), received, "{said}");
    }
}

#[test]
fn counters_that_restart_are_not_read_as_one() {
    let sequence = answer("fcnt", ColumnKind::Sequence, None);
    let table = |numbers: &mut dyn Iterator<Item = u64>| {
        format!("fcnt\n{}", joined(numbers.map(|n| format!("{n}\n"))))
    };
    let advice = "if the counter restarts, split the file at its restarts, or number the parts in a column and give \
                  --link-column";
    let parts = table(&mut (0..4).flat_map(|part| 0..50 + 9 * part).filter(|n| !lost(*n)));
    let backward = table(&mut (0..300).rev().filter(|n| !lost(*n)));
    let two = table(&mut (0..200).map(|n| n / 2));
    for text in [&parts, &backward, &two] {
        asks(text, advice);
        assert!(!error("t.csv", text).contains("give --column fcnt"));
        assert!(refusal(text, &sequence).contains(advice));
    }
    let far = table(&mut (0..3000).chain(0..100));
    assert!(refusal(&far, &sequence).contains(advice));
    // Few duplicates, and late packets, are of one link.
    let few =
        table(&mut (0..300).flat_map(|n| [n; 2].into_iter().take(1 + usize::from(n % 20 == 0))));
    assert_eq!(read_as("t.csv", &few, &sequence).unwrap()[0].outcomes.len(), 300);
    let late = table(&mut (0..300).map(|n| n ^ u64::from(n % 10 / 2 == 1)));
    assert_eq!(read_as("t.csv", &late, &sequence).unwrap()[0].outcomes.received(), 300);
}

#[test]
fn a_first_line_that_is_too_long_is_named() {
    let names = joined((0..20_000).map(|n| format!(",col{n}")));
    let text =
        format!("seq,received{names}\n{}", rows(3, |n| format!("{n},1{}", ",0".repeat(20_000))));
    asks(&text, "text whose first line has more than 65,536 characters");
}
