use airtcp_packet::{Ecn, Pool};
use airtcp_probe::{EventSource, NoProbe, PoolCx};
use airtcp_units::{Nanos, Span};

use super::*;
use crate::conformance::packet_of;
use crate::{DropTail, DropTailConfig};

/// Packets of flow n go to station n.
struct Rig {
    queue: PerStation,
    pool: Pool,
    sent: u32,
}

impl Rig {
    fn new(packets: u32) -> Self {
        let config = PerStationConfig { packets: Some(packets), bytes: None };
        let mut queue = PerStation::build(&config, Seed::new(1), "queue").unwrap();
        let receivers = || (0..8).map(|endpoint| endpoint / 2).collect();
        let link = LinkInfo::link(&|_| Span::ZERO, true);
        queue.on_link(&LinkInfo { receivers: &receivers, by_receiver: true, ..link });
        Self { queue, pool: Pool::new(), sent: 0 }
    }

    fn arrive(&mut self, station: u32, len: u16) -> Verdict {
        let id = self.pool.insert(packet_of(station, self.sent, len, Ecn::NotEct));
        self.sent += 1;
        let mut probe = NoProbe;
        let mut cx = PoolCx::new(&mut probe, &mut self.pool, EventSource::Queue(0));
        self.queue.enqueue(Nanos::ZERO, id, &mut cx)
    }

    /// Station and number of the next packet, or of the next one for a receiver with room for it.
    fn next(&mut self, of: Option<(u32, u32)>) -> Option<(u32, u32)> {
        let mut probe = NoProbe;
        let mut cx = PoolCx::new(&mut probe, &mut self.pool, EventSource::Queue(0));
        let id = match of {
            None => self.queue.dequeue(Nanos::ZERO, &mut cx)?,
            Some((receiver, room)) => {
                let wanted = Wanted { receiver, fits: &|len| len <= room };
                self.queue.dequeue_for(Nanos::ZERO, &wanted, &mut cx)?
            }
        };
        let packet = self.pool.remove(id);
        Some((packet.to.flow(), packet.segment.seq.0))
    }
}

/// Aggregates of three packets, stations with four, one and five of them.
#[test]
fn stations_take_turns_with_an_aggregate_each() {
    let mut rig = Rig::new(100);
    for station in [0, 0, 2, 1, 2, 0, 2, 0, 2, 2] {
        rig.arrive(station, 1000);
    }
    let mut order = Vec::new();
    while let Some((station, number)) = rig.next(None) {
        order.push((station, number));
        for _ in 0..2 {
            order.extend(rig.next(Some((station, u32::MAX))));
        }
    }
    let stations: Vec<u32> = order.iter().map(|(station, _)| *station).collect();
    assert_eq!(stations, [0, 0, 0, 2, 2, 2, 1, 0, 2, 2]);
    for station in 0..3 {
        let own = order.iter().filter(|(of, _)| *of == station).map(|(_, number)| *number);
        assert!(own.is_sorted(), "in order");
    }
}

#[test]
fn a_packet_that_does_not_fit_stays_first() {
    let mut rig = Rig::new(100);
    rig.arrive(0, 1000);
    rig.arrive(0, 10);
    rig.arrive(1, 10);
    assert_eq!(rig.next(Some((0, 500))), None);
    assert_eq!(rig.next(Some((3, 500))), None);
    assert_eq!(rig.queue.backlog().packets, 3);
    assert_eq!(rig.queue.waiting_receivers(), [0, 1]);
    assert_eq!([rig.next(None), rig.next(None), rig.next(None)].map(|of| of.unwrap().1), [0, 2, 1]);
}

/// A station with a long queue cannot lock the others out.
#[test]
fn the_longest_queue_loses_its_last_packet() {
    let mut rig = Rig::new(4);
    for _ in 0..4 {
        assert_eq!(rig.arrive(0, 1000), Verdict::Queued);
    }
    let full = Verdict::Dropped(DropReason::QueueFull);
    assert_eq!(rig.arrive(0, 1000), full, "its own queue is the longest");
    assert_eq!(rig.arrive(1, 1000), Verdict::Queued);
    assert_eq!(rig.arrive(1, 1000), Verdict::Queued);
    assert_eq!(rig.arrive(1, 1000), full, "2 and 3 packets");
    assert_eq!(rig.arrive(2, 1000), Verdict::Queued, "of two equal ones, the first loses a packet");
    assert_eq!(rig.queue.backlog().packets, 4);
    let left: Vec<_> = std::iter::from_fn(|| rig.next(None)).collect();
    assert_eq!(left, [(0, 0), (1, 5), (2, 8), (1, 6)]);
    assert_eq!(rig.queue.stats().dropped_full, 5);
}

/// With one station it is drop-tail, also with a limit in bytes.
#[test]
fn one_station_has_a_drop_tail_queue() {
    let limits = [(Some(5), None), (None, Some(Bytes(4000))), (Some(4), Some(Bytes(3000)))];
    for (packets, bytes) in limits {
        let config = PerStationConfig { packets, bytes };
        let mut own = PerStation::build(&config, Seed::new(1), "queue").unwrap();
        let config = DropTailConfig { packets, bytes };
        let mut other = DropTail::build(&config, Seed::new(1), "queue").unwrap();
        let (mut pool, mut probe) = (Pool::new(), NoProbe);
        let mut cx = PoolCx::new(&mut probe, &mut pool, EventSource::Queue(0));
        for number in 0_u32..500 {
            let now = Nanos(u64::from(number));
            if number * number % 7 < 2 {
                let taken = [own.dequeue(now, &mut cx), other.dequeue(now, &mut cx)];
                let taken = taken.map(|id| id.map(|id| cx.pool.remove(id).segment.seq));
                assert_eq!(taken[0], taken[1]);
                continue;
            }
            let len = u16::try_from(number * 97 % 1400).unwrap();
            let ids = [(); 2].map(|()| cx.pool.insert(packet_of(0, number, len, Ecn::NotEct)));
            let verdicts = [own.enqueue(now, ids[0], &mut cx), other.enqueue(now, ids[1], &mut cx)];
            assert_eq!(verdicts[0], verdicts[1]);
        }
        assert_eq!(own.stats(), other.stats());
        assert!(own.stats().dropped_full > 50, "the limit matters");
    }
}
