//! Original logs of common programs: ping (iputils 20221126), fping 5.1, iperf3 3.12 and irtt 0.9.0
//! between two network namespaces with random loss (nftables). An independent script counted their
//! packets. `owamp-by-manual.txt` was made from the manual of `owping -R`, because the program was
//! not available.

use std::path::{Path, PathBuf};

use airtcp_trace::{LinkTrace, ReadOptions, read_links, read_links_from};

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/logs").join(name)
}

fn read(name: &str) -> Vec<LinkTrace> {
    read_links(&path(name), &ReadOptions::default()).unwrap_or_else(|e| panic!("{e}"))
}

fn refused(name: &str) -> String {
    read_links(&path(name), &ReadOptions::default()).expect_err("this is no trace").to_string()
}

fn bits(link: &LinkTrace) -> String {
    link.outcomes.iter().map(|bit| if bit { '1' } else { '0' }).collect()
}

fn ms(link: &LinkTrace) -> f64 {
    link.interval.map_or(f64::NAN, |interval| interval.as_secs_f64() * 1e3)
}

#[test]
fn ping() {
    let [link] = &read("ping-D-O.txt")[..] else { panic!("one run") };
    assert_eq!(bits(link), "101010110111110101111111101111110011111111111111111111111101");
    // The option said 20 ms; the kernel's timer made it 24 (1430 ms for 59 gaps, by the summary).
    assert!((ms(link) - 24.0).abs() < 1.0, "{}", ms(link));
    assert_eq!((link.source.layout.as_str(), link.labels["dst"].as_str()), ("ping", "10.9.0.2"));
    assert!(link.order_known && link.notes[0].starts_with("round trips"), "{:?}", link.notes);
    // Without stamps: the interval of the summary, 1574 ms for 59 gaps.
    let [link] = &read("ping.txt")[..] else { panic!("one run") };
    assert_eq!(bits(link), "111110111111111111111110110111111101111111111001110111110111");
    assert!((ms(link) - 1574.0 / 59.0).abs() < 0.001, "{}", ms(link));
    assert!(link.notes.iter().any(|n| n.contains("from the summary")), "{:?}", link.notes);
}

#[test]
fn fping() {
    let [link] = &read("fping-D-c.txt")[..] else { panic!("one host") };
    assert_eq!(bits(link), "111011100111111111110011111001");
    assert!((ms(link) - 20.0).abs() < 2.0, "{}", ms(link));
    // Ended by a signal: no summary.
    let [link] = &read("fping-D-l.txt")[..] else { panic!("one host") };
    assert_eq!(bits(link), "111111111011111011111111111011110111111110111111111011001111");
    assert!(link.notes.iter().any(|n| n.contains("without the summary")), "{:?}", link.notes);
    let links = read("fping-c.txt");
    let found: Vec<_> = links.iter().map(|l| (l.name.as_str(), bits(l))).collect();
    let expected = [
        ("fping-c:10.9.0.1", "111111111111111111111111111111".to_owned()),
        ("fping-c:10.9.0.2", "111100111111111111101111111111".to_owned()),
    ];
    assert_eq!(found, expected);
    let links = read("fping-C.txt");
    assert_eq!(bits(&links[0]), "1".repeat(40));
    assert_eq!(bits(&links[1]), "1111110111111111011111110111111111111001");
    assert!(links[1].interval.is_none());
}

#[test]
fn iperf() {
    let [link] = &read("iperf3-server-text.txt")[..] else { panic!("one stream") };
    assert_eq!((link.outcomes.len(), link.outcomes.received()), (375, 363));
    let seconds: Vec<usize> =
        (0..3).map(|i| bits(link)[125 * i..][..125].matches('0').count()).collect();
    assert_eq!(seconds, [3, 4, 5]);
    assert!(!link.order_known && link.notes[0].contains("drawn at random"), "{:?}", link.notes);
    assert!((ms(link) - 8.0).abs() < 0.001, "{}", ms(link));
    let [link] = &read("iperf3-server-json.txt")[..] else { panic!("one stream") };
    assert_eq!((link.outcomes.len(), link.outcomes.received()), (188, 181));
    assert!((ms(link) - 1e3 * 3.000_209 / 188.0).abs() < 0.01, "{}", ms(link));
    for (name, says) in [
        ("iperf3-client-text.txt", "the total of the test alone"),
        ("iperf3-client-json.txt", "iperf3 JSON of a sender, whose intervals count no losses"),
    ] {
        assert!(refused(name).contains(says), "{}", refused(name));
    }
    assert!(refused("iperf3-tcp.txt").contains("without lost datagrams"));
    // A client with -J and --get-server-output, of a server that writes text.
    let [link] = &read("iperf3-client-server-output.json")[..] else { panic!("one stream") };
    assert_eq!((link.outcomes.len(), link.outcomes.received()), (375, 349));
}

/// Stamps of a coarse clock: most gaps are 16 ms, the mean is 17 ms.
#[test]
fn a_median_gap_that_is_not_the_mean_gets_a_note() {
    let mut rows = vec!["seq,time_s,received".to_owned()];
    rows.extend((0..400u32).map(|i| {
        let ms = i / 4 * 68 + i % 4 * 16;
        format!("{i},{}.{:03},{}", ms / 1000, ms % 1000, u8::from(i % 7 != 0))
    }));
    let text = rows.join("\n");
    let read = |text: &str| {
        read_links_from(Path::new("one.csv"), text.as_bytes(), &ReadOptions::default()).unwrap()
    };
    let [link] = &read(&text)[..] else { panic!("one link") };
    assert!((ms(link) - 16.0).abs() < 1e-9, "{}", ms(link));
    let said = link.notes.join("; ");
    assert!(said.contains("16 ms at the median, which is taken"), "{said}");
}

/// With several streams every interval ends in a line of dashes, like the line before the totals.
#[test]
fn iperf_of_several_streams() {
    for (name, counts) in [
        ("iperf3-server-P2.txt", [(58, 57), (58, 57)]),
        ("iperf3-client-R-P2.txt", [(57, 56), (58, 52)]),
    ] {
        let links = read(name);
        let found: Vec<_> =
            links.iter().map(|l| (l.outcomes.len(), l.outcomes.received())).collect();
        assert_eq!(found, counts, "{name}");
        assert!(links[0].notes[0].contains("within an interval of iperf"), "{:?}", links[0].notes);
    }
    // Both ways: the stream that this end receives.
    let [link] = &read("iperf3-client-bidir.txt")[..] else { panic!("one stream") };
    assert_eq!((link.outcomes.len(), link.outcomes.received()), (58, 56));
}

#[test]
fn one_loss_without_a_direction_hides_no_other() {
    let text = std::fs::read_to_string(path("irtt.json")).unwrap();
    let at = text.rfind("\"lost\": \"false\"").unwrap();
    let text = format!("{}\"lost\": \"true\" {}", &text[..at], &text[at + 15..]);
    let links =
        read_links_from(Path::new("one.json"), text.as_bytes(), &ReadOptions::default()).unwrap();
    let found: Vec<_> = links.iter().map(|l| (l.name.as_str(), bits(l))).collect();
    let expected = [
        ("one:up", "11111111101111111111011101111".to_owned()),
        ("one:down", "10111111110111010011011111".to_owned()),
    ];
    assert_eq!(found, expected);
    let note = "1 of 30 packets are left out (the first is number 29)";
    assert!(links.iter().all(|link| link.notes[1].starts_with(note)), "{:?}", links[0].notes);
}

#[test]
fn irtt() {
    let links = read("irtt.json");
    let found: Vec<_> = links.iter().map(|l| (l.name.as_str(), bits(l))).collect();
    let expected = [
        ("irtt:up", "111111111011111111110111011111".to_owned()),
        ("irtt:down", "101111111101110100110111111".to_owned()),
    ];
    assert_eq!(found, expected);
    assert!((ms(&links[0]) - 10.0).abs() < 1e-9);
    let [link] = &read("irtt-no-server-stats.json")[..] else { panic!("round trips") };
    assert_eq!((link.outcomes.len(), link.outcomes.received()), (30, 18));
    assert!(link.notes[0].starts_with("round trips"), "{:?}", link.notes);
    assert!(refused("irtt-text.txt").contains("irtt client -o"));
}

#[test]
fn owamp_as_in_its_manual() {
    let links = read("owamp-by-manual.txt");
    let found: Vec<_> = links.iter().map(|l| (l.name.as_str(), bits(l))).collect();
    let expected = [
        ("owamp-by-manual:1", "111011100111".to_owned()),
        ("owamp-by-manual:2", "011111111110".to_owned()),
    ];
    assert_eq!(found, expected);
    assert!((ms(&links[0]) - 100.0).abs() < 0.001, "{}", ms(&links[0]));
}

#[test]
fn statistics_are_no_trace() {
    assert!(refused("tc.txt").contains("the statistics of a queue"));
}
