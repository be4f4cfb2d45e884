//! Tables that are easily misread: unsorted rows, several runs, loss markers, outcomes beside
//! numbers without gaps.

use super::*;

/// Every seventh packet is lost, the last one too.
const fn lost(number: u64) -> bool {
    number % 7 == 3
}

fn truth(packets: u64) -> String {
    (0..packets).map(|n| if lost(n) { '0' } else { '1' }).collect()
}

/// Rows "number, sent, received" from `start` seconds on, `mark` for lost packets.
fn rows(packets: u64, start: f64, mark: &str) -> Vec<String> {
    let row = |n| {
        let sent = start + 0.01 * n as f64;
        let came = if lost(n) { mark.to_owned() } else { format!("{:.3}", sent + 0.02) };
        format!("{n},{sent:.3},{came}\n")
    };
    (0..packets).map(row).collect()
}

/// A cell longer than the kept characters.
const LONG: &str = "the packet came to the receiver and was acknowledged";

const EPOCH: f64 = 1_714_550_000.0;

fn table(rows: &[String]) -> String {
    format!("seq,send_time_s,recv_time_s\n{}", rows.concat())
}

#[test]
fn rows_in_another_order_are_sorted() {
    for packets in [900, 3000] {
        let expected = truth(packets);
        let whole = rows(packets, 0.0, "");
        let is_lost = |row: &String| row.ends_with(",\n");
        let mut by_arrival: Vec<_> = whole.iter().filter(|row| !is_lost(row)).cloned().collect();
        by_arrival.extend(whole.iter().filter(|row| is_lost(row)).cloned());
        let mut shuffled = whole.clone();
        shuffled.sort_by_key(|row| {
            row.split(',').next().unwrap().parse::<u64>().unwrap() * 7919 % 5003
        });
        let backwards: Vec<_> = whole.iter().rev().cloned().collect();
        for order in [&by_arrival, &shuffled, &backwards] {
            let link = one("t.csv", &table(order));
            assert!(bits(&link) == expected, "{}", link.outcomes.len());
            assert_eq!(link.interval, Some(Span::from_millis(10)));
            let note = "the rows are not in the order of the packets' numbers";
            assert!(link.notes.iter().any(|n| n.starts_with(note)), "{:?}", link.notes);
        }
        let outcomes = shuffled.iter().map(|row| {
            let number = row.split(',').next().unwrap();
            format!("{number},{}\n", u8::from(!is_lost(row)))
        });
        let link = one("t.csv", &format!("seq,received\n{}", outcomes.collect::<String>()));
        assert!(bits(&link) == expected);
    }
}

#[test]
fn several_runs_in_one_file_are_not_merged() {
    let two = |n| [rows(n, EPOCH, ""), rows(n / 2, EPOCH + 100.0, "")].concat();
    for packets in [40, 800] {
        let e = error("t.csv", table(&two(packets)));
        assert!(e.contains("several runs") && e.contains("one file a run"), "{e}");
    }
    let numbers: Vec<String> =
        (0..800).chain(0..300).filter(|n| !lost(*n)).map(|n| format!("{n}\n")).collect();
    let e = error("t.csv", format!("seq\n{}", numbers.concat()));
    assert!(e.contains("several runs"), "{e}");
    // A few duplicate packets are no second run.
    let mut twice = rows(800, EPOCH, "");
    for n in (0..800).rev().step_by(40).filter(|n| !lost(*n as u64)) {
        twice.insert(n, twice[n].clone());
    }
    let link = one("t.csv", &table(&twice));
    assert_eq!(bits(&link), truth(800));
    assert!(link.notes.iter().any(|n| n.contains("duplicate")), "{:?}", link.notes);
}

#[test]
fn a_receive_time_of_zero_is_a_loss() {
    for (start, mark) in [(EPOCH, "0"), (EPOCH, "0.000000"), (5.0, "0")] {
        let text = table(&rows(300, start, mark));
        for text in [text.clone(), text.replace("send_time_s,recv_time_s", "sent,recv")] {
            let link = one("t.csv", &text);
            assert!(bits(&link) == truth(300), "{start} {mark}");
            let note = "43 rows hold a receive time of 0";
            assert!(link.notes.iter().any(|n| n.starts_with(note)), "{:?}", link.notes);
        }
    }
    let rtts = |mark: &str| {
        let row = |n: u64| {
            let rtt =
                if lost(n) { mark.to_owned() } else { format!("{}.{}", 10 + n % 3, n * 37 % 100) };
            format!("{n},{rtt}\n")
        };
        format!("seq,rtt_ms\n{}", (0..300).map(row).collect::<String>())
    };
    for mark in ["0", "9999", "-9999", "1000.00"] {
        let e = error("t.csv", rtts(mark));
        assert!(e.contains("stands in 43 of 300 rows of column \"rtt_ms\""), "{e}");
    }
    let options = ReadOptions {
        column: Some("rtt_ms".to_owned()),
        kind: Some(ColumnKind::Arrival),
        ..ReadOptions::default()
    };
    assert_eq!(read_as("t.csv", &rtts("0"), &options).unwrap()[0].outcomes.received(), 300);
    assert_eq!(bits(&one("t.csv", &rtts(""))), truth(300));
}

#[test]
fn times_that_begin_at_zero_hold_no_loss_mark() {
    for packets in [12, 38] {
        let whole = rows(packets, 0.0, "");
        let arrivals: Vec<String> = whole
            .iter()
            .map(|row| row.split(',').collect::<Vec<_>>())
            .map(|cells| [cells[0], cells[2]].join(","))
            .collect();
        // From the first arrival on.
        let table = arrivals.concat().replacen("0,0.020", "0,0", 1);
        assert_eq!(bits(&one("t.csv", &format!("seq,recv_time_s\n{table}"))), truth(packets));
    }
}

/// Sorted numbers far apart make a long record of few rows: the limit applies before the record is
/// made.
#[test]
fn a_record_that_sorting_makes_long_is_refused() {
    let rows: Vec<String> = (1..2000).rev().map(|n| format!("{}\n", 900 * n + n % 7)).collect();
    let options = ReadOptions { max_packets: 10_000, ..ReadOptions::default() };
    let text = format!("seq\n{}", rows.concat());
    let e = read_as("t.csv", &text, &options).unwrap_err().to_string();
    assert!(e.contains("more than 10000 packets"), "{e}");
}

#[test]
fn a_gapless_sequence_hides_no_outcomes() {
    let table = |header: &str, came: &str, mark: &str| {
        let rows = (0..60).map(|n| format!("{n},{}\n", if lost(n) { mark } else { came }));
        format!("seq,{header}\n{}", rows.collect::<String>())
    };
    let outcomes = one("t.csv", &table("received", "100%", "0%"));
    assert_eq!(bits(&outcomes), truth(60));
    for (header, came, mark, says) in [
        ("state", "HERE", "MISSING", "holds \"HERE\" and \"MISSING\" only"),
        ("comment", "", "lost", "holds \"\" and \"lost\" only"),
        ("answer", "reply", "", "name it received"),
        ("rx_bytes", "1500", "0", "name it received"),
        ("state", LONG, "gone", "name it received"),
        ("code", "0", "1", "choose column \"code\" and kind received (1 = received) or lost"),
        ("received", "1500", "0", "column \"received\" holds neither 0 and 1"),
        ("status", "0", "1", "programs often say 0 for a success"),
    ] {
        let e = error("t.csv", table(header, came, mark));
        assert!(e.contains(says), "{header}: {e}");
    }
    for (column, kind) in [("code", ColumnKind::Lost), ("status", ColumnKind::Lost)] {
        let options = ReadOptions {
            column: Some(column.to_owned()),
            kind: Some(kind),
            ..ReadOptions::default()
        };
        let link = read_as("t.csv", &table(column, "0", "1"), &options).unwrap();
        assert_eq!(bits(&link[0]), truth(60));
    }
}

#[test]
fn decimal_commas_and_the_line_of_excel() {
    let commas = table(&rows(60, 0.0, "")).replace(',', ";").replace('.', ",");
    for text in [commas.clone(), format!("\u{feff}sep=;\r\n{commas}")] {
        let link = one("t.csv", &text);
        assert_eq!((bits(&link), link.interval), (truth(60), Some(Span::from_millis(10))));
    }
}

#[test]
fn counts_are_no_outcomes() {
    let rows: Vec<String> = (0..60).map(|n| format!("{n},100,{}\n", u8::from(lost(n)))).collect();
    let rows = rows.concat();
    for header in ["time_s,sent,lost", "second,packets,lost"] {
        let e = error("t.csv", format!("{header}\n{rows}"));
        assert!(e.contains("holds counts above 1") && e.contains("one row a packet"), "{e}");
    }
    // A time of sending is no count.
    let times: Vec<String> =
        (0..60).map(|n| format!("{},{}\n", 1000 + 20 * n, u8::from(lost(n)))).collect();
    let times = times.concat();
    assert_eq!(bits(&one("t.csv", &format!("sent_ms,lost\n{times}"))), truth(60));
}

#[test]
fn empty_lines_of_one_column_are_losses() {
    let text: Vec<String> =
        (0..60).map(|n| if lost(n) { "\n".to_owned() } else { format!("10.{n}\n") }).collect();
    let text = text.concat();
    assert_eq!(bits(&one("t.csv", &format!("rtt_ms\n{text}"))), truth(60));
}

#[test]
fn sent_and_recv_are_times() {
    let ms = |text: &str| one("t.csv", text).interval.map(|i| i.as_secs_f64() * 1e3);
    for names in ["sent,recv", "sent_s,recv_s", "tx_s,rx_s"] {
        let text = table(&rows(60, EPOCH, "")).replace("send_time_s,recv_time_s", names);
        assert_eq!(ms(&text), Some(10.0), "{names}");
    }
    assert_eq!(ms("seq,sent_ms,recv_ms\n0,0,30\n1,20,50\n2,40,\n"), Some(20.0));
    assert_eq!(ms("seq,sent_us,rtt_us\n0,0,310\n1,2000,300\n2,4000,\n"), Some(2.0));
    let link = one("t.csv", "seq,instant,received\n0,0,1\n1,20,1\n2,40,0\n3,60,1\n");
    assert!(
        link.notes.iter().any(|n| n.contains("\"instant\" rises by the same")),
        "{:?}",
        link.notes
    );
}

/// A sender's table without numbers: jittered send times, receive times in another column.
fn by_time(packets: u64, header: &str) -> (String, Vec<String>) {
    let row = |n: u64| {
        let sent = EPOCH + 0.01 * n as f64 + 1e-6 * (n * 7919 % 997) as f64;
        let came = if lost(n) { String::new() } else { format!("{:.6}", sent + 0.02) };
        format!("{sent:.6},{came}\n")
    };
    (format!("{header}\n"), (0..packets).map(row).collect())
}

#[test]
fn rows_without_numbers_are_put_into_the_order_of_their_send_times() {
    for header in ["send_time,recv_time", "sent_s,rtt_s", "time,rtt_ms"] {
        let (header, whole) = by_time(900, header);
        let is_lost = |row: &&String| row.ends_with(",\n");
        let came = || whole.iter().filter(|row| !is_lost(row)).cloned();
        let gone = || whole.iter().filter(is_lost).cloned();
        let orders: [Vec<String>; 4] = [
            came().chain(gone()).collect(),
            gone().chain(came()).collect(),
            whole.iter().rev().cloned().collect(),
            (0..900).map(|n| whole[n * 7919 % 900].clone()).collect(),
        ];
        for order in &orders {
            let link = one("t.csv", &format!("{header}{}", order.concat()));
            assert!(bits(&link) == truth(900), "{header}");
            let note = "; rows put into order of \"";
            assert!(link.notes[0].contains(note), "{:?}", link.notes);
            assert!(!link.notes.iter().any(|n| n.contains("backwards")), "{:?}", link.notes);
            let ms = link.interval.map_or(0.0, |i| i.as_secs_f64() * 1e3);
            assert!((ms - 10.0).abs() < 0.2, "{ms}");
        }
        let link = one("t.csv", &format!("{header}{}", whole.concat()));
        assert!(!link.notes[0].contains("put into order"), "{:?}", link.notes);
    }
}

#[test]
fn outcomes_without_numbers_are_put_into_the_order_of_their_times() {
    let row = |n: u64| format!("{},{}\n", 20 * n + n * 7 % 5, u8::from(!lost(n)));
    let gone = (0..700).filter(|n| lost(*n)).map(row);
    let rows: String = gone.chain((0..700).filter(|n| !lost(*n)).map(row)).collect();
    let link = one("t.csv", &format!("t_ms,received\n{rows}"));
    assert!(bits(&link) == truth(700));
    assert!(link.notes[0].ends_with("rows put into order of \"t_ms\""), "{:?}", link.notes);
    // Each link of a table is sorted by itself; one of them is in order.
    let mixed: Vec<String> = (0..600)
        .map(|i| {
            let n = if i < 300 { i } else { 599 - i };
            format!("{},{},{}\n", 20 * n, if i < 300 { "a" } else { "b" }, u8::from(!lost(n)))
        })
        .collect();
    let links =
        read("t.csv", format!("t_ms,link,received\n{}", mixed.concat()).as_bytes()).unwrap();
    assert!(links.iter().all(|link| bits(link) == truth(300)));
    let said = |i: usize| links[i].notes[0].contains("put into order");
    assert_eq!((said(0), said(1)), (false, true));
}

#[test]
fn rows_whose_order_cannot_be_told_are_refused() {
    let (header, whole) = by_time(900, "send_time,recv_time");
    let (gone, came): (Vec<_>, Vec<_>) = whole.iter().cloned().partition(|r| r.ends_with(",\n"));
    let sorted = [came, gone].concat();
    // Whole seconds: a hundred packets in each.
    let coarse = sorted.iter().map(|row| format!("{}{}", &row[..10], &row[17..]));
    let e = error("t.csv", format!("{header}{}", coarse.collect::<String>()));
    assert!(e.contains("\"send_time\"") && e.contains("the same time as others"), "{e}");
    assert!(e.contains("a column of sequence numbers"), "{e}");
    // A row without the time.
    let blank = format!("{header}{},\n", sorted.concat());
    let e = error("t.csv", blank);
    assert!(e.contains("1 row without a time"), "{e}");
    // Two runs, each from 0 on.
    let run = |from: u64| {
        let row = move |n: u64| {
            let sent = 0.01 * n as f64 + 1e-6 * ((n + from) * 7919 % 997) as f64;
            let came = if lost(n) { String::new() } else { format!("{:.6}", sent + 0.02) };
            format!("{sent:.6},{came}\n")
        };
        (0..300).map(row).collect::<String>()
    };
    let e = error("t.csv", format!("{header}{}{}", run(0), run(400)));
    assert!(e.contains("several runs") && e.contains("one file a run"), "{e}");
    // More rows than are kept.
    let few = ReadOptions { max_packets: 20_000, ..ReadOptions::default() };
    let e =
        read_as("t.csv", &format!("{header}{}", sorted.concat()), &few).unwrap_err().to_string();
    assert!(e.contains("more than 312 rows") && e.contains("sort"), "{e}");
    assert!(read_as("t.csv", &format!("{header}{}", whole.concat()), &few).is_ok());
}

/// Receive times that rise, with zeros for the first packets.
#[test]
fn zeros_before_times_that_rise_are_asked_about() {
    let table = |zeros: u64| {
        let row = |n: u64| {
            let came =
                if n < zeros { "0".to_owned() } else { format!("{:.3}", 0.01 * n as f64 + 0.02) };
            format!("{n},{came}\n")
        };
        format!("seq,recv_time_s\n{}", (0..30).map(row).collect::<String>())
    };
    for zeros in [2, 3, 4] {
        let e = error("t.csv", table(zeros));
        assert!(e.contains(&format!("0 stands in {zeros} of 30 rows")), "{e}");
    }
    assert_eq!(bits(&one("t.csv", &table(1))), "1".repeat(30));
    // Whole milliseconds, two packets in each.
    let rows = (0..30).map(|n| format!("{n},{}\n", n / 2));
    let text = format!("seq,recv_ms\n{}", rows.collect::<String>());
    assert_eq!(bits(&one("t.csv", &text)), "1".repeat(30));
}
