//! Lifetime of packets: the maximum age at which an attempt may begin.
//!
//! ```text
//! expires = entry into the station's queue + lifetime
//! dropped = at the head, or about to be there, with an attempt due after `expires`
//! ```
//! An attempt that has begun continues to its end, including the data frame after an RTS. After it the
//! station sends no more of the packet, not even its remaining fragments. Times are in ns.
//!
//! Source: IEEE 802.11-2012 clause 9.19.2.6. The timer starts when the MAC receives the packet, with
//! one lifetime per category (`dot11EDCATableMSDULifetime`). DCF uses the same rule here, as in ns-3;
//! in clause 9.5 its timer (`dot11MaxTransmitMSDULifetime`) starts at the first attempt. The ns-3 of
//! 2013 checks the age only when it takes a packet from the queue, and not before a retransmission.
//!
//! Choices where the standard is silent: an expiry resets the contention window, as the retry limit
//! does, and the next packet of the category takes over the access. An expired packet keeps its place
//! in the queue until it reaches the head.

use std::collections::VecDeque;

use airtcp_units::{Nanos, Span};

use super::exchange::Completion;
use super::{Mpdu, Rules, Station};

impl Station {
    /// True if packets of a category expire.
    #[inline]
    pub(crate) fn has_lifetime(&self, category: usize) -> bool {
        self.contenders[category].lifetime.is_some()
    }

    /// Maximum age of a packet of a category when an attempt begins.
    #[inline]
    pub(crate) fn lifetime(&self, category: usize) -> Option<Span> {
        self.contenders[category].lifetime
    }

    /// When a packet that entered the queue at `entered` expires; never without a lifetime.
    #[inline]
    pub(crate) fn expiry(&self, category: usize, entered: Nanos) -> Nanos {
        let lifetime = self.contenders[category].lifetime;
        lifetime.map_or(Nanos::NEVER, |l| Nanos(entered.0.saturating_add(l.0)))
    }

    /// Drops the packet at the head of a category if it is too old for another attempt.
    pub(super) fn expire(&mut self, now: Nanos, category: usize) -> bool {
        let contender = &mut self.contenders[category];
        let Some(mpdu) = contender.mpdu.take_if(|mpdu: &mut Mpdu| mpdu.expires < now) else {
            return false;
        };
        contender.reset_window();
        contender.clear_backoff();
        self.push_expired(category, mpdu);
        if self.originator.is_some() {
            self.advance_lane(category);
        }
        true
    }

    pub(super) fn push_expired(&mut self, category: usize, mpdu: Mpdu) {
        self.finish(category, mpdu, Completion::Expired);
    }

    /// Drops the packets behind the head of a category that are too old for another attempt.
    pub(super) fn expire_waiting(&mut self, now: Nanos, category: usize) {
        if self.contenders[category].lifetime.is_none() {
            return;
        }
        let Some(originator) = &mut self.originator else { return };
        let waiting = std::mem::take(&mut originator.lanes[category].waiting);
        let (expired, kept): (VecDeque<Mpdu>, _) =
            waiting.into_iter().partition(|mpdu| mpdu.expires < now);
        originator.lanes[category].waiting = kept;
        for mpdu in expired {
            self.push_expired(category, mpdu);
        }
    }

    /// Drops expired packets of the categories whose back-off has ended.
    pub(super) fn expire_due(&mut self, now: Nanos, rules: &Rules) -> bool {
        let mut any = false;
        for category in self.first_active()..self.contenders.len() {
            let due = self.contenders[category].access(&self.view, rules) <= now;
            if due && self.expire(now, category) {
                any = true;
            }
        }
        any
    }
}
