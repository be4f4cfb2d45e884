//! Was a segment below the highest sequence number sent again, delayed, or duplicated by the network?
//!
//! Seen at its sender, it was sent again. Elsewhere three clues tell, in this order: the
//! identification of the IPv4 header, which many senders count up by one per packet; the sender's
//! timestamp; and the time since its neighbours, because a sender needs a round trip to learn of a
//! loss.

use super::causality::Proof;
use super::sent::Range;
use super::sequence::later;

/// Originals after which the identification of a sender is known to count up.
const ENOUGH: u32 = 6;
/// Largest step of an identification that counts up.
const MAX_STEP: u16 = 512;

/// Whether the IP identification of a sender counts up by packet.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct IdCounter {
    /// That of the first packet, and of the last original.
    first: Option<u16>,
    last: Option<u16>,
    /// That of the last packet of any kind, and how often it was one more than that of the packet before.
    latest: Option<u16>,
    ones: u32,
    others: u32,
    steps: u32,
    strays: u32,
    /// Those of the strays that did not change.
    same: u32,
}

impl IdCounter {
    /// Takes the identification of the first packet, mostly a SYN.
    pub(super) const fn on_first(&mut self, id: Option<u16>) {
        self.first = id;
    }

    /// Takes the identification of a segment that was seen in order.
    pub(super) fn on_original(&mut self, id: Option<u16>) {
        if let (Some(last), Some(id)) = (self.last, id) {
            let step = id.wrapping_sub(last);
            if (1..=MAX_STEP).contains(&step) {
                self.steps = self.steps.saturating_add(1);
            } else {
                self.strays = self.strays.saturating_add(1);
                self.same = self.same.saturating_add(u32::from(step == 0));
            }
        }
        self.last = id;
    }

    /// Takes the identification of any packet.
    pub(super) fn on_packet(&mut self, id: Option<u16>) {
        if let (Some(latest), Some(id)) = (self.latest, id) {
            let is_one = id.wrapping_sub(latest) == 1;
            let count = if is_one { &mut self.ones } else { &mut self.others };
            *count = count.saturating_add(1);
        }
        self.latest = id;
    }

    /// What the identification of the next packet says of data that came behind their ACK.
    pub(super) fn proof(self, id: Option<u16>) -> Proof {
        let (Some(latest), Some(id)) = (self.latest, id) else { return Proof::None };
        // Linux numbers the packets of a connection one by one.
        let is_one_by_one = self.ones >= ENOUGH && self.others <= self.ones / 8;
        match id.wrapping_sub(latest).cast_signed() {
            1 => Proof::Original,
            ..=-1 if is_one_by_one => Proof::Original,
            2.. if is_one_by_one => Proof::Again,
            _ => Proof::None,
        }
    }

    /// True if each packet has an identification of its own, counted up or random.
    fn differs(self) -> bool {
        self.same == 0 && (self.steps > 0 || self.strays > 0 || self.first != self.last)
    }

    const fn counts(self) -> bool {
        self.steps >= ENOUGH && self.strays <= self.steps / 8
    }
}

/// A segment below the highest sequence number.
#[derive(Debug, Clone, Copy)]
pub(super) struct Suspect {
    pub(super) time_ns: u64,
    pub(super) stamp: Option<u32>,
    pub(super) ip_id: Option<u16>,
    pub(super) ttl: u8,
}

/// What is known about the direction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clues {
    pub(super) ids: IdCounter,
    /// True if the capture was taken at the sender of the data.
    pub(super) at_sender: bool,
    /// Least round-trip time of the path, if known.
    pub(super) rtt_ns: Option<u64>,
}

/// Longest time between a packet and its copy: less than the least timeout of common senders, some of
/// which keep the identification of a packet that they send again.
const COPY_NS: u64 = 100_000_000;
/// The same at another point of the path, which the time to live shows.
const COPY_ELSEWHERE_NS: u64 = 1_000_000_000;
/// The same at the sender, which does not number its packets one by one.
const HOST_COPY_NS: u64 = 1_000_000;
/// Shortest time in which a sender learns of a loss, as a share of the least round-trip time.
const REACTION: f64 = 0.8;
/// The same, if no round-trip time is known.
const UNKNOWN_RTT_NS: u64 = 3_000_000;

impl Clues {
    fn too_soon(&self, ns: u64) -> bool {
        match self.rtt_ns {
            Some(rtt) => (ns as f64) < REACTION * rtt as f64,
            None => ns < UNKNOWN_RTT_NS,
        }
    }

    /// True if a segment that fills a hole is an original that others overtook. `next` is the original
    /// after the hole.
    pub(super) fn is_late_original(&self, suspect: Suspect, next: &Range) -> bool {
        if self.ids.counts()
            && let (Some(id), Some(other)) = (suspect.ip_id, next.ip_id)
        {
            return other.wrapping_sub(id).cast_signed() > 0;
        }
        if self.at_sender {
            return false;
        }
        if let (Some(stamp), Some(other)) = (suspect.stamp, next.stamp)
            && stamp != other
        {
            return later(other, stamp);
        }
        self.too_soon(suspect.time_ns.saturating_sub(next.first_ns))
    }

    /// True if data that the capture holds behind their ACK, `lag_ns` later, were sent once. `next` are the data
    /// after them. Without a time, only what proves it counts.
    pub(super) fn was_acknowledged_early(
        &self,
        suspect: Suspect,
        next: Option<&Range>,
        lag_ns: Option<u64>,
    ) -> bool {
        let ids = next.and_then(|next| suspect.ip_id.zip(next.ip_id));
        if self.ids.counts()
            && let Some((id, other)) = ids
        {
            return other.wrapping_sub(id).cast_signed() > 0;
        }
        let stamps = next.and_then(|next| suspect.stamp.zip(next.stamp));
        if let Some((stamp, other)) = stamps.filter(|(stamp, other)| stamp != other) {
            return later(other, stamp);
        }
        lag_ns.is_some_and(|ns| self.too_soon(ns))
    }

    /// True if the network or the capture made a copy of a segment that was seen before.
    pub(super) fn is_duplicate(&self, suspect: Suspect, before: &Range) -> bool {
        // A sender that numbers each packet gives another number to one that it sends again.
        let id = suspect.ip_id.filter(|id| *id != 0);
        let is_same = id == before.ip_id || id == before.last_id;
        let gap = suspect.time_ns.saturating_sub(before.last_ns);
        let longest = if suspect.ttl == before.ttl { COPY_NS } else { COPY_ELSEWHERE_NS };
        if id.is_some() && is_same && gap <= longest && self.ids.differs() {
            return true;
        }
        if self.ids.counts()
            && let (Some(id), Some(other)) = (suspect.ip_id, before.ip_id)
            && before.copies == 0
        {
            return id == other;
        }
        if let (Some(stamp), Some(other)) = (suspect.stamp, before.stamp)
            && stamp != other
        {
            return false;
        }
        if self.at_sender {
            let is_soon = gap < 20_000 || (gap < HOST_COPY_NS && self.too_soon(gap));
            is_soon && suspect.ip_id == before.ip_id
        } else {
            self.too_soon(gap)
        }
    }
}
