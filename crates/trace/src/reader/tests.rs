//! Small files of every layout. The files under `tests/corpus` are read too
//! (see `tests/corpus.rs`).

use std::io::Write;
use std::path::Path;

use airtcp_units::{Capacity, Span};

use super::*;
use crate::error::TraceError;

mod compressed;
mod doubts;
mod hostile;
mod iperfs;
mod pings;
mod programs;
mod questions;
mod readings;
mod tables;

fn read(name: &str, data: &[u8]) -> Result<Vec<LinkTrace>, TraceError> {
    read_links_from(Path::new(name), data, &ReadOptions::default())
}

fn read_as(name: &str, data: &str, options: &ReadOptions) -> Result<Vec<LinkTrace>, TraceError> {
    read_links_from(Path::new(name), data.as_bytes(), options)
}

fn bits(link: &LinkTrace) -> String {
    link.outcomes.iter().map(|bit| if bit { '1' } else { '0' }).collect()
}

/// Rows as one text.
fn joined(rows: impl Iterator<Item = String>) -> String {
    rows.collect()
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
fn limits_hold() {
    let options = ReadOptions { max_packets: 1000, max_bytes: 5_000, ..ReadOptions::default() };
    let limited =
        |data: &[u8]| read_links_from(Path::new("x"), data, &options).unwrap_err().to_string();
    assert!(limited("1".repeat(1001).as_bytes()).contains("more than 1000 packets"));
    assert!(
        limited(&gzip("#".repeat(5_001).as_bytes())).contains("more than 5000 bytes, decompressed")
    );
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
    // Numbers that begin with ones and zeros are numbers.
    assert!(refusal("10\n11\n13\n").contains("--column 1 --kind sequence"));
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
        (b"----\nServer listening on UDP port 5001\n", "iperf log without lost datagrams"),
        (b"qdisc noqueue 0: root refcnt 2\n Sent 0 bytes 0 pkt\n", "statistics of a queue"),
        (b"[Connecting] connecting to 10.9.0.2\n", "the text output of irtt"),
        (b"10.9.0.2 : xmt/rcv/%loss = 30/27/10%\n", "summary of fping -q"),
        (b"{\"a\": [0, 1]}\n", "JSON"),
        (b"<!doctype html>\n", "web page"),
        (b"PK\x03\x04", "zip archive"),
        (b"PK\x03\x04\x14\0\x06\0....[Content_Types].xml", "an Office document (.xlsx"),
        (b"PAR1\x15\0", "a Parquet file"),
        (b"\x89PNG\r\n\x1a\n\0\0", "a PNG picture"),
        (b"%PDF-1.7\n", "a PDF document"),
        (b"\x93NUMPY\x01\0v\0", "a NumPy array"),
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
        (b"received\n1\n0\n2\n", "line 4: found \"2\" in column \"received\""),
        (b"received,x\n1,1\n0\n", "line 3: found 1 cells"),
        (b"a,received\n1,\n", "line 2: found \"\""),
        (b"0,1,1\n1,0,1\n2,1,1\n", "the columns have no names in a first row"),
        (b"1.5\n2.5\n", "no known layout"),
        (b"7\n8\n8\n5\n", "--layout mahimahi"),
    ] {
        let got = read("x.csv", data);
        let e = match got {
            Ok(links) => format!("{:?}", links[0].notes),
            Err(e) => e.to_string(),
        };
        assert!(e.contains(says), "{says}: {e}");
    }
    // A file with an error after its first 64 KiB.
    let mut late = "01".repeat(50_000);
    late.push_str("\n012\n");
    assert!(error("x", late).contains("line 2: found '2' among 0s and 1s"));
}

#[test]
fn comments_may_be_longer_than_the_head() {
    for comments in [65_500, 65_520, 65_540, 70_000, 600_000] {
        let mut text = "# a comment of many\n".repeat(comments / 20);
        text.push_str("received\n1\n1\n0\n1\n");
        assert_eq!(bits(&one("long.csv", &text)), "1101", "{comments}");
        let head = format!("# airtcp: interval=7ms\n{}0110\n", "#\n".repeat(comments / 2));
        let link = one("long.txt", &head);
        assert_eq!((bits(&link).as_str(), link.interval), ("0110", Some(Span::from_millis(7))));
    }
    assert!(error("x", "# nothing\n".repeat(20_000)).contains("the file holds comments only"));
}

#[test]
fn uniform_traces_are_valid() {
    assert_eq!(one("x", &"0".repeat(300)).outcomes.received(), 0);
    assert_eq!(one("x", &"1".repeat(300)).outcomes.received(), 300);
}

#[test]
fn mahimahi_is_told_from_sequence_numbers() {
    let link = one("att.down", "0\n0\n3\n3\n3\n4\n");
    assert_eq!((bits(&link).as_str(), link.source.layout.as_str()), ("", "mahimahi"));
    let ms = [0, 0, 3, 3, 3, 4].map(Span::from_millis).to_vec();
    assert_eq!(link.capacity.as_deref(), Capacity::opportunities(ms, 1504).as_ref());
    assert!(link.notes[0].contains("not its losses"), "{:?}", link.notes);
    assert!(error("numbers.txt", "3\n4\n6\n").contains("--layout mahimahi"));
    let as_mahimahi = |text: &str| {
        let layout = Some("mahimahi".to_owned());
        let e = read_as("x", text, &ReadOptions { layout, ..ReadOptions::default() });
        e.unwrap_err().to_string()
    };
    assert!(as_mahimahi("1\n1\n0\n").contains("line 3: found \"0\""));
    assert!(as_mahimahi("0\n0\n0\n").contains("no opportunity after millisecond 0"));
}

#[test]
fn rates_need_their_unit() {
    let rates = |text: &str, unit: Option<&str>| {
        let rate_unit = unit.map(str::to_owned);
        read_as("r.csv", text, &ReadOptions { rate_unit, ..ReadOptions::default() })
    };
    let s = Span::from_secs;
    let steps = [(s(0), 8_000_000), (s(1), 0), (s(3), 1_000_000)];
    let expected = Capacity::rates(&steps, s(5));
    for (text, unit) in [
        ("time_s,rate_mbps\n10,8\n11,0\n13,1\n", None),
        ("time_ms\tbandwidth (kbit/s)\n0\t8000\n1000\t0\n3000\t1000\n", None),
        ("seconds,throughput [MB/s]\n1,1\n2,0\n4,0.125\n", None),
        ("0.0\t8\n1.0\t0\n3.0\t1\n", Some("Mb/s")),
        ("1,1000000\n2,0\n4,125000\n", Some("B/s")),
        ("# walk 7\n0 8000\n1 0\n3 1000\n", Some("kb/s")),
    ] {
        let links = rates(text, unit).unwrap();
        assert_eq!(links[0].capacity.as_deref(), expected.as_ref(), "{text}");
        assert!(links[0].notes[0].contains(" b/s, "), "{:?}", links[0].notes);
        assert_eq!((links[0].source.layout.as_str(), links[0].outcomes.len()), ("rates", 0));
    }
    for (text, unit, says) in [
        ("0.0\t8\n1.0\t7.5\n2.0\t7.25\n", None, "log of throughput"),
        ("0 8\n1 7\n", Some("mbit"), "one of b/s, kb/s"),
        ("0 8\n1 x\n", Some("Mb/s"), "line 2"),
        ("0 8\n1 -7\n", Some("Mb/s"), "a rate from 0"),
        ("0 8\n1 nan\n", Some("Mb/s"), "a rate from 0"),
        ("1 8\n0 7\n", Some("Mb/s"), "rise"),
        ("1 8\n1 7\n", Some("Mb/s"), "a time after"),
        ("1 8\n", Some("Mb/s"), "fewer than two rows"),
        ("1 0\n2 0\n", Some("Mb/s"), "no rate above 0"),
        ("time,speed\n1,8\n2,3\n", Some("parsec"), "one of b/s"),
    ] {
        let e = rates(text, unit).unwrap_err().to_string();
        assert!(e.contains(says), "{text}: {e}");
    }
}

/// Small files that expand to gigabytes are refused with a message that names the option, before
/// the memory is taken.
#[test]
fn bombs_are_refused() {
    let refused = |name: &str, data: &[u8]| {
        let e = read(name, data).unwrap_err().to_string();
        assert!(e.contains("AIRTCP_INPUT_LIMIT") && !e.contains('\n'), "{e}");
        e
    };
    // 59 bytes that state four thousand million packets.
    let e = refused("n.csv", b"# airtcp: packets=4294967296\nseq\n1\n2\n");
    assert!(e.contains("4294967294 losses at an end"), "{e}");
    let e = refused("n.csv", b"# airtcp: packets=900000000 lead=899999000\nseq\n1\n2\n");
    assert!(e.contains("losses at an end"), "{e}");
    // A link per line, each of which takes kilobytes later.
    let lines: Vec<String> = (0..100_001).map(|i| format!("{i},1")).collect();
    let rows = format!("link,received\n{}\n", lines.join("\n"));
    assert!(refused("many.csv", rows.as_bytes()).contains("more than 100000 links"));
    // Long names, which are kept several times.
    let header = "{\"type\":1}\ndatetime,src,dst,channel,mean_rssi,pdr,tx_count\n";
    let options = ReadOptions { max_bytes: 80_000, ..ReadOptions::default() };
    let row = format!("t,{},b,,,1,3\n", "a".repeat(10_001));
    let e = read_as("x.k7", &format!("{header}{row}"), &options).unwrap_err().to_string();
    assert!(e.contains("more than 10000 bytes of names"), "{e}");
}

#[test]
fn comments_of_our_own_are_checked() {
    for (said, expected) in [
        ("packets=-5 lead=9", "\"packets=-5\"; expected a whole number from 0"),
        ("packets=1e9", "\"packets=1e9\"; expected a whole number from 0"),
        ("packets=9 lead=x", "\"lead=x\"; expected a whole number from 0"),
        ("interval=soon", "\"interval=soon\"; expected a duration"),
    ] {
        for rest in ["seq\n1\n2\n", "1\n2\n", "0101\n"] {
            let e = read("n.csv", format!("# airtcp: {said}\n{rest}").as_bytes());
            let e = e.unwrap_err().to_string();
            assert!(e.contains("line 1: found") && e.contains(expected), "{e}");
        }
    }
}

/// Refused long before the limit: blank lines, constant data, empty members.
#[test]
fn bombs_are_refused_soon() {
    let refused = |data: &[u8]| read("x", data).unwrap_err().to_string();
    for line in ["\n", "#\n", " \t# a\r\n"] {
        let e = refused(&gzip(line.repeat(2_000_000).as_bytes()));
        assert!(e.contains("its first million lines are blank or comments"), "{e}");
    }
    let e = refused(&gzip(&vec![b'1'; 100 << 20]));
    assert!(
        e.contains("more than 20000000 bytes from data compressed more than 1000 times"),
        "{e}"
    );
    assert!(e.contains("AIRTCP_INPUT_LIMIT"), "{e}");
    let e = refused(&gzip(b"").repeat(60_000));
    assert!(e.contains("holds next to nothing"), "{e}");
    // Similar files that are valid.
    assert_eq!(read("x", &gzip(b"1\n").repeat(60_000)).unwrap()[0].outcomes.len(), 60_000);
    let commented = "# a\n".repeat(50_000) + "1\n0\n";
    assert_eq!(read("x", &gzip(commented.as_bytes())).unwrap()[0].outcomes.len(), 2);
}

/// Nested compression and endless streams: every layer counts its output and its input.
#[test]
fn streams_are_bounded() {
    let options = ReadOptions { max_bytes: 1 << 20, ..ReadOptions::default() };
    let nested = gzip(&gzip(&vec![b'#'; 200 << 20]));
    assert!(nested.len() < 20_000, "{}", nested.len());
    let e = read_links_from(Path::new("x"), nested.as_slice(), &options).unwrap_err().to_string();
    assert!(e.contains("more than 1048576 bytes") && e.contains("AIRTCP_INPUT_LIMIT"), "{e}");
    for byte in [b'#', b'\n', b'1', b' '] {
        let e = read_links_from(Path::new("x"), std::io::repeat(byte), &options).unwrap_err();
        assert!(e.to_string().contains("more than 1048576 bytes"), "{byte}: {e}");
    }
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
    assert!(links[0].notes.iter().any(|n| n.starts_with("1 row without tx_count")));
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
    for says in ["1 duplicate ", "1 restart ", "1 corrupt record "] {
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
fn every_layout_is_listed_once() {
    let tags: Vec<_> = layouts().map(|l| l.tag).collect();
    let unique: std::collections::BTreeSet<_> = tags.iter().collect();
    assert_eq!(unique.len(), tags.len());
    assert!(layouts().all(|l| l.description.len() > 20));
}
