//! Lifetime of packets: how old one may be when an attempt begins.
//!
//! ```text
//! expires = entry into the station's queue + lifetime
//! dropped = at the head, or about to be there, with an attempt due after `expires`
//! ```
//! An attempt that has begun goes on to its end (after an RTS with the data); after it nothing more is
//! sent of the packet, of its fragments neither. Source: IEEE 802.11-2012 clause 9.19.2.6, where the
//! timer of an MSDU starts when it is passed to the MAC (`dot11EDCATableMSDULifetime`); one a category.
//! Under DCF the same rule holds here, as in ns-3, though the timer of clause 9.5
//! (`dot11MaxTransmitMSDULifetime`) starts with the first attempt. ns-3 of 2013 looks at the age only
//! when it takes a packet from the queue, not before repetitions. Times in ns.
//!
//! Chosen where the standard is silent: the window is the least one again, as after giving up; the access that
//! was due passes to the next packet of the category. A packet that has expired keeps its place in the queue
//! until its turn.

use airtcp_units::{Nanos, Narrow};

use super::exchange::{Ended, Finished};
use super::{Mpdu, Rules, Station};

impl Station {
    /// Whether packets of a category expire.
    pub(crate) fn has_lifetime(&self, category: usize) -> bool {
        self.contenders[category].lifetime.is_some()
    }

    /// When a packet that entered the queue at `entered` expires; never without a lifetime.
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
        contender.narrow();
        contender.taken();
        let category = u8::narrow(category);
        self.finished.push(Finished { mpdu, category, ending: Ended::Expired });
        true
    }

    /// Drops what is too old of the packets whose back-off is over.
    pub(super) fn expire_ready(&mut self, now: Nanos, rules: &Rules) -> bool {
        let mut any = false;
        for category in self.silenced()..self.contenders.len() {
            let due = self.contenders[category].access(&self.view, rules) <= now;
            if due && self.expire(now, category) {
                any = true;
            }
        }
        any
    }
}
