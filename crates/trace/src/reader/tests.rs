//! Small files of every layout, and hostile ones. The files under `tests/corpus` are read too
//! (see `tests/corpus.rs`).

use super::*;
use proptest::prelude::*;
use std::io::Write;

fn read(name: &str, data: &[u8]) -> Result<Vec<LinkTrace>, TraceError> {
    read_links_from(Path::new(name), data, &ReadOptions::default())
}

fn read_as(name: &str, data: &str, options: &ReadOptions) -> Result<Vec<LinkTrace>, TraceError> {
    read_links_from(Path::new(name), data.as_bytes(), options)
}

fn bits(link: &LinkTrace) -> String {
    link.outcomes.iter().map(|bit| if bit { '1' } else { '0' }).collect()
}

/// The only link of a file.
fn one(name: &str, data: &str) -> LinkTrace {
    let mut links = read(name, data.as_bytes()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(links.len(), 1);
    links.remove(0)
}

fn error(name: &str, data: impl AsRef<[u8]>) -> String {
    read(name, data.as_ref()).map(|links| format!("{links:?}")).unwrap_err().to_string()
}

fn gzip(data: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    out.write_all(data).unwrap();
    out.finish().unwrap()
}

/// "1101\n0110\n" by the xz tool (CRC64).
const XZ: &[u8] = include_bytes!("../../tests/corpus/good/bits.txt.xz");
/// The same by the zstd tool.
const ZSTD: &[u8] = include_bytes!("../../tests/corpus/good/bits.txt.zst");

#[test]
fn bits_with_any_separator() {
    for text in [
        "11010110",
        "1101\n0110\n",
        "1 1 0 1 0 1 1 0",
        "1,1,0,1,0,1,1,0\n",
        "# a link\n1101 # first half\r\n0110",
        "\u{feff}1101;0110",
        "1\n1\n0\n1\n0\n1\n1\n0\n",
    ] {
        let link = one("some.link.txt", text);
        assert_eq!(bits(&link), "11010110", "{text:?}");
        assert_eq!((link.name.as_str(), link.source.layout.as_str()), ("some.link", "bits"));
        assert!(link.order_known && link.notes.is_empty());
    }
}

#[test]
fn compressed_files_are_opened_by_their_content() {
    let plain = b"1101\n0110\n";
    for (name, data) in [
        ("a.gz", gzip(plain)),
        ("no-ending", gzip(&gzip(plain))),
        ("a.xz", XZ.to_vec()),
        ("a.txt", ZSTD.to_vec()),
        ("two members.gz", [gzip(b"1101"), gzip(b"0110")].concat()),
        ("skippable.zst", [b"\x50\x2a\x4d\x18\x03\0\0\0abc", ZSTD].concat()),
    ] {
        let links = read(name, &data).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(bits(&links[0]), "11010110", "{name}");
    }
}

#[test]
fn every_zstd_frame_is_read() {
    let links = read("a.zst", &ZSTD.repeat(1000)).unwrap();
    assert_eq!(bits(&links[0]), "11010110".repeat(1000));
    assert!(error("a.zst", [ZSTD, b"junk"].concat()).contains("follows a frame"));
    let mut wrong = ZSTD.to_vec();
    *wrong.last_mut().unwrap() ^= 1;
    assert!(error("a.zst", wrong).contains("checksum"));
}

#[test]
fn cut_and_damaged_compressed_files_are_told() {
    let text: String = (0..20_000).map(|i| if i * i % 7 == 1 { '1' } else { '0' }).collect();
    let whole = gzip(text.as_bytes());
    for data in
        [&whole[..whole.len() / 2], &whole[..whole.len() - 4], &XZ[..XZ.len() - 20], &ZSTD[..12]]
    {
        let e = error("a.gz", data);
        assert!(e.contains("cut short or damaged"), "{e}");
    }
    let mut flipped = whole;
    let at = flipped.len() - 6;
    flipped[at] ^= 0x55;
    assert!(error("a.gz", flipped).contains("cut short or damaged"));
}

#[test]
fn limits_hold() {
    let options = ReadOptions { max_packets: 1000, max_bytes: 5_000, ..ReadOptions::default() };
    let limited =
        |data: &[u8]| read_links_from(Path::new("x"), data, &options).unwrap_err().to_string();
    assert!(limited("1".repeat(1001).as_bytes()).contains("more than 1000 packets"));
    assert!(limited(&gzip("#".repeat(5_001).as_bytes())).contains("more than 5000 decompressed"));
    assert!(limited(b"seq\n1\n900000\n").contains("more than 1000 packets"));
    let few = ReadOptions { max_links: 2, ..ReadOptions::default() };
    let e = read_as("x", "link,received\na,1\nb,1\nc,1\n", &few).unwrap_err().to_string();
    assert!(e.contains("more than 2 links"), "{e}");
    let e = read_as("x", &"1,".repeat(5 << 20), &ReadOptions::default());
    assert_eq!(e.unwrap()[0].outcomes.len(), 5 << 20);
    let e = error("x", format!("received,\n{}", "1,".repeat(5 << 20)));
    assert!(e.contains("bytes in one line"), "{e}");
}

#[test]
fn a_slip_among_bits_is_found_where_it_is() {
    let refusal = |text: &str| read("t.txt", text.as_bytes()).unwrap_err().to_string();
    for (text, parts) in [
        ("0101\n01x1\n", ["line 2", "'x'", "character 3"]),
        ("01x1\n0101\n", ["line 1", "'x'", "character 3"]),
        ("# c\n0101\n0121\n", ["line 3", "'2'", "character 3"]),
        ("110101110?1\n", ["line 1", "'?'", "character 10"]),
    ] {
        let message = refusal(text);
        for part in parts {
            assert!(message.contains(part), "{text:?}: {message}");
        }
    }
    // Numbers that happen to begin with ones and zeros are numbers.
    let link = one("t.txt", "10\n11\n13\n");
    assert_eq!((bits(&link).as_str(), link.source.layout.as_str()), ("1101", "table"));
}

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

#[test]
fn files_that_are_no_traces_are_named() {
    for (data, what) in [
        (&b"\xd4\xc3\xb2\xa1\x02\0\x04\0"[..], "pcap packet capture"),
        (b"\x0a\x0d\x0d\x0a\x1c\0\0\0", "pcapng packet capture"),
        (b"0.0\t21.7\n1.0\t7.97\n2.0\t7.71\n", "log of throughput"),
        (b"1,5431368\n2,6703920\n3,6318090\n", "log of throughput"),
        (b"nic,antenna,ping_loss,ping_min\na,1,0,7.5\n", "summary of ping runs"),
        (b"nic,rssi,link_quality\na,-42,68\n", "signal levels"),
        (b"\tCaso 1\t\t\t\tCaso 2\n0.99 0.01 # 0.9 0.1\n", "hidden Markov model"),
        (b"----\nServer listening on UDP port 5001\n", "iperf log"),
        (b"{\"a\": [0, 1]}\n", "JSON"),
        (b"<!doctype html>\n", "web page"),
        (b"PK\x03\x04", "zip archive"),
        (b"\xff\xfe1\0", "UTF-16"),
    ] {
        let e = error("x.txt", data);
        assert!(e.contains(what), "{what}: {e}");
    }
}

#[test]
fn bad_files_get_a_reason_and_a_place() {
    for (data, says) in [
        (&b""[..], "the file is empty"),
        (b" \n\n", "the file is empty"),
        (b"# only\n# comments\n", "comments only"),
        (b"received\n", "a header and no rows"),
        (b"0101\x000101", "byte 4: found binary data"),
        (b"\x7f\x45\x00\x01", "binary data"),
        (b"caf\xe9,received\n", "byte 3: found text that is not UTF-8"),
        (b"hello world, this is prose\n", "no known layout begins with"),
        (b"received\n1\n0\n2\n", "line 4: found \"2\" in column received"),
        (b"received,x\n1,1\n0\n", "line 3: found 1 cells"),
        (b"a,received\n1,\n", "line 2: found \"\""),
        (b"0,1,1\n1,0,1\n2,1,1\n", "2 of 3 columns could be the outcomes"),
        (b"1.5\n2.5\n", "no known layout"),
        (b"7\n8\n8\n5\n", "no header: "),
    ] {
        let got = read("x.csv", data);
        let e = match got {
            Ok(links) => format!("{:?}", links[0].notes),
            Err(e) => e.to_string(),
        };
        assert!(e.contains(says), "{says}: {e}");
    }
    // A file whose first 64 KiB are right and that then is not.
    let mut late = "01".repeat(50_000);
    late.push_str("\n012\n");
    assert!(error("x", late).contains("line 2: found '2' among 0s and 1s"));
}

#[test]
fn uniform_traces_are_valid() {
    assert_eq!(one("x", &"0".repeat(300)).outcomes.received(), 0);
    assert_eq!(one("x", &"1".repeat(300)).outcomes.received(), 300);
}

#[test]
fn mahimahi_is_told_from_sequence_numbers() {
    let link = one("att.down", "0\n0\n3\n3\n3\n4\n");
    assert_eq!((bits(&link).as_str(), link.source.layout.as_str()), ("10011", "mahimahi"));
    assert!(link.notes[1].starts_with("3 of 6"), "{:?}", link.notes);
    assert_eq!(one("numbers.txt", "3\n4\n6\n").source.layout, "table");
    assert!(error("x.down", "1\n1\n900000000\n").contains("a gap of at most"));
}

#[test]
fn k7_bursts_keep_their_counts() {
    let head = "{\"interframe_duration\": 100, \"location\": \"here\"}\n\
                datetime,src,dst,channel,mean_rssi,pdr,tx_count\n";
    let rows =
        "t,0,1,11,-50,0.25,100\nt,0,1,11,-50,1.0,100.0\nt,0,1,12,-50,0.5,10\nt,0,1,11,,0.0,\n";
    let links = read("a.k7", format!("{head}{rows}").as_bytes()).unwrap();
    let counts: Vec<_> = links.iter().map(|l| (l.outcomes.len(), l.outcomes.received())).collect();
    assert_eq!(counts, [(200, 125), (10, 5)]);
    assert_eq!((links[0].name.as_str(), links[0].order_known), ("a:0>1@ch11", false));
    assert_eq!(links[0].interval, Some(Span::from_millis(100)));
    assert!(links[0].notes.iter().any(|n| n.contains("artefacts")));
    assert!(links[0].notes.iter().any(|n| n.starts_with("1 rows without tx_count")));
    assert_eq!(read("a.k7", format!("{head}{rows}").as_bytes()).unwrap(), links);
    let e = error("a.k7", format!("{head}t,0,1,11,-50,1.5,100\n"));
    assert!(e.contains("line 3") && e.contains("a pdr from 0 to 1"), "{e}");
}

#[test]
fn tsch_orders_by_first_slot_and_joins_restarts() {
    let row = |asn: u64, seq: u64, channel: u64| {
        let mut bytes = [0u64; 38];
        bytes[1] = asn + 5;
        bytes[6] = asn;
        (bytes[11], bytes[12]) = (seq & 255, seq >> 8);
        (bytes[14], bytes[15], bytes[16], bytes[17]) = (9, 3, channel, 60);
        format!("{bytes:?}\t0:00:{:09.6}\n", asn as f64 * 0.015)
    };
    // Sent 300, 301, (302 lost), 303, then restarted at 1; 301 came late and twice.
    let text = [
        row(10, 300, 15),
        row(40, 303, 15),
        row(20, 301, 15),
        row(20, 301, 15),
        row(50, 1, 15),
        row(60, 2, 15),
        row(70, 3, 68),
    ];
    let link = one("r.log", &text.concat());
    assert_eq!((bits(&link).as_str(), link.name.as_str()), ("110111", "r:source9"));
    assert_eq!(link.interval, Some(Span::from_millis(150)));
    for says in ["1 duplicates", "1 restarts", "1 corrupt"] {
        assert!(link.notes.iter().any(|n| n.starts_with(says)), "{says}: {:?}", link.notes);
    }
}

#[test]
fn aggregates_become_unordered_packets() {
    let header = "time\tmcs\trssi\tpktlost_ack\tnbpkt_ack";
    let text = format!(
        "{header}\n0.1\t7.0\t-60\t2.0\t8.0\n0.2\t\t\t1\t9\n0.3\t426880\t-60\t5\t5\n0.4\t7\t-60\t\t\n"
    );
    let link = one("v.csv", &text);
    assert_eq!((link.outcomes.len(), link.outcomes.received(), link.order_known), (20, 17, false));
    assert_eq!(link.interval, Some(Span::from_millis(10)));
    let text = "NumOfReceived,PRR,packetLoss,PLR,throughput,IPI,Density,COR\n\
                30,0.75,10,0.25,1.0,16,27,20\n10,1,0,0,1,16,27,20\n5,1,0,0,1,16,8,0\n";
    let links = read("m.csv", text.as_bytes()).unwrap();
    assert_eq!((links.len(), links[1].outcomes.len(), links[1].outcomes.received()), (2, 50, 40));
}

#[test]
fn archives_are_read_member_by_member() {
    let mut tar = tar::Builder::new(Vec::new());
    let mut add = |name: &str, data: &str| {
        let mut header = tar::Header::new_ustar();
        header.set_size(data.len() as u64);
        tar.append_data(&mut header, name, data.as_bytes()).unwrap();
    };
    add("dbm-5/Results_node1-2_DailyTest/sdec3-4", "0 20\n1 255\n2 21\n299 22\n300 22\n");
    add("dbm0/Results_node1-2_DailyTest/sdec5-6", "");
    add("README.txt", "not data");
    let data = gzip(&tar.into_inner().unwrap());
    let links = read("r.tar.gz", &data).unwrap();
    assert_eq!(links.len(), 2);
    assert_eq!((links[0].name.as_str(), links[0].outcomes.len()), ("1-2>3-4@-5dBm", 300));
    assert_eq!(
        links[0].outcomes.iter().enumerate().filter(|b| b.1).map(|b| b.0).collect::<Vec<_>>(),
        [0, 2, 299]
    );
    assert_eq!((links[0].notes.len(), links[0].labels["noise_dbm"].as_str()), (2, "-5"));
    assert_eq!((links[1].outcomes.len(), links[1].outcomes.received()), (300, 0));
    assert!(error("r.tar.gz", gzip(&gunzip(&data)[..1500])).contains("damaged"));
}

fn gunzip(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    flate2::read::GzDecoder::new(data).read_to_end(&mut out).unwrap();
    out
}

#[test]
fn every_layout_is_listed_once() {
    let tags: Vec<_> = layouts().map(|l| l.tag).collect();
    let unique: std::collections::BTreeSet<_> = tags.iter().collect();
    assert_eq!(unique.len(), tags.len());
    assert!(layouts().all(|l| l.description.len() > 20));
}

/// Pieces from which files are put together that get past the detectors.
const PIECES: &[&str] = &[
    "0",
    "1",
    "01",
    "\n",
    ",",
    "\t",
    " ",
    ";",
    "#",
    "-",
    "\"",
    "received",
    "lost",
    "seq",
    "time_s",
    "link",
    "src",
    "7",
    "1e9",
    "18446744073709551615",
    "nan",
    "inf",
    "[",
    "]",
    "{",
    "}",
    "true",
    "datetime,src,dst,channel,mean_rssi,pdr,tx_count\n",
    "{\"type\":1}\n",
    "t,0,1,,,0.5,3\n",
    "noise_dbm\ttx\trx\tdelivery_bits\n",
    "time\tmcs\tpktlost_ack\tnbpkt_ack\n",
    "0\t1\t2\t3\n",
    "NumOfReceived,PRR,packetLoss,PLR,throughput,IPI,Density,COR\n",
    "1,1,1,1,1,1,1,1\n",
    "# airtcp: packets=99999999999999 lead=3\n",
    "# airtcp: interval=9ms\n",
    "\u{feff}",
    "é",
];

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(data in proptest::collection::vec(any::<u8>(), 0..600), name in "(sdec1-2|a\\.k7|b\\.down|c)") {
        let options = ReadOptions { max_packets: 1 << 20, max_bytes: 1 << 20, ..ReadOptions::default() };
        let _ = read_links_from(Path::new(&name), data.as_slice(), &options);
    }

    #[test]
    fn arbitrary_text_never_panics(
        pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..60),
        name in "(sdec1-2|a\\.k7|b\\.down|c)",
        layout in proptest::option::of(0usize..9),
    ) {
        let layout = layout.and_then(|i| layouts().nth(i)).map(|l| l.tag.to_owned());
        let options = ReadOptions { max_packets: 1 << 20, max_links: 50, layout, ..ReadOptions::default() };
        let text = pieces.concat();
        if let Ok(links) = read_links_from(Path::new(&name), text.as_bytes(), &options) {
            let packets: usize = links.iter().map(|l| l.outcomes.len()).sum();
            prop_assert!(packets > 0 && packets <= 1 << 21);
        }
        if let Err(e) = read_links_from(Path::new(&name), text.as_bytes(), &options) {
            prop_assert!(e.to_string().len() < 2000);
        }
    }

    #[test]
    fn flipped_bits_in_compressed_files_never_panic(which in 0usize..3, at in 0usize..400, bit in 0u8..8) {
        let mut data = match which {
            0 => gzip(b"1101\n0110\n"),
            1 => XZ.to_vec(),
            _ => ZSTD.to_vec(),
        };
        let n = data.len();
        data[at % n] ^= 1 << bit;
        let options = ReadOptions { max_bytes: 1 << 20, ..ReadOptions::default() };
        let _ = read_links_from(Path::new("x"), data.as_slice(), &options);
    }

    #[test]
    fn bits_round_trip_through_any_wrapping(bits in proptest::collection::vec(any::<bool>(), 1..500)) {
        let text: String = bits.iter().map(|b| if *b { '1' } else { '0' }).collect();
        let links = read("x", &gzip(text.as_bytes())).unwrap();
        prop_assert_eq!(links[0].outcomes.iter().collect::<Vec<_>>(), bits);
    }
}
