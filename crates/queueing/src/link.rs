//! What a discipline is told: the link or station behind it, the packet that an owner wants, airtime.

use airtcp_packet::PacketId;
use airtcp_units::{Bytes, Span};

/// Properties of the link or station behind a queue.
pub struct LinkInfo<'a> {
    /// Transmission time of a packet of a given size.
    pub time_for: &'a dyn Fn(Bytes) -> Span,
    /// True if the link also calls [`Qdisc::dequeue`](crate::Qdisc::dequeue) on an empty queue when it becomes idle.
    pub polls_when_idle: bool,
    /// By endpoint, the number of the receiver of packets to it: through the air the next station,
    /// over a link the node of the endpoint.
    pub receivers: &'a dyn Fn() -> Vec<u32>,
    /// True if the owner calls [`Qdisc::on_airtime`](crate::Qdisc::on_airtime), where
    /// [`Qdisc::wants_airtime`](crate::Qdisc::wants_airtime) is true.
    pub reports_airtime: bool,
    /// True if the owner asks for the packets of named receivers, in
    /// [`Qdisc::dequeue_for`](crate::Qdisc::dequeue_for): a station that sends aggregates.
    pub by_receiver: bool,
}

impl<'a> LinkInfo<'a> {
    /// A link that knows no receivers and reports no airtime.
    pub fn link(time_for: &'a dyn Fn(Bytes) -> Span, polls_when_idle: bool) -> Self {
        Self {
            time_for,
            polls_when_idle,
            receivers: &Vec::new,
            reports_airtime: false,
            by_receiver: false,
        }
    }
}

/// The packet that an owner wants: the next one for a receiver, if it fits.
pub struct Wanted<'a> {
    /// The receiver, as [`LinkInfo::receivers`] numbers it.
    pub receiver: u32,
    /// Whether there is room for a packet with this number of bytes on the wire.
    pub fits: &'a dyn Fn(u32) -> bool,
}

/// What a station sends next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// A packet that has left the queue.
    Packet(PacketId),
    /// What waits to be sent again to a receiver, as [`LinkInfo::receivers`] numbers it.
    Repeat(u32),
}

/// Time on the air of an exchange that has finished: all attempts, with RTS, CTS and ACK.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Airtime {
    /// Number of the other station, as [`LinkInfo::receivers`] has it.
    pub peer: u32,
    /// Sum of the times of the frames, without the spaces between them.
    pub time: Span,
    /// True if the other station sent the packet, and this one received it.
    pub received: bool,
    /// True if MPDUs for the other station wait in this one to be sent again, until
    /// [`Qdisc::next`](crate::Qdisc::next) gives it a turn. Only where
    /// [`Qdisc::orders_repeats`](crate::Qdisc::orders_repeats) is true.
    pub repeats: bool,
}
