//! A client's listeners: ports that are forwarded to a target, and SOCKS, whose clients name one.

use std::io::{self, Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsFd as _, BorrowedFd};

use airtcp_os::clock;
use airtcp_tunnel::Target;

use super::socks::{self, Stage, Step};

/// Clients of SOCKS that have not said yet what they want, and time for that (ns). One more takes the place of the oldest.
const WAITING: usize = 256;
const HASTE: i64 = 10_000_000_000;

/// Pause after a connection that the system could not take.
const REST: i64 = 100_000_000;

/// What a port is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Purpose {
    /// All connections go to this target.
    Forward(Target),
    /// Clients name their target.
    Socks,
}

/// A port to listen at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Port {
    pub(super) address: SocketAddr,
    pub(super) purpose: Purpose,
}

/// Reads `[ADDRESS:]PORT:HOST:PORT`, with IPv6 addresses in brackets.
///
/// # Errors
/// If it is none.
pub(super) fn forward(text: &str) -> Result<Port, String> {
    let expected = || {
        format!(
            "'{text}': expected [ADDRESS:]PORT:HOST:PORT, as 8080:host.example:80; IPv6 addresses stand in brackets"
        )
    };
    let parts = parts(text).ok_or_else(expected)?;
    let (address, here, host, there) = match parts.as_slice() {
        [here, host, there] => (None, here, host, there),
        [address, here, host, there] => (Some(*address), here, host, there),
        _ => return Err(expected()),
    };
    let there = there.parse().map_err(|_| expected())?;
    let target = Target::new(host, there).ok_or_else(expected)?;
    Ok(Port {
        address: local(address, here).ok_or_else(expected)?,
        purpose: Purpose::Forward(target),
    })
}

/// Reads `[ADDRESS:]PORT`.
///
/// # Errors
/// If it is none.
pub(super) fn socks(text: &str) -> Result<Port, String> {
    let expected = || format!("'{text}': expected [ADDRESS:]PORT, as 1080");
    let parts = parts(text).ok_or_else(expected)?;
    let (address, port) = match parts.as_slice() {
        [port] => (None, port),
        [address, port] => (Some(*address), port),
        _ => return Err(expected()),
    };
    Ok(Port { address: local(address, port).ok_or_else(expected)?, purpose: Purpose::Socks })
}

/// The parts between colons; a part in brackets may have colons.
fn parts(text: &str) -> Option<Vec<&str>> {
    let (mut parts, mut rest) = (Vec::new(), text);
    loop {
        if let Some(inner) = rest.strip_prefix('[') {
            let (part, after) = inner.split_once(']')?;
            parts.push(part);
            match after.strip_prefix(':') {
                Some(after) => rest = after,
                None if after.is_empty() => return Some(parts),
                None => return None,
            }
        } else if let Some((part, after)) = rest.split_once(':') {
            parts.push(part);
            rest = after;
        } else {
            parts.push(rest);
            return Some(parts);
        }
    }
}

/// A local address; without one, only this host can connect.
fn local(address: Option<&str>, port: &str) -> Option<SocketAddr> {
    let ip = match address {
        None | Some("localhost") => IpAddr::V4(Ipv4Addr::LOCALHOST),
        Some("*") => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
        Some(address) => address.parse().ok()?,
    };
    Some(SocketAddr::new(ip, port.parse().ok().filter(|port| *port != 0)?))
}

/// A connection that wants a channel.
#[derive(Debug)]
pub(super) struct Wanted {
    pub(super) stream: TcpStream,
    pub(super) target: Target,
    /// Data that came with the request.
    pub(super) data: Vec<u8>,
    /// The application waits for an answer of SOCKS.
    pub(super) socks: bool,
}

#[derive(Debug)]
struct Client {
    stream: TcpStream,
    stage: Stage,
    bytes: Vec<u8>,
    until: i64,
}

/// All listeners of a client.
#[derive(Debug)]
pub(super) struct Listeners {
    ports: Vec<(TcpListener, Purpose)>,
    clients: Vec<Client>,
    /// Until when no connection is taken, because the system had no descriptor for one.
    rests: Option<i64>,
}

impl Listeners {
    /// Listens.
    ///
    /// # Errors
    /// If a port is in use, or an address is not this host's.
    pub(super) fn open(ports: &[Port]) -> Result<Self, String> {
        let open = |port: &Port| {
            let failed = |e: io::Error| match e.kind() {
                io::ErrorKind::AddrInUse => format!(
                    "{}: the port is in use by another program; choose another",
                    port.address
                ),
                _ => format!("listening at {}: {e}", port.address),
            };
            let listener = TcpListener::bind(port.address).map_err(failed)?;
            listener.set_nonblocking(true).map_err(failed)?;
            Ok::<_, String>((listener, port.purpose.clone()))
        };
        Ok(Self {
            ports: ports.iter().map(open).collect::<Result<_, _>>()?,
            clients: Vec::new(),
            rests: None,
        })
    }

    /// Descriptors whose readiness matters. Without room for another channel, nothing is taken and nobody is heard.
    pub(super) fn fds(&self, has_room: bool) -> impl Iterator<Item = BorrowedFd<'_>> {
        let takes = if self.rests.is_some() || !has_room { 0 } else { self.ports.len() };
        let hears = if has_room { self.clients.len() } else { 0 };
        let ports = self.ports.iter().take(takes).map(|(listener, _)| listener.as_fd());
        ports.chain(self.clients.iter().take(hears).map(|client| client.stream.as_fd()))
    }

    /// When a client of SOCKS has taken too long.
    pub(super) fn next(&self) -> Option<i64> {
        self.clients.iter().map(|client| client.until).chain(self.rests).min()
    }

    /// Connections that have said where they want to go: at most `room`.
    pub(super) fn turn(&mut self, room: usize) -> Vec<Wanted> {
        let mut wanted = Vec::new();
        self.rests = self.rests.filter(|until| *until > clock::now());
        if self.rests.is_none() {
            self.accept(room, &mut wanted);
        }
        let now = clock::now();
        for client in std::mem::take(&mut self.clients) {
            let read = if wanted.len() < room { client.read() } else { Read::Waits(client) };
            match read {
                Read::Waits(client) if client.until > now => self.clients.push(client),
                Read::Wants(found) => wanted.push(found),
                Read::Waits(_) | Read::Gone => {}
            }
        }
        wanted
    }

    fn accept(&mut self, room: usize, wanted: &mut Vec<Wanted>) {
        for (listener, purpose) in &self.ports {
            for _ in 0..room {
                if wanted.len() >= room {
                    return;
                }
                let stream = match listener.accept() {
                    Ok((stream, _)) => stream,
                    Err(e) if e.kind() == io::ErrorKind::WouldBlock => break,
                    Err(_) => {
                        self.rests = Some(clock::now() + REST);
                        break;
                    }
                };
                if stream.set_nonblocking(true).is_err() {
                    continue;
                }
                let _ = stream.set_nodelay(true);
                match purpose {
                    Purpose::Forward(target) => wanted.push(Wanted {
                        stream,
                        target: target.clone(),
                        data: Vec::new(),
                        socks: false,
                    }),
                    Purpose::Socks => {
                        if self.clients.len() >= WAITING {
                            self.clients.remove(0);
                        }
                        self.clients.push(Client {
                            stream,
                            stage: Stage::Greeting,
                            bytes: Vec::new(),
                            until: clock::now() + HASTE,
                        });
                    }
                }
            }
        }
    }
}

enum Read {
    Waits(Client),
    Wants(Wanted),
    Gone,
}

impl Client {
    fn read(mut self) -> Read {
        let mut buffer = [0; socks::LONGEST];
        loop {
            match socks::read(self.stage, &self.bytes) {
                Step::More => match self.stream.read(&mut buffer) {
                    Ok(0) => return Read::Gone,
                    Ok(count) => self.bytes.extend(&buffer[..count]),
                    Err(e) if e.kind() == io::ErrorKind::WouldBlock => return Read::Waits(self),
                    Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                    Err(_) => return Read::Gone,
                },
                Step::Answer { bytes, used } => {
                    // A few bytes fit into an empty buffer.
                    if self.stream.write_all(&bytes).is_err() {
                        return Read::Gone;
                    }
                    self.bytes.drain(..used);
                    self.stage = Stage::Request;
                }
                Step::Connect { target, used } => {
                    let data = self.bytes.split_off(used);
                    return Read::Wants(Wanted { stream: self.stream, target, data, socks: true });
                }
                Step::Refuse(bytes) => {
                    let _ = self.stream.write_all(&bytes);
                    return Read::Gone;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_read_as_they_are_written() {
        let said = |port: Port| match port.purpose {
            Purpose::Forward(target) => format!("{} {target}", port.address),
            Purpose::Socks => port.address.to_string(),
        };
        for (text, wanted) in [
            ("8080:host.example:80", "127.0.0.1:8080 host.example:80"),
            ("0.0.0.0:8080:host:80", "0.0.0.0:8080 host:80"),
            ("*:8080:host:80", "0.0.0.0:8080 host:80"),
            ("[::1]:8080:[2001:db8::1]:80", "[::1]:8080 [2001:db8::1]:80"),
            ("8080:[2001:db8::1]:80", "127.0.0.1:8080 [2001:db8::1]:80"),
        ] {
            assert_eq!(forward(text).map(said).as_deref(), Ok(wanted), "{text}");
        }
        for wrong in [
            "",
            "8080",
            "8080:host",
            "0:host:80",
            "8080:host:0",
            "8080:a b:80",
            "x:8080:host:80",
            "[::1:8080:h:80",
        ] {
            assert!(forward(wrong).unwrap_err().contains("expected"), "{wrong}");
        }
        assert_eq!(socks("1080").map(said).as_deref(), Ok("127.0.0.1:1080"));
        assert_eq!(socks("[::1]:1080").map(said).as_deref(), Ok("[::1]:1080"));
        assert!(socks("host").is_err() && socks("1080:host:80").is_err());
    }
}
