//! Tables: which column holds what, and the links in one.

use super::*;

#[test]
fn options_for_columns_are_not_ignored() {
    let column = |c: &str| ReadOptions { column: Some(c.into()), ..ReadOptions::default() };
    let kind = |k| ReadOptions { kind: Some(k), ..ReadOptions::default() };
    let links = read_as("t.txt", "0 1\n1 1\n0 0\n", &column("2")).unwrap();
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
        "id\tOutcome\n7\ttrue\n8\ttrue\n9\tfalse\n10\ttrue\n",
        "\"node, name\";ok\n\"a;b\";yes\nx;yes\nx;no\nx;yes\n",
        "status\nreceived\nreceived\nlost\nreceived\n",
        "received\nreceived\nlost\nreceived\n",
        "10 1\n20 1\n31 0\n40 1\n",
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
    for text in ["seq\n5\n6\n8\n", "5\n6\n8\n", "time_ms,seqno\n0,5\n10,6\n30,8\n"] {
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
fn columns_can_be_chosen() {
    let text = "a,b,when\n1,0,0\n2,1,5\n4,1,10\n";
    let e = error("t.csv", text);
    assert!(e.contains("choose one") && e.contains("\"a\", \"b\", \"when\""), "{e}");
    let pick = |column: &str, kind| {
        let options = ReadOptions {
            column: Some(column.to_owned()),
            kind,
            time_column: Some("when".to_owned()),
            time_unit: Some(Span::from_millis(1)),
            ..ReadOptions::default()
        };
        read_as("t.csv", text, &options).map(|links| links[0].clone())
    };
    assert_eq!(bits(&pick("b", None).unwrap()), "011");
    assert_eq!(bits(&pick("2", Some(ColumnKind::Lost)).unwrap()), "100");
    assert_eq!(bits(&pick("a", None).unwrap()), "1101");
    assert_eq!(pick("b", None).unwrap().interval, Some(Span::from_millis(5)));
    let e = pick("c", None).unwrap_err().to_string();
    assert!(e.contains("no column \"c\""), "{e}");
    let layout = ReadOptions { layout: Some("tabel".to_owned()), ..ReadOptions::default() };
    let e = read_as("x", "01", &layout).unwrap_err().to_string();
    assert!(e.contains("tabel") && e.contains("table"), "{e}");
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
