//! Lifetime of packets: the time of a drop to the ns, the access after it, and the age of delivered
//! packets.

use std::collections::VecDeque;

use super::*;
use crate::mac::{AccessMethod, CategoryConfig, EdcaConfig};

const US: u64 = 1_000;
const MS: u64 = 1_000_000;

fn mac(lifetime: Option<u64>) -> MacConfig {
    MacConfig { lifetime: lifetime.map(Span), ..MacConfig::default() }
}

fn bench(n: usize, mac: &MacConfig, change: impl FnOnce(&mut CellPlan)) -> Bench {
    let mut plan = plan(n, Standard::A, mac.clone(), TimingConfig::default());
    change(&mut plan);
    Bench::new(plan, 1)
}

/// No station receives station 1.
fn deaf(lifetime: Option<u64>) -> Bench {
    let mut b = bench(2, &mac(lifetime), |p| p.power_mw[1][0] = 0.0);
    b.run(Nanos(MS));
    b
}

fn data(b: &Bench) -> Vec<u64> {
    b.log.iter().filter(|(_, f)| f.kind == Kind::Data).map(|(at, _)| at.0).collect()
}

fn voice(lifetime: Option<u64>, voice: Option<u64>) -> MacConfig {
    let mut edca = EdcaConfig::default();
    edca.voice = CategoryConfig { lifetime: voice.map(Span), ..edca.voice };
    MacConfig { access: AccessMethod::Edca, edca, ..mac(lifetime) }
}

#[test]
fn an_expired_packet_is_dropped_at_its_next_attempt() {
    let mut without = deaf(None);
    without.offer(NodeId(1), NodeId(0));
    without.run(Nanos(100 * MS));
    let attempts = data(&without);
    assert_eq!(attempts.len(), 7);
    let fourth = attempts[3];
    // An attempt may begin at exactly the lifetime, but not a nanosecond later.
    let mut just = deaf(Some(fourth - MS));
    just.offer(NodeId(1), NodeId(0));
    just.run(Nanos(100 * MS));
    assert_eq!(data(&just), attempts[..4]);
    assert_eq!(just.cell.in_flight(), 0);
    let mut late = deaf(Some(fourth - MS - 1));
    late.offer(NodeId(1), NodeId(0));
    late.run(Nanos(fourth - 1));
    assert_eq!((late.cell.in_flight(), late.cell.stats(NodeId(1)).all().expired), (1, 0));
    late.run(Nanos(fourth));
    assert_eq!(data(&late), attempts[..3]);
    let all = late.cell.stats(NodeId(1)).all();
    assert_eq!((all.expired, all.expired_lost, all.given_up, all.dropped), (1, 1, 0, 0));
    assert_eq!((late.cell.in_flight(), late.pool.in_flight()), (0, 0));
}

#[test]
fn the_access_passes_to_the_next_packet() {
    let mut without = deaf(None);
    without.offer(NodeId(1), NodeId(0));
    without.run(Nanos(100 * MS));
    let attempts = data(&without);
    let mut b = deaf(Some(attempts[2] - MS - 1));
    b.saturated = vec![(NodeId(1), NodeId(0))];
    b.run(Nanos(attempts[2]));
    // The third attempt is the first of another packet.
    assert_eq!(data(&b), attempts[..3]);
    let number = |n: usize| b.log[n].1.sequence;
    assert_eq!((number(1), number(2)), (number(0), number(0) + 1));
    assert!(!b.log[2].1.retry);
}

#[test]
fn an_expired_packet_does_not_reach_the_head() {
    let mut b = bench(2, &mac(Some(100 * US)), |_| {});
    b.run(Nanos(MS));
    b.offer_aged(NodeId(1), NodeId(0), 0, Nanos(MS - 100 * US - 1));
    assert!(b.cell.is_ready(NodeId(1), 0) && b.pool.in_flight() == 0);
    b.offer_aged(NodeId(1), NodeId(0), 0, Nanos(MS - 100 * US));
    assert!(!b.cell.is_ready(NodeId(1), 0));
    b.run(Nanos(2 * MS));
    assert_eq!((b.delivered[0], data(&b)), (1, vec![MS]));
    let all = b.cell.stats(NodeId(1)).all();
    assert_eq!((all.expired, all.expired_lost, all.acknowledged), (1, 1, 1));
}

#[test]
fn an_exchange_that_has_begun_continues() {
    let rts = MacConfig { rts_threshold: Some(airtcp_units::Bytes(100)), ..mac(Some(US)) };
    let mut b = bench(2, &rts, |_| {});
    b.run(Nanos(MS));
    b.offer(NodeId(1), NodeId(0));
    b.run(Nanos(2 * MS));
    assert!(data(&b)[0] > MS + US);
    assert_eq!(b.delivered[0], 1);
}

/// The second fragment is due 172 us after the first.
#[test]
fn no_fragment_follows_the_expiry() {
    for (lifetime, sent) in [(172 * US, 2), (172 * US - 1, 1)] {
        let fragments = airtcp_units::Bytes(600);
        let mac = MacConfig { fragmentation_threshold: Some(fragments), ..mac(Some(lifetime)) };
        let mut b = bench(2, &mac, |_| {});
        b.run(Nanos(MS));
        b.offer(NodeId(1), NodeId(0));
        b.run(Nanos(MS + 500 * US));
        assert_eq!(data(&b).len(), sent);
        assert_eq!((b.delivered[0], b.cell.stats(NodeId(1)).all().expired_lost), (0, 1));
        b.offer(NodeId(1), NodeId(0));
        b.run(Nanos(5 * MS));
        assert!(data(&b).len() > sent, "the next packet is sent");
    }
}

/// A packet that comes to the head at an ACK is 16 us old when the transmission opportunity continues.
#[test]
fn a_transmission_opportunity_continues_with_the_next_packet() {
    let mut b = bench(2, &voice(None, Some(16 * US - 1)), |_| {});
    b.categories = vec![3; 2];
    b.saturated = vec![(NodeId(1), NodeId(0))];
    b.run(Nanos(MS));
    let (starts, all) = (data(&b), b.cell.stats(NodeId(1)).all());
    // Frame, SIFS, ACK of 28 us, SIFS.
    let first = b.log[0].1;
    let exchange = b.cell.cells.first().rules.timing.frame(first.mode, first.bytes).0 + 60 * US;
    assert!(starts[..3].windows(2).all(|w| w[1] - w[0] == exchange), "{starts:?}");
    // The first packet expires during AIFS; after each acknowledged packet one expires.
    let sent = b.log.iter().filter(|(_, f)| f.kind == Kind::Data).map(|(_, f)| f.sequence);
    assert_eq!(sent.take(3).collect::<Vec<_>>(), [1, 3, 5]);
    assert!(all.expired >= all.acknowledged && all.acknowledged > 2, "{all:?}");
    assert_eq!((b.delivered[0], all.dropped), (all.acknowledged, 0));
}

#[test]
fn each_category_has_its_own() {
    let lifetimes = |mac: &MacConfig, at: bool| {
        let params = mac.params(Standard::A, at).unwrap();
        params.iter().map(|p| p.lifetime.map(|l| l.0)).collect::<Vec<_>>()
    };
    let mut config = voice(Some(MS), Some(7));
    assert_eq!(lifetimes(&config, false), [Some(MS), Some(MS), Some(MS), Some(7)]);
    assert_eq!(lifetimes(&config, true), lifetimes(&config, false));
    let mut own = EdcaConfig::default();
    own.video.lifetime = Some(Span(8));
    config.edca_access_point = Some(own);
    assert_eq!(lifetimes(&config, true), [Some(MS), Some(MS), Some(8), Some(7)]);
    assert_eq!(lifetimes(&voice(None, None), false), [None; 4]);
    assert_eq!(lifetimes(&mac(Some(MS)), false), [Some(MS)]);
    assert_eq!(mac(Some(0)).validate().unwrap_err().key, "lifetime");
    let zero = voice(None, Some(0)).params(Standard::A, false).unwrap_err();
    assert!(zero.message.contains("lifetime of voice"), "{zero}");
    // A best-effort packet outlives a voice packet of the same age.
    let mut b = bench(2, &voice(None, Some(MS)), |_| {});
    b.run(Nanos(5 * MS));
    for category in [1, 3] {
        b.offer_aged(NodeId(1), NodeId(0), category, Nanos(MS));
    }
    b.run(Nanos(10 * MS));
    let stats = b.cell.stats(NodeId(1));
    assert_eq!(
        stats.categories.map(|c| (c.acknowledged, c.expired))[1..4],
        [(1, 0), (0, 0), (0, 1)]
    );
}

/// Three overloaded stations: no delivered packet is older than the lifetime and one exchange, and the
/// counters balance.
#[test]
fn no_expired_packet_is_delivered() {
    const LIFETIME: u64 = 10 * MS;
    const GAP: u64 = 400 * US;
    let mut b = bench(4, &mac(Some(LIFETIME)), |_| {});
    let mut lines = vec![VecDeque::new(); 4];
    let mut offered = 0;
    for step in 0..20_000_u64 {
        let now = Nanos(step * 50 * US);
        b.run(now);
        for station in 1..4_u32 {
            let line = &mut lines[station as usize];
            if now.0.is_multiple_of(GAP) {
                line.push_back(now);
                offered += 1;
            }
            while b.cell.is_ready(NodeId(station), 0)
                && let Some(entered) = line.pop_front()
            {
                b.offer_aged(NodeId(station), NodeId(0), 0, entered);
            }
        }
    }
    // 254 us of frame, SIFS and 28 us of ACK.
    let oldest = b.ages.iter().copied().max().unwrap();
    assert!(oldest <= LIFETIME + 298 * US, "{oldest}");
    assert!(oldest > LIFETIME, "{oldest}");
    let sum =
        |of: fn(&StationStats) -> u64| (1..4).map(|i| of(b.cell.stats(NodeId(i)))).sum::<u64>();
    let expired = sum(|s| s.all().expired);
    let waiting = lines.iter().map(VecDeque::len).sum::<usize>() as u64;
    assert!(expired > 1000);
    let ended = sum(|s| s.acknowledged + s.given_up) + expired;
    assert_eq!(offered, ended + waiting + b.cell.in_flight());
}
