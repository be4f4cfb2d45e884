//! Logs of ping and fping that contradict their totals, or are not in English.

use super::*;

/// A log of iputils: a line each of `numbers`, then the totals.
fn ping(header: &str, numbers: impl Iterator<Item = u64>, totals: &str) -> String {
    let lines: Vec<String> = numbers
        .map(|n| format!("64 bytes from 10.0.0.1: icmp_seq={n} ttl=57 time=9.8 ms\n"))
        .collect();
    let lines = lines.concat();
    format!("{header}{lines}\n--- 10.0.0.1 ping statistics ---\n{totals}\n")
}

const HEADER: &str = "PING 10.0.0.1 (10.0.0.1) 56(84) bytes of data.\n";

#[test]
fn totals_without_packets_are_no_dead_link() {
    let totals = "20 packets transmitted, 18 received, 10% packet loss, time 315ms";
    let quiet = error("q.log", ping(HEADER, 0..0, totals));
    assert!(quiet.contains("the totals of ping alone (18 of 20 received)"), "{quiet}");
    assert!(quiet.contains("ping -D -O"), "{quiet}");
    // A link that delivers nothing is a dead link.
    let dead = "20 packets transmitted, 0 received, 100% packet loss, time 315ms";
    assert_eq!(bits(&one("q.log", &ping(HEADER, 0..0, dead))), "0".repeat(20));
    let flood = error("f.log", format!("{HEADER}.\u{8} \u{8}..\u{8} \u{8}\n"));
    assert!(flood.contains("the dots of ping -f"), "{flood}");
}

#[test]
fn ping_in_another_language_is_named() {
    let reply = "64 Bytes von 10.0.0.1: icmp_seq=1 ttl=57 Zeit=9,8 ms\n";
    let english = "\n1 packets transmitted, 1 received, 0% packet loss, time 0ms\n";
    for log in [
        format!("{HEADER}{reply}{english}"),
        format!("PING 10.0.0.1 (10.0.0.1) 56(84) Bytes an Daten.\n{reply}"),
        "64 octets de 10.0.0.1 : icmp_seq=1 ttl=57 temps=9,8 ms\n".to_owned(),
    ] {
        let e = error("de.log", &log);
        assert!(e.contains("another language than English") && e.contains("LC_ALL=C"), "{e}");
    }
}

#[test]
fn a_log_without_its_beginning_starts_later() {
    let totals = "30 packets transmitted, 27 received, 10% packet loss, time 29000ms";
    let kept = |n: &u64| !matches!(n, 4 | 15 | 29);
    for header in ["", HEADER] {
        let link = one("cut.log", &ping(header, (11..=30).filter(kept), totals));
        assert_eq!(bits(&link), "11110111111111111101", "{header}");
        let note = "the log begins with packet number 11";
        assert!(link.notes.iter().any(|n| n.starts_with(note)), "{:?}", link.notes);
    }
    // All replies are there: the first ones were lost.
    let totals = "30 packets transmitted, 18 received, 40% packet loss, time 29000ms";
    let link = one("lead.log", &ping("", (11..=30).filter(kept), totals));
    assert_eq!(bits(&link), format!("{}11110111111111111101", "0".repeat(10)));
    let fping = |totals: &str| {
        let lines = (5..9).map(|n| format!("a : [{n}], 64 bytes, 0.05 ms (0.05 avg, 0% loss)\n"));
        format!("{}{totals}", lines.collect::<String>())
    };
    for (totals, expected) in [
        ("\na : xmt/rcv/%loss = 10/9/10%, min/avg/max = 1/2/3\n", "11110"),
        ("\na : xmt/rcv/%loss = 10/4/60%, min/avg/max = 1/2/3\n", "0000011110"),
        ("", "1111"),
    ] {
        assert_eq!(bits(&one("f.log", &fping(totals))), expected, "{totals}");
    }
}

#[test]
fn lines_and_totals_that_differ_are_refused() {
    let refusal = |totals: &str| error("bad.log", ping(HEADER, 1..=40, totals));
    let e = refusal("30 packets transmitted, 40 received, 0% packet loss, time 29000ms");
    assert!(e.contains("30 packets were sent, while their numbers reach the 40th"), "{e}");
    let e = refusal("50 packets transmitted, 45 received, 10% packet loss, time 29000ms");
    assert!(e.contains("40 replies, while its summary says that 45 were received"), "{e}");
}

#[test]
fn ipv6_counts_from_one() {
    let totals = "10 packets transmitted, 9 received, 10% packet loss, time 9000ms";
    let log = ping("PING ::1(::1) 56 data bytes\n", 1..=9, totals);
    let link = one("v6.log", &log);
    assert_eq!((bits(&link).as_str(), link.labels["dst"].as_str()), ("1111111110", "::1"));
    let (cut, _) = log.split_once("\n---").unwrap();
    assert_eq!(bits(&one("v6.log", cut)), "111111111");
}

#[test]
fn replies_slower_than_the_interval_are_no_disorder() {
    let lines = (1..=20).map(|n| {
        let sent = 100.0 + 0.2 * f64::from(n);
        format!(
            "[{:.3}] no answer yet for icmp_seq={n}\n[{:.3}] 64 bytes from a: icmp_seq={n} ttl=1 time=250 ms\n",
            sent + 0.2,
            sent + 0.25
        )
    });
    let totals = "20 packets transmitted, 20 received, 0% packet loss, time 4100ms\n";
    let link = one("late.log", &format!("{HEADER}{}{totals}", lines.collect::<String>()));
    assert_eq!((bits(&link), link.interval), ("1".repeat(20), Some(Span::from_millis(200))));
    let notes = link.notes.join("; ");
    assert!(notes.contains("20 replies came after the next request was sent"), "{notes}");
    assert!(!notes.contains("late") && !notes.contains("mean"), "{notes}");
}

#[test]
fn other_pings_are_refused_by_name() {
    let windows = "\r\nPinging 192.0.2.7 with 32 bytes of data:\r\nReply from 192.0.2.7: bytes=32 time=10ms TTL=57\r\n";
    let e = error("win.log", windows);
    assert!(e.contains("the output of Windows' ping"), "{e}");
    let json = "{\"resp\": {\"host\": \"192.0.2.7\", \"seq\": 0, \"size\": 64, \"rtt\": 9.5}}\n{\"timeout\": {\"host\": \"192.0.2.7\", \"seq\": 1}}\n";
    let e = error("f.json", json);
    assert!(e.contains("the JSON of fping") && e.contains("fping -D -l"), "{e}");
}

#[test]
fn unreachable_hosts_are_no_duplicates_and_duplicates_are_told() {
    let reply = |n: u32| format!("64 bytes from 10.0.0.1: icmp_seq={n} ttl=57 time=9.8 ms\n");
    let unreachable = |n: u32| {
        format!(
            "no answer yet for icmp_seq={n}\nFrom 10.0.0.9 icmp_seq={n} Destination Host Unreachable\n"
        )
    };
    let dup = reply(3).replace(" ms", " ms (DUP!)");
    let lines =
        [reply(1), reply(2), reply(3), dup.clone(), dup, unreachable(4), unreachable(5), reply(6)];
    let totals = "6 packets transmitted, 4 received, +2 duplicates, +2 errors, 33% packet loss, time 5000ms\n";
    let link = one("u.log", &format!("{HEADER}{}\n{totals}", lines.concat()));
    assert_eq!(bits(&link), "111001");
    let notes = link.notes.join("\n");
    assert!(!notes.contains("duplicate sequence numbers"), "{notes}");
    assert!(
        notes.contains(
            "2 packets were reported lost by ICMP errors, such as \"Destination Host Unreachable\""
        ),
        "{notes}"
    );
    assert!(notes.contains("2 duplicate replies ignored"), "{notes}");
    // A duplicate that is not marked.
    let link = one("d.log", &format!("{HEADER}{}{}", reply(1), reply(1)));
    assert!(link.notes.iter().any(|n| n == "1 duplicate reply ignored"), "{:?}", link.notes);
}

#[test]
fn one_late_reply_is_one() {
    let log = format!(
        "{HEADER}no answer yet for icmp_seq=1\n64 bytes from a: icmp_seq=1 ttl=1 time=1250 ms\n"
    );
    let link = one("late.log", &log);
    assert!(
        link.notes.iter().any(|n| n.starts_with("1 reply came after the next request")),
        "{:?}",
        link.notes
    );
}

/// Stamps of a millisecond or a second, or few replies: the median gap is off by a step.
#[test]
fn the_interval_of_coarse_stamps_is_time_over_numbers() {
    let log = |interval: f64, stamp_step: f64, kept: &dyn Fn(u64) -> bool| {
        let lines = (1..=400).filter(|n| kept(*n)).map(|n| {
            let at = 1e9 + (interval * n as f64 / stamp_step).floor() * stamp_step;
            format!("[{at:.6}] 64 bytes from a: icmp_seq={n} ttl=1 time=5 ms\n")
        });
        format!("{HEADER}{}", lines.collect::<String>())
    };
    for (interval, stamp_step) in [(0.0204, 0.001), (1.5, 1.0), (0.3, 1.0), (0.2, 1e-6)] {
        for thin in [false, true] {
            let kept = move |n: u64| !thin || n * 7919 % 10 < 3;
            let link = one("c.log", &log(interval, stamp_step, &kept));
            let found = link.interval.map_or(0.0, Span::as_secs_f64);
            assert!((found / interval - 1.0).abs() < 0.01, "{interval} {stamp_step}: {found}");
            let said = link.notes.iter().any(|n| n.contains("time stamps are coarse"));
            assert!(thin || said == (stamp_step > 0.0005), "{:?}", link.notes);
        }
    }
    // A pause of the whole machine is no part of the interval.
    let paused = (1..=100).map(|n| {
        let at = 1e9 + 0.2 * f64::from(n) + if n > 50 { 3600.0 } else { 0.0 };
        format!("[{at:.6}] 64 bytes from a: icmp_seq={n} ttl=1 time=5 ms\n")
    });
    let paused: String = paused.collect();
    let link = one("p.log", &format!("{HEADER}{paused}"));
    let found = link.interval.map_or(0.0, Span::as_secs_f64);
    assert!((found - 0.2).abs() < 0.001, "{found}");
    assert!(link.notes.iter().any(|n| n.contains("not evenly spaced")), "{:?}", link.notes);
}
