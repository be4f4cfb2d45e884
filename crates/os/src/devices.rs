//! The devices of the namespace of the calling thread.

use crate::error::Result;
use crate::socket;
use std::fs;

/// Their names, in the order of the kernel; empty if it does not tell.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn the_loopback_device_is_known() {
        let names = names();
        assert!(names.iter().any(|name| name == "lo"), "{names:?}");
        match kind("lo") {
            Ok(kind) => assert_eq!(kind, libc::ARPHRD_LOOPBACK),
            Err(error) => assert!(matches!(error, Error::Forbidden { .. }), "{error}"),
        }
        assert!(matches!(kind("nosuch0"), Err(Error::NoDevice(_))));
    }
}
