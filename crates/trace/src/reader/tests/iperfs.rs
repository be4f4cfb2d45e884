//! Results of iperf3 with impossible counts, or counts that do not add up.

use super::*;

/// Intervals of a second, each `lost/packets` as it stands in JSON, then `end`.
fn json(intervals: &[(&str, &str)], rest: &str) -> String {
    let each: Vec<String> = intervals
        .iter()
        .enumerate()
        .map(|(i, (lost, packets))| {
            format!(
                "{{\"streams\": [{{\"socket\": 5, \"start\": {i}, \"end\": {}, \"seconds\": 1, \
                 \"lost_packets\": {lost}, \"packets\": {packets}, \"omitted\": false, \"sender\": \
                 false}}]}}",
                i + 1
            )
        })
        .collect();
    format!(
        "{{\"start\": {{\"version\": \"iperf 3.12\"}},\n\"intervals\": [{}]{rest}}}\n",
        each.join(",\n")
    )
}

fn end(lost: u64, packets: u64) -> String {
    format!(", \"end\": {{\"sum\": {{\"packets\": {packets}, \"lost_packets\": {lost}}}}}")
}

fn notes(link: &LinkTrace) -> String {
    link.notes.join("\n")
}

#[test]
fn impossible_counts_are_refused() {
    let good = ("3", "100");
    for (bad, found) in [
        (("\"7\"", "100"), "lost_packets = \"7\""),
        (("null", "100"), "lost_packets = null"),
        (("1", "1e20"), "packets = 1e+20"),
        (("1", "\"100\""), "packets = \"100\""),
        (("1.5", "100"), "lost_packets = 1.5"),
        (("1", "-4"), "packets = -4"),
        (("200", "100"), "lost_packets = 200 of 100 packets"),
    ] {
        let e = error("i.json", json(&[good, bad, good], &end(6, 200)));
        assert!(e.contains("i.json, interval 2 (1 s to 2 s)") && e.contains(found), "{e}");
    }
    let text = |counts: &str| {
        let row = |i: u32, counts: &str| {
            format!(
                "[  5]   {i}.00-{}.00   sec   119 KBytes   976 Kbits/sec  0.006 ms  {counts} (2%)\n",
                i + 1
            )
        };
        let head = "Server listening on 5201\n[ ID] Interval           Transfer\n";
        format!("{head}{}{}{}", row(0, "3/125"), row(1, counts), row(2, "3/125"))
    };
    for (counts, found) in [("200/125", "200 lost of 125"), ("x/125", "\"x/125\"")] {
        let e = error("i.txt", text(counts));
        assert!(e.contains("i.txt, line 4") && e.contains(found), "{e}");
    }
    assert_eq!(one("i.txt", &text("3/125")).outcomes.len(), 375);
}

#[test]
fn intervals_are_held_against_the_total() {
    let intervals = [("3", "100"), ("1", "100")];
    let link = one("i.json", &json(&intervals, &end(4, 200)));
    assert!(!notes(&link).contains("add up"), "{:?}", link.notes);
    let link = one("i.json", &json(&intervals, &end(9, 260)));
    assert_eq!((link.outcomes.len(), link.outcomes.received()), (200, 196));
    let note = "the intervals add up to 4 lost of 200 datagrams, while the total of the test says 9 of 260";
    assert!(notes(&link).contains(note), "{:?}", link.notes);
}

#[test]
fn what_iperf3_says_of_its_test_is_said() {
    let intervals = [("3", "100"), ("1", "100"), ("2", "100")];
    let error_ = ", \"error\": \"the server has terminated\"";
    let link = one("i.json", &json(&intervals, error_));
    assert!(notes(&link).contains("iperf3 ended with an error: \"the server has terminated\""));
    let e = error("i.json", json(&[], error_));
    assert!(e.contains("\"the server has terminated\""), "{e}");
    let omitted =
        json(&intervals, &end(3, 200)).replacen("\"omitted\": false", "\"omitted\": true", 1);
    let link = one("i.json", &omitted);
    assert_eq!(link.outcomes.len(), 200);
    let note = "1 interval left out: iperf3 omitted it from its results (-O)";
    assert!(notes(&link).contains(note), "{:?}", link.notes);
}

#[test]
fn an_interval_without_datagrams_is_told() {
    let link = one("i.json", &json(&[("0", "100"), ("0", "0"), ("100", "200")], &end(100, 300)));
    let note = "1 interval without any datagram, the first from 1 s to 2 s: an outage, or the sender \
                paused";
    assert!(notes(&link).contains(note), "{:?}", link.notes);
    let link = one("i.json", &json(&[("0", "100"), ("0", "100")], &end(0, 200)));
    assert!(!notes(&link).contains("without any"), "{:?}", link.notes);
}

#[test]
fn late_datagrams_are_taken_off_the_losses_before() {
    let link = one("i.json", &json(&[("3", "100"), ("5", "100"), ("-6", "100")], &end(2, 300)));
    assert_eq!((link.outcomes.len(), link.outcomes.received()), (300, 298));
    let lost = |from: usize| bits(&link)[from..from + 100].matches('0').count();
    assert_eq!((lost(0), lost(100), lost(200)), (2, 0, 0));
    let said = notes(&link);
    assert!(
        said.contains("1 interval counts fewer than no losses") && !said.contains("add up"),
        "{said}"
    );
}

#[test]
fn the_json_of_a_sender_is_named() {
    let text =
        json(&[("3", "100"), ("1", "100")], &end(4, 200)).replace("\"lost_packets\": 3, ", "");
    let text =
        text.replace("\"lost_packets\": 1, ", "").replace("\"sender\": false", "\"sender\": true");
    let e = error("i.json", text);
    assert!(e.contains("iperf3 JSON of a sender, whose intervals count no losses"), "{e}");
    assert!(e.contains("--get-server-output"), "{e}");
}
