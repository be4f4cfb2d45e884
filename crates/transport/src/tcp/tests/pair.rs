//! The pair driver: two ends, a delay each way, and a script that decides the fate of each segment.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use airtcp_packet::{EndpointId, Segment, Seq, Side};
use airtcp_probe::{Cx, Event, EventSource, Machine, Probe};
use airtcp_units::{Nanos, Span};

use crate::tcp::{Connection, Role, TcpConfig};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Deliver,
    Drop,
    /// Delivered with this additional delay.
    Late(Span),
    /// Delivered, and a second time with this additional delay.
    Twice(Span),
    /// Delivered with the congestion-experienced mark.
    Mark,
    /// Delivered not before this time, like everything behind a stalled link.
    Held(Nanos),
}

/// A segment that left an end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sent {
    pub(super) at: Nanos,
    pub(super) from: Side,
    pub(super) segment: Segment,
}

#[derive(Debug, Default)]
pub(super) struct Log(pub(super) Vec<(Nanos, EventSource, Event)>);

impl Probe for Log {
    const ON: bool = true;
    fn record(&mut self, now: Nanos, source: EventSource, event: &Event) {
        self.0.push((now, source, *event));
    }
}

/// Decides fates by the side that a segment leaves, its ordinal in that direction, and the segment.
pub(super) type Script = Box<dyn FnMut(Side, usize, &Segment) -> Fate>;

pub(super) struct Pair {
    pub(super) now: Nanos,
    pub(super) client: Connection,
    pub(super) server: Connection,
    pub(super) delay: Span,
    pub(super) script: Script,
    pub(super) sent: Vec<Sent>,
    pub(super) log: Log,
    counts: [usize; 2],
    order: u64,
    flying: BinaryHeap<Reverse<(Nanos, u64, usize)>>,
    segments: Vec<(Side, Segment)>,
    /// Most segments that a poll may return.
    pub(super) most: u32,
    /// Longest run of segments that a poll returned.
    pub(super) longest: u32,
    /// The server's application closes when the client has closed.
    pub(super) server_closes: bool,
    /// Keeps sent segments and events (off for long runs).
    pub(super) keep: bool,
}

impl Pair {
    pub(super) fn new(config: &TcpConfig, delay: Span) -> Self {
        Self::with(config, config, delay)
    }

    pub(super) fn with(client: &TcpConfig, server: &TcpConfig, delay: Span) -> Self {
        client.validate().unwrap();
        server.validate().unwrap();
        Self {
            now: Nanos::ZERO,
            // Sequence numbers that wrap soon, in both directions.
            client: Connection::new(client, Role::Active, Seq(u32::MAX - 3000)),
            server: Connection::new(server, Role::Passive, Seq(u32::MAX - 1)),
            delay,
            script: Box::new(|_, _, _| Fate::Deliver),
            sent: Vec::new(),
            log: Log::default(),
            counts: [0; 2],
            order: 0,
            flying: BinaryHeap::new(),
            segments: Vec::new(),
            most: 1,
            longest: 0,
            server_closes: true,
            keep: true,
        }
    }

    pub(super) fn script(
        mut self,
        script: impl FnMut(Side, usize, &Segment) -> Fate + 'static,
    ) -> Self {
        self.script = Box::new(script);
        self
    }

    pub(super) fn end(&mut self, side: Side) -> &mut Connection {
        if side == Side::Client { &mut self.client } else { &mut self.server }
    }

    /// Calls `f` on one end and drains it.
    pub(super) fn act<R>(&mut self, side: Side, f: impl FnOnce(&mut Connection, Nanos) -> R) -> R {
        let now = self.now;
        let r = f(self.end(side), now);
        self.drain(side);
        r
    }

    fn drain(&mut self, side: Side) {
        let source = EventSource::Endpoint(EndpointId::new(0, side));
        for burst in 0.. {
            assert!(burst < 100_000, "an end never stops sending");
            let end = if side == Side::Client { &mut self.client } else { &mut self.server };
            let mut cx = Cx::new(&mut self.log, source);
            let Some(run) = end.poll_run(self.now, self.most, &mut cx) else { break };
            self.longest = self.longest.max(run.count);
            for segment in run {
                self.launch_by_script(side, segment);
            }
            if run.ends {
                break;
            }
        }
        let now = self.now;
        let next = self.end(side).next_timer();
        assert!(next >= now, "a timer in the past");
        if !self.keep {
            self.log.0.clear();
        }
    }

    /// A segment left an end: the script decides its fate.
    fn launch_by_script(&mut self, side: Side, segment: Segment) {
        let ordinal = self.counts[side as usize];
        self.counts[side as usize] += 1;
        let fate = (self.script)(side, ordinal, &segment);
        if self.keep {
            self.sent.push(Sent { at: self.now, from: side, segment });
        }
        match fate {
            Fate::Drop => {}
            Fate::Deliver => self.launch(side, segment, Span::ZERO),
            Fate::Late(extra) => self.launch(side, segment, extra),
            Fate::Held(until) => {
                let extra = until.since(self.now + self.delay);
                self.launch(side, segment, extra);
            }
            Fate::Twice(extra) => {
                self.launch(side, segment, Span::ZERO);
                self.launch(side, segment, extra);
            }
            Fate::Mark => {
                let mut marked = segment;
                assert!(segment.ecn.is_capable(), "a queue marks what may be marked");
                marked.ecn = airtcp_packet::Ecn::Ce;
                self.launch(side, marked, Span::ZERO);
            }
        }
    }

    fn launch(&mut self, from: Side, segment: Segment, extra: Span) {
        self.order += 1;
        self.segments.push((from.peer(), segment));
        let at = self.now + self.delay + extra;
        self.flying.push(Reverse((at, self.order, self.segments.len() - 1)));
    }

    /// Processes the next event, unless it is later than `until`.
    pub(super) fn step(&mut self, until: Nanos) -> bool {
        let arrival = self.flying.peek().map_or(Nanos::NEVER, |Reverse(f)| f.0);
        let timers = [self.client.next_timer(), self.server.next_timer()];
        let next = arrival.min(timers[0]).min(timers[1]);
        if next > until || next == Nanos::NEVER {
            return false;
        }
        assert!(next >= self.now);
        self.now = next;
        let side = if arrival == next {
            let Some(Reverse((_, _, i))) = self.flying.pop() else { return false };
            let (to, segment) = self.segments[i];
            let source = EventSource::Endpoint(EndpointId::new(0, to));
            let end = if to == Side::Client { &mut self.client } else { &mut self.server };
            end.handle(next, segment, &mut Cx::new(&mut self.log, source));
            to
        } else {
            let side = if timers[0] == next { Side::Client } else { Side::Server };
            let source = EventSource::Endpoint(EndpointId::new(0, side));
            let end = if side == Side::Client { &mut self.client } else { &mut self.server };
            end.on_timer(next, &mut Cx::new(&mut self.log, source));
            side
        };
        if self.flying.is_empty() {
            self.segments.clear();
        }
        self.drain(side);
        if self.server_closes && self.server.peer_closed() && !self.server.is_finished() {
            self.act(Side::Server, Connection::close);
        }
        true
    }

    /// Runs until `until`, or until no event is left.
    pub(super) fn run(&mut self, until: Nanos) {
        let mut steps = 0;
        while self.step(until) {
            steps += 1;
            assert!(steps < 5_000_000, "no end in sight at {}", self.now);
        }
        self.now = self.now.max(until.min(Nanos(u64::MAX - 1)));
    }

    /// Runs until both ends have finished. Fails if they have not by `until`.
    pub(super) fn finish(&mut self, until: Nanos) {
        let mut steps = 0;
        while !(self.client.is_finished() && self.server.is_finished()) {
            assert!(
                self.step(until),
                "stuck at {} with client {:?} and server {:?}",
                self.now,
                self.client.state(),
                self.server.state()
            );
            steps += 1;
            assert!(steps < 5_000_000, "no end in sight at {}", self.now);
        }
    }

    /// Opens, sends `bytes`, closes.
    pub(super) fn start(&mut self, bytes: u64) {
        self.act(Side::Client, |c, now| {
            c.open(now);
            c.write(now, bytes);
            c.close(now);
        });
    }

    /// Opens and completes the handshake.
    pub(super) fn connect(&mut self) {
        self.act(Side::Client, Connection::open);
        for _ in 0..1000 {
            if self.client.is_established() && self.server.is_established() {
                return;
            }
            self.step(Nanos::NEVER);
        }
        panic!("no connection");
    }

    /// Events of the client, without segments.
    pub(super) fn client_events(&self) -> impl Iterator<Item = &(Nanos, EventSource, Event)> {
        let client = EventSource::Endpoint(EndpointId::new(0, Side::Client));
        self.log.0.iter().filter(move |e| e.1 == client)
    }
}

pub(super) fn ms(n: u64) -> Span {
    Span::from_millis(n)
}

pub(super) fn at(n: u64) -> Nanos {
    Nanos(n * 1_000_000)
}
