//! One bottleneck in virtual time for the sliding transport and rivals: a rate, a drop-tail queue,
//! losses behind it, delay, reordering and duplicates, and losses on the reverse path. Beside each
//! flow, a receiver of real bytes decodes the same packets.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, reason = "shared by tests")]

mod channel;
pub mod shadow;

use std::collections::{BTreeMap, VecDeque};

use airtcp_packet::{Ecn, EndpointId, Segment, Seq, Side};
use airtcp_probe::{Cx, EventSource, Machine, NoProbe};
use airtcp_random::{Seed, Stream};
use airtcp_sliding::{Packet, Payload, SlidingConfig, SlidingConnection, SlidingStats};
use airtcp_transport::lt::{LtConfig, LtConnection};
use airtcp_transport::tcp::{Connection, Role, TcpConfig};
use airtcp_units::{BitRate, Nanos, Narrow, Span, TxClock};
use channel::Channel;
pub use channel::Loss;
use shadow::Shadow;

/// The path.
#[derive(Debug, Clone, Copy)]
pub struct Path {
    pub rate: BitRate,
    pub delay: Span,
    pub queue: usize,
    /// ECN-capable packets are marked if the queue has at least this many packets. If the weight of
    /// the present length is below 1, the average counts.
    pub mark: Option<(f64, f64)>,
    pub forward: Loss,
    pub back: Loss,
    /// Share of packets, both ways, that are delayed by up to this time, and share that are
    /// duplicated.
    pub late: (f64, Span),
    pub twice: f64,
    pub seed: u64,
}

impl Default for Path {
    /// 10 Mb/s, 80 ms, 100 packets.
    fn default() -> Self {
        Self {
            rate: BitRate::from_mbps(10),
            delay: Span::from_millis(40),
            queue: 100,
            mark: None,
            forward: Loss::Independent(0.0),
            back: Loss::Independent(0.0),
            late: (0.0, Span::ZERO),
            twice: 0.0,
            seed: 1,
        }
    }
}

/// One end.
#[derive(Debug)]
pub enum End {
    Sliding(Box<SlidingConnection>),
    Tcp(Box<Connection>),
    Lt(Box<LtConnection>),
}

impl End {
    pub fn delivered(&self) -> u64 {
        match self {
            Self::Sliding(c) => c.delivered(),
            Self::Tcp(c) => c.delivered(),
            Self::Lt(c) => c.delivered(),
        }
    }
    fn timer(&self) -> Nanos {
        match self {
            Self::Sliding(c) => c.next_timer(),
            Self::Tcp(c) => c.next_timer(),
            Self::Lt(c) => c.next_timer(),
        }
    }
}

/// An event: a packet leaves the bottleneck, or arrives at an end.
#[derive(Debug, Clone, Copy)]
enum Happens {
    Sent,
    Arrives(usize, Side, Segment),
}

/// Counters of the sending end of a sliding flow.
pub fn stats(world: &World, flow: usize) -> SlidingStats {
    match &world.flows[flow][0] {
        End::Sliding(c) => c.stats(),
        _ => SlidingStats::default(),
    }
}

/// Flows over one bottleneck.
#[derive(Debug)]
pub struct World {
    pub now: Nanos,
    pub path: Path,
    pub flows: Vec<[End; 2]>,
    pub shadows: Vec<Shadow>,
    /// Whether the shadows take packets; off where only rates matter.
    pub shadowed: bool,
    /// The timer of each end, and the flows with an event since it was read.
    timers: Vec<[Nanos; 2]>,
    touched: Vec<usize>,
    /// Bytes put on the link, dropped packets, and the integral of the queue's length in packets.
    pub carried: u64,
    pub dropped: u64,
    pub dropped_bytes: u64,
    pub marked: u64,
    average: f64,
    pub queued: f64,
    pub lost: u64,
    pub packets: u64,
    /// Of flow 0: first departure of each symbol, and the time until its in-order delivery.
    left: Vec<Nanos>,
    pub delays: Vec<Span>,
    starts: Vec<Nanos>,
    opened: Vec<bool>,
    clock: TxClock,
    queue: VecDeque<(usize, Segment)>,
    sending: Option<(usize, Segment)>,
    events: BTreeMap<(Nanos, u64), Happens>,
    order: u64,
    forward: Channel,
    back: Channel,
    draws: Stream,
    sizes: Vec<Option<u64>>,
    segment: u16,
}

impl World {
    pub fn new(path: Path) -> Self {
        let seed = Seed::new(path.seed);
        Self {
            now: Nanos::ZERO,
            path,
            flows: Vec::new(),
            shadows: Vec::new(),
            shadowed: true,
            timers: Vec::new(),
            touched: Vec::new(),
            carried: 0,
            dropped: 0,
            dropped_bytes: 0,
            marked: 0,
            average: 0.0,
            queued: 0.0,
            lost: 0,
            packets: 0,
            left: Vec::new(),
            delays: Vec::new(),
            starts: Vec::new(),
            opened: Vec::new(),
            clock: TxClock::new(path.rate),
            queue: VecDeque::new(),
            sending: None,
            events: BTreeMap::new(),
            order: 0,
            forward: Channel::new(path.forward, seed.stream("forward")),
            back: Channel::new(path.back, seed.stream("back")),
            draws: seed.stream("path"),
            sizes: Vec::new(),
            segment: SlidingConfig::default().segment,
        }
    }

    /// A flow that sends `size` bytes, or endlessly, from `start` on.
    pub fn sliding(&mut self, config: &SlidingConfig, size: Option<u64>, start: Nanos) -> usize {
        config.validate().unwrap();
        self.segment = config.segment;
        let end = |side| End::Sliding(Box::new(SlidingConnection::new(config, side)));
        self.add([end(Side::Client), end(Side::Server)], size, start)
    }

    pub fn tcp(&mut self, config: &TcpConfig, size: Option<u64>, start: Nanos) -> usize {
        let end = |role, iss| End::Tcp(Box::new(Connection::new(config, role, Seq(iss))));
        self.add([end(Role::Active, 5), end(Role::Passive, 7)], size, start)
    }

    pub fn lt(&mut self, config: &LtConfig, size: Option<u64>, start: Nanos) -> usize {
        let tcp = TcpConfig::default();
        let end = |role, iss| End::Lt(Box::new(LtConnection::new(config, &tcp, role, Seq(iss))));
        self.add([end(Role::Active, 5), end(Role::Passive, 7)], size, start)
    }

    fn add(&mut self, ends: [End; 2], size: Option<u64>, start: Nanos) -> usize {
        self.flows.push(ends);
        self.starts.push(start);
        self.opened.push(false);
        self.sizes.push(size);
        self.shadows.push(Shadow::default());
        self.timers.push([Nanos::NEVER; 2]);
        self.flows.len() - 1
    }

    /// Runs until `until`, or until the condition holds.
    pub fn run(&mut self, until: Nanos, mut done: impl FnMut(&Self) -> bool) {
        for _ in 0..50_000_000_u64 {
            self.drain();
            if done(self) {
                return;
            }
            let event = self.events.first_key_value().map_or(Nanos::NEVER, |(k, _)| k.0);
            let start = self
                .starts
                .iter()
                .zip(&self.opened)
                .filter(|(_, open)| !**open)
                .map(|(s, _)| *s)
                .min()
                .unwrap_or(Nanos::NEVER);
            let timer = self.timers.iter().flatten().min().copied().unwrap_or(Nanos::NEVER);
            assert!(timer >= self.now, "a timer in the past");
            let next = event.min(start).min(timer).max(self.now);
            if next > until {
                self.pass(until);
                return;
            }
            self.pass(next);
            if event <= next {
                if let Some((_, what)) = self.events.pop_first() {
                    self.happen(what);
                }
            } else if start <= next {
                self.open();
            } else {
                for flow in 0..self.flows.len() {
                    for side in [Side::Client, Side::Server] {
                        if self.timers[flow][side as usize] <= next {
                            self.with(flow, side, |end, now, cx| match end {
                                End::Sliding(c) => c.on_timer(now, cx),
                                End::Tcp(c) => c.on_timer(now, cx),
                                End::Lt(c) => c.on_timer(now, cx),
                            });
                        }
                    }
                }
            }
        }
        panic!("two machines keep each other awake");
    }

    fn pass(&mut self, next: Nanos) {
        self.queued += self.queue.len() as f64 * next.since(self.now).as_secs_f64();
        self.now = next;
    }

    fn open(&mut self) {
        for flow in 0..self.flows.len() {
            if self.opened[flow] || self.starts[flow] > self.now {
                continue;
            }
            self.opened[flow] = true;
            self.touched.push(flow);
            let size = self.sizes[flow];
            let now = self.now;
            match &mut self.flows[flow][0] {
                End::Sliding(c) => {
                    c.open(now);
                    c.write(now, size.unwrap_or(1 << 60));
                    if size.is_some() {
                        c.close(now);
                    }
                }
                End::Tcp(c) => {
                    c.open(now);
                    c.write(now, size.unwrap_or(1 << 60));
                    if size.is_some() {
                        c.close(now);
                    }
                }
                End::Lt(c) => {
                    c.open(now);
                    c.write(now, size.unwrap_or(1 << 60));
                    if size.is_some() {
                        c.close(now);
                    }
                }
            }
        }
    }

    fn with<T>(
        &mut self,
        flow: usize,
        side: Side,
        f: impl FnOnce(&mut End, Nanos, &mut Cx<'_, NoProbe>) -> T,
    ) -> T {
        if self.touched.last() != Some(&flow) {
            self.touched.push(flow);
        }
        let source = EventSource::Endpoint(EndpointId::new(u32::narrow(flow), side));
        let mut probe = NoProbe;
        let mut cx = Cx::new(&mut probe, source);
        f(&mut self.flows[flow][side as usize], self.now, &mut cx)
    }

    fn drain(&mut self) {
        // Flows without an event have nothing to send before their timer.
        let mut touched = std::mem::take(&mut self.touched);
        touched.sort_unstable();
        touched.dedup();
        for flow in touched {
            for side in [Side::Client, Side::Server] {
                while let Some(segment) = self.with(flow, side, |end, now, cx| match end {
                    End::Sliding(c) => c.poll(now, cx),
                    End::Tcp(c) => c.poll(now, cx),
                    End::Lt(c) => c.poll(now, cx),
                }) {
                    if side == Side::Client {
                        self.note_departure(flow, &segment);
                        if self.queue.len() >= self.path.queue {
                            self.dropped += 1;
                            self.dropped_bytes += u64::from(segment.wire_len());
                        } else {
                            let segment = self.mark(segment);
                            self.queue.push_back((flow, segment));
                            self.serve();
                        }
                    } else if !self.back.takes(self.now) {
                        self.travel(flow, Side::Client, segment);
                    }
                }
                self.timers[flow][side as usize] = self.flows[flow][side as usize].timer();
            }
        }
        self.touched.clear();
    }

    fn mark(&mut self, mut segment: Segment) -> Segment {
        let Some((threshold, weight)) = self.path.mark else { return segment };
        self.average += weight * (self.queue.len() as f64 - self.average);
        if segment.ecn.is_capable() && self.average >= threshold {
            segment.ecn = Ecn::Ce;
            self.marked += 1;
        }
        segment
    }

    fn note_departure(&mut self, flow: usize, segment: &Segment) {
        let next = self.left.len() as u64;
        if flow == 0
            && let Some(packet) = Packet::of(segment, 0, next)
            && packet.payload == Payload::Symbol(next)
        {
            self.left.push(self.now);
        }
    }

    /// Symbols of full length that flow 0 has delivered since the last call.
    fn note_deliveries(&mut self) {
        let symbols = self.flows[0][1].delivered() / u64::from(self.segment);
        while (self.delays.len() as u64) < symbols.min(self.left.len() as u64) {
            self.delays.push(self.now.since(self.left[self.delays.len()]));
        }
    }

    fn serve(&mut self) {
        if self.sending.is_some() {
            return;
        }
        let Some((flow, segment)) = self.queue.pop_front() else { return };
        self.carried += u64::from(segment.wire_len());
        self.packets += 1;
        let time = self.clock.transmit(u64::from(segment.wire_len()));
        self.sending = Some((flow, segment));
        self.at(self.now + time, Happens::Sent);
    }

    fn at(&mut self, when: Nanos, what: Happens) {
        self.order += 1;
        self.events.insert((when, self.order), what);
    }

    fn travel(&mut self, flow: usize, to: Side, segment: Segment) {
        let copies = 1 + u64::from(self.draws.chance(self.path.twice));
        for _ in 0..copies {
            let (share, most) = self.path.late;
            let late = if self.draws.chance(share) { self.draws.below(most.0 + 1) } else { 0 };
            self.at(self.now + self.path.delay + Span(late), Happens::Arrives(flow, to, segment));
        }
    }

    fn happen(&mut self, what: Happens) {
        match what {
            Happens::Sent => {
                if let Some((flow, segment)) = self.sending.take() {
                    if self.forward.takes(self.now) {
                        self.lost += 1;
                    } else {
                        self.travel(flow, Side::Server, segment);
                    }
                }
                self.serve();
            }
            Happens::Arrives(flow, to, segment) => {
                if to == Side::Server && self.shadowed {
                    self.shadows[flow].take(&segment);
                }
                self.with(flow, to, |end, now, cx| match end {
                    End::Sliding(c) => c.handle(now, segment, cx),
                    End::Tcp(c) => c.handle(now, segment, cx),
                    End::Lt(c) => c.handle(now, segment, cx),
                });
                self.note_deliveries();
            }
        }
    }
}
