//! Machines between the two ends of a TCP flow, at a node that forwards its packets.
//!
//! A [`Middlebox`] sees each packet of the flows that it was built for. It lets the packet pass or
//! absorbs it, and emits packets of its own. To hold a packet is to absorb it and to emit a copy
//! later. A machine has no knowledge of its driver: times come in as arguments.

mod ack_agent;
mod eln;
mod ranges;
mod snoop;
mod split;
mod withhold;

pub use ack_agent::AckAgent;
pub use eln::Eln;
pub use snoop::{Snoop, SnoopParams};
pub use split::{Split, SplitParams};

use std::collections::BTreeSet;

use airtcp_packet::{EndpointId, Packet};
use airtcp_units::Nanos;

/// What becomes of a packet at a machine in the middle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It goes on.
    Pass,
    /// It goes on with the mark of a loss on the air ([`Segment::set_loss_mark`]).
    ///
    /// [`Segment::set_loss_mark`]: airtcp_packet::Segment::set_loss_mark
    Mark,
    /// It ends here.
    Absorb,
}

/// What a machine in the middle has counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MiddleCounts {
    /// Data segments that the machine itself retransmitted.
    pub retransmissions: u64,
    /// Segments dropped from a full cache.
    pub evictions: u64,
}

/// A machine between the two ends of TCP flows.
///
/// After every call that takes `now` the driver drains [`poll`](Middlebox::poll) and reads
/// [`next_timer`](Middlebox::next_timer). Packets of flows that the machine does not know pass.
pub trait Middlebox: std::fmt::Debug + Send {
    /// A packet is about to be forwarded.
    fn pass(&mut self, now: Nanos, packet: &Packet) -> Verdict;

    /// An endpoint beyond the hop that the machine guards is about to send a packet. Called only if
    /// [`guards_stations`](Middlebox::guards_stations).
    fn leave(&mut self, _now: Nanos, _packet: &Packet) -> Verdict {
        Verdict::Pass
    }

    /// The far end of the hop has received a packet that had passed, and has not looked at it yet.
    /// Called only if [`watches_air`](Middlebox::watches_air).
    fn on_received(&mut self, _now: Nanos, _packet: &Packet) {}

    /// The link layer has acknowledged the frame of a packet that had passed. Called only if
    /// [`watches_air`](Middlebox::watches_air).
    fn on_acknowledged(&mut self, _now: Nanos, _packet: &Packet) {}

    /// A MAC has given up the frame of a packet at its retry limit: that of the node itself if `here`, else
    /// that of an endpoint beyond the hop. It does not make the machine emit. Called only if
    /// [`hears_losses`](Middlebox::hears_losses).
    fn on_given_up(&mut self, _packet: &Packet, _here: bool) {}

    /// True if the machine wants calls of [`on_given_up`](Middlebox::on_given_up).
    fn hears_losses(&self) -> bool {
        false
    }

    /// True if the machine wants calls of [`on_received`](Middlebox::on_received) and
    /// [`on_acknowledged`](Middlebox::on_acknowledged).
    fn watches_air(&self) -> bool {
        false
    }

    /// True if the machine wants calls of [`leave`](Middlebox::leave).
    fn guards_stations(&self) -> bool {
        false
    }

    /// The time of the next timer has come. Spurious calls do nothing.
    fn on_timer(&mut self, now: Nanos);

    /// When the machine wants to be called; [`Nanos::NEVER`] when idle.
    fn next_timer(&self) -> Nanos;

    /// The next packet that the machine emits.
    fn poll(&mut self, now: Nanos) -> Option<Packet>;

    /// True once after the node has failed: it loses the packets that it has queued.
    fn take_failure(&mut self) -> bool {
        false
    }

    /// Counters since the start.
    fn counts(&self) -> MiddleCounts;
}

/// The endpoints beyond the hop that a machine guards, such as flows' ends at the stations of a cell.
pub type Guarded = BTreeSet<EndpointId>;
