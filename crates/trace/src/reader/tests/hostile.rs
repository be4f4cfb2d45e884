//! Hostile files: arbitrary bytes and text, flipped bits. Nothing panics, and reading stays within
//! its limits.

use super::*;
use proptest::prelude::*;

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
    "PING a (1.2.3.4) 56(84) bytes of data.\n",
    "64 bytes from 1.2.3.4: icmp_seq=70 ttl=64\n",
    "9 packets transmitted\n",
    "99999999999 packets transmitted, time 3ms\n",
    "a : [3], 64 bytes, 1 ms\n",
    "a : xmt/rcv/%loss = 999999999999/1/1%\n",
    "a : 1.0 - 2.0\n",
    "[ ID] Interval Transfer\n",
    "[  5] 0.00-1.00 sec 1 KBytes 3/125 (2.4%)\n",
    "[  5] 1.00-2.00 sec 1 KBytes -3/99999999999 (2.4%)\n",
    "0 16000000000000000000 1 0.1 16000000000900000000 1 0.1 255\n",
    "{\"irtt\":1,\"json_format\":1,\"round_trips\":[{\"seqno\":1,\"lost\":\"true\"}]}",
    "seq,rtt_ms\n",
    "seq,recv_time\n",
    ",\n",
    "1700000000.5,",
    "2024-05-01T12:00:00,",
    "\u{feff}",
    "é",
];

/// Kinds, and values of options of tables.
const KINDS: &[ColumnKind] =
    &[ColumnKind::Received, ColumnKind::Lost, ColumnKind::Sequence, ColumnKind::Arrival];
const SAID: &[&str] =
    &["1", "2", "9", "seq", "received", "link", "-1", "blank", "none", "0,1", ",", ""];

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
        layout in proptest::option::of(0usize..15),
        kind in proptest::option::of(proptest::sample::select(KINDS)),
        said in proptest::collection::vec(proptest::option::of(proptest::sample::select(SAID)), 6),
    ) {
        let layout = layout.and_then(|i| layouts().nth(i)).map(|l| l.tag.to_owned());
        let text = |i: usize| said[i].map(str::to_owned);
        let options = ReadOptions {
            max_packets: 1 << 20,
            max_links: 50,
            layout,
            kind,
            column: text(0),
            lost_value: text(1),
            unsent_value: text(2),
            link_column: text(3),
            rate_column: text(4),
            bytes_column: text(5),
            ..ReadOptions::default()
        };
        let text = pieces.concat();
        if let Ok(links) = read_links_from(Path::new(&name), text.as_bytes(), &options) {
            let packets: usize = links.iter().map(|l| l.outcomes.len()).sum();
            let empty = links.iter().all(|l| l.capacity.is_none()) && packets == 0;
            prop_assert!(!empty && packets <= 1 << 21);
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

#[test]
fn files_of_a_folder_have_one_limit_together() {
    let folder = std::env::temp_dir().join(format!("airtcp-together-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for name in ["a.txt", "b.txt", "c.txt"] {
        std::fs::write(folder.join(name), "0110".repeat(10)).unwrap();
    }
    let options =
        |max_packets, max_links| ReadOptions { max_packets, max_links, ..ReadOptions::default() };
    let read = |options: &ReadOptions| {
        read_many(std::slice::from_ref(&folder), options, |_, _, _| {})
            .map(|(links, skipped)| (links.len(), skipped.len()))
            .map_err(|e| e.to_string())
    };
    assert_eq!(read(&options(120, 3)), Ok((3, 0)));
    let message = read(&options(119, 3)).unwrap_err();
    assert!(message.contains("c.txt: with the files before it"), "{message}");
    assert!(message.contains("119 packets") && message.contains("AIRTCP_INPUT_LIMIT"), "{message}");
    assert!(read(&options(120, 2)).unwrap_err().contains("2 links"));
    // A file that is too large by itself is skipped.
    std::fs::write(folder.join("b.txt"), "0110".repeat(100)).unwrap();
    assert_eq!(read(&options(120, 3)), Ok((2, 1)));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn other_kinds_of_text_are_known_by_name() {
    let kind = |text: &str| text_kind(Path::new("x"), text.as_bytes());
    let ping =
        "PING 1.2.3.4 (1.2.3.4) 56(84) bytes of data.\n64 bytes from 1.2.3.4: icmp_seq=1 ttl=6\n";
    assert_eq!(kind(ping), Some(("a trace of a link (layout ping)".into(), true)));
    assert_eq!(kind("0110\n1101\n").unwrap().0, "a trace of a link (layout bits)");
    assert_eq!(kind("seq,received\n0,1\n").unwrap().0, "a table with a packet in each row");
    let rates = "time_s,rsrp,rx_kbps\n0,-90,7\n1,-91,8\n";
    assert_eq!(kind(rates).unwrap().0, "a table of the rate of a link over time");
    assert_eq!(
        kind("qdisc fq_codel 0: dev eth0\n"),
        Some(("the statistics of a queue (tc -s qdisc)".into(), false))
    );
    assert_eq!(kind("dear reader,\nthis is a letter\n"), None);
    assert_eq!(kind("seed = 1\nduration = \"10 s\"\n"), None);
}

#[test]
fn lines_that_no_ping_prints_are_counted() {
    let log = "PING 1.2.3.4 (1.2.3.4) 56(84) bytes of data.\n64 bytes from 1.2.3.4: icmp_seq=1 ttl=6\n\
               moved to the kitchen\n64 bytes from 1.2.3.4: icmp_seq=2 ttl=6\nback again\n\n\
               --- 1.2.3.4 ping statistics ---\n2 packets transmitted, 2 received, 0% packet loss, time 1ms\n\
               rtt min/avg/max/mdev = 1/1/1/0 ms\n";
    let said = "2 lines skipped that airtcp does not read in the output of ping, the first: \"moved to the kitchen\"";
    assert!(one("p.txt", log).notes.contains(&said.to_owned()), "{:?}", one("p.txt", log).notes);
    let log = "a : [0], 64 bytes, 1.2 ms (1.2 avg, 0% loss)\nsomething else\na : [1], timed out (1 avg, 50% loss)\n";
    assert!(
        one("f.txt", log)
            .notes
            .iter()
            .any(|n| n
                .starts_with("1 line skipped that airtcp does not read in the output of fping"))
    );
}
