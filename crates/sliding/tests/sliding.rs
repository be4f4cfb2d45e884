//! The sliding transport over one bottleneck: its performance, and the delivery of the stream byte
//! for byte under any faults, with real coding at both ends.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod support;

use airtcp_packet::{Flags, Segment, Seq, Side};
use airtcp_probe::{Cx, EventSource, Machine, NoProbe};
use airtcp_sliding::{Coding, Packet, Payload, SlidingConfig, SlidingConnection};
use airtcp_transport::tcp::TcpConfig;
use airtcp_units::{BitRate, Nanos, Span};
use proptest::prelude::*;
use support::shadow::{EMPTY, byte, hash};
use support::{Loss, Path, World, stats};

const SECOND: u64 = 1_000_000_000;
/// Payload share of the link: 1436 of 1496 bytes.
const PAYLOAD: f64 = 1436.0 / 1496.0;

fn transfer(path: Path, config: &SlidingConfig, size: u64, limit: u64) -> World {
    let mut world = World::new(path);
    let flow = world.sliding(config, Some(size), Nanos::ZERO);
    world.shadows[flow].geometry = (u64::from(config.segment), size);
    world.run(Nanos(limit * SECOND), |w| w.flows[0][1].delivered() == size);
    world
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn any_faults_deliver_the_stream(
        (forward, back) in (0.0..0.6_f64, 0.0..0.6_f64),
        bursts: bool,
        (late, twice) in (0.0..0.5_f64, 0.0..0.5_f64),
        late_by in 0_u64..150,
        size in 1_u64..150_000,
        segment in 20_u16..1436,
        mbps in 1_u64..30,
        queue in 2_usize..100,
        seed: u64,
    ) {
        let size = size.min(u64::from(segment) * 200);
        let loss = |p| if bursts { Loss::Bursts(p, Span::from_millis(30)) } else { Loss::Independent(p) };
        let path = Path {
            rate: BitRate::from_mbps(mbps),
            queue,
            forward: loss(forward),
            back: loss(back),
            late: (late, Span::from_millis(late_by)),
            twice,
            seed,
            ..Path::default()
        };
        let config = SlidingConfig { segment, ..SlidingConfig::default() };
        let world = transfer(path, &config, size, 600);
        prop_assert_eq!(world.flows[0][1].delivered(), size);
        prop_assert_eq!(world.shadows[0].delivered, size);
        prop_assert_eq!(world.shadows[0].hash, hash(EMPTY, (0..size).map(byte)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// After any losses and with any queue, the stream completes at the pace of the link once
    /// losses end.
    #[test]
    fn the_stream_completes_when_losses_end(
        (forward, back) in (0.3..1.0_f64, 0.0..1.0_f64),
        seconds in 1_u64..8,
        queue in 5_usize..50,
        symbols in 500_u64..6000,
        seed: u64,
    ) {
        let end = Nanos(seconds * SECOND);
        let path = Path {
            queue,
            delay: Span::from_millis(10),
            forward: Loss::Until(forward, end),
            back: Loss::Until(back, end),
            seed,
            ..Path::default()
        };
        let mut w = World::new(path);
        w.sliding(&SlidingConfig { segment: 500, ..SlidingConfig::default() }, Some(symbols * 500), Nanos::ZERO);
        w.run(end + Span::from_secs(20), |w| w.flows[0][1].delivered() == symbols * 500);
        prop_assert_eq!(w.flows[0][1].delivered(), symbols * 500);
    }
}

/// A queue far shorter than a round trip of a fast link: goodput does not stop for a second.
#[test]
fn goodput_never_stops() {
    let path = Path {
        rate: BitRate::from_mbps(100),
        delay: Span::from_millis(10),
        queue: 20,
        ..Path::default()
    };
    let mut w = World::new(path);
    w.sliding(&SlidingConfig::default(), None, Nanos::ZERO);
    for second in 1..20 {
        let before = w.flows[0][1].delivered();
        w.run(Nanos(second * SECOND), |_| false);
        assert!(w.flows[0][1].delivered() > before, "in second {second}: {:?}", stats(&w, 0));
    }
}

/// Many flows, and buffers too short for a visible delay: the sending rate stays near the link's
/// capacity, the link is used, and no flow starves.
#[test]
fn growth_follows_arrivals() {
    // Flows, queue, loss; maximum sending rate over capacity, minimum goodput in Mb/s, minimum Jain
    // index. Over queues of 3 and 5 packets, 0.8 of the ceiling is 6.9 Mb/s at 10 % loss: the aim for one flow.
    for (flows, queue, p, sent, goodput, fair) in [
        (1, 3, 0.0, 1.2, 8.0, 1.0),
        (1, 5, 0.0, 1.2, 8.0, 1.0),
        (1, 3, 0.1, 1.2, 6.9, 1.0),
        (1, 5, 0.1, 1.2, 6.9, 1.0),
        (5, 10, 0.0, 1.2, 8.5, 0.9),
        (10, 20, 0.1, 1.2, 7.65, 0.75),
        (20, 100, 0.0, 1.2, 8.5, 0.8),
        (20, 100, 0.1, 1.2, 7.65, 0.65),
        (50, 100, 0.0, 1.2, 8.5, 0.8),
    ] {
        let mut w = World::new(Path { queue, forward: Loss::Independent(p), ..Path::default() });
        for i in 0..flows {
            w.sliding(&SlidingConfig::default(), None, Nanos(5 * SECOND * i / flows));
        }
        w.run(Nanos(10 * SECOND), |_| false);
        let before: Vec<u64> = w.flows.iter().map(|f| f[1].delivered()).collect();
        let (packets, dropped) = (w.packets, w.dropped);
        w.run(Nanos(40 * SECOND), |_| false);
        let got = w.flows.iter().zip(&before).map(|(f, b)| (f[1].delivered() - b) as f64);
        let (sum, squares) = got.fold((0.0, 0.0), |(s, q), x| (s + x, q + x * x));
        let (packets, dropped) = (w.packets - packets, w.dropped - dropped);
        let case = format!("{flows} flows, {queue} packets, loss {p}");
        let share = (packets + dropped) as f64 / packets as f64;
        assert!(share < sent, "{case}: {share} times what the link carries is sent");
        assert!(sum * 8.0 / 30e6 > goodput, "{case}: {} Mb/s", sum * 8.0 / 30e6);
        let jain = sum * sum / squares / flows as f64;
        assert!(jain > fair - 1e-9, "{case}: {jain}");
    }
}

/// Packets overtake one another on a loss-free path: after the first few, hardly any is judged
/// lost.
#[test]
fn reordering_is_remembered() {
    let path = Path { late: (0.5, Span::from_millis(40)), ..Path::default() };
    let mut w = World::new(path);
    w.sliding(&SlidingConfig::default(), None, Nanos::ZERO);
    w.run(Nanos(30 * SECOND), |_| false);
    let s = stats(&w, 0);
    assert!(s.misjudged > 0 && s.resent * 20 < s.symbols, "{s:?}");
}

/// The counters add up, and the sender learns that the transfer is complete.
#[test]
fn the_counters_add_up() {
    let path =
        Path { forward: Loss::Independent(0.3), back: Loss::Independent(0.3), ..Path::default() };
    let mut world = transfer(path, &SlidingConfig::default(), 400_000, 60);
    let until = world.now + Span::from_secs(10);
    world.run(until, |_| false);
    let sent = stats(&world, 0);
    assert_eq!(sent.bytes_acked, 400_000);
    assert_eq!(sent.symbols, 400_000_u64.div_ceil(1436));
    let support::End::Sliding(receiver) = &world.flows[0][1] else { panic!("a sliding flow") };
    let got = receiver.stats();
    assert!(receiver.peer_closed() && got.refused == 0);
    // Every useful packet raised the rank by one symbol.
    assert_eq!(got.useful, sent.symbols);
    assert!(got.useful + got.useless <= sent.packets_sent());
    assert!(sent.packets_sent() < world.packets && world.packets < sent.packets_sent() + 10);
    assert!(world.shadows[0].combinations > 0, "a tail at 30 % loss is coded");
    // Silence afterwards.
    let packets = world.packets;
    let until = world.now + Span::from_secs(10);
    world.run(until, |_| false);
    assert_eq!(world.packets, packets);
}

/// Bulk: at least 90 % of what the link lets through, less than 10 ms of queue, and at most 1.3
/// bytes on the link for each that a perfect code would need; less goodput with more loss.
#[test]
fn bulk_uses_what_the_link_lets_through() {
    let mut last = f64::MAX;
    for p in [0.0, 0.01, 0.05, 0.1, 0.3, 0.5] {
        for back in if p > 0.0 { vec![0.0, p] } else { vec![0.0] } {
            let path = Path {
                forward: Loss::Independent(p),
                back: Loss::Independent(back),
                ..Path::default()
            };
            let mut w = World::new(path);
            w.sliding(&SlidingConfig::default(), None, Nanos::ZERO);
            w.run(Nanos(10 * SECOND), |_| false);
            let (d, q, c) = (w.flows[0][1].delivered(), w.queued, w.carried);
            w.run(Nanos(40 * SECOND), |_| false);
            let goodput = (w.flows[0][1].delivered() - d) as f64 * 8.0 / 30.0;
            assert!(goodput > 0.9 * (1.0 - p) * 10e6, "{p} {back}: {goodput}");
            let queue = (w.queued - q) / 30.0 * 1.2;
            assert!(queue < 10.0, "{p} {back}: {queue} ms");
            let bytes = (w.carried - c) as f64 / (goodput * 30.0 / 8.0);
            assert!(bytes < 1.3 / (1.0 - p), "{p} {back}: {bytes}");
            if back <= 0.0 {
                assert!(goodput < last, "{p}: {goodput} after {last}");
                last = goodput;
            }
            let s = stats(&w, 0);
            if p <= 0.0 {
                // Loss-free: only symbols, and the whole capacity.
                assert_eq!((s.resent, s.combinations, s.lost, s.timeouts), (0, 0, 0, 0));
                assert!(goodput > 0.99 * PAYLOAD * 10e6, "{goodput}");
            }
            // There is no other flow; the first losses of a link may look like an overflow, once.
            assert!(s.shared <= u64::from(p > 0.0), "{p} {back}: {}", s.shared);
        }
    }
}

/// A path with thousands of packets in flight. The default has room for them and for those that
/// wait for the oldest loss; with 4096 symbols half of the rate is lost.
#[test]
fn long_fat_paths() {
    let run = |p: f64, max_symbols: u16| {
        let rate = BitRate::from_mbps(100);
        let delay = Span::from_millis(150);
        let loss = Loss::Independent(p);
        let mut w = World::new(Path { rate, delay, queue: 1000, forward: loss, ..Path::default() });
        w.shadowed = false;
        w.sliding(&SlidingConfig { max_symbols, ..SlidingConfig::default() }, None, Nanos::ZERO);
        w.run(Nanos(60 * SECOND), |_| false);
        let before = w.flows[0][1].delivered();
        w.run(Nanos(90 * SECOND), |_| false);
        (w.flows[0][1].delivered() - before) as f64 * 8.0 / 30.0 / (1.0 - p) / 100e6
    };
    let most = SlidingConfig::default().max_symbols;
    for p in [0.1, 0.3, 0.5] {
        let share = run(p, most);
        assert!(share > 0.88, "{p}: {share}");
    }
    let few = run(0.5, 4096);
    assert!(few < 0.6, "{few}");
}

/// The first seconds of a long transfer as a share of what the link lets through; a queue that the
/// startup fills drops almost nothing.
#[test]
fn the_first_seconds() {
    for (rtt, until, p, share) in [
        (80, 5, 0.0, 0.85),
        (80, 5, 0.1, 0.75),
        (80, 5, 0.3, 0.65),
        (200, 10, 0.0, 0.8),
        (200, 10, 0.1, 0.75),
    ] {
        let mut got = 0.0;
        for seed in 1..=8 {
            let delay = Span::from_millis(rtt / 2);
            let forward = Loss::Independent(p);
            let mut w = World::new(Path { delay, forward, seed, ..Path::default() });
            w.shadowed = false;
            w.sliding(&SlidingConfig::default(), None, Nanos::ZERO);
            w.run(Nanos(until * SECOND), |_| false);
            got += w.flows[0][1].delivered() as f64 / 8.0;
        }
        let got = got * 8.0 / until as f64 / (1.0 - p) / 10e6;
        assert!(got > share, "{rtt} ms, {p}: {got}");
    }
}

/// Flows that start at once do not learn one another's overflow as the path's loss rate, and after
/// the start they do not send much more than the link carries.
#[test]
fn many_newcomers() {
    for (flows, p, sent) in [(20, 0.0, 1.1), (20, 0.1, 1.1), (50, 0.0, 1.15)] {
        let mut w = World::new(Path { forward: Loss::Independent(p), ..Path::default() });
        w.shadowed = false;
        for i in 0..flows {
            w.sliding(&SlidingConfig::default(), None, Nanos(i * SECOND / 500));
        }
        w.run(Nanos(5 * SECOND), |_| false);
        let before = (w.packets, w.dropped);
        assert!(w.dropped * 3 < w.packets * 2, "{flows} flows, {p}: {} dropped", w.dropped);
        w.run(Nanos(20 * SECOND), |_| false);
        let (packets, dropped) = (w.packets - before.0, w.dropped - before.1);
        let share = (packets + dropped) as f64 / packets as f64;
        assert!(share < sent, "{flows} flows, {p}: {share}");
    }
}

/// Short transfers over 10 ms: losses of the first packets do not reduce the window.
#[test]
fn short_transfers_on_a_short_path() {
    for (p, most) in [(0.1, 0.16), (0.3, 0.25), (0.5, 0.45)] {
        let mut times = Vec::new();
        for seed in 0..RUNS as u64 {
            let delay = Span::from_millis(5);
            let forward = Loss::Independent(p);
            let mut w = World::new(Path { delay, forward, seed, ..Path::default() });
            w.shadowed = false;
            w.sliding(&SlidingConfig::default(), Some(100_000), Nanos::ZERO);
            w.run(Nanos(60 * SECOND), |w| w.flows[0][1].delivered() == 100_000);
            times.push(w.now.as_secs_f64());
        }
        times.sort_by(f64::total_cmp);
        assert!(times[RUNS * 9 / 10] < most, "{p}: {} s", times[RUNS * 9 / 10]);
    }
}

/// Bursts of 10 and 50 ms: the same bounds.
#[test]
fn bursts_in_time() {
    for (p, ms) in [0.1, 0.3, 0.5].into_iter().flat_map(|p| [(p, 10), (p, 50)]) {
        let path = Path { forward: Loss::Bursts(p, Span::from_millis(ms)), ..Path::default() };
        let mut w = World::new(path);
        w.sliding(&SlidingConfig::default(), None, Nanos::ZERO);
        w.run(Nanos(5 * SECOND), |_| false);
        let (d, q, l, n) = (w.flows[0][1].delivered(), w.queued, w.lost, w.packets);
        w.run(Nanos(65 * SECOND), |_| false);
        let lost = (w.lost - l) as f64 / (w.packets - n) as f64;
        let goodput = (w.flows[0][1].delivered() - d) as f64 * 8.0 / 60.0;
        assert!(goodput > 0.92 * (1.0 - lost) * 10e6, "{p} {ms} ms: {goodput}");
        let queue = (w.queued - q) / 60.0 * 1.2;
        assert!(queue < 9.0, "{p} {ms} ms: {queue}");
    }
}

/// Beside a CUBIC flow on a loss-free link neither starves, whichever started first. CUBIC keeps at least 0.34: the
/// aim for any cell of queue and round-trip time; which of these get 0.4 depends on the phases of both.
#[test]
fn beside_cubic() {
    for (ours, theirs) in [(0, 0), (0, 10), (10, 0)] {
        let mut w = World::new(Path::default());
        w.sliding(&SlidingConfig::default(), None, Nanos(ours * SECOND));
        let cubic: TcpConfig = serde_json::from_str(r#"{"congestion":{"law":"cubic"}}"#).unwrap();
        w.tcp(&cubic, None, Nanos(theirs * SECOND));
        w.run(Nanos(30 * SECOND), |_| false);
        let before = [0, 1].map(|i: usize| w.flows[i][1].delivered());
        w.run(Nanos(130 * SECOND), |_| false);
        let rate = |i: usize| (w.flows[i][1].delivered() - before[i]) as f64 * 8.0 / 100.0;
        assert!(rate(1) > 0.34 * 10e6, "CUBIC, {ours} {theirs}: {}", rate(1));
        assert!(rate(0) > 0.2 * 10e6, "ours, {ours} {theirs}: {}", rate(0));
        assert!(stats(&w, 0).shared > 0);
    }
}

/// A queue that marks from 20 packets (24 ms) on. Alone, the transport ends its startup by a mark
/// and needs no other. Beside a TCP that responds to marks, neither starves and nothing is dropped.
/// Without ECT in its packets it behaves as on a queue that does not mark.
#[test]
fn marks_are_answered() {
    let path = Path { mark: Some((20.0, 1.0)), ..Path::default() };
    let mut w = World::new(path);
    w.sliding(&SlidingConfig::default(), None, Nanos::ZERO);
    w.run(Nanos(5 * SECOND), |_| false);
    let before = w.flows[0][1].delivered();
    w.run(Nanos(35 * SECOND), |_| false);
    let s = stats(&w, 0);
    assert!((w.dropped, s.ecn_reactions) <= (0, 1), "{} dropped, {s:?}", w.dropped);
    let goodput = (w.flows[0][1].delivered() - before) as f64 * 8.0 / 30.0;
    assert!(goodput > 0.97 * PAYLOAD * 10e6, "{goodput}, {s:?}");

    let off = SlidingConfig { ecn: false, ..SlidingConfig::default() };
    let mut w = World::new(path);
    w.sliding(&off, None, Nanos::ZERO);
    w.run(Nanos(10 * SECOND), |_| false);
    assert_eq!((w.marked, stats(&w, 0).ecn_reactions), (0, 0));

    for law in ["reno", "cubic"] {
        for (ours, theirs) in [(0, 10), (10, 0)] {
            let mut w = World::new(path);
            w.sliding(&SlidingConfig::default(), None, Nanos(ours * SECOND));
            let tcp = format!(r#"{{"congestion":{{"law":"{law}"}},"ecn":true}}"#);
            w.tcp(&serde_json::from_str(&tcp).unwrap(), None, Nanos(theirs * SECOND));
            w.run(Nanos(30 * SECOND), |_| false);
            let before = [0, 1].map(|i: usize| w.flows[i][1].delivered());
            let dropped = w.dropped;
            w.run(Nanos(130 * SECOND), |_| false);
            let rate = [0, 1].map(|i: usize| (w.flows[i][1].delivered() - before[i]) as f64 * 8e-8);
            assert!(rate[0] > 2.0 && rate[1] > 2.0, "{law}, {ours} {theirs}: {rate:?}");
            assert!(rate[0] + rate[1] > 9.0 && w.dropped == dropped, "{law}: {rate:?}");
            assert!(stats(&w, 0).ecn_reactions > 10, "{law}: {:?}", stats(&w, 0));
        }
    }
}

/// Symbols lost repeatedly are sent twice. Under independent losses, data arrives in order sooner
/// at a small cost in rate. In bursts a copy would share the fate of its symbol, and nothing
/// changes.
#[test]
fn duplicates_shorten_the_tail() {
    let run = |forward: Loss, max_duplicates: f64| {
        let mut w = World::new(Path { forward, ..Path::default() });
        w.sliding(&SlidingConfig { max_duplicates, ..SlidingConfig::default() }, None, Nanos::ZERO);
        w.run(Nanos(35 * SECOND), |_| false);
        let mut delays = w.delays.split_off(w.delays.len() / 7);
        delays.sort_unstable();
        let tail = delays[delays.len() * 99 / 100].as_secs_f64();
        (tail, w.flows[0][1].delivered() as f64, stats(&w, 0).resent)
    };
    for p in [0.1, 0.3, 0.5] {
        let (with, without) = (run(Loss::Independent(p), 0.05), run(Loss::Independent(p), 0.0));
        assert!(with.0 < 0.85 * without.0, "{p}: {} and {} s", with.0, without.0);
        assert!(with.1 > 0.96 * without.1, "{p}: {} and {} bytes", with.1, without.1);
    }
    let bursts = Loss::Bursts(0.3, Span::from_millis(50));
    assert_eq!(run(bursts, 0.05), run(bursts, 0.0));
}

/// Two flows of this transport share a lossy link without a standing queue.
#[test]
fn two_flows_share_a_lossy_link() {
    let mut w = World::new(Path { forward: Loss::Independent(0.1), ..Path::default() });
    w.sliding(&SlidingConfig::default(), None, Nanos::ZERO);
    w.sliding(&SlidingConfig::default(), None, Nanos(5 * SECOND));
    w.run(Nanos(30 * SECOND), |_| false);
    let before = [0, 1].map(|i: usize| w.flows[i][1].delivered());
    let queued = w.queued;
    w.run(Nanos(90 * SECOND), |_| false);
    let rate = |i: usize| (w.flows[i][1].delivered() - before[i]) as f64 * 8.0 / 60.0;
    assert!((0.5..2.0).contains(&(rate(0) / rate(1))), "{} {}", rate(0), rate(1));
    assert!(rate(0) + rate(1) > 0.9 * 0.9 * 10e6);
    assert!((w.queued - queued) / 60.0 * 1.2 < 20.0);
}

const RUNS: usize = 100;

fn percentile(forward: Loss, both: bool, config: &SlidingConfig) -> (f64, f64) {
    let mut times = Vec::new();
    let mut bytes = 0.0;
    for seed in 0..RUNS as u64 {
        let back = if both { forward } else { Loss::Independent(0.0) };
        let path = Path { forward, back, seed, ..Path::default() };
        let mut w = World::new(path);
        w.sliding(config, Some(100_000), Nanos::ZERO);
        w.run(Nanos(60 * SECOND), |w| w.flows[0][1].delivered() == 100_000);
        times.push(w.now.as_secs_f64());
        bytes += w.carried as f64 / 1e5;
    }
    times.sort_by(f64::total_cmp);
    (times[RUNS * 9 / 10], bytes / RUNS as f64)
}

/// The 90th percentile of 100 kB is within 1.5 times the loss-free time, up to 30 % independent loss both ways. It
/// takes at most 1.3/(1-p) bytes per byte (1.33/(1-p) where bursts lose 30 %). Coding is the reason.
///
/// Bursts take longer. A flow that does not trust its opening cannot tell a burst in its first round trips from a full
/// queue, and sends at most three times what arrived; with nine times, 100 flows have 0.22 instead of 0.6 of the link
/// in their first five seconds, and the 90th percentile at 30 % in bursts of 10 ms is 1.6.
#[test]
fn short_transfers() {
    let config = SlidingConfig::default();
    let (clean, _) = percentile(Loss::Independent(0.0), false, &config);
    let ms = Span::from_millis;
    for (p, loss, both, times) in [
        (0.1, Loss::Independent(0.1), false, 1.5),
        (0.3, Loss::Independent(0.3), false, 1.5),
        (0.1, Loss::Independent(0.1), true, 1.5),
        (0.3, Loss::Independent(0.3), true, 1.5),
        (0.1, Loss::Bursts(0.1, ms(10)), false, 1.5),
        (0.3, Loss::Bursts(0.3, ms(10)), false, 1.85),
        (0.1, Loss::Bursts(0.1, ms(50)), false, 1.6),
        // 1.5 is out of reach: a sender that learns of every loss at once takes 1.57 times as long.
        (0.3, Loss::Bursts(0.3, ms(50)), false, 2.35),
    ] {
        let (time, bytes) = percentile(loss, both, &config);
        assert!(time < times * clean, "{loss:?} {both}: {time} against {clean}");
        // The case whose time has the wider bound also sends more: 1.31/(1-p) in these runs.
        let most = if times > 1.5 { 1.33 } else { 1.3 };
        assert!(bytes < most / (1.0 - p), "{loss:?} {both}: {bytes}");
    }
    let off = SlidingConfig { coding: Coding::Off, ..config };
    let (coded, _) = percentile(Loss::Independent(0.3), false, &config);
    let (plain, _) = percentile(Loss::Independent(0.3), false, &off);
    assert!(plain > 1.1 * coded, "{plain} without, {coded} with coding");
}

/// Feedback is lost for five seconds, and the link is dead for five.
#[test]
fn silence_is_survived() {
    let dead = Loss::Blackout(Nanos(SECOND), Nanos(6 * SECOND));
    let fine = Loss::Independent(0.0);
    for (forward, back) in [(fine, dead), (dead, fine), (dead, dead)] {
        let w = transfer(
            Path { forward, back, ..Path::default() },
            &SlidingConfig::default(),
            4_000_000,
            60,
        );
        assert_eq!(w.flows[0][1].delivered(), 4_000_000);
        assert_eq!(w.shadows[0].delivered, 4_000_000);
        // About 3.5 s of transfer, 5 of silence, and less than two to detect the end of the
        // silence.
        assert!(w.now < Nanos(11 * SECOND), "{}", w.now);
        // During silence a few round trips of data are sent, then probes.
        assert!(w.carried < 7_000_000, "{}", w.carried);
    }
}

/// One end, driven by hand.
struct Alone(SlidingConnection, Nanos);

impl Alone {
    fn open() -> Self {
        let config = SlidingConfig::default();
        let mut end = Self(SlidingConnection::new(&config, Side::Client), Nanos(1));
        end.0.open(end.1);
        assert!(end.poll().unwrap().flags.has(Flags::SYN));
        end.take(Segment::coded(Flags::SYN | Flags::ACK, Seq(0), &[0]));
        end
    }
    fn with<T>(
        &mut self,
        f: impl FnOnce(&mut SlidingConnection, Nanos, &mut Cx<'_, NoProbe>) -> T,
    ) -> T {
        let source = EventSource::Endpoint(airtcp_packet::EndpointId::new(0, Side::Client));
        let mut probe = NoProbe;
        f(&mut self.0, self.1, &mut Cx::new(&mut probe, source))
    }
    fn poll(&mut self) -> Option<Segment> {
        self.with(Machine::poll)
    }
    fn take(&mut self, segment: Segment) {
        self.with(|c, now, cx| c.handle(now, segment, cx));
    }
    /// Advances to the end's next timer and returns what it sends then.
    fn step(&mut self) -> Vec<Segment> {
        let next = self.0.next_timer();
        if next != Nanos::NEVER {
            self.1 = self.1.max(next);
            self.with(Machine::on_timer);
        }
        std::iter::from_fn(|| self.poll()).take(1000).collect()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Under any feedback, even contradictory, there is no panic and no endless work, and the
    /// symbol that the peer still wants is eventually retransmitted.
    #[test]
    fn false_feedback_neither_crashes_nor_stalls(
        lies in proptest::collection::vec((0_u32..80, 0_u32..200, any::<[u32; 4]>(), 1_usize..7, 0_u64..50), 1..60),
        wild in proptest::collection::vec((any::<u8>(), any::<[u32; 8]>(), 0_usize..9, 0_u16..2000), 0..40),
        claims_all: bool,
    ) {
        let mut end = Alone::open();
        end.0.write(end.1, 80 * 1436);
        end.0.close(end.1);
        let mut sent = 0;
        for (next, greatest, bits, words, wait) in lies {
            sent += end.step().len();
            end.1 += Span::from_millis(wait);
            // Never everything: the peer still wants a symbol.
            let next = if claims_all { 0 } else { next.min(79) };
            let bits = if claims_all { [u32::MAX; 4] } else { bits };
            let list = [next, greatest, bits[0], bits[1], bits[2], bits[3]];
            end.take(Segment::coded(Flags::ACK, Seq(0), &list[..words.min(6)]));
        }
        for (flags, words, count, len) in wild {
            let mut segment = Segment::coded(Flags(flags & !1), Seq(0), &words[..count.min(8)]);
            segment.len = len;
            end.take(segment);
            sent += end.step().len();
        }
        prop_assert!(sent < 20_000);
        if end.0.is_done() {
            // Arbitrary words may have acknowledged everything, which ends the stream.
            return Ok(());
        }
        let wanted = end.0.next_wanted();
        let again = (0..4000).any(|_| {
            end.step().iter().any(|s| {
                Packet::of(s, 0, wanted).is_some_and(|p| p.payload == Payload::Symbol(wanted))
            })
        });
        prop_assert!(again, "symbol {} is not sent again", wanted);
    }
}
