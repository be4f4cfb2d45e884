//! Association: no data before it, the order of its frames, and its loss.

use super::*;
use crate::mac::{AccessMethod, AssociationConfig, BeaconConfig, Stage};

const MS: u64 = 1_000_000;
const US: u64 = 1_000;
const DIFS: u64 = 34 * US;
const SIFS: u64 = 16 * US;
const SLOT: u64 = 9 * US;
/// At 6 Mb/s: a beacon of 100 B, ACK, and frames of 34, 52 and 44 B: 20 + 4 ceil((22 + 8 n) / 24) us.
const BEACON: u64 = 160 * US;
const ACK: u64 = 44 * US;
const AUTHENTICATION: u64 = 72 * US;
const REQUEST: u64 = 96 * US;
const RESPONSE: u64 = 84 * US;

fn mac() -> MacConfig {
    let beacons = BeaconConfig { phase: Some(Span(MS)), ..BeaconConfig::default() };
    let association = Some(AssociationConfig::default());
    MacConfig { beacons: Some(beacons), association, ..MacConfig::default() }
}

fn bench(n: usize, mac: &MacConfig) -> Bench {
    Bench::new(plan(n, Standard::A, mac.clone(), TimingConfig::default()), 1)
}

fn stages(b: &Bench) -> Vec<Stage> {
    b.cell.stations.iter().filter_map(crate::mac::Station::stage).collect()
}

/// One station: a beacon, two exchanges of authentication, two of association, each after DIFS and a
/// back-off, then data. The medium is idle until the beacon.
#[test]
fn one_station_associates_after_the_first_beacon() {
    let mut b = bench(2, &mac());
    assert!(!b.cell.is_ready(NodeId(1), 0) && b.cell.is_ready(NodeId(0), 0));
    b.saturated = vec![(NodeId(1), NodeId(0))];
    b.run(Nanos(10 * MS));
    let expected = [
        (Class::Beacon, 0, BEACON),
        (Class::Authentication, 1, AUTHENTICATION + SIFS + ACK),
        (Class::Authentication, 0, AUTHENTICATION + SIFS + ACK),
        (Class::AssociationRequest, 1, REQUEST + SIFS + ACK),
        (Class::AssociationResponse, 0, RESPONSE + SIFS + ACK),
        (Class::Data, 1, 0),
    ];
    let sent: Vec<&(Nanos, Frame)> = b.log.iter().filter(|(_, f)| f.kind != Kind::Ack).collect();
    assert_eq!(sent[0].0, Nanos(MS));
    for ((at, frame), (class, from, _)) in sent.iter().zip(expected) {
        assert_eq!((frame.class, frame.from.0), (class, from), "{at:?}");
        assert!(class == Class::Data || frame.mode == crate::phy::Mode::OFDM[0]);
    }
    for (pair, (class, _, length)) in sent.windows(2).zip(expected).take(5) {
        let space = pair[1].0.0 - pair[0].0.0 - length - DIFS;
        assert!(space.is_multiple_of(SLOT) && space / SLOT <= 15, "{class:?}: {space}");
    }
    assert_eq!(stages(&b), [Stage::Associated]);
    assert!(b.delivered[0] > 10);
}

/// The access point drops packets to a station until the station is associated.
#[test]
fn an_access_point_serves_associated_stations() {
    let mut b = bench(2, &mac());
    b.offer(NodeId(0), NodeId(1));
    assert_eq!((b.cell.stats(NodeId(0)).refused, b.cell.in_flight()), (1, 0));
    assert!(b.cell.is_ready(NodeId(0), 0) && b.pool.in_flight() == 0);
    b.run(Nanos(20 * MS));
    b.offer(NodeId(0), NodeId(1));
    b.run(Nanos(30 * MS));
    assert_eq!((b.cell.stats(NodeId(0)).refused, b.delivered[1]), (1, 1));
}

/// Many stations start at the same beacon, collide and retransmit, and all associate: with DCF, with
/// EDCA, and with RTS before every frame.
#[test]
fn all_of_many_stations_associate() {
    let rts = MacConfig { rts_threshold: Some(airtcp_units::Bytes(0)), ..mac() };
    for mac in [mac(), MacConfig { access: AccessMethod::Edca, ..mac() }, rts] {
        let mut b = bench(31, &mac);
        b.saturated = (1..31).map(|i| (NodeId(i), NodeId(0))).collect();
        b.run(Nanos(3_000 * MS));
        assert_eq!(stages(&b), vec![Stage::Associated; 30]);
        assert!((1..31).all(|i| b.cell.stats(NodeId(i)).acknowledged > 0));
        // Retransmitted management frames, and unanswered RTS. Control frames have Retry bit 0.
        let count = |is: fn(&Frame) -> bool| b.log.iter().filter(|(_, f)| is(f)).count();
        let again = count(|f| f.kind == Kind::Management && f.retry);
        let unanswered = count(|f| f.kind == Kind::Rts) - count(|f| f.kind == Kind::Cts);
        assert!(again + unanswered > 5, "{again} and {unanswered}");
        assert_eq!(count(|f| matches!(f.kind, Kind::Rts | Kind::Cts | Kind::Ack) && f.retry), 0);
    }
}

/// A station without beacons for ten intervals stops sending, and its packets wait. At the next beacon
/// that it receives it associates again.
#[test]
fn missed_beacons_end_it() {
    let mut b = bench(3, &mac());
    b.saturated = vec![(NodeId(1), NodeId(0))];
    b.run(Nanos(500 * MS));
    // Station 1 received its last beacon at 1 + 4 * 102.4 ms; station 2 receives all beacons.
    b.by_themselves();
    let heard = b.cell.reach.hearers_mut()[0].clone();
    b.cell.reach.hearers_mut()[0].retain(|(to, _)| *to != 1);
    let beacons: Vec<u64> =
        b.log.iter().filter(|(_, f)| f.kind == Kind::Beacon).map(|(at, _)| at.0).collect();
    let end = beacons[4] + BEACON + 1024 * MS;
    b.run(Nanos(end - 1));
    assert_eq!(stages(&b), [Stage::Associated; 2]);
    b.run(Nanos(end));
    assert_eq!(stages(&b), [Stage::Seeking, Stage::Associated]);
    let before = b.log.len();
    b.run(Nanos(end + 400 * MS));
    assert!(b.log[before..].iter().all(|(at, f)| f.from != NodeId(1) || at.0 <= end + MS));
    b.cell.reach.hearers_mut()[0] = heard;
    b.run(Nanos(end + 600 * MS));
    assert_eq!(stages(&b), [Stage::Associated; 2]);
    assert!(
        b.log
            .iter()
            .any(|(at, f)| f.from == NodeId(1) && f.kind == Kind::Data && at.0 > end + 400 * MS)
    );
}

/// All ACKs of a response are lost. The station is associated and does not ask again, so the access
/// point must serve it.
#[test]
fn a_response_given_up_makes_a_member() {
    let mut b = bench(2, &mac());
    b.by_themselves();
    let heard = b.cell.reach.hearers_mut()[1].clone();
    while b.log.last().is_none_or(|(_, f)| f.class != Class::AssociationResponse) {
        b.run(b.now + Span(US));
    }
    b.cell.reach.hearers_mut()[1].clear();
    b.run(Nanos(90 * MS));
    let responses = b.log.iter().filter(|(_, f)| f.class == Class::AssociationResponse).count();
    assert_eq!((stages(&b), responses), (vec![Stage::Associated], 7));
    b.cell.reach.hearers_mut()[1] = heard;
    b.offer(NodeId(0), NodeId(1));
    b.run(Nanos(100 * MS));
    assert_eq!((b.cell.stats(NodeId(0)).refused, b.delivered[1]), (0, 1));
}

/// Management frames belong to no flow. The bits of a flow are those of data frames, RTS, CTS and ACKs.
#[test]
fn flows_do_not_pay_for_management() {
    let mut b = bench(2, &mac());
    b.run(Nanos(50 * MS));
    b.offer(NodeId(0), NodeId(1));
    b.run(Nanos(60 * MS));
    let timing = b.cell.cells.first().rules.timing;
    let bits = |(_, f): &(Nanos, Frame)| timing.plcp_bits(f.mode) + f.mode.body_bits(f.bytes);
    let last: u64 = b.log[b.log.len() - 2..].iter().map(bits).sum();
    assert_eq!((b.log[b.log.len() - 2].1.kind, b.cell.flow_bits(0)), (Kind::Data, last));
    // The station associates once more, now with a flow in the cell.
    b.by_themselves();
    let heard = std::mem::take(&mut b.cell.reach.hearers_mut()[0]);
    b.run(Nanos(1_600 * MS));
    b.cell.reach.hearers_mut()[0] = heard;
    b.run(Nanos(2_000 * MS));
    let asked = b.log.iter().filter(|(_, f)| f.class == Class::AssociationRequest).count();
    assert_eq!((asked, b.cell.flow_bits(0)), (2, last));
}

/// If the access point receives nothing, the station tries again at every beacon.
#[test]
fn without_an_answer_it_waits_for_the_next_beacon() {
    let mut b = bench(2, &mac());
    b.by_themselves();
    b.cell.reach.hearers_mut()[1].clear();
    b.saturated = vec![(NodeId(1), NodeId(0))];
    b.run(Nanos(1_000 * MS));
    let sent = |class| b.log.iter().filter(move |(_, f)| f.class == class).count();
    assert_eq!(
        (sent(Class::Beacon), sent(Class::AssociationRequest), sent(Class::Data)),
        (10, 0, 0)
    );
    // Seven attempts after each beacon.
    assert_eq!(sent(Class::Authentication), 70);
}

#[test]
fn impossible_association_is_refused() {
    let key = |mac: MacConfig| mac.validate().map_err(|e| e.key).err();
    assert_eq!(key(mac()), None);
    assert_eq!(key(MacConfig { beacons: None, ..mac() }), Some("association"));
    let with = |config| MacConfig { association: Some(config), ..mac() };
    let usual = AssociationConfig::default();
    assert_eq!(
        key(with(AssociationConfig { missed_beacons: 0, ..usual })),
        Some("association.missed_beacons")
    );
    assert_eq!(
        key(with(AssociationConfig { response_timeout: Span::ZERO, ..usual })),
        Some("association.response_timeout")
    );
}
