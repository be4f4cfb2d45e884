//! Two connections joined by a pipe, in virtual time.
//!
//! The driver jumps from event to event: at one instant segments arrive first, then timers fire,
//! as everywhere in this project. Beside the connections it keeps a record of its own of what
//! has arrived, with which a test can hold them to "every byte once, in order". Times in
//! nanoseconds, sizes in bytes. Leaves out rate and queues: see the `sim` crate.

use std::collections::BTreeMap;

use airtcp_packet::{EndpointId, Segment, Seq, Side};
use airtcp_probe::{Cx, Machine, NoProbe, Who};
use airtcp_transport::tcp::{Connection, Corrupted, LossNotification, Role, TcpConfig};
use airtcp_units::{Nanos, Span};

use crate::Pipe;
use crate::arrived::Arrived;

/// Most events in one call of [`Pair::run`].
const MAX_EVENTS: u64 = 20_000_000;

/// Why [`Pair::run`] gave up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stall {
    /// Still busy after the time allowed.
    Time,
    /// Too many events: two machines keep each other awake.
    Events,
}

/// A client and a server with a pipe in either direction.
#[derive(Debug)]
pub struct Pair {
    /// The side that opens.
    pub client: Connection,
    /// The side that waits for it.
    pub server: Connection,
    /// The way from client to server.
    pub to_server: Pipe,
    /// The way back.
    pub to_client: Pipe,
    now: Nanos,
    travelling: BTreeMap<(Nanos, u64), (Side, Segment)>,
    /// What the pipes lost, for those who ask, at the time it would have arrived.
    corrupted: BTreeMap<(Nanos, u64), (Side, Corrupted)>,
    /// Packets sent by client and server.
    sent: [u64; 2],
    /// What has arrived at client and server.
    arrived: [Arrived; 2],
    ordinal: u64,
    /// Whether client and server are told of corrupted packets.
    asks: [bool; 2],
}

impl Pair {
    /// A pair whose pipes take 10 ms each way. Nothing is opened yet.
    pub fn new(client: &TcpConfig, server: &TcpConfig) -> Self {
        Self::with_iss(client, server, Seq(1_000), Seq(2_000_000_000))
    }

    /// A pair with the initial sequence numbers of its two sides.
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

    /// The present.
    pub const fn now(&self) -> Nanos {
        self.now
    }

    /// Packets that `side` has sent.
    pub const fn sent(&self, side: Side) -> u64 {
        self.sent[side as usize]
    }

    /// Payload that has arrived at `side` without a gap, by the pair's own record.
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

    /// Goes to the next instant at which something happens. False if nothing ever will.
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

    /// Runs until nothing is left to do.
    ///
    /// # Errors
    /// If that is not the case after `limit`.
    pub fn run(&mut self, limit: Span) -> Result<(), Stall> {
        self.run_while(limit, |_| true)
    }

    /// Runs while `wanted` says so and there is something to do; it is asked after each step.
    ///
    /// # Errors
    /// If neither ends within `limit`.
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
        let who = Who::Endpoint(EndpointId::new(0, side));
        let connection = match side {
            Side::Client => &mut self.client,
            Side::Server => &mut self.server,
        };
        f(connection, self.now, &mut Cx::new(&mut NoProbe, who))
    }
}
