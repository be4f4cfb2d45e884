//! Unused columns of tables, and columns of unknown names: they may show that the rows are misread.

use airtcp_units::Narrow;

use super::*;

const PACKETS: u64 = 300;

/// Runs of losses, so that another order of the rows is another burstiness.
const fn lost(number: u64) -> bool {
    number % 30 < 6
}

fn truth() -> String {
    (0..PACKETS).map(|n| if lost(n) { '0' } else { '1' }).collect()
}

/// The packets in another order.
fn shuffled() -> impl Iterator<Item = u64> {
    (0..PACKETS).map(|n| n * 7919 % PACKETS)
}

/// A table of outcomes in `order`, with a column that `cell` fills.
fn outcomes(name: &str, order: impl Iterator<Item = u64>, cell: impl Fn(u64) -> String) -> String {
    let rows = order.map(|n| format!("{},{}\n", cell(n), u8::from(!lost(n))));
    format!("{name},received\n{}", rows.collect::<String>())
}

/// A time of day, 20 ms a packet from `start` seconds after midnight.
fn time_of_day(number: u64, start: u64) -> String {
    let ms = start * 1000 + 20 * number;
    let (hours, minutes, seconds) = (ms / 3_600_000 % 24, ms / 60_000 % 60, ms / 1000 % 60);
    format!("{hours:02}:{minutes:02}:{seconds:02}.{:03}", ms % 1000)
}

#[test]
fn times_of_day_and_dates_put_rows_in_order() {
    let before_midnight = 24 * 3600 - 3;
    let written: [fn(&str) -> String; 5] = [
        |time| time.to_owned(),
        |time| format!("28.05.2024 {time}"),
        |time| format!("05/28/2024 {time}"),
        |time| format!("2024/05/28 {time}"),
        |time| format!("28/05/2024 {}", time.replace('.', ".000")),
    ];
    for (i, write) in written.iter().enumerate() {
        let start = if i == 0 { before_midnight } else { 3600 };
        let cell = |n| write(&time_of_day(n, start));
        for text in [outcomes("time", shuffled(), cell), outcomes("date", (0..PACKETS).rev(), cell)]
        {
            assert_eq!(bits(&one("t.csv", &text)), truth(), "{}", &text[..60]);
        }
        let link = one("t.csv", &outcomes("time", 0..PACKETS, cell));
        assert_eq!(bits(&link), truth());
        assert!(i == 4 || link.interval == Some(Span::from_millis(20)), "{:?}", link.interval);
    }
}

#[test]
fn times_that_cannot_be_read_are_asked_about() {
    for (cell, seen) in [("Mon Nov 23 TIME 2026", "Mon Nov 23"), ("05/06/2024 TIME", "05/06/2024")]
    {
        let cell = |n| cell.replace("TIME", &time_of_day(n, 3600));
        let text = outcomes("time", shuffled(), cell);
        let e = error("t.csv", &text);
        assert!(e.contains("not in a form that is read") && e.contains(seen), "{e}");
        // The same words in every row tell no order.
        let text = outcomes("time", shuffled(), |_| cell(0));
        assert!(read("t.csv", text.as_bytes()).is_ok());
        let options =
            ReadOptions { time_column: Some("time".to_owned()), ..ReadOptions::default() };
        let e = read_as("t.csv", &text, &options).unwrap_err().to_string();
        assert!(e.contains("not in a form that is read"), "{e}");
    }
    // Three unsorted days: a time of day does not show the day.
    let mut any: Vec<u64> = (0..PACKETS).collect();
    any.sort_by_key(|n| n * n * 7919 % 5003);
    let e = error("t.csv", outcomes("time", any.into_iter(), |n| time_of_day(45_000 * n, 0)));
    assert!(e.contains("more than twelve hours apart"), "{e}");
}

#[test]
fn times_of_names_that_programs_give_put_rows_in_order() {
    for name in ["frame.time_epoch", "when", "epoch", "datetime"] {
        let cell = |n| format!("{:.3}", 1.7e9 + 0.02 * n as f64);
        let link = one("t.csv", &outcomes(name, shuffled(), cell));
        assert_eq!(bits(&link), truth(), "{name}");
        assert_eq!(link.interval, Some(Span::from_millis(20)), "{name}");
        let unit = "seconds since 1970";
        assert!(link.notes[0].contains(unit) && link.notes[0].contains("put into order"));
    }
}

#[test]
fn numbers_and_times_in_whose_order_the_rows_are_not_are_asked_about() {
    for name in ["No.", "index", "packet_id", "", "frame.number"] {
        let e = error("t.csv", outcomes(name, shuffled(), |n| (n + 1).to_string()));
        assert!(e.contains("each number from 1 to 300 once") && e.contains("name it seq"), "{e}");
        let link = one("t.csv", &outcomes(name, 0..PACKETS, |n| (n + 1).to_string()));
        assert!(bits(&link) == truth() && link.notes[0].contains("not used"), "{:?}", link.notes);
    }
    let text = outcomes("mark", shuffled(), |n| format!("{:.3}", 1.7e9 + 0.02 * n as f64));
    assert!(error("t.csv", &text).contains("holds times"));
    let text = outcomes("mark", shuffled(), |n| format!("{:.3}", 3.0 + 0.02 * n as f64));
    assert!(error("t.csv", &text).contains("evenly spread"));
    let options = ReadOptions { column: Some("received".to_owned()), ..ReadOptions::default() };
    assert!(read_as("t.csv", &text, &options).is_ok());
    // Measurements repeat, or have tails.
    for cell in
        [|n: u64| (n * 7 % 9).to_string(), |n| format!("{}", 1e6 / (1 + n * 77 % 300) as f64)]
    {
        let link = one("t.csv", &outcomes("rssi", 0..PACKETS, cell));
        assert!(bits(&link) == truth() && link.notes[0].contains("not used: \"rssi\""));
    }
}

/// Two links in turn.
fn pooled(head: &str, row: impl Fn(u64, u64, u8) -> Option<String>) -> String {
    let rows = (0..PACKETS).flat_map(|n| {
        let row = &row;
        (0..2).filter_map(move |link| row(n, link, u8::from((n * (link + 3)) % 10 >= 4)))
    });
    format!("{head}\n{}", rows.collect::<String>())
}

#[test]
fn nodes_in_one_table_are_asked_about() {
    let node = |link: u64| ["a", "b"][usize::narrow(link)];
    let by_time = |n, link, bit| Some(format!("{:.3},{},{bit}\n", 0.02 * n as f64, node(link)));
    for name in ["node", "sta_mac", "client_ip", "mote", "flow id"] {
        let e = error("t.csv", pooled(&format!("time_s,{name},received"), by_time));
        assert!(e.contains("tell links apart") && e.contains("\"a\", \"b\""), "{e}");
    }
    let links = read("t.csv", pooled("time_s,link,received", by_time).as_bytes()).unwrap();
    assert_eq!(links.len(), 2);
    // Words in a column of another name are only noted; numbers are no names of nodes.
    let link = one("t.csv", &pooled("time_s,place,received", by_time));
    assert!(link.notes[0].contains("2 different values; name it link"), "{:?}", link.notes);
    // Numbers in turn may be nodes, too; measurements do not alternate.
    let board = |n, link, bit| Some(format!("{:.3},{link},{},{bit}\n", 0.02 * n as f64, n * n % 7));
    let link = one("t.csv", &pooled("time_s,board,lqi,received", board));
    assert!(
        link.notes[0].ends_with(
            "\"board\" (2 different values; name it link if they tell links apart), \"lqi\""
        ),
        "{:?}",
        link.notes
    );
    let load = |n, link, bit| Some(format!("{:.3},{link},{bit}\n", 0.02 * n as f64));
    assert_eq!(
        read("t.csv", pooled("time_s,host_load,received", load).as_bytes()).unwrap().len(),
        1
    );
    let by_number = |n, link, bit| Some(format!("{},{},{bit}\n", 2 * n + link, node(link)));
    assert!(error("t.csv", pooled("seq,node,received", by_number)).contains("tell links apart"));
    // Numbers shared by both links: each link lacks those of the other.
    let came = |n: u64, link, bit| {
        let number = 2 * n + (link + n / 3) % 2;
        (bit == 1).then(|| format!("{number},{}\n", node(link)))
    };
    assert!(error("t.csv", pooled("seq,node", came)).contains("tell links apart"));
    let all = |n: u64, link, _| came(n, link, 1);
    assert!(error("t.csv", pooled("seq,link", all)).contains("numbered together"));
}

#[test]
fn rows_sorted_by_their_arrivals_are_asked_about() {
    let came = |n: u64| format!("{:.3},9\n", 0.02 * n as f64);
    let blanks = ",9\n".repeat(60);
    let received: String = (0..PACKETS).filter(|n| !lost(*n)).map(came).collect();
    for text in [format!("{received}{blanks}"), format!("{blanks}{received}")] {
        let e = error("t.csv", format!("recv_time_s,size\n{text}"));
        assert!(e.contains("60 lost packets are all at one end"), "{e}");
        assert!(error("t.csv", format!("rtt_ms,size\n{text}")).contains("at one end"));
    }
    // In the order of a time of sending, the packets at the end are lost.
    let sent = (0..PACKETS).map(|n| match n {
        0..240 => format!("{:.3},{:.3}\n", 0.02 * n as f64, 0.02 * n as f64 + 0.001),
        _ => format!("{:.3},\n", 0.02 * n as f64),
    });
    let text = format!("sent_time_s,recv_time_s\n{}", sent.collect::<String>());
    assert!(bits(&one("t.csv", &text)).ends_with(&"0".repeat(60)));
    let delays = (0..PACKETS).map(|n| match n {
        0..240 => format!("{:.3},9\n", 5.0 + (n * 77 % 13) as f64),
        _ => ",9\n".to_owned(),
    });
    let text = format!("rtt_ms,size\n{}", delays.collect::<String>());
    assert!(bits(&one("t.csv", &text)).ends_with(&"0".repeat(60)));
}

#[test]
fn what_may_say_the_losses_is_not_passed_over() {
    for (name, cells) in
        [("errors", ["0", "1", "5"]), ("prr", ["0", "0.5", "1"]), ("crc_status", ["a", "b", "c"])]
    {
        let rows = (0..60).map(|n| format!("{n},{}\n", cells[n * 7 % 11 % 3]));
        let text = format!("seq,{name}\n{}", rows.collect::<String>());
        assert!(error("t.csv", &text).contains("may say which packets were lost"), "{name}");
        let options = ReadOptions {
            column: Some("seq".to_owned()),
            kind: Some(ColumnKind::Sequence),
            ..ReadOptions::default()
        };
        let links = read_as("t.csv", &text, &options).unwrap();
        assert!(links[0].notes[0].contains("not used") && links[0].notes[0].contains(name));
    }
}
