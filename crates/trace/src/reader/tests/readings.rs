//! Ambiguous columns and files.

use super::*;

fn numbers(rows: u32, cell: impl Fn(u32) -> String) -> String {
    joined((0..rows).map(|i| format!("{i},{}\n", cell(i))))
}

/// Scattered numbers, the same in each run.
const fn scattered(i: u32) -> u32 {
    i.wrapping_mul(2_654_435_761) >> 16
}

#[test]
fn shares_and_counts_are_no_receive_times() {
    let share = |i| format!("{}", f64::from(90 + scattered(i) % 11) / 100.0);
    let any = |i| format!("0.{:04}", scattered(i) % 10_000);
    let halves = |i| ["0.0", "0.5", "1.0"][scattered(i) as usize % 3].to_owned();
    let count = |i| format!("{}", 97 + scattered(i) % 4);
    let grown = |i| format!("{}", 2 + i - i / 9);
    let cells: [&dyn Fn(u32) -> String; 5] = [&share, &any, &halves, &count, &grown];
    for cell in cells {
        let e = error("t.csv", format!("seq,received\n{}", numbers(300, cell)));
        assert!(e.contains("column \"received\" holds neither 0 and 1"), "{e}");
        let column = joined((0..300).map(|i| format!("{}\n", cell(i))));
        let e = error("t.csv", format!("received\n{column}"));
        assert!(e.contains("in column received; expected 0 or 1"), "{e}");
    }
}

#[test]
fn receive_times_named_received_are_read_in_any_order() {
    // 25 ms of jitter between packets 10 ms apart.
    let came = |i: u32| f64::from(i) / 100.0 + f64::from(scattered(i) % 25) / 1000.0;
    let row = |i: u32| match i % 7 {
        3 => format!("{i},\n"),
        _ => format!("{i},{:.3}\n", 5.0 + came(i)),
    };
    let truth: String = (0..300).map(|i| if i % 7 == 3 { '0' } else { '1' }).collect();
    let ordered: Vec<String> = (0..300).map(row).collect();
    let mut shuffled = ordered.clone();
    shuffled.sort_by_key(|row| scattered(row.split(',').next().unwrap().parse().unwrap()));
    for rows in [ordered, shuffled] {
        assert_eq!(bits(&one("t.csv", &format!("seq,received\n{}", rows.concat()))), truth);
    }
    // Whole seconds.
    let coarse = |i: u32| if i % 7 == 3 { String::new() } else { "1716900000".to_owned() };
    assert_eq!(bits(&one("t.csv", &format!("seq,received\n{}", numbers(300, coarse)))), truth);
}

#[test]
fn slow_links_of_mahimahi_are_known_by_their_names() {
    let constant = joined((1..=500).map(|ms| format!("{ms}\n")));
    let slow = joined((1..=500).map(|ms| format!("{}\n", 6 * ms)));
    for name in ["x.down", "x.up", "saw.trace", "saw.trace.xz", "A.DOWN"] {
        for text in [&constant, &slow] {
            let link = one(name, text);
            assert_eq!(link.source.layout, "mahimahi", "{name}");
            assert!(link.capacity.is_some() && link.outcomes.is_empty());
        }
    }
    let said = |text: &str| {
        let link = one("seen.txt", text);
        assert_eq!(link.source.layout, "table");
        link.notes.join("; ")
    };
    assert!(said(&constant).contains("milliseconds of a mahimahi link trace, give --layout"));
    assert!(!said("3\n4\n6\n5\n7\n").contains("mahimahi"));
}

#[test]
fn times_of_rates_since_1970_tell_their_unit() {
    let s = Span::from_secs;
    let expected = Capacity::rates(&[(s(0), 10_000_000), (s(1), 2_000_000), (s(2), 0)], s(3));
    let start = 1_716_900_000u64;
    let table = |header: &str, scale: u64| {
        let rows = [10, 2, 0].into_iter().zip(start..);
        let rows = rows.map(|(rate, at)| format!("{},{rate}\n", at * scale));
        format!("{header}\n{}", rows.collect::<String>())
    };
    for (text, says) in [
        (table("timestamp,rate_mbps", 1), "seconds since 1970"),
        (table("timestamp,rate_mbps", 1000), "milliseconds since 1970"),
        (table("time,rate_mbps", 1_000_000), "microseconds since 1970"),
        (table("time,rate_mbps", 1_000_000_000), "nanoseconds since 1970"),
        (table("time_us,rate_mbps", 1_000_000), "units of 1 us, by their column's name"),
        ("time,rate_mbps\n2024-05-01T12:00:00Z,10\n2024-05-01T12:00:01Z,2\n2024-05-01T12:00:02Z,0\n".into(), "dates"),
        ("time,rate_mbps\n0,10\n1,2\n2,0\n".into(), "for seconds; --time-unit"),
    ] {
        let link = one("r.csv", &text);
        assert_eq!(link.capacity.as_deref(), expected.as_ref(), "{text}");
        assert!(link.notes[1].contains(says), "{:?}", link.notes);
    }
    for (header, scale, says) in [
        ("time_s,rate_mbps", 1000, "beyond the year 3000 in the unit of its name"),
        ("time_ms,rate_mbps", 1, "would hold seconds since 1970 in the unit of its name"),
    ] {
        let e = error("r.csv", table(header, scale));
        assert!(e.contains(says) && e.contains("--time-unit"), "{e}");
    }
}

#[test]
fn minus_one_among_negative_delays_is_a_delay() {
    let delays = |blank: &str| {
        let row = |i: u32| match i {
            _ if i % 10 == 7 => format!("{i},{blank}\n"),
            _ => format!("{i},{}\n", i64::from(scattered(i) % 5) - 3),
        };
        format!("seq,owd_ms\n{}", (0..300).map(row).collect::<String>())
    };
    let link = one("t.csv", &delays(""));
    assert_eq!(link.outcomes.received(), 270, "{:?}", link.notes);
    assert!(!link.notes.join(";").contains("taken for lost"), "{:?}", link.notes);
    assert!(link.notes.join(";").contains("of 270 delays in column"), "{:?}", link.notes);
    // A wrong time among marks.
    let marks = "seq,rtt_ms\n0,31\n1,-1\n2,-7\n3,-1\n4,30.5\n5,-1\n6,31\n7,32\n";
    assert_eq!(bits(&one("t.csv", marks)), "10101011");
}

#[test]
fn columns_of_one_name_are_asked_about() {
    let text = "seq,received,received\n0,0,1\n1,1,0\n2,0,1\n";
    let says =
        "columns 2 and 3 are both named \"received\": choose one by its number (--column 2 or 3)";
    let e = error("t.csv", text);
    assert!(e.contains(says), "{e}");
    let column = |c: &str| ReadOptions { column: Some(c.into()), ..ReadOptions::default() };
    let e = read_as("t.csv", text, &column("Received")).unwrap_err().to_string();
    assert!(e.contains(says), "{e}");
    assert_eq!(bits(&read_as("t.csv", text, &column("2")).unwrap()[0]), "010");
    assert_eq!(bits(&read_as("t.csv", text, &column("3")).unwrap()[0]), "101");
    let e = error("t.csv", "time_s,time_s,received\n0,5,1\n1,7,0\n2,9,1\n");
    assert!(e.contains("--time-column 1 or 2"), "{e}");
    let e = error("t.csv", "seq,seq,received\n0,5,1\n1,7,0\n2,9,1\n");
    assert!(
        e.contains("columns 1 and 2 are both named \"seq\": name one of them otherwise"),
        "{e}"
    );
    // Two equal columns are not ambiguous.
    assert_eq!(bits(&one("t.csv", "seq,received,seq\n0,1,0\n1,0,1\n2,1,2\n")), "101");
}

#[test]
fn an_interval_of_zero_in_a_comment_is_refused() {
    let e = error("t.txt", "# airtcp: interval=0s\n0110\n");
    assert!(e.contains("t.txt, line 1: found \"interval=0s\"; expected a duration above 0"), "{e}");
}

#[test]
fn replies_after_the_next_request_are_counted_whatever_overtook_them() {
    let mut log = String::from("PING a (10.0.0.2) 56(84) bytes of data.\n");
    let at = |sent: f64, words: String| format!("[{:.3}] {words}\n", 100.0 + sent);
    let reply = |n: u32| format!("64 bytes from a: icmp_seq={n} ttl=1 time=2 ms");
    for n in 1..=30 {
        let sent = 0.1 * f64::from(n);
        if n % 5 == 1 {
            log += &at(sent + 0.1, format!("no answer yet for icmp_seq={n}"));
        } else {
            log += &at(sent, reply(n));
        }
        if n % 5 == 4 {
            log += &at(sent, reply(n - 3));
        }
    }
    log += "30 packets transmitted, 30 received, 0% packet loss, time 2900ms\n";
    let notes = one("late.log", &log).notes.join("; ");
    assert!(notes.contains("6 replies came after the next request was sent, and count"), "{notes}");
    assert!(!notes.contains("overtook"), "{notes}");
}
