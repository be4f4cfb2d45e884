//! Two connections joined by pipes, in virtual time.
//!
//! At one instant, segments arrive before timers fire. The driver keeps its own record of arrived payload,
//! with which a test checks that every byte is delivered once and in order. Times in nanoseconds, sizes in
//! bytes. Leaves out rate and queues: see the `sim` crate.

use std::collections::BTreeMap;

use airtcp_packet::{EndpointId, Segment, Seq, Side};
use airtcp_probe::{Cx, EventSource, Machine, NoProbe};
use airtcp_transport::tcp::{Connection, Corrupted, LossNotification, Role, TcpConfig};
use airtcp_units::{Nanos, Span};

use crate::Pipe;
use crate::arrived::Arrived;

/// Maximum number of events in one call of [`Pair::run`].
const MAX_EVENTS: u64 = 20_000_000;

/// Why [`Pair::run`] failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stall {
    /// Not finished within the time limit.
    Time,
    /// Too many events: two machines wake each other without end.
    Events,
}

/// A client and a server with a pipe in either direction.
#[derive(Debug)]
pub struct Pair {
    /// The side that opens the connection.
    pub client: Connection,
    /// The side that accepts the connection.
    pub server: Connection,
    /// Pipe from client to server.
    pub to_server: Pipe,
    /// Pipe from server to client.
    pub to_client: Pipe,
    now: Nanos,
    travelling: BTreeMap<(Nanos, u64), (Side, Segment)>,
    /// Corruption notices of lost packets, at the times at which the packets would have arrived.
    corrupted: BTreeMap<(Nanos, u64), (Side, Corrupted)>,
    /// Packets sent by client and server.
    sent: [u64; 2],
    /// Payload that has arrived at client and server.
    arrived: [Arrived; 2],
    ordinal: u64,
    /// True for a side that receives corruption notices.
    asks: [bool; 2],
}

impl Pair {
    /// A pair with pipes of 10 ms each way, not opened yet.
    pub fn new(client: &TcpConfig, server: &TcpConfig) -> Self {
        Self::with_iss(client, server, Seq(1_000), Seq(2_000_000_000))
    }

    /// A pair with the given initial sequence numbers.
    pub fn with_iss(client: &TcpConfig, server: &TcpConfig, ours: Seq, theirs: Seq) -> Self {
        let pipe = Pipe::new(Span::from_millis(10));
        Self {
            client: Connection::new(client, Role::Active, ours),
            server: Connection::new(server, Role::Passive, theirs),
            to_server: pipe,
            to_client: pipe,
            now: Nanos::ZERO,
            travelling: BTreeMap::new(),
            corrupted: BTreeMap::new(),
            sent: [0; 2],
            arrived: [Arrived::new(theirs), Arrived::new(ours)],
            ordinal: 0,
            asks: [client, server].map(|c| c.loss_notification == LossNotification::Oracle),
        }
    }

    /// Current time.
    pub const fn now(&self) -> Nanos {
        self.now
    }

    /// Packets that `side` has sent.
    pub const fn sent(&self, side: Side) -> u64 {
        self.sent[side as usize]
    }

    /// Payload that has arrived at `side` without a gap, by the pair's own record, in bytes.
    pub const fn arrived_in_order(&self, side: Side) -> u64 {
        self.arrived[side as usize].in_order()
    }

    /// The connection of `side`.
    pub const fn end(&self, side: Side) -> &Connection {
        match side {
            Side::Client => &self.client,
            Side::Server => &self.server,
        }
    }

    /// Advances to the next instant with an event. False if there is none.
    pub fn step(&mut self) -> bool {
        self.drain();
        let first = |key: Option<(Nanos, u64)>| key.map_or(Nanos::NEVER, |k| k.0);
        let arrival = first(self.travelling.first_key_value().map(|(k, _)| *k));
        let notice = first(self.corrupted.first_key_value().map(|(k, _)| *k));
        let timer = self.client.next_timer().min(self.server.next_timer());
        let next = arrival.min(notice).min(timer);
        if next == Nanos::NEVER {
            return false;
        }
        self.now = self.now.max(next);
        if notice <= arrival.min(timer) {
            if let Some((_, (side, lost))) = self.corrupted.pop_first() {
                self.on(side, |connection, now, _| connection.on_corrupted(now, &lost));
            }
        } else if arrival <= timer {
            if let Some((_, (side, segment))) = self.travelling.pop_first() {
                self.arrived[side as usize].take(&segment);
                self.on(side, |connection, now, cx| connection.handle(now, segment, cx));
            }
        } else {
            for side in [Side::Client, Side::Server] {
                if self.end(side).next_timer() <= self.now {
                    self.on(side, Machine::on_timer);
                }
            }
        }
        self.drain();
        true
    }

    /// Runs until no event is left.
    ///
    /// # Errors
    /// If events are left after `limit`.
    pub fn run(&mut self, limit: Span) -> Result<(), Stall> {
        self.run_while(limit, |_| true)
    }

    /// Runs while events are left and `wanted` is true. Calls `wanted` after each step.
    ///
    /// # Errors
    /// If neither becomes false within `limit`.
    pub fn run_while(
        &mut self,
        limit: Span,
        mut wanted: impl FnMut(&mut Self) -> bool,
    ) -> Result<(), Stall> {
        let end = self.now + limit;
        for _ in 0..MAX_EVENTS {
            if !self.step() || !wanted(self) {
                return Ok(());
            }
            if self.now > end {
                return Err(Stall::Time);
            }
        }
        Err(Stall::Events)
    }

    fn drain(&mut self) {
        let asks = self.asks;
        for side in [Side::Client, Side::Server] {
            while let Some(segment) = self.on(side, Machine::poll) {
                let n = self.sent[side as usize];
                self.sent[side as usize] += 1;
                let pipe = if side == Side::Client { self.to_server } else { self.to_client };
                if asks[side as usize] && pipe.copies(n).next().is_none() {
                    let lost = Corrupted { segment, started: self.now };
                    self.corrupted.insert((self.now + pipe.delay, self.ordinal), (side, lost));
                    self.ordinal += 1;
                }
                for after in pipe.copies(n) {
                    self.travelling
                        .insert((self.now + after, self.ordinal), (side.peer(), segment));
                    self.ordinal += 1;
                }
            }
        }
    }

    fn on<T>(
        &mut self,
        side: Side,
        f: impl FnOnce(&mut Connection, Nanos, &mut Cx<'_, NoProbe>) -> T,
    ) -> T {
        let source = EventSource::Endpoint(EndpointId::new(0, side));
        let connection = match side {
            Side::Client => &mut self.client,
            Side::Server => &mut self.server,
        };
        f(connection, self.now, &mut Cx::new(&mut NoProbe, source))
    }
}
