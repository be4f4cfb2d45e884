//! A veth pair between the tool's namespace and that of a port, made by the program `ip`.

use crate::error::{Error, Result};
use crate::namespace::NetNs;
use crate::offload;
use crate::program;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::net::IpAddr;
use std::os::fd::{AsFd, AsRawFd};

/// An Ethernet address.
pub type Mac = [u8; 6];

/// A veth pair: the port's end has addresses and is used by programs, the tool's end has none and is read by a ring.
#[derive(Debug, Clone)]
pub struct Veth {
    /// Name of the tool's end.
    pub tool: String,
    /// Name of the port's end.
    pub port: String,
    /// Ethernet address of the port's end.
    pub mac: Mac,
    /// Largest IP packet, in bytes.
    pub mtu: u32,
    /// Addresses of the port's end, with the lengths of their prefixes.
    pub addresses: Vec<(IpAddr, u8)>,
    /// Neighbours that are known from the start: no ARP or neighbour discovery is sent for them. Others are found as
    /// usual.
    pub neighbours: Vec<(IpAddr, Mac)>,
}

impl Veth {
    /// Makes the pair, with both ends up and offloads off. The tool's end has no IPv6, nor has the port's end unless
    /// it has such an address: the system sends nothing unasked. Addresses are used at once, without detection of
    /// duplicates.
    ///
    /// # Errors
    /// If a name or the MTU is not valid, if the namespaces refuse, or if `ip` is not installed.
    pub fn create(&self, tool: &NetNs, port: &NetNs) -> Result<()> {
        self.check()?;
        let place = format!("/proc/{}/fd/{}", std::process::id(), port.as_fd().as_raw_fd());
        let (outer, inner, mtu) = (&self.tool, &self.port, self.mtu);
        let mac = mac_text(self.mac);
        ip(
            tool,
            &format!(
                "link add dev {outer} mtu {mtu} type veth peer name {inner} address {mac} mtu {mtu} netns {place}\n"
            ),
        )?;
        let v6 = self.addresses.iter().any(|(address, _)| address.is_ipv6());
        tool.within(|| no_ipv6(outer).and_then(|()| offload::off(outer)))?;
        port.within(|| {
            let ready = if v6 { quiet_ipv6(inner) } else { no_ipv6(inner) };
            ready.and_then(|()| offload::off(inner))
        })?;
        let mut lines = String::new();
        for (address, prefix) in &self.addresses {
            let nodad = if address.is_ipv6() { " nodad" } else { "" };
            let _ = writeln!(lines, "addr add {address}/{prefix} dev {inner}{nodad}");
        }
        let _ = writeln!(lines, "link set dev {inner} up");
        for (address, mac) in &self.neighbours {
            let mac = mac_text(*mac);
            let _ =
                writeln!(lines, "neigh replace {address} lladdr {mac} dev {inner} nud permanent");
        }
        ip(tool, &format!("link set dev {outer} up\n"))?;
        ip(port, &lines)
    }

    fn check(&self) -> Result<()> {
        for name in [&self.tool, &self.port] {
            if !is_device(name) {
                return Err(Error::Input(format!(
                    "'{name}' cannot be the name of an interface: use 1 to 15 letters, digits, '-', '_' and '.'"
                )));
            }
        }
        let least = if self.addresses.iter().any(|(a, _)| a.is_ipv6()) { 1280 } else { 68 };
        if !(least..=65_535).contains(&self.mtu) {
            let mtu = self.mtu;
            return Err(Error::Input(format!(
                "an interface cannot carry packets of up to {mtu} bytes: use {least} to 65535"
            )));
        }
        Ok(())
    }
}

/// Whether a device that is made here may have this name.
pub fn is_device(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    (1..=15).contains(&name.len()) && name.chars().all(allowed) && !name.starts_with(['-', '.'])
}

fn mac_text(mac: Mac) -> String {
    mac.map(|byte| format!("{byte:02x}")).join(":")
}

/// Settings of IPv6 of an interface, for the namespace of the calling thread.
fn ipv6(device: &str, setting: &str, value: &str) -> Result<()> {
    let path = format!("/proc/sys/net/ipv6/conf/{device}/{setting}");
    fs::write(&path, value).map_err(|e| Error::system(format!("writing {path}"), e))
}

fn no_ipv6(device: &str) -> Result<()> {
    match ipv6(device, "disable_ipv6", "1") {
        // A kernel without IPv6 sends none.
        Err(Error::System { source, .. }) if source.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// No detection of duplicate addresses, no router solicitations.
fn quiet_ipv6(device: &str) -> Result<()> {
    ipv6(device, "accept_dad", "0")?;
    ipv6(device, "accept_ra", "0")?;
    ipv6(device, "router_solicitations", "0")
}

/// Lets the program `ip` execute lines in a namespace. They are read from its standard input, and no shell sees them.
///
/// # Errors
/// The first line of what `ip` wrote to standard error, or that it is not installed.
pub fn ip(namespace: &NetNs, lines: &str) -> Result<()> {
    namespace.within(|| program::ip(lines))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_mtu_are_checked() {
        for bad in ["", "-x", "a b", "eth0\nlink", "0123456789abcdef", "a/b", "..", "a@b"] {
            assert!(!is_device(bad), "{bad:?}");
        }
        assert!(is_device("wlan0") && is_device("eth0.100"));
        let veth = |mtu, address: &str| Veth {
            tool: "a".to_owned(),
            port: "b".to_owned(),
            mac: [2, 0, 0, 0, 0, 1],
            mtu,
            addresses: vec![(address.parse().unwrap(), 64)],
            neighbours: Vec::new(),
        };
        assert!(veth(1279, "fd00::1").check().is_err());
        assert!(veth(1280, "fd00::1").check().is_ok());
        assert!(veth(67, "10.0.0.1").check().is_err());
        assert_eq!(mac_text([2, 0, 0xab, 0, 0, 1]), "02:00:ab:00:00:01");
    }
}
