//! Packet sockets: making, binding, options.

use crate::control::Control;
use crate::error::{Error, Result, check};
use std::ffi::CString;
use std::io;
use std::mem;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr;

/// Messages that one system call sends.
pub(crate) const BATCH: usize = 64;

/// An address as the kernel has it, and its length.
pub(crate) type Address = (libc::sockaddr_storage, libc::socklen_t);

/// A name as `struct ifreq` has it.
pub(crate) fn name(device: &str) -> io::Result<[u8; libc::IFNAMSIZ]> {
    let mut name = [0; libc::IFNAMSIZ];
    if device.is_empty() || device.len() >= name.len() || device.contains('\0') {
        return Err(io::Error::from_raw_os_error(libc::ENODEV));
    }
    name[..device.len()].copy_from_slice(device.as_bytes());
    Ok(name)
}

/// A socket to ask about interfaces.
pub(crate) fn datagram() -> io::Result<OwnedFd> {
    socket(libc::AF_INET, libc::SOCK_DGRAM)
}

/// A packet socket that receives nothing yet.
pub(crate) fn packet(device: &str) -> Result<OwnedFd> {
    socket(libc::AF_PACKET, libc::SOCK_RAW)
        .map_err(|e| Error::device(device, "opening a packet socket", e))
}

#[allow(unsafe_code, reason = "sockets of AF_PACKET are not in safe libraries")]
fn socket(family: i32, kind: i32) -> io::Result<OwnedFd> {
    let kind = kind | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
    // SAFETY: the call takes numbers, and its descriptor is new and owned by nobody else.
    unsafe {
        let fd = libc::socket(family, kind, 0);
        if fd < 0 { Err(io::Error::last_os_error()) } else { Ok(OwnedFd::from_raw_fd(fd)) }
    }
}

/// The index of a device, in the namespace of the calling thread.
#[allow(unsafe_code, reason = "no safe library is used for if_nametoindex")]
pub(crate) fn index(device: &str) -> Result<i32> {
    let gone = || Error::NoDevice(device.to_owned());
    let text = CString::new(device).map_err(|_| gone())?;
    // SAFETY: the text ends in NUL and lives through the call.
    let index = unsafe { libc::if_nametoindex(text.as_ptr()) };
    i32::try_from(index).ok().filter(|index| *index > 0).ok_or_else(gone)
}

/// Binds a packet socket to a device. With `receive`, frames of all protocols arrive from now on. Returns the kind of
/// the link layer (`ARPHRD_`, linux/if_arp.h).
#[allow(unsafe_code, reason = "addresses of AF_PACKET are not in safe libraries")]
pub(crate) fn bind(socket: &OwnedFd, device: &str, index: i32, receive: bool) -> Result<u16> {
    const ALL: u16 = 0x0003;
    let action = "binding a packet socket";
    // SAFETY: a `sockaddr_ll` of zeros is valid: it has numbers only.
    let mut address: libc::sockaddr_ll = unsafe { mem::zeroed() };
    address.sll_family = u16::try_from(libc::AF_PACKET).unwrap_or_default();
    address.sll_protocol = if receive { ALL.to_be() } else { 0 };
    address.sll_ifindex = index;
    let mut length = libc::socklen_t::try_from(mem::size_of_val(&address)).unwrap_or_default();
    // SAFETY: the kernel reads and writes `length` bytes of the address, its size.
    let bound = unsafe {
        check(libc::bind(socket.as_raw_fd(), (&raw const address).cast(), length)).and_then(|()| {
            let address = (&raw mut address).cast();
            check(libc::getsockname(socket.as_raw_fd(), address, &raw mut length))
        })
    };
    bound.map_err(|e| Error::device(device, action, e))?;
    Ok(address.sll_hatype)
}

/// Sets an option of a packet socket.
///
/// `T` has numbers only, as the structs of linux/if_packet.h have.
pub(crate) fn set<T: Copy>(socket: &OwnedFd, option: i32, value: &T) -> io::Result<()> {
    set_at(socket, libc::SOL_PACKET, option, value)
}

/// Memory for frames to send: as much as asked for, or as the system grants.
pub(crate) fn buffer(socket: &OwnedFd, bytes: libc::c_int) {
    let level = libc::SOL_SOCKET;
    if set_at(socket, level, libc::SO_SNDBUFFORCE, &bytes).is_err() {
        // It grants the largest that is allowed.
        let _ = set_at(socket, level, libc::SO_SNDBUF, &bytes);
    }
}

/// Sets an option of a socket at a level. `T` is as for [`set`].
#[allow(
    unsafe_code,
    reason = "options of AF_PACKET, and some of sockets, are not in safe libraries"
)]
pub(crate) fn set_at<T: Copy>(
    socket: &impl AsRawFd,
    level: i32,
    option: i32,
    value: &T,
) -> io::Result<()> {
    let length = libc::socklen_t::try_from(size_of::<T>()).unwrap_or_default();
    // SAFETY: the kernel reads `length` bytes of the value, its size.
    let code = unsafe {
        let value = ptr::from_ref(value).cast();
        libc::setsockopt(socket.as_raw_fd(), level, option, value, length)
    };
    check(code)
}

/// A message to send: to its address, or to where the socket is bound or connected.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Message<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) to: Option<&'a Address>,
    pub(crate) control: Option<&'a Control>,
}

/// Sends up to [`BATCH`] messages with one system call. Returns how many were sent: one at least if there is no error.
#[allow(unsafe_code, reason = "no safe library that is used has sendmmsg")]
pub(crate) fn send_many<'a>(
    socket: &impl AsRawFd,
    messages: impl Iterator<Item = Message<'a>>,
    flags: libc::c_int,
) -> io::Result<usize> {
    let none = libc::iovec { iov_base: ptr::null_mut(), iov_len: 0 };
    let mut parts = [none; BATCH];
    // SAFETY: headers of zeros are valid: they have numbers and null pointers only.
    let mut headers: [libc::mmsghdr; BATCH] = unsafe { mem::zeroed() };
    let mut count = 0;
    for ((part, header), message) in parts.iter_mut().zip(&mut headers).zip(messages) {
        let bytes = message.bytes;
        *part = libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
        let header = &mut header.msg_hdr;
        header.msg_iov = ptr::from_mut(part);
        header.msg_iovlen = 1;
        if let Some((address, length)) = message.to {
            header.msg_name = ptr::from_ref(address).cast_mut().cast();
            header.msg_namelen = *length;
        }
        if let Some(control) = message.control {
            header.msg_control = control.bytes.as_ptr().cast_mut().cast();
            header.msg_controllen = control.length;
        }
        count += 1;
    }
    // SAFETY: the first `count` headers point at parts, addresses and control messages, and the parts at messages, all of which live through
    // the call. The kernel reads them, and writes only to the headers.
    let code = unsafe { libc::sendmmsg(socket.as_raw_fd(), headers.as_mut_ptr(), count, flags) };
    usize::try_from(code).map_err(|_| io::Error::last_os_error())
}

/// The error that is pending on a socket, which is cleared: that its device went, or went down.
pub(crate) fn pending(socket: &OwnedFd, device: &str) -> Result<()> {
    match rustix::net::sockopt::socket_error(socket) {
        Ok(Ok(())) => Ok(()),
        Ok(Err(e)) | Err(e) => Err(Error::device(device, "reading", e.into())),
    }
}
