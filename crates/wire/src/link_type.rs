//! Link types, by the numbers of the registry at tcpdump.org.

/// BSD loopback: the address family in the capturing host's byte order.
pub const NULL: u16 = 0;
/// Ethernet.
pub const ETHERNET: u16 = 1;
/// Token ring.
pub const TOKEN_RING: u16 = 6;
/// PPP, with or without the address and control fields of HDLC-like framing.
pub const PPP: u16 = 9;
/// FDDI.
pub const FDDI: u16 = 10;
/// Raw IP, as some systems number it.
pub const RAW_BSD: u16 = 12;
/// Raw IP, as OpenBSD numbers it.
pub const RAW_OPENBSD: u16 = 14;
/// Raw IP.
pub const RAW: u16 = 101;
/// 802.11 without radio header.
pub const IEEE802_11: u16 = 105;
/// Frame Relay.
pub const FRELAY: u16 = 107;
/// OpenBSD loopback: the address family in network byte order.
pub const LOOP: u16 = 108;
/// Linux cooked capture, version 1.
pub const LINUX_SLL: u16 = 113;
/// 802.11 behind a Prism header.
pub const PRISM: u16 = 119;
/// 802.11 behind a radiotap header.
pub const RADIOTAP: u16 = 127;
/// A number for users, which older macOS has for PKTAP.
pub const USER_2: u16 = 149;
/// 802.11 behind an AVS header.
pub const AVS: u16 = 163;
/// Per-packet information, usually before 802.11.
pub const PPI: u16 = 192;
/// Raw IPv4.
pub const IPV4: u16 = 228;
/// Raw IPv6.
pub const IPV6: u16 = 229;
/// macOS's tap, with another link type behind it.
pub const PKTAP: u16 = 258;
/// Linux cooked capture, version 2.
pub const LINUX_SLL2: u16 = 276;
