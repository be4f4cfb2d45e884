//! The same machine over lengths and over bytes, with the same random numbers: it sends the same
//! packets at the same times, and the bytes that arrive equal those written.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::BTreeMap;

use airtcp_packet::{Ecn, EndpointId, Segment, Side};
use airtcp_probe::{Cx, EventSource, Machine, NoProbe};
use airtcp_random::{Seed, Stream};
use airtcp_sliding::{Bytes, Content, Datagram, Head, SlidingConfig, SlidingConnection};
use airtcp_units::{Nanos, Narrow, Span};
use proptest::prelude::*;

const CLIENT: usize = 0;
const SERVER: usize = 1;
/// Service time of a packet at the bottleneck, and delay from there.
const SERVICE: Span = Span::from_micros(1200);
const DELAY: Span = Span::from_millis(20);

/// Faults of a path: shares of packets lost, duplicated, delayed and marked.
#[derive(Debug, Clone, Copy)]
struct Faults {
    lost: f64,
    twice: f64,
    late: f64,
    marked: f64,
}

/// Two ends and the packets between them.
struct Pair<S: Content> {
    ends: [SlidingConnection<S>; 2],
    flying: BTreeMap<(Nanos, u64), (usize, S::Packet)>,
    order: u64,
    free: [Nanos; 2],
    faults: Faults,
    draws: Stream,
    /// Every packet sent: time, end, and header.
    sent: Vec<(Nanos, usize, Segment)>,
    now: Nanos,
}

/// A path marks packets on their way.
trait Marked: Clone {
    fn mark(&mut self);
}

impl Marked for Segment {
    fn mark(&mut self) {
        self.ecn = Ecn::Ce;
    }
}

impl Marked for Datagram {
    fn mark(&mut self) {
        self.ecn = Ecn::Ce;
    }
}

impl<S: Content<Packet: Marked>> Pair<S> {
    fn new(ends: [SlidingConnection<S>; 2], faults: Faults, seed: u64) -> Self {
        let draws = Seed::new(seed).stream("path");
        let (flying, now) = (BTreeMap::new(), Nanos::ZERO);
        Self { ends, flying, order: 0, free: [now; 2], faults, draws, sent: Vec::new(), now }
    }

    fn with<T>(
        &mut self,
        end: usize,
        f: impl FnOnce(&mut SlidingConnection<S>, Nanos, &mut Cx<'_, NoProbe>) -> T,
    ) -> T {
        let side = [Side::Client, Side::Server][end];
        let source = EventSource::Endpoint(EndpointId::new(0, side));
        f(&mut self.ends[end], self.now, &mut Cx::new(&mut NoProbe, source))
    }

    fn travel(&mut self, from: usize, mut packet: S::Packet) {
        let header = S::header(&packet).unwrap();
        self.sent.push((self.now, from, header));
        self.free[from] = self.free[from].max(self.now) + SERVICE;
        let mut at = self.free[from] + DELAY;
        let Faults { lost, twice, late, marked } = self.faults;
        if self.draws.chance(late) {
            at += Span::from_millis(self.draws.below(30));
        }
        if self.draws.chance(marked) && header.ecn.is_capable() {
            packet.mark();
        }
        let copies = 1 + u64::from(self.draws.chance(twice));
        if self.draws.chance(lost) {
            return;
        }
        for _ in 0..copies {
            self.order += 1;
            self.flying.insert((at, self.order), (1 - from, packet.clone()));
        }
    }

    /// Runs until both ends have finished, or until the time is up.
    fn run(&mut self, until: Nanos) {
        self.ends[CLIENT].open(self.now);
        self.pass(until);
    }

    /// The same for ends that are open; the time is then `until`, unless both have finished.
    fn pass(&mut self, until: Nanos) {
        loop {
            for end in [CLIENT, SERVER] {
                while let Some(packet) = self.with(end, Machine::poll) {
                    self.travel(end, packet);
                }
            }
            if self.ends.iter().all(|end| end.is_done() && end.peer_closed()) {
                return;
            }
            let timer = self.ends.iter().map(SlidingConnection::next_timer).min().unwrap();
            let arrival = self.flying.first_key_value().map_or(Nanos::NEVER, |(key, _)| key.0);
            let next = self.now.max(timer.min(arrival));
            self.now = next.min(until);
            if next > until {
                return;
            }
            if arrival <= self.now {
                let (_, (end, packet)) = self.flying.pop_first().unwrap();
                self.with(end, |c, now, cx| c.handle(now, packet, cx));
            } else {
                for end in [CLIENT, SERVER] {
                    self.with(end, Machine::on_timer);
                }
            }
        }
    }
}

fn stream(salt: u64, bytes: usize) -> Vec<u8> {
    (0..bytes as u64)
        .map(|i| ((i + salt).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8)
        .collect()
}

fn lengths(config: &SlidingConfig, sizes: [usize; 2]) -> [SlidingConnection<Head>; 2] {
    let mut ends = [Side::Client, Side::Server].map(|side| SlidingConnection::new(config, side));
    for (end, size) in ends.iter_mut().zip(sizes) {
        end.write(Nanos::ZERO, size as u64);
        end.close(Nanos::ZERO);
    }
    ends
}

fn of_bytes(config: &SlidingConfig, data: &[Vec<u8>; 2]) -> [SlidingConnection<Bytes>; 2] {
    let mut ends =
        [Side::Client, Side::Server].map(|side| SlidingConnection::of_bytes(config, side));
    for (end, data) in ends.iter_mut().zip(data) {
        end.write(data);
        end.close(Nanos::ZERO);
    }
    ends
}

/// The number of computed symbols, after a check that both pairs agree.
fn side_by_side(config: &SlidingConfig, sizes: [usize; 2], faults: Faults, seed: u64) -> u64 {
    let until = Nanos::ZERO + Span::from_secs(600);
    let data = [stream(1, sizes[0]), stream(2, sizes[1])];
    let mut short = Pair::new(lengths(config, sizes), faults, seed);
    let mut real = Pair::new(of_bytes(config, &data), faults, seed);
    short.run(until);
    real.run(until);
    assert_eq!(short.sent.len(), real.sent.len());
    for (a, b) in short.sent.iter().zip(&real.sent) {
        assert_eq!(a, b);
    }
    for end in [CLIENT, SERVER] {
        assert_eq!(short.ends[end].stats(), real.ends[end].stats());
        assert!(real.ends[end].is_done() && real.ends[end].peer_closed(), "{faults:?}");
        assert_eq!(real.ends[end].read(), data[1 - end]);
    }
    real.ends[SERVER].stats().computed
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn lengths_and_bytes_do_the_same(
        (lost, twice, late, marked) in (0.0..0.5_f64, 0.0..0.3_f64, 0.0..0.4_f64, 0.0..0.2_f64),
        sizes in (0_usize..120_000, 0_usize..20_000),
        segment in 20_u16..1436,
        seed: u64,
    ) {
        let most = 300 * usize::from(segment);
        let config = SlidingConfig { segment, ..SlidingConfig::default() };
        side_by_side(&config, [sizes.0.min(most), sizes.1.min(most)], Faults { lost, twice, late, marked }, seed);
    }
}

/// Bytes of symbols that arrived only in combinations are computed too.
#[test]
fn symbols_are_computed_from_bytes() {
    let faults = Faults { lost: 0.3, twice: 0.0, late: 0.0, marked: 0.0 };
    let sum: u64 = (0..10)
        .map(|seed| side_by_side(&SlidingConfig::default(), [60_000, 0], faults, seed))
        .sum();
    assert!(sum > 10, "{sum}");
}

/// Messages with pauses, over losses both ways: whatever was lost before, the next message is sent. Packets whose
/// fate never becomes known, since everything they carried has arrived by others, do not keep the window closed.
/// Beyond these loss rates, a window that fell to two packets a second may need minutes to learn the path's.
#[test]
fn messages_after_losses_arrive() {
    let pause = Span::from_secs(3);
    for (seed, lost) in (0..60).zip([0.3, 0.45, 0.5, 0.55].into_iter().cycle()) {
        let faults = Faults { lost, twice: 0.0, late: 0.0, marked: 0.0 };
        let config = SlidingConfig { segment: 100, ..SlidingConfig::default() };
        let mut pair: Pair<Head> = Pair::new(
            [Side::Client, Side::Server].map(|side| SlidingConnection::new(&config, side)),
            faults,
            seed,
        );
        pair.ends[CLIENT].open(pair.now);
        let mut written = 0;
        for size in [100, 5000, 400].into_iter().cycle().take(30) {
            let now = pair.now;
            pair.ends[CLIENT].write(now, size);
            written += size;
            pair.pass(now + pause);
        }
        // At 55 % both ways one of 50 streams is 60 s late.
        pair.pass(pair.now + pause * 40);
        assert_eq!(pair.ends[SERVER].delivered(), written, "seed {seed}, {lost} lost");
    }
}

/// Any datagram at a socket is accepted or refused.
#[test]
fn arbitrary_datagrams_are_accepted_or_refused() {
    let mut pair = Pair::new(
        of_bytes(&SlidingConfig::default(), &[stream(1, 5000), Vec::new()]),
        Faults { lost: 0.0, twice: 0.0, late: 0.0, marked: 0.0 },
        1,
    );
    let mut draws = Seed::new(7).stream("nonsense");
    for n in 0..20_000_u64 {
        let mut bytes: Vec<u8> =
            (0..draws.below(60)).map(|_| u8::narrow(draws.below(256))).collect();
        // Half of the datagrams have consistent lengths.
        if n % 2 == 0 && bytes.len() >= 4 {
            bytes[1] = u8::narrow(draws.below(9));
            bytes[2] = 0;
            bytes[3] = u8::narrow((bytes.len() - 4).saturating_sub(4 * usize::from(bytes[1])));
        }
        let packet = Datagram { ecn: Ecn::NotEct, bytes };
        pair.with(SERVER, |c, now, cx| c.handle(now, packet, cx));
        while pair.with(SERVER, Machine::poll).is_some() {}
    }
    assert!(pair.ends[SERVER].stats().refused > 1000);
}

/// Everything sent has arrived, and packets without a known fate fill a window of one: the stream goes on.
#[test]
fn packets_of_unknown_fate_do_not_stop_a_stream() {
    let faults = Faults {
        lost: 0.495_911_693_961_284_87,
        twice: 0.145_387_483_603_817_15,
        late: 0.0,
        marked: 0.168_899_024_450_807_54,
    };
    let config = SlidingConfig { segment: 20, ..SlidingConfig::default() };
    side_by_side(&config, [6000, 6000], faults, 302_519_720_118_606_702);
}
