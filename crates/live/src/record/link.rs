//! The link type of a capture by the kind of a device: `ARPHRD_` of linux/if_arp.h.

use airtcp_wire::link_type;

const ETHERNET: u16 = 1;
/// Raw IP of modems.
const RAW_IP: u16 = 519;
/// IP in IP, in IPv6, and IPv6 in IPv4: packets begin with the inner header.
const TUNNEL: u16 = 768;
const TUNNEL6: u16 = 769;
const SIT: u16 = 776;
const LOOPBACK: u16 = 772;
const IEEE80211: u16 = 801;
const PRISM: u16 = 802;
const RADIOTAP: u16 = 803;
/// Devices without a link layer, such as TUN and WireGuard.
const NONE: u16 = 0xfffe;

/// The link type of the frames of a device; `None` if no link type describes them.
pub(super) const fn link_type(kind: u16) -> Option<u16> {
    Some(match kind {
        // The loopback device has headers of Ethernet.
        ETHERNET | LOOPBACK => link_type::ETHERNET,
        RAW_IP | TUNNEL | TUNNEL6 | SIT | NONE => link_type::RAW,
        IEEE80211 => link_type::IEEE802_11,
        PRISM => link_type::PRISM,
        RADIOTAP => link_type::RADIOTAP,
        _ => return None,
    })
}

/// True if the device is a radio in monitor mode.
pub(super) const fn is_monitor(kind: u16) -> bool {
    matches!(kind, IEEE80211 | PRISM | RADIOTAP)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds() {
        assert_eq!(link_type(1), Some(1));
        assert_eq!(link_type(803), Some(127));
        assert_eq!(link_type(0xfffe), Some(101));
        assert_eq!(link_type(512), None, "PPP has no common form");
        assert!(is_monitor(803) && !is_monitor(1));
    }
}
