//! Aggregates: the efficiency of one sender in closed form, retransmission of single MPDUs, and what a receiver
//! hands over.

use airtcp_units::{Bytes, detmath};

use super::*;
use crate::mac::{
    AccessMethod, AfterMissedBlockAck, AggregationConfig, BackoffDecrement, Category,
    ImmediateAccess,
};
use crate::phy::{GuardInterval, Mode, Width};
use AfterMissedBlockAck::{Bar, NoBar, Retransmit};

pub(super) fn aggregating(config: AggregationConfig) -> MacConfig {
    MacConfig {
        aggregation: Some(config),
        immediate_access: ImmediateAccess::Never,
        ..MacConfig::default()
    }
}

pub(super) fn up_to(mpdus: u32) -> AggregationConfig {
    AggregationConfig { max_mpdus: Some(mpdus), ..AggregationConfig::default() }
}

/// A cell of two stations that send in one mode.
pub(super) fn pair(standard: Standard, mode: Mode, config: AggregationConfig) -> CellPlan {
    let mut plan = plan(2, standard, aggregating(config), TimingConfig::default());
    plan.width = mode.width();
    for station in &mut plan.stations {
        station.rate = RatePlan::fixed(mode);
        station.width = mode.width();
    }
    plan
}

/// One saturated sender, station 1, to station 0.
pub(super) fn sender(plan: CellPlan, seed: u64) -> Bench {
    let mut bench = Bench::new(plan, seed);
    bench.saturated = vec![(NodeId(1), NodeId(0))];
    bench
}

pub(super) fn mode(standard: Standard, index: u8, streams: u8, width: Width) -> Mode {
    let guard = if standard == Standard::Ax { GuardInterval::Ns800 } else { GuardInterval::Ns400 };
    Mode::mcs(standard.format(), index, streams, width, guard).unwrap()
}

/// The frames of one kind.
pub(super) fn frames(bench: &Bench, kind: Kind) -> Vec<(Nanos, Frame)> {
    bench.log.iter().filter(|(_, frame)| frame.kind == kind).copied().collect()
}

/// Without back-off a cycle is DIFS + PPDU + SIFS + BlockAck, to the ns, with as many MPDUs as the number,
/// the length and the time allow.
#[test]
fn the_time_of_an_exchange_is_that_of_its_parts() {
    let (n, ac, ax) = (Standard::N, Standard::Ac, Standard::Ax);
    for (standard, mode, mpdus, bytes) in [
        (n, mode(n, 7, 1, Width::Mhz20), 2_u32, 65_535_u32),
        (n, mode(n, 0, 1, Width::Mhz20), 64, 65_535),
        (n, mode(n, 7, 4, Width::Mhz40), 64, 65_535),
        (n, mode(n, 7, 4, Width::Mhz40), 64, 20_000),
        (ac, mode(ac, 9, 1, Width::Mhz80), 64, 1_048_575),
        (ac, mode(ac, 9, 2, Width::Mhz160), 7, 1_048_575),
        (ac, mode(ac, 1, 1, Width::Mhz20), 64, 1_048_575),
        (ax, mode(ax, 11, 4, Width::Mhz160), 256, 4_194_303),
        (ax, mode(ax, 11, 2, Width::Mhz80), 64, 4_194_303),
        (ax, mode(ax, 0, 1, Width::Mhz20), 256, 4_194_303),
    ] {
        let config = AggregationConfig { max_bytes: Some(Bytes(bytes.into())), ..up_to(mpdus) };
        let mut plan = pair(standard, mode, config);
        let timing = plan.timing;
        for station in &mut plan.stations {
            (station.seams.access[0].cw_min, station.seams.access[0].cw_max) = (0, 0);
        }
        let mut bench = sender(plan, 1);
        bench.run(Nanos(200_000_000));
        // 1488 bytes of IP packet; header 24 + 2, LLC and SNAP 8, FCS 4.
        let mpdu = 1488 + 38;
        let psdu = |n: u32| (n - 1) * (4_u32 + mpdu).next_multiple_of(4) + 4 + mpdu;
        let fits =
            |n: u32| psdu(n) <= bytes && timing.frame(mode, psdu(n)) <= Span::from_micros(5_484);
        let n = (1..=mpdus).filter(|n| fits(*n)).max().unwrap();
        let bits = if mpdus > 64 { 56 } else { 32 };
        let answer = timing.frame(timing.answer_mode(mode), bits);
        let cycle = timing.difs() + timing.frame(mode, psdu(n)) + timing.sifs + answer;
        let data = frames(&bench, Kind::Data);
        assert!(data.len() > 20, "{mode} {}", data.len());
        for (number, (at, frame)) in (0..).zip(&data) {
            assert_eq!(*at, Nanos(timing.difs().0 + number * cycle.0), "{mode} {mpdus}");
            assert_eq!((u32::from(frame.subframes), frame.bytes), (n, psdu(n)), "{mode}");
            assert_eq!(frame.duration, timing.sifs + answer);
        }
        let answers = frames(&bench, Kind::BlockAck);
        assert!(answers.len() + 1 >= data.len());
        assert!(answers.iter().all(|(_, f)| f.bytes == bits && f.duration == Span::ZERO));
        let stats = bench.cell.stats(NodeId(1));
        let sent = stats.class(Class::Data).sent;
        assert_eq!(stats.all().aggregates * u64::from(n), sent);
        // At the end, a BlockAck may be on its way.
        let unacknowledged = bench.delivered[0] - stats.acknowledged;
        assert!(unacknowledged == 0 || unacknowledged == u64::from(n));
        let in_flight = bench.pool.in_flight();
        assert_eq!((stats.given_up, bench.cell.in_flight()), (0, in_flight));
    }
}

/// A single MPDU has an ordinary ACK; with 802.11ac and ax a delimiter precedes it (clause 9.7.1, S-MPDU), with or
/// without aggregation. The counted bytes are those of the MPDU.
#[test]
fn a_single_mpdu_gets_an_ack() {
    for (standard, delimiter) in [(Standard::N, 0), (Standard::Ac, 4), (Standard::Ax, 4)] {
        for mpdus in [64, 1] {
            let mode = mode(standard, 5, 1, Width::Mhz20);
            let mut bench = Bench::new(pair(standard, mode, up_to(mpdus)), 1);
            bench.offer(NodeId(1), NodeId(0));
            bench.run(Nanos(10_000_000));
            let kinds: Vec<Kind> = bench.log.iter().map(|(_, frame)| frame.kind).collect();
            assert_eq!(kinds, [Kind::Data, Kind::Ack], "{standard}");
            let data = bench.log[0].1;
            assert_eq!((data.bytes, data.subframes), (1526 + delimiter, 0), "{standard} {mpdus}");
            assert_eq!((bench.delivered[0], bench.cell.in_flight()), (1, 0));
            assert_eq!(bench.cell.stats(NodeId(1)).class(Class::Data).bytes, 1526);
        }
    }
}

/// Without back-off and without aggregation a cycle is DIFS + [RTS + SIFS + CTS + SIFS] + fragments, each with its
/// delimiter, SIFS and ACK, to the ns.
#[test]
fn the_time_of_single_mpdus_is_that_of_their_parts() {
    let (n, ac, ax) = (Standard::N, Standard::Ac, Standard::Ax);
    for (standard, index, width) in [
        (n, 0, Width::Mhz20),
        (n, 7, Width::Mhz40),
        (ac, 0, Width::Mhz20),
        (ac, 9, Width::Mhz160),
        (ax, 0, Width::Mhz20),
        (ax, 7, Width::Mhz40),
    ] {
        let mode = mode(standard, index, 1, width);
        let delimiter = if standard == n { 0 } else { 4 };
        // 1488 bytes of IP packet; header 24 + 2, LLC and SNAP 8, FCS 4. RTS and CTS precede PSDUs of more than 1526 B.
        for (rts, threshold, parts) in [
            (None, None, vec![1526]),
            (Some(1526), None, vec![1526]),
            (None, Some(1000), vec![1000, 556]),
        ] {
            let mut plan = pair(standard, mode, up_to(1));
            plan.mac.rts_threshold = rts.map(Bytes);
            plan.mac.fragmentation_threshold = threshold.map(Bytes);
            let timing = plan.timing;
            for station in &mut plan.stations {
                (station.seams.access[0].cw_min, station.seams.access[0].cw_max) = (0, 0);
            }
            let mut bench = sender(plan, 1);
            bench.run(Nanos(100_000_000));
            let answer = timing.sifs + timing.ack(mode);
            let part = |bytes: u32| timing.frame(mode, bytes + delimiter) + answer;
            let mut cycle = timing.difs();
            if rts.is_some() && delimiter > 0 {
                let request = timing.answer_mode(mode);
                cycle = cycle + timing.frame(request, 20) + timing.sifs;
                cycle = cycle + timing.cts(request) + timing.sifs;
            }
            let before = cycle;
            let gap = if parts.len() > 1 { timing.sifs } else { Span::ZERO };
            cycle = parts.iter().fold(cycle, |sum, bytes| sum + part(*bytes)) + gap;
            let data = frames(&bench, Kind::Data);
            assert!(data.len() > 20, "{mode} {}", data.len());
            for (number, (at, frame)) in (0..).zip(&data) {
                let place = usize::try_from(number).unwrap() % parts.len();
                let first = Nanos(before.0 + number / parts.len() as u64 * cycle.0);
                let earlier = if place > 0 { part(parts[0]) + gap } else { Span::ZERO };
                assert_eq!(*at, first + earlier, "{mode} {rts:?} {threshold:?}");
                assert_eq!(frame.bytes, parts[place] + delimiter, "{mode}");
                let more = if place + 1 < parts.len() { gap + part(parts[1]) } else { Span::ZERO };
                assert_eq!(frame.duration, answer + more, "{mode}");
            }
        }
    }
}

/// A cell whose MPDUs are lost independently with probability p. Transmissions of an MPDU until it is received
/// or given up: mean (1 - p^7) / (1 - p); lost share p^7.
#[test]
fn mpdus_are_retransmitted_by_themselves() {
    let (p, p7) = (0.3, 0.000_218_7);
    for after_missed_block_ack in [Retransmit, Bar, NoBar] {
        let config = AggregationConfig { after_missed_block_ack, ..up_to(16) };
        let mut plan = pair(Standard::N, mode(Standard::N, 7, 2, Width::Mhz40), config);
        plan.residual_error = p;
        let mut bench = sender(plan, 3);
        bench.run(Nanos(8_000_000_000));
        let stats = bench.cell.stats(NodeId(1)).clone();
        let data = *stats.class(Class::Data);
        let finished = (stats.acknowledged + stats.given_up) as f64;
        assert!(finished > 60_000.0, "{finished}");
        let mean = data.sent as f64 / finished;
        assert!((mean - (1.0 - p7) / (1.0 - p)).abs() < 0.01, "{mean}");
        let share = data.noise as f64 / data.sent as f64;
        assert!((share - p).abs() < 0.01, "{share}");
        // Five standard errors.
        let lost = stats.given_up as f64 / finished;
        let bound = 5.0 * (p7 / finished).sqrt();
        assert!((lost - p7).abs() < bound, "{lost} {p7}");
        assert_eq!(stats.dropped, stats.given_up);
        assert_eq!(bench.cell.in_flight(), bench.pool.in_flight());
        // In order, and nothing is missing but what was given up or is in flight.
        assert!(bench.order.is_sorted_by(|a, b| a < b));
        let missing = u64::from(bench.number) - bench.delivered[0];
        assert_eq!(missing, stats.dropped + bench.cell.in_flight());
        // One frame after the MPDUs that were given up, or none.
        let asks = frames(&bench, Kind::BlockAckReq).len() as u64;
        assert!(after_missed_block_ack == NoBar || asks > 0);
        assert!(after_missed_block_ack == Bar || asks <= 2 * stats.given_up);
        assert!(after_missed_block_ack != NoBar || asks == 0);
        // A BlockAckReq is no acknowledgement: the sender has sent none.
        let counted = (stats.class(Class::BlockAckReq).sent, stats.class(Class::Ack).sent);
        assert!(counted.0.abs_diff(asks) <= 1 && counted.1 == 0, "{counted:?} {asks}");
    }
}

/// `n` stations of 802.11ac that always have packets for the access point, after `seconds`, and their times. After a
/// collision, its senders continue at the same time as the other stations.
fn saturated(
    n: u32,
    mode: Mode,
    decrement: BackoffDecrement,
    aggregation: AggregationConfig,
    seconds: u64,
) -> (Bench, Timing) {
    let mac = MacConfig {
        eifs: false,
        backoff_decrement: Some(decrement),
        aggregation: Some(aggregation),
        ..MacConfig::default()
    };
    let difs = Timing::new(Standard::Ac, &TimingConfig::default()).unwrap().difs();
    let timing = TimingConfig { ack_timeout: Some(difs), ..TimingConfig::default() };
    let mut plan = plan(n as usize + 1, Standard::Ac, mac, timing);
    let timing = plan.timing;
    for station in &mut plan.stations {
        station.rate = RatePlan::fixed(mode);
    }
    let mut bench = Bench::new(plan, 1);
    bench.saturated = (1..=n).map(|i| (NodeId(i), NodeId(0))).collect();
    bench.run(Nanos(seconds * 1_000_000_000));
    (bench, timing)
}

/// Saturated stations whose collisions lose all MPDUs, against the slotted system of `saturation`: collision
/// probability within 0.01, throughput within 2 %.
#[test]
fn saturated_stations_collide_as_in_the_slotted_system() {
    let mode = mode(Standard::Ac, 9, 1, Width::Mhz80);
    for (n, decrement) in [
        (2_u32, BackoffDecrement::SlotEnd),
        (10, BackoffDecrement::SlotEnd),
        (10, BackoffDecrement::SlotStart),
    ] {
        let seconds = 6;
        let (bench, timing) = saturated(n, mode, decrement, up_to(8), seconds);
        let difs = timing.difs();
        let count = |of: fn(&StationStats) -> u64| -> u64 {
            (1..=n).map(|i| of(bench.cell.stats(NodeId(i)))).sum()
        };
        let sent = count(|stats| stats.class(Class::Data).sent);
        let collided = count(|stats| stats.class(Class::Data).collided.iter().sum());
        let p = collided as f64 / sent as f64;
        let frozen = decrement == BackoffDecrement::SlotEnd;
        let (expected, [idle, won, lost]) = super::saturation::slotted(n as usize, 15, 6, frozen);
        assert!((p - expected).abs() < 0.01, "{n} {decrement:?}: {p} {expected}");
        let frame = timing.frame(mode, 7 * (1526 + 4_u32).next_multiple_of(4) + 1526 + 4);
        let after = timing.sifs + timing.frame(timing.answer_mode(mode), 32) + difs;
        let ns = idle * timing.slot.0 + won * (frame + after).0 + lost * (frame + difs).0;
        let packets = 8.0 * won as f64 / (ns as f64 / 1e9);
        let found = bench.delivered[0] as f64 / seconds as f64;
        assert!((found / packets - 1.0).abs() < 0.02, "{n} {decrement:?}: {found} {packets}");
    }
}

/// A transmission opportunity carries as many PPDUs and MPDUs as fit with their BlockAcks; RTS and CTS count.
#[test]
fn transmission_opportunities_limit_aggregates() {
    let mode = mode(Standard::Ac, 3, 1, Width::Mhz20);
    for rts in [None, Some(Bytes(3_000))] {
        let mac = MacConfig {
            access: AccessMethod::Edca,
            aggregation: Some(up_to(4)),
            rts_threshold: rts,
            ..MacConfig::default()
        };
        let mut plan = plan(2, Standard::Ac, mac, TimingConfig::default());
        let timing = plan.timing;
        for station in &mut plan.stations {
            station.rate = RatePlan::fixed(mode);
        }
        let mut bench = sender(plan, 1);
        bench.categories = vec![0, Category::Video as usize];
        bench.run(Nanos(300_000_000));
        let limit = Span::from_micros(4_096);
        let block = timing.sifs + timing.frame(timing.answer_mode(mode), 32);
        // Frames of a transmission opportunity follow one another after SIFS.
        let mut since = Nanos::ZERO;
        let mut ended = Nanos::ZERO;
        let mut opportunities = Vec::new();
        for (at, frame) in &bench.log {
            if *at != ended + timing.sifs {
                since = *at;
                opportunities.push(0);
            }
            ended = *at + timing.frame(frame.mode, frame.bytes);
            if frame.kind == Kind::Data {
                *opportunities.last_mut().unwrap() += u32::from(frame.subframes.max(1));
                assert!(ended + block <= since + limit, "{frame:?}");
            }
        }
        if rts.is_some() {
            assert!(!frames(&bench, Kind::Cts).is_empty());
            continue;
        }
        // Greedily: the longest PPDU that fits with its BlockAck, then the next one.
        let psdu = |n: u32| (n - 1) * (1526 + 4_u32).next_multiple_of(4) + 1526 + 4;
        let (mut time, mut usual) = (Span::ZERO, 0);
        while let Some((n, after)) = (1..=4)
            .map(|n| (n, time + timing.frame(mode, psdu(n)) + block))
            .rfind(|(_, after)| *after <= limit)
        {
            (time, usual) = (after + timing.sifs, usual + n);
        }
        let rest = &opportunities[1..opportunities.len() - 1];
        assert!(usual > 4 && rest.len() > 50, "{usual} {}", rest.len());
        assert!(rest.iter().all(|mpdus| *mpdus == usual), "{usual} {rest:?}");
    }
}

/// MPDUs are lost by noise with the probability of their bits at the SNR, delimiter included.
#[test]
fn noise_loses_mpdus_by_their_bits() {
    let mode = mode(Standard::N, 4, 1, Width::Mhz20);
    // In a cell of 40 MHz, half of the noise is in the band of the frames.
    for (cell, part) in [(Width::Mhz20, 1.0), (Width::Mhz40, 0.5)] {
        let mut plan = pair(Standard::N, mode, up_to(32));
        plan.width = cell;
        plan.error = ErrorModel::default();
        // The SNR at which about 70 % of the MPDUs survive.
        let survive = |snr: f64| plan.error.success(mode, snr, 8 * (1526 + 4));
        let snr = (10..1_000).map(f64::from).find(|snr| survive(*snr) > 0.7).unwrap();
        let success = survive(snr);
        assert!(success < 0.9, "{success}");
        plan.noise_mw = 1e-6 / snr / part;
        let mut bench = sender(plan, 5);
        bench.run(Nanos(3_000_000_000));
        let data = *bench.cell.stats(NodeId(1)).class(Class::Data);
        let share = data.decoded as f64 / data.sent as f64;
        // Five standard errors.
        let bound = 5.0 * (success * (1.0 - success) / data.sent as f64).sqrt();
        assert!((share - success).abs() < bound, "{share} {success} of {}", data.sent);
    }
}

/// A frame of a hidden station loses the MPDUs that it overlaps, and no others.
#[test]
fn an_overlap_loses_the_mpdus_that_it_covers() {
    let mode = mode(Standard::N, 4, 1, Width::Mhz20);
    for start_us in [300, 1_500, 3_000] {
        // The hidden station gives its frame up, and a BlockAckReq of it would overlap, too.
        let after_missed_block_ack = AfterMissedBlockAck::NoBar;
        let config = AggregationConfig { after_missed_block_ack, ..up_to(16) };
        let mut plan = plan(3, Standard::N, aggregating(config), TimingConfig::default());
        plan.mac.attempts = 1;
        plan.error = ErrorModel::default();
        plan.capture = Capture::Sinr { late_db: 15.0 };
        (plan.power_mw[1][2], plan.power_mw[2][1]) = (0.0, 0.0);
        for station in &mut plan.stations {
            station.rate = RatePlan::fixed(mode);
            (station.seams.access[0].cw_min, station.seams.access[0].cw_max) = (0, 0);
        }
        let timing = plan.timing;
        let mut bench = sender(plan, 1);
        bench.run(Nanos(start_us * 1_000));
        bench.payload = 400;
        bench.offer(NodeId(2), NodeId(0));
        bench.payload = 1460;
        let (start, aggregate) = frames(&bench, Kind::Data)[0];
        let ends = start + timing.frame(mode, aggregate.bytes);
        bench.run(ends);
        let (from, other) = frames(&bench, Kind::Data)[1];
        assert_eq!((aggregate.subframes, other.from), (16, NodeId(2)));
        let until = from + timing.frame(mode, other.bytes);
        let body = start + timing.preamble(mode);
        let length = ends.since(body).0 as f64 / mode.body_bits(aggregate.bytes) as f64;
        let at = |byte: u64| body.0 as f64 + length * (16 + 8 * byte) as f64;
        // Time of overlap of each MPDU in ns.
        let overlap = |number: u64| {
            let (first, last) = (at(number * 1532), at(number * 1532 + 1530));
            last.min(until.0 as f64) - first.max(from.0 as f64)
        };
        let lost = bench.cell.stats(NodeId(1)).class(Class::Data).collided[Class::Data as usize];
        let at_least = (0..16).filter(|n| overlap(*n) > 5_000.0).count() as u64;
        let at_most = (0..16).filter(|n| overlap(*n) > 0.0).count() as u64;
        assert!((at_least..=at_most).contains(&lost) && at_least > 0, "{start_us}: {lost}");
    }
}

/// A cell that hears nothing for a time.
fn outage(plan: &mut CellPlan, from: Nanos, length: Span) {
    plan.error = ErrorModel::default();
    plan.noise_steps = vec![(from, 1e-4), (from + length, 1e-10)];
}

/// However long an outage was, and wherever the sequence numbers are after it: the receiver takes the first MPDU
/// that it decodes, and discards none. With one attempt, 700 ms are more than 8192 sequence numbers.
#[test]
fn a_receiver_takes_packets_after_an_outage_of_any_length() {
    let begin = Nanos(5_000_000);
    for after_missed_block_ack in [Retransmit, Bar, NoBar] {
        let mut most = 0;
        for ms in (20..700).step_by(35) {
            let config = AggregationConfig { after_missed_block_ack, ..up_to(64) };
            let mut plan = pair(Standard::Ac, mode(Standard::Ac, 9, 2, Width::Mhz80), config);
            plan.mac.attempts = 1;
            outage(&mut plan, begin, Span::from_millis(ms));
            let mut bench = sender(plan, 1);
            let end = begin + Span::from_millis(ms);
            bench.run(end + Span::from_millis(60));
            let stats = bench.cell.stats(NodeId(1));
            assert_eq!(stats.all().outdated, 0, "{ms} ms");
            let again = bench.received.iter().find(|(at, _)| *at > end).map(|(at, _)| *at);
            let limit = end + Span::from_millis(30);
            assert!(
                again.is_some_and(|at| at < limit),
                "{after_missed_block_ack:?} {ms}: {again:?}"
            );
            assert!(bench.order.is_sorted_by(|a, b| a < b));
            let missing = u64::from(bench.number) - bench.delivered[0];
            assert_eq!(missing, stats.dropped + bench.cell.in_flight());
            most = most.max(stats.given_up);
        }
        assert!(most > 8192, "{most}");
    }
}

/// A BlockAckReq that was given up is sent again after the next acknowledged PPDU: packets behind the hole do not
/// wait for the timeout, or for the window.
#[test]
fn a_block_ack_request_without_answer_stays_pending() {
    let begin = Nanos(20_000_000);
    let mut pending = 0;
    for us in (900..4_000).step_by(100) {
        let config = AggregationConfig { max_bytes: Some(Bytes(4_096)), ..up_to(64) };
        let mut plan = pair(Standard::Ac, mode(Standard::Ac, 0, 1, Width::Mhz80), config);
        plan.mac.attempts = 1;
        outage(&mut plan, begin, Span::from_micros(us));
        let mut bench = sender(plan, us);
        bench.run(Nanos(40_000_000));
        let asks: Vec<Nanos> =
            frames(&bench, Kind::BlockAckReq).into_iter().map(|(at, _)| at).collect();
        let data = frames(&bench, Kind::Data);
        let times: Vec<Nanos> = bench.received.iter().map(|(at, _)| *at).collect();
        let gap = times.windows(2).map(|pair| pair[1].since(pair[0])).max().unwrap();
        assert!(gap < Span::from_micros(us) + Span::from_millis(5), "{us}: {gap}");
        // One that was sent, lost, and followed by data and another one.
        let lost = asks.windows(2).any(|asks| {
            data.iter()
                .any(|(at, _)| (asks[0]..asks[1]).contains(at) && *at > begin + Span(us * 1_000))
        });
        pending += usize::from(lost);
        assert_eq!(bench.cell.stats(NodeId(1)).all().outdated, 0);
    }
    assert!(pending > 3, "{pending}");
}

/// The BlockAck that answers a BlockAckReq has the bitmap of the session: 256 bits between stations of 802.11ax,
/// 64 bits with an older one. A receiver without HT gets no BlockAckReq.
#[test]
fn a_block_ack_request_gets_the_bitmap_of_its_session() {
    let (n, ax) = (Standard::N, Standard::Ax);
    let non_ht = Standard::G.modes().last().unwrap();
    for (mode, expected) in [
        (mode(ax, 5, 1, Width::Mhz20), Some(56)),
        (Mode::mcs(n.format(), 5, 1, Width::Mhz20, GuardInterval::Ns800).unwrap(), Some(32)),
        (non_ht, None),
    ] {
        let mut plan = pair(ax, mode, up_to(256));
        plan.residual_error = 0.5;
        plan.mac.attempts = 2;
        let timing = plan.timing;
        let mut bench = sender(plan, 1);
        bench.run(Nanos(500_000_000));
        assert!(bench.cell.stats(NodeId(1)).given_up > 10);
        let asks = frames(&bench, Kind::BlockAckReq);
        let Some(bytes) = expected else {
            assert!(asks.is_empty());
            continue;
        };
        assert!(asks.len() > 10);
        let rest = timing.sifs + timing.frame(timing.answer_mode(asks[0].1.mode), bytes);
        for (at, ask) in asks.iter().rev().skip(1) {
            assert_eq!(ask.duration, rest);
            let due = *at + timing.frame(ask.mode, ask.bytes) + timing.sifs;
            let answer = bench.log.iter().find(|(at, _)| *at == due).unwrap().1;
            assert_eq!((answer.kind, answer.bytes), (Kind::BlockAck, bytes));
        }
    }
}

/// Saturated stations with aggregates against Bianchi's closed form with the times of aggregates: throughput
/// within 2 %, collision probability within 0.015.
///
/// ```text
/// S = n tau (1 - tau)^(n - 1) MPDUs / (P(idle) slot + P(success) Ts + P(collision) Tc)
/// Ts = PPDU + SIFS + BlockAck + DIFS        Tc = PPDU + DIFS        (a timeout of DIFS)
/// ```
/// After a failed PPDU with all its MPDUs at their last attempt no BlockAckReq follows, as in the closed form.
#[test]
fn aggregates_collide_as_bianchi_says() {
    let mode = mode(Standard::Ac, 9, 4, Width::Mhz160);
    for mpdus in [8_u32, 64] {
        for n in [1_u32, 2, 5, 10, 20, 50] {
            let config = AggregationConfig { after_missed_block_ack: NoBar, ..up_to(mpdus) };
            let seconds = 2;
            let (bench, timing) = saturated(n, mode, BackoffDecrement::SlotStart, config, seconds);
            let difs = timing.difs();
            let stats = (1..=n).map(|i| bench.cell.stats(NodeId(i)));
            let data: Vec<_> = stats.map(|stats| *stats.class(Class::Data)).collect();
            let sent: u64 = data.iter().map(|data| data.sent).sum();
            let collided: u64 = data.iter().flat_map(|data| data.collided).sum();
            let (expected, tau) = super::saturation::bianchi(n, 16.0, 6, 7);
            let none = detmath::pow(1.0 - tau, f64::from(n));
            let one = f64::from(n) * tau * detmath::pow(1.0 - tau, f64::from(n) - 1.0);
            let psdu = (mpdus - 1) * (1526 + 4_u32).next_multiple_of(4) + 1526 + 4;
            let frame = timing.frame(mode, psdu);
            let won = frame + timing.sifs + timing.frame(timing.answer_mode(mode), 32) + difs;
            let ns = none * timing.slot.0 as f64
                + one * won.0 as f64
                + (1.0 - none - one) * (frame + difs).0 as f64;
            let packets = f64::from(mpdus) * one / (ns / 1e9);
            let found = bench.delivered[0] as f64 / seconds as f64;
            let p = collided as f64 / sent as f64;
            assert!((p - expected).abs() < 0.015, "{mpdus} {n}: {p} {expected}");
            assert!((found / packets - 1.0).abs() < 0.02, "{mpdus} {n}: {found} {packets}");
        }
    }
}
