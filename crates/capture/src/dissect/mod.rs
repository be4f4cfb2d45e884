//! From captured bytes to TCP segments: link layers, IP, tunnels, TCP.
//!
//! Each header says what follows it ([`Layer`]), and [`follow`] reads one after the other, up to a number
//! of headers. The lists of what is read are in `link` (link types), `ethernet` (EtherTypes), and `tunnels`
//! (IP protocols and ports of UDP). What can hold TCP and is not read has a name ([`Unread`]).

mod content;
mod ethernet;
mod fragments;
mod frames;
mod hosts;
mod ip;
mod lans;
mod layer;
pub mod link;
mod link_names;
mod llc;
mod mpls;
mod ppp;
mod provable;
mod segment;
mod tunnels;
mod view;

pub use airtcp_wire::tcp::{Flags, Options};
pub use content::Content;
pub use fragments::Fragments;
pub use layer::Unread;
pub use segment::{Address, Endpoint, Segment};

use airtcp_wire::tcp;

use crate::read::Packet;
use ip::Held;
use layer::{Layer, MOST_HEADERS};
use segment::IpFields;
use view::View;

/// The content of a packet.
#[inline]
pub fn dissect<'a>(packet: &Packet<'a>, fragments: &mut Fragments) -> Content<'a> {
    let view = View::new(packet.data, packet.wire_len as usize);
    follow(packet.time_ns, Layer::Link(packet.link_type, view), fragments)
}

/// The content of an IP packet, such as a frame of 802.11 holds. `wire` is its length on the wire.
pub fn dissect_ip<'a>(
    time_ns: u64,
    data: &'a [u8],
    wire: usize,
    fragments: &mut Fragments,
) -> Content<'a> {
    follow(time_ns, Layer::Ip(View::new(data, wire)), fragments)
}

/// The IP packet behind LLC, with its length on the wire: of the body of a frame of 802.11.
pub(crate) fn ip_behind_llc(data: &[u8], wire: usize) -> Option<(&[u8], usize)> {
    let mut layer = Layer::Llc(View::new(data, wire));
    for _ in 0..MOST_HEADERS {
        layer = match layer {
            Layer::Ip(view) => return Some((view.data, view.wire())),
            Layer::Link(number, view) => link::layer(number, view),
            Layer::Type(kind, view) => ethernet::typed(kind, view),
            Layer::Llc(view) => llc::read(view),
            Layer::Mpls(view) => mpls::read(view),
            _ => return None,
        }
    }
    None
}

/// Reads headers until a segment, or until nothing more is read.
#[inline]
fn follow<'a>(time_ns: u64, first: Layer<'a>, fragments: &mut Fragments) -> Content<'a> {
    let mut layer = first;
    let mut ip: Option<IpFields> = None;
    for _ in 0..MOST_HEADERS {
        layer = match layer {
            Layer::Link(number, view) if link::is_air(number) => {
                let Some(layer) = lans::per_packet_information(number, view) else {
                    let (data, wire) = (view.data, view.wire());
                    return Content::Air { link_type: number, data, wire };
                };
                layer
            }
            Layer::Link(number, view) => link::layer(number, view),
            Layer::Ip(view) => match ip::dissect(time_ns, view, fragments) {
                Held::Content(content) => return content,
                Held::Layer(layer, fields) => {
                    ip = Some(fields);
                    layer
                }
            },
            Layer::Protocol(tcp::PROTOCOL, view) => {
                return ip.map_or(Content::OtherIp, |fields| ip::segment(&fields, view));
            }
            Layer::Protocol(number, view) => tunnels::protocol(number, view),
            Layer::Type(kind, view) => ethernet::typed(kind, view),
            Layer::Llc(view) => llc::read(view),
            Layer::Mpls(view) => mpls::read(view),
            Layer::Other if ip.is_some() => return Content::OtherIp,
            Layer::Other => return Content::Other,
            Layer::Unread(what) => return Content::Unread(what),
            Layer::Unreadable => return Content::Unreadable,
            Layer::UnknownLink(number) => return Content::UnknownLink(number),
        }
    }
    Content::Unread(Unread { name: "more than 24 headers", number: None })
}
