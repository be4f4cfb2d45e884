//! The ACK filter: what it replaces, and what a sender behind it still sees.

use airtcp_packet::{EndpointId, Packet, Pool, SackBlock, Side};
use airtcp_probe::{EventSource, NoProbe};
use proptest::prelude::*;

use super::*;

/// A segment towards the sender of a flow.
fn ack(number: u32) -> Segment {
    let mut segment = Segment::tcp(Flags::ACK, Seq(1));
    (segment.ack, segment.window) = (Seq(number), 1000);
    segment
}

fn changed(mut segment: Segment, change: impl FnOnce(&mut Segment)) -> Segment {
    change(&mut segment);
    segment
}

fn sack(number: u32, blocks: &[(u32, u32)]) -> Segment {
    let mut segment = ack(number);
    for (start, end) in blocks {
        segment.push_sack(SackBlock { start: Seq(*start), end: Seq(*end) });
    }
    segment
}

struct Rig {
    queue: AckFilter,
    pool: Pool,
}

impl Rig {
    fn new(mode: AckFilterMode, packets: u32) -> Self {
        let config = AckFilterConfig { mode, packets: Some(packets), bytes: None };
        let queue = AckFilter::build(&config, Seed::new(1), "queue").unwrap();
        Self { queue, pool: Pool::new() }
    }

    fn put(&mut self, flow: u32, segment: Segment) -> Verdict {
        let mut probe = NoProbe;
        let mut cx = PoolCx::new(&mut probe, &mut self.pool, EventSource::Queue(0));
        let id = cx.pool.insert(Packet { to: EndpointId::new(flow, Side::Client), segment });
        self.queue.enqueue(Nanos(1), id, &mut cx)
    }

    fn take(&mut self) -> Option<(u32, Segment)> {
        let mut probe = NoProbe;
        let mut cx = PoolCx::new(&mut probe, &mut self.pool, EventSource::Queue(0));
        let id = self.queue.dequeue(Nanos(1), &mut cx)?;
        let packet = self.pool.remove(id);
        Some((packet.to.flow(), packet.segment))
    }

    /// Acknowledgement numbers that leave, in order.
    fn rest(&mut self) -> Vec<u32> {
        std::iter::from_fn(|| self.take()).map(|(_, segment)| segment.ack.0).collect()
    }
}

/// What leaves of segments that arrive in a row.
fn left(mode: AckFilterMode, segments: &[Segment]) -> Vec<u32> {
    let mut rig = Rig::new(mode, 100);
    for segment in segments {
        assert_eq!(rig.put(0, *segment), Verdict::Queued);
    }
    let accounted = rig.queue.stats().dropped_filtered + u64::from(rig.queue.backlog().packets);
    assert_eq!(accounted, segments.len() as u64);
    rig.rest()
}

use AckFilterMode::{Aggressive, Conservative};

#[test]
fn a_new_ack_replaces_the_one_before() {
    for mode in [Conservative, Aggressive] {
        assert_eq!(left(mode, &[1, 2, 3, 4].map(ack)), [4]);
        // The number wraps.
        assert_eq!(left(mode, &[u32::MAX - 5, 10].map(ack)), [10]);
    }
}

#[test]
fn what_carries_more_stays() {
    let with = |flags: Flags| changed(ack(1), |s| s.flags |= flags);
    let data = changed(ack(1), |s| s.len = 1);
    let mut stamped = ack(1);
    stamped.set_timestamps(7, 5);
    for mode in [Conservative, Aggressive] {
        for first in [
            with(Flags::SYN),
            with(Flags::FIN),
            with(Flags::RST),
            with(Flags::PSH),
            with(Flags::ECE),
            with(Flags::CWR),
            data,
            stamped,
            sack(1, &[(5, 9)]),
            changed(ack(1), |s| s.kind = Kind::Udp),
            changed(ack(1), Segment::set_loss_mark),
            Segment::coded_words(Flags::ACK, Seq(1), [3; 8], 2),
        ] {
            assert_eq!(left(mode, &[first, ack(2)]).len(), 2, "{first:?}");
        }
        // A new ACK with ECN echo replaces none either: how much was marked would be lost.
        let echo = changed(ack(2), |s| s.flags |= Flags::ECE);
        assert_eq!(left(mode, &[ack(1), echo]), [1, 2]);
        // A window update stays, and what it updates; the window of an older ACK says nothing.
        let window = |number, window| changed(ack(number), |s| s.window = window);
        assert_eq!(left(mode, &[ack(1), window(1, 999), ack(2), window(3, 7)]), [1, 1, 3]);
        // One with SACK blocks does.
        assert_eq!(left(mode, &[ack(1), sack(2, &[(5, 9)])]), [2]);
    }
}

#[test]
fn duplicates_that_signal_loss_stay() {
    for mode in [Conservative, Aggressive] {
        assert_eq!(left(mode, &[1, 2, 2, 2, 2, 3, 4].map(ack)), [2, 2, 2, 2, 4]);
    }
    let many = [1, 1, 1, 1, 1, 1, 1, 2].map(ack);
    assert_eq!(left(Conservative, &many), [1, 1, 1, 1, 1, 1, 1, 2]);
    assert_eq!(left(Aggressive, &many), [1, 1, 1, 1, 2], "the first four, and the last");
    // The ACK of which it is a duplicate may have left long ago.
    let mut rig = Rig::new(Conservative, 100);
    rig.put(0, ack(5));
    rig.take();
    for number in [5, 5, 6] {
        rig.put(0, ack(number));
    }
    assert_eq!(rig.rest(), [5, 5, 6]);
    // Beyond the third, a duplicate stays if its SACK blocks say what the new one does not.
    let duplicates = |last: &[(u32, u32)]| {
        let first = [(9, 10)];
        let mut all: Vec<_> = (0..4).map(|_| ack(1)).collect();
        all.extend([sack(1, &first), sack(1, last)]);
        left(Aggressive, &all).len()
    };
    assert_eq!(duplicates(&[(9, 12)]), 5);
    assert_eq!(duplicates(&[(20, 22), (9, 10)]), 5);
    assert_eq!(duplicates(&[(20, 22)]), 6);
    assert_eq!(duplicates(&[]), 6);
}

#[test]
fn flows_are_apart_and_a_full_queue_gains_room() {
    let mut rig = Rig::new(Conservative, 2);
    rig.put(0, ack(1));
    rig.put(1, ack(1));
    assert_eq!(rig.put(2, ack(1)), Verdict::Dropped(DropReason::QueueFull));
    assert_eq!(rig.put(0, ack(2)), Verdict::Queued);
    assert_eq!(rig.take().map(|(flow, s)| (flow, s.ack.0)), Some((1, 1)), "it joins the end");
    assert_eq!(rig.take().map(|(flow, s)| (flow, s.ack.0)), Some((0, 2)));
    let stats = rig.queue.stats();
    assert_eq!((stats.dropped_full, stats.dropped_filtered, stats.dropped()), (1, 1, 2));
    // What was refused is no ACK of which there could be a duplicate.
    let mut rig = Rig::new(Conservative, 1);
    rig.put(0, changed(ack(1), |s| s.len = 10));
    assert_eq!(rig.put(0, ack(2)), Verdict::Dropped(DropReason::QueueFull));
    rig.take();
    assert_eq!(rig.put(0, ack(2)), Verdict::Queued);
    assert_eq!(rig.put(0, ack(3)), Verdict::Queued, "it replaces the one before");
}

/// What a receiver does next.
#[derive(Debug, Clone, Copy)]
enum Op {
    /// More data in order: acknowledged, with SACK blocks if there is a hole further on.
    Advance(u32, bool),
    Duplicate(bool),
    Window(u16),
    Echo,
    Data,
    /// The link takes a packet.
    Take,
}

fn op() -> impl Strategy<Value = (u32, Op)> {
    let op = prop_oneof![
        4 => (1_u32..4, proptest::bool::weighted(0.2)).prop_map(|(n, s)| Op::Advance(n, s)),
        4 => any::<bool>().prop_map(Op::Duplicate),
        1 => (0_u16..3).prop_map(Op::Window),
        1 => Just(Op::Echo),
        1 => Just(Op::Data),
        3 => Just(Op::Take),
    ];
    (0_u32..2, op)
}

/// Duplicates by acknowledgement number and window, as a sender without SACK counts them.
fn duplicates(segments: &[Segment]) -> Vec<(u32, u16, u32)> {
    let mut last: Option<(Seq, u16)> = None;
    let mut found: Vec<(u32, u16, u32)> = Vec::new();
    for s in segments {
        let same = last == Some((s.ack, s.window)) && s.len == 0;
        last = Some((s.ack, s.window));
        if !same {
            continue;
        }
        match found.last_mut() {
            Some((number, window, n)) if (*number, *window) == (s.ack.0, s.window) => *n += 1,
            _ => found.push((s.ack.0, s.window, 1)),
        }
    }
    found
}

/// Window updates: the acknowledgement number of the ACK before, and another window.
fn updates(segments: &[Segment]) -> Vec<(u32, u16)> {
    let pairs = segments.windows(2).map(|pair| (pair[0], pair[1]));
    let update = |(a, b): &(Segment, Segment)| a.ack == b.ack && b.len == 0 && a.window != b.window;
    pairs.filter(update).map(|(_, b)| (b.ack.0, b.window)).collect()
}

/// Segments of one flow that were offered, and those that left.
fn drive(mode: AckFilterMode, ops: &[(u32, Op)]) -> [[Vec<Segment>; 2]; 2] {
    let mut rig = Rig::new(mode, 100_000);
    let (mut offered, mut left) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
    let mut state = [(1_u32, 1000_u16); 2];
    for (flow, op) in ops {
        let (number, window) = &mut state[*flow as usize];
        let block = |n: u32, yes: bool| if yes { vec![(n + 5, n + 9)] } else { Vec::new() };
        let mut segment = match op {
            Op::Advance(more, hole) => {
                *number += more;
                *window = 1000 + u16::try_from(*more).unwrap_or_default();
                sack(*number, &block(*number, *hole))
            }
            Op::Duplicate(hole) => sack(*number, &block(*number, *hole)),
            Op::Window(new) => {
                *window = 1000 + new;
                ack(*number)
            }
            Op::Echo => changed(ack(*number), |s| s.flags |= Flags::ECE),
            Op::Data => changed(ack(*number), |s| s.len = 100),
            Op::Take => {
                if let Some((flow, segment)) = rig.take() {
                    left[flow as usize].push(segment);
                }
                continue;
            }
        };
        segment.window = *window;
        assert_eq!(rig.put(*flow, segment), Verdict::Queued);
        offered[*flow as usize].push(segment);
    }
    while let Some((flow, segment)) = rig.take() {
        left[flow as usize].push(segment);
    }
    assert_eq!(rig.pool.in_flight(), 0);
    let stats = rig.queue.stats();
    assert_eq!(stats.enqueued, stats.dequeued + stats.dropped_filtered);
    [offered, left]
}

proptest! {
    /// The cumulative ACK never goes back, the last one passes, nothing that carries more is lost,
    /// and neither are duplicates: all of them in the conservative mode, three in the aggressive one.
    #[test]
    fn a_sender_misses_nothing(ops in proptest::collection::vec(op(), 0..300)) {
        for mode in [Conservative, Aggressive] {
            let [offered, left] = drive(mode, &ops);
            for (offered, left) in offered.iter().zip(&left) {
                prop_assert!(left.is_sorted_by_key(|s| s.ack.0));
                prop_assert_eq!(left.last(), offered.last());
                let more = |s: &&Segment| s.len > 0 || s.flags != Flags::ACK;
                prop_assert!(left.iter().filter(more).eq(offered.iter().filter(more)));
                let seen = duplicates(left);
                let sent = duplicates(offered);
                if mode == Conservative {
                    prop_assert_eq!(&seen, &sent);
                    let blocks = |s: &&Segment| !s.sacks().is_empty();
                    prop_assert!(left.iter().filter(blocks).eq(offered.iter().filter(blocks)));
                } else {
                    prop_assert_eq!(seen.len(), sent.len());
                    for ((a, b, n), (c, d, m)) in seen.iter().zip(&sent) {
                        prop_assert_eq!((a, b), (c, d));
                        prop_assert!(n <= m && *n >= DUP_THRESHOLD.min(*m), "{n} of {m}");
                    }
                }
                prop_assert_eq!(updates(left), updates(offered));
            }
        }
    }
}
