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

/// The content of an IP packet, such as a frame of 802.11 holds. `wire` is its length on the wire.
pub fn dissect_ip<'a>(
    time_ns: u64,
    data: &'a [u8],
    wire: usize,
    fragments: &mut Fragments,
) -> Content<'a> {
    ip::dissect(time_ns, data, wire, fragments, 0)
}
