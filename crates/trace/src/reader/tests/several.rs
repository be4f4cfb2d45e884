//! Tables of several links or runs whose numbers repeat.

use super::*;

/// Whether packet `number` of `link` was received.
const fn came(link: u32, number: u32) -> bool {
    !(number.wrapping_mul(2_654_435_761).wrapping_add(link * 977) >> 16).is_multiple_of(3 + link)
}

fn truth(link: u32, packets: u32) -> String {
    (0..packets).map(|n| if came(link, n) { '1' } else { '0' }).collect()
}

/// Rows "name,number,outcome" of two links, by turns or one after the other.
fn rows(names: [&str; 2], packets: u32, by_turns: bool) -> String {
    let row = |link: u32, n| format!("{},{n},{}\n", names[link as usize], u8::from(came(link, n)));
    if by_turns {
        (0..packets).flat_map(|n| [row(0, n), row(1, n)]).collect()
    } else {
        (0..2)
            .flat_map(|link| (0..packets).map(move |n| (link, n)))
            .map(|(l, n)| row(l, n))
            .collect()
    }
}

#[test]
fn numbers_that_repeat_are_split_by_the_column_that_tells() {
    for header in ["node", "flow", "receiver_id", "channel", "run", "x"] {
        for by_turns in [true, false] {
            for packets in [40, 3000] {
                let text =
                    format!("{header},seq,received\n{}", rows(["7", "B"], packets, by_turns));
                let links = read("t.csv", text.as_bytes()).unwrap_or_else(|e| panic!("{e}"));
                let found: Vec<_> = links.iter().map(|l| (l.name.as_str(), bits(l))).collect();
                assert!(
                    found == [("t:7", truth(0, packets)), ("t:B", truth(1, packets))],
                    "{header} {by_turns} {packets}: {}",
                    found.len()
                );
                assert_eq!(links[1].labels[header], "B");
                let says =
                    format!("column \"seq\" repeat, and column \"{header}\" tells 2 links apart");
                assert!(links[0].notes.join(";").contains(&says), "{:?}", links[0].notes);
            }
        }
    }
}

#[test]
fn arrivals_and_received_numbers_are_split_as_well() {
    let table = |header: &str, row: &dyn Fn(u32, u32) -> Option<String>| {
        let rows = (0..900).flat_map(|n| [row(0, n), row(1, n)]).flatten();
        format!("{header}\n{}", rows.collect::<String>())
    };
    let sent = |link, n| 0.01 * f64::from(n) + 0.002 * f64::from(link);
    let arrivals = table("time_s,node,seq,rtt_ms", &|link, n| {
        let rtt = if came(link, n) { format!("{}.{}", 3 + n % 2, n % 7) } else { String::new() };
        Some(format!("{:.3},{link},{n},{rtt}\n", sent(link, n)))
    });
    let numbers = table("time_s,node,seq", &|link, n| {
        came(link, n).then(|| format!("{:.3},{link},{n}\n", sent(link, n)))
    });
    for (text, cut) in [(arrivals, false), (numbers, true)] {
        let links = read("t.csv", text.as_bytes()).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(links.len(), 2);
        for (i, link) in (0..).zip(&links) {
            let whole = truth(i, 900);
            let expected = if cut { whole.trim_matches('0') } else { whole.as_str() };
            assert!(bits(link) == expected, "{:?}", link.notes);
            assert_eq!(link.interval, Some(Span::from_millis(10)));
        }
    }
}

#[test]
fn numbers_that_repeat_without_a_column_that_tells_are_refused() {
    let bare = |text: &str| -> String {
        joined(text.lines().map(|line| format!("{}\n", line.split_once(',').unwrap().1)))
    };
    for by_turns in [true, false] {
        let text = format!("seq,received\n{}", bare(&rows(["a", "b"], 300, by_turns)));
        let e = error("t.csv", &text);
        assert!(e.contains("300 of 600 rows repeat the number of another row"), "{e}");
        assert!(e.contains("name the column that tells the links apart \"link\""), "{e}");
        assert!(e.contains("choose column \"received\" and kind received"), "{e}");
        let chosen = ReadOptions {
            column: Some("received".to_owned()),
            kind: Some(ColumnKind::Received),
            ..ReadOptions::default()
        };
        assert_eq!(read_as("t.csv", &text, &chosen).unwrap()[0].outcomes.len(), 600);
    }
    // A column with numbers of both links under each value does not separate them.
    let bare = bare(&rows(["a", "b"], 300, true));
    let levels = (0..).zip(bare.lines()).map(|(i, line)| format!("-{},{line}\n", 60 + i % 7));
    let levels = joined(levels);
    let e = error("t.csv", format!("rssi,seq,received\n{levels}"));
    assert!(e.contains("repeat the number"), "{e}");
}

#[test]
fn counters_that_wrap_and_packets_tried_again_are_one_link() {
    let wrapping = (0..3000).map(|n| format!("{},{},{}\n", n % 256, n / 100, u8::from(came(0, n))));
    let wrapping = joined(wrapping);
    let link = one("t.csv", &format!("seq,second,received\n{wrapping}"));
    assert!(bits(&link) == truth(0, 3000));
    // Transmits until it is received, four times at most.
    let mut tried = Vec::new();
    for number in 0..600u32 {
        for attempt in 0..4 {
            let received = came(attempt, number);
            tried.push((number, attempt, received));
            if received {
                break;
            }
        }
    }
    let rows = tried.iter().map(|(n, a, received)| format!("{n},{a},{}\n", u8::from(*received)));
    let rows = joined(rows);
    let link = one("t.csv", &format!("seq,attempt,acked\n{rows}"));
    assert_eq!(link.outcomes.len(), tried.len());
    assert!(link.outcomes.iter().eq(tried.iter().map(|(_, _, received)| *received)));
}

#[test]
fn channels_that_a_sender_hops_over_are_no_links() {
    // Each packet on the next of 16 channels, every seventh twice.
    let rows = (0..1600u32).flat_map(|n| {
        let times = if n % 7 == 0 { 2 } else { 1 };
        (0..times).map(move |again| format!("{n},{},3.{}\n", (5 * n + again) % 16, n % 9))
    });
    let e = error("t.csv", format!("seq,channel,rtt_ms\n{}", joined(rows)));
    assert!(e.contains("repeat the number of another row"), "{e}");
}
