//! TCP ACK agent: TCP ACKs from the link layer's acknowledgements.
//!
//! ```text
//! data in order at the station     the number expected next advances
//! link-layer ACK of the data       ACK with that number to the sender, if the sender lacks it
//! bare ACK of the station          dropped if the agent has sent its number, or sends it with the
//!                                  link-layer ACK that is under way
//! ```
//! A segment counts if the station takes it: it starts at the number expected next, ends in the window
//! that the station has advertised, and has no old timestamp (RFC 7323 section 5). After a gap the real
//! ACK passes and sets the number. Sequence number and timestamp of an ACK are those of the last real
//! segment from the station, the echoed timestamp is that of the data, and the window is the one that
//! the station advertised last. Real ACKs stay if they are duplicates, have SACK blocks or other flags
//! than ACK, or open the window further than the agent has told. The agent begins with the first real
//! ACK, and is silent while the station echoes congestion marks (ECE).
//!
//! Source: Pang, Liew, Leung, "Performance improvement of 802.11 wireless access network with TCP ACK
//! agent and auto-zoom backoff algorithm", 2005; S3 section 4.3, figure 4.3. Leaves out: messages
//! between the agents, whose state is one here.

use std::collections::{BTreeMap, VecDeque};

use airtcp_packet::{EndpointId, Flags, Kind, NO_WINDOW_SCALE, Packet, Segment, Seq};
use airtcp_units::{Nanos, Narrow};

use super::{Guarded, MiddleCounts, Middlebox, Verdict};

/// Data towards one station. Offsets count from the initial sequence number of their sender.
#[derive(Debug)]
struct Direction {
    origin: Seq,
    /// Offset that the station has without a gap, as far as the agent can tell.
    next: u64,
    /// Newest timestamp that has reached the station.
    newest: Option<u32>,
    /// Window scales that the SYNs of station and sender offered.
    scales: [Option<u8>; 2],
    /// Right edge of the window that the station advertised.
    edge: u64,
    /// Number of the last real ACK at the station, dropped or not.
    at_station: u64,
    /// Greatest number and right edge that the sender has been told.
    told: (u64, u64),
    /// The last real segment from the station, as the access point saw it.
    last: Option<Segment>,
}

/// The agents of one cell.
#[derive(Debug, Default)]
pub struct AckAgent {
    guarded: Guarded,
    directions: BTreeMap<EndpointId, Direction>,
    /// Window scales that stations offered.
    scales: BTreeMap<EndpointId, Option<u8>>,
    out: VecDeque<Packet>,
}

impl AckAgent {
    /// Acknowledges data to the endpoints `guarded`, which are one hop away.
    pub fn new(guarded: Guarded) -> Self {
        Self { guarded, ..Self::default() }
    }

    /// The SYN of a sender of data to `station`.
    fn open(&mut self, station: EndpointId, syn: &Segment) {
        if self.directions.get(&station).is_none_or(|d| d.origin != syn.seq) {
            let mut direction = Direction::new(syn);
            direction.scales[0] = self.scales.get(&station).copied().flatten();
            self.directions.insert(station, direction);
        }
    }

    /// The data towards the endpoint that sends a packet.
    fn direction_from(&mut self, packet: &Packet) -> Option<&mut Direction> {
        if packet.segment.kind != Kind::Tcp || !packet.segment.flags.has(Flags::ACK) {
            return None;
        }
        self.directions.get_mut(&packet.to.peer())
    }
}

impl Direction {
    fn new(syn: &Segment) -> Self {
        Self {
            origin: syn.seq,
            next: 1,
            newest: None,
            scales: [None, scale(syn)],
            edge: 0,
            at_station: 0,
            told: (1, 0),
            last: None,
        }
    }

    /// Window scale of the station.
    fn shift(&self) -> u8 {
        if let [Some(station), Some(_)] = self.scales { station.min(14) } else { 0 }
    }

    fn is_active(&self) -> bool {
        self.last.is_some_and(|last| !last.flags.has(Flags::ECE))
    }

    /// A segment has reached the station, which has not seen it yet.
    fn on_received(&mut self, segment: &Segment) {
        if segment.has_timestamps() {
            let value = segment.timestamps.0;
            if self.newest.is_some_and(|newest| Seq(value).distance_from(Seq(newest)) < 0) {
                return;
            }
            self.newest = Some(value);
        }
        let Some(start) = segment.seq.unwrap_near(self.origin, self.next) else { return };
        let end = start + u64::from(segment.len);
        if start <= self.next && end <= self.edge {
            self.next = self.next.max(end);
        }
    }

    /// The ACK that a link-layer acknowledgement of `data` allows.
    fn ack_of(&mut self, data: &Segment) -> Option<Segment> {
        let last = self.last.filter(|_| self.is_active())?;
        if self.next <= self.told.0 || self.next > self.edge {
            return None;
        }
        let field = (self.edge - self.next) >> self.shift();
        let mut ack = Segment::tcp(Flags::ACK, last.seq.plus(last.sequence_len()));
        ack.ack = Seq::wrap(self.origin, self.next);
        ack.window = u16::narrow(field.min(0xffff));
        if last.has_timestamps() {
            ack.set_timestamps(last.timestamps.0, data.timestamps.0);
        }
        self.told = (self.next, self.told.1.max(self.edge));
        Some(ack)
    }

    /// The station sends a segment. Returns whether the agent says the same.
    fn on_leaving(&mut self, segment: &Segment) -> bool {
        let Some(ack) = segment.ack.unwrap_near(self.origin, self.at_station) else { return false };
        let is_duplicate = ack <= self.at_station;
        self.at_station = self.at_station.max(ack);
        let edge = ack + (u64::from(segment.window) << self.shift());
        self.edge = self.edge.max(edge);
        // Of a number that is told already, the agent tells no other window.
        let is_told = ack > self.told.0 || edge <= self.told.1;
        !is_duplicate
            && self.is_active()
            && ack <= self.next
            && is_told
            && segment.len == 0
            && segment.flags == Flags::ACK
            && segment.sacks().is_empty()
    }

    /// A real segment of the station passes the access point.
    fn on_passing(&mut self, segment: &Segment) {
        if let Some(ack) = segment.ack.unwrap_near(self.origin, self.next) {
            let edge = ack + (u64::from(segment.window) << self.shift());
            self.next = self.next.max(ack);
            self.told = (self.told.0.max(ack), self.told.1.max(edge));
        }
        self.last = Some(*segment);
    }
}

fn scale(syn: &Segment) -> Option<u8> {
    (syn.window_scale != NO_WINDOW_SCALE).then_some(syn.window_scale)
}

/// True if a SYN asks for accurate ECN feedback or a SYN/ACK agrees to it (RFC 9768 table 2): the agent does not know the
/// count that each ACK of the station has then.
fn counts_marks(syn: &Segment) -> bool {
    if syn.flags.has(Flags::ACK) { (2..7).contains(&syn.ace()) } else { syn.ace() == 7 }
}

impl Middlebox for AckAgent {
    fn pass(&mut self, _now: Nanos, packet: &Packet) -> Verdict {
        let segment = &packet.segment;
        if segment.kind != Kind::Tcp || segment.flags.has(Flags::RST) {
            return Verdict::Pass;
        }
        if segment.flags.has(Flags::SYN) {
            if self.guarded.contains(&packet.to) && !counts_marks(segment) {
                self.open(packet.to, segment);
            }
        } else if let Some(direction) = self.direction_from(packet) {
            direction.on_passing(segment);
        }
        Verdict::Pass
    }

    fn leave(&mut self, _now: Nanos, packet: &Packet) -> Verdict {
        let segment = &packet.segment;
        let station = packet.to.peer();
        if segment.flags.has(Flags::SYN) {
            self.scales.insert(station, scale(segment));
            if let Some(direction) = self.directions.get_mut(&station) {
                direction.scales[0] = scale(segment);
            }
            return Verdict::Pass;
        }
        let known = self.direction_from(packet).is_some_and(|d| d.on_leaving(segment));
        if known { Verdict::Absorb } else { Verdict::Pass }
    }

    fn on_received(&mut self, _now: Nanos, packet: &Packet) {
        if packet.segment.kind == Kind::Tcp
            && !packet.segment.flags.has(Flags::SYN)
            && let Some(direction) = self.directions.get_mut(&packet.to)
        {
            direction.on_received(&packet.segment);
        }
    }

    fn on_acknowledged(&mut self, _now: Nanos, packet: &Packet) {
        if packet.segment.len > 0
            && let Some(direction) = self.directions.get_mut(&packet.to)
            && let Some(segment) = direction.ack_of(&packet.segment)
        {
            self.out.push_back(Packet { to: packet.to.peer(), segment });
        }
    }

    fn watches_air(&self) -> bool {
        true
    }

    fn guards_stations(&self) -> bool {
        true
    }

    fn on_timer(&mut self, _now: Nanos) {}

    fn next_timer(&self) -> Nanos {
        Nanos::NEVER
    }

    fn poll(&mut self, _now: Nanos) -> Option<Packet> {
        self.out.pop_front()
    }

    fn counts(&self) -> MiddleCounts {
        MiddleCounts::default()
    }
}
