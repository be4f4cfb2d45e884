//! Ambiguous columns and files.

use super::*;

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
    assert!(error("seen.txt", &constant).contains("give --layout mahimahi"));
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
