//! Flows over one bottleneck in virtual time: a rate, a drop-tail queue, a delay, losses. The
//! reverse path only delays. Records what tests of congestion laws need.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use airtcp_packet::{EndpointId, Segment, Seq, Side};
use airtcp_probe::{Cx, EventSource, Machine, Probe};
use airtcp_units::{BitRate, Nanos, Span, TxClock};

use crate::tcp::{Connection, Role, TcpConfig};

/// TCP and IP headers without options.
pub(crate) const HEADERS: u64 = 40;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Path {
    pub(crate) rate: BitRate,
    /// One way.
    pub(crate) delay: Span,
    /// Packets that can wait, without the one in transmission.
    pub(crate) queue: usize,
    /// Share of data segments lost after the queue.
    pub(crate) loss: f64,
    /// Before the queue, at most this many bytes per second pass, in bursts of the second number.
    pub(crate) policer: Option<(u64, u64)>,
    /// ACKs arrive only at multiples of this.
    pub(crate) ack_slot: Option<Span>,
    /// Share of data segments that arrive this much later.
    pub(crate) late: Option<(f64, Span)>,
}

impl Default for Path {
    /// 10 Mb/s, 80 ms, a queue that never overflows.
    fn default() -> Self {
        Self {
            rate: BitRate::from_mbps(10),
            delay: Span::from_millis(40),
            queue: 1000,
            loss: 0.0,
            policer: None,
            ack_slot: None,
            late: None,
        }
    }
}

impl Path {
    /// Payload per second of full segments.
    pub(crate) fn payload_rate(&self, mss: u64) -> f64 {
        self.rate.bps() as f64 * mss as f64 / (mss + HEADERS) as f64
    }

    /// Round trip of a segment with `payload` and its ACK over the empty path.
    pub(crate) fn rtt(&self, payload: u64) -> Span {
        self.delay * 2 + self.rate.time_for(payload + HEADERS)
    }
}

/// Records no events: the tests read the connections.
#[derive(Debug, Default)]
struct Silent;

impl Probe for Silent {
    const ON: bool = false;
    fn record(&mut self, _: Nanos, _: EventSource, _: &airtcp_probe::Event) {}
}

/// State of a flow at one of its ACKs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen {
    pub(crate) at: Nanos,
    pub(crate) state: &'static str,
    pub(crate) cwnd: u64,
    pub(crate) pipe: u64,
    pub(crate) bandwidth: u64,
    pub(crate) queued: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    /// The bottleneck has sent its packet.
    Sent,
    /// The segment with this number in the store arrives at that side of a flow.
    Arrive(usize, bool, usize),
}

pub(crate) struct Bottleneck {
    pub(crate) now: Nanos,
    pub(crate) path: Path,
    /// Client and server of each flow.
    pub(crate) flows: Vec<(Connection, Connection)>,
    pub(crate) seen: Vec<Vec<Seen>>,
    /// Departures of the data segments of each flow, with payload and pacing rate at that time.
    pub(crate) departures: Vec<Vec<(Nanos, u64, Option<BitRate>)>>,
    pub(crate) dropped: u64,
    pub(crate) forwarded: u64,
    clock: TxClock,
    queue: VecDeque<(usize, Segment)>,
    tokens: (u64, Nanos),
    sending: Option<(usize, Segment)>,
    events: BinaryHeap<Reverse<(Nanos, u64, What)>>,
    order: u64,
    store: Vec<Option<Segment>>,
    free: Vec<usize>,
    draws: u64,
}

impl Bottleneck {
    pub(crate) fn new(path: Path, configs: &[TcpConfig]) -> Self {
        let flows = configs
            .iter()
            .zip(1u32..)
            .map(|(config, n)| {
                config.validate().unwrap();
                let client = Connection::new(config, Role::Active, Seq(77 * n));
                (client, Connection::new(config, Role::Passive, Seq(99 * n)))
            })
            .collect::<Vec<_>>();
        Self {
            now: Nanos::ZERO,
            path,
            seen: vec![Vec::new(); flows.len()],
            departures: vec![Vec::new(); flows.len()],
            flows,
            dropped: 0,
            forwarded: 0,
            clock: TxClock::new(path.rate),
            queue: VecDeque::new(),
            tokens: (path.policer.map_or(0, |p| p.1), Nanos::ZERO),
            sending: None,
            events: BinaryHeap::new(),
            order: 0,
            store: Vec::new(),
            free: Vec::new(),
            draws: 0,
        }
    }

    /// Opens a flow and writes `bytes` (`u64::MAX`: endless).
    pub(crate) fn open(&mut self, flow: usize, bytes: u64) {
        let now = self.now;
        self.flows[flow].0.open(now);
        self.write(flow, bytes);
    }

    pub(crate) fn write(&mut self, flow: usize, bytes: u64) {
        let now = self.now;
        self.flows[flow].0.write(now, bytes);
        self.drain(flow, true);
    }

    /// Sets the bottleneck's rate from now on.
    pub(crate) fn set_rate(&mut self, rate: BitRate) {
        self.path.rate = rate;
        self.clock = TxClock::new(rate);
    }

    fn at(&mut self, when: Nanos, what: What) {
        self.order += 1;
        self.events.push(Reverse((when, self.order, what)));
    }

    fn keep(&mut self, segment: Segment) -> usize {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.store.push(None);
            self.store.len() - 1
        });
        self.store[slot] = Some(segment);
        slot
    }

    fn draw(&mut self) -> f64 {
        // Weyl steps through a mixer: independent enough for losses, and the same in each run.
        self.draws += 1;
        let mut z = self.draws.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn polices(&mut self, size: u64) -> bool {
        let Some((rate, burst)) = self.path.policer else { return false };
        let earned = rate as f64 * self.now.since(self.tokens.1).as_secs_f64();
        self.tokens = ((self.tokens.0 + earned as u64).min(burst), self.now);
        let pass = self.tokens.0 >= size;
        if pass {
            self.tokens.0 -= size;
        }
        !pass
    }

    fn drain(&mut self, flow: usize, client: bool) {
        let side = if client { Side::Client } else { Side::Server };
        let source = EventSource::Endpoint(EndpointId::new(flow as u32, side));
        loop {
            let end = &mut self.flows[flow];
            let end = if client { &mut end.0 } else { &mut end.1 };
            let mut silent = Silent;
            let mut cx = Cx::new(&mut silent, source);
            let Some(segment) = end.poll(self.now, &mut cx) else { return };
            if !client {
                let slot = self.keep(segment);
                let mut when = self.now + self.path.delay;
                if let Some(slot) = self.path.ack_slot {
                    when = Nanos(when.0.next_multiple_of(slot.0));
                }
                self.at(when, What::Arrive(flow, true, slot));
                continue;
            }
            if segment.len > 0 {
                let rate = end.pacing_rate();
                self.departures[flow].push((self.now, u64::from(segment.len), rate));
            }
            let size = u64::from(segment.len) + HEADERS;
            if self.polices(size) || self.queue.len() >= self.path.queue {
                self.dropped += 1;
            } else {
                self.queue.push_back((flow, segment));
                self.serve();
            }
        }
    }

    fn serve(&mut self) {
        if self.sending.is_some() {
            return;
        }
        let Some((flow, segment)) = self.queue.pop_front() else { return };
        let time = self.clock.transmit(u64::from(segment.len) + HEADERS);
        self.sending = Some((flow, segment));
        self.at(self.now + time, What::Sent);
    }

    fn step(&mut self, until: Nanos) -> bool {
        let event = self.events.peek().map_or(Nanos::NEVER, |e| e.0.0);
        let timers = self
            .flows
            .iter()
            .enumerate()
            .flat_map(|(i, f)| [(f.0.next_timer(), i, true), (f.1.next_timer(), i, false)]);
        let timer = timers.min().unwrap_or((Nanos::NEVER, 0, true));
        let next = event.min(timer.0);
        if next > until || next == Nanos::NEVER {
            return false;
        }
        self.now = next;
        if event > timer.0 {
            let (_, flow, client) = timer;
            let side = if client { Side::Client } else { Side::Server };
            let source = EventSource::Endpoint(EndpointId::new(flow as u32, side));
            let end = &mut self.flows[flow];
            let end = if client { &mut end.0 } else { &mut end.1 };
            end.on_timer(next, &mut Cx::new(&mut Silent, source));
            self.drain(flow, client);
            return true;
        }
        let Some(Reverse((_, _, what))) = self.events.pop() else { return false };
        match what {
            What::Sent => {
                if let Some((flow, segment)) = self.sending.take() {
                    self.forwarded += 1;
                    if segment.len == 0 || self.draw() >= self.path.loss {
                        let slot = self.keep(segment);
                        let late = self.path.late.filter(|l| self.draw() < l.0);
                        let delay = self.path.delay + late.map_or(Span::ZERO, |l| l.1);
                        self.at(next + delay, What::Arrive(flow, false, slot));
                    }
                }
                self.serve();
            }
            What::Arrive(flow, client, slot) => {
                self.free.push(slot);
                let Some(segment) = self.store[slot].take() else { return true };
                let side = if client { Side::Client } else { Side::Server };
                let source = EventSource::Endpoint(EndpointId::new(flow as u32, side));
                let end = &mut self.flows[flow];
                let end = if client { &mut end.0 } else { &mut end.1 };
                end.handle(next, segment, &mut Cx::new(&mut Silent, source));
                if client {
                    self.look(flow);
                }
                self.drain(flow, client);
            }
        }
        true
    }

    fn look(&mut self, flow: usize) {
        use airtcp_congestion::{CongestionControl, LawState};
        let c = &self.flows[flow].0;
        let state = match c.law_state() {
            LawState::Other(name) => name,
            LawState::SlowStart => "slow-start",
            LawState::Avoidance => "avoidance",
        };
        self.seen[flow].push(Seen {
            at: self.now,
            state,
            cwnd: c.cwnd(),
            pipe: c.pipe(),
            bandwidth: c.law().bandwidth().map_or(0, BitRate::bps),
            queued: self.queue.len(),
        });
    }

    /// Runs until `until`.
    pub(crate) fn run(&mut self, until: Nanos) {
        while self.step(until) {}
        self.now = until;
    }

    /// Payload that a flow has delivered.
    pub(crate) fn delivered(&self, flow: usize) -> u64 {
        self.flows[flow].1.delivered()
    }

    /// The records of a flow between two times in seconds.
    pub(crate) fn between(&self, flow: usize, from: f64, to: f64) -> impl Iterator<Item = &Seen> {
        let (from, to) = (Nanos::from_secs_f64(from), Nanos::from_secs_f64(to));
        self.seen[flow].iter().filter(move |s| s.at >= from && s.at < to)
    }

    /// The states of a flow, each with the time at which it began.
    pub(crate) fn states(&self, flow: usize) -> Vec<(&'static str, Nanos)> {
        let mut states: Vec<(&'static str, Nanos)> = Vec::new();
        for s in &self.seen[flow] {
            if states.last().is_none_or(|l| l.0 != s.state) {
                states.push((s.state, s.at));
            }
        }
        states
    }
}
