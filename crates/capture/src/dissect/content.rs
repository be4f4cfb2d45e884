//! What a packet holds.

use super::segment::Segment;

/// What a packet holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content<'a> {
    /// A TCP segment.
    Tcp(Segment),
    /// A frame of 802.11, from its radio header on.
    Air(&'a [u8]),
    /// IP without TCP.
    OtherIp,
    /// Neither IP nor 802.11.
    Other,
    /// A fragment whose datagram is not complete yet.
    Fragment,
    /// Headers that the capture cut off, or that are malformed.
    Unreadable,
    /// A link type that airtcp does not read.
    UnknownLink,
}
