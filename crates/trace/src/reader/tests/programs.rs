//! Tables of programs: sniffers, spreadsheets, logs of events.

use super::*;

/// Runs of losses.
const fn lost(number: u64) -> bool {
    number % 40 < 7
}

fn came(packets: u64) -> impl Iterator<Item = u64> {
    (0..packets).filter(|n| !lost(*n))
}

/// The outcomes from the first packet received to the last.
fn truth(packets: u64) -> String {
    let all: String = (0..packets).map(|n| if lost(n) { '0' } else { '1' }).collect();
    all.trim_matches('0').to_owned()
}

#[test]
fn counters_of_frames_wrap_where_their_standard_says() {
    for (name, size) in [("wlan.seq", 1 << 12), ("wpan.seq_no", 1 << 8), ("rtp.seq", 1 << 16)] {
        let packets = 3 * size / 2;
        let rows = came(packets).map(|n| format!("{:.2},{}\n", 0.01 * n as f64, (n + 100) % size));
        let text = format!("frame.time_relative,{name}\n{}", joined(rows));
        let link = one("t.csv", &text);
        assert!(bits(&link) == truth(packets), "{name}");
        assert_eq!(link.interval, Some(Span::from_millis(10)), "{name}");
    }
    // Retransmitted frames, and a late one after the wrap.
    let numbers = [4093, 4093, 4094, 0, 4095, 1, 3, 3];
    let text = format!("wlan.seq\n{}", joined(numbers.iter().map(|n| format!("{n}\n"))));
    assert_eq!(bits(&one("t.csv", &text)), "1111101");
    // Other names may be those of several runs.
    let rows = joined((0..9000).map(|n| format!("{}\n", n % 4096)));
    assert!(read("t.csv", format!("seq\n{rows}").as_bytes()).is_err());
}

#[test]
fn round_trip_times_are_no_time_stamps() {
    let rows = came(400).map(|n| format!("8.8.8.8,{n},57,{}\n", 5 + n * 7919 % 45));
    let link = one("t.csv", &format!("host,icmp_seq,ttl,time_ms\n{}", joined(rows)));
    assert!(bits(&link) == truth(400) && link.interval.is_none());
    assert!(link.notes.iter().any(|n| n.contains("they may be delays")), "{:?}", link.notes);
}

#[test]
fn events_of_packets_are_no_links() {
    for (sent, received) in [("tx", "rx"), ("SEND", "RECV")] {
        let rows = (0..300).flat_map(|n| {
            let event = |what: &str| format!("{}.{:03},{what},{n}\n", n / 50, n % 50 * 20);
            [Some(event(sent)), (!lost(n)).then(|| event(received))].into_iter().flatten()
        });
        let e = error("t.csv", format!("time_s,event,seq\n{}", joined(rows)));
        assert!(e.contains("what happened to a packet") && e.contains("one row for each"), "{e}");
    }
}

#[test]
fn numbers_without_a_row_beside_outcomes_are_named() {
    // Lost packets have a row but for every seventh.
    let listed = |n: &u64| !lost(*n) || !n.is_multiple_of(7);
    let row = |n: u64| format!("{n},{:.2},{}\n", 0.01 * n as f64, u8::from(!lost(n)));
    let text = format!("seq,time_s,crc_ok\n{}", joined((1..400).filter(listed).map(row)));
    let link = one("t.csv", &text);
    let missing = (1..400).filter(|n| !listed(n)).count();
    let note = format!("{missing} numbers have no row and are not counted");
    assert!(link.notes.iter().any(|n| n.contains(&note)), "{:?}", link.notes);
    let whole = one("t.csv", &format!("seq,time_s,crc_ok\n{}", joined((1..400).map(row))));
    assert!(!whole.notes.iter().any(|n| n.contains("no row")));
    // A question names the options that answer it.
    let rows = joined((0..60).map(|n| format!("{n},{}\n", ["0", "1", "1.0"][n % 3])));
    let e = error("t.csv", format!("seq,frame_valid\n{rows}"));
    assert!(e.contains("choose column \"frame_valid\" and kind received (1 = received)"), "{e}");
}

#[test]
fn times_are_known_by_their_unit_whatever_they_are_called() {
    let rows = joined((0..60).map(|n| {
        let rtt = if lost(n) { String::new() } else { format!("{},{:02}", 10 + n % 5, n % 97) };
        format!("{};0,{:03};{rtt}\r\n", n + 1, n * 5)
    }));
    let link = one("t.csv", &format!("Nr;Zeit (s);RTT (ms)\r\n{rows}"));
    assert_eq!(link.interval, Some(Span::from_millis(5)), "{:?}", link.notes);
    // Of several rising columns, the one that does not number rows is suggested.
    let rows = joined((0..60).map(|n| format!("{n},{},{}\n", 20 * n, u8::from(!lost(n)))));
    let link = one("t.csv", &format!("frame.number,instant,received\n{rows}"));
    assert!(link.notes.iter().any(|n| n.contains("\"instant\" rises")), "{:?}", link.notes);
}

#[test]
fn gaps_between_packets_are_no_time_stamps() {
    for name in ["delta_ms", "interval_ms", "tx_delta_ms"] {
        let row = |n: u64| format!("{n},{},{}\n", if n > 0 { 20 } else { 0 }, u8::from(!lost(n)));
        let link = one("t.csv", &format!("seq,{name},ok\n{}", joined((0..200).map(row))));
        assert!(link.interval.is_none(), "{name}: {:?} {:?}", link.interval, link.notes);
    }
}

#[test]
fn what_rows_alone_cannot_show_is_said() {
    let received = joined(came(200).map(|n| format!("{:.2},1\n", 0.02 * n as f64)));
    let notes = one("t.csv", &format!("time_s,ok\n{received}")).notes;
    assert!(notes.iter().any(|n| n.contains("their loss cannot be seen")), "{notes:?}");
    let rows = joined((0..200).map(|n| format!("{},{}\n", u8::from(!lost(n)), n % 5)));
    let notes = one("t.csv", &format!("received,rssi\n{rows}")).notes;
    assert!(notes[0].contains("rows taken in the order sent"), "{notes:?}");
    assert!(!notes.iter().any(|n| n.contains("cannot be seen")), "{notes:?}");
}

#[test]
fn the_column_that_may_tell_links_apart_is_named() {
    // Too few rows of each node to split the table by it.
    let rows = joined((0..90).map(|i| {
        let n = i * 37 % 90;
        format!("{},{},{}\n", n % 30, n * 7 % 45, u8::from(!lost(n)))
    }));
    let e = error("t.csv", format!("seq,node_id,received\n{rows}"));
    assert!(e.contains("(it may be \"node_id\")"), "{e}");
}

#[test]
fn whole_numbers_are_read_as_programs_write_them() {
    let row = |write: fn(u64) -> String| joined(came(200).map(|n| write(n) + "\n"));
    for rows in [row(|n| format!("{n}.0")), row(|n| format!("0x{n:04X}"))] {
        assert_eq!(bits(&one("t.csv", &format!("seq\n{rows}"))), truth(200));
    }
    assert!(error("t.csv", "seq\n5\n6.5\n").contains("whole number"));
}

#[test]
fn rates_may_have_decimal_commas() {
    let rows = joined((0..40).map(|n| format!("{};{},5\r\n", n * 1000, 250 + n)));
    let link = one("rates.csv", &format!("t_ms;kB/s\r\n{rows}"));
    let capacity = link.capacity.unwrap_or_else(|| panic!("{:?}", link.notes));
    let mean = capacity.mean_bps();
    assert!((mean / (8e3 * 270.0) - 1.0).abs() < 0.02, "{mean}");
}
