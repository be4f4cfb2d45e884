//! UDP datagrams with the kernel's stamp of their arrival.
//!
//! The kernel stamps a datagram when its driver hands it over, however late the process reads it.

use crate::control::{self, Control, Messages};
use crate::error::{Error, Result};
use crate::socket::{self, Address, BATCH, Message};
use std::io;
use std::mem;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6, UdpSocket};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::ptr;

/// Bytes that wait in the kernel until they are read, if it allows so many.
const WAITING: libc::c_int = 4 << 20;

/// A UDP socket that does not block.
#[derive(Debug)]
pub struct Datagrams {
    socket: UdpSocket,
}

/// A datagram that arrived; its bytes are in the caller's buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Datagram {
    /// Its bytes.
    pub length: usize,
    /// Where it came from.
    pub from: SocketAddr,
    /// The address of this host that it was sent to, if [`Datagrams::tell_addresses`] asked for it.
    pub to: Option<IpAddr>,
    /// `CLOCK_REALTIME` of its arrival, as seconds and nanoseconds.
    pub stamp: Option<(u32, u32)>,
    /// The ECN field of its IP header (RFC 3168), if [`Datagrams::use_ecn`] asked for it; else 0.
    pub ecn: u8,
}

/// A datagram to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outgoing {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Where it goes; `None` if the socket is connected.
    pub to: Option<SocketAddr>,
    /// The address of this host that it comes from; `None` leaves it to the kernel.
    pub from: Option<IpAddr>,
}

impl Datagrams {
    /// Binds a socket, and asks for stamps.
    ///
    /// # Errors
    /// If the address is not this host's, or if its port is in use.
    pub fn bind(address: SocketAddr) -> Result<Self> {
        let taken = |e: io::Error| match e.kind() {
            io::ErrorKind::AddrInUse => Error::Input(format!(
                "{address}: the port is in use by another program; choose another with --listen"
            )),
            _ => Error::system(format!("listening at {address}"), e),
        };
        let socket = UdpSocket::bind(address).map_err(taken)?;
        let this = Self { socket };
        let failed = |e| Error::system("preparing a socket", e);
        let set = |option, value: libc::c_int| {
            socket::set_at(&this.socket, libc::SOL_SOCKET, option, &value)
        };
        this.socket.set_nonblocking(true).map_err(failed)?;
        set(libc::SO_TIMESTAMPNS, 1).map_err(failed)?;
        // More than the system allows is cut to what it allows.
        let _ = set(libc::SO_RCVBUF, WAITING);
        let _ = set(libc::SO_SNDBUF, WAITING);
        Ok(this)
    }

    /// Binds a port at all addresses of both families, where the system has both.
    ///
    /// # Errors
    /// If the port is in use.
    pub fn everywhere(port: u16) -> Result<Self> {
        Self::bind((Ipv6Addr::UNSPECIFIED, port).into()).or_else(|error| match error {
            Error::System { .. } => Self::bind((Ipv4Addr::UNSPECIFIED, port).into()),
            other => Err(other),
        })
    }

    /// Sends datagrams as ECN-capable, ECT(0), or not, and reads the ECN field of those that arrive.
    ///
    /// # Errors
    /// If the system does not support it.
    pub fn use_ecn(&self, sends: bool) -> Result<()> {
        /// ECT(0) (RFC 3168 section 5).
        const ECT_0: libc::c_int = 2;
        let field = if sends { ECT_0 } else { 0 };
        let set =
            |level, option, value: libc::c_int| socket::set_at(&self.socket, level, option, &value);
        // Packets of IPv4 pass a socket of IPv6, too, so that it has both settings.
        let mut done = set(libc::IPPROTO_IP, libc::IP_TOS, field)
            .and_then(|()| set(libc::IPPROTO_IP, libc::IP_RECVTOS, 1));
        if self.address()?.is_ipv6() {
            done = done
                .and_then(|()| set(libc::IPPROTO_IPV6, libc::IPV6_TCLASS, field))
                .and_then(|()| set(libc::IPPROTO_IPV6, libc::IPV6_RECVTCLASS, 1));
        }
        done.map_err(|e| Error::system("asking for ECN", e))
    }

    /// Says of datagrams which address of this host they were sent to. A peer of a host with several addresses takes answers
    /// only from the one that it has sent to.
    ///
    /// # Errors
    /// If the system does not support it.
    pub fn tell_addresses(&self) -> Result<()> {
        let (level, option) = match self.address()? {
            SocketAddr::V4(_) => (libc::IPPROTO_IP, libc::IP_PKTINFO),
            // It says those of IPv4, too, as mapped ones.
            SocketAddr::V6(_) => (libc::IPPROTO_IPV6, libc::IPV6_RECVPKTINFO),
        };
        let one: libc::c_int = 1;
        socket::set_at(&self.socket, level, option, &one)
            .map_err(|e| Error::system("asking for the addresses of datagrams", e))
    }

    /// Sends no datagram in fragments (RFC 9000 section 14), and does not believe messages of ICMP that say how long one may
    /// be: anyone can forge them.
    ///
    /// # Errors
    /// If the system does not support it.
    pub fn never_fragment(&self) -> Result<()> {
        let set =
            |level, option, value: libc::c_int| socket::set_at(&self.socket, level, option, &value);
        let mut done = set(libc::IPPROTO_IP, libc::IP_MTU_DISCOVER, libc::IP_PMTUDISC_PROBE);
        if self.address()?.is_ipv6() {
            let (option, value) = (libc::IPV6_MTU_DISCOVER, libc::IPV6_PMTUDISC_PROBE);
            done = done.and_then(|()| set(libc::IPPROTO_IPV6, option, value));
        }
        done.map_err(|e| Error::system("asking for whole datagrams", e))
    }

    /// Receives from this address only, and sends there.
    ///
    /// # Errors
    /// If no route leads there.
    pub fn connect(&self, to: SocketAddr) -> Result<()> {
        self.socket.connect(to).map_err(|e| Error::system(format!("reaching {to}"), e))
    }

    /// The address that the socket has.
    ///
    /// # Errors
    /// If the system does not say.
    pub fn address(&self) -> Result<SocketAddr> {
        self.socket.local_addr().map_err(|e| Error::system("asking for an address", e))
    }

    /// Sends datagrams in order, many with one system call. What the kernel does not take is lost. Returns whether one was
    /// longer than its link carries.
    pub fn send_all(&self, datagrams: &[Outgoing]) -> bool {
        let (mut rest, mut is_long) = (datagrams, false);
        while !rest.is_empty() {
            // Only the first one that is not sent has its error told: the next call says it of that one.
            let next = self.batch(rest).unwrap_or_else(|e| {
                is_long |= e.raw_os_error() == Some(libc::EMSGSIZE);
                1
            });
            rest = rest.get(next.max(1)..).unwrap_or_default();
        }
        is_long
    }

    /// Sends up to [`BATCH`] datagrams, and returns how many.
    fn batch(&self, datagrams: &[Outgoing]) -> io::Result<usize> {
        let first = datagrams.iter().take(BATCH);
        let about: Vec<_> = first
            .clone()
            .map(|one| (one.to.map(for_kernel), one.from.and_then(control::source)))
            .collect();
        let each = first.zip(&about).map(|(one, (to, from))| Message {
            bytes: &one.bytes,
            to: to.as_ref(),
            control: from.as_ref(),
        });
        socket::send_many(&self.socket, each, 0)
    }

    /// Reads a datagram if one waits. One that is longer than the buffer is cut.
    ///
    /// # Errors
    /// If the socket has an error, such as that nothing listens at the address that it is connected to.
    #[allow(unsafe_code, reason = "no safe library reads the stamps of datagrams")]
    pub fn receive(&self, buffer: &mut [u8]) -> io::Result<Option<Datagram>> {
        // SAFETY: these structs have numbers and pointers only, for which zeros are valid.
        let (mut address, mut message) =
            unsafe { (mem::zeroed::<libc::sockaddr_storage>(), mem::zeroed::<libc::msghdr>()) };
        let mut control = Control::default();
        let mut part = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() };
        message.msg_name = (&raw mut address).cast();
        message.msg_namelen = libc::socklen_t::try_from(size_of_val(&address)).unwrap_or_default();
        message.msg_iov = &raw mut part;
        message.msg_iovlen = 1;
        message.msg_control = control.bytes.as_mut_ptr().cast();
        message.msg_controllen = control.bytes.len();
        // SAFETY: the message points to an address, a buffer and control bytes that live through the call, each with
        // its length.
        let count = unsafe { libc::recvmsg(self.socket.as_raw_fd(), &raw mut message, 0) };
        if count < 0 {
            let error = io::Error::last_os_error();
            return match error.kind() {
                io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted => Ok(None),
                _ => Err(error),
            };
        }
        let length = usize::try_from(count).unwrap_or_default();
        control.length = message.msg_controllen.min(control.bytes.len());
        let Messages { stamp, ecn, to } = control::messages(&control);
        let from = from(&address).unwrap_or_else(|| SocketAddr::from(([0, 0, 0, 0], 0)));
        Ok(Some(Datagram { length, from, to, stamp, ecn }))
    }
}

impl AsFd for Datagrams {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// An address as the kernel has it.
#[allow(unsafe_code, reason = "a sockaddr is a union by family")]
fn for_kernel(address: SocketAddr) -> Address {
    // SAFETY: a `sockaddr_storage` of zeros is valid: it has numbers only.
    let mut all: libc::sockaddr_storage = unsafe { mem::zeroed() };
    let storage = &raw mut all;
    let length = match address {
        SocketAddr::V4(v4) => {
            let to = libc::sockaddr_in {
                sin_family: libc::sa_family_t::try_from(libc::AF_INET).unwrap_or_default(),
                sin_port: v4.port().to_be(),
                sin_addr: libc::in_addr { s_addr: u32::from_ne_bytes(v4.ip().octets()) },
                sin_zero: [0; 8],
            };
            // SAFETY: the storage is large enough and aligned for each kind of address.
            unsafe { storage.cast::<libc::sockaddr_in>().write(to) };
            size_of::<libc::sockaddr_in>()
        }
        SocketAddr::V6(v6) => {
            let to = libc::sockaddr_in6 {
                sin6_family: libc::sa_family_t::try_from(libc::AF_INET6).unwrap_or_default(),
                sin6_port: v6.port().to_be(),
                sin6_flowinfo: v6.flowinfo(),
                sin6_addr: libc::in6_addr { s6_addr: v6.ip().octets() },
                sin6_scope_id: v6.scope_id(),
            };
            // SAFETY: as above.
            unsafe { storage.cast::<libc::sockaddr_in6>().write(to) };
            size_of::<libc::sockaddr_in6>()
        }
    };
    (all, libc::socklen_t::try_from(length).unwrap_or_default())
}

/// An address of the kernel's.
#[allow(unsafe_code, reason = "a sockaddr is a union by family")]
fn from(address: &libc::sockaddr_storage) -> Option<SocketAddr> {
    let storage = ptr::from_ref(address);
    match libc::c_int::from(address.ss_family) {
        libc::AF_INET => {
            // SAFETY: the family says that the storage, which is large enough and aligned for each, has a sockaddr_in.
            let v4 = unsafe { &*storage.cast::<libc::sockaddr_in>() };
            let ip = Ipv4Addr::from(u32::from_be(v4.sin_addr.s_addr));
            Some(SocketAddrV4::new(ip, u16::from_be(v4.sin_port)).into())
        }
        libc::AF_INET6 => {
            // SAFETY: as above, with a sockaddr_in6.
            let v6 = unsafe { &*storage.cast::<libc::sockaddr_in6>() };
            let ip = Ipv6Addr::from(v6.sin6_addr.s6_addr);
            let port = u16::from_be(v6.sin6_port);
            Some(SocketAddrV6::new(ip, port, v6.sin6_flowinfo, v6.sin6_scope_id).into())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{clock, wait};

    fn to(bytes: &[u8], to: Option<SocketAddr>) -> Outgoing {
        Outgoing { bytes: bytes.to_vec(), to, from: None }
    }

    #[test]
    fn a_datagram_has_its_source_and_the_stamp_of_its_arrival() {
        for host in ["127.0.0.1:0", "[::1]:0"] {
            let Ok(here) = Datagrams::bind(host.parse().unwrap()) else {
                assert!(host.starts_with('['), "{host}: no IPv6 is no fault");
                continue;
            };
            let there = Datagrams::bind(host.parse().unwrap()).unwrap();
            there.connect(here.address().unwrap()).unwrap();
            let mut buffer = [0; 8];
            assert_eq!(here.receive(&mut buffer).unwrap(), None);
            let before = clock::wall();
            there.send_all(&[to(b"hello, you", None)]);
            let deadline = clock::now() + 5_000_000_000;
            wait::until(&[here.as_fd()], Some(deadline)).unwrap();
            let found = here.receive(&mut buffer).unwrap().unwrap();
            let after = clock::wall();
            assert_eq!((found.length, &buffer), (8, b"hello, y"));
            assert_eq!(found.from, there.address().unwrap());
            let (seconds, nanoseconds) = found.stamp.unwrap();
            let at = i64::from(seconds) * 1_000_000_000 + i64::from(nanoseconds);
            // The kernel may take a coarser clock for it than for this test.
            assert!((before - 20_000_000..=after).contains(&at), "{before} {at} {after}");
        }
    }

    #[test]
    fn the_ecn_field_is_set_and_read() {
        for host in ["127.0.0.1:0", "[::1]:0"] {
            let Ok(here) = Datagrams::bind(host.parse().unwrap()) else { continue };
            let there = Datagrams::bind(host.parse().unwrap()).unwrap();
            there.connect(here.address().unwrap()).unwrap();
            here.use_ecn(true).unwrap();
            for (sends, field) in [(false, 0), (true, 2)] {
                there.use_ecn(sends).unwrap();
                there.send_all(&[to(b"x", None)]);
                wait::until(&[here.as_fd()], Some(clock::now() + 5_000_000_000)).unwrap();
                let found = here.receive(&mut [0; 8]).unwrap().unwrap();
                assert_eq!((found.ecn, found.stamp.is_some()), (field, true), "{host}");
            }
        }
    }

    #[test]
    fn many_datagrams_arrive_in_order_at_their_addresses() {
        for host in ["127.0.0.1:0", "[::1]:0"] {
            let Ok(from) = Datagrams::bind(host.parse().unwrap()) else { continue };
            let to = [(); 2].map(|()| Datagrams::bind(host.parse().unwrap()).unwrap());
            // One of them is longer than any datagram, and is lost.
            let each = |n: u8| {
                let length = if n == 50 { 70_000 } else { usize::from(n) + 1 };
                let to = Some(to[usize::from(n % 2)].address().unwrap());
                Outgoing { bytes: vec![n; length], to, from: None }
            };
            from.send_all(&(0..150).map(each).collect::<Vec<_>>());
            for (odd, socket) in (0..).zip(&to) {
                let mut buffer = [0; 200];
                for n in (0..150_u8).filter(|n| n % 2 == odd && *n != 50) {
                    let found = socket.receive(&mut buffer).unwrap().unwrap();
                    assert_eq!((found.length, buffer[0]), (usize::from(n) + 1, n));
                    assert_eq!(found.from, from.address().unwrap());
                }
                assert_eq!(socket.receive(&mut buffer).unwrap(), None);
            }
        }
    }

    #[test]
    fn a_port_in_use_is_said() {
        let here = Datagrams::bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let error = Datagrams::bind(here.address().unwrap()).unwrap_err().to_string();
        assert!(error.contains("the port is in use"), "{error}");
    }

    /// A host with several addresses, which are those of its loopback: the answer comes from the one that was asked.
    #[test]
    fn an_answer_comes_from_the_address_that_was_asked() {
        for (any, asked) in [("0.0.0.0:0", "127.0.0.2"), ("[::]:0", "127.0.0.3"), ("[::]:0", "::1")]
        {
            let Ok(server) = Datagrams::bind(any.parse().unwrap()) else { continue };
            server.tell_addresses().unwrap();
            let asked: IpAddr = asked.parse().unwrap();
            let asked = SocketAddr::new(asked, server.address().unwrap().port());
            let local = if asked.is_ipv4() { "127.0.0.1:0" } else { "[::1]:0" };
            let client = Datagrams::bind(local.parse().unwrap()).unwrap();
            client.send_all(&[to(b"ask", Some(asked))]);
            let deadline = Some(clock::now() + 5_000_000_000);
            wait::until(&[server.as_fd()], deadline).unwrap();
            let found = server.receive(&mut [0; 8]).unwrap().unwrap();
            assert_eq!(found.to.map(|to| to.to_canonical()), Some(asked.ip()), "{any}");
            let answer = Outgoing { bytes: b"yes".to_vec(), to: Some(found.from), from: found.to };
            assert!(!server.send_all(&[answer]));
            wait::until(&[client.as_fd()], deadline).unwrap();
            let found = client.receive(&mut [0; 8]).unwrap().unwrap();
            assert_eq!((found.length, found.from), (3, asked));
        }
    }

    #[test]
    fn a_datagram_that_is_too_long_is_told() {
        let here = Datagrams::bind("127.0.0.1:0".parse().unwrap()).unwrap();
        here.never_fragment().unwrap();
        let to = here.address().ok();
        // The loopback carries 65,536 bytes at most.
        let of = |length| Outgoing { bytes: vec![0; length], to, from: None };
        assert!(!here.send_all(&[of(1200)]));
        assert!(here.send_all(&[of(1200), of(65_535), of(1200)]));
    }
}
