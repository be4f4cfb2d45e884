//! The packets of an MPDU behind the first one (A-MSDU).

use airtcp_packet::PacketId;
use airtcp_units::Nanos;

use super::Class;
use crate::node::NodeId;

/// A packet of an MPDU behind the first one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rider {
    /// The packet; `None` once the receiver has it.
    pub(crate) packet: Option<PacketId>,
    pub(crate) class: Class,
    pub(crate) flow: u32,
    /// Bytes by which the MPDU grew.
    pub(crate) bytes: u32,
    /// Time at which it joined.
    pub(super) since: Nanos,
}

/// The category, the receiver and the sequence number of an MPDU.
pub(super) type Place = (usize, NodeId, u16);
