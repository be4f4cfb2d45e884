//! Requirements on every registered link protocol, tested for each sample configuration over lossy
//! channels, with lost and with false reports.

use airtcp_random::Seed;
use airtcp_units::{Nanos, Narrow, Span};
use proptest::prelude::*;

use super::tests::{Ends, WAY};
use super::{MAX_SYMBOLS, ProtocolConfig, Report, SymbolSet, Unit, registry};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Every frame is delivered or abandoned once, and in order if configured, with and without reports.
    #[test]
    fn every_registered_protocol_conforms(
        seed in 0u64..1000,
        loss in 0.0f64..0.95,
        silence in 0.0f64..=1.0,
        frames in 1u64..120,
        from in 0u64..100,
    ) {
        let dark = Nanos::ZERO + Span::from_millis(from)..Nanos::ZERO + Span::from_millis(from + 60);
        for config in ProtocolConfig::samples() {
            let run = || {
                let mut units = Seed::new(seed).stream("units");
                let mut reports = Seed::new(seed).stream("reports");
                let mut ends = Ends::new(&config);
                let mut lost = |at| dark.contains(&at) || units.chance(loss);
                ends.run(frames, &mut lost, &mut |_, _| !reports.chance(silence));
                ends.seen
            };
            let seen = run();
            prop_assert_eq!(&seen, &run(), "twice the same: {:?}", config);
            let attempts = config.build(None).unwrap().unwrap().attempts();
            prop_assert!(seen.blocks <= frames * u64::from(attempts), "{:?}", config);
            let mut all = [&seen.released[..], &seen.skipped].concat();
            all.sort_unstable();
            all.dedup();
            // Frames unknown to both ends at the end of the run have no outcome.
            let known = seen.released.len() + seen.skipped.len();
            prop_assert_eq!(all.len(), known, "once each: {:?}", config);
            prop_assert!(known <= usize::narrow(frames));
            prop_assert!(all.iter().zip(0u64..).all(|(a, b)| *a == b), "no gaps: {:?}", config);
            if config.common().unwrap().in_order {
                prop_assert!(seen.released.windows(2).all(|w| w[0] < w[1]), "{:?}", config);
            }
            if loss <= 0.0 && silence <= 0.0 && from > 90 {
                prop_assert_eq!(seen.released.len() as u64, frames);
            }
        }
    }

    /// Forged reports neither stall the sender nor make it panic.
    #[test]
    fn forged_reports_do_not_stall_the_sender(
        lies in proptest::collection::vec(
            (0u64..12, 0u16..5, any::<u16>(), 0u16..300, 0u16..300, any::<bool>()), 0..60),
    ) {
        for config in ProtocolConfig::samples() {
            let mut ends = Ends::new(&config);
            let mut lies = lies.iter();
            let sender = &mut ends.sender;
            let mut now = Nanos::ZERO;
            let mut sent = 0u64;
            for _ in 0..10 {
                if sender.has_room() {
                    let block = sender.start(1000);
                    sender.on_sent(&block, now, Span::from_millis(1));
                }
                for (frame, attempt, received, from, to, settled) in lies.by_ref().take(6) {
                    let have = SymbolSet::range(*from, *to);
                    sender.on_report(&Report {
                        frame: *frame, attempt: *attempt, received: *received, have, settled: *settled,
                    });
                }
                while let Some(block) = sender.retry() {
                    prop_assert!(!block.symbols.is_empty(), "{:?}", config);
                    now += Span::from_millis(1);
                    sender.on_sent(&block, now, Span::from_millis(1));
                    sent += 1;
                }
            }
            // Without further reports, the sender's timers settle all frames.
            while sender.next_timer() != Nanos::NEVER {
                now = now.max(sender.next_timer());
                sender.on_timer(now);
                while let Some(block) = sender.retry() {
                    sender.on_sent(&block, now, Span::from_millis(1));
                    sent += 1;
                }
            }
            prop_assert!(sent <= 10 * u64::from(sender.protocol().attempts()));
            prop_assert!(sender.has_room() && !sender.has_retry());
        }
    }

    /// Units with arbitrary headers neither make a receiver panic nor stall it.
    #[test]
    fn arbitrary_units_do_not_stall_the_receiver(
        heads in proptest::collection::vec(
            (0u64..200_000, 0u16..4, any::<bool>(), 0u64..200_000, 0u16..300, 0u16..300, 0u16..40, 0u16..40), 0..60),
    ) {
        for config in ProtocolConfig::samples() {
            let mut receiver = Ends::new(&config).receiver;
            let mut now = Nanos::ZERO;
            for (frame, attempt, last, oldest, needed, symbol, position, of) in &heads {
                now += Span::from_micros(100);
                let unit = Unit {
                    frame: *frame, attempt: *attempt, last: *last, oldest: *oldest, needed: *needed,
                    symbol: *symbol, position: *position, of: *of, unit_time: Span::from_micros(100),
                };
                receiver.on_unit(now, &unit);
                while receiver.poll().is_some() {}
            }
            for _ in 0..400_000 {
                if receiver.next_timer() == Nanos::NEVER {
                    break;
                }
                now = now.max(receiver.next_timer());
                receiver.on_timer(now);
                while receiver.poll().is_some() {}
            }
            prop_assert_eq!(receiver.next_timer(), Nanos::NEVER);
        }
    }
}

/// Ten seconds of frames, three of them without reports: nothing stalls, and the link recovers.
#[test]
fn feedback_lost_for_seconds() {
    for config in ProtocolConfig::samples() {
        let mut units = Seed::new(3).stream("units");
        let mut ends = Ends::new(&config);
        let second = |s| Nanos::ZERO + Span::from_secs(s);
        ends.run(2000, &mut |_| units.chance(0.05), &mut |at, _| {
            !(second(1)..second(4)).contains(&at)
        });
        let seen = &ends.seen;
        assert_eq!(seen.released.len() + seen.skipped.len(), 2000, "{config:?}");
        assert!(ends.sender.has_room() && !ends.sender.has_retry());
        let attempts = ends.sender.protocol().attempts();
        assert!(seen.blocks <= 2000 * u64::from(attempts));
        if attempts > 2 {
            let lost = seen.skipped.len();
            assert!(lost < 2000 / 10, "{config:?}: {lost} of 2000 lost");
        }
    }
}

/// A single frame without successors: the idle timer triggers the report, and the frame is repaired without
/// the sender's timer.
#[test]
fn the_idle_timer_reports() {
    for config in ProtocolConfig::samples() {
        let attempts = config.build(None).unwrap().unwrap().attempts();
        let units = config.common().unwrap().units;
        if attempts < 2 || units < 2 {
            continue;
        }
        let mut ends = Ends::new(&config);
        // The first transmission loses its last unit, and too many others for the parity.
        let mut sent = 0;
        let first = usize::from(units);
        let mut lost = |_| {
            sent += 1;
            sent > 1 && sent <= first
        };
        ends.run(1, &mut lost, &mut |_, _| true);
        assert_eq!(ends.sender.counts().timeouts, 0, "{config:?}");
        assert_eq!(ends.seen.released, [0], "{config:?}");
        // One transmission and an equal idle wait; for each further one the report's delay, the
        // transmission's delay, and an idle wait.
        let unit = Span::from_micros(40);
        let each = WAY * 2 + unit * 512;
        let latest = Nanos::ZERO + unit * u64::from(units) * 2 + each * (ends.seen.blocks - 1);
        assert!(ends.seen.end <= latest + WAY, "{config:?}: {}", ends.seen.end);
    }
}

#[test]
fn registry_and_samples_agree() {
    for entry in registry() {
        assert_eq!(entry.family, "link-protocol");
        let has_sample = ProtocolConfig::samples().iter().any(|c| c.kind() == entry.name);
        assert!(has_sample || entry.name == "none", "{} is never tested", entry.name);
        let text = [entry.description, entry.source];
        assert!(text.iter().all(|t| !t.is_empty() && t.trim() == *t && !t.ends_with('.')));
    }
}

#[test]
fn tables_read_and_round_trip() {
    let read = |text: &str| toml::from_str::<ProtocolConfig>(text);
    for config in ProtocolConfig::samples() {
        let text = toml::to_string(&config).unwrap();
        assert_eq!(read(&text).unwrap(), config, "{text}");
        let json = serde_json::to_string(&config).unwrap();
        assert_eq!(serde_json::from_str::<ProtocolConfig>(&json).unwrap(), config, "{json}");
    }
    assert_eq!(read("kind = \"none\"").unwrap(), ProtocolConfig::default());
    for (text, part) in [
        ("kind = \"ll-hark\"", "ll-harq"),
        ("kind = \"ll-arq\"\nrfec = \"sum\"", "rfec"),
        ("kind = \"ll-harq\"\nrfec = \"all\"", "parity-and-margin"),
        ("kind = \"ll-arq\"\narq = \"go-back-n\"", "stop-and-wait"),
        ("kind = \"ll-harq\"\nfeedback = { way = \"air\" }", "reverse"),
    ] {
        let message = read(text).unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn refuses_impossible_values() {
    for (text, mtu, part) in [
        ("kind = \"ll-arq\"\nunits = 0", None, "1 to 255"),
        ("kind = \"ll-arq\"\nunits = 300", None, "1 to 255"),
        ("kind = \"ll-arq\"\nunits = 100", Some(80), "mtu"),
        ("kind = \"ll-arq\"\nattempts = 0", None, "attempts"),
        ("kind = \"ll-arq\"\nwindow = 0", None, "window"),
        ("kind = \"ll-arq\"\nheader = \"200 B\"", None, "100 B"),
        ("kind = \"ll-harq\"\nunits = 200\nrfec_max = 60", None, "1 to 55"),
        ("kind = \"ll-harq\"\nunits = 255", None, "up to 254"),
        ("kind = \"ll-harq\"\nunits = 255\nrfec_max = 1", None, "rfec_max"),
        ("kind = \"ll-arq\"\narq = \"stop-and-wait\"\nwindow = 2", None, "a window of one frame"),
        ("kind = \"ll-harq\"\nfeedback = { size = \"20 B\" }", None, "reverse"),
        ("kind = \"ll-harq\"\ndeviations = -1.0", None, "standard deviations"),
        ("kind = \"ll-harq\"\nweight = 0.0", None, "above 0, up to 1"),
        ("kind = \"ll-harq\"\nfeedback = { size = \"0 B\" }", None, "1500 B"),
        ("kind = \"ll-harq\"\nfeedback = { timer = \"0 s\" }", None, "above 0 s"),
    ] {
        let config: ProtocolConfig = toml::from_str(text).unwrap();
        let message = config.build(mtu).unwrap_err().to_string();
        assert!(message.contains(part) && message.starts_with("protocol."), "{message}");
    }
    assert!(usize::from(MAX_SYMBOLS) == 255);
    // Without retransmissions there is no reactive parity.
    let config: ProtocolConfig =
        toml::from_str("kind = \"ll-harq\"\nunits = 255\nattempts = 1").unwrap();
    assert!(config.build(None).is_ok());
}
