//! Where a server is, as a user writes it: a host or an address, and perhaps a port.

use std::net::{IpAddr, SocketAddr, ToSocketAddrs as _};

/// Addresses of a name that are tried.
const MOST: usize = 8;

/// The address that a text names, the first of several.
///
/// # Errors
/// As [`addresses`].
pub(crate) fn address(text: &str, port: u16) -> Result<SocketAddr, String> {
    addresses(text, port)?.first().copied().ok_or_else(|| format!("{text}: no such host"))
}

/// The addresses that a text names, one at least: `HOST`, `HOST:PORT`, `192.0.2.1`, `2001:db8::1`, `[2001:db8::1]:PORT`.
///
/// # Errors
/// If it names no host, or if the host has no address.
pub(crate) fn addresses(text: &str, port: u16) -> Result<Vec<SocketAddr>, String> {
    let (host, port) = parts(text, port)?;
    if let Ok(ip) = host.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(ip, port)]);
    }
    let found = (host, port).to_socket_addrs().ok();
    let found: Vec<SocketAddr> = found.into_iter().flatten().take(MOST).collect();
    if found.is_empty() { Err(format!("{text}: no such host")) } else { Ok(found) }
}

/// Host and port.
fn parts(text: &str, usual: u16) -> Result<(&str, u16), String> {
    let expected = || {
        format!(
            "'{text}': expected a host or an address, and perhaps a port: HOST, HOST:{usual}, [ADDRESS]:{usual}"
        )
    };
    let number = |port: &str| port.parse().ok().filter(|port| *port != 0).ok_or_else(expected);
    if let Some(rest) = text.strip_prefix('[') {
        let (host, rest) = rest.split_once(']').ok_or_else(expected)?;
        return match rest.strip_prefix(':') {
            Some(port) => Ok((host, number(port)?)),
            None if rest.is_empty() => Ok((host, usual)),
            None => Err(expected()),
        };
    }
    let (host, port) = match text.split_once(':') {
        // Several colons: an address of IPv6 without a port.
        Some((_, rest)) if rest.contains(':') => (text, usual),
        Some((host, port)) => (host, number(port)?),
        None => (text, usual),
    };
    if host.is_empty() || host.starts_with('-') || host.contains(char::is_whitespace) {
        return Err(expected());
    }
    Ok((host, port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_ports_are_read() {
        let found = |text: &str| address(text, 5299).map(|a| a.to_string());
        assert_eq!(found("192.0.2.1").as_deref(), Ok("192.0.2.1:5299"));
        assert_eq!(found("192.0.2.1:7").as_deref(), Ok("192.0.2.1:7"));
        assert_eq!(found("2001:db8::1").as_deref(), Ok("[2001:db8::1]:5299"));
        assert_eq!(found("[2001:db8::1]").as_deref(), Ok("[2001:db8::1]:5299"));
        assert_eq!(found("[2001:db8::1]:7").as_deref(), Ok("[2001:db8::1]:7"));
        for wrong in
            ["", ":7", "host:", "host:x", "host:0", "host:70000", "[::1", "[::1]x", "a b", "-h"]
        {
            assert!(found(wrong).unwrap_err().contains("expected"), "{wrong}");
        }
    }
}
