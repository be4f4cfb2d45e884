//! The way through the logs of connections, in the order of time: which copy each ACK credits.
//!
//! An ACK or SACK block that covers a segment for the first time credits its last copy, unless that copy was sent
//! less than 0.97 of the least round-trip time ago (as in RFC 8985 section 6.2, step 2). Earlier copies are lost,
//! later ones needless. A DSACK for bytes of which a copy counts as lost shows that this copy arrived. What is never
//! acknowledged is unknown, except for copies that were sent again.

use std::collections::BTreeMap;

use super::acks::AckLoss;
use super::transmissions::{Fate, Pause, Stamped, Transmission, Transmissions};
use crate::tcp::log::{AckRecord, Log};

/// Bytes at the beginning in which the application may still be starting.
const START_BYTES: u64 = 20_000;
/// Time after the last ACK from which new data show that the application had nothing to send.
const IDLE_S: f64 = 2e-3;
/// Shortest segment that begins a transfer.
const WHOLE_SEGMENT: u32 = 1000;
/// Most transmissions; the capture is read up to there.
pub(super) const MOST: usize = 1 << 23;

/// Part of the least round-trip time that a credited copy is old at least.
const CREDITED_AFTER: f64 = 0.97;

/// The log of a connection of the two hosts.
#[derive(Debug)]
pub struct Source<'a> {
    /// Its segments and ACKs.
    pub log: &'a Log,
    /// Bytes of the IP and TCP headers of a data segment.
    pub header_bytes: f64,
    /// Largest payload of a packet.
    pub mss: u32,
    /// Round-trip time of the handshake.
    pub handshake_s: Option<f64>,
}

/// Data and ACKs of all connections in the order of time: connection, and place in its log.
pub(super) struct Events {
    pub(super) origin_ns: u64,
    list: Vec<(u64, usize, Event)>,
}

#[derive(Clone, Copy)]
enum Event {
    Sent(usize),
    Ack(usize),
}

impl Events {
    pub(super) fn of(sources: &[Source<'_>]) -> Self {
        let mut list = Vec::new();
        for (connection, source) in sources.iter().enumerate() {
            let Log { sent, acks, .. } = source.log;
            let mut next = 0;
            for (place, ack) in acks.iter().enumerate() {
                let before = ack.sent_before.min(sent.len());
                list.extend((next..before).map(|n| (sent[n].time_ns, connection, Event::Sent(n))));
                next = next.max(before);
                list.push((ack.time_ns, connection, Event::Ack(place)));
            }
            let rest = (next..sent.len()).map(|n| (sent[n].time_ns, connection, Event::Sent(n)));
            list.extend(rest);
        }
        // A stable sort: events of a connection at one time stay in their order.
        list.sort_by_key(|event| event.0);
        let sent = list.iter().find(|event| matches!(event.2, Event::Sent(_)));
        Self { origin_ns: sent.map_or(0, |event| event.0), list }
    }
}

/// What is known of a connection on the way through its log.
#[derive(Debug, Default)]
struct Progress {
    origin: Option<u64>,
    acknowledged: u64,
    end: u64,
    /// Segments in flight: end, and copies.
    flight: BTreeMap<u64, (u64, Vec<usize>)>,
    /// Segments that SACK blocks have reported, above `acknowledged`: end, and the copies.
    reported: BTreeMap<u64, u64>,
    acked_s: Option<f64>,
    begun_s: Option<f64>,
    /// DSACKs by the first byte.
    duplicates: BTreeMap<u64, u64>,
}

/// A walk through the logs.
pub(super) struct Walk {
    found: Transmissions,
    progress: Vec<Progress>,
    /// Age from which a copy can be credited.
    pub(super) credited_after_s: f64,
    /// Place after the last-sent transmission that was reported.
    reported: usize,
}

impl Walk {
    pub(super) fn new(sources: &[Source<'_>], origin_ns: u64) -> Self {
        let found = Transmissions { origin_ns, ..Transmissions::default() };
        let progress = sources.iter().map(|_| Progress::default()).collect();
        Self { found, progress, credited_after_s: 0.0, reported: 0 }
    }

    pub(super) fn follow(mut self, sources: &[Source<'_>], events: &Events) -> Transmissions {
        for (time_ns, connection, event) in &events.list {
            let now = seconds_since(self.found.origin_ns, *time_ns);
            let source = &sources[*connection];
            match event {
                Event::Sent(place) => {
                    let sent = source.log.sent[*place];
                    let end = sent.start + u64::from(sent.length);
                    let mut start = sent.start;
                    while start < end && self.found.list.len() < MOST {
                        let stop = end.min(start + u64::from(source.mss.max(1)));
                        self.send(now, *connection, source, (start, stop));
                        start = stop;
                    }
                }
                Event::Ack(place) => {
                    let ack = &source.log.acks[*place];
                    self.acknowledge(now, *connection, ack, source.log.blocks(ack));
                }
            }
        }
        self.finish()
    }

    fn send(&mut self, now: f64, connection: usize, source: &Source<'_>, range: (u64, u64)) {
        let (start, end) = range;
        let payload = (end - start) as f64;
        let progress = &mut self.progress[connection];
        let origin = *progress.origin.get_or_insert(start);
        progress.acknowledged = progress.acknowledged.max(origin);
        let before = progress.end.max(origin);
        if start >= before {
            self.found.pauses.extend(progress.pause(now, before - origin));
        }
        let is_begin = start.saturating_sub(origin) <= START_BYTES
            && end - start >= u64::from(WHOLE_SEGMENT).min(u64::from(source.mss));
        if is_begin {
            progress.begun_s.get_or_insert(now);
        }
        progress.end = before.max(end);
        let place = self.found.list.len();
        let (segment, fate) = progress.add(start, end, place);
        self.found.list.push(Transmission {
            sent_s: now,
            connection,
            segment,
            bytes: payload + source.header_bytes,
            payload,
            fate,
            acked_s: None,
            is_trigger: false,
            is_immediate: false,
            is_late: false,
        });
    }

    fn acknowledge(&mut self, now: f64, connection: usize, ack: &AckRecord, blocks: &[(u64, u64)]) {
        let progress = &mut self.progress[connection];
        if progress.origin.is_none() {
            return;
        }
        progress.acked_s = Some(now);
        let own = &blocks[usize::from(ack.duplicate).min(blocks.len())..];
        if ack.duplicate
            && let Some((start, _)) = blocks.first()
        {
            *progress.duplicates.entry(*start).or_default() += 1;
        }
        self.found.has_sack |= !blocks.is_empty();
        let newly = progress.take(ack.ack, own);
        let mut last = None;
        for copies in &newly {
            last = last.max(self.credit(now, copies));
        }
        let Some(last) = last else { return };
        let has_blocks = own.iter().any(|block| block.1 > ack.ack);
        let sent = &mut self.found.list[last];
        if last >= self.reported {
            self.reported = last + 1;
            sent.is_trigger = true;
            sent.is_immediate = newly.len() >= 2 || has_blocks;
            let rtt_s = now - sent.sent_s;
            let stamped = ack.stamp.map(|stamp| Stamped { connection, rtt_s, at_s: now, stamp });
            self.found.stamped.extend(stamped);
        } else if has_blocks {
            sent.is_late = true;
        }
    }

    /// Credits the copy that an ACK reports, and returns its place.
    fn credit(&mut self, now: f64, copies: &[usize]) -> Option<usize> {
        let list = &mut self.found.list;
        let old = |place: &&usize| now - list[**place].sent_s >= self.credited_after_s;
        let delivered = *match copies {
            [only] => only,
            _ => copies.iter().rev().find(old).or_else(|| copies.first())?,
        };
        for place in copies {
            list[*place].fate = match place.cmp(&delivered) {
                std::cmp::Ordering::Less => Fate::Lost,
                std::cmp::Ordering::Equal => Fate::Delivered,
                std::cmp::Ordering::Greater => Fate::Needless,
            };
        }
        list[delivered].acked_s = Some(now);
        Some(delivered)
    }

    fn finish(mut self) -> Transmissions {
        for (connection, progress) in self.progress.iter().enumerate() {
            for (_, copies) in progress.flight.values() {
                for place in &copies[..copies.len().saturating_sub(1)] {
                    self.found.list[*place].fate = Fate::Lost;
                }
            }
            self.found.take_duplicates(connection, &progress.duplicates);
        }
        self.found
    }
}

impl Transmissions {
    /// Joins the logs of connections.
    ///
    /// `told_rtt_s` is the least round-trip time, if the user tells it.
    pub fn new(sources: &[Source<'_>], told_rtt_s: Option<f64>) -> Self {
        let events = Events::of(sources);
        let mut first = Walk::new(sources, events.origin_ns);
        let mut found = if let Some(rtt_s) = told_rtt_s {
            first.credited_after_s = CREDITED_AFTER * rtt_s;
            first.follow(sources, &events)
        } else {
            let rtt_s = first.follow(sources, &events).least_once_s();
            let mut second = Walk::new(sources, events.origin_ns);
            second.credited_after_s = CREDITED_AFTER * rtt_s;
            second.follow(sources, &events)
        };
        let handshakes = sources.iter().filter_map(|source| source.handshake_s);
        let handshake_s = handshakes.min_by(f64::total_cmp);
        found.least_rtt_s = told_rtt_s.unwrap_or_else(|| found.least_of_triggers_s(handshake_s));
        found.ack_loss = AckLoss::of(sources.iter().map(|source| source.log));
        found.is_cut = found.list.len() >= MOST || sources.iter().any(|source| source.log.is_cut);
        found
    }

    /// The receiver had twice what a DSACK reports: a copy that counts as lost arrived.
    fn take_duplicates(&mut self, connection: usize, duplicates: &BTreeMap<u64, u64>) {
        if duplicates.is_empty() {
            return;
        }
        let mut copies: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for (place, sent) in self.list.iter().enumerate() {
            if sent.connection == connection && duplicates.contains_key(&sent.segment) {
                copies.entry(sent.segment).or_default().push(place);
            }
        }
        for (segment, places) in copies {
            let known = |place: &&usize| self.list[**place].fate == Fate::Needless;
            let needless = places.iter().filter(known).count() as u64;
            let more = duplicates[&segment].saturating_sub(needless);
            let lost = |place: &&usize| self.list[**place].fate == Fate::Lost;
            let wrong: Vec<usize> = places.iter().rev().filter(lost).copied().collect();
            for place in wrong.into_iter().take(usize::try_from(more).unwrap_or(usize::MAX)) {
                self.list[place].fate = Fate::Needless;
                self.shown_by_dsack += 1;
            }
        }
    }
}

impl Progress {
    /// The pause before new data, if the application caused one.
    fn pause(&self, now: f64, bytes: u64) -> Option<Pause> {
        let idle = self.acked_s.is_some_and(|acked| now - acked > IDLE_S);
        let empty = self.acknowledged >= self.end && bytes > START_BYTES;
        let begun = self.begun_s.filter(|_| idle && empty)?;
        Some(Pause { since_start_s: now - begun, bytes: bytes as f64 })
    }

    /// Adds a copy. First byte of its segment, and its fate so far.
    fn add(&mut self, start: u64, end: u64, place: usize) -> (u64, Fate) {
        let holding = |map: &BTreeMap<u64, u64>| {
            map.range(..=start).next_back().filter(|(_, end)| **end > start).map(|(s, _)| *s)
        };
        if let Some(segment) = holding(&self.reported) {
            return (segment, Fate::Needless);
        }
        if end <= self.acknowledged {
            return (start, Fate::Needless);
        }
        if let Some((segment, held)) = self.flight.range_mut(..=start).next_back()
            && held.0 > start
        {
            held.1.push(place);
            return (*segment, Fate::Unknown);
        }
        self.flight.insert(start, (end, vec![place]));
        (start, Fate::Unknown)
    }

    /// Takes the segments that an ACK covers: the copies of each.
    fn take(&mut self, ack: u64, blocks: &[(u64, u64)]) -> Vec<Vec<usize>> {
        let mut newly = Vec::new();
        while let Some(entry) = self.flight.first_entry()
            && entry.get().0 <= ack
        {
            newly.push(entry.remove().1);
        }
        self.acknowledged = self.acknowledged.max(ack);
        while let Some(entry) = self.reported.first_entry()
            && *entry.get() <= self.acknowledged
        {
            entry.remove();
        }
        for (left, right) in blocks {
            if left >= right || *right <= ack {
                continue;
            }
            let covered = self.flight.range(*left..*right).filter(|(_, (end, _))| end <= right);
            let covered: Vec<u64> = covered.map(|(start, _)| *start).collect();
            for start in covered {
                if let Some((end, copies)) = self.flight.remove(&start) {
                    self.reported.insert(start, end);
                    newly.push(copies);
                }
            }
        }
        newly
    }
}

fn seconds_since(origin_ns: u64, time_ns: u64) -> f64 {
    if time_ns >= origin_ns {
        (time_ns - origin_ns) as f64 / 1e9
    } else {
        -((origin_ns - time_ns) as f64) / 1e9
    }
}
