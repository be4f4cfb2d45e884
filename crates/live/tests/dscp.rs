//! The access category of a real packet follows its DSCP where the cell says so.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::sync::Arc;

use airtcp_live::emulate::{Emulation, Fate};
use airtcp_packet::Ecn;
use airtcp_units::{Nanos, Narrow};
use airtcp_wire::{ipv4, udp};

/// DSCPs of EF, CS1, and of nothing.
const EF: u8 = 46;
const LOWER: u8 = 8;
const NONE: u8 = 0;

fn scenario(keys: &str) -> String {
    format!(
        "duration = \"1 s\"\n[[cells]]\nstandard = \"802.11a\"\nrate = \"24 Mb/s\"\nmac.access = \"edca\"\n\
         layout = {{ kind = \"star\", stations = 1, radius_m = 5 }}\n{keys}\n\
         queue = {{ kind = \"drop-tail\", packets = 50 }}\n[[flows]]\nfrom = \"ap\"\nto = \"sta0\"\n"
    )
}

/// A datagram of `len` bytes with its headers, over IPv4 or IPv6.
fn frame(six: bool, dscp: u8, len: usize) -> Vec<u8> {
    let mut frame = vec![2; 12];
    let header = if six { 40 } else { 20 };
    let upper = u16::narrow(len - header);
    if six {
        frame.extend([0x86, 0xdd, 0x60 | dscp >> 2, dscp << 6, 0, 0]);
        frame.extend(upper.to_be_bytes());
        frame.extend([udp::PROTOCOL, 64]);
        frame.extend([1; 32]);
    } else {
        frame.extend([8, 0]);
        ipv4::Repr {
            source: [10, 0, 0, 1].into(),
            destination: [10, 0, 0, 2].into(),
            protocol: udp::PROTOCOL,
            hop_limit: 64,
            dscp,
            ecn: Ecn::NotEct,
            ident: 0,
            dont_fragment: true,
            more_fragments: false,
            frag_offset: 0,
            payload_len: upper.into(),
        }
        .emit(&mut frame);
    }
    frame.extend([0, 7, u8::narrow(usize::from(dscp)), 1]);
    frame.extend(upper.to_be_bytes());
    frame.resize(14 + len, 0);
    frame
}

/// Both kinds of frames over a cell that is full: one of 1,200 bytes each 300 us, one of 300 bytes each 10 ms.
fn fates(keys: &str, six: bool, [many, few]: [u8; 2]) -> Vec<Fate> {
    let plan = airtcp_scenario::read(&scenario(keys), "", &[]).unwrap().resolve().unwrap();
    let none = |_: &str| Err::<Arc<_>, _>("no file".into());
    let mut emulation = Emulation::new(&plan, Vec::new(), &none).unwrap();
    for n in 0..4_000 {
        emulation.enter(0, &frame(six, many, 1_200), Nanos(n * 300_000));
        if n % 33 == 0 {
            emulation.enter(0, &frame(six, few, 300), Nanos(n * 300_000));
        }
    }
    emulation.run_until(Nanos(4_000_000_000));
    std::iter::from_fn(|| emulation.take_fate()).collect()
}

/// The median time in the model of the delivered packets of this length, ns, and how many were dropped.
fn times(fates: &[Fate], length: u32) -> (u64, usize) {
    let these: Vec<&Fate> = fates.iter().filter(|fate| fate.length == length).collect();
    let came = these.iter().filter(|fate| fate.fate == "delivered");
    let mut times: Vec<u64> = came.map(|fate| fate.left.0 - fate.entered.0).collect();
    times.sort_unstable();
    (times[times.len() / 2], these.len() - times.len())
}

#[test]
fn voice_does_not_wait_behind_the_rest() {
    for six in [false, true] {
        let found = fates("dscp = true", six, [NONE, EF]);
        let ((rest, lost), (voice, dropped)) = (times(&found, 1_200), times(&found, 300));
        assert!(lost > 500 && dropped == 0, "{lost} {dropped}");
        assert!(10 * voice < rest, "{voice} {rest}");
        // Without the key, all wait in one queue, which is full.
        let (_, dropped) = times(&fates("", six, [NONE, EF]), 300);
        assert!(dropped > 60, "{dropped}");
    }
}

#[test]
fn background_lets_best_effort_pass() {
    let found = fates("dscp = true", false, [LOWER, NONE]);
    let (background, best_effort) = (times(&found, 1_200).0, times(&found, 300).0);
    assert!(10 * best_effort < background, "{best_effort} {background}");
}
