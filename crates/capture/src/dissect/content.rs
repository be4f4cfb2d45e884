//! What a packet holds.

use super::layer::Unread;
use super::segment::Segment;

/// What a packet holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content<'a> {
    /// A TCP segment.
    Tcp(Segment),
    /// A frame of 802.11, from its radio header on.
    Air {
        /// Its link type.
        link_type: u16,
        /// Its captured bytes.
        data: &'a [u8],
        /// Its length on the wire.
        wire: usize,
    },
    /// IP without TCP.
    OtherIp,
    /// Neither IP nor 802.11.
    Other,
    /// What can hold TCP and is not read.
    Unread(Unread),
    /// A fragment whose datagram is not complete yet.
    Fragment,
    /// Headers that the capture cut off, or that are malformed.
    Unreadable,
    /// A link type that airtcp does not read.
    UnknownLink(u16),
}
