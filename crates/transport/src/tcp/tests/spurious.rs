//! Spurious recoveries: every detector finds them, and finds no others.
//!
//! Segments of 1000 bytes, 100 ms round trip, minimum timeout 400 ms. The truth is known here: a
//! stalled link delays, a broken link loses.

use airtcp_packet::Side;
use airtcp_probe::Event;
use airtcp_units::{Bytes, Nanos};
use proptest::prelude::*;

use super::pair::{Fate, Pair, at, ms};
use crate::tcp::{Frto, Recovery, RtoMinRule, SpuriousResponse, TcpConfig};

const MSS: u64 = 1000;

/// From the segment with this ordinal on (it leaves at 300 ms).
const FIRST: usize = 31;

/// End of the stall or break: one timeout, at 700 ms, falls in between.
const UNTIL: Nanos = Nanos(1_000_000_000);

fn base(recovery: Recovery) -> TcpConfig {
    TcpConfig {
        mss: MSS as u16,
        recovery,
        sack: recovery == Recovery::Sack,
        initial_window: Some(10),
        initial_ssthresh: Some(Bytes(30 * MSS)),
        ack_every: 1,
        rto_min: ms(400),
        ..TcpConfig::default()
    }
}

const RECOVERIES: [Recovery; 4] =
    [Recovery::Tahoe, Recovery::Reno, Recovery::NewReno, Recovery::Sack];

/// Every detector in a configuration where it works, by name.
fn detectors() -> Vec<(&'static str, TcpConfig)> {
    let mut list = Vec::new();
    let mut bases: Vec<TcpConfig> = RECOVERIES.map(base).into();
    let sack = || base(Recovery::Sack);
    bases.push(TcpConfig { rack: true, ..sack() });
    bases.push(TcpConfig { rack: true, tlp: true, ..sack() });
    for base in bases {
        let mss = base.mss + 12;
        list.extend([
            ("frto", TcpConfig { frto: Frto::Rfc5682, ..base.clone() }),
            ("frto-linux", TcpConfig { frto: Frto::Linux, ..base.clone() }),
            ("eifel", TcpConfig { eifel_detection: true, timestamps: true, mss, ..base.clone() }),
            ("dsack", TcpConfig { dsack_undo: true, sack: true, ..base }),
        ]);
    }
    list
}

/// Runs a long transfer in which every segment from `FIRST` on has the fate `fate` until `UNTIL`.
fn run(config: &TcpConfig, lost: bool) -> Pair {
    let mut pair = Pair::new(config, ms(50)).script(move |side, n, _| match (side, lost) {
        (Side::Client, false) if n >= FIRST => Fate::Held(UNTIL),
        // The window at that time, and the first retransmission.
        (Side::Client, true) if (FIRST..FIRST + 40).contains(&n) => Fate::Drop,
        _ => Fate::Deliver,
    });
    pair.start(u64::MAX >> 2);
    pair
}

/// The law's window at time `until`.
fn window_at(pair: &Pair, until: Nanos) -> u64 {
    let windows = pair.client_events().filter_map(|(t, _, e)| match e {
        Event::Window { cwnd, .. } if *t <= until => Some(*cwnd),
        _ => None,
    });
    windows.last().unwrap_or(0)
}

fn first(pair: &Pair, wanted: impl Fn(&Event) -> bool) -> Option<Nanos> {
    pair.client_events().find(|e| wanted(&e.2)).map(|e| e.0)
}

#[test]
fn a_stalled_link_is_no_congestion() {
    for (name, config) in detectors() {
        let what = format!("{name} with {:?}, {}, {}", config.recovery, config.rack, config.tlp);
        let mut pair = run(&config, false);
        pair.run(at(2000));
        let stats = *pair.client.stats();
        assert!(pair.server.stats().bytes_duplicate > 0, "{what}: an unnecessary copy arrived");
        assert_eq!((stats.timeouts, stats.spurious_timeouts), (1, 1), "{what}");
        let by = [stats.spurious_by_frto, stats.spurious_by_eifel, stats.spurious_by_dsack];
        let expected = match name {
            "eifel" => [0, 1, 0],
            "dsack" => [0, 0, 1],
            _ => [1, 0, 0],
        };
        assert_eq!(by, expected, "{what}");
        let timeout = first(&pair, |e| matches!(e, Event::Timeout { .. })).unwrap();
        let undone = first(&pair, |e| *e == Event::Spurious).unwrap();
        let before = window_at(&pair, timeout - ms(1));
        assert!(before >= 20 * MSS, "{what}: {before}");
        assert!(window_at(&pair, undone) >= before, "{what}: restored");
        // Early detectors avoid retransmitting the window.
        let most = if name == "dsack" { 40 } else { 1 };
        assert!(stats.segments_retransmitted <= most, "{what}: {}", stats.segments_retransmitted);

        let off = TcpConfig {
            frto: Frto::Off,
            eifel_detection: false,
            dsack_undo: false,
            ..config.clone()
        };
        let mut pair = run(&off, false);
        pair.run(undone);
        assert_eq!(pair.client.stats().spurious_timeouts, 0);
        assert!(
            window_at(&pair, undone) < before,
            "{what}: without the undo the window stays reduced"
        );
    }
}

#[test]
fn losses_of_a_broken_link_are_not_undone() {
    for (name, config) in detectors() {
        let what = format!("{name} with {:?}, {}, {}", config.recovery, config.rack, config.tlp);
        let mut pair = run(&config, true);
        pair.run(at(4000));
        let stats = pair.client.stats();
        assert!(stats.timeouts >= 1, "{what}");
        assert_eq!(stats.spurious_timeouts + stats.spurious_fast_retransmits, 0, "{what}");
        let event = first(&pair, |e| *e == Event::Spurious);
        assert_eq!(event, None, "{what}");
        assert!(pair.client.ssthresh() <= 20 * MSS, "{what}");
    }
}

/// Reordering by more than DupThresh: a spurious fast retransmit.
#[test]
fn a_reordered_segment_is_no_loss() {
    for (name, config) in detectors() {
        if name.starts_with("frto") {
            continue;
        }
        let what = format!("{name} with {:?}, {}, {}", config.recovery, config.rack, config.tlp);
        let mut pair = Pair::new(&config, ms(50)).script(|side, n, _| {
            if side == Side::Client && n == FIRST + 4 { Fate::Late(ms(20)) } else { Fate::Deliver }
        });
        pair.start(u64::MAX >> 2);
        pair.run(at(1000));
        let stats = pair.client.stats();
        assert_eq!((stats.fast_retransmits, stats.timeouts), (1, 0), "{what}");
        assert_eq!(stats.spurious_fast_retransmits, 1, "{what}");
        assert!(pair.client.ssthresh() >= 30 * MSS && pair.client.cwnd() >= 30 * MSS, "{what}");
    }
}

/// The window under each response, a little after the delay.
#[test]
fn responses_differ_in_the_window() {
    let windows: Vec<u64> =
        [SpuriousResponse::Undo, SpuriousResponse::Eifel, SpuriousResponse::Keep]
            .into_iter()
            .map(|spurious_response| {
                let config =
                    TcpConfig { frto: Frto::Rfc5682, spurious_response, ..base(Recovery::Sack) };
                let mut pair = run(&config, false);
                pair.run(UNTIL + ms(55));
                assert_eq!(pair.client.stats().spurious_timeouts, 1, "{spurious_response:?}");
                assert!(!pair.client.in_recovery());
                pair.client.cwnd()
            })
            .collect();
    let (undo, eifel, keep) = (windows[0], windows[1], windows[2]);
    assert!(undo >= eifel && eifel > keep, "{windows:?}");
    assert!(keep < 20 * MSS, "{windows:?}");
}

fn recovery() -> impl Strategy<Value = Recovery> {
    prop::sample::select(RECOVERIES.to_vec())
}

fn frto() -> impl Strategy<Value = Frto> {
    prop::sample::select(vec![Frto::Off, Frto::Rfc5682, Frto::Linux])
}

proptest! {
    /// On a path that keeps order and loses no ACK, with a timeout longer than the round trip,
    /// every retransmission after a timeout or three duplicates was needed: nothing is undone.
    #[test]
    fn a_real_loss_is_never_undone(
        lost in any::<[u64; 2]>(),
        (recovery, frto) in (recovery(), frto()),
        (eifel, dsack, timestamps, limited) in any::<(bool, bool, bool, bool)>(),
        (ack_every, window, dup_thresh) in (1u32..3, 1u32..24, 2u32..4),
        (variance, rack, tlp) in any::<(bool, bool, bool)>(),
    ) {
        let config = TcpConfig {
            frto,
            eifel_detection: eifel,
            dsack_undo: dsack,
            timestamps,
            limited_transmit: limited,
            initial_window: Some(window),
            dup_thresh,
            ack_every,
            ack_delay: ms(40),
            sack: dsack || recovery == Recovery::Sack,
            rack: rack && recovery == Recovery::Sack,
            tlp: tlp && rack && recovery == Recovery::Sack,
            rto_min_rule: if variance { RtoMinRule::Variance } else { RtoMinRule::Total },
            ..base(recovery)
        };
        let mut pair = Pair::new(&config, ms(50)).script(move |side, n, s| {
            let hit = s.len > 0 && n < 128 && lost[n / 64] >> (n % 64) & 1 == 1;
            if side == Side::Client && hit { Fate::Drop } else { Fate::Deliver }
        });
        pair.keep = false;
        pair.start(150 * MSS);
        pair.finish(at(86_400_000));
        let stats = pair.client.stats();
        prop_assert_eq!(pair.server.delivered(), 150 * MSS);
        prop_assert_eq!(stats.spurious_timeouts + stats.spurious_fast_retransmits, 0);
    }
}
