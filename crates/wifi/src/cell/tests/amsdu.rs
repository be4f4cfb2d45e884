//! A-MSDU: the airtime of MPDUs with several packets, and that their packets share one fate.

use airtcp_units::Bytes;

use super::aggregate::{aggregating, frames, mode, pair, sender, up_to};
use super::*;
use crate::mac::AggregationConfig;
use crate::phy::{GuardInterval, Mode, Width};

/// Bytes of the MPDU of packets of 1488 bytes: 24 + 2 of header, 14 + 8 for each packet, padding, FCS.
const fn mpdu(packets: u32) -> u32 {
    match packets {
        1 => 1488 + 38,
        n => 30 + (n - 1) * 1512 + 1510,
    }
}

/// Bytes of the PSDU of MPDUs with these numbers of packets.
fn psdu(mpdus: &[u32], delimiter: u32) -> u32 {
    let (last, before) = mpdus.split_last().unwrap();
    let before = before.iter().map(|n| (mpdu(*n) + 4).next_multiple_of(4)).sum::<u32>();
    before + if mpdus.len() > 1 { 4 } else { delimiter } + mpdu(*last)
}

/// The numbers of packets of the longest PPDU of at most `mpdus` MPDUs with at most `packets` packets each.
fn longest(packets: u32, mpdus: usize, fits: impl Fn(&[u32]) -> bool) -> Vec<u32> {
    let mut ppdu = vec![1];
    loop {
        let mut more = ppdu.clone();
        let last = more.len() - 1;
        if more[last] < packets {
            more[last] += 1;
        } else if more.len() < mpdus {
            more.push(1);
        } else {
            return ppdu;
        }
        if !fits(&more) {
            return ppdu;
        }
        ppdu = more;
    }
}

fn with_amsdu(mpdus: u32, bytes: u64) -> AggregationConfig {
    AggregationConfig { max_amsdu_bytes: Bytes(bytes), ..up_to(mpdus) }
}

/// Without back-off a cycle is DIFS + PPDU + SIFS + BlockAck or ACK, to the ns, with as many packets as the limits
/// of the MPDU, and then those of the PPDU, allow.
#[test]
fn the_time_of_an_exchange_is_that_of_its_parts() {
    let (n, ac, ax) = (Standard::N, Standard::Ac, Standard::Ax);
    let old = Mode::mcs(n.format(), 5, 1, Width::Mhz20, GuardInterval::Ns800).unwrap();
    for (standard, mode, mpdus, bytes, packets) in [
        (n, mode(n, 7, 4, Width::Mhz40), 64_u32, 3_839, 2_u32),
        (n, mode(n, 7, 1, Width::Mhz20), 1, 3_839, 2),
        (n, mode(n, 7, 1, Width::Mhz20), 1, 7_935, 5),
        (ac, mode(ac, 9, 1, Width::Mhz80), 1, 7_935, 5),
        (ac, mode(ac, 9, 1, Width::Mhz80), 64, 11_424, 7),
        (ac, mode(ac, 9, 4, Width::Mhz160), 64, 7_935, 5),
        (ac, mode(ac, 0, 1, Width::Mhz20), 64, 11_424, 7),
        (ax, mode(ax, 11, 2, Width::Mhz80), 256, 11_424, 7),
        // An HT station in a newer cell: an MPDU in an A-MPDU has at most 4095 bytes.
        (ax, old, 64, 11_424, 2),
        // Without A-MPDU, an A-MSDU of HT has at most 7935.
        (ax, old, 1, 11_424, 5),
    ] {
        let mut plan = pair(standard, mode, with_amsdu(mpdus, bytes));
        let timing = plan.timing;
        for station in &mut plan.stations {
            (station.seams.access[0].cw_min, station.seams.access[0].cw_max) = (0, 0);
        }
        let mut bench = sender(plan, 1);
        bench.run(Nanos(200_000_000));
        let delimiter = if mode.format() == n.format() { 0 } else { 4 };
        let most = if mode.format() == n.format() { 65_535 } else { 1_048_575 };
        let fits = |ppdu: &[u32]| {
            let bytes = psdu(ppdu, delimiter);
            bytes <= most && timing.frame(mode, bytes) <= Span::from_micros(5_484)
        };
        let ppdu = longest(packets, mpdus as usize, fits);
        let answer = match ppdu.len() {
            1 => timing.ack(mode),
            _ => timing.frame(timing.answer_mode(mode), if mpdus > 64 { 56 } else { 32 }),
        };
        let length = psdu(&ppdu, delimiter);
        let cycle = timing.difs() + timing.frame(mode, length) + timing.sifs + answer;
        let data = frames(&bench, Kind::Data);
        assert!(data.len() > 20, "{mode} {}", data.len());
        let subframes = if ppdu.len() > 1 { ppdu.len() } else { 0 };
        for (number, (at, frame)) in (0..).zip(&data) {
            assert_eq!((usize::from(frame.subframes), frame.bytes), (subframes, length), "{mode}");
            assert_eq!(*at, Nanos(timing.difs().0 + number * cycle.0), "{mode} {mpdus} {bytes}");
        }
        // Packets and MPDUs are counted apart.
        let stats = bench.cell.stats(NodeId(1));
        let in_ppdu = u64::from(ppdu.iter().sum::<u32>());
        let ended = stats.class(Class::Data).sent / ppdu.len() as u64;
        assert_eq!(bench.delivered[0], ended * in_ppdu, "{mode}");
        assert!([ended, ended - 1].contains(&(stats.acknowledged / in_ppdu)));
        assert_eq!(stats.attempts, stats.acknowledged);
        assert_eq!(bench.cell.in_flight(), bench.pool.in_flight());
    }
}

/// An A-MSDU that is sent again at the slowest scheme lasts at most `max_time`, and has as many packets as that
/// allows: at MCS 0 over 20 MHz, 7.2 Mb/s, three packets of 1512 B last 5.1 ms and four last 6.8 ms.
#[test]
fn an_amsdu_fits_the_slowest_scheme() {
    let modes: Vec<Mode> = (0..=8).map(|i| mode(Standard::Ac, i, 1, Width::Mhz20)).collect();
    for (least, packets) in [(0, 3), (2, 7)] {
        let mut plan = pair(Standard::Ac, modes[8], with_amsdu(64, 11_424));
        let timing = plan.timing;
        let control = serde_json::from_str("{\"control\": \"arf\"}").unwrap();
        let (slowest, fast) = (modes[least], modes[8]);
        let (start, modes) = (Some(fast), modes[least..].to_vec());
        plan.stations[1].rate = RatePlan { control, start, modes };
        // Rates fall while nothing gets through, and rise again.
        plan.error =
            ErrorModel::for_modes(&ErrorModelConfig::default(), &plan.stations[1].rate.modes)
                .unwrap();
        let loud = plan.noise_mw * 1e9;
        plan.noise_steps = vec![(Nanos(200_000_000), loud), (Nanos(400_000_000), plan.noise_mw)];
        let mut bench = sender(plan, 1);
        bench.run(Nanos(1_000_000_000));
        let data = frames(&bench, Kind::Data);
        let time = |frame: &Frame| timing.frame(frame.mode, frame.bytes);
        let most = data.iter().map(|(_, frame)| time(frame)).max().unwrap();
        assert!(most <= Span::from_micros(5_484), "{least}: {most}");
        let slow = data.iter().filter(|(_, frame)| frame.mode == slowest);
        assert!(slow.clone().count() > 5, "{least}");
        let fits = |ppdu: &[u32]| timing.frame(fast, psdu(ppdu, 4)) <= Span::from_micros(5_484);
        let first = longest(packets, 64, fits);
        assert_eq!(data[0].1.bytes, psdu(&first, 4), "{least}: {first:?}");
    }
}

/// The packets of an MPDU arrive together, or none of them does. An MPDU is retransmitted as one that carries a
/// single packet.
#[test]
fn packets_of_an_mpdu_share_its_fate() {
    let (p, p7) = (0.3, 0.000_218_7);
    for mpdus in [1, 16] {
        let mut plan =
            pair(Standard::Ac, mode(Standard::Ac, 8, 2, Width::Mhz80), with_amsdu(mpdus, 4_600));
        plan.residual_error = p;
        let mut bench = sender(plan, 3);
        bench.run(Nanos(4_000_000_000));
        let stats = bench.cell.stats(NodeId(1)).clone();
        let finished = (stats.acknowledged + stats.given_up) as f64;
        assert!(finished > 15_000.0, "{finished}");
        let mean = 3.0 * stats.class(Class::Data).sent as f64 / finished;
        assert!((mean - (1.0 - p7) / (1.0 - p)).abs() < 0.02, "{mean}");
        assert_eq!((stats.given_up % 3, stats.acknowledged % 3), (0, 0));
        assert_eq!(stats.dropped, stats.given_up);
        assert!(stats.given_up > 0 || mpdus == 1);
        assert_eq!(bench.cell.in_flight(), bench.pool.in_flight());
        // In order, in groups of three, and nothing is missing but what was given up or is in flight.
        assert!(bench.order.is_sorted_by(|a, b| a < b));
        let missing = u64::from(bench.number) - bench.delivered[0];
        assert_eq!(missing, stats.dropped + bench.cell.in_flight());
        for group in bench.order.chunks(3) {
            let first = group[0];
            assert_eq!((first % 3, group), (0, &[first, first + 1, first + 2][..]));
        }
    }
}

/// An A-MSDU expires with its youngest packet, and then as a whole.
#[test]
fn an_amsdu_expires_with_its_youngest_packet() {
    let lifetime = Span::from_millis(20);
    let mut plan = pair(Standard::Ac, mode(Standard::Ac, 8, 1, Width::Mhz80), with_amsdu(1, 4_600));
    plan.mac.lifetime = Some(lifetime);
    plan.mac.attempts = 255;
    plan.residual_error = 1.0;
    for station in &mut plan.stations {
        station.seams.access[0].lifetime = Some(lifetime);
        station.seams.access[0].cw_max = 15;
    }
    let mut bench = Bench::new(plan, 1);
    bench.run(Nanos(15_000_000));
    // The first packet is 15 ms old, and the two that join it have just arrived.
    bench.offer_aged(NodeId(1), NodeId(0), 0, Nanos(0));
    bench.saturated = vec![(NodeId(1), NodeId(0))];
    bench.run(Nanos(15_200_000));
    bench.saturated.clear();
    bench.run(Nanos(60_000_000));
    let stats = bench.cell.stats(NodeId(1));
    assert_eq!((stats.all().expired, stats.all().expired_lost), (3, 3));
    assert_eq!((bench.pool.in_flight(), bench.cell.in_flight()), (0, 0));
    let last = frames(&bench, Kind::Data).last().unwrap().0;
    assert!(last > Nanos(34_000_000) && last <= Nanos(35_200_000), "{last}");
}

/// What the standards do not have is refused, with the limits.
#[test]
fn impossible_lengths_are_refused() {
    for (standard, mpdus, bytes, accepted) in [
        (Standard::N, 64, 4_066, "256 to 4065 B (7935 B with max_mpdus = 1)"),
        (Standard::N, 1, 7_936, "256 to 7935 B"),
        (Standard::Ac, 64, 11_425, "256 to 11424 B"),
        (Standard::Ax, 1, 255, "256 to 11424 B"),
    ] {
        let error = with_amsdu(mpdus, bytes).rules(standard).unwrap_err();
        assert_eq!(error.key, "aggregation.max_amsdu_bytes");
        assert!(error.message.ends_with(accepted), "{}", error.message);
        assert!(error.message.starts_with(&format!("is {bytes} B: expected 0 B")));
    }
    assert!(with_amsdu(64, 4_065).rules(Standard::N).is_ok());
    // A plan of two stations that neither aggregate MPDUs nor packets has no rules.
    let config = aggregating(with_amsdu(1, 0));
    assert!(config.aggregation(Standard::Ac).unwrap().is_none());
}
