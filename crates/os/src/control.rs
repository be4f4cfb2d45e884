//! Control messages of datagrams (cmsg(3)): what the kernel says beside the bytes, and what it is told.
//!
//! Each has its length as a `usize`, level and type as `int`, then data, padded to the length of a `usize`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

const HEADER: usize = size_of::<usize>() + 8;
/// Bytes of `in_pktinfo`: index of the interface, the local address, the address in the header.
const PKTINFO_4: usize = 12;
/// Bytes of `in6_pktinfo`: the address, index of the interface.
const PKTINFO_6: usize = 20;

/// Room for the messages of a datagram: a stamp takes 32 bytes with its header, the ECN field 24, an address 40 at most.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(8))]
pub(crate) struct Control {
    pub(crate) bytes: [u8; 128],
    pub(crate) length: usize,
}

impl Default for Control {
    fn default() -> Self {
        Self { bytes: [0; 128], length: 0 }
    }
}

/// What the kernel says of a datagram beside its bytes.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Messages {
    /// `CLOCK_REALTIME` of its arrival, as seconds and nanoseconds.
    pub(crate) stamp: Option<(u32, u32)>,
    /// The ECN field.
    pub(crate) ecn: u8,
    /// The address of this host that it was sent to.
    pub(crate) to: Option<IpAddr>,
}

/// Reads control messages.
pub(crate) fn messages(control: &Control) -> Messages {
    let mut found = Messages::default();
    let mut rest = &control.bytes[..control.length];
    while let Some(Ok(length)) = rest.get(..size_of::<usize>()).map(TryInto::try_into) {
        let length = usize::from_ne_bytes(length);
        let Some(data) = rest.get(HEADER..length) else { break };
        let int = |at: usize| whole(&rest[at..at + 4]);
        let kind = (int(HEADER - 8), int(HEADER - 4));
        let is = |level: libc::c_int, option: libc::c_int| {
            kind == (u32::try_from(level).ok(), u32::try_from(option).ok())
        };
        if is(libc::SOL_SOCKET, libc::SO_TIMESTAMPNS) && data.len() == size_of::<libc::timespec>() {
            let (seconds, nanoseconds) = data.split_at(data.len() / 2);
            found.stamp = whole(seconds).zip(whole(nanoseconds));
        } else if is(libc::IPPROTO_IP, libc::IP_TOS) {
            found.ecn = data.first().copied().unwrap_or_default() & 3;
        } else if is(libc::IPPROTO_IPV6, libc::IPV6_TCLASS) && data.len() == 4 {
            found.ecn = (whole(data).unwrap_or_default() & 3) as u8;
        } else if is(libc::IPPROTO_IP, libc::IP_PKTINFO) && data.len() == PKTINFO_4 {
            let local: Option<[u8; 4]> = data[4..8].try_into().ok();
            found.to = local.map(|local| Ipv4Addr::from(local).into());
        } else if is(libc::IPPROTO_IPV6, libc::IPV6_PKTINFO) && data.len() == PKTINFO_6 {
            let local: Option<[u8; 16]> = data[..16].try_into().ok();
            found.to = local.map(|local| Ipv6Addr::from(local).into());
        }
        rest = rest.get(length.next_multiple_of(size_of::<usize>())..).unwrap_or_default();
    }
    found
}

/// A number of the machine's order, of 4 or 8 bytes.
fn whole(bytes: &[u8]) -> Option<u32> {
    let value = match bytes.len() {
        4 => i64::from(i32::from_ne_bytes(bytes.try_into().ok()?)),
        _ => i64::from_ne_bytes(bytes.try_into().ok()?),
    };
    u32::try_from(value).ok()
}

/// The message that a datagram comes from this address of the host. `None` for an address that is valid on one link only: the
/// kernel takes the one of the interface to which the datagram goes.
pub(crate) fn source(from: IpAddr) -> Option<Control> {
    let (level, option, data) = match from {
        IpAddr::V4(v4) => {
            let mut data = vec![0; PKTINFO_4];
            data[4..8].copy_from_slice(&v4.octets());
            (libc::IPPROTO_IP, libc::IP_PKTINFO, data)
        }
        IpAddr::V6(v6) if v6.is_unicast_link_local() || v6.is_multicast() => return None,
        IpAddr::V6(v6) => {
            let mut data = vec![0; PKTINFO_6];
            data[..16].copy_from_slice(&v6.octets());
            (libc::IPPROTO_IPV6, libc::IPV6_PKTINFO, data)
        }
    };
    let length = HEADER + data.len();
    let mut control = Control::default();
    let parts = [&length.to_ne_bytes()[..], &level.to_ne_bytes(), &option.to_ne_bytes(), &data];
    let all = parts.concat();
    control.bytes[..all.len()].copy_from_slice(&all);
    control.length = length.next_multiple_of(size_of::<usize>());
    Some(control)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Messages {
        let mut control = Control { length: bytes.len(), ..Control::default() };
        control.bytes[..bytes.len()].copy_from_slice(bytes);
        messages(&control)
    }

    #[test]
    fn messages_that_are_cut_say_nothing() {
        assert_eq!(read(&[]), Messages::default());
        assert_eq!(read(&[7; 15]), Messages::default());
        assert_eq!(read(&[0; 64]), Messages::default());
        assert_eq!(read(&[255; 64]), Messages::default());
    }

    #[test]
    fn a_source_is_written_as_the_kernel_says_an_address() {
        for text in ["192.0.2.7", "2001:db8::7", "::ffff:192.0.2.7"] {
            let address = text.parse().unwrap();
            assert_eq!(messages(&source(address).unwrap()).to, Some(address));
        }
        assert!(source("fe80::1".parse().unwrap()).is_none());
    }
}
