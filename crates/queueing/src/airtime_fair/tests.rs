//! Airtime-fair queueing against the 2017 paper, and against a plain deficit round robin.

use airtcp_packet::{Ecn, Pool};
use airtcp_probe::{EventSource, NoProbe};
use airtcp_units::BitRate;
use proptest::prelude::*;

use super::*;
use crate::conformance::packet_of;

/// Stations of the tests; flow `k` is of station `k % STATIONS`.
const STATIONS: u32 = 4;

/// A queue with a clock. Packets carry 40 bytes of headers.
struct Rig {
    queue: AirtimeFair,
    pool: Pool,
    now: Nanos,
}

impl Rig {
    /// At a station that reports airtime, or before a wired link of 8 Mb/s: 1 us per byte.
    fn new(config: &AirtimeFairConfig, reports_airtime: bool) -> Self {
        let mut queue = AirtimeFair::build(config, Seed::new(1), "queue").unwrap();
        let time_for = |bytes: Bytes| BitRate::from_mbps(8).time_for(bytes.0);
        let receivers = || (0..64).map(|endpoint| endpoint / 2 % STATIONS).collect();
        let link = LinkInfo::link(&time_for, true);
        queue.on_link(&LinkInfo { receivers: &receivers, reports_airtime, ..link });
        Self { queue, pool: Pool::new(), now: Nanos::ZERO }
    }

    fn put(&mut self, flow: u32, n: u32, len: u16) -> Verdict {
        let mut probe = NoProbe;
        let mut cx = PoolCx::new(&mut probe, &mut self.pool, EventSource::Queue(0));
        let mut verdict = Verdict::Queued;
        for k in 0..n {
            let id = cx.pool.insert(packet_of(flow, k, len, Ecn::NotEct));
            verdict = self.queue.enqueue(self.now, id, &mut cx);
        }
        verdict
    }

    /// Flow and length of the next packet.
    fn take(&mut self) -> Option<(u32, u32)> {
        let mut probe = NoProbe;
        let mut cx = PoolCx::new(&mut probe, &mut self.pool, EventSource::Queue(0));
        let id = self.queue.dequeue(self.now, &mut cx)?;
        let packet = self.pool.remove(id);
        Some((packet.to.flow(), packet.wire_len()))
    }

    fn spend(&mut self, peer: u32, micros: u64) {
        let time = Span::from_micros(micros);
        self.queue.on_airtime(&Airtime { peer, time, received: false, repeats: false });
    }

    /// Stations of the next packets, each of which takes its station's airtime in microseconds.
    fn order(&mut self, n: usize, micros: [u64; 4]) -> Vec<u32> {
        let mut stations = Vec::new();
        for _ in 0..n {
            let Some((flow, _)) = self.take() else { break };
            let station = flow % STATIONS;
            self.spend(station, micros[station as usize]);
            stations.push(station);
        }
        stations
    }
}

/// No standing queue is too old for it.
fn config() -> AirtimeFairConfig {
    AirtimeFairConfig { limit: 100_000, ..AirtimeFairConfig::default() }
}

/// Stations get the same time on the air, to within a quantum and an exchange, whatever their rates.
#[test]
fn airtime_is_shared_equally() {
    let mut rig = Rig::new(&config(), true);
    let micros = [250, 2100, 470, 9000];
    (0..4).for_each(|flow| {
        rig.put(flow, 8000, 1460);
    });
    let order = rig.order(8000, micros);
    let spent = |s: u32| order.iter().filter(|o| **o == s).count() as u64 * micros[s as usize];
    let spent: Vec<u64> = (0..4).map(spent).collect();
    let (least, most) = (spent.iter().min().unwrap(), spent.iter().max().unwrap());
    assert!(most - least <= 300 + 9000, "{spent:?}");
    assert!(*least > 1_000_000, "{spent:?}");
}

/// Packets for a receiver leave out of turn, are charged, and the others keep their order.
#[test]
fn packets_for_a_receiver_leave_out_of_turn() {
    let mut rig = Rig::new(&config(), false);
    (0..3).for_each(|flow| {
        rig.put(flow, 2, 1460);
    });
    assert_eq!(rig.queue.waiting_receivers(), [0, 1, 2]);
    let take_for = |rig: &mut Rig, receiver| {
        let mut probe = NoProbe;
        let mut cx = PoolCx::new(&mut probe, &mut rig.pool, EventSource::Queue(0));
        let wanted = Wanted { receiver, fits: &|_| true };
        let id = rig.queue.dequeue_for(rig.now, &wanted, &mut cx)?;
        Some(rig.pool.remove(id).to.flow())
    };
    assert_eq!(take_for(&mut rig, 2), Some(2));
    assert_eq!(take_for(&mut rig, 2), Some(2));
    assert_eq!(take_for(&mut rig, 2), None);
    assert_eq!(take_for(&mut rig, 9), None);
    assert_eq!(rig.queue.waiting_receivers(), [0, 1]);
    let credit = |rig: &Rig, place: usize| rig.queue.accounts[place].credit;
    assert!(credit(&rig, 2) < credit(&rig, 0));
    let order = rig.order(9, [0; 4]);
    assert_eq!(order.len(), 4);
    assert!(order.iter().all(|station| *station < 2));
    assert_eq!(rig.queue.backlog().packets, 0);
}

/// A station whose exchanges leave MPDUs to send again gets no more airtime than others, and loses none: these come
/// before its packets, when it is its turn.
#[test]
fn repeats_wait_for_their_turn() {
    let mut rig = Rig::new(&config(), true);
    (0..3).for_each(|flow| {
        rig.put(flow, 8000, 1460);
    });
    let mut spent = [0_u64; 3];
    let (mut repeats, mut again) = (0, false);
    for _ in 0..6000 {
        let mut probe = NoProbe;
        let mut cx = PoolCx::new(&mut probe, &mut rig.pool, EventSource::Queue(0));
        let station = match rig.queue.next(rig.now, &mut cx).unwrap() {
            Next::Packet(id) => {
                let station = rig.pool.remove(id).to.flow() % STATIONS;
                assert!(station > 0 || !again, "a packet before what is to be sent again");
                station
            }
            Next::Repeat(station) => {
                assert!(again && station == 0);
                repeats += 1;
                station
            }
        };
        // Three of four exchanges of station 0 leave something.
        again = if station == 0 { repeats % 4 != 3 || !again } else { again };
        let micros = [3000, 400, 1700][station as usize];
        spent[station as usize] += micros;
        let (time, repeats) = (Span::from_micros(micros), station == 0 && again);
        rig.queue.on_airtime(&Airtime { peer: station, time, received: false, repeats });
    }
    let (least, most) = (spent.iter().min().unwrap(), spent.iter().max().unwrap());
    assert!(most - least <= 300 + 3000, "{spent:?}");
    assert!(repeats > 300, "{repeats}");
}

/// Packets of a station can be taken while it waits to send others again; its turn comes all the same, also without any.
#[test]
fn taking_packets_keeps_the_turn_of_repeats() {
    let mut rig = Rig::new(&config(), true);
    rig.put(1, 3, 1460);
    let repeats = true;
    rig.queue.on_airtime(&Airtime { peer: 1, time: Span(5), received: false, repeats });
    assert_eq!(rig.order(9, [0; 4]), [1, 1, 1]);
    assert_eq!(rig.take(), None);
    let mut probe = NoProbe;
    let mut cx = PoolCx::new(&mut probe, &mut rig.pool, EventSource::Queue(0));
    assert_eq!(rig.queue.next(rig.now, &mut cx), Some(Next::Repeat(1)));
    assert_eq!(rig.queue.next(rig.now, &mut cx), None);
}

/// What a station sends counts, unless `received` is false.
#[test]
fn airtime_of_received_packets_counts() {
    for received in [true, false] {
        let mut rig = Rig::new(&AirtimeFairConfig { received, ..config() }, true);
        rig.put(0, 3000, 1460);
        rig.put(1, 3000, 1460);
        let mut counts = [0_u32; 2];
        for _ in 0..2000 {
            let station = rig.order(1, [500; 4])[0];
            counts[station as usize] += 1;
            // For each packet to it, station 1 sends one that takes as long.
            let time = Span::from_micros(500);
            if station == 1 {
                rig.queue.on_airtime(&Airtime { peer: 1, time, received: true, repeats: false });
            }
        }
        let expected = if received { 2000 * 2 / 3 } else { 1000 };
        assert!(counts[0].abs_diff(expected) <= 2, "{received}: {counts:?}");
    }
}

/// A station for which little is sent goes first, once; then it takes its turn.
#[test]
fn sparse_stations_go_first() {
    let mut rig = Rig::new(&config(), true);
    let micros = [200, 200, 200, 100];
    (0..3).for_each(|flow| {
        rig.put(flow, 20, 1460);
    });
    // 300 us are used up by the second exchange of 200.
    assert_eq!(rig.order(6, micros), [0, 0, 1, 1, 2, 2]);
    rig.put(3, 1, 100);
    assert_eq!(rig.order(2, micros), [3, 0], "the new one, then on with the old");
    // Found empty, it is listed behind the old: no second time at the front.
    rig.put(3, 1, 100);
    assert_eq!(rig.order(4, micros), [1, 2, 3, 0]);
    // Once it has been found empty among the old, it is new again.
    rig.put(3, 1, 100);
    assert_eq!(rig.order(1, micros), [3]);
}

/// A station whose packets use more than their share does not leave its debt behind.
#[test]
fn debts_are_kept() {
    let mut rig = Rig::new(&config(), true);
    let micros = [200, 3000, 200, 200];
    rig.put(0, 2000, 1460);
    let mut spent = [0_u64; 2];
    for _ in 0..3000 {
        // Station 1 never has more than one packet waiting: it is always found empty.
        if rig
            .queue
            .stations
            .iter()
            .nth(1)
            .is_none_or(|flows| flows.longest(None).is_none_or(|l| l.0 == 0))
        {
            rig.put(1, 1, 1460);
        }
        let Some(station) = rig.order(1, micros).first().copied() else { break };
        spent[station as usize] += micros[station as usize];
        if rig.queue.backlog().packets < 2 {
            break;
        }
    }
    let share = spent[1] as f64 / (spent[0] + spent[1]) as f64;
    assert!((share - 0.5).abs() < 0.01, "{spent:?}");
}

/// Before a link without stations, destinations share the time of serialisation.
#[test]
fn a_wired_link_is_shared_by_destination() {
    let mut rig = Rig::new(&config(), false);
    // Two flows of full packets to destination 0, one of small ones to destination 1.
    rig.put(0, 2000, 1460);
    rig.put(4, 2000, 1460);
    rig.put(1, 20_000, 60);
    let mut bytes = [0_u64; 2];
    for _ in 0..10_000 {
        let (flow, len) = rig.take().unwrap();
        bytes[usize::try_from(flow % STATIONS).unwrap()] += u64::from(len);
    }
    // A quantum of 300 us is 300 B; a packet has 1500.
    assert!(bytes[0].abs_diff(bytes[1]) <= 300 + 1500, "{bytes:?}");
}

/// Beyond the limit the longest flow of all stations pays, at its head.
#[test]
fn an_overload_hits_the_longest_flow() {
    let mut rig = Rig::new(&AirtimeFairConfig { limit: 100, ..config() }, true);
    rig.put(0, 40, 460);
    rig.put(4, 40, 460);
    rig.put(1, 20, 1460);
    // Station 0 has 40 000 bytes in two flows, station 1 has 30 000 in one.
    assert_eq!(rig.put(2, 1, 100), Verdict::Queued);
    assert_eq!(rig.queue.stats().dropped_full, 10);
    assert_eq!(rig.queue.stations.at(1).longest(None).unwrap().0, 15_000);
    assert_eq!(rig.queue.backlog().packets, 91);
    let mut rig = Rig::new(&AirtimeFairConfig { limit: 3, ..config() }, true);
    (0..3).for_each(|flow| {
        rig.put(flow, 1, 60);
    });
    assert_eq!(rig.put(3, 1, 1460), Verdict::Dropped(DropReason::QueueFull));
    assert_eq!(rig.queue.backlog().packets, 3);
}

/// Deficit round robin as the paper writes it, round by round.
#[derive(Default)]
struct Plain {
    waiting: [u32; 4],
    credit: [i64; 4],
    new: Vec<usize>,
    old: Vec<usize>,
}

impl Plain {
    fn next(&mut self, quantum: i64) -> Option<usize> {
        loop {
            let from_new = !self.new.is_empty();
            let list = if from_new { &mut self.new } else { &mut self.old };
            let station = *list.first()?;
            if self.credit[station] <= 0 {
                self.credit[station] += quantum;
                list.remove(0);
                self.old.push(station);
            } else if self.waiting[station] == 0 {
                list.remove(0);
                if from_new {
                    self.old.push(station);
                }
            } else {
                self.waiting[station] -= 1;
                return Some(station);
            }
        }
    }

    fn arrive(&mut self, station: usize) {
        self.waiting[station] += 1;
        if !self.new.contains(&station) && !self.old.contains(&station) {
            self.new.push(station);
        }
    }
}

#[derive(Debug, Clone)]
enum Op {
    Put(u32),
    Take(u64),
}

proptest! {
    /// The same stations in the same order, also where many rounds pass without a packet.
    #[test]
    fn stations_are_served_as_by_a_plain_round_robin(
        ops in proptest::collection::vec(prop_oneof![
            (0..STATIONS).prop_map(Op::Put),
            (1_u64..40_000).prop_map(Op::Take),
        ], 0..400),
    ) {
        let quantum = Span::from_micros(7);
        // Nothing waits long enough for CoDel.
        let mut rig = Rig::new(&AirtimeFairConfig { quantum, ..config() }, true);
        let mut plain = Plain { credit: [7000; 4], ..Plain::default() };
        for op in ops {
            match op {
                Op::Put(station) => {
                    rig.put(station, 1, 100);
                    plain.arrive(station as usize);
                }
                Op::Take(micros) => {
                    let station = rig.take().map(|(flow, _)| flow % STATIONS);
                    prop_assert_eq!(station.map(|s| s as usize), plain.next(7000));
                    if let Some(station) = station {
                        rig.spend(station, micros);
                        plain.credit[station as usize] -= i64::try_from(micros).unwrap() * 1000;
                    }
                }
            }
        }
    }
}

/// Rounds without a packet take no time: seconds of debt at a quantum of 1 us.
#[test]
fn a_large_debt_is_paid_at_once() {
    let quantum = Span::from_micros(1);
    let mut rig = Rig::new(&AirtimeFairConfig { quantum, ..config() }, true);
    rig.put(0, 2, 1460);
    rig.put(1, 2, 1460);
    for station in [0, 1] {
        rig.spend(station, 1_000_000_000_000 + u64::from(1 - station) * 10);
    }
    assert_eq!(rig.order(2, [1; 4]), [1, 1]);
}
