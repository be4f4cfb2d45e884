//! Tables whose columns are not known, or whose values contradict the names: they are asked about, and
//! the options that the question names read them.

use airtcp_units::Narrow;

use super::*;

fn answer(column: &str, kind: ColumnKind) -> ReadOptions {
    ReadOptions { column: Some(column.to_owned()), kind: Some(kind), ..ReadOptions::default() }
}

pub(super) fn link_column(name: &str) -> ReadOptions {
    ReadOptions { link_column: Some(name.to_owned()), ..ReadOptions::default() }
}

pub(super) fn refusal(text: &str, options: &ReadOptions) -> String {
    read_as("t.csv", text, options).map(|links| format!("{links:?}")).unwrap_err().to_string()
}

/// The table is refused in words that hold `says`, on one line.
pub(super) fn asks(text: &str, says: &str) {
    let e = error("t.csv", text);
    assert!(e.contains(says) && !e.contains('\n'), "{text}: {e}");
}

pub(super) fn rows(count: u64, row: impl Fn(u64) -> String) -> String {
    joined((0..count).map(|n| row(n) + "\n"))
}

/// Runs of losses.
const fn lost(n: u64) -> bool {
    n % 30 < 6
}

#[test]
fn columns_of_unknown_names_are_listed_with_their_options() {
    let text = "when,temp,state,peer,bytes\n1,5,OK,a,10\n2,6,FAIL,b,11\n3,5,OK,a,9\n4,5,OK,b,8\n";
    let e = error("t.csv", text);
    for part in [
        "no column has a documented name",
        "\"when\" (--column when --kind sequence)",
        "\"state\" (--column state --kind received)",
        "\"peer\" (--link-column peer",
        "\"bytes\" (--bytes-column bytes)",
    ] {
        assert!(e.contains(part), "{part}: {e}");
    }
    let links = read_as("t.csv", text, &answer("state", ColumnKind::Received)).unwrap();
    assert_eq!(bits(&links[0]), "1011");
    assert!(
        refusal(text, &ReadOptions { column: Some("state".into()), ..ReadOptions::default() })
            .contains("say what column \"state\" holds, with --kind")
    );
    let nobody = ReadOptions { link_column: Some("x".into()), ..answer("state", ColumnKind::Lost) };
    assert!(refusal(text, &nobody).contains("no column \"x\" (--link-column)"));
    let both =
        ReadOptions { rate_column: Some("temp".into()), ..answer("state", ColumnKind::Lost) };
    assert!(refusal(text, &both).contains("give only one of --column"));
    // A name that a command line would split is given by its number.
    asks("a b,c\n1,5\n0,6\n1,5\n", "\"a b\" (--column 1 --kind received or lost)");
}

#[test]
fn tables_without_a_header_are_asked_about() {
    asks("10 1\n20 1\n31 0\n40 1\n", "\"2\" (--column 2 --kind received or lost)");
    asks("5\n6\n8\n", "\"1\" (--column 1 --kind sequence)");
    asks("5\n6\n8\n", "give --layout mahimahi");
    asks("received\nreceived\nlost\nreceived\n", "\"1\" (--column 1 --kind received)");
    for (text, options, expected) in [
        ("10 1\n20 1\n31 0\n40 1\n", answer("2", ColumnKind::Received), "1101"),
        ("5\n6\n8\n", answer("1", ColumnKind::Sequence), "1101"),
        ("received\nreceived\nlost\n", answer("1", ColumnKind::Received), "110"),
    ] {
        assert_eq!(bits(&read_as("t.csv", text, &options).unwrap()[0]), expected);
    }
    let sequence = ReadOptions { kind: Some(ColumnKind::Sequence), ..ReadOptions::default() };
    assert_eq!(bits(&read_as("t.csv", "5\n6\n8\n", &sequence).unwrap()[0]), "1101");
}

#[test]
fn names_that_many_programs_use_for_other_things_are_asked_about() {
    for name in ["ack", "status", "result", "error", "loss", "bit", "state"] {
        let text = format!("seq,{name}\n{}", rows(60, |n| format!("{n},{}", u8::from(lost(n)))));
        asks(&text, &format!("column \"{name}\" (\"0\", \"1\") may say what became"));
        let links = read_as("t.csv", &text, &answer(name, ColumnKind::Lost)).unwrap();
        assert_eq!(links[0].outcomes.received(), 48);
    }
}

#[test]
fn two_columns_that_say_different_things_are_asked_about() {
    let text = "delivered,acked\n1,1\n1,0\n0,0\n1,1\n";
    asks(text, "columns \"delivered\" and \"acked\" differ in 1 of 4 rows");
    assert_eq!(
        bits(&read_as("t.csv", text, &answer("acked", ColumnKind::Received)).unwrap()[0]),
        "1001"
    );
    assert_eq!(bits(&one("t.csv", "delivered,lost,rtt_ms\n1,0,5\n0,1,\n1,0,4\n")), "101");
    asks("seq,rtt_ms,recv_time_s\n0,4,0.1\n1,5,\n2,,0.3\n", "differ in 2 of 3 rows");
    let says =
        "columns 2 and 3 are both named \"received\": choose one by its number (--column 2 or 3)";
    let twice = "seq,received,received\n0,0,1\n1,1,0\n2,0,1\n";
    asks(twice, says);
    let column = |c: &str| ReadOptions { column: Some(c.into()), ..ReadOptions::default() };
    assert!(refusal(twice, &column("Received")).contains(says));
    assert_eq!(bits(&read_as("t.csv", twice, &column("2")).unwrap()[0]), "010");
    assert_eq!(bits(&read_as("t.csv", twice, &column("3")).unwrap()[0]), "101");
    asks("time_s,time_s,received\n0,5,1\n1,7,0\n2,9,1\n", "--time-column 1 or 2");
    asks("seq,seq,received\n0,5,1\n1,7,0\n2,9,1\n", "both named \"seq\"");
    asks("seq,fcnt\n0,5\n1,7\n", "columns \"seq\" and \"fcnt\" both number packets");
}

#[test]
fn numbers_beside_outcomes_are_one_after_the_other_or_asked_about() {
    // Retransmissions, and lost packets without a row.
    for (text, says) in [
        ("seq,acked\n0,0\n0,1\n1,1\n2,0\n", "0 have no row, and 1 rows repeat"),
        ("seq,ok\n0,1\n1,0\n3,1\n4,1\n", "1 have no row, and 0 rows repeat"),
    ] {
        asks(text, says);
        asks(text, "--column seq --kind sequence");
    }
    let again = "seq,acked\n0,0\n0,1\n1,1\n2,0\n";
    assert_eq!(
        bits(&read_as("t.csv", again, &answer("acked", ColumnKind::Received)).unwrap()[0]),
        "0110"
    );
    let received = "seq,ok\n0,1\n1,1\n3,1\n4,1\n";
    assert_eq!(
        bits(&read_as("t.csv", received, &answer("seq", ColumnKind::Sequence)).unwrap()[0]),
        "11011"
    );
    // Beside arrivals a number without a row did not arrive.
    assert_eq!(bits(&one("t.csv", "seq,rtt_ms\n0,4\n1,\n3,5\n2,4\n5,4\n")), "101101");
}

#[test]
fn rows_in_another_order_are_asked_about() {
    let by_time = |order: &mut dyn Iterator<Item = u64>| {
        let row = |n: u64| format!("{},{}\n", 20 * n, u8::from(!lost(n)));
        format!("t_ms,received\n{}", joined(order.map(row)))
    };
    let text = by_time(&mut (0..300).rev());
    asks(&text, "299 of 300 rows are earlier in column \"t_ms\"");
    assert!(read_as("t.csv", &text, &answer("received", ColumnKind::Received)).is_ok());
    assert_eq!(one("t.csv", &by_time(&mut (0..300))).interval, Some(Span::from_millis(20)));
    // The unit of the times does not matter.
    asks(&text.replace("t_ms", "time"), "are earlier in column \"time\"");
    // A spreadsheet sorted by arrival: the blanks come last.
    let row = |n: u64| if lost(n) { format!("{n},\n") } else { format!("{n},5.{n}\n") };
    let (gone, came): (Vec<u64>, Vec<u64>) = (0..300).partition(|n| lost(*n));
    let text = format!("seq,rtt_ms\n{}", joined(came.iter().chain(&gone).map(|n| row(*n))));
    asks(&text, "60 of 300 rows repeat or go back below an earlier number in column \"seq\"");
    asks(&text, "if all rows are of one link, sort them by \"seq\"");
    assert!(
        refusal(&text, &answer("rtt_ms", ColumnKind::Arrival)).contains("sort them by \"seq\"")
    );
}

#[test]
fn arrivals_of_zero_and_below_are_asked_about() {
    let table = |mark: &str| {
        let rtt = |n: u64| {
            if lost(n) { mark.to_owned() } else { format!("{}.{:02}", 10 + n % 3, n % 89) }
        };
        format!("seq,rtt_ms\n{}", rows(300, |n| format!("{n},{}", rtt(n))))
    };
    for (mark, shown) in
        [("0", "0"), ("-1", "-1"), ("-1.0", "-1"), ("9999", "9999"), ("1000.00", "1000")]
    {
        let text = table(mark);
        asks(&text, &format!("column \"rtt_ms\" holds {shown} in 60 of 300 rows"));
        asks(&text, &format!("--lost-value {shown})"));
        let lost_value =
            |value: &str| ReadOptions { lost_value: Some(value.into()), ..ReadOptions::default() };
        let links = read_as("t.csv", &text, &lost_value(shown)).unwrap();
        assert_eq!((links[0].outcomes.len(), links[0].outcomes.received()), (300, 240));
        assert!(
            links[0].notes[0].contains(&format!("{shown} = lost as was said")),
            "{:?}",
            links[0].notes
        );
        let links = read_as("t.csv", &text, &lost_value("none")).unwrap();
        assert_eq!(links[0].outcomes.received(), 300);
    }
    assert_eq!(one("t.csv", &table("")).outcomes.received(), 240);
    let words =
        ReadOptions { lost_value: Some("GONE".into()), ..answer("state", ColumnKind::Received) };
    let text = "state\nhere\ngone\nhere\n";
    assert_eq!(bits(&read_as("t.csv", text, &words).unwrap()[0]), "101");
    // Rows without a packet, and blanks among outcomes.
    let text = "received\n1\nNaN\n0\n\n1\n";
    asks(text, "line 3: found \"NaN\" in column \"received\"");
    let unsent = ReadOptions { unsent_value: Some("blank".into()), ..ReadOptions::default() };
    let links = read_as("t.csv", text, &unsent).unwrap();
    assert_eq!(bits(&links[0]), "101");
    assert!(
        links[0].notes[1].starts_with("1 row says that no packet was sent"),
        "{:?}",
        links[0].notes
    );
}

#[test]
fn arrivals_that_show_no_loss_are_asked_about() {
    asks("time_s,rtt_ms\n0.0,4\n0.1,5\n", "losses cannot be seen");
    let links =
        read_as("t.csv", "time_s,rtt_ms\n0.0,4\n0.1,5\n", &answer("rtt_ms", ColumnKind::Arrival));
    assert_eq!(bits(&links.unwrap()[0]), "11");
    // Averages are of no packet.
    asks("time_s,avg_rtt_ms\n0,4\n1,\n", "no column has a documented name");
}

#[test]
fn numbers_of_other_things_are_asked_about() {
    asks("seq\n1\n1449\n2897\n4345\n", "1448 apart, not 1: such numbers count bytes");
    asks("seq,rtt_ms\n1,4\n1449,5\n2897,\n4345,4\n", "give --column rtt_ms --kind arrival");
    let text = "seq,rtt_ms\n1,4\n1449,5\n2897,\n4345,4\n";
    assert_eq!(
        bits(&read_as("t.csv", text, &answer("rtt_ms", ColumnKind::Arrival)).unwrap()[0]),
        "1101"
    );
    // The option does not make bytes packets.
    assert!(
        refusal("seq\n1\n1449\n2897\n", &answer("seq", ColumnKind::Sequence))
            .contains("1448 apart")
    );
    let text = rows(60, |n| if n < 30 { n } else { n + 500 }.to_string());
    asks(
        &format!("seq\n{text}"),
        "500 numbers are missing in column \"seq\", 500 of them in a row between 29 and 530",
    );
    let links =
        read_as("t.csv", &format!("seq\n{text}"), &answer("seq", ColumnKind::Sequence)).unwrap();
    assert_eq!(links[0].outcomes.len(), 560);
    for name in ["throughput", "dl_mbps", "latitude", "rsrp_dbm"] {
        let text = format!("seq,{name}\n{}", rows(20, |n| format!("{},{}.5", n + n / 9, n % 7)));
        asks(&text, "is of a log of measurements, whose rows are moments");
    }
    // Counts of intervals.
    for header in ["time_s,sent,lost", "second,packets,lost", "time_s,packets_per_second,lost"] {
        let text = format!("{header}\n{}", rows(60, |n| format!("{n},100,{}", u8::from(lost(n)))));
        asks(&text, "holds counts above 1");
    }
    asks(
        "time_s,sent,received\n0,100,97\n1,100,100\n",
        "line 2: found \"97\" in column \"received\"",
    );
}

#[test]
fn columns_that_may_say_what_became_of_packets_are_asked_about() {
    let table = |header: &str, cells: &[&str]| {
        let rows = rows(60, |n| format!("{n},{}", cells[usize::from(n % 7 == 3 && n < 50)]));
        format!("seq,{header}\n{rows}")
    };
    for (header, cells) in [
        ("comment", ["", "lost"]),
        ("answer", ["reply", ""]),
        ("rx_bytes", ["1500", "0"]),
        ("rssi", ["-70", ""]),
        ("recv", ["7", ""]),
        ("state", ["HERE", "MISSING"]),
    ] {
        let text = table(header, &cells);
        asks(&text, &format!("column \"{header}\" ("));
        asks(&text, "may say what became of the packets");
        let links = read_as("t.csv", &text, &answer("seq", ColumnKind::Sequence)).unwrap();
        assert_eq!(links[0].outcomes.received(), 60);
    }
    let text = table("rssi", &["-70", ""]);
    let links = read_as("t.csv", &text, &answer("rssi", ColumnKind::Arrival)).unwrap();
    assert_eq!(links[0].outcomes.received(), 53);
    let three = format!(
        "seq,crc_status\n{}",
        rows(60, |n| format!("{n},{}", ["a", "b", "c"][usize::narrow(n % 3)]))
    );
    asks(&three, "may say what became of the packets, or tell links apart");
}

#[test]
fn columns_that_may_tell_links_apart_are_asked_about() {
    let node = |link: u64| ["a", "b"][usize::from(link == 1)];
    for name in ["node", "sta_mac", "clientIp", "mote", "flow id", "place"] {
        let row = |n: u64| format!("{:.3},{},{}", 0.02 * n as f64, node(n % 2), u8::from(!lost(n)));
        let text = format!("time_s,{name},received\n{}", rows(300, row));
        asks(&text, &format!("column \"{name}\" (\"a\", \"b\") may tell links apart"));
        assert_eq!(read_as("t.csv", &text, &link_column(name)).unwrap().len(), 2);
        let links = read_as("t.csv", &text, &answer("received", ColumnKind::Received)).unwrap();
        assert_eq!(links[0].outcomes.len(), 300);
    }
    asks(
        "pkt,armed,acked\n1,True,1\n2,True,0\n3,False,1\n4,True,1\n",
        "may say what became of the packets",
    );
    // A number of the row is no node.
    assert_eq!(
        one("t.csv", &format!("id,ok\n{}", rows(200, |n| format!("{n},{}", u8::from(!lost(n))))))
            .outcomes
            .len(),
        200
    );
    // Numbers are nodes by the name of their column only.
    let numbers = |name: &str| {
        let rows = rows(100, |n| format!("{},{}", n % 3, u8::from(!lost(n))));
        format!("{name},received\n{rows}")
    };
    asks(&numbers("node_id"), "may tell links apart");
    assert_eq!(one("t.csv", &numbers("lqi")).outcomes.len(), 100);
}

#[test]
fn links_and_runs_in_one_table_are_asked_about() {
    let came = |link: u64, n: u64| (n * 7 + link * 3) % 10 >= 3;
    let row = |link: u64, n: u64| came(link, n).then(|| format!("{link},{n}\n"));
    let by_turns = joined((0..300).flat_map(|n| [row(0, n), row(1, n)]).flatten());
    let in_turn = joined((0..2).flat_map(|link| (0..300).filter_map(move |n| row(link, n))));
    for text in [by_turns, in_turn] {
        let text = format!("unit,seq\n{text}");
        asks(&text, "repeat or go back below an earlier number in column \"seq\"");
        let links = read_as("t.csv", &text, &link_column("unit")).unwrap();
        assert_eq!((links.len(), links[1].name.as_str()), (2, "t:1"));
        assert!(links.iter().all(|link| (298..=300).contains(&link.outcomes.len())));
        assert!(
            links[0].notes[0].contains("\"unit\" as what tells links apart"),
            "{:?}",
            links[0].notes
        );
    }
    // Counters far apart.
    let far = rows(100, |n| format!("{},{}", n % 2, n / 2 + 50_000 * (n % 2)));
    asks(&format!("unit,seq\n{far}"), "line 4: found sequence number 1 after 50000");
    let links = read_as("t.csv", &format!("unit,seq\n{far}"), &link_column("unit")).unwrap();
    assert!(links.iter().all(|link| bits(link) == "1".repeat(50)));
    // Two columns together.
    let text = format!("a,b,received\n{}", rows(40, |n| format!("{},{},1", n % 2, n % 3)));
    assert_eq!(read_as("t.csv", &text, &link_column("a,b")).unwrap().len(), 6);
    // One counter for all links.
    let shared = rows(300, |n| format!("{n},{}", n * 7 % 11 % 2));
    let shared = format!("seq,dst\n{shared}");
    asks(&shared, "the packets of all 2 links are numbered together in column \"seq\"");
    // The link of a documented name.
    let text = format!("link,seq\n{}", rows(40, |n| format!("{},{}", n % 2, n / 2)));
    assert_eq!(read("t.csv", text.as_bytes()).unwrap().len(), 2);
}

#[test]
fn the_unit_of_times_in_the_name_may_be_contradicted() {
    let table = |name: &str, start: f64, gap: f64| {
        let row = |n: u64| format!("{:.3},{}", start + gap * n as f64, u8::from(!lost(n)));
        format!("{name},received\n{}", rows(100, row))
    };
    let seconds = ReadOptions { time_unit: Some(Span::from_secs(1)), ..ReadOptions::default() };
    for (name, start, gap) in [
        ("send_ms", 1.7e9, 0.123),
        ("send_us", 1.7e9, 0.02),
        ("t_us", 1.7e12, 5.0),
        ("send_ms", 1.7e9, 20.0),
        ("time_s", 1.7e12, 20.0),
    ] {
        let text = table(name, start, gap);
        asks(&text, &format!("column \"{name}\" would hold"));
        asks(&text, "give the option --time-unit");
        assert!(read_as("t.csv", &text, &seconds).is_ok());
    }
    for (name, start) in [("send_ms", 1.7e12), ("send_s", 1.7e9), ("send_ms", 0.0)] {
        assert!(one("t.csv", &table(name, start, 20.0)).interval.is_some());
    }
    for cell in ["Mon Nov 23 TIME 2026", "05/06/2024 TIME"] {
        let cell = |n: u64| cell.replace("TIME", &format!("01:00:{:02}", n % 60));
        let text = format!("time,received\n{}", rows(50, |n| format!("{},1", cell(n))));
        asks(&text, "not in a form that is read");
    }
}

#[test]
fn runs_that_are_joined_are_asked_about() {
    // A counter that began again after 30 packets.
    let restart = joined((0..30).chain(0..400).map(|n| format!("{n}\n")));
    asks(&format!("seq\n{restart}"), "30 of 430 rows repeat or go back");
    // Two files, one after the other.
    asks("received\n1\n0\nreceived\n1\n", "line 4: the names of the columns again");
    // Bytes of packets of any size.
    let bytes = rows(5000, |n| (700 * n + n * n * 7919 % 613).to_string());
    asks(&format!("seq\n{bytes}"), "numbers are missing in column \"seq\"");
    // A link in each row.
    let text = format!("link,ok\n{}", rows(40, |n| format!("http://a/{n},1")));
    asks(&text, "column \"link\" would tell 40 links of 40 rows apart");
    assert_eq!(read_as("t.csv", &text, &link_column("link")).unwrap().len(), 40);
    asks("time_s,rssi,phy_rate_mbps\n0,-50,54\n1,-51,48\n", "may be the rate of the modulation");
}
