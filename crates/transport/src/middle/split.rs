//! Split TCP: two connections in place of one, joined at a node between the ends.
//!
//! ```text
//! SYN of the client       absorbed; the half towards the server opens with the client's sequence numbers
//! SYN-ACK of the server   the half towards the client answers the SYN with the server's sequence numbers
//! data in order           written to the other half, which has its own window, recovery and timer
//! ```
//! Offsets are equal in both halves, so that a segment means the same on both sides. Data in order stay
//! in the receive buffer of a half until the other half's peer has acknowledged them: the window of
//! each half advertises what the buffer has left.
//!
//! With `late` a half acknowledges only what the other half's peer has acknowledged. ACKs that do not
//! advance are withheld, and duplicate ACKs wait until the gap is what the sender must fill. Without
//! timestamps, because an ACK that waited would give a false round-trip time.
//!
//! A reset passes to the other end and ends the split, unless that end has everything and answers a late
//! copy. After a failure all state is gone, and packets
//! pass from end to end. Sources: Bakre and Badrinath, "I-TCP: indirect TCP for mobile hosts", 1995;
//! S3 references 12 and 35. Leaves out: handover of state to another base station, and window scales
//! that agree after a failure. Sizes in bytes.

use std::collections::{BTreeMap, VecDeque};

use airtcp_packet::{EndpointId, Flags, Kind, Packet, Segment, Side};
use airtcp_probe::{Cx, EventSource, Machine, NoProbe};
use airtcp_units::{Bytes, Nanos};

use super::withhold::Withheld;
use super::{MiddleCounts, Middlebox, Verdict};
use crate::tcp::{Connection, LossNotification, Role, TcpConfig};

/// Parameters of [`Split`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SplitParams {
    /// Acknowledge only what the receiver has acknowledged.
    pub late: bool,
    /// Data of a flow and direction that the node holds.
    pub buffer: Bytes,
    /// When the node loses all state; [`Nanos::NEVER`] if never.
    pub fails_at: Nanos,
}

/// The half of a connection that faces one end.
#[derive(Debug)]
struct Half {
    connection: Connection,
    /// Payload written to it.
    written: u64,
    closed: bool,
    /// Its end has all data and FIN, and is gone: a reset has said so.
    is_answered: bool,
    /// Receive buffer.
    buffer: u64,
    withheld: Withheld,
}

/// A split flow.
#[derive(Debug)]
struct Flow {
    config: TcpConfig,
    number: u32,
    syn: Option<Segment>,
    /// Facing the client, and facing the server.
    halves: [Option<Box<Half>>; 2],
}

/// Split TCP at one node.
#[derive(Debug)]
pub struct Split {
    late: bool,
    fails_at: Nanos,
    failed: bool,
    /// It failed, and the driver has not asked yet.
    failure: bool,
    flows: BTreeMap<u32, Flow>,
    out: VecDeque<Packet>,
    counts: MiddleCounts,
}

impl Split {
    /// Splits these flows, given by number with the configuration of their ends.
    pub fn new(params: &SplitParams, flows: impl IntoIterator<Item = (u32, TcpConfig)>) -> Self {
        let flow = |(number, mut config): (u32, TcpConfig)| {
            let most = if config.window_scaling { u64::MAX } else { 0xffff };
            let least = u64::from(config.mss);
            config.receive_buffer = Bytes(params.buffer.0.clamp(least, most.max(least)));
            config.send_buffer = None;
            config.loss_notification = LossNotification::None;
            config.timestamps &= !params.late;
            (number, Flow { config, number, syn: None, halves: [None, None] })
        };
        Self {
            late: params.late,
            fails_at: params.fails_at,
            failed: false,
            failure: false,
            flows: flows.into_iter().map(flow).collect(),
            out: VecDeque::new(),
            counts: MiddleCounts::default(),
        }
    }

    fn fail_if_due(&mut self, now: Nanos) {
        if now >= self.fails_at && !self.failed {
            (self.failed, self.failure) = (true, true);
            self.counts = self.counts();
            self.flows.clear();
            self.out.clear();
        }
    }
}

impl Half {
    fn new(config: &TcpConfig, role: Role, iss: airtcp_packet::Seq) -> Box<Self> {
        let mut connection = Connection::new(config, role, iss);
        connection.set_auto_read(false);
        let (buffer, withheld) = (config.receive_buffer.0, Withheld::default());
        let (closed, is_answered) = (false, false);
        Box::new(Self { connection, written: 0, closed, is_answered, buffer, withheld })
    }

    fn handle(&mut self, now: Nanos, segment: Segment) {
        let who = EventSource::Endpoint(EndpointId::new(0, Side::Client));
        self.connection.handle(now, segment, &mut Cx::new(&mut NoProbe, who));
    }

    fn on_timer(&mut self, now: Nanos) {
        if self.connection.next_timer() <= now {
            let who = EventSource::Endpoint(EndpointId::new(0, Side::Client));
            self.connection.on_timer(now, &mut Cx::new(&mut NoProbe, who));
        }
    }

    fn poll(&mut self, now: Nanos) -> Option<Segment> {
        let who = EventSource::Endpoint(EndpointId::new(0, Side::Client));
        self.connection.poll(now, &mut Cx::new(&mut NoProbe, who))
    }
}

impl Flow {
    /// Takes a packet. Returns whether it ends here.
    fn take(&mut self, now: Nanos, packet: &Packet) -> bool {
        let segment = packet.segment;
        let from = packet.to.side().peer();
        let opens = segment.flags.has(Flags::SYN);
        if segment.flags.has(Flags::RST) {
            return self.take_reset(now, from, segment);
        }
        if from == Side::Client && opens && self.syn.is_none() {
            self.syn = Some(segment);
            let mut half = Half::new(&self.config, Role::Active, segment.seq);
            half.connection.open(now);
            self.halves[Side::Server as usize] = Some(half);
            return true;
        }
        if from == Side::Server
            && opens
            && self.halves[Side::Client as usize].is_none()
            && let Some(syn) = self.syn
        {
            let mut half = Half::new(&self.config, Role::Passive, segment.seq);
            half.handle(now, syn);
            self.halves[Side::Client as usize] = Some(half);
        }
        match &mut self.halves[from as usize] {
            Some(half) => half.handle(now, segment),
            // The client's SYN again, before the server's answer; or a flow that was reset.
            None => return self.syn.is_some(),
        }
        true
    }

    /// A reset from one end: it passes and ends the split, unless that end has everything already and
    /// answers a late copy: then it ends the half that faces it.
    fn take_reset(&mut self, now: Nanos, from: Side, segment: Segment) -> bool {
        let is_done = |half: &Half| half.connection.peer_closed() && half.connection.unacked() == 0;
        if let Some(half) = self.halves[from as usize].as_mut().filter(|half| is_done(half)) {
            half.handle(now, segment);
            half.is_answered = true;
            return true;
        }
        self.halves = [None, None];
        self.syn = None;
        false
    }

    /// Moves data and FIN between the halves, and collects what they send.
    fn settle(&mut self, now: Nanos, late: bool, out: &mut VecDeque<Packet>) {
        if let [Some(client), Some(server)] = &mut self.halves {
            relay(now, client, server, late);
            relay(now, server, client, late);
        }
        for side in [Side::Client, Side::Server] {
            self.drain(now, side, late, out);
        }
    }

    fn drain(&mut self, now: Nanos, side: Side, late: bool, out: &mut VecDeque<Packet>) {
        let to = EndpointId::new(self.number, side);
        let other = self.halves[side.peer() as usize].as_ref();
        let acked = other.map_or(1, |half| {
            if half.is_answered { u64::MAX } else { half.connection.acked_offset().max(1) }
        });
        let Some(half) = &mut self.halves[side as usize] else { return };
        while let Some(segment) = half.poll(now) {
            if !late {
                out.push_back(Packet { to, segment });
                continue;
            }
            let Half { connection, withheld, .. } = &mut **half;
            if let Some(segment) = withheld.shape(connection, segment, acked) {
                out.push_back(Packet { to, segment });
            }
            let copies = withheld.released_duplicates(connection, acked);
            out.extend(copies.map(|segment| Packet { to, segment }));
        }
    }

    fn next_timer(&self) -> Nanos {
        let timers = self.halves.iter().flatten().map(|half| half.connection.next_timer());
        timers.min().unwrap_or(Nanos::NEVER)
    }
}

/// Hands what one half has received in order to the other one, and frees what the other one's peer
/// has acknowledged.
fn relay(now: Nanos, from: &mut Half, to: &mut Half, late: bool) {
    let arrived = from.connection.delivered() + from.connection.readable();
    if arrived > to.written {
        to.written += to.connection.write(now, arrived - to.written);
    }
    if from.connection.peer_closed() && to.written == arrived && !to.closed {
        to.closed = true;
        to.connection.close(now);
    }
    let acked = to.written - to.connection.unacked();
    let freed = acked.saturating_sub(from.connection.delivered());
    // A window update is a packet of its own: one for each quarter of the buffer.
    if 4 * freed >= from.buffer {
        from.connection.read(now, freed);
    }
    let acked = to.connection.acked_offset();
    if late && acked > from.withheld.acknowledged() && acked <= from.connection.next_offset() {
        from.connection.acknowledge_at_once(now);
    }
}

impl Middlebox for Split {
    fn pass(&mut self, now: Nanos, packet: &Packet) -> Verdict {
        self.fail_if_due(now);
        if packet.segment.kind != Kind::Tcp {
            return Verdict::Pass;
        }
        let Some(flow) = self.flows.get_mut(&packet.to.flow()) else { return Verdict::Pass };
        if !flow.take(now, packet) {
            return Verdict::Pass;
        }
        flow.settle(now, self.late, &mut self.out);
        Verdict::Absorb
    }

    fn on_timer(&mut self, now: Nanos) {
        self.fail_if_due(now);
        for flow in self.flows.values_mut().filter(|flow| flow.next_timer() <= now) {
            flow.halves.iter_mut().flatten().for_each(|half| half.on_timer(now));
            flow.settle(now, self.late, &mut self.out);
        }
    }

    fn next_timer(&self) -> Nanos {
        let failure = if self.failed { Nanos::NEVER } else { self.fails_at };
        self.flows.values().map(Flow::next_timer).min().unwrap_or(Nanos::NEVER).min(failure)
    }

    fn poll(&mut self, _now: Nanos) -> Option<Packet> {
        self.out.pop_front()
    }

    fn take_failure(&mut self) -> bool {
        std::mem::take(&mut self.failure)
    }

    fn counts(&self) -> MiddleCounts {
        let halves = self.flows.values().flat_map(|flow| flow.halves.iter().flatten());
        let again = halves.map(|half| half.connection.stats().segments_retransmitted).sum::<u64>();
        let before = self.counts.retransmissions;
        MiddleCounts { retransmissions: before + again, ..self.counts }
    }
}
