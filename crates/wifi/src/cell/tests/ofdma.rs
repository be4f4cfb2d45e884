//! Multi-user operation: times and shares of HE MU PPDUs and of triggered transmissions, retransmission of single MPDUs,
//! and cells of all kinds of stations.

use airtcp_units::Narrow;

use super::*;
use crate::mac::{
    AggregationConfig, ImmediateAccess, MuEdcaConfig, MuScheduler, OfdmaConfig, SignalQuality,
    TbGrant,
};
use crate::phy::{Format, GuardInterval, Mode, MuFormat, MuPpdu, Width, equal_rus};
use crate::rate::{Attempt, Outcome, Rate, RateControl};

const AP: NodeId = NodeId(0);

fn he(mcs: u8, width: Width) -> Mode {
    Mode::mcs(Format::He, mcs, 1, width, GuardInterval::Ns800).unwrap()
}

/// A cell of an access point and `n` stations of one mode, with the smallest window for all.
fn cell(n: usize, mode: Mode, ofdma: OfdmaConfig, mpdus: u32) -> CellPlan {
    let aggregation = AggregationConfig { max_mpdus: Some(mpdus), ..AggregationConfig::default() };
    let mac = MacConfig {
        ofdma: Some(ofdma),
        aggregation: Some(aggregation),
        immediate_access: ImmediateAccess::Never,
        ..MacConfig::default()
    };
    let mut plan = plan(n + 1, Standard::Ax, mac, TimingConfig::default());
    for station in &mut plan.stations {
        station.rate = RatePlan::fixed(mode);
    }
    plan
}

fn without_backoff(mut plan: CellPlan) -> CellPlan {
    for station in &mut plan.stations {
        (station.seams.access[0].cw_min, station.seams.access[0].cw_max) = (0, 0);
    }
    plan
}

fn frames(bench: &Bench, kind: Kind) -> Vec<(Nanos, Frame)> {
    bench.log.iter().filter(|(_, frame)| frame.kind == kind).copied().collect()
}

fn downlink(n: usize) -> Vec<(NodeId, NodeId)> {
    (1..=u32::try_from(n).unwrap()).map(|to| (AP, NodeId(to))).collect()
}

fn uplink(n: usize) -> Vec<(NodeId, NodeId)> {
    (1..=u32::try_from(n).unwrap()).map(|from| (NodeId(from), AP)).collect()
}

fn only(down: bool) -> OfdmaConfig {
    OfdmaConfig { downlink: down, uplink: !down, max_stations: 74, ..OfdmaConfig::default() }
}

/// Bytes of an A-MPDU of MPDUs of 1526 bytes.
fn psdu(n: u32) -> u32 {
    (n - 1) * (4_u32 + 1526).next_multiple_of(4) + 4 + 1526
}

/// Without back-off a cycle is DIFS + HE MU PPDU + SIFS + HE TB PPDUs with BlockAcks, to the ns, and stations served
/// are those of the equal resource units.
#[test]
fn the_time_of_a_downlink_exchange_is_that_of_its_parts() {
    for (n, width, mcs, mpdus) in [
        (2, Width::Mhz20, 7, 64_u32),
        (4, Width::Mhz20, 3, 8),
        (9, Width::Mhz20, 5, 64),
        (8, Width::Mhz80, 9, 256),
        (16, Width::Mhz80, 11, 64),
        (3, Width::Mhz40, 0, 4),
    ] {
        let mode = he(mcs, width);
        let plan = without_backoff(cell(n, mode, only(true), mpdus));
        let timing = plan.timing;
        let mut bench = Bench::new(plan, 1);
        bench.saturated = downlink(n);
        bench.run(Nanos(400_000_000));
        let (ru, served) = equal_rus(width, n);
        let data = mode.in_ru(ru).unwrap();
        let time =
            |k: u32| MuPpdu::new(MuFormat::Mu, &vec![(data, psdu(k)); served]).unwrap().duration();
        let longest =
            MuPpdu::longest(MuFormat::Mu, &vec![data; served], Span::from_micros(5_484)).unwrap();
        let fits = |k: u32| psdu(k) <= longest.bytes(data);
        let k = (1..=mpdus).filter(|k| fits(*k)).max().unwrap();
        assert!(time(k) <= Span::from_micros(5_484));
        let robust = Mode::mcs(Format::He, mcs.min(3), 1, width, GuardInterval::Ns1600).unwrap();
        let answer = robust.in_ru(ru).unwrap();
        let bytes = if mpdus > 64 { 56 } else { 32 };
        let answers = MuPpdu::new(MuFormat::Tb, &vec![(answer, bytes); served]).unwrap().duration();
        let cycle = timing.difs() + time(k) + timing.sifs + answers;
        let ppdus = frames(&bench, Kind::MultiUser);
        assert!(ppdus.len() > 20, "{n} {width}: {}", ppdus.len());
        for (number, (at, frame)) in (0..).zip(&ppdus) {
            assert_eq!(*at, Nanos(timing.difs().0 + number * cycle.0), "{n} {width} {number}");
            assert_eq!(frame.bytes as usize, served * psdu(k) as usize);
            assert_eq!(frame.duration, timing.sifs + answers);
        }
        let blocks = frames(&bench, Kind::BlockAck).len();
        assert!(blocks + served >= served * ppdus.len() && blocks <= served * ppdus.len());
        assert!(bench.log.iter().all(|(_, f)| matches!(f.kind, Kind::MultiUser | Kind::BlockAck)));
        // Goodput in closed form: k MPDUs for each served station and cycle.
        let cycles = 400_000_000.0 / cycle.0 as f64;
        let packets: u64 = bench.delivered.iter().sum();
        let expected = cycles * f64::from(k) * served as f64;
        assert!((packets as f64 / expected - 1.0).abs() < 0.05, "{packets} {expected}");
        let stats = bench.cell.stats(AP);
        assert_eq!(stats.given_up, 0);
        assert_eq!(bench.cell.in_flight(), bench.pool.in_flight());
        let ends = ppdus.len() as u64;
        assert!(stats.mu_frames == ends || stats.mu_frames + 1 == ends);
    }
}

/// Without back-off an uplink cycle is DIFS + trigger + SIFS + HE TB PPDUs + SIFS + Multi-STA BlockAck, to the ns.
#[test]
fn the_time_of_an_uplink_exchange_is_that_of_its_parts() {
    for (n, width, mcs, mpdus) in [
        (2, Width::Mhz20, 7, 64_u32),
        (4, Width::Mhz40, 3, 8),
        (9, Width::Mhz20, 5, 64),
        (8, Width::Mhz80, 9, 256),
    ] {
        let mode = he(mcs, width);
        // Stations do not contend once they are triggered.
        let edca =
            MuEdcaConfig { timer: Span::from_micros(8_192 * 255), ..MuEdcaConfig::default() };
        let ofdma = OfdmaConfig { mu_edca: Some(edca), ..only(false) };
        let plan = cell(n, mode, ofdma, mpdus);
        let timing = plan.timing;
        let mut bench = Bench::new(plan, 1);
        bench.saturated = uplink(n);
        bench.run(Nanos(5_000_000_000));
        let (ru, served) = equal_rus(width, n);
        let guard = GuardInterval::Ns1600;
        let data = mode.in_ru(ru).unwrap().with_guard(guard).unwrap();
        let longest =
            MuPpdu::longest(MuFormat::Tb, &vec![data; served], Span::from_micros(5_484)).unwrap();
        let k = (1..=mpdus).filter(|k| psdu(*k) <= longest.bytes(data)).max().unwrap();
        let control = timing.answer_mode(mode);
        let trigger = timing.frame(control, 16 + 8 + 6 * u32::narrow(served) + 2 + 4);
        let bitmap = if mpdus > 64 { 32 } else { 8 };
        let answer = timing.frame(control, 22 + (4 + bitmap) * u32::narrow(served));
        let exchange = trigger + timing.sifs + longest.duration() + timing.sifs + answer;
        let full = 22 + (4 + bitmap) * u32::narrow(served);
        let mut exchanges = 0;
        for (place, (at, ack)) in bench.log.iter().enumerate() {
            if ack.kind != Kind::MultiBlockAck || ack.bytes != full {
                continue;
            }
            let (begun, asks) = bench.log[place - served - 1];
            let data = &bench.log[place - served..place];
            let ends = begun + trigger + timing.sifs;
            assert_eq!((asks.kind, asks.duration), (Kind::Trigger, exchange - trigger));
            assert!(data.iter().all(|(at, f)| *at == ends && f.is_triggered()), "{data:?}");
            assert!(data.iter().all(|(_, f)| u32::from(f.subframes.max(1)) == k));
            assert_eq!(*at, ends + longest.duration() + timing.sifs);
            exchanges += 1;
            // If the access point has the next access, it has backed off for up to 15 slots.
            if let Some((next, _)) = bench.log.get(place + 1).filter(|(_, f)| f.from == AP) {
                let idle = next.since(*at + answer).0 - timing.difs().0;
                assert!(idle.is_multiple_of(timing.slot.0) && idle <= 15 * timing.slot.0, "{idle}");
            }
        }
        assert!(exchanges > 40, "{n} {width}: {exchanges}");
        let stats: Vec<_> = (1..=n).map(|i| bench.cell.stats(NodeId(u32::narrow(i)))).collect();
        assert!(stats.iter().all(|s| s.given_up == 0 && s.mu_frames > 0));
        assert_eq!(bench.cell.in_flight(), bench.pool.in_flight());
    }
}

/// Packets delivered to each station.
fn delivered_to(bench: &Bench, n: usize) -> Vec<f64> {
    bench.delivered[1..=n].iter().map(|count| *count as f64).collect()
}

/// Goodput of one access point whose back-off is `CWmin / 2` slots on average, in closed form, and equal shares under
/// both schedulers: within 1 %.
#[test]
fn goodput_has_a_closed_form_and_is_shared_equally() {
    for scheduler in [MuScheduler::RoundRobin, MuScheduler::Proportional] {
        // Six stations of which four are served at once.
        let (n, mode, mpdus) = (6, he(6, Width::Mhz20), 16);
        let plan = cell(n, mode, OfdmaConfig { scheduler, ..only(true) }, mpdus);
        let timing = plan.timing;
        let cw = plan.stations[0].seams.access[0].cw_min;
        let mut bench = Bench::new(plan, 2);
        bench.saturated = downlink(n);
        bench.run(Nanos(20_000_000_000));
        let (ru, served) = equal_rus(Width::Mhz20, n);
        assert_eq!(served, 4);
        let data = mode.in_ru(ru).unwrap();
        let longest =
            MuPpdu::longest(MuFormat::Mu, &vec![data; served], Span::from_micros(5_484)).unwrap();
        let k = (1..=mpdus).filter(|k| psdu(*k) <= longest.bytes(data)).max().unwrap();
        let time = MuPpdu::new(MuFormat::Mu, &vec![(data, psdu(k)); served]).unwrap().duration();
        let robust = Mode::mcs(Format::He, 3, 1, Width::Mhz20, GuardInterval::Ns1600).unwrap();
        let answers =
            MuPpdu::new(MuFormat::Tb, &vec![(robust.in_ru(ru).unwrap(), 32); served]).unwrap();
        let idle = timing.slot.0 as f64 * f64::from(cw) / 2.0;
        let cycle = (timing.difs() + time + timing.sifs + answers.duration()).0 as f64 + idle;
        let expected = 20e9 / cycle * f64::from(k) * served as f64;
        let found = delivered_to(&bench, n);
        let sum: f64 = found.iter().sum();
        assert!((sum / expected - 1.0).abs() < 0.01, "{scheduler:?} {sum} {expected}");
        for share in &found {
            assert!((share / sum * n as f64 - 1.0).abs() < 0.01, "{scheduler:?} {found:?}");
        }
    }
}

/// MPDUs that are lost independently with probability p are sent (1 - p^7) / (1 - p) times on average, in both
/// directions, and the share p^7 is given up.
#[test]
fn mpdus_in_resource_units_are_retransmitted_by_themselves() {
    let (p, p7) = (0.3, 0.000_218_7);
    for down in [true, false] {
        let n = 4;
        // Stations that contend would collide, too.
        let timer = Span::from_micros(8_192 * 255);
        let edca = MuEdcaConfig { timer, ..MuEdcaConfig::default() };
        let ofdma = OfdmaConfig { mu_edca: (!down).then_some(edca), ..only(down) };
        let mut plan = cell(n, he(5, Width::Mhz20), ofdma, 16);
        plan.residual_error = p;
        let mut bench = Bench::new(plan, 3);
        bench.saturated = if down { downlink(n) } else { uplink(n) };
        bench.run(Nanos(20_000_000_000));
        let senders = if down { 0..=0 } else { 1..=4 };
        let (mut sent, mut finished, mut given_up, mut noise, mut dropped) = (0, 0, 0, 0, 0);
        let mut multi_user = 0;
        for stats in senders.map(|i| bench.cell.stats(NodeId(i))) {
            let data = stats.class(Class::Data);
            sent += data.sent;
            noise += data.noise;
            finished += stats.acknowledged + stats.given_up;
            given_up += stats.given_up;
            dropped += stats.dropped;
            multi_user += stats.mu_frames;
        }
        assert!(finished > 20_000 && multi_user > 500, "{down} {finished} {multi_user}");
        let mean = sent as f64 / finished as f64;
        // Unanswered PPDUs fail as a whole: with 16 MPDUs or so these are rare.
        assert!((mean - (1.0 - p7) / (1.0 - p)).abs() < 0.02, "{down} {mean}");
        if down {
            let share = noise as f64 / sent as f64;
            assert!((share - p).abs() < 0.01, "{share}");
        }
        let lost = given_up as f64 / finished as f64;
        let bound = 5.0 * (p7 / finished as f64).sqrt();
        assert!((lost - p7).abs() < bound + 1e-4, "{down} {lost} {p7}");
        assert!(dropped <= given_up);
        assert_eq!(bench.cell.in_flight(), bench.pool.in_flight());
        let delivered: u64 = bench.delivered.iter().sum();
        assert_eq!(u64::from(bench.number) - delivered, dropped + bench.cell.in_flight());
    }
}

/// Single-user data frames that stations sent after a time.
fn contended(bench: &Bench, since: Nanos) -> usize {
    let data = frames(bench, Kind::Data).into_iter();
    data.filter(|(at, f)| *at > since && f.from != AP && !f.is_triggered()).count()
}

/// With MU EDCA and AIFSN 0, stations that are triggered often never contend; with other parameters they contend less
/// than without.
#[test]
fn triggered_stations_do_not_contend_with_mu_edca() {
    let n = 8;
    let timer = Span::from_micros(8_192 * 30);
    let run = |mu_edca| {
        let ofdma = OfdmaConfig { mu_edca, ..only(false) };
        let mut bench = Bench::new(cell(n, he(7, Width::Mhz80), ofdma, 64), 4);
        bench.saturated = uplink(n);
        bench.run(Nanos(4_000_000_000));
        assert!(frames(&bench, Kind::Trigger).len() > 100);
        contended(&bench, Nanos(1_000_000_000))
    };
    let usual = run(None);
    let few = run(Some(MuEdcaConfig { aifsn: 10, cw_min: 255, cw_max: 1023, timer }));
    let none = run(Some(MuEdcaConfig { timer, ..MuEdcaConfig::default() }));
    assert_eq!(none, 0);
    assert!(usual > 500 && few * 4 < usual, "{usual} {few}");
}

/// Stations without 802.11ax get single-user frames, and stations with it multi-user ones; all get packets.
#[test]
fn older_stations_are_served_by_themselves() {
    let n = 6;
    let mut plan = cell(n, he(7, Width::Mhz20), only(true), 64);
    let old = Mode::mcs(Format::Vht, 7, 1, Width::Mhz20, GuardInterval::Ns400).unwrap();
    for i in [2, 5] {
        plan.stations[i].decodes = Format::Vht;
        plan.stations[i].rate = RatePlan::fixed(old);
        plan.stations[0].others.push((RatePlan::fixed(old), vec![i]));
    }
    let mut bench = Bench::new(plan, 5);
    bench.saturated = downlink(n);
    bench.in_turn = true;
    bench.run(Nanos(4_000_000_000));
    let data = frames(&bench, Kind::Data);
    assert!(data.iter().all(|(_, f)| [NodeId(2), NodeId(5)].contains(&f.to)));
    assert!(data.len() > 50 && frames(&bench, Kind::MultiUser).len() > 50, "{}", data.len());
    assert!(bench.delivered[1..].iter().all(|count| *count > 500), "{:?}", bench.delivered);
    assert_eq!(bench.cell.in_flight(), bench.pool.in_flight());
}

/// Every third packet for a station is a sample at MCS 3, with a single MPDU; the others have MCS 5.
#[derive(Debug, Default)]
struct Sampler {
    packets: std::collections::BTreeMap<NodeId, u32>,
}

impl Sampler {
    fn samples(&self, attempt: &Attempt) -> bool {
        self.packets.get(&attempt.to).is_some_and(|packets| packets % 3 == 2)
    }
}

impl RateControl for Sampler {
    fn on_packet(&mut self, first: &Attempt) {
        assert_eq!(first.number, 0);
        *self.packets.entry(first.to).or_default() += 1;
    }

    fn pick(&self, attempt: &Attempt) -> Mode {
        he(if self.samples(attempt) { 3 } else { 5 }, Width::Mhz20)
    }

    fn is_single(&self, attempt: &Attempt) -> bool {
        self.samples(attempt)
    }

    fn on_result(&mut self, outcome: &Outcome) {
        let single = outcome.mode.mcs_index() == Some(3);
        assert_eq!(single, outcome.mpdus == 1, "{outcome:?}");
    }
}

/// Rate control learns of a packet before it chooses the mode, and its samples are single MPDUs in resource units, in
/// both directions. The control itself checks the results.
#[test]
fn samples_are_single_mpdus_in_resource_units() {
    for down in [true, false] {
        let n = 2;
        let timer = Span::from_micros(8_192 * 255);
        let edca = MuEdcaConfig { timer, ..MuEdcaConfig::default() };
        let ofdma = OfdmaConfig { mu_edca: (!down).then_some(edca), ..only(down) };
        let mut bench = Bench::new(cell(n, he(5, Width::Mhz20), ofdma, 16), 6);
        for station in &mut bench.cell.stations {
            station.set_rate(Rate::custom(Sampler::default()));
        }
        bench.saturated = if down { downlink(n) } else { uplink(n) };
        bench.run(Nanos(2_000_000_000));
        let multi_user = frames(&bench, if down { Kind::MultiUser } else { Kind::Data });
        assert!(multi_user.len() > 100, "{}", multi_user.len());
        if !down {
            let triggered = multi_user.iter().filter(|(_, f)| f.is_triggered());
            let triggered: Vec<_> = triggered.collect();
            let single = |f: &Frame| f.subframes <= 1;
            let samples = triggered.iter().filter(|(_, f)| single(f)).count();
            assert!(samples > 30 && 2 * samples < triggered.len(), "{samples}");
            let right = |f: &Frame| single(f) == (f.mode.mcs_index() == Some(3));
            assert!(triggered.iter().all(|(_, f)| right(f)));
        }
    }
}

/// A station of 20 MHz in a cell of 80 MHz takes no part in multi-user exchanges.
#[test]
fn narrow_stations_are_served_by_themselves() {
    let (n, narrow) = (4, NodeId(3));
    for down in [true, false] {
        let mut plan = cell(n, he(7, Width::Mhz80), only(down), 64);
        plan.width = Width::Mhz80;
        plan.stations.iter_mut().for_each(|station| station.width = Width::Mhz80);
        let mode = he(7, Width::Mhz20);
        plan.stations[3].width = Width::Mhz20;
        plan.stations[3].rate = RatePlan::fixed(mode);
        plan.stations[0].others.push((RatePlan::fixed(mode), vec![3]));
        let mut bench = Bench::new(plan, 5);
        bench.saturated = if down { downlink(n) } else { uplink(n) };
        bench.in_turn = true;
        bench.run(Nanos(3_000_000_000));
        let single = |f: &Frame| f.kind == Kind::Data && !f.is_triggered();
        let ours = |f: &Frame| if down { f.to == narrow } else { f.from == narrow };
        let data: Vec<_> = bench.log.iter().filter(|(_, f)| single(f) && ours(f)).collect();
        assert!(data.len() > 50 && data.iter().all(|(_, f)| f.mode.width() == Width::Mhz20));
        assert_eq!(bench.cell.stats(narrow).mu_frames, 0);
        let of_others = if down { Kind::MultiUser } else { Kind::Trigger };
        assert!(frames(&bench, of_others).len() > 50);
        assert!(!down || frames(&bench, Kind::Data).iter().all(|(_, f)| ours(f)));
    }
}

/// A station responds to a trigger if the reservation of another cell has ended, whatever that of its own cell, and not
/// otherwise, even if its own cell has set the later end.
#[test]
fn reservations_of_other_cells_prevent_responses() {
    let us = |us: u64| Nanos(1_000 * us);
    let responds = |others: u64, own: u64| {
        let new = || {
            let mut bench = Bench::new(cell(2, he(5, Width::Mhz20), only(false), 16), 1);
            bench.offer(NodeId(1), AP);
            bench
        };
        let (mut bench, mut other) = (new(), new());
        other.run(Nanos(1_000_000));
        let usual = other.log[0].1;
        let rules = &bench.cell.cells.first().rules;
        let how = SignalQuality { snr: 1.0, sinr: 1.0 };
        let station = &mut bench.cell.stations[1];
        let mut ends = [(NodeId(99), others), (NodeId(2), own)];
        ends.sort_by_key(|(_, until)| *until);
        for (from, until) in ends {
            let duration = us(until).since(Nanos::ZERO);
            let frame = Frame { from, to: NodeId::BROADCAST, duration, ..usual };
            station.on_rx_preamble(Nanos::ZERO, &frame, how, rules);
        }
        let mode = he(5, Width::Mhz20);
        let times = crate::mac::MuTimes {
            time: Span::from_millis(1),
            preamble: Span::from_micros(50),
            symbols: 50,
            triggered: true,
        };
        let after = Span::from_micros(44);
        let grant = TbGrant { mode, chosen: mode, category: 0, times, bytes: 2_000, after };
        station.on_trigger(us(5), grant, rules);
        station.on_timer(us(5) + rules.timing.sifs, rules).is_some()
    };
    assert!(responds(10, 1_000));
    assert!(!responds(500, 1_000));
    assert!(!responds(1_000, 500));
    assert!(responds(10, 15));
}

/// Random cells: every packet is delivered, dropped or in flight; two runs are equal; nothing stops.
#[test]
fn random_cells_account_for_all_packets_and_repeat() {
    use airtcp_random::Seed;
    for seed in 0..24 {
        let mut random = Seed::new(seed).stream("cell");
        let mut below = |n: u64| random.below(n);
        let n = 2 + usize::narrow(below(8));
        let scheduler =
            [MuScheduler::RoundRobin, MuScheduler::Proportional][usize::narrow(below(2))];
        let edca = [None, Some(MuEdcaConfig::default())][usize::narrow(below(2))];
        let mut ofdma =
            OfdmaConfig { scheduler, max_stations: 2 + u32::narrow(below(9)), ..only(true) };
        ofdma.uplink = below(3) > 0;
        ofdma.downlink = !ofdma.uplink || below(3) > 0;
        ofdma.mu_edca = edca.filter(|_| ofdma.uplink);
        let width = [Width::Mhz20, Width::Mhz40, Width::Mhz80][usize::narrow(below(3))];
        let (mcs, mpdus) = (u8::narrow(below(12)), [2, 16, 64, 256][usize::narrow(below(4))]);
        let (error, hidden, old) = (below(5) as f64 / 10.0, below(2) == 0, below(3) == 0);
        let lifetime = (below(4) == 0).then_some(Span::from_millis(30));
        let run = || {
            let mut plan = cell(n, he(mcs, width), ofdma, mpdus);
            plan.residual_error = error;
            plan.mac.lifetime = lifetime;
            for station in &mut plan.stations {
                station.seams.access[0].lifetime = lifetime;
            }
            if hidden {
                (plan.power_mw[1][2], plan.power_mw[2][1]) = (0.0, 0.0);
            }
            if old {
                let mode = Mode::mcs(Format::Ht, 3, 1, Width::Mhz20, GuardInterval::Ns800).unwrap();
                plan.stations[n].decodes = Format::Ht;
                plan.stations[n].rate = RatePlan::fixed(mode);
                plan.stations[0].others.push((RatePlan::fixed(mode), vec![n]));
            }
            let mut bench = Bench::new(plan, seed);
            bench.saturated = downlink(n);
            bench.saturated.extend(uplink(n));
            bench.run(Nanos(1_000_000_000));
            bench
        };
        let (bench, again) = (run(), run());
        assert_eq!(bench.log, again.log, "{seed}");
        assert_eq!(bench.delivered, again.delivered, "{seed}");
        let stats = (0..=u32::narrow(n)).map(|i| bench.cell.stats(NodeId(i)));
        let lost: u64 = stats.map(|s| s.dropped + s.refused + s.all().expired_lost).sum();
        let delivered: u64 = bench.delivered.iter().sum();
        assert_eq!(bench.cell.in_flight(), bench.pool.in_flight(), "{seed}");
        let all = u64::from(bench.number);
        assert_eq!(all, delivered + lost + bench.cell.in_flight(), "{seed}");
        // The medium is busy to the end.
        let last = bench.log.last().unwrap().0;
        assert!(last > Nanos(980_000_000) && delivered > 100, "{seed}: {last:?} {delivered}");
        for (_, frame) in &bench.log {
            assert!(frame.own_time(Span(1_000)).0 <= 1_000);
        }
    }
}
