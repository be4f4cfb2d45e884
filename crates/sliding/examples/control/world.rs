//! One bottleneck in virtual time: drop-tail, `CoDel` or FQ-CoDel, random losses behind it, and jitter that keeps the
//! order. Flows are sliding or TCP with the profile of Linux.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use airtcp_packet::{EndpointId, Segment, Seq, Side};
use airtcp_probe::{Cx, EventSource, Machine, NoProbe};
use airtcp_random::{Seed, Stream};
use airtcp_sliding::{SlidingConfig, SlidingConnection};
use airtcp_transport::tcp::{Connection, Profile, Role, TcpConfig};
use airtcp_units::Nanos;

use crate::codel::{Item, Line};

pub(crate) const SECOND: u64 = 1_000_000_000;
/// Quantum of FQ-CoDel.
const QUANTUM: i64 = 1514;
/// A packet of no flow, which occupies the link.
const NO_FLOW: usize = usize::MAX;

pub(crate) enum End {
    Sliding(Box<SlidingConnection>),
    Tcp(Box<Connection>),
}

macro_rules! each {
    ($end:expr, $c:ident => $e:expr) => {
        match $end {
            End::Sliding($c) => $e,
            End::Tcp($c) => $e,
        }
    };
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Queue {
    Tail(usize),
    Codel,
    FqCodel,
}

#[derive(Clone, Copy)]
pub(crate) struct Path {
    /// Bits per second.
    pub(crate) rate: u64,
    pub(crate) rtt_ms: f64,
    pub(crate) queue: Queue,
    pub(crate) loss: f64,
    /// Maximum of an additional delay, equally distributed.
    pub(crate) jitter_ms: f64,
    pub(crate) seed: u64,
}

enum Event {
    Sent,
    Arrives(usize, Side, Segment),
    Start(usize),
    Timer(usize, Side),
}

pub(crate) struct World {
    pub(crate) now: u64,
    path: Path,
    flows: Vec<[End; 2]>,
    timers: Vec<[u64; 2]>,
    /// Times, an order, and places in `slots`.
    events: BinaryHeap<Reverse<(u64, u64, usize)>>,
    slots: Vec<Option<Event>>,
    free: Vec<usize>,
    order: u64,
    lines: Vec<Line>,
    turn: VecDeque<usize>,
    credit: Vec<i64>,
    length: usize,
    sending: Option<(usize, Segment)>,
    arrived: u64,
    /// Bytes sent over the link, and dropped before it.
    carried: u64,
    dropped: u64,
    waits: Vec<f32>,
    loss: Stream,
    jitter: Stream,
}

/// What a time shows: Mb/s of each flow, bytes sent over what the link carries, queueing delay in ms and its 95 %
/// point.
pub(crate) struct Measured {
    pub(crate) rates: Vec<f64>,
    pub(crate) load: f64,
    pub(crate) queue: f64,
    pub(crate) queue_95: f64,
}

impl World {
    pub(crate) fn new(path: Path) -> Self {
        let seed = Seed::new(path.seed);
        Self {
            now: 0,
            path,
            flows: Vec::new(),
            timers: Vec::new(),
            events: BinaryHeap::new(),
            slots: Vec::new(),
            free: Vec::new(),
            order: 0,
            lines: Vec::new(),
            turn: VecDeque::new(),
            credit: Vec::new(),
            length: 0,
            sending: None,
            arrived: 0,
            carried: 0,
            dropped: 0,
            waits: Vec::new(),
            loss: seed.stream("forward"),
            jitter: seed.stream("jitter"),
        }
    }

    /// A flow that sends without end: `sliding`, or TCP with this congestion law.
    pub(crate) fn add(&mut self, name: &str, start: u64) {
        let ends = if name == "sliding" {
            let config = SlidingConfig::default();
            let end = |side| End::Sliding(Box::new(SlidingConnection::new(&config, side)));
            [end(Side::Client), end(Side::Server)]
        } else {
            let mut config = TcpConfig::profile(Profile::Linux);
            config.congestion = serde_json::from_str(&format!("{{\"law\":\"{name}\"}}")).unwrap();
            // The bottleneck is not on the sender's host.
            config.tsq = serde_json::from_str("false").unwrap();
            let end = |role, iss| End::Tcp(Box::new(Connection::new(&config, role, Seq(iss))));
            [end(Role::Active, 5), end(Role::Passive, 7)]
        };
        let flow = self.flows.len();
        self.flows.push(ends);
        self.timers.push([u64::MAX; 2]);
        if flow == 0 || self.path.queue == Queue::FqCodel {
            self.lines.push(Line::default());
            self.credit.push(0);
        }
        self.at(start, Event::Start(flow));
    }

    /// Other traffic occupies the link for this time.
    pub(crate) fn occupy(&mut self, ns: u64) {
        self.sending = Some((NO_FLOW, Segment::default()));
        self.at(self.now + ns, Event::Sent);
    }

    fn at(&mut self, when: u64, event: Event) {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            self.slots.len() - 1
        });
        self.slots[slot] = Some(event);
        self.order += 1;
        self.events.push(Reverse((when, self.order, slot)));
    }

    pub(crate) fn run(&mut self, until: u64) {
        while let Some(Reverse((when, _, slot))) = self.events.peek().copied()
            && when <= until
        {
            self.events.pop();
            self.now = when;
            self.free.push(slot);
            let Some(event) = self.slots[slot].take() else { continue };
            match event {
                Event::Sent => {
                    if let Some((flow, segment)) = self.sending.take()
                        && flow != NO_FLOW
                        && !self.loss.chance(self.path.loss)
                    {
                        self.travel(flow, Side::Server, segment);
                    }
                    self.serve();
                }
                Event::Arrives(flow, side, segment) => {
                    self.with(flow, side, |e, now, cx| each!(e, c => c.handle(now, segment, cx)));
                    self.drain(flow);
                }
                Event::Start(flow) => {
                    let now = Nanos(when);
                    match &mut self.flows[flow][0] {
                        End::Sliding(c) => {
                            c.open(now);
                            c.write(now, 1 << 60);
                        }
                        End::Tcp(c) => {
                            c.open(now);
                        }
                    }
                    self.drain(flow);
                }
                Event::Timer(flow, side) => {
                    if self.timers[flow][side as usize] == when {
                        self.timers[flow][side as usize] = u64::MAX;
                        self.with(flow, side, |e, now, cx| each!(e, c => c.on_timer(now, cx)));
                        self.drain(flow);
                    }
                }
            }
        }
        self.now = until;
    }

    fn with<T>(
        &mut self,
        flow: usize,
        side: Side,
        f: impl FnOnce(&mut End, Nanos, &mut Cx<'_, NoProbe>) -> T,
    ) -> T {
        let source = EventSource::Endpoint(EndpointId::new(flow as u32, side));
        let end = &mut self.flows[flow][side as usize];
        f(end, Nanos(self.now), &mut Cx::new(&mut NoProbe, source))
    }

    /// Takes what the ends of a flow send, and their timers.
    fn drain(&mut self, flow: usize) {
        let now = Nanos(self.now);
        if let End::Tcp(c) = &mut self.flows[flow][0]
            && c.writable() > 0
        {
            c.write(now, 1 << 40);
        }
        for side in [Side::Client, Side::Server] {
            while let Some(segment) =
                self.with(flow, side, |e, now, cx| each!(e, c => c.poll(now, cx)))
            {
                if side == Side::Client {
                    self.enqueue(flow, segment);
                } else {
                    self.travel(flow, Side::Client, segment);
                }
            }
            let timer = each!(&self.flows[flow][side as usize], c => c.next_timer()).0;
            let timer = if timer == u64::MAX { timer } else { timer.max(self.now) };
            if timer != self.timers[flow][side as usize] {
                self.timers[flow][side as usize] = timer;
                if timer < u64::MAX {
                    self.at(timer, Event::Timer(flow, side));
                }
            }
        }
    }

    fn enqueue(&mut self, flow: usize, segment: Segment) {
        let (limit, line) = match self.path.queue {
            Queue::Tail(packets) => (packets, 0),
            Queue::Codel => (1000, 0),
            Queue::FqCodel => (10_240, flow),
        };
        if self.length >= limit {
            self.dropped += u64::from(segment.wire_len());
            return;
        }
        self.length += 1;
        if self.lines[line].items.is_empty() {
            if self.path.queue == Queue::FqCodel {
                self.turn.retain(|l| *l != line);
                self.turn.push_front(line);
                self.credit[line] = QUANTUM;
            } else {
                self.turn.push_back(line);
            }
        }
        self.lines[line].push((flow, segment, self.now));
        self.serve();
    }

    /// Sends the next packet if the link is idle.
    fn serve(&mut self) {
        while self.sending.is_none()
            && let Some(line) = self.turn.front().copied()
        {
            if self.path.queue == Queue::FqCodel && self.credit[line] <= 0 {
                self.credit[line] += QUANTUM;
                self.turn.rotate_left(1);
                continue;
            }
            let before = self.lines[line].items.len();
            let mut dropped = 0;
            let item: Option<Item> = match self.path.queue {
                Queue::Tail(_) => self.lines[line].pop(),
                _ => self.lines[line].next(self.now, |i| dropped += u64::from(i.1.wire_len())),
            };
            self.dropped += dropped;
            self.length -= before - self.lines[line].items.len();
            if self.lines[line].items.is_empty() {
                self.turn.pop_front();
            }
            let Some((flow, segment, since)) = item else { continue };
            let bytes = u64::from(segment.wire_len());
            self.credit[line] -= bytes as i64;
            self.carried += bytes;
            self.waits.push(((self.now - since) as f64 / 1e6) as f32);
            self.sending = Some((flow, segment));
            self.at(self.now + bytes * 8 * SECOND / self.path.rate, Event::Sent);
        }
    }

    fn travel(&mut self, flow: usize, to: Side, segment: Segment) {
        let mut when = self.now + (self.path.rtt_ms * 5e5) as u64;
        if self.path.jitter_ms > 0.0 && to == Side::Server {
            when += self.jitter.below((self.path.jitter_ms * 1e6) as u64);
            self.arrived = self.arrived.max(when);
            when = self.arrived;
        }
        self.at(when, Event::Arrives(flow, to, segment));
    }

    fn delivered(&self) -> Vec<u64> {
        self.flows.iter().map(|f| each!(&f[1], c => c.delivered())).collect()
    }

    /// Runs from the present to `until`, in seconds.
    pub(crate) fn measure(&mut self, until: u64) -> Measured {
        let (delivered, sent, from) = (self.delivered(), self.carried + self.dropped, self.now);
        self.waits.clear();
        self.run(until * SECOND);
        let seconds = (self.now - from) as f64 / 1e9;
        let got = self.delivered();
        let rates = got.iter().zip(&delivered).map(|(a, b)| (a - b) as f64 * 8e-6 / seconds);
        let bits = (self.carried + self.dropped - sent) as f64 * 8.0;
        self.waits.sort_by(f32::total_cmp);
        let queue =
            self.waits.iter().map(|w| f64::from(*w)).sum::<f64>() / self.waits.len().max(1) as f64;
        let high = self.waits.get(self.waits.len() * 95 / 100).copied().unwrap_or(0.0);
        Measured {
            rates: rates.collect(),
            load: bits / seconds / self.path.rate as f64,
            queue,
            queue_95: f64::from(high),
        }
    }
}
