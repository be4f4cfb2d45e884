//! Tables: the content of columns, and the links in one table.

use airtcp_units::Narrow;

use super::questions::{asks, link_column, refusal, rows};
use super::*;

#[test]
fn options_for_columns_are_not_ignored() {
    let column = |c: &str| ReadOptions { column: Some(c.into()), ..ReadOptions::default() };
    let kind = |k| ReadOptions { kind: Some(k), ..ReadOptions::default() };
    let two = ReadOptions { column: Some("2".into()), ..kind(ColumnKind::Received) };
    let links = read_as("t.txt", "0 1\n1 1\n0 0\n", &two).unwrap();
    assert_eq!((bits(&links[0]).as_str(), links[0].source.layout.as_str()), ("110", "table"));
    let links = read_as("t.txt", "0110", &kind(ColumnKind::Lost)).unwrap();
    assert_eq!(bits(&links[0]), "1001");
    let links = read_as("t.txt", "0\n1\n", &kind(ColumnKind::Sequence)).unwrap();
    assert_eq!(bits(&links[0]), "11");
    let rows = "noise_dbm\ttx\trx\tdelivery_bits\n-5\t1\t2\t1101\n";
    let message = read_as("d.tsv", rows, &column("tx")).unwrap_err().to_string();
    assert!(message.contains("column = \"tx\"") && message.contains("link-rows"), "{message}");
}

#[test]
fn tables_of_outcomes() {
    for text in [
        "seq,received\n0,1\n1,1\n2,0\n3,1\n",
        "received\n1\n1\n0\n1\n",
        "lost\n0\n0\n1\n0\n",
        "entry\tOutcome\n7\ttrue\n8\ttrue\n9\tfalse\n10\ttrue\n",
        "\"node, name\";ok\n\"a;b\";yes\nx;yes\ny;no\nz;yes\n",
        "sep=;\r\nok;delay (s)\r\nyes;0,5\r\nyes;0,6\r\nno;\r\nyes;0,5\r\n",
        "received\n100%\n100%\n0%\n100%\n",
        "# made by hand\ndelivered,rssi\n1,-70\n\n1,-71\n0,0\n1,-72\n",
    ] {
        let link = one("t.csv", text);
        assert_eq!(
            (bits(&link).as_str(), link.source.layout.as_str()),
            ("1101", "table"),
            "{text}"
        );
    }
}

#[test]
fn tables_of_sequence_numbers() {
    for text in ["seq\n5\n6\n8\n", "time_ms,seqno\n0,5\n10,6\n30,8\n"] {
        let link = one("t.csv", text);
        assert_eq!(bits(&link), "1101", "{text}");
        assert!(link.notes.iter().any(|n| n.contains("gaps")), "{:?}", link.notes);
    }
    let link = one("t.csv", "seq,time_s\n5,0.00\n6,0.02\n8,0.06\n7,0.07\n6,0.08\n9,0.09\n");
    assert_eq!((bits(&link).as_str(), link.interval), ("11111", Some(Span::from_millis(20))));
    let e = error("t.csv", "seq\n5\n6\n80000000\n");
    assert!(e.contains("line 4") && e.contains("79999993 past 6"), "{e}");
    let e = error("t.csv", "seq\n5000\n5001\n3\n");
    assert!(e.contains("line 4") && e.contains("3 after 5001"), "{e}");
    assert!(error("t.csv", "seq\n5\n6\n-7\n").contains("whole number"));
}

#[test]
fn time_stamps_give_the_interval() {
    let ms = |text: &str| one("t.csv", text).interval.map(|i| i.as_secs_f64() * 1e3);
    assert_eq!(ms("time_s,received\n0.00,1\n0.01,1\n0.02,0\n"), Some(10.0));
    assert_eq!(ms("timestamp_us,received\n0,1\n2000,1\n4100,0\n6000,1\n"), Some(2.0));
    assert_eq!(ms("t_ms,received\n0,1\n20,1\n41,0\n61,1\n"), Some(20.0));
    assert_eq!(ms("time (ms),received\n0,1\n20,1\n"), Some(20.0));
    let link = one("t.csv", "time,received\n0,1\n20,1\n");
    assert!(link.interval.is_none() && link.notes[0].contains("no unit"), "{:?}", link.notes);
    let options = ReadOptions { interval: Some(Span::from_millis(7)), ..ReadOptions::default() };
    assert_eq!(read_as("x", "0110", &options).unwrap()[0].interval, options.interval);
    assert!(error("t.csv", "time_s,received\n0,1\nnow,1\n").contains("\"now\""));
}

#[test]
fn blanks_among_receive_times_are_losses() {
    for text in [
        "seq,sent_time_s,recv_time_s\n0,0.00,0.03\n1,0.01,0.04\n2,0.02,\n3,0.03,0.06\n",
        "seq,time_s,rtt_ms\n0,0.00,31\n1,0.01,30.5\n2,0.02,NaN\n3,0.03,30\n",
        "time_s;latency_us\n0.00;310\n0.01;305\n0.02;timeout\n0.03;300\n",
        "seq,sent_time_s,rx_s\n0,0.00,0.03\n1,0.01,0.04\n2,0.02,-\n3,0.03,0.06\n",
        // A missing row is a loss as well as a blank.
        "seq,tx_time_s,rx_time_s\n0,0.00,0.03\n1,0.01,0.04\n3,0.03,0.06\n",
    ] {
        let link = one("t.csv", text);
        assert_eq!(bits(&link), "1101", "{text}");
        assert_eq!(link.interval, Some(Span::from_millis(10)), "{text}");
        assert!(link.notes[0].contains("taken as arrivals, a blank = lost"), "{:?}", link.notes);
    }
    let link = one("t.csv", "seq,rtt_ms\n0,4\n1,\n3,5\n2,4\n5,4\n");
    assert_eq!(bits(&link), "101101");
    assert!(
        link.notes.iter().any(|n| n.starts_with("1 number has no row and is taken")),
        "{:?}",
        link.notes
    );
    let kind = |kind| ReadOptions {
        column: Some("recv_time_s".to_owned()),
        kind: Some(kind),
        ..ReadOptions::default()
    };
    let text = "seq,recv_time_s\n0,0.03\n1,0.04\n2,\n3,0.06\n";
    let links = read_as("t.csv", text, &kind(ColumnKind::Arrival)).unwrap();
    assert_eq!(bits(&links[0]), "1101");
    assert!(error("t.csv", "seq,rtt_ms\n0,4\n1,soon\n").contains("\"soon\" in column \"rtt_ms\""));
}

#[test]
fn the_unit_of_time_stamps_is_found() {
    let ms = |text: &str| one("t.csv", text).interval.map(|i| i.as_secs_f64() * 1e3);
    let table = |scale: u128, digits: usize| {
        let rows = (0..40u128).map(|i| {
            let ns = 1_700_000_000_000_000_000 + i * 5_000_000;
            let (whole, part) = (ns / scale, format!("{:09}", ns % scale));
            let part = if digits == 0 { String::new() } else { format!(".{}", &part[..digits]) };
            format!("{whole}{part},{}\n", u8::from(i % 7 != 3))
        });
        format!("timestamp,received\n{}", rows.collect::<String>())
    };
    assert_eq!(ms(&table(1_000_000_000, 6)), Some(5.0));
    assert_eq!(ms(&table(1_000_000, 0)), Some(5.0));
    assert_eq!(ms(&table(1_000, 0)), Some(5.0));
    assert_eq!(ms(&table(1, 0)), Some(5.0));
    let dates = "timestamp,received\n2024-05-01 12:00:00.000,1\n2024-05-01 12:00:00.005,1\n";
    assert_eq!(ms(dates), Some(5.0));
    // With losses between the stamps.
    assert_eq!(ms("seq,time_s\n0,0.000\n1,0.005\n4,0.020\n5,0.025\n9,0.045\n"), Some(5.0));
    // Whole seconds with 200 packets in each.
    let rows: Vec<_> = (0..1000).map(|i| format!("{},1\n", 1_700_000_000 + i / 200)).collect();
    let coarse = rows.concat();
    let coarse = ms(&format!("timestamp,received\n{coarse}")).unwrap();
    assert!((coarse - 5.0).abs() < 1.1, "{coarse}");
    let link = one("t.csv", "time_s,received\n0,1\n0.01,1\n0.02,1\n0.03,1\n9,1\n9.01,1\n");
    assert_eq!(link.interval, Some(Span::from_millis(10)));
    assert!(link.notes.iter().any(|n| n.contains("not evenly spaced")), "{:?}", link.notes);
}

#[test]
fn one_file_many_links() {
    let links = read("t.csv", b"src,dst,received\na,b,1\nb,a,0\na,b,0\na,b,1\n").unwrap();
    assert_eq!(links.len(), 2);
    assert_eq!((links[0].name.as_str(), bits(&links[0]).as_str()), ("t:a>b", "101"));
    assert_eq!((links[1].labels["src"].as_str(), bits(&links[1]).as_str()), ("b", "0"));
    let links = read("d.tsv", b"noise_dbm\ttx\trx\tdelivery_bits\n-5\t1\t2\t1101\n0\t1\t3\t0000\n")
        .unwrap();
    assert_eq!((links[0].name.as_str(), bits(&links[0]).as_str()), ("d:1>2@-5dBm", "1101"));
    assert_eq!(links[1].labels["noise_dbm"], "0");
}

#[test]
fn what_mahimahi_logs_is_refused_by_name() {
    let rows = "1 + 1504\n5 # 1504\n5 - 1504 4\n7 + 1504\n9 # 1504\n12 d 1 1504\n";
    let head = "# mahimahi mm-link (downlink) [up] > q_ts.log\n# queue: infinite\n";
    for data in [rows.to_owned(), format!("{head}{rows}")] {
        let said = error("q_ts.log", data);
        assert!(
            said.contains("what mahimahi logged") && said.contains("given to mm-link"),
            "{said}"
        );
    }
}

#[test]
fn a_log_of_rates_under_a_header_is_told_of_the_unit() {
    let said = error("r.csv", "time_s,throughput\n0,1.5\n1,2.5\n2,3.4\n");
    assert!(said.contains("--rate-unit \"Mb/s\""), "{said}");
}

#[test]
fn a_stride_is_named_where_it_begins() {
    let rows = (0..5000).map(|n| format!("{}\n", 1 + 1448 * n));
    let said = error("s.csv", format!("# bytes\nseq\n{}", rows.collect::<String>()));
    assert!(said.contains("found numbers 1448 apart"), "{said}");
}

#[test]
fn an_interval_that_is_none_is_refused() {
    for (span, shown) in [(Span(0), "0 s"), (Span::from_secs(4_000_000), "4000000 s")] {
        let interval = ReadOptions { interval: Some(span), ..ReadOptions::default() };
        let e = read_as("a.txt", "0110", &interval).unwrap_err().to_string();
        assert!(e.contains(&format!("interval = \"{shown}\"")), "{e}");
        assert!(e.contains("a time from 1 ns to 1000 h"), "{e}");
        let unit = ReadOptions { time_unit: Some(span), ..ReadOptions::default() };
        assert!(read_as("a.txt", "0110", &unit).unwrap_err().to_string().contains("time_unit"));
    }
}

#[test]
fn rates_and_bytes_over_time_are_capacities() {
    let rate =
        |name: &str| ReadOptions { rate_column: Some(name.into()), ..ReadOptions::default() };
    let text = "time_s,cell,rx_kbps,tx_kbps\n0,7,8000,1\n1,7,0,2\n3,7,1000,1\n";
    asks(text, "columns \"rx_kbps\" and \"tx_kbps\" hold rates: choose");
    let s = Span::from_secs;
    let expected = Capacity::rates(&[(s(0), 8_000_000), (s(1), 0), (s(3), 1_000_000)], s(5));
    let links = read_as("t.csv", text, &rate("rx_kbps")).unwrap();
    assert_eq!(links[0].capacity.as_deref(), expected.as_ref());
    assert!(links[0].notes[0].contains("rates, 1 = 1000 b/s, each until the next row"));
    asks(
        "time_s,speed,throughput\n0,7,8\n1,7,9\n",
        "the unit of the rates in column \"throughput\"",
    );
    let unit = ReadOptions { rate_unit: Some("kb/s".into()), ..rate("throughput") };
    let text = "time_s,throughput,place\n0,8000,a\n1,0,b\n3,1000,c\n";
    let links = read_as("t.csv", text, &unit).unwrap();
    assert_eq!(links[0].capacity.as_deref(), expected.as_ref());
    // Bytes until the next row.
    let bytes = ReadOptions { bytes_column: Some("rx".into()), ..ReadOptions::default() };
    let text = "time_s,rssi,rx\n0,-70,1000000\n1,-71,0\n3,-70,250000\n";
    let links = read_as("t.csv", text, &bytes).unwrap();
    assert_eq!(links[0].capacity.as_deref(), expected.as_ref());
    let total = format!("time_s,rssi,rx\n{}", rows(20, |n| format!("{n},-70,{}", 1000 * n * n)));
    let e = refusal(&total, &bytes);
    assert!(e.contains("rises in nearly every row, as a running total"), "{e}");
    let ragged = "time_s,rssi,rx\n0,-70,5\n1,-71,x\n";
    assert!(refusal(ragged, &bytes).contains("line 3: found \"x\" at \"1\""));
    // Two links.
    let text = format!(
        "time_s,iface,rx_mbps\n{}",
        rows(40, |n| format!("{},{},5", n / 2, ["a", "b"][usize::narrow(n % 2)]))
    );
    asks(
        &text,
        "line 3: found \"5\" at \"0\"; expected a time after the row before's: say which values",
    );
    let links = read_as("t.csv", &text, &link_column("iface")).unwrap();
    assert_eq!(links.len(), 2);
    assert!(links.iter().all(|link| link.capacity.as_ref().unwrap().mean_bps() == 5e6));
}

#[test]
fn a_comment_before_a_long_line_of_outcomes_hides_nothing() {
    for packets in [60_000, 65_536, 200_000] {
        let text = format!("# one line\n{}\n", "1101".repeat(packets / 4));
        assert_eq!(one("t.txt", &text).outcomes.len(), packets);
    }
}

/// Two columns of numbers without names may be times and rates; with names, or with words beside the times, they are not.
#[test]
fn a_guess_is_made_only_of_two_columns_that_may_be_times_and_rates() {
    let guess = |text: &str| {
        let refused = read_as("r.txt", text, &ReadOptions::default()).unwrap_err();
        refused.guess().map(|guess| guess.options)
    };
    assert_eq!(guess("0 20.5\n1 21.5\n2 22.5\n"), Some("--rate-unit \"Mb/s\""));
    assert_eq!(guess("time_s,throughput\n0,1.5\n1,2.5\n2,3.4\n"), None);
    assert_eq!(guess("0 a7\n1 b9\n2 c4\n"), None);
    assert_eq!(guess("0 20.5 4\n1 21.5 5\n2 22.5 7\n"), None);
}
