//! Tables and logs of `tests/tables`, in the form in which people have them (made by us). The
//! right values are those of the programs that made them.

use std::path::{Path, PathBuf};

use airtcp_trace::reader::ColumnKind;
use airtcp_trace::{LinkTrace, ReadOptions, TraceError, read_links};
use airtcp_units::Span;

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/tables").join(name)
}

fn read(name: &str, options: &ReadOptions) -> Result<Vec<LinkTrace>, TraceError> {
    read_links(&path(name), options)
}

fn asks(name: &str) -> String {
    let error = read(name, &ReadOptions::default()).expect_err("the table is asked about");
    error.to_string()
}

/// Sent and lost packets.
fn counts(link: &LinkTrace) -> (usize, usize) {
    (link.outcomes.len(), link.outcomes.len() - link.outcomes.received())
}

fn column(name: &str, kind: ColumnKind) -> ReadOptions {
    ReadOptions { column: Some(name.to_owned()), kind: Some(kind), ..ReadOptions::default() }
}

#[test]
fn a_number_of_seconds_is_no_packet() {
    let name = "throughput-log-with-index.csv";
    let said = asks(name);
    for part in [
        "\"dl_throughput\" is of a log of measurements",
        "--column seq --kind sequence",
        "--rate-column dl_throughput --rate-unit UNIT",
    ] {
        assert!(said.contains(part), "{said}");
    }
    // Without times a rate is none over time.
    let rate = ReadOptions {
        rate_column: Some("dl_throughput".to_owned()),
        rate_unit: Some("Mb/s".to_owned()),
        ..ReadOptions::default()
    };
    assert!(read(name, &rate).unwrap_err().to_string().contains("need the times of the rows"));
    let rate = ReadOptions {
        time_column: Some("seq".to_owned()),
        time_unit: Some(Span::from_secs(1)),
        ..rate
    };
    assert!(read(name, &rate).unwrap()[0].capacity.is_some());
}

#[test]
fn a_flag_of_a_frame_is_no_outcome() {
    let name = "uplinks-with-ack-flag.csv";
    let said = asks(name);
    assert!(said.contains("column \"ack\" (\"0\", \"1\") may say what became"), "{said}");
    assert!(said.contains("give --column fcnt --kind sequence"), "{said}");
    let links = read(name, &column("fcnt", ColumnKind::Sequence)).unwrap();
    assert_eq!(counts(&links[0]), (240, 44));
    assert!(links[0].notes[0].contains("not used: \"rssi\", \"ack\""), "{:?}", links[0].notes);
}

#[test]
fn devices_whose_counters_interleave_are_told_apart() {
    let name = "two-devices-by-name.csv";
    let said = asks(name);
    assert!(said.contains("go back below an earlier number in column \"seq\""), "{said}");
    assert!(said.contains("\"deviceName\" (--link-column deviceName)"), "{said}");
    let link_column = Some("deviceName".to_owned());
    let links = read(name, &ReadOptions { link_column, ..ReadOptions::default() }).unwrap();
    let found: Vec<_> = links.iter().map(|l| (l.name.as_str(), counts(l))).collect();
    let expected =
        [("two-devices-by-name:door", (200, 25)), ("two-devices-by-name:meter", (200, 68))];
    assert_eq!(found, expected);
}

#[test]
fn marks_say_which_packets_were_lost_and_which_not_sent() {
    let name = "one-way-delays.csv";
    let said = asks(name);
    assert!(said.contains("column \"rtt_ms\" holds 0 in 61 of 400 rows"), "{said}");
    assert!(said.contains("--lost-value 0") && said.contains("--unsent-value"), "{said}");
    let of = |name: &str, lost: &str, unsent: Option<&str>| ReadOptions {
        lost_value: Some(lost.to_owned()),
        unsent_value: unsent.map(str::to_owned),
        ..column(name, ColumnKind::Arrival)
    };
    for (options, expected) in [
        (of("up_delay_ms", "-1", None), (400, 34)),
        (of("down_delay_ms", "-1", Some("0")), (366, 27)),
        (of("rtt_ms", "0", None), (400, 61)),
    ] {
        let links = read(name, &options).unwrap();
        assert_eq!(counts(&links[0]), expected);
        assert!(links[0].interval.is_some());
    }
    // The column alone says nothing of its marks.
    let e = read(name, &column("up_delay_ms", ColumnKind::Arrival)).unwrap_err().to_string();
    assert!(e.contains("holds -1 in 34, 0 in 27 of 400 rows"), "{e}");
}

#[test]
fn a_rate_in_a_wide_table_is_a_capacity() {
    for options in [
        ReadOptions::default(),
        ReadOptions { rate_column: Some("rx_kbps".to_owned()), ..ReadOptions::default() },
    ] {
        let links = read("modem-log-wide.csv", &options).unwrap();
        let capacity = links[0].capacity.as_ref().unwrap();
        assert!((capacity.mean_bps() / 1e6 - 24.85).abs() < 0.005, "{}", capacity.mean_bps());
        assert_eq!(capacity.period(), Span::from_secs(180));
        assert!(links[0].notes[0].contains("\"rx_kbps\" taken as rates"), "{:?}", links[0].notes);
    }
}

#[test]
fn datagrams_that_came_are_no_outage() {
    let links = read("iperf3-counter-shift.json", &ReadOptions::default()).unwrap();
    assert_eq!(counts(&links[0]), (6120, 120));
    let said = links[0].notes.join("; ");
    assert!(said.contains("3 intervals in which datagrams came"), "{said}");
    assert!(!said.contains("outage, or the sender paused"), "{said}");
}

#[test]
fn what_has_no_losses_over_time_is_refused_with_its_reason() {
    let said = asks("iperf317-reverse.json");
    assert!(said.contains("of a receiver, whose intervals have no lost_packets"), "{said}");
    assert!(said.contains("8 of 728 datagrams are lost in total"), "{said}");
    let said = asks("windows-fr.txt");
    assert!(said.contains("the output of Windows' ping"), "{said}");
}
