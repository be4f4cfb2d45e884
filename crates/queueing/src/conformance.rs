//! Requirements on every registered discipline, tested for each of its sample configurations.

use std::collections::VecDeque;

use airtcp_packet::{Ecn, EndpointId, Flags, Packet, PacketId, Pool, Segment, Seq, Side};
use airtcp_probe::{Event, EventSource, PoolCx, Probe};
use airtcp_random::Seed;
use airtcp_units::{BitRate, Bytes, Nanos, Narrow, Span};
use proptest::prelude::*;

use crate::{Airtime, Backlog, LinkInfo, Qdisc, Queue, QueueConfig, Verdict, Wanted, registry};

/// One call of a queue.
#[derive(Debug, Clone)]
pub(crate) enum Op {
    Enqueue {
        len: u16,
        ecn: Ecn,
    },
    Dequeue,
    /// The next packet for a receiver, if its wire length is at most `room`.
    DequeueFor {
        receiver: u32,
        room: u32,
    },
}

pub(crate) fn packet(number: u32, len: u16, ecn: Ecn) -> Packet {
    let mut segment = Segment::default();
    (segment.seq, segment.len, segment.ecn) = (Seq(number), len, ecn);
    if len == 0 {
        // Every second one of a flow acknowledges more than the one before.
        (segment.flags, segment.ack) = (Flags::ACK, Seq(number / (2 * FLOWS)));
    }
    Packet { to: EndpointId::new(0, Side::Server), segment }
}

/// A packet of a given flow.
pub(crate) fn packet_of(flow: u32, number: u32, len: u16, ecn: Ecn) -> Packet {
    Packet { to: EndpointId::new(flow, Side::Server), ..packet(number, len, ecn) }
}

#[derive(Default)]
struct Record(Vec<Event>);

impl Probe for Record {
    const ON: bool = true;
    fn record(&mut self, _: Nanos, source: EventSource, event: &Event) {
        assert_eq!(source, EventSource::Queue(7), "the queue records events under its own source");
        self.0.push(*event);
    }
}

/// Number of flows in a test.
const FLOWS: u32 = 3;
/// By endpoint, the station: the flows are those of two.
const RECEIVERS: [u32; 6] = [0, 0, 1, 1, 1, 1];

/// The station of a packet, by its number among all packets offered.
fn receiver_of(number: u32) -> u32 {
    let endpoint = EndpointId::new(number % FLOWS, Side::Server);
    RECEIVERS[endpoint.index()]
}

/// The packets in `Dropped` events that `of` selects.
fn gone(events: &[Event], of: impl Fn(PacketId) -> bool) -> Vec<PacketId> {
    let dropped = events.iter().filter_map(|event| match event {
        Event::Dropped { packet, .. } if of(*packet) => Some(*packet),
        _ => None,
    });
    dropped.collect()
}

/// A packet in the reference list.
struct Waiting {
    id: PacketId,
    /// Number among all packets offered; modulo [`FLOWS`], its flow.
    number: u32,
    wire: u64,
    ecn: Ecn,
}

/// A queue and a reference list of the packets that should wait in it.
struct Shadowed {
    queue: Queue,
    pool: Pool,
    events: Record,
    list: VecDeque<Waiting>,
    limit: Backlog,
    /// True for a discipline that is first in, first out only within a flow.
    by_flow: bool,
    /// True if packets with ECT(1) or CE may overtake others of their flow.
    by_ecn: bool,
    /// Whether a packet may have to wait although it is the first.
    holds_back: bool,
    /// It may drop a packet that waits when another one arrives.
    replaces: bool,
    offered: u32,
    dropped: u64,
    taken: u64,
}

impl Shadowed {
    fn new(config: &QueueConfig, boxed: bool, polls_when_idle: bool) -> Self {
        let (mut queue, limit, [by_flow, by_ecn, replaces]) = Queue::sample(config);
        if boxed {
            queue = Queue::custom(queue);
        }
        let time_for = |bytes: Bytes| BitRate::from_mbps(10).time_for(bytes.0);
        let receivers = || RECEIVERS.to_vec();
        queue.on_link(&LinkInfo {
            time_for: &time_for,
            polls_when_idle,
            receivers: &receivers,
            reports_airtime: polls_when_idle,
            by_receiver: polls_when_idle,
        });
        assert_eq!(queue.backlog(), Backlog::default(), "it starts empty");
        Self {
            queue,
            pool: Pool::new(),
            events: Record::default(),
            list: VecDeque::new(),
            limit,
            by_flow,
            by_ecn,
            holds_back: matches!(config, QueueConfig::Tbf(_)),
            replaces,
            offered: 0,
            dropped: 0,
            taken: 0,
        }
    }

    fn enqueue(&mut self, now: Nanos, len: u16, ecn: Ecn) -> Verdict {
        self.offered += 1;
        let number = self.offered;
        let id = self.pool.insert(packet_of(number % FLOWS, number, len, ecn));
        let wire = u64::from(self.pool.get(id).wire_len());
        let mut cx = PoolCx::new(&mut self.events, &mut self.pool, EventSource::Queue(7));
        let verdict = self.queue.enqueue(now, id, &mut cx);
        let pushed_out = self.forget(|packet| packet != id);
        assert!(pushed_out == 0 || self.replaces);
        match verdict {
            Verdict::Queued => {
                let was = self.pool.get(id).segment.ecn;
                let marked = was != ecn;
                assert!(!marked || (ecn.is_capable() && was == Ecn::Ce), "{ecn:?} {was:?}");
                self.list.push_back(Waiting { id, number, wire, ecn: was });
                assert!(self.marks() >= usize::from(marked));
                let Backlog { packets, bytes } = self.queue.backlog();
                let last = Event::Enqueued { packet: id, packets, bytes };
                assert_eq!(self.events.0.last(), Some(&last));
            }
            Verdict::Dropped(reason) => {
                self.dropped += 1;
                assert_eq!(
                    self.events.0.last(),
                    Some(&Event::Dropped { packet: id, reason, part: 0 })
                );
                assert_eq!(self.events.0.len(), 1 + pushed_out);
            }
        }
        verdict
    }

    fn dequeue(&mut self, now: Nanos) {
        let mut cx = PoolCx::new(&mut self.events, &mut self.pool, EventSource::Queue(7));
        let got = self.queue.dequeue(now, &mut cx);
        let marks = self.marks();
        let events = self.forget(|_| true) + marks;
        self.take(got, marks, events, |_| true);
    }

    /// The next packet for a receiver. Packets for others may stand before it.
    fn dequeue_for(&mut self, now: Nanos, receiver: u32, room: u32) {
        let mut cx = PoolCx::new(&mut self.events, &mut self.pool, EventSource::Queue(7));
        let wanted = Wanted { receiver, fits: &|len| len <= room };
        let got = self.queue.dequeue_for(now, &wanted, &mut cx);
        let marks = self.marks();
        let events = self.forget(|_| true) + marks;
        let own = |waiting: &&Waiting| receiver_of(waiting.number) == receiver;
        let first = self.list.iter().find(own).map(|waiting| waiting.wire);
        match got {
            None => {
                // A packet may have been marked and then stay, because it does not fit.
                for waiting in &mut self.list {
                    waiting.ecn = self.pool.get(waiting.id).segment.ecn;
                }
                assert!(marks <= 1);
                let mut all = self.list.iter().filter(own).map(|waiting| waiting.wire);
                let long = all.any(|wire| wire > u64::from(room));
                let stays = long || self.holds_back;
                assert!(
                    first.is_none() || stays,
                    "only a packet that does not fit or must wait stays"
                );
                let first_stays = first.is_none_or(|wire| wire > u64::from(room));
                assert!(self.by_flow || self.holds_back || first_stays);
            }
            Some(id) => {
                let packet = self.pool.get(id);
                assert_eq!(receiver_of(packet.segment.seq.0), receiver);
                assert!(packet.wire_len() <= room, "it fits");
                self.take(got, marks, events, |waiting| receiver_of(waiting.number) == receiver);
            }
        }
    }

    /// Compares a packet that left with the list, where it is the first of those that `rival` selects.
    fn take(
        &mut self,
        got: Option<PacketId>,
        marks: usize,
        events: usize,
        rival: impl Fn(&Waiting) -> bool,
    ) {
        assert!(self.queue.names_receivers());
        let Some(id) = got else {
            let waits = self.holds_back && self.queue.next_timer() < Nanos::NEVER;
            assert!(
                self.list.is_empty() || waits,
                "a queue that waits for no timer gives a packet"
            );
            assert_eq!(self.events.0.len(), events, "an empty queue has no other events");
            return;
        };
        let place = self.list.iter().position(|waiting| waiting.id == id).expect("it waited");
        let Waiting { number, ecn, .. } = self.list.remove(place).unwrap();
        let of_its_flow = |e: &&Waiting| {
            let other = self.by_ecn && e.ecn.bits() & 1 != ecn.bits() & 1;
            rival(e) && !other && (!self.by_flow || e.number % FLOWS == number % FLOWS)
        };
        assert_eq!(self.list.iter().take(place).filter(of_its_flow).count(), 0, "in order");
        let packet = self.pool.remove(id);
        let now_is = packet.segment.ecn;
        assert_eq!(packet.segment.seq, Seq(number));
        assert!(now_is == ecn || (marks == 1 && ecn.is_capable() && now_is == Ecn::Ce));
        self.taken += 1;
        // The exchange takes up to 10 ms.
        let (peer, received) = (number % 2, number.is_multiple_of(5));
        let time = Span(u64::from(number) * 1_234_567 % 10_000_000);
        self.queue.on_airtime(&Airtime { peer, time, received, repeats: false });
        let Backlog { packets, bytes } = self.queue.backlog();
        let last = Event::Dequeued { packet: id, packets, bytes };
        assert_eq!(self.events.0.last(), Some(&last));
        assert_eq!(self.events.0.len(), 1 + events);
    }

    /// Removes the packets in `Dropped` events that `of` selects from the list; returns their number.
    fn forget(&mut self, of: impl Fn(PacketId) -> bool) -> usize {
        let gone = gone(&self.events.0, of);
        self.list.retain(|waiting| !gone.contains(&waiting.id));
        self.dropped += gone.len() as u64;
        gone.len()
    }

    fn marks(&self) -> usize {
        self.events.0.iter().filter(|event| matches!(event, Event::Marked { .. })).count()
    }

    fn compare(&self, now: Nanos) {
        let bytes = self.list.iter().map(|e| e.wire).sum();
        let backlog = Backlog { packets: u32::narrow(self.list.len()), bytes };
        assert_eq!(self.queue.backlog(), backlog);
        assert!(backlog.packets <= self.limit.packets && bytes <= self.limit.bytes);
        assert_eq!(self.pool.in_flight(), self.list.len() as u64);
        let stats = self.queue.stats();
        let accounted = stats.dequeued + stats.dropped() + self.list.len() as u64;
        assert_eq!(u64::from(self.offered), accounted);
        assert_eq!((stats.dropped(), stats.dequeued), (self.dropped, self.taken));
        assert!(stats.peak_packets >= backlog.packets);
        assert!(self.queue.next_timer() >= now);
    }
}

/// Applies `ops` to a queue, compares it with the reference list, and returns its verdicts.
fn check(
    config: &QueueConfig,
    boxed: bool,
    polls_when_idle: bool,
    ops: &[(u64, Op)],
) -> Vec<Option<Verdict>> {
    let mut shadowed = Shadowed::new(config, boxed, polls_when_idle);
    let mut now = Nanos::ZERO;
    let mut decisions = Vec::new();
    for (gap, op) in ops {
        now += Span(*gap);
        shadowed.events.0.clear();
        decisions.push(match op {
            Op::Enqueue { len, ecn } => Some(shadowed.enqueue(now, *len, *ecn)),
            // Owners ask for receivers only if they have said so.
            Op::DequeueFor { receiver, room } if polls_when_idle => {
                shadowed.dequeue_for(now, *receiver, *room);
                None
            }
            Op::Dequeue | Op::DequeueFor { .. } => {
                shadowed.dequeue(now);
                None
            }
        });
        shadowed.compare(now);
    }
    decisions
}

pub(crate) fn ops() -> impl Strategy<Value = Vec<(u64, Op)>> {
    let ecn = prop_oneof![Just(Ecn::NotEct), Just(Ecn::Ect0), Just(Ecn::Ect1), Just(Ecn::Ce)];
    let len = prop_oneof![2 => 0u16..1500, 1 => Just(0)];
    let enqueue = (len, ecn).prop_map(|(len, ecn)| Op::Enqueue { len, ecn });
    let wanted = (0u32..3, 40u32..1600);
    let wanted = wanted.prop_map(|(receiver, room)| Op::DequeueFor { receiver, room });
    let op = prop_oneof![6 => enqueue, 3 => Just(Op::Dequeue), 3 => wanted];
    proptest::collection::vec((0u64..3_000_000, op), 0..300)
}

proptest! {
    #[test]
    fn every_registered_discipline_conforms(ops in ops()) {
        for config in QueueConfig::samples() {
            let once = check(&config, false, false, &ops);
            prop_assert_eq!(&once, &check(&config, false, false, &ops), "two equal runs: {:?}", config);
            prop_assert_eq!(&once, &check(&config, true, false, &ops), "boxed: {:?}", config);
            let asked = check(&config, false, true, &ops);
            prop_assert_eq!(&asked, &check(&config, true, true, &ops), "boxed: {:?}", config);
        }
    }
}

#[test]
fn an_overfull_queue_drops_and_an_empty_one_gives_nothing() {
    for config in QueueConfig::samples() {
        let mut queue = Queue::new(&config, Seed::new(1), "queue").unwrap();
        let (mut pool, mut probe) = (Pool::new(), airtcp_probe::NoProbe);
        let mut cx = PoolCx::new(&mut probe, &mut pool, EventSource::Queue(0));
        assert_eq!(queue.dequeue(Nanos::ZERO, &mut cx), None);
        for n in 0..1000 {
            let id = cx.pool.insert(packet(n, 1000, Ecn::NotEct));
            queue.enqueue(Nanos::ZERO, id, &mut cx);
        }
        let full = queue.stats().dropped_full;
        assert!(full > 0 || matches!(config, QueueConfig::Red(_)), "{config:?}");
        assert!(queue.backlog().packets > 0, "it holds something: {config:?}");
        let mut now = Nanos(1);
        while now < Nanos::NEVER {
            while queue.dequeue(now, &mut cx).is_some() {}
            now = queue.next_timer();
        }
        assert_eq!(queue.backlog(), Backlog::default());
    }
}

#[test]
fn the_mean_length_is_that_over_time() {
    let mut queue = Queue::new(&QueueConfig::default(), Seed::new(0), "queue").unwrap();
    let (mut pool, mut probe) = (Pool::new(), airtcp_probe::NoProbe);
    let mut cx = PoolCx::new(&mut probe, &mut pool, EventSource::Queue(0));
    // 0 packets for 1 s, 1 for 2 s, 2 for 4 s, 1 for the 3 s since: 13 packet seconds in 10 s.
    for second in [1, 3] {
        let id = cx.pool.insert(packet(0, 100, Ecn::NotEct));
        queue.enqueue(Nanos::ZERO + Span::from_secs(second), id, &mut cx);
    }
    queue.dequeue(Nanos::ZERO + Span::from_secs(7), &mut cx);
    let mean = queue.stats().mean_packets(Nanos::ZERO + Span::from_secs(10), queue.backlog());
    assert!((mean - 1.3).abs() < 1e-12, "{mean}");
}

#[test]
fn registry_and_samples_agree() {
    for entry in registry() {
        assert_eq!(entry.family, "queue");
        let has_sample = QueueConfig::samples().iter().any(|c| c.kind() == entry.name);
        assert!(has_sample, "{} is never tested", entry.name);
        let text = [entry.description, entry.source];
        assert!(text.iter().all(|t| !t.is_empty() && t.trim() == *t && !t.ends_with('.')));
    }
}

#[test]
fn tables_read_and_round_trip() {
    let read = |text: &str| toml::from_str::<QueueConfig>(text);
    let red = read("kind = \"red\"\nmin = 5\nmax = 15.5\necn = true\nunit = \"bytes\"").unwrap();
    let QueueConfig::Red(c) = &red else { panic!("{red:?}") };
    assert_eq!((c.min, c.max, c.limit, c.weight), (5.0, 15.5, 100, 0.002));
    let defaults = QueueConfig::Red(crate::RedConfig::default());
    for config in QueueConfig::samples().into_iter().chain([red, defaults]) {
        let text = toml::to_string(&config).unwrap();
        assert_eq!(read(&text).unwrap(), config, "{text}");
        let json = serde_json::to_string(&config).unwrap();
        assert_eq!(serde_json::from_str::<QueueConfig>(&json).unwrap(), config, "{json}");
    }
    for (text, part) in [
        ("kind = \"drop-tail\"\npackest = 3", "packest"),
        ("kind = \"blue\"", "drop-tail"),
        ("kind = \"ack-filter\"\nmode = \"greedy\"", "conservative"),
        ("kind = \"drop-tail\"\nbytes = 3000", "1500 B"),
        ("kind = \"red\"\nmax_p = 1.5", "between 0 and 1"),
    ] {
        let message = read(text).unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn impossible_values_are_refused() {
    for (text, part) in [
        ("kind = \"drop-tail\"\npackets = 0", "packets: a queue of 0 packets"),
        ("kind = \"drop-tail\"\nbytes = \"0 B\"", "bytes: "),
        ("kind = \"red\"\nlimit = 0", "limit: "),
        ("kind = \"red\"\nmin = 90", "max: 90 is out of range: expected values above min, 90"),
        ("kind = \"red\"\nmin = -1", "min: -1"),
        ("kind = \"red\"\nmin = nan", "min: NaN"),
        ("kind = \"red\"\nmax = inf", "max: inf"),
        ("kind = \"red\"\nweight = 0", "weight: 0 is out of range"),
        ("kind = \"red\"\nmean_packet = \"0 B\"", "mean_packet: "),
        ("kind = \"red\"\npacket_time = \"0 s\"", "packet_time: "),
        ("kind = \"red\"\nidle_decay = false\npacket_time = \"1 ms\"", "packet_time: "),
        ("kind = \"codel\"\nlimit = 0", "limit: "),
        ("kind = \"codel\"\ntarget = \"0 s\"", "target: "),
        ("kind = \"codel\"\ntarget = \"1 s\"", "interval: 100 ms is shorter than target"),
        ("kind = \"fq-codel\"\nlimit = 0", "limit: "),
        ("kind = \"fq-codel\"\nflows = 0", "flows: 0 is out of range"),
        ("kind = \"fq-codel\"\nquantum = \"1 B\"", "quantum: 1 B is out of range"),
        ("kind = \"fq-codel\"\ntarget = \"0 s\"", "target: "),
        ("kind = \"pie\"\nlimit = 0", "limit: "),
        ("kind = \"pie\"\nupdate = \"0 s\"", "update: "),
        ("kind = \"pie\"\ntarget = \"0 s\"", "target: "),
        ("kind = \"pie\"\nalpha = -1", "alpha: -1"),
        ("kind = \"pie\"\nbeta = nan", "beta: NaN"),
        ("kind = \"dualpi2\"\nlimit = 0", "limit: "),
        ("kind = \"dualpi2\"\ntarget = \"0 s\"", "target: "),
        ("kind = \"dualpi2\"\nupdate = \"0 s\"", "update: "),
        ("kind = \"dualpi2\"\nalpha = -1", "alpha: -1"),
        ("kind = \"dualpi2\"\nbeta = inf", "beta: inf"),
        ("kind = \"dualpi2\"\ncoupling = 0.5", "coupling: 0.5 is out of range"),
        ("kind = \"dualpi2\"\nclassic_weight = 1", "classic_weight: 1 is out of range"),
        ("kind = \"airtime-fair\"\nlimit = 0", "limit: "),
        ("kind = \"airtime-fair\"\nquantum = \"0 s\"", "quantum: 0 s is out of range"),
        ("kind = \"airtime-fair\"\nquantum = \"2 s\"", "quantum: 2 s is out of range"),
        ("kind = \"airtime-fair\"\nflows = 0", "flows: 0 is out of range"),
        ("kind = \"airtime-fair\"\nflow_quantum = \"1 B\"", "flow_quantum: 1 B is out of range"),
        ("kind = \"airtime-fair\"\ninterval = \"1 ms\"", "interval: 1 ms is shorter"),
        ("kind = \"ack-filter\"\npackets = 0", "packets: a queue of 0 packets"),
        ("kind = \"ack-filter\"\nbytes = \"0 B\"", "bytes: "),
        ("kind = \"jersey\"\nthreshold = -1", "threshold: -1"),
        ("kind = \"jersey\"\nthreshold = nan", "threshold: NaN"),
        ("kind = \"jersey\"\nlimit = 0", "limit: "),
        ("kind = \"tbf\"\nrate = \"1 Mb/s\"\nburst = \"0 B\"", "burst: "),
        ("kind = \"tbf\"\nrate = \"1 Mb/s\"\nburst = \"2 kB\"\npackets = 0", "packets: "),
        (
            "kind = \"tbf\"\nrate = \"1 Mb/s\"\nburst = \"2 kB\"\nbytes = \"9 kB\"\nlatency = \"1 s\"",
            "latency: limits the queue, and bytes does too",
        ),
        ("kind = \"jersey\"\nweight = 1.5", "weight: 1.5 is out of range"),
        ("kind = \"jersey\"\nmean_packet = \"0 B\"", "mean_packet: "),
        ("kind = \"jersey\"\npacket_time = \"0 s\"", "packet_time: "),
    ] {
        let config: QueueConfig = toml::from_str(text).unwrap();
        let message = Queue::new(&config, Seed::new(0), "q").unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
    }
}
