//! Tunnels: what an IP protocol number, and a port of UDP, stands for. A family of tunnels is one file and
//! a line in one of the two lists here.
//!
//! A port is no proof. A reader therefore checks the fields that its protocol fixes, and answers
//! [`Layer::Other`] if they do not fit: then the packet is ordinary UDP.

mod erspan;
mod geneve;
mod gre;
mod gtp;
mod l2tp;
mod mirrors;
mod overlays;
mod sealed;
mod transition;
mod vxlan;

use airtcp_wire::udp::ports;

use crate::dissect::layer::{self, Layer, Reader};
use crate::dissect::view::View;

/// IP protocol numbers of what can hold TCP, beside TCP itself.
const PROTOCOLS: [(u8, Reader); 15] = [
    (4, layer::ip),                                      // IPv4 in IP (RFC 2003)
    (17, udp),                                           // RFC 768
    (41, layer::ip),                                     // IPv6 in IP (RFC 4213)
    (47, gre::read),                                     // GRE
    (50, sealed::esp),                                   // RFC 4303
    (51, sealed::authenticated),                         // RFC 4302
    (55, |_| Layer::unread("minimal IP encapsulation")), // RFC 2004
    (94, layer::ip),                                     // KA9Q
    (97, transition::ethernet_in_ip),                    // RFC 3378
    (108, |_| Layer::unread("IPComp")),                  // RFC 3173
    (115, l2tp::version_3),                              // RFC 3931
    (137, layer::mpls),                                  // RFC 4023
    (142, |_| Layer::unread("ROHC")),                    // RFC 5858
    (143, layer::ethernet),                              // RFC 8986
    (145, transition::nsh_in_ip),                        // RFC 9491
];

/// A port of UDP.
struct Port {
    number: u16,
    /// True if answers come from this port.
    both_ways: bool,
    read: Reader,
}

const fn to(number: u16, read: Reader) -> Port {
    Port { number, both_ways: false, read }
}

const fn both(number: u16, read: Reader) -> Port {
    Port { number, both_ways: true, read }
}

/// Ports of UDP of what can hold TCP.
const PORTS: [Port; 17] = [
    both(1194, sealed::openvpn),
    both(1701, l2tp::version_2), // RFC 2661
    to(2152, gtp::read),         // 3GPP TS 29.281
    to(3386, gtp::version_0),
    both(3544, transition::teredo),    // RFC 4380
    to(4341, overlays::lisp),          // RFC 9300
    both(4500, sealed::nat_traversal), // RFC 3948
    to(4754, overlays::gre_in_udp),    // RFC 8086
    to(4789, vxlan::read),             // RFC 7348
    to(4790, vxlan::read),             // VXLAN-GPE
    both(5247, overlays::capwap),      // RFC 5415
    to(6080, overlays::gue),
    to(6081, geneve::read), // RFC 8926
    to(6635, layer::mpls),  // RFC 7510
    to(8472, vxlan::read),  // VXLAN as Linux numbers it by default
    to(37008, mirrors::tzsp),
    both(51820, sealed::wireguard),
];

/// What an IP protocol number stands for.
pub(super) fn protocol(number: u8, view: View<'_>) -> Layer<'_> {
    match PROTOCOLS.iter().find(|(known, _)| *known == number) {
        Some((_, read)) => read(view),
        None => Layer::Other,
    }
}

/// True for a protocol whose fragments may be those of a tunnel.
pub(super) fn is_tunnel(number: u8) -> bool {
    PROTOCOLS.iter().any(|(known, _)| *known == number)
}

/// UDP: the reader of its ports gets what follows its header.
fn udp(view: View<'_>) -> Layer<'_> {
    let Some((from, to)) = ports(view.data) else { return Layer::Other };
    let is_known = |port: &&Port| port.number == to || port.both_ways && port.number == from;
    let Some(port) = PORTS.iter().find(is_known) else { return Layer::Other };
    let length = view.be16(4).map_or(0, usize::from);
    // A length of 0 stands for a packet that the network card will cut.
    let whole = if length < 8 { view } else { view.limit(length) };
    Layer::of(whole.skip(8), port.read)
}

#[cfg(test)]
mod tests;
