//! What a server connects to for its clients: public addresses, and others only if it was told so.
//!
//! The addresses of a name are judged, not the name, after it was looked up here; the connection goes to the address that
//! was judged.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::str::FromStr;

use airtcp_tunnel::Target;

/// A rule of `--allow`: hosts, and a port or all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Allowed {
    host: Host,
    port: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Host {
    Any,
    Name(String),
    /// Addresses that agree with this one in their first bits.
    Network(IpAddr, u8),
}

impl FromStr for Allowed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || {
            format!(
                "'{text}': expected HOST:PORT, ADDRESS:PORT, NETWORK/BITS:PORT or *:PORT; PORT may be *, and an IPv6 \
                 address stands in brackets"
            )
        };
        let (host, port) = text.rsplit_once(':').ok_or_else(expected)?;
        let port = match port {
            "*" => None,
            _ => Some(port.parse().ok().filter(|port| *port != 0).ok_or_else(expected)?),
        };
        let (host, bits) = match host.split_once('/') {
            Some((host, bits)) => (host, Some(bits.parse::<u8>().map_err(|_| expected())?)),
            None => (host, None),
        };
        let bare = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
        let host = if let Ok(ip) = bare.parse::<IpAddr>() {
            let most = if ip.is_ipv4() { 32 } else { 128 };
            Host::Network(
                ip,
                bits.map_or(Some(most), |bits| (bits <= most).then_some(bits))
                    .ok_or_else(expected)?,
            )
        } else if bits.is_some() {
            return Err(expected());
        } else if host == "*" {
            Host::Any
        } else {
            Target::new(host, 1).ok_or_else(expected)?;
            Host::Name(host.to_ascii_lowercase())
        };
        Ok(Self { host, port })
    }
}

impl Allowed {
    fn matches(&self, name: &str, to: SocketAddr) -> bool {
        let host = match &self.host {
            Host::Any => true,
            Host::Name(wanted) => name.eq_ignore_ascii_case(wanted),
            Host::Network(network, bits) => within(to.ip(), *network, *bits),
        };
        host && self.port.is_none_or(|port| port == to.port())
    }
}

/// Whether a server may connect to this address of a target.
pub(super) fn is_allowed(name: &str, to: SocketAddr, rules: &[Allowed]) -> bool {
    let to = SocketAddr::new(to.ip().to_canonical(), to.port());
    is_public(to.ip()) && !is_own(to.ip()) || rules.iter().any(|rule| rule.matches(name, to))
}

/// Whether this host has the address: traffic to it would pass no firewall. Only an own address can be bound.
fn is_own(ip: IpAddr) -> bool {
    UdpSocket::bind((ip, 0)).is_ok()
}

fn within(ip: IpAddr, network: IpAddr, bits: u8) -> bool {
    let agree = |a: u128, b: u128, width: u32| {
        let rest = width - u32::from(bits);
        a.checked_shr(rest).unwrap_or(0) == b.checked_shr(rest).unwrap_or(0)
    };
    match (ip, network) {
        (IpAddr::V4(a), IpAddr::V4(b)) => agree(u32::from(a).into(), u32::from(b).into(), 32),
        (IpAddr::V6(a), IpAddr::V6(b)) => agree(a.into(), b.into(), 128),
        _ => false,
    }
}

/// Addresses of special use (RFC 6890 and the registries of IANA that it made), with their networks.
const SPECIAL_4: [([u8; 4], u8); 15] = [
    ([0, 0, 0, 0], 8),
    ([10, 0, 0, 0], 8),
    ([100, 64, 0, 0], 10),
    ([127, 0, 0, 0], 8),
    ([169, 254, 0, 0], 16),
    ([172, 16, 0, 0], 12),
    ([192, 0, 0, 0], 24),
    ([192, 0, 2, 0], 24),
    ([192, 88, 99, 0], 24),
    ([192, 168, 0, 0], 16),
    ([198, 18, 0, 0], 15),
    ([198, 51, 100, 0], 24),
    ([203, 0, 113, 0], 24),
    ([224, 0, 0, 0], 4),
    ([240, 0, 0, 0], 4),
];
/// Global unicast addresses of IPv6, and what of them is not global, or has an address of IPv4 inside.
const GLOBAL_6: (Ipv6Addr, u8) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);
const SPECIAL_6: [(Ipv6Addr, u8); 4] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

fn is_public(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(_) => !SPECIAL_4
            .iter()
            .any(|(network, bits)| within(ip, Ipv4Addr::from(*network).into(), *bits)),
        IpAddr::V6(_) => {
            within(ip, GLOBAL_6.0.into(), GLOBAL_6.1)
                && !SPECIAL_6.iter().any(|(network, bits)| within(ip, (*network).into(), *bits))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(name: &str, to: &str, rules: &[&str]) -> bool {
        let rules: Vec<Allowed> = rules.iter().map(|rule| rule.parse().unwrap()).collect();
        is_allowed(name, to.parse().unwrap(), &rules)
    }

    #[test]
    fn only_public_addresses_without_a_rule() {
        for public in ["8.8.8.8:53", "[2620:fe::fe]:443", "172.32.0.1:80", "100.128.0.1:1"] {
            assert!(allowed("x", public, &[]), "{public}");
        }
        for other in [
            "127.0.0.1:22",
            "10.1.2.3:80",
            "172.31.255.255:80",
            "192.168.0.1:80",
            "169.254.169.254:80",
            "100.64.0.1:80",
            "0.0.0.0:80",
            "224.0.0.1:80",
            "255.255.255.255:80",
            "[::1]:80",
            "[::]:80",
            "[fe80::1]:80",
            "[fd00::1]:80",
            "[::ffff:127.0.0.1]:80",
            "[::ffff:10.0.0.1]:80",
            "[64:ff9b::a00:1]:80",
            "[2002:7f00:1::]:80",
            "[2001::1]:80",
            "[3fff:fff::1]:80",
            "[ff02::1]:80",
        ] {
            assert!(!allowed("x", other, &[]), "{other}");
        }
    }

    #[test]
    fn an_own_address_is_known() {
        assert!(is_own("127.0.0.1".parse().unwrap()));
        assert!(!is_own("198.51.100.1".parse().unwrap()));
    }

    #[test]
    fn rules_name_hosts_networks_and_ports() {
        assert!(allowed("db.local", "10.0.0.5:5432", &["db.local:5432"]));
        assert!(allowed("DB.local", "10.0.0.5:5432", &["db.local:*"]));
        assert!(!allowed("db.local", "10.0.0.5:22", &["db.local:5432"]));
        assert!(!allowed("evil", "10.0.0.5:5432", &["db.local:5432"]));
        assert!(allowed("x", "10.9.8.7:80", &["10.0.0.0/8:80"]));
        assert!(
            !allowed("x", "11.9.8.7:80", &["12.0.0.0/8:80"])
                || is_public("11.9.8.7".parse().unwrap())
        );
        assert!(allowed("x", "[fd00::1]:80", &["[fd00::]/8:80"]));
        assert!(allowed("x", "127.0.0.1:8080", &["*:8080"]));
        assert!(allowed("x", "[::ffff:127.0.0.1]:80", &["127.0.0.1:80"]));
        assert!(allowed("x", "10.0.0.1:1", &["0.0.0.0/0:*"]));
    }

    #[test]
    fn what_is_no_rule_is_refused() {
        for wrong in [
            "",
            "host",
            "host:0",
            "host:x",
            ":80",
            "10.0.0.0/33:80",
            "host/8:80",
            "a b:80",
            "10.0.0.0/x:80",
        ] {
            assert!(wrong.parse::<Allowed>().unwrap_err().contains("expected"), "{wrong}");
        }
    }
}
