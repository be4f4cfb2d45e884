//! Link layers: what precedes the IP header. Numbers are those of the registry at tcpdump.org. A link type
//! that is read is one line in the list here.

use airtcp_wire::link_type;

use super::ethernet;
use super::hosts;
use super::lans;
use super::layer::{self, Layer, Reader};
use super::link_names;
use super::ppp;
use super::view::View;

/// The link types that are read: number, name in reports, reader. Those of 802.11 have none: `air` reads
/// them.
const LINKS: [(u16, &str, Reader); 40] = {
    use link_type as t;
    [
        (t::NULL, "null", hosts::loopback),
        (t::ETHERNET, "ethernet", |view| ethernet::ethertype(view, 12)),
        (t::TOKEN_RING, "token-ring", lans::token_ring),
        (t::PPP, "ppp", lans::serial),
        (t::FDDI, "fddi", lans::fddi),
        (11, "atm", layer::llc),
        (t::RAW_BSD, "raw-ip", layer::ip),
        (t::RAW_OPENBSD, "raw-ip", layer::ip),
        (50, "ppp", lans::serial),
        // PPP behind the header of a PPPoE session.
        (51, "pppoe", |view| Layer::of(view.skip(6), ppp::read)),
        (100, "atm", layer::llc),
        (t::RAW, "raw-ip", layer::ip),
        (104, "cisco-hdlc", |view| ethernet::ethertype(view, 2)),
        (t::FRELAY, "frame-relay", lans::frame_relay),
        (t::LOOP, "loop", hosts::loopback),
        (109, "enc", hosts::enc),
        (t::LINUX_SLL, "linux-sll", hosts::cooked),
        (117, "pflog", hosts::pflog),
        (122, "ip-over-fc", lans::fibre_channel),
        (123, "sunatm", lans::sun_atm),
        (138, "ip-over-ieee1394", lans::ieee1394),
        (t::USER_2, "pktap", hosts::pktap_of_user),
        (166, "ppp-pppd", lans::pppd),
        (197, "erf", lans::erf),
        // The direction in one byte.
        (204, "ppp-with-dir", |view| Layer::of(view.skip(1), lans::serial)),
        (205, "cisco-hdlc-with-dir", |view| ethernet::ethertype(view, 3)),
        (206, "frame-relay-with-dir", |view| Layer::of(view.skip(1), lans::frame_relay)),
        (226, "ipnet", hosts::ipnet),
        (t::IPV4, "raw-ipv4", layer::ip),
        (t::IPV6, "raw-ipv6", layer::ip),
        (239, "nflog", hosts::nflog),
        // Hilscher's cards: four bytes, and a preamble of eight in the second kind.
        (240, "netanalyzer", |view| Layer::of(view.skip(4), Layer::ethernet)),
        (241, "netanalyzer-transparent", |view| Layer::of(view.skip(12), Layer::ethernet)),
        (t::PKTAP, "pktap", hosts::pktap),
        // Ethernet with its preamble of eight bytes.
        (274, "ethernet-mpacket", |view| Layer::of(view.skip(8), Layer::ethernet)),
        (t::LINUX_SLL2, "linux-sll2", hosts::cooked_2),
        // Tags of switches by Broadcom, behind the addresses and before them, and by Marvell.
        (281, "dsa-tag-brcm", |view| ethernet::ethertype(view, 16)),
        (282, "dsa-tag-brcm-prepend", |view| Layer::of(view.skip(4), Layer::ethernet)),
        (284, "dsa-tag-dsa", |view| ethernet::ethertype(view, 16)),
        (285, "dsa-tag-edsa", |view| ethernet::ethertype(view, 20)),
    ]
};

/// Names of the link types of 802.11.
const AIR: [(u16, &str); 5] = {
    use link_type as t;
    [
        (t::IEEE802_11, "802.11"),
        (t::PRISM, "802.11-prism"),
        (t::RADIOTAP, "802.11-radiotap"),
        (t::AVS, "802.11-avs"),
        (t::PPI, "ppi"),
    ]
};

/// Name of a link type, for reports.
pub fn name(number: u16) -> String {
    let read = LINKS.iter().find(|(known, ..)| *known == number).map(|(_, name, _)| *name);
    let air = AIR.iter().find(|(known, _)| *known == number).map(|(_, name)| *name);
    match (air.or(read), link_names::of(number)) {
        (Some(name), _) => name.to_owned(),
        (None, Some(name)) => format!("{name} (link type {number})"),
        (None, None) => format!("link type {number}"),
    }
}

/// Number and name of a link type that is not read, for messages.
pub fn named_number(number: u16) -> String {
    match link_names::of(number) {
        Some(name) => format!("link type {number} ({name})"),
        None => format!("link type {number}"),
    }
}

/// True for the link types of 802.11.
pub const fn is_air(number: u16) -> bool {
    use link_type as t;
    matches!(number, t::IEEE802_11 | t::PRISM | t::RADIOTAP | t::AVS | t::PPI)
}

/// What follows the link layer of a packet that is no frame of 802.11.
#[inline]
pub(super) fn layer(number: u16, view: View<'_>) -> Layer<'_> {
    if number == link_type::ETHERNET {
        return ethernet::ethertype(view, 12);
    }
    match LINKS.iter().find(|(known, ..)| *known == number) {
        Some((.., read)) => read(view),
        None => Layer::UnknownLink(number),
    }
}

#[cfg(test)]
mod tests;
