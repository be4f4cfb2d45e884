//! The devices of a namespace, and what one is like: its kind, its MTU, whether it has addresses or is part of another.

use crate::error::{Error, Result, check};
use crate::socket;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::{fs, io};

/// Scope of an address that reaches no further than the link, in `/proc/net/if_inet6`.
const OF_LINK: &str = "20";

/// Requests of `ioctl` (linux/sockios.h): SIOCGIFMTU, SIOCGIFADDR.
const MTU: libc::Ioctl = 0x8921;
const ADDRESS: libc::Ioctl = 0x8915;

/// `struct ifreq`, with its number as the first member of the union.
#[repr(C)]
struct Request {
    name: [u8; libc::IFNAMSIZ],
    number: libc::c_int,
    rest: [u32; 5],
}

/// The names of all devices in the namespace of the calling thread, in the order of the kernel; empty if it does not tell.
pub fn names() -> Vec<String> {
    let text = fs::read_to_string("/proc/thread-self/net/dev").unwrap_or_default();
    // Two lines of headings precede them.
    let rows = text.lines().skip(2).filter_map(|line| line.split_once(':'));
    rows.map(|(name, _)| name.trim().to_owned()).collect()
}

/// The kind of the link layer of a device: `ARPHRD_` of linux/if_arp.h; 1 is Ethernet, 803 is radiotap.
///
/// # Errors
/// If the device is not there, or if the process may not open packet sockets.
pub fn kind(device: &str) -> Result<u16> {
    let index = socket::index(device)?;
    let socket = socket::packet(device)?;
    socket::bind(&socket, device, index, false)
}

/// The largest packet that a device carries, in the namespace of the calling thread.
///
/// # Errors
/// If the device is not there.
pub fn mtu(device: &str) -> Result<u32> {
    let request = ask(device, MTU);
    let request = request.map_err(|e| Error::device(device, "reading the MTU", e))?;
    Ok(u32::try_from(request.number).unwrap_or_default())
}

/// Whether a device has an address that others could talk to: of IPv4, or of IPv6 beyond its link.
///
/// # Errors
/// If the device is not there.
pub fn has_address(device: &str) -> Result<bool> {
    match ask(device, ADDRESS) {
        Ok(_) => return Ok(true),
        Err(e) if e.raw_os_error() == Some(libc::EADDRNOTAVAIL) => {}
        Err(e) => return Err(Error::device(device, "reading the addresses", e)),
    }
    // A kernel without IPv6 has no such file.
    let list = fs::read_to_string("/proc/thread-self/net/if_inet6").unwrap_or_default();
    Ok(list.lines().any(|line| {
        let mut fields = line.split_whitespace();
        let scope = fields.nth(3);
        fields.nth(1) == Some(device) && scope != Some(OF_LINK)
    }))
}

/// The bridge or bond that a device is part of, as far as the system tells.
pub fn master(device: &str) -> Option<String> {
    let link = fs::read_link(Path::new("/sys/class/net").join(device).join("master")).ok()?;
    Some(link.file_name()?.to_string_lossy().into_owned())
}

#[allow(unsafe_code, reason = "no safe library wraps the requests of interfaces")]
fn ask(device: &str, what: libc::Ioctl) -> io::Result<Request> {
    let mut request = Request { name: socket::name(device)?, number: 0, rest: [0; 5] };
    let socket = socket::datagram()?;
    // SAFETY: the request is laid out as `struct ifreq`, of 40 bytes, and lives through the call, which reads its name and writes
    // its union.
    let code = unsafe { libc::ioctl(socket.as_raw_fd(), what, &raw mut request) };
    check(code).map(|()| request)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loopback_device() {
        let names = names();
        assert!(names.iter().any(|name| name == "lo"), "{names:?}");
        match kind("lo") {
            Ok(kind) => assert_eq!(kind, libc::ARPHRD_LOOPBACK),
            Err(error) => assert!(matches!(error, Error::Forbidden { .. }), "{error}"),
        }
        assert!(matches!(kind("nosuch0"), Err(Error::NoDevice(_))));
        assert!(mtu("lo").unwrap() >= 1_500);
        // A namespace whose loopback interface is down has no address there.
        assert!(has_address("lo").is_ok());
        assert_eq!(master("lo"), None);
        for error in [mtu("nosuch0").unwrap_err(), has_address("nosuch0").unwrap_err()] {
            assert_eq!(error.to_string(), "interface 'nosuch0' does not exist");
        }
    }
}
