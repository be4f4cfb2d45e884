//! CoDel against RFC 8289.

use airtcp_packet::{Ecn, Pool};
use airtcp_probe::{EventSource, NoProbe};

use super::*;
use crate::conformance::packet;

const TARGET: Span = Span::from_millis(5);
const INTERVAL: Span = Span::from_millis(100);
/// Packets are 1000 bytes and their headers.
const STEP: Span = Span::from_micros(100);

/// A queue and its clock.
struct Rig {
    queue: Codel,
    pool: Pool,
    now: Nanos,
}

impl Rig {
    fn new(config: &CodelConfig) -> Self {
        let queue = Codel::build(config, Seed::new(1), "queue").unwrap();
        Self { queue, pool: Pool::new(), now: Nanos::ZERO }
    }

    fn put(&mut self, n: u32, ecn: Ecn) {
        let mut probe = NoProbe;
        let mut cx = PoolCx::new(&mut probe, &mut self.pool, EventSource::Queue(0));
        for k in 0..n {
            let id = cx.pool.insert(packet(k, 1000, ecn));
            self.queue.enqueue(self.now, id, &mut cx);
        }
    }

    fn take(&mut self) -> Option<Ecn> {
        let mut probe = NoProbe;
        let mut cx = PoolCx::new(&mut probe, &mut self.pool, EventSource::Queue(0));
        let id = self.queue.dequeue(self.now, &mut cx)?;
        Some(self.pool.remove(id).segment.ecn)
    }

    /// Dequeues a packet per step for `span`. Returns the times of drops and marks, with their numbers.
    fn run(&mut self, span: Span) -> Vec<(Nanos, u64)> {
        let (end, mut events) = (self.now + span, Vec::new());
        while self.now < end {
            let before = self.acted();
            self.take();
            let n = self.acted() - before;
            if n > 0 {
                events.push((self.now, n));
            }
            self.now += STEP;
        }
        events
    }

    fn acted(&self) -> u64 {
        self.queue.stats().dropped_early + self.queue.stats().marked
    }
}

fn config(ecn: bool) -> CodelConfig {
    CodelConfig { limit: 200_000, ecn, ..CodelConfig::default() }
}

/// In a standing queue, the first drop comes an interval after the delay exceeds the target, the next
/// ones after interval/sqrt(n).
#[test]
fn the_control_law() {
    for ecn in [Ecn::NotEct, Ecn::Ect0] {
        let mut rig = Rig::new(&config(true));
        rig.put(100_000, ecn);
        let found = rig.run(Span::from_secs(3));
        // At 5 ms the delay reaches the target.
        let mut due = (TARGET + INTERVAL).as_secs_f64();
        for (k, (at, n)) in found.iter().enumerate() {
            assert_eq!(*n, 1);
            // Within a step; the law's times are cut to nanoseconds.
            let late = at.since(Nanos::ZERO).as_secs_f64() - due;
            assert!((-1e-6..=STEP.as_secs_f64() + 1e-6).contains(&late), "{k}: {late}");
            due += INTERVAL.as_secs_f64() / ((k + 1) as f64).sqrt();
        }
        // The sum of 1/sqrt(k) to n is about 2 sqrt(n) - 1.46: 28.95 intervals are 231 drops.
        assert!((225..=236).contains(&found.len()), "{}", found.len());
        let stats = rig.queue.stats();
        let (marked, dropped) = (stats.marked, stats.dropped_early);
        assert_eq!(if ecn.is_capable() { dropped } else { marked }, 0);
    }
}

#[test]
fn late_packets_for_less_than_an_interval_pass() {
    let mut rig = Rig::new(&config(false));
    rig.put(1040, Ecn::NotEct);
    // Above the target from 5 ms to 103.8 ms, when no more than an MTU is left: for 98.8 ms.
    assert_eq!(rig.run(Span::from_millis(110)), []);
    assert_eq!(rig.queue.backlog(), Backlog::default());
    let mut rig = Rig::new(&config(false));
    rig.put(1060, Ecn::NotEct);
    assert_eq!(rig.run(Span::from_millis(110)).len(), 1);
}

/// CoDel drops nothing while no more than an MTU waits, however old the packet is.
#[test]
fn an_mtu_may_wait() {
    let mut rig = Rig::new(&config(false));
    for _ in 0..100 {
        rig.put(2, Ecn::NotEct);
        rig.now += Span::from_secs(1);
        assert!(rig.take().is_some() && rig.take().is_some());
    }
    assert_eq!(rig.acted(), 0);
}

/// Enters the drop state, leaves it, and enters again after `pause`. Returns the gap between the first
/// two drops after the second entry.
fn second_gap(pause: Span) -> (u64, Span) {
    let mut rig = Rig::new(&config(false));
    rig.put(100_000, Ecn::NotEct);
    let first = rig.run(Span::from_millis(800));
    let drops = first.len() as u64;
    // Empty the queue, and wait for the pause.
    while rig.queue.line.pop().is_some() {}
    rig.queue.ledger = Ledger::default();
    rig.now += pause;
    rig.put(100_000, Ecn::NotEct);
    let again = rig.run(Span::from_millis(300));
    (drops, again[1].0.since(again[0].0))
}

/// `count` continues after a recent drop state, and restarts after an older one.
#[test]
fn count_at_the_next_drop_state() {
    let (drops, gap) = second_gap(Span::from_millis(50));
    // At entry count is 1, so `drops - 1` were added.
    let expected = INTERVAL.as_secs_f64() / ((drops - 1) as f64).sqrt();
    assert!(drops > 8 && (gap.as_secs_f64() - expected).abs() <= 1.1e-4, "{drops} {gap}");
    let (_, gap) = second_gap(Span::from_millis(1600));
    assert_eq!(gap, INTERVAL);
}

/// After a pause of the link several drops are due at once. Of ECN-capable packets, each call marks one.
#[test]
fn overdue_drops_happen_at_once() {
    let mut rig = Rig::new(&config(true));
    rig.put(100_000, Ecn::NotEct);
    rig.run(Span::from_millis(400));
    let before = rig.acted();
    rig.now += Span::from_secs(1);
    rig.take();
    assert!(rig.acted() - before > 10, "{}", rig.acted() - before);
    let mut rig = Rig::new(&config(true));
    rig.put(100_000, Ecn::Ect1);
    rig.run(Span::from_millis(400));
    let before = rig.acted();
    rig.now += Span::from_secs(1);
    assert_eq!(rig.take(), Some(Ecn::Ce));
    assert_eq!((rig.acted() - before, rig.queue.stats().dropped()), (1, 0));
}
