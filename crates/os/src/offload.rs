//! Offloads of an interface: with them off, what is read from it is what a wire would carry.

use crate::error::{Error, Result, check};
use crate::socket;
use std::io;
use std::os::fd::AsRawFd;

/// Request of `ioctl` for `ethtool` (linux/sockios.h).
const SIOCETHTOOL: libc::Ioctl = 0x8946;

/// What is read and set: commands of linux/ethtool.h. Checksums come last: with them off, the kernel cannot turn on
/// segmentation.
const OFFLOADS: [(u32, u32); 4] = [(0x1e, 0x1f), (0x23, 0x24), (0x2b, 0x2c), (0x16, 0x17)];

/// Generic receive offload: reading and setting it.
const GRO: (u32, u32) = (0x2b, 0x2c);
/// Flags, one of which is large receive offload.
const FLAGS: (u32, u32) = (0x25, 0x26);
const LRO: u32 = 1 << 15;

/// What merges received packets into longer ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Merging {
    /// The kernel does (GRO).
    pub kernel: bool,
    /// The device does (LRO).
    pub device: bool,
}

impl Merging {
    /// Nothing merges.
    pub const NONE: Self = Self { kernel: false, device: false };

    /// Whether anything does.
    pub fn any(self) -> bool {
        self != Self::NONE
    }
}

/// What merges received packets of a device, in the namespace of the calling thread.
///
/// # Errors
/// If the device is not there.
pub fn merging(device: &str) -> Result<Merging> {
    let read = |what| match command(device, what, 0) {
        Err(e) if e.raw_os_error() == Some(libc::EOPNOTSUPP) => Ok(0),
        other => other.map_err(|e| Error::device(device, "reading offloads", e)),
    };
    Ok(Merging { kernel: read(GRO.0)? != 0, device: read(FLAGS.0)? & LRO != 0 })
}

/// Lets received packets of a device be merged, or not.
///
/// # Errors
/// If the device is not there, or if the process may not.
pub fn set_merging(device: &str, to: Merging) -> Result<()> {
    let failed = |e| Error::device(device, "setting offloads", e);
    let now = merging(device)?;
    if now.kernel != to.kernel {
        command(device, GRO.1, u32::from(to.kernel)).map_err(failed)?;
    }
    if now.device != to.device {
        let flags = command(device, FLAGS.0, 0).map_err(failed)?;
        let flags = if to.device { flags | LRO } else { flags & !LRO };
        command(device, FLAGS.1, flags).map_err(failed)?;
    }
    Ok(())
}

#[repr(C)]
struct Value {
    command: u32,
    data: u32,
}

/// `struct ifreq`, with the member that `SIOCETHTOOL` reads.
#[repr(C)]
struct Request {
    name: [u8; libc::IFNAMSIZ],
    data: *mut Value,
    rest: [u64; 2],
}

/// Turns off segmentation and checksums of sent packets, and merging of received ones, in the namespace of the calling
/// thread. What a driver does not have is off already.
///
/// # Errors
/// If the device is not there, or if the process may not.
pub fn off(device: &str) -> Result<()> {
    for (_, set) in OFFLOADS {
        match command(device, set, 0) {
            Ok(_) => {}
            Err(e) if e.raw_os_error() == Some(libc::EOPNOTSUPP) => {}
            Err(e) => return Err(Error::device(device, "turning off offloads", e)),
        }
    }
    Ok(())
}

/// Whether any of these offloads is on.
///
/// # Errors
/// If the device is not there.
pub fn any(device: &str) -> Result<bool> {
    for (get, _) in OFFLOADS {
        match command(device, get, 0) {
            Ok(0) => {}
            Ok(_) => return Ok(true),
            Err(e) if e.raw_os_error() == Some(libc::EOPNOTSUPP) => {}
            Err(e) => return Err(Error::device(device, "reading offloads", e)),
        }
    }
    Ok(false)
}

#[allow(unsafe_code, reason = "no safe library wraps SIOCETHTOOL")]
fn command(device: &str, command: u32, data: u32) -> io::Result<u32> {
    let mut value = Value { command, data };
    let mut request = Request { name: socket::name(device)?, data: &raw mut value, rest: [0; 2] };
    let socket = socket::datagram()?;
    // SAFETY: the request is laid out as `struct ifreq`, of 40 bytes, and points at a value that lives through the
    // call; these commands read and write 8 bytes of it.
    let code = unsafe { libc::ioctl(socket.as_raw_fd(), SIOCETHTOOL, &raw mut request) };
    check(code).map(|()| value.data)
}
