//! FQ-CoDel against RFC 8290.

use airtcp_packet::{Ecn, EndpointId, Pool, Side};
use airtcp_probe::{EventSource, NoProbe};

use super::*;
use crate::conformance::packet_of;

/// A queue and its clock. Packets have 40 bytes of headers.
struct Rig {
    queue: FqCodel,
    pool: Pool,
    now: Nanos,
}

impl Rig {
    fn new(config: &FqCodelConfig, seed: u64) -> Self {
        let queue = FqCodel::build(config, Seed::new(seed), "queue").unwrap();
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

    /// Flow and number of the next packet.
    fn take(&mut self) -> Option<(u32, u32)> {
        let mut probe = NoProbe;
        let mut cx = PoolCx::new(&mut probe, &mut self.pool, EventSource::Queue(0));
        let id = self.queue.dequeue(self.now, &mut cx)?;
        let packet = self.pool.remove(id);
        Some((packet.to.flow(), packet.segment.seq.0))
    }

    fn order(&mut self, n: usize) -> Vec<u32> {
        (0..n).map_while(|_| self.take()).map(|(flow, _)| flow).collect()
    }

    /// Bytes that wait, by flow.
    fn waiting(&mut self, flow: u32) -> u64 {
        let rules = self.queue.rules;
        let flows = self.queue.stations.of(0, || FlowQueues::new(rules));
        let flows = self.queue.stations.at(flows);
        let place = flows.flow_of(EndpointId::new(flow, Side::Server).index());
        flows.bytes(place)
    }
}

fn config() -> FqCodelConfig {
    FqCodelConfig::default()
}

/// A sparse flow goes first; a flow with a standing queue takes turns.
#[test]
fn sparse_flows_go_first() {
    let mut rig = Rig::new(&config(), 1);
    for flow in [1, 2, 4] {
        rig.put(flow, 20, 1460);
    }
    // The second packet of 1500 bytes uses up the quantum of 1514.
    assert_eq!(rig.order(12), [1, 1, 2, 2, 4, 4, 1, 2, 4, 1, 2, 4]);
    rig.put(3, 1, 100);
    assert_eq!(rig.order(2), [3, 1], "the new one, then on with the old");
    // The scheduler found its queue empty and moved it behind the old flows: no second time at the front.
    rig.put(3, 1, 100);
    assert_eq!(rig.order(3), [2, 3, 4]);
    // After the scheduler finds it empty among the old flows, it is new again.
    assert_eq!(rig.order(2), [1, 2]);
    rig.put(3, 1, 100);
    assert_eq!(rig.order(1), [3]);
}

/// Bytes, not packets, are shared equally.
#[test]
fn turns_are_of_bytes() {
    let mut rig = Rig::new(&config(), 1);
    rig.put(1, 2000, 1460);
    rig.put(2, 4000, 460);
    rig.put(3, 4000, 60);
    let order = rig.order(3000);
    let bytes = |flow, size: usize| order.iter().filter(|f| **f == flow).count() * size;
    let sent = [bytes(1, 1500), bytes(2, 500), bytes(3, 100)];
    let (least, most) = (sent.iter().min().unwrap(), sent.iter().max().unwrap());
    // Any two flows differ by at most a quantum and a packet.
    assert!(most - least <= 1514 + 1500, "{sent:?}");
}

/// Beyond the limit, the flow with the most bytes loses half of them at its head, 64 packets at most.
#[test]
fn an_overload_drops_from_the_longest_flow() {
    let mut rig = Rig::new(&FqCodelConfig { limit: 100, ..config() }, 1);
    rig.put(1, 80, 460);
    rig.put(2, 20, 1460);
    // 40,000 against 30,000 bytes: the arrival of another flow drops half of the larger flow's packets.
    assert_eq!(rig.put(3, 1, 100), Verdict::Queued);
    assert_eq!((rig.waiting(1), rig.waiting(2), rig.waiting(3)), (20_000, 30_000, 140));
    assert_eq!(rig.queue.stats().dropped_full, 40);
    assert_eq!(rig.take(), Some((1, 40)), "those at the head are gone");
    let mut rig = Rig::new(&FqCodelConfig { limit: 1000, ..config() }, 1);
    rig.put(1, 1001, 460);
    assert_eq!(rig.queue.stats().dropped_full, 64);
    assert_eq!(rig.queue.backlog().packets, 937);
    // A single packet, larger than all waiting packets together.
    let mut rig = Rig::new(&FqCodelConfig { limit: 3, ..config() }, 1);
    for flow in 1..4 {
        rig.put(flow, 1, 60);
    }
    assert_eq!(rig.put(4, 1, 1460), Verdict::Dropped(DropReason::QueueFull));
    assert_eq!(rig.queue.backlog().packets, 3);
}

/// The seed decides which flows share a queue.
#[test]
fn the_hash_is_perturbed() {
    let shared = |seed| {
        let rig = Rig::new(&FqCodelConfig { flows: 16, ..config() }, seed);
        let endpoint = |flow| EndpointId::new(flow, Side::Server).index();
        let mut flows = FlowQueues::new(rig.queue.rules);
        (0..12).map(|flow| flows.flow_of(endpoint(flow))).collect::<Vec<_>>()
    };
    assert_eq!(shared(1), shared(1));
    let all: Vec<_> = (0..40).map(shared).collect();
    assert!(all.iter().any(|s| *s != all[0]));
    // 12 flows in 16 queues: 16 (1 - (15/16)^12) = 8.6 different ones.
    let mean = all.iter().map(|s| s.iter().max().unwrap() + 1).sum::<usize>() as f64 / 40.0;
    assert!((mean - 8.6).abs() < 0.7, "{mean}");
}

/// CoDel drops from the flow with a standing queue only.
#[test]
fn codel_acts_on_each_flow() {
    let mut rig = Rig::new(&config(), 1);
    rig.put(1, 5000, 1460);
    for _ in 0..3000 {
        rig.put(2, 1, 100);
        rig.order(2);
        rig.now += Span::from_micros(200);
    }
    let dropped = rig.queue.stats().dropped_early;
    // 595 ms in the drop state: the sum of 1/sqrt(k) up to n is 4.95.
    assert!((9..=12).contains(&dropped), "{dropped}");
    assert_eq!(rig.waiting(2), 0, "the sparse flow loses nothing and waits for nothing");
}
