//! Tests of the parser and the player: accepted scripts, errors, and failing scripts.

use airtcp_transport::tcp::Role;
use proptest::prelude::*;

use super::document::{Action, When};
use super::origin::Origins;
use super::*;

const HANDSHAKE: &str = "\
# RFC 9293 section 3.5: the three-way handshake.
set mss = 1000
0.000 open
      > S seq 0 <mss 1000>
0.100 < S. ack 1 <mss 1000>
      > . seq 1 ack 1
";

fn fault(text: &str) -> ScriptError {
    match parse("test.tcp", text) {
        Err(e) => e,
        Ok(script) => run(&script).expect_err("the script must fail"),
    }
}

#[test]
fn a_script_passes() {
    let script = parse("test.tcp", HANDSHAKE).unwrap();
    assert_eq!((script.len(), script.role), (4, Role::Active));
    run(&script).unwrap();
}

/// A script that differs from the connection fails at that line. The error has the expected and the found
/// segment in the notation of the script.
#[test]
fn a_wrong_script_fails() {
    let wrong = HANDSHAKE.replace("seq 1 ack 1", "seq 1 ack 2");
    let e = fault(&wrong);
    assert_eq!((e.file.as_str(), e.line), ("test.tcp", 6));
    let text = e.to_string();
    assert!(text.starts_with("test.tcp:6: the acknowledgement differs"), "{text}");
    assert!(text.contains("expected at 0.100 s > . seq 1 ack 2"), "{text}");
    assert!(text.contains("got      at 0.100 s > . seq 1 ack 1 win"), "{text}");
    assert!(text.contains("0.100 < S. seq 0 ack 1 win 65535 <mss 1000>"), "{text}");
}

#[test]
fn every_field_can_fail() {
    let swaps = [
        ("> S seq 0", "> S. seq 0", 4, "the flags differ"),
        ("> S seq 0", "> S seq 1", 4, "the sequence number differs"),
        ("> S seq 0 <mss 1000>", "> S seq 0 <mss 999>", 4, "the maximum segment size differs"),
        ("> S seq 0 <mss 1000>", "> S seq 0 <no mss>", 4, "the maximum segment size differs"),
        ("> S seq 0 <mss 1000>", "> S <no sackOK>", 4, "SACK-permitted differs"),
        ("> S seq 0 <mss 1000>", "> S <no wscale>", 4, "the window scale differs"),
        ("> S seq 0 <mss 1000>", "> S <ts>", 4, "it has no timestamps"),
        ("> S seq 0 <mss 1000>", "> S [ce]", 4, "the ECN field differs"),
        ("> S seq 0 <mss 1000>", "> S win 1", 4, "the window differs"),
        ("> . seq 1 ack 1", "> . 1:2 ack 1", 6, "the length differs"),
        ("> . seq 1 ack 1", "> . ack 1 <sack 2:3>", 6, "the SACK blocks differ"),
        ("> . seq 1 ack 1", "+0.1 > . seq 1 ack 1", 6, "the time differs"),
        ("> . seq 1 ack 1", "> . ack 1 x2", 6, "nothing is sent"),
        ("> . seq 1 ack 1", "", 5, "no line expects"),
        ("> . seq 1 ack 1", "> . ack 1\nexpect state LISTEN", 7, "expected state listen"),
        ("> . seq 1 ack 1", "> . ack 1\nexpect timeouts 1", 7, "found    timeouts 0"),
        ("> . seq 1 ack 1", "> . ack 1\nexpect rto 5ms", 7, "expected rto 5ms"),
        ("> . seq 1 ack 1", "silence 1", 6, "no line expects"),
        ("> . seq 1 ack 1", "> . ack 1\nwrite 5 accepts 4", 7, "write 5 accepts 5"),
        ("> . seq 1 ack 1", "> . ack 1\nwrite 5\nsilence 1", 8, "no line expects"),
    ];
    for (from, to, line, message) in swaps {
        let e = fault(&HANDSHAKE.replace(from, to));
        assert!(e.line == line && e.message.contains(message), "{to}: {e}");
    }
}

#[test]
fn errors_of_a_script_name_the_line() {
    let faults = [
        ("", 1, "does nothing"),
        ("0 open\nset mss = 1000", 2, "unknown line"),
        ("profile fast", 1, "expected rfc, s0"),
        ("role both", 1, "active, passive"),
        ("set mss = \"big\"", 1, "u16"),
        ("set mss = ", 1, "KEY = VALUE"),
        ("\nset mms = 1000", 2, "mms"),
        ("set rto_min = \"2 s\"\nset rto_max = \"1 s\"\n0 open", 2, "rto_max"),
        ("set mss = 3\n0 open", 1, "48 to"),
        ("iss -1", 1, "below 2^32"),
        ("tolerance 5", 1, "unit"),
        ("0.1 open\n0.05 close", 2, "earlier"),
        ("0.1 open\n0.2 < S. ack 1 x0", 2, "unknown word"),
        ("0.1 open\n< S. ack 99999999999", 2, "-2^31"),
        ("< Q", 1, "SFRP.EW"),
        ("<", 1, "flags"),
        ("< . 5:1", 1, "ends before"),
        ("< . 1:100000", 1, "does not fit"),
        ("< . 1:100000/1", 1, "at most 10000"),
        ("< . 1:5/0", 1, "less than 1"),
        ("< . ack 1 <sack 1:2", 1, "without '>'"),
        ("< . ack 1 <mss>", 1, "needs a number"),
        ("< . ack 1 <sack>", 1, "one to four"),
        ("< . ack 1 <ts 5>", 1, "an echo"),
        ("< . ack 1 <window 5>", 1, "expected mss"),
        ("< . ack 1 <no fun>", 1, "followed by"),
        ("< . ack 1 [cw]", 1, "[ect0]"),
        ("0.0.1 open", 1, "not a time"),
        ("+x open", 1, "not a time"),
        ("0 open now", 1, "takes no argument"),
        ("0 write", 1, "accepted is write N"),
        ("0 read 5 gave 4", 1, "read N gives M"),
        ("0 auto_read maybe", 1, "on or off"),
        ("0 silence", 1, "not a time"),
        ("0 expect", 1, "pairs"),
        ("0 expect colour 3", 1, "expected cwnd"),
        ("0 expect cwnd 3..2", 1, "not a value"),
        ("0 expect cwnd 3x", 1, "not a value"),
    ];
    for (text, line, message) in faults {
        let e = parse("test.tcp", text).expect_err(text);
        assert!(e.line == line && e.message.contains(message), "{text}: {e}");
    }
}

#[test]
fn one_line_can_stand_for_many_segments() {
    let script = parse("t", "0 > . 1:10001/3000\n< . ack 1 x3").unwrap();
    let lens: Vec<_> = script
        .steps
        .iter()
        .map(|s| match &s.action {
            Action::Sends(p) | Action::Receives(p) => (p.seq, p.len),
            _ => panic!(),
        })
        .collect();
    let of = |seq, len| (Some(seq), pattern::Length::Exactly(len));
    let ack = (None, pattern::Length::Exactly(0));
    let want = [of(1, 3000), of(3001, 3000), of(6001, 3000), of(9001, 1000), ack, ack, ack];
    assert_eq!(lens, want);
    assert_eq!(script.steps[1].at, When::Same);
}

#[test]
fn sequence_numbers_are_relative_and_wrap() {
    let text = "iss 4294967295\nbase 0\npeer_iss 7\npeer_base 5000\n0 open\n> S seq 0\n\
                < S. seq 5000 ack 1\n> . seq 1 ack 5001\nwrite 10\n> . 1:11 ack 5001\n\
                < . 5001:5011 ack 11\n< . 5011:5021\n> . seq 11 ack 5021";
    run(&parse("t", text).unwrap()).unwrap();
}

proptest! {
    #[test]
    fn the_reader_never_panics(text in "\\PC{0,200}") {
        let _ = parse("t", &text);
    }

    /// Words of real scripts in any order reach deeper than arbitrary characters.
    #[test]
    fn the_reader_never_panics_on_near_scripts(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "0.1", "+0.05", "~0.01", "<", ">", "S", ".", "F.", "*", "seq", "ack", "win", "1:1001",
                "1:9/2", "-5", "4294967295", "<sack", "<mss", "1>", ":", "/", "x3", "[ce]", "[",
                "]", "expect", "cwnd", "1..2", "1s..", "state", "silence", "write", "5", "set",
                "mss", "=", "\"\"", "profile", "rfc", "iss", "\n", "\n", "#", "open", "<ts", "*>", "no",
            ]),
            0..40,
        ),
        glue in prop::sample::select(vec![" ", "", "  "]),
    ) {
        let text = words.join(glue);
        if let Ok(script) = parse("t", &text) {
            let _ = run(&script);
        }
    }

    #[test]
    fn what_is_written_reads_back(
        flags in 0u8..128, seq in -1000i64..1_000_000, len in 0u16..2000, ack in 0i64..1_000_000,
        window: u16, mss in prop::option::of(1u16..9000), stamps in prop::option::of((any::<u32>(), any::<u32>())),
        sacks in prop::collection::vec((0i64..1000, 1001i64..2000), 0..4),
    ) {
        let origins = parse("t", "0 open").unwrap().origins;
        let field = |text: &str| notation::parse(text).unwrap();
        // Flags that scripts can name, with ACK so that the number is written.
        let names: String = ['S', 'F', 'R', 'P', 'E', 'W'].iter().enumerate()
            .filter(|(n, _)| flags >> n & 1 == 1).map(|(_, c)| *c).chain(['.']).collect();
        let end = seq + i64::from(len);
        let mut options = Vec::new();
        if let Some(mss) = mss {
            options.push(format!("mss {mss}"));
        }
        if let Some((value, echo)) = stamps {
            options.push(format!("ts {value} {echo}"));
        }
        let sacks = &sacks[..sacks.len().min(if stamps.is_some() { 3 } else { 4 })];
        if !sacks.is_empty() {
            options.push(sacks.iter().fold("sack".into(), |t, (s, e)| format!("{t} {s}:{e}")));
        }
        let options = options.join(", ");
        let text = format!("{names} {seq}:{end} ack {ack} win {window} <{options}>");
        let pattern = &field(&text)[0];
        let defaults = pattern::Defaults { seq: 0, ack: 0, window: 0, clock: 0, echo: 0 };
        // The segment is filled as the peer's, so `ours` and `peer` are exchanged for the comparison.
        let swapped = Origins { ours: origins.peer, peer: origins.ours };
        let segment = pattern.fill(&defaults, &origins);
        prop_assert_eq!(pattern.mismatch(&segment, &swapped), None);
        let written = notation::write(&segment, &origins.peer, &origins.ours);
        prop_assert_eq!(field(&written)[0].mismatch(&segment, &swapped), None, "{}", written);
        let again = notation::write_pattern(pattern);
        prop_assert_eq!(&field(&again)[0], pattern, "{}", again);
    }
}
