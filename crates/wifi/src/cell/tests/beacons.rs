//! Beacons: their times, their access to the medium, no answers and no retransmissions.

use airtcp_units::Bytes;

use super::*;
use crate::mac::{AccessMethod, BeaconConfig};
use crate::phy::Mode;

const MS: u64 = 1_000_000;
/// 100 B at 6 Mb/s: 20 + 4 ceil(822 / 24) us.
const BEACON: u64 = 160_000;
const INTERVAL: u64 = 102_400_000;
const TU: u64 = 1_024_000;
/// A data frame at 54 Mb/s, SIFS, and its ACK at 24 Mb/s.
const EXCHANGE: u64 = 248_000 + 16_000 + 28_000;
const DIFS: u64 = 34_000;
const SLOT: u64 = 9_000;

fn bench(standard: Standard, n: usize, mac: &MacConfig) -> Bench {
    let phase = Some(Span(MS));
    let beacons = mac.beacons.or(Some(BeaconConfig { phase, ..BeaconConfig::default() }));
    let mac = MacConfig { beacons, ..mac.clone() };
    Bench::new(plan(n, standard, mac, TimingConfig::default()), 1)
}

fn beacons(b: &Bench) -> Vec<(u64, Frame)> {
    b.log.iter().filter(|(_, f)| f.kind == Kind::Beacon).map(|(at, f)| (at.0, *f)).collect()
}

#[test]
fn on_an_idle_medium_beacons_are_on_time() {
    for (standard, lowest, airtime) in
        [(Standard::A, Mode::OFDM[0], BEACON), (Standard::G, Mode::DSSS[0], 992_000)]
    {
        let mut b = bench(standard, 2, &MacConfig::default());
        b.run(Nanos(1000 * MS));
        let sent = beacons(&b);
        let due: Vec<u64> = (0..10).map(|k| MS + k * INTERVAL).collect();
        assert_eq!(sent.iter().map(|(at, _)| *at).collect::<Vec<_>>(), due);
        assert!(sent.iter().all(|(_, f)| f.mode == lowest && f.to == NodeId::BROADCAST));
        assert!(sent.iter().all(|(_, f)| !f.retry && f.duration == Span::ZERO && f.bytes == 100));
        assert!(sent.windows(2).all(|w| w[1].1.sequence == w[0].1.sequence + 1));
        // No other frame is sent, and no packet is finished.
        assert_eq!(b.log.len(), 10);
        let stats = b.cell.stats(NodeId(0));
        assert_eq!((stats.class(Class::Beacon).sent, stats.acknowledged), (10, 0));
        assert_eq!(stats.class(Class::Beacon).airtime_ns, 10 * airtime);
        assert_eq!(b.cell.in_flight(), 0);
    }
}

/// A beacon due during an exchange waits for its end, DIFS and a back-off. The next beacon is not
/// delayed.
#[test]
fn on_a_busy_medium_a_beacon_waits() {
    let mut b = bench(Standard::A, 2, &MacConfig::default());
    b.run(Nanos(MS - 100_000));
    b.offer(NodeId(1), NodeId(0));
    b.run(Nanos(300 * MS));
    let sent = beacons(&b);
    let free = MS - 100_000 + EXCHANGE + DIFS;
    let late = sent[0].0 - free;
    assert!(late.is_multiple_of(SLOT) && late / SLOT <= 15, "{late}");
    assert_eq!([sent[1].0, sent[2].0], [MS + INTERVAL, MS + 2 * INTERVAL]);
}

/// In a saturated cell every beacon is sent exactly once, even if it collides, and waits for a few
/// exchanges at most.
#[test]
fn each_beacon_is_sent_once() {
    let mut b = bench(Standard::A, 6, &MacConfig::default());
    b.saturated = (1..6).map(|i| (NodeId(i), NodeId(0))).collect();
    b.saturated.push((NodeId(0), NodeId(1)));
    b.run(Nanos(20_000 * MS));
    let sent = beacons(&b);
    assert_eq!(sent.len() as u64, (20_000 * MS - MS) / INTERVAL + 1);
    let late = |(k, (at, _)): (usize, &(u64, Frame))| at - (MS + k as u64 * INTERVAL);
    let lateness: Vec<u64> = sent.iter().enumerate().map(late).collect();
    let mean = lateness.iter().sum::<u64>() / lateness.len() as u64;
    assert!((200_000..3_000_000).contains(&mean), "{mean}");
    assert!(lateness.iter().all(|late| *late < 20 * MS), "{lateness:?}");
    let ours = |at: &u64| b.log.iter().any(|(t, f)| t.0 == *at && f.kind != Kind::Beacon);
    assert!(sent.iter().any(|(at, _)| ours(at)), "some collide");
}

/// Under EDCA the back-off is that of voice: AIFS of two slots, and a window of 3.
#[test]
fn edca_beacons_have_the_access_of_the_highest_category() {
    let interval = Span(TU);
    let config = BeaconConfig { interval, phase: None, bytes: Bytes(100) };
    let mac =
        MacConfig { access: AccessMethod::Edca, beacons: Some(config), ..MacConfig::default() };
    let mut b = bench(Standard::A, 2, &mac);
    b.saturated = vec![(NodeId(1), NodeId(0))];
    b.categories = vec![1; 2];
    b.run(Nanos(2_000 * MS));
    // A beacon that has waited begins two to five slots after the SIFS that follows an ACK.
    let mut waited = [0u32; 4];
    for pair in b.log.windows(2) {
        if let [(end, ack), (at, Frame { kind: Kind::Beacon, .. })] = pair
            && ack.kind == Kind::Ack
        {
            let space = at.0 - end.0 - 28_000 - DIFS;
            if space.is_multiple_of(SLOT) && space / SLOT < 4 {
                waited[(space / SLOT) as usize] += 1;
            }
        }
    }
    assert!(waited.iter().sum::<u32>() > 200 && waited.iter().all(|n| *n > 20), "{waited:?}");
}

#[test]
fn impossible_numbers_are_refused() {
    let key = |config: BeaconConfig| {
        let mac = MacConfig { beacons: Some(config), ..MacConfig::default() };
        mac.validate().map_err(|e| e.key).err()
    };
    let usual = BeaconConfig::default();
    assert_eq!(usual.interval, Span(INTERVAL));
    assert_eq!(key(usual), None);
    assert_eq!(key(BeaconConfig { interval: Span(TU - 1), ..usual }), Some("beacons.interval"));
    assert_eq!(
        key(BeaconConfig { interval: Span(TU * 65_536), ..usual }),
        Some("beacons.interval")
    );
    assert_eq!(key(BeaconConfig { bytes: Bytes(39), ..usual }), Some("beacons.bytes"));
    assert_eq!(key(BeaconConfig { bytes: Bytes(2333), ..usual }), Some("beacons.bytes"));
}
