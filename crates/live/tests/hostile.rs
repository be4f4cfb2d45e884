//! Frames and files from outside may hold anything: nothing panics, and every packet is accounted for.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::sync::Arc;

use airtcp_live::emulate::{Emulation, RECORD_HEADER, Set, read_arrivals, replay};
use airtcp_scenario::Resolved;
use airtcp_units::{Nanos, Outcomes};
use proptest::prelude::*;

const LINK: &str = r#"
duration = "1 s"
links = [{ from = "a", to = "b", rate = "10 Mb/s", delay = "3 ms", duplication = 0.1,
  queue = { kind = "drop-tail", packets = 5 }, loss = { model = "bernoulli", probability = 0.1 } }]
"#;
const CELL: &str = r#"
duration = "1 s"
cells = [{ standard = "802.11n", layout = { kind = "star", stations = 2, radius_m = 5 } }]
flows = [{ from = "ap", to = "sta0" }, { from = "sta1", to = "ap", transport = "udp",
  app = { kind = "constant-rate", rate = "300 kb/s", message = "500 B" } }]
"#;

fn plan(text: &str) -> Resolved {
    airtcp_scenario::read(text, "test", &[]).unwrap().resolve().unwrap()
}

fn load(_: &str) -> Result<Arc<Outcomes>, String> {
    Err("no file".into())
}

/// Bytes that look like a frame of IP now and then.
fn frame() -> impl Strategy<Value = Vec<u8>> {
    let starts = prop_oneof![
        Just(vec![]),
        Just(vec![0x08, 0x00, 0x45]),
        Just(vec![0x08, 0x00, 0x4f]),
        Just(vec![0x86, 0xdd, 0x60]),
        Just(vec![0x08, 0x06]),
        Just(vec![0x81, 0x00, 0, 1, 0x08, 0x00, 0x45]),
    ];
    (starts, prop::collection::vec(any::<u8>(), 0..1_600), 0..3_u8).prop_map(
        |(start, mut rest, kind)| {
            if kind == 2 && rest.len() > 30 {
                // TCP or UDP, with a length that fits.
                let length = u16::try_from(rest.len() + 1).unwrap_or(60).to_be_bytes();
                rest[1..3].copy_from_slice(&length);
                rest[8] = if rest[8] & 1 == 0 { 6 } else { 17 };
            }
            [vec![2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1], start, rest].concat()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_frames(
        cell in any::<bool>(),
        frames in prop::collection::vec((frame(), 0..2_usize, 0..3_000_000_u64), 1..60),
    ) {
        let mut emulation =
            Emulation::new(&plan(if cell { CELL } else { LINK }), Vec::new(), &load).unwrap();
        emulation.record();
        let (mut at, mut left, mut fates) = (0, 0_u64, 0_u64);
        for (bytes, port, after) in &frames {
            at += after;
            emulation.enter(*port, bytes, Nanos(at));
        }
        emulation.run_until(Nanos(at + 5_000_000_000));
        while emulation.leave().is_some() {
            left += 1;
        }
        while emulation.take_fate().is_some() {
            fates += 1;
        }
        let counts = *emulation.counts();
        prop_assert_eq!(counts.entered + counts.beside, frames.len() as u64);
        prop_assert_eq!(left, counts.delivered + counts.beside);
        prop_assert_eq!(fates, counts.delivered + counts.dropped);
        prop_assert_eq!(
            counts.entered + counts.copied,
            fates + emulation.in_flight() as u64
        );
        // What is recorded can be read, and meets the same number of fates.
        let lines = emulation.take_arrivals();
        let text: String = std::iter::once(RECORD_HEADER.to_owned())
            .chain(lines.iter().map(ToString::to_string))
            .map(|line| line + "\n")
            .collect();
        let again = read_arrivals(&text, 2).unwrap();
        let plan = plan(if cell { CELL } else { LINK });
        let mut none = |_: &Set| Err("no change was recorded".to_owned());
        let until = Nanos(at + 5_000_000_000);
        let emulation = Emulation::new(&plan, Vec::new(), &load).unwrap();
        let met = replay(emulation, &load, &again, &mut none, until).unwrap();
        prop_assert_eq!(met.len() as u64, fates);
    }

    #[test]
    fn any_text_of_arrivals(text in "(airtcp arrivals 1\n)?([0-9a-f \n-]|set |[^a]){0,200}") {
        let _ = read_arrivals(&text, 2);
        let _ = Set::read(&text);
    }
}
