//! Link layers: what precedes the IP header. Numbers are those of the registry at tcpdump.org.

use crate::bytes::be16;

/// Link types, by their registered numbers.
pub mod link_type {
    /// BSD loopback: the address family in the capturing host's byte order.
    pub const NULL: u16 = 0;
    /// Ethernet.
    pub const ETHERNET: u16 = 1;
    /// PPP, with or without the address and control fields of HDLC-like framing.
    pub const PPP: u16 = 9;
    /// Raw IP, as some systems number it.
    pub const RAW_BSD: u16 = 12;
    /// Raw IP, as OpenBSD numbers it.
    pub const RAW_OPENBSD: u16 = 14;
    /// PPP in HDLC-like framing, or Cisco HDLC.
    pub const PPP_HDLC: u16 = 50;
    /// PPP behind the header of a PPPoE session.
    pub const PPP_ETHER: u16 = 51;
    /// Raw IP.
    pub const RAW: u16 = 101;
    /// Cisco HDLC.
    pub const C_HDLC: u16 = 104;
    /// 802.11 without radio header.
    pub const IEEE802_11: u16 = 105;
    /// OpenBSD loopback: the address family in network byte order.
    pub const LOOP: u16 = 108;
    /// Linux cooked capture, version 1.
    pub const LINUX_SLL: u16 = 113;
    /// 802.11 behind a Prism header.
    pub const PRISM: u16 = 119;
    /// 802.11 behind a radiotap header.
    pub const RADIOTAP: u16 = 127;
    /// 802.11 behind an AVS header.
    pub const AVS: u16 = 163;
    /// Per-packet information, usually before 802.11.
    pub const PPI: u16 = 192;
    /// Raw IPv4.
    pub const IPV4: u16 = 228;
    /// Raw IPv6.
    pub const IPV6: u16 = 229;
    /// Linux cooked capture, version 2.
    pub const LINUX_SLL2: u16 = 276;
}

/// Name of a link type, for reports.
pub fn name(number: u16) -> String {
    use link_type as t;
    let known = match number {
        t::NULL => "null",
        t::ETHERNET => "ethernet",
        t::PPP | t::PPP_HDLC => "ppp",
        t::PPP_ETHER => "pppoe",
        t::RAW_BSD | t::RAW_OPENBSD | t::RAW => "raw-ip",
        t::C_HDLC => "cisco-hdlc",
        t::IEEE802_11 => "802.11",
        t::LOOP => "loop",
        t::LINUX_SLL => "linux-sll",
        t::PRISM => "802.11-prism",
        t::RADIOTAP => "802.11-radiotap",
        t::AVS => "802.11-avs",
        t::PPI => "ppi",
        t::IPV4 => "raw-ipv4",
        t::IPV6 => "raw-ipv6",
        t::LINUX_SLL2 => "linux-sll2",
        other => return format!("link type {other}"),
    };
    known.to_owned()
}

/// True for the link types of 802.11.
pub const fn is_air(number: u16) -> bool {
    use link_type as t;
    matches!(number, t::IEEE802_11 | t::PRISM | t::RADIOTAP | t::AVS | t::PPI)
}

/// What follows a link layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layer<'a> {
    /// IP, from its header on.
    Ip(&'a [u8]),
    /// 802.11.
    Air,
    /// Another protocol.
    Other,
    /// The capture cut the header off.
    Unreadable,
    /// airtcp does not read this link type.
    Unknown,
}

/// Most VLAN tags before IP.
const MAX_TAGS: usize = 4;

/// What follows the link layer of a packet.
#[inline]
pub(super) fn layer(number: u16, data: &[u8]) -> Layer<'_> {
    use link_type as t;
    match number {
        t::ETHERNET => ethertype(data, 12),
        t::LINUX_SLL => ethertype(data, 14),
        t::PPP | t::PPP_HDLC => point_to_point(data),
        t::PPP_ETHER => match data.get(6..) {
            Some(rest) => ppp(rest),
            None => Layer::Unreadable,
        },
        t::C_HDLC => ethertype(data, 2),
        t::LINUX_SLL2 => sll2(data),
        t::NULL | t::LOOP => loopback(data),
        t::RAW | t::RAW_BSD | t::RAW_OPENBSD | t::IPV4 | t::IPV6 => Layer::Ip(data),
        _ if is_air(number) => Layer::Air,
        _ => Layer::Unknown,
    }
}

/// The layer behind the EtherType at `at`, VLAN tags skipped.
fn ethertype(data: &[u8], at: usize) -> Layer<'_> {
    let mut at = at;
    for _ in 0..=MAX_TAGS {
        let Some(kind) = be16(data, at) else { return Layer::Unreadable };
        match kind {
            0x0800 | 0x86dd => return Layer::Ip(&data[at + 2..]),
            0x8100 | 0x88a8 | 0x9100 => at += 4,
            // PPPoE session: a header of six bytes, then the protocol of PPP.
            0x8864 => return data.get(at + 8..).map_or(Layer::Unreadable, ppp),
            _ => return Layer::Other,
        }
    }
    Layer::Other
}

/// PPP on a serial line: the address and control fields can be missing (RFC 1661 section 6.6), and Cisco
/// HDLC has other addresses and an EtherType.
fn point_to_point(data: &[u8]) -> Layer<'_> {
    match data {
        [0xff, 0x03, rest @ ..] => ppp(rest),
        [0x0f | 0x8f, 0, ..] => ethertype(data, 2),
        _ => ppp(data),
    }
}

/// What follows the protocol field of PPP, which has one byte if it is compressed (RFC 1661 section 6.5).
fn ppp(data: &[u8]) -> Layer<'_> {
    match data {
        [0, 0x21 | 0x57, rest @ ..] | [0x21 | 0x57, rest @ ..] => Layer::Ip(rest),
        [] | [_] => Layer::Unreadable,
        _ => Layer::Other,
    }
}

fn sll2(data: &[u8]) -> Layer<'_> {
    match (be16(data, 0), data.get(20..)) {
        (Some(0x0800 | 0x86dd), Some(rest)) => Layer::Ip(rest),
        (Some(0x8100 | 0x88a8), Some(_)) => ethertype(data, 22),
        (Some(_), Some(_)) => Layer::Other,
        _ => Layer::Unreadable,
    }
}

/// Address families of IPv4 and IPv6 on the systems that write these files.
fn loopback(data: &[u8]) -> Layer<'_> {
    let Some((family, rest)) = data.split_first_chunk::<4>() else { return Layer::Unreadable };
    // The host's byte order is unknown; families are below 256.
    let family = u32::from_be_bytes(*family).max(u32::from_le_bytes(*family)) >> 24;
    match family {
        2 | 10 | 24 | 28 | 30 => Layer::Ip(rest),
        _ => Layer::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_and_families() {
        let mut frame = vec![0; 12];
        frame.extend([0x81, 0, 0, 5, 0x88, 0xa8, 0, 1, 0x08, 0, 0x45]);
        assert_eq!(layer(link_type::ETHERNET, &frame), Layer::Ip(&[0x45]));
        assert_eq!(layer(link_type::ETHERNET, &frame[..13]), Layer::Unreadable);
        assert_eq!(layer(link_type::NULL, &[2, 0, 0, 0, 0x45]), Layer::Ip(&[0x45]));
        assert_eq!(layer(link_type::LOOP, &[0, 0, 0, 30, 0x60]), Layer::Ip(&[0x60]));
        assert_eq!(layer(147, &[]), Layer::Unknown);
    }

    #[test]
    fn serial_lines() {
        let ip: &[u8] = &[0x45];
        for (number, frame) in [
            (link_type::PPP, &[0xff, 3, 0, 0x21, 0x45][..]),
            (link_type::PPP, &[0, 0x57, 0x45]),
            (link_type::PPP, &[0x21, 0x45]),
            (link_type::PPP_HDLC, &[0x0f, 0, 8, 0, 0x45]),
            (link_type::PPP_ETHER, &[0x11, 0, 0, 1, 0, 3, 0, 0x21, 0x45]),
            (link_type::C_HDLC, &[0x8f, 0, 8, 0, 0x45]),
        ] {
            assert_eq!(layer(number, frame), Layer::Ip(ip), "{frame:x?}");
        }
        // The link control protocol, and a frame that was cut off.
        assert_eq!(layer(link_type::PPP, &[0xff, 3, 0xc0, 0x21, 1]), Layer::Other);
        assert_eq!(layer(link_type::PPP, &[0xff, 3]), Layer::Unreadable);
    }
}
