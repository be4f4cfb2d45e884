//! Protection of 802.11g from 802.11b: the frames before a data frame, their times, and deferral.

use airtcp_units::BitRate;

use super::*;
use crate::mac::Protection;
use crate::phy::{AckRate, Mode};

const MS: u64 = 1_000_000;
const US: u64 = 1_000;
/// 802.11g, 1524 B at 54 Mb/s: 20 + 4 ceil(12214 / 216) + 6 us; ACK at 24 Mb/s: 20 + 4 ceil(134 / 96) + 6.
const DATA: u64 = 254 * US;
const ACK: u64 = 34 * US;
/// At 2 Mb/s behind the long preamble: 14 and 20 B.
const CTS: u64 = (192 + 56) * US;
const RTS: u64 = (192 + 80) * US;
const SIFS: u64 = 10 * US;

fn mac(protection: Protection) -> MacConfig {
    MacConfig { protection, ..MacConfig::default() }
}

fn bench(n: usize, mac: MacConfig) -> Bench {
    Bench::new(plan(n, Standard::G, mac, TimingConfig::default()), 1)
}

/// Kind, start and end of the Duration field of all transmitted frames.
fn frames(b: &Bench) -> Vec<(Kind, u64, u64)> {
    let timing = b.cell.cells.first().rules.timing;
    let reserved = |at: &Nanos, f: &Frame| (*at + timing.frame(f.mode, f.bytes) + f.duration).0;
    b.log.iter().map(|(at, f)| (f.kind, at.0, reserved(at, f))).collect()
}

/// The frames of one packet, sent at 1 ms, and of a third station that defers until the end of the ACK.
fn exchange(mac: MacConfig) -> (Bench, Vec<(Kind, u64, u64)>) {
    let mut b = bench(3, mac);
    b.run(Nanos(MS));
    b.offer(NodeId(1), NodeId(0));
    b.run(Nanos(MS + 400 * US));
    b.offer(NodeId(2), NodeId(0));
    b.run(Nanos(3 * MS));
    let all = frames(&b);
    (b, all)
}

#[test]
fn a_cts_to_self_precedes_the_data() {
    let (b, all) = exchange(mac(Protection::CtsToSelf));
    let data = MS + CTS + SIFS;
    let end = data + DATA + SIFS + ACK;
    let of = [(Kind::Cts, MS, end), (Kind::Data, data, end), (Kind::Ack, data + DATA + SIFS, end)];
    assert_eq!(all[..3], of);
    let (_, cts) = b.log[0];
    assert_eq!((cts.from, cts.to, cts.mode), (NodeId(1), NodeId(1), Mode::DSSS[1]));
    // The next frame is another CTS-to-self, at least DIFS after the ACK.
    let (kind, at, _) = all[3];
    assert_eq!(kind, Kind::Cts);
    assert!(at >= end + 28 * US && (at - end - 28 * US).is_multiple_of(9 * US), "{at}");
    let stats = b.cell.stats(NodeId(1));
    assert_eq!((stats.class(Class::Cts).sent, stats.class(Class::Data).sent), (1, 1));
    assert_eq!(stats.class(Class::Cts).transmitter_side, 0, "a CTS to itself is no loss");
    assert_eq!(b.delivered[0], 2);
}

#[test]
fn rts_and_cts_have_an_802_11b_rate() {
    let (b, all) = exchange(mac(Protection::RtsCts));
    let cts = MS + RTS + SIFS;
    let data = cts + CTS + SIFS;
    let end = data + DATA + SIFS + ACK;
    let of = [(Kind::Rts, MS, end), (Kind::Cts, cts, end), (Kind::Data, data, end)];
    assert_eq!(all[..3], of);
    assert_eq!(b.log[0].1.mode, Mode::DSSS[1]);
    assert_eq!((b.log[1].1.from, b.log[1].1.mode), (NodeId(0), Mode::DSSS[1]));
    assert_eq!(b.log[2].1.mode, Mode::OFDM[7]);
}

/// RTS and CTS of a frame above the RTS threshold have the protection rate. A CTS-to-self at 11 Mb/s is
/// shorter. DSSS frames have no protection.
#[test]
fn only_ofdm_frames_are_protected() {
    let long =
        MacConfig { rts_threshold: Some(airtcp_units::Bytes(1000)), ..mac(Protection::CtsToSelf) };
    let (b, all) = exchange(long);
    assert_eq!(
        all[..3].iter().map(|f| f.0).collect::<Vec<_>>(),
        [Kind::Rts, Kind::Cts, Kind::Data]
    );
    assert_eq!(b.log[0].1.mode, Mode::DSSS[1]);
    let rate = Some(BitRate::from_mbps(11));
    let (b, all) = exchange(MacConfig { protection_rate: rate, ..mac(Protection::CtsToSelf) });
    // 192 + ceil(112 / 11) us.
    assert_eq!(all[1].1, MS + 203 * US + SIFS);
    assert_eq!(b.log[0].1.mode, Mode::DSSS[3]);
    let mut plan = plan(2, Standard::G, mac(Protection::CtsToSelf), TimingConfig::default());
    plan.stations.iter_mut().for_each(|s| s.rate = RatePlan::fixed(Mode::DSSS[3]));
    let mut b = Bench::new(plan, 1);
    b.saturated = vec![(NodeId(1), NodeId(0))];
    b.run(Nanos(20 * MS));
    assert!(b.log.len() > 10 && b.log.iter().all(|(_, f)| f.kind != Kind::Cts));
}

/// With protection, RTS have the protection rate even if rate control has its own RTS rate (RBAR).
#[test]
fn rate_control_does_not_choose_the_rate_of_protection() {
    let run = |protection| {
        let rts = MacConfig { rts_threshold: Some(airtcp_units::Bytes(0)), ..mac(protection) };
        let mut plan = plan(2, Standard::G, rts, TimingConfig::default());
        for station in &mut plan.stations {
            let control = toml::from_str("control = \"rbar\"").unwrap();
            station.rate = RatePlan { control, start: None, modes: Mode::OFDM.to_vec() };
        }
        let mut b = Bench::new(plan, 1);
        b.saturated = vec![(NodeId(1), NodeId(0))];
        b.run(Nanos(20 * MS));
        let fronts = |f: &Frame| matches!(f.kind, Kind::Rts | Kind::Cts);
        let ofdm = b.log.iter().filter(|(_, f)| fronts(f) && f.mode.is_ofdm()).count();
        let data = b.log.iter().filter(|(_, f)| f.kind == Kind::Data && f.mode.is_ofdm()).count();
        (ofdm, data)
    };
    let (ofdm, data) = run(Protection::None);
    assert!(ofdm >= 2 * data && data > 10, "{ofdm} {data}");
    for protection in [Protection::CtsToSelf, Protection::RtsCts] {
        let (ofdm, data) = run(protection);
        assert!(ofdm == 0 && data > 10, "{protection:?} {ofdm} {data}");
    }
}

/// An 802.11b cell on the channel of an 802.11g cell: its frames begin during OFDM frames without
/// protection, and never with protection.
#[test]
fn an_802_11b_cell_defers_to_protected_frames() {
    let run = |protection| {
        let mut b =
            shared::bench(&[(Standard::B, 1), (Standard::G, 1)], shared::WEAK, |i, plan| {
                if i == 1 {
                    plan.mac.protection = protection;
                }
            });
        b.run(Nanos(2_000 * MS));
        let (old, new) = (shared::data(&b, 0), shared::data(&b, 1));
        (shared::begun_amid(&old, &new), old.len(), new.len())
    };
    let (bare, ..) = run(Protection::None);
    assert!(bare > 200, "{bare}");
    for protection in [Protection::CtsToSelf, Protection::RtsCts] {
        let (amid, old, new) = run(protection);
        assert_eq!(amid, 0, "{protection:?}");
        assert!(old > 200 && new > 200, "{protection:?} {old} {new}");
    }
}

#[test]
fn impossible_protection_is_refused() {
    let check = |standard, config: &TimingConfig, mac: MacConfig| {
        let timing = Timing::new(standard, config).unwrap();
        mac.check_protection(&timing).map_err(|e| e.key).err()
    };
    let usual = TimingConfig::default();
    let (cts, rts) = (mac(Protection::CtsToSelf), mac(Protection::RtsCts));
    assert_eq!(check(Standard::A, &usual, cts.clone()), Some("protection"));
    assert_eq!(check(Standard::B, &usual, rts.clone()), Some("protection"));
    let fixed = TimingConfig { ack_rate: AckRate::Fixed(BitRate::from_mbps(6)), ..usual };
    assert_eq!(check(Standard::G, &fixed, rts), Some("protection"));
    assert_eq!(check(Standard::G, &fixed, cts.clone()), None);
    let threshold = Some(airtcp_units::Bytes(1000));
    let long = MacConfig { rts_threshold: threshold, ..cts };
    assert_eq!(check(Standard::G, &fixed, long.clone()), Some("protection"));
    assert_eq!(check(Standard::G, &usual, long), None);
    let rate = Some(BitRate::from_mbps(6));
    let ofdm = MacConfig { protection_rate: rate, ..mac(Protection::CtsToSelf) };
    assert_eq!(check(Standard::G, &usual, ofdm), Some("protection_rate"));
}
