//! From captured bytes to TCP segments: link layers, IP, tunnels, TCP.

mod content;
mod fragments;
mod ip;
pub mod link;
mod segment;

pub use content::Content;
pub use fragments::Fragments;
pub use segment::{Address, Endpoint, Flags, Options, Segment};

use crate::read::Packet;
use link::{Layer, layer};

/// The content of a packet.
#[inline]
pub fn dissect<'a>(packet: &Packet<'a>, fragments: &mut Fragments) -> Content<'a> {
    match layer(packet.link_type, packet.data) {
        Layer::Ip(data) => {
            // What precedes the IP header on the wire.
            let before = packet.data.len() - data.len();
            let wire = (packet.wire_len as usize).saturating_sub(before);
            ip::dissect(packet.time_ns, data, wire, fragments, 0)
        }
        Layer::Air => Content::Air(packet.data),
        Layer::Other => Content::Other,
        Layer::Unreadable => Content::Unreadable,
        Layer::Unknown => Content::UnknownLink,
    }
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
