//! Snoop: a cache of data segments at the base station, with local retransmission.
//!
//! ```text
//! data towards the station     cached and passed; a segment sent before is marked: the sender knows
//! new ACK                      frees the cache, gives a round-trip sample, passes; if it ends before
//!                              what was sent when the last segment was retransmitted here, the next
//!                              segment is lost too and is retransmitted
//! duplicate ACK, segment here  retransmits once and absorbs the ACK and all further duplicates
//! duplicate ACK, segment not   passes (lost before the base station, evicted, or retransmitted
//!   here or marked               by the sender)
//! no new ACK for an RTO        retransmits the oldest segment, RTO doubles, at most `MAX_RETRIES`
//! ```
//! The RTO is that of RFC 6298 over the time from the base station to the station and back, with a
//! minimum of its own. A machine never emits an ACK, so that the sender's view stays end to end.
//! Source: Balakrishnan, Seshan, Amir, Katz, "Improving TCP/IP performance over wireless networks",
//! 1995, sections 3.1 and 3.2. Leaves out: selective local retransmission for data from the station,
//! priority of local retransmissions in the queue, and SACK: an ACK that advances passes with its
//! blocks, and a duplicate ACK that reports a duplicate (RFC 2883) passes. Sizes in segments.

use std::collections::{BTreeMap, VecDeque};

use airtcp_packet::{EndpointId, Flags, Kind, Packet, Segment, Seq};
use airtcp_units::{Nanos, Span};

use super::{Guarded, MiddleCounts, Middlebox, Verdict};
use crate::tcp::{RttEstimator, TcpConfig};

/// Timeouts in a row after which a segment is left to the sender.
const MAX_RETRIES: u32 = 6;

/// Parameters of [`Snoop`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SnoopParams {
    /// Segments cached for a flow and direction.
    pub cache_segments: u32,
    /// Duplicate ACKs that cause a local retransmission.
    pub dup_thresh: u32,
    /// Minimum of the local retransmission timeout.
    pub rto_min: Span,
    /// Maximum of the local retransmission timeout, and its value before the first sample.
    pub rto_max: Span,
}

/// A cached segment. Offsets count from the initial sequence number of its sender.
#[derive(Debug)]
struct Cached {
    start: u64,
    end: u64,
    segment: Segment,
    sent: Nanos,
    /// Sent more than once, by either side: its round-trip time is ambiguous.
    repeated: bool,
    /// Its sender retransmitted it or lost it on the way here: duplicate ACKs for it pass.
    sender_knows: bool,
}

/// Data towards one endpoint.
#[derive(Debug)]
struct Direction {
    /// Initial sequence number of the sender of the data.
    origin: Seq,
    /// One past the last offset seen.
    next: u64,
    /// Offset that the station has acknowledged.
    acked: u64,
    /// Window field of the last ACK.
    window: u16,
    cached: VecDeque<Cached>,
    /// Duplicates of the last ACK.
    duplicates: u32,
    /// The segment at `acked` was retransmitted here.
    answered: bool,
    /// One past the last offset seen when a segment was retransmitted here for the last time.
    recover: u64,
    retries: u32,
    timer: Nanos,
    rtt: RttEstimator,
}

/// Snoop at one base station.
#[derive(Debug)]
pub struct Snoop {
    params: SnoopParams,
    estimator: RttEstimator,
    guarded: Guarded,
    directions: BTreeMap<EndpointId, Direction>,
    out: VecDeque<Packet>,
    counts: MiddleCounts,
}

impl Snoop {
    /// Caches data to the endpoints `guarded`.
    pub fn new(params: SnoopParams, guarded: Guarded) -> Self {
        let config = TcpConfig {
            rto_min: params.rto_min,
            rto_initial: params.rto_max,
            rto_max: params.rto_max,
            ..TcpConfig::default()
        };
        let (directions, out) = (BTreeMap::new(), VecDeque::new());
        let estimator = RttEstimator::new(&config);
        Self { params, estimator, guarded, directions, out, counts: MiddleCounts::default() }
    }

    /// A SYN towards a guarded endpoint: its data are numbered from here.
    fn open(&mut self, to: EndpointId, seq: Seq) {
        if self.directions.get(&to).is_none_or(|d| d.origin != seq) {
            let direction = Direction {
                origin: seq,
                next: 1,
                acked: 1,
                window: 0,
                cached: VecDeque::new(),
                duplicates: 0,
                answered: false,
                recover: 0,
                retries: 0,
                timer: Nanos::NEVER,
                rtt: self.estimator.clone(),
            };
            self.directions.insert(to, direction);
        }
    }
}

impl Direction {
    /// Caches a data segment.
    fn on_data(&mut self, now: Nanos, segment: Segment, limit: usize) -> u64 {
        let Some(start) = segment.seq.unwrap_near(self.origin, self.next) else { return 0 };
        let end = start + u64::from(segment.len);
        if end <= self.acked {
            // The station has it, and answers with an ACK.
            return 0;
        }
        let is_new = start >= self.next;
        let place = self.cached.partition_point(|c| c.start < start);
        let entry =
            Cached { start, end, segment, sent: now, repeated: !is_new, sender_knows: !is_new };
        match self.cached.get_mut(place) {
            Some(same) if same.start == start => *same = entry,
            _ => self.cached.insert(place, entry),
        }
        self.next = self.next.max(end);
        if self.timer == Nanos::NEVER {
            self.retries = 0;
            self.timer = now + self.rtt.rto();
        }
        let mut evictions = 0;
        while self.cached.len() > limit {
            self.cached.pop_front();
            evictions += 1;
        }
        evictions
    }

    /// Takes an ACK that advances. Returns a segment to retransmit.
    fn on_new_ack(&mut self, now: Nanos, ack: u64) -> Option<Segment> {
        let freed = self.cached.iter().take_while(|c| c.end <= ack).count();
        // Karn's rule, extended to segments that waited at the station for a repeated one.
        let is_clear = self.cached.range(..freed).all(|c| !c.repeated);
        if let Some(last) = self.cached.range(..freed).last().filter(|_| is_clear) {
            let sent = self.cached.back().map_or(ack, |c| c.end);
            self.rtt.sample(now, now.since(last.sent), (ack, sent));
        }
        self.cached.drain(..freed);
        self.rtt.reset_backoff();
        let was_answered = self.answered;
        (self.acked, self.duplicates, self.answered, self.retries) = (ack, 0, false, 0);
        let idle = self.cached.is_empty();
        self.timer = if idle { Nanos::NEVER } else { now + self.rtt.rto() };
        // All that was sent before the retransmission has arrived or is lost: the air keeps order.
        if was_answered && ack < self.recover { self.repair(now) } else { None }
    }

    /// Retransmits the segment that the station expects next, if it is here.
    fn repair(&mut self, now: Nanos) -> Option<Segment> {
        let recover = self.next;
        let missing = self.missing()?;
        (missing.sent, missing.repeated) = (now, true);
        let segment = missing.segment;
        self.answered = true;
        self.recover = recover;
        self.timer = now + self.rtt.rto();
        Some(segment)
    }

    /// The cached segment that the station expects next, unless its sender repairs the loss.
    fn missing(&mut self) -> Option<&mut Cached> {
        let acked = self.acked;
        let first = self.cached.front_mut()?;
        (first.start <= acked && !first.sender_knows).then_some(first)
    }

    /// Takes a duplicate ACK. Returns the segment to retransmit and what becomes of the ACK.
    fn on_duplicate(&mut self, now: Nanos, dup_thresh: u32) -> (Option<Segment>, Verdict) {
        self.duplicates += 1;
        let due = !self.answered && self.duplicates >= dup_thresh;
        if self.missing().is_none() {
            return (None, Verdict::Pass);
        }
        (if due { self.repair(now) } else { None }, Verdict::Absorb)
    }

    /// The station was silent for an RTO.
    fn on_timeout(&mut self, now: Nanos) -> Option<Segment> {
        self.timer = Nanos::NEVER;
        if self.retries >= MAX_RETRIES {
            // The sender hears of the loss from now on.
            self.missing()?.sender_knows = true;
            return None;
        }
        self.retries += 1;
        self.rtt.back_off();
        self.repair(now)
    }
}

/// True if an ACK that does not advance says nothing but that a segment came out of order.
fn is_duplicate(segment: &Segment, origin: Seq, ack: u64, window: u16) -> bool {
    let reports_duplicate = segment
        .sacks()
        .first()
        .is_some_and(|block| block.start.unwrap_near(origin, ack).is_none_or(|start| start < ack));
    segment.len == 0
        && segment.flags == Flags::ACK
        && segment.ace() == 0
        && segment.window == window
        && !reports_duplicate
}

impl Snoop {
    /// An ACK from a guarded endpoint.
    fn on_ack(&mut self, now: Nanos, packet: &Packet) -> Verdict {
        let segment = &packet.segment;
        let station = packet.to.peer();
        let Some(direction) = self.directions.get_mut(&station) else { return Verdict::Pass };
        let Some(ack) = segment.ack.unwrap_near(direction.origin, direction.acked) else {
            return Verdict::Pass;
        };
        if ack > direction.acked && ack <= direction.next + 1 {
            direction.window = segment.window;
            if let Some(segment) = direction.on_new_ack(now, ack) {
                self.retransmit(station, segment);
            }
            return Verdict::Pass;
        }
        let is_same = ack == direction.acked;
        if !is_same || !is_duplicate(segment, direction.origin, ack, direction.window) {
            if is_same {
                direction.window = segment.window;
            }
            return Verdict::Pass;
        }
        let (again, verdict) = direction.on_duplicate(now, self.params.dup_thresh);
        if let Some(segment) = again {
            self.retransmit(station, segment);
        }
        verdict
    }

    fn retransmit(&mut self, to: EndpointId, segment: Segment) {
        self.counts.retransmissions += 1;
        self.out.push_back(Packet { to, segment });
    }
}

impl Middlebox for Snoop {
    fn pass(&mut self, now: Nanos, packet: &Packet) -> Verdict {
        let (to, segment) = (packet.to, &packet.segment);
        if segment.kind != Kind::Tcp {
            return Verdict::Pass;
        }
        if self.guarded.contains(&to) {
            if segment.flags.has(Flags::RST) {
                self.directions.remove(&to);
            } else if segment.flags.has(Flags::SYN) {
                self.open(to, segment.seq);
            } else if segment.len > 0
                && let Some(direction) = self.directions.get_mut(&to)
            {
                let limit = self.params.cache_segments as usize;
                self.counts.evictions += direction.on_data(now, *segment, limit);
            }
        }
        let is_ack = segment.flags.has(Flags::ACK)
            && !segment.flags.has(Flags::SYN)
            && !segment.flags.has(Flags::RST);
        if is_ack { self.on_ack(now, packet) } else { Verdict::Pass }
    }

    fn on_timer(&mut self, now: Nanos) {
        let mut again = Vec::new();
        for (to, direction) in &mut self.directions {
            if direction.timer <= now
                && let Some(segment) = direction.on_timeout(now)
            {
                again.push((*to, segment));
            }
        }
        for (to, segment) in again {
            self.retransmit(to, segment);
        }
    }

    fn next_timer(&self) -> Nanos {
        self.directions.values().map(|d| d.timer).min().unwrap_or(Nanos::NEVER)
    }

    fn poll(&mut self, _now: Nanos) -> Option<Packet> {
        self.out.pop_front()
    }

    fn counts(&self) -> MiddleCounts {
        self.counts
    }
}
