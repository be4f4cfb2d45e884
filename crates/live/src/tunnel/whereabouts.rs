//! Where a client's server is: the addresses of its name, one after the other, and looked up again when none answers.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::mpsc::{Receiver, channel};

use airtcp_os::datagram::Datagrams;

use crate::place;

/// A server.
pub(super) struct Whereabouts {
    name: String,
    port: u16,
    addresses: Vec<SocketAddr>,
    /// Which address is used, and whether a server has answered there.
    now: usize,
    answers: bool,
    /// Where a thread says what it has found.
    looks: Option<Receiver<Vec<SocketAddr>>>,
    /// The socket is one of IPv6.
    six: bool,
}

impl Whereabouts {
    /// The server that a text names, and a socket for all of its addresses that this host can send to.
    ///
    /// # Errors
    /// If it names none, or if the system has no such socket.
    pub(super) fn of(name: &str, port: u16) -> Result<(Self, Datagrams), String> {
        let found = place::addresses(name, port)?;
        let four = SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0));
        let six = SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0));
        let socket = if found.iter().all(SocketAddr::is_ipv4) {
            Datagrams::bind(four)
        } else {
            // Without IPv6 here, the addresses of IPv4 remain.
            Datagrams::bind(six).or_else(|error| {
                if found.iter().any(SocketAddr::is_ipv4) {
                    Datagrams::bind(four)
                } else {
                    Err(error)
                }
            })
        };
        let socket = socket.map_err(|e| e.to_string())?;
        let six = socket.address().map_err(|e| e.to_string())?.is_ipv6();
        let mut this = Self {
            name: name.to_owned(),
            port,
            addresses: Vec::new(),
            now: 0,
            answers: false,
            looks: None,
            six,
        };
        this.take(&found);
        Ok((this, socket))
    }

    /// The address to try.
    pub(super) fn address(&self) -> SocketAddr {
        self.addresses[self.now % self.addresses.len()]
    }

    /// A server answers at this address.
    pub(super) const fn found(&mut self) {
        self.answers = true;
    }

    /// Looks the name up again, in a thread.
    pub(super) fn look_up(&mut self) {
        let (tell, hear) = channel();
        let (name, port) = (self.name.clone(), self.port);
        let look = move || {
            let _ = tell.send(place::addresses(&name, port).unwrap_or_default());
        };
        if self.looks.is_none() && std::thread::Builder::new().spawn(look).is_ok() {
            self.looks = Some(hear);
        }
    }

    /// Goes on to the next address, unless a server has answered at this one.
    pub(super) fn another(&mut self) {
        if !std::mem::take(&mut self.answers) {
            self.now = (self.now + 1) % self.addresses.len();
        }
        if let Some(found) = self.looks.as_ref().and_then(|looks| looks.try_recv().ok()) {
            self.looks = None;
            self.take(&found);
        }
    }

    /// Takes addresses as the socket has them, and goes on with the present one if it is among them.
    fn take(&mut self, found: &[SocketAddr]) {
        let usable = found.iter().filter_map(|address| match address.ip() {
            IpAddr::V4(v4) if self.six => {
                Some(SocketAddr::from((v4.to_ipv6_mapped(), address.port())))
            }
            IpAddr::V6(_) if !self.six => None,
            _ => Some(*address),
        });
        let usable: Vec<SocketAddr> = usable.collect();
        if !usable.is_empty() {
            let present = self.addresses.get(self.now).copied();
            self.now = usable.iter().position(|one| Some(*one) == present).unwrap_or(0);
            self.addresses = usable;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_take_turns_until_one_answers() {
        let (mut server, _) = Whereabouts::of("127.0.0.1", 5298).unwrap();
        let of = |n: u8| SocketAddr::from(([192, 0, 2, n], 5298));
        server.take(&[of(1), of(2), "[2001:db8::1]:5298".parse().unwrap()]);
        assert_eq!(server.addresses, [of(1), of(2)], "the socket is one of IPv4");
        let mut tried = Vec::new();
        for _ in 0..3 {
            tried.push(server.address());
            server.another();
        }
        assert_eq!(tried, [of(1), of(2), of(1)]);
        server.found();
        server.another();
        assert_eq!(server.address(), of(2), "it has answered there");
        server.take(&[of(3), of(2)]);
        assert_eq!(server.address(), of(2));
        server.take(&[of(3)]);
        assert_eq!(server.address(), of(3), "the name leads elsewhere now");
        server.take(&[]);
        assert_eq!(server.address(), of(3), "a name that was not found changes nothing");
    }
}
