//! When the receiver sends an acknowledgement: RFC 5681 section 4.2, RFC 9293 section 3.8.6.3.
//!
//! In-order segments get an ACK for every `ack_every`-th, or after `ack_delay`. A segment that is
//! out of order, a duplicate, a FIN or fills a gap gets an ACK at once.

use airtcp_units::Nanos;

use super::config::TcpConfig;
use super::timers::{Timer, Timers};

/// The ACK that the receiver must send.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Owed {
    /// None, or a delayed ACK whose timer runs.
    Nothing,
    /// An ACK at once; data may carry it.
    Now,
    /// A pure ACK at once, so that the sender can count it as a duplicate.
    PureAck,
}

#[derive(Debug, Clone)]
pub(crate) struct AckPolicy {
    owed: Owed,
    /// Data segments in order since the last ACK.
    unacked: u32,
    /// Number of segments still to be acknowledged at once.
    quick: u32,
    /// The ACK that leaves is a part of one; another follows at once.
    parts: bool,
}

impl AckPolicy {
    pub(crate) const fn new(quick: u32) -> Self {
        Self { owed: Owed::Nothing, unacked: 0, quick, parts: false }
    }

    pub(crate) const fn owed(&self) -> Owed {
        self.owed
    }

    /// An ACK is due at once.
    pub(crate) fn at_once(&mut self, owed: Owed) {
        self.owed = self.owed.max(owed);
    }

    /// Whether another part of the same acknowledgement follows the ACK that leaves.
    pub(crate) const fn set_parts(&mut self, more: bool) {
        self.parts = more;
    }

    /// The window has grown: Linux sets the lowest bit of its count of quick ACKs, so that a count that is even stays
    /// until the window grows no more.
    pub(crate) const fn on_growth(&mut self) {
        self.quick |= 1;
    }

    /// A data segment arrived in order and filled no gap.
    #[inline]
    pub(crate) fn on_in_order(&mut self, now: Nanos, config: &TcpConfig, timers: &mut Timers) {
        self.unacked += 1;
        if self.quick > 0 {
            self.quick -= 1;
            self.at_once(Owed::Now);
        } else if self.unacked >= config.ack_every {
            self.at_once(Owed::Now);
        } else if !timers.is_running(Timer::Ack) {
            timers.set(Timer::Ack, now + config.ack_delay);
        }
    }

    /// A segment with an ACK left.
    pub(crate) const fn on_ack_sent(&mut self, timers: &mut Timers) {
        self.owed = if self.parts { Owed::PureAck } else { Owed::Nothing };
        self.unacked = 0;
        timers.stop(Timer::Ack);
    }
}
