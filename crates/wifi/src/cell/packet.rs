//! Packets on their way into a medium and out of it.

use airtcp_packet::PacketId;
use airtcp_units::Nanos;

use crate::mac::Class;
use crate::node::NodeId;

/// A packet that a station received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Delivery {
    /// The station.
    pub to: NodeId,
    /// The packet.
    pub packet: PacketId,
    /// Length of the data frame that carried it, MAC header and FCS included.
    pub frame_bytes: u32,
}

/// A packet from a station's queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offered {
    /// The packet.
    pub packet: PacketId,
    /// Destination.
    pub to: NodeId,
    /// Its access category (0 under DCF).
    pub category: usize,
    /// Time at which it entered the queue.
    pub entered: Nanos,
}

/// An aggregate that is to begin at this instant and has room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Filling {
    /// The sending station.
    pub station: NodeId,
    /// Its access category.
    pub category: usize,
    /// The receiver.
    pub to: NodeId,
    /// True if it is one of several in a multi-user PPDU.
    pub multi_user: bool,
}

/// A packet that a station accepts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Admitted {
    pub(super) class: Class,
    pub(super) bytes: u32,
    pub(super) expires: Nanos,
    pub(super) flow: u32,
}
