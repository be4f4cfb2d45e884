//! Two connections with a machine between them, in virtual time.
//!
//! ```text
//! client -- pipes[0] --> machine -- pipes[1] --> server
//! client <-- pipes[3] -- machine <-- pipes[2] -- server
//! ```
//! The machine guards the server: a segment that comes out of `pipes[1]` counts as acknowledged by
//! the link layer. A packet that is lost between machine and server counts as given up by the link layer,
//! and so does one that arrives twice: its sender does not know that it has arrived. At one instant segments arrive first, then timers fire. Leaves out rate and
//! queues: see the `sim` crate.

use std::collections::BTreeMap;

use airtcp_packet::{EndpointId, Packet, Segment, Seq, Side};
use airtcp_probe::{Cx, EventSource, Machine, NoProbe};
use airtcp_transport::middle::{Middlebox, Verdict};
use airtcp_transport::tcp::{Connection, Role, TcpConfig};
use airtcp_units::{Nanos, Span};

use crate::Pipe;
use crate::arrived::Arrived;

/// Where a segment is on its way.
#[derive(Debug, Clone, Copy)]
enum Stop {
    Machine,
    End,
}

/// A client and a server with a machine between them.
#[derive(Debug)]
pub struct Through {
    /// The side that opens, then the side that waits for it.
    pub ends: [Connection; 2],
    /// The machine.
    pub middle: Box<dyn Middlebox>,
    /// From client to machine, machine to server, server to machine, machine to client.
    pub pipes: [Pipe; 4],
    now: Nanos,
    travelling: BTreeMap<(Nanos, u64), (Stop, Packet)>,
    sent: [u64; 4],
    arrived: [Arrived; 2],
    ordinal: u64,
}

impl Through {
    /// Two ends of this configuration, with pipes that take 10 ms each.
    pub fn new(config: &TcpConfig, iss: [Seq; 2], middle: Box<dyn Middlebox>) -> Self {
        Self {
            ends: [
                Connection::new(config, Role::Active, iss[0]),
                Connection::new(config, Role::Passive, iss[1]),
            ],
            middle,
            pipes: [Pipe::new(Span::from_millis(10)); 4],
            now: Nanos::ZERO,
            travelling: BTreeMap::new(),
            sent: [0; 4],
            arrived: [Arrived::new(iss[1]), Arrived::new(iss[0])],
            ordinal: 0,
        }
    }

    /// The endpoint that the machine guards: the server.
    pub const fn guarded() -> EndpointId {
        EndpointId::new(0, Side::Server)
    }

    /// The present.
    pub const fn now(&self) -> Nanos {
        self.now
    }

    /// Packets that entered each pipe.
    pub const fn sent(&self) -> [u64; 4] {
        self.sent
    }

    /// The connection of `side`.
    pub const fn end(&mut self, side: Side) -> &mut Connection {
        &mut self.ends[side as usize]
    }

    /// Payload that has arrived at `side` without a gap, by a record of its own.
    pub const fn arrived_in_order(&self, side: Side) -> u64 {
        self.arrived[side as usize].in_order()
    }

    /// Goes to the next instant at which something happens. False if nothing ever will.
    pub fn step(&mut self) -> bool {
        self.drain();
        let arrival = self.travelling.first_key_value().map_or(Nanos::NEVER, |(k, _)| k.0);
        let timers = [self.ends[0].next_timer(), self.ends[1].next_timer()];
        let timer = timers[0].min(timers[1]).min(self.middle.next_timer());
        if arrival.min(timer) == Nanos::NEVER {
            return false;
        }
        self.now = self.now.max(arrival.min(timer));
        if arrival <= timer {
            if let Some((_, (stop, packet))) = self.travelling.pop_first() {
                self.arrive(stop, packet);
            }
        } else {
            for side in [Side::Client, Side::Server] {
                if timers[side as usize] <= self.now {
                    self.on(side, Machine::on_timer);
                }
            }
            self.middle.on_timer(self.now);
        }
        self.drain();
        true
    }

    fn arrive(&mut self, stop: Stop, mut packet: Packet) {
        let side = packet.to.side();
        match stop {
            Stop::Machine => match self.middle.pass(self.now, &packet) {
                Verdict::Pass => self.send_on(packet),
                Verdict::Mark => {
                    packet.segment.set_loss_mark();
                    self.send_on(packet);
                }
                Verdict::Absorb => {}
            },
            Stop::End => {
                self.arrived[side as usize].take(&packet.segment);
                let watched = side == Side::Server && self.middle.watches_air();
                if watched {
                    self.middle.on_received(self.now, &packet);
                }
                self.on(side, |end, now, cx| end.handle(now, packet.segment, cx));
                if watched {
                    self.drain();
                    self.middle.on_acknowledged(self.now, &packet);
                }
            }
        }
    }

    /// Moves what ends and machine want to send.
    fn drain(&mut self) {
        for side in [Side::Client, Side::Server] {
            while let Some(segment) = self.on(side, Machine::poll) {
                self.leave(side, segment);
            }
        }
        while let Some(packet) = self.middle.poll(self.now) {
            self.send_on(packet);
        }
    }

    fn leave(&mut self, side: Side, segment: Segment) {
        let packet = Packet { to: EndpointId::new(0, side.peer()), segment };
        let guards = side == Side::Server && self.middle.guards_stations();
        if guards && self.middle.leave(self.now, &packet) == Verdict::Absorb {
            return;
        }
        let pipe = if side == Side::Client { 0 } else { 2 };
        self.enter(pipe, Stop::Machine, packet);
    }

    /// From the machine to the end that a packet is for.
    fn send_on(&mut self, packet: Packet) {
        let pipe = if packet.to.side() == Side::Server { 1 } else { 3 };
        self.enter(pipe, Stop::End, packet);
    }

    fn enter(&mut self, pipe: usize, stop: Stop, packet: Packet) {
        let number = self.sent[pipe];
        self.sent[pipe] += 1;
        let over_air = pipe == 1 || pipe == 2;
        if over_air && self.middle.hears_losses() && packet.segment.len > 0 {
            let copies = self.pipes[pipe].copies(number).count();
            if copies != 1 {
                self.middle.on_given_up(&packet, pipe == 1);
            }
        }
        for after in self.pipes[pipe].copies(number) {
            self.travelling.insert((self.now + after, self.ordinal), (stop, packet));
            self.ordinal += 1;
        }
    }

    fn on<T>(
        &mut self,
        side: Side,
        f: impl FnOnce(&mut Connection, Nanos, &mut Cx<'_, NoProbe>) -> T,
    ) -> T {
        let who = EventSource::Endpoint(EndpointId::new(0, side));
        f(&mut self.ends[side as usize], self.now, &mut Cx::new(&mut NoProbe, who))
    }
}
