//! 802.11b stations in an 802.11g cell: which frames they send and decode, and when they defer.

use super::*;
use crate::mac::{AggregationConfig, Protection};
use crate::phy::{Format, GuardInterval, Mode, Width};

const MS: u64 = 1_000_000;

/// An access point (0), an 802.11g station (1) and an 802.11b station (2), which hear each other with
/// `between`.
fn mixed(mac: MacConfig, between: f64, rate: impl Fn() -> RatePlan) -> CellPlan {
    let slot = Some(Standard::B.slot());
    let mut plan = plan(3, Standard::G, mac, TimingConfig { slot, ..TimingConfig::default() });
    (plan.power_mw[1][2], plan.power_mw[2][1]) = (between, between);
    for (i, station) in plan.stations.iter_mut().enumerate() {
        station.dsss_only = i == 2;
        station.rate = if i == 2 { rate().without_ofdm() } else { rate() };
    }
    plan
}

fn fixed() -> RatePlan {
    RatePlan { modes: Standard::G.modes().collect(), ..RatePlan::fixed(Mode::OFDM[7]) }
}

/// Uploads and downloads of both stations for 1 s.
fn run(plan: CellPlan) -> Bench {
    let mut b = Bench::new(plan, 1);
    b.in_turn = true;
    b.payload = 200;
    b.saturated = [(0, 1), (0, 2), (1, 0), (2, 0)].map(|(f, t)| (NodeId(f), NodeId(t))).into();
    b.run(Nanos(1_000 * MS));
    b
}

/// With every rate control, each frame to or from the 802.11b station is DSSS or CCK, and OFDM
/// remains between the others.
#[test]
fn no_ofdm_reaches_the_802_11b_station() {
    let controls = ["fixed", "s0", "arf", "aarf", "amrr", "onoe", "minstrel", "ideal", "rbar"];
    for control in controls {
        for rts in [None, Some(airtcp_units::Bytes(0))] {
            if control == "rbar" && rts.is_none() {
                continue;
            }
            let mac = MacConfig { rts_threshold: rts, ..MacConfig::default() };
            let rate = || RatePlan {
                control: toml::from_str(&format!("control = \"{control}\"")).unwrap(),
                ..fixed()
            };
            let b = run(mixed(mac, 1e-6, rate));
            let old = |f: &Frame| f.from == NodeId(2) || f.to == NodeId(2);
            let to_old: Vec<_> = b.log.iter().filter(|(_, f)| old(f)).collect();
            assert!(to_old.len() > 100, "{control}: {}", to_old.len());
            assert!(to_old.iter().all(|(_, f)| !f.mode.is_ofdm()), "{control}");
            let data = |f: &Frame| f.kind == Kind::Data && f.mode.is_ofdm();
            let ofdm = b.log.iter().filter(|(_, f)| data(f)).count();
            assert!(ofdm > 100, "{control}: {ofdm}");
            let faster = to_old.iter().any(|(_, f)| f.kind == Kind::Data && f.mode > Mode::DSSS[0]);
            // These two decide once per second.
            assert!(faster || ["amrr", "onoe"].contains(&control), "{control}");
            assert!(b.delivered.iter().all(|n| *n > 20), "{control}: {:?}", b.delivered);
        }
    }
}

/// Start and end of the data frames of a station.
fn data(b: &Bench, from: u32) -> Vec<(u64, u64)> {
    let timing = b.cell.cells.first().rules.timing;
    let ours = |f: &Frame| f.kind == Kind::Data && f.from == NodeId(from);
    let span = |(at, f): &(Nanos, Frame)| (at.0, (*at + timing.frame(f.mode, f.bytes)).0);
    b.log.iter().filter(|(_, f)| ours(f)).map(span).collect()
}

/// Below the energy detection threshold, the 802.11b station senses no OFDM: its frames begin during
/// those of the other station (103 slots at 6 Mb/s) and destroy them. With protection it defers by the
/// NAV, unless it was itself transmitting during the CTS.
#[test]
fn protection_ends_hidden_collisions() {
    let run = |protection| {
        let mac = MacConfig { protection, ..MacConfig::default() };
        let slow = || RatePlan { start: Some(Mode::OFDM[0]), ..fixed() };
        let mut b = Bench::new(mixed(mac, shared::WEAK, slow), 1);
        b.saturated = vec![(NodeId(1), NodeId(0)), (NodeId(2), NodeId(0))];
        b.run(Nanos(2_000 * MS));
        let (new, old) = (data(&b, 1), data(&b, 2));
        assert!(new.len() > 50 && old.len() > 200, "{protection:?} {} {}", new.len(), old.len());
        // OFDM frames whose CTS-to-self (248 us) and SIFS began together with a frame of the other.
        let deaf = |frame: &&(u64, u64)| old.iter().any(|(at, _)| at + 258_000 == frame.0);
        let sensed: Vec<_> = new.iter().filter(|frame| !deaf(frame)).copied().collect();
        let stats = b.cell.stats(NodeId(1)).class(Class::Data);
        let lost = 1.0 - stats.decoded as f64 / stats.sent as f64;
        (shared::begun_amid(&old, &sensed), lost)
    };
    let (amid, lost) = run(Protection::None);
    assert!(amid > 100, "{amid}");
    for protection in [Protection::CtsToSelf, Protection::RtsCts] {
        let (protected, fewer) = run(protection);
        assert_eq!(protected, 0, "{protection:?}");
        assert!(fewer < 0.5 * lost, "{protection:?}: {fewer} {lost}");
    }
}

/// A station that decodes OFDM defers to the same frames without protection.
#[test]
fn an_802_11g_station_senses_ofdm() {
    let mut plan = mixed(MacConfig::default(), shared::WEAK, fixed);
    plan.stations[2].dsss_only = false;
    let mut b = Bench::new(plan, 1);
    b.saturated = vec![(NodeId(1), NodeId(0)), (NodeId(2), NodeId(0))];
    b.run(Nanos(2_000 * MS));
    assert_eq!(shared::begun_amid(&data(&b, 2), &data(&b, 1)), 0);
}

/// An 802.11a station decodes no HT frame, but defers to it below the energy detection threshold: it decodes the
/// length in the non-HT part of the preamble.
#[test]
fn ofdm_stations_defer_to_ht_frames() {
    let ht = Mode::mcs(Format::Ht, 1, 1, Width::Mhz20, GuardInterval::Ns800).unwrap();
    let single = AggregationConfig { max_mpdus: Some(1), ..AggregationConfig::default() };
    let mac = MacConfig { aggregation: Some(single), ..MacConfig::default() };
    let mut plan = plan(3, Standard::N, mac, TimingConfig::default());
    (plan.power_mw[1][2], plan.power_mw[2][1]) = (shared::WEAK, shared::WEAK);
    plan.stations[1].rate = RatePlan::fixed(ht);
    plan.stations[2].decodes = Format::Ofdm;
    let mut b = Bench::new(plan, 1);
    b.saturated = vec![(NodeId(1), NodeId(0)), (NodeId(2), NodeId(0))];
    b.run(Nanos(1_000 * MS));
    let (new, old) = (data(&b, 1), data(&b, 2));
    assert!(new.len() > 200 && old.len() > 200, "{} {}", new.len(), old.len());
    let inside = |at: u64| new.iter().any(|(from, to)| *from < at && at < *to);
    assert!(old.iter().all(|(from, _)| !inside(*from)));
    // All frames are equally strong at the access point: only frames of one instant are lost.
    let at_once = old.iter().filter(|(at, _)| new.iter().any(|(from, _)| from == at)).count();
    assert_eq!(u64::try_from(at_once).unwrap(), b.cell.stats(NodeId(2)).all().lost);
}
