//! A server's connections to targets. Names are looked up, and connections made, in threads, so that the loop never waits.

use std::collections::BTreeMap;
use std::io;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs as _};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use airtcp_tunnel::{ChannelId, Code, SessionId, Target};

use super::targets::{Allowed, is_allowed};

/// Time for a connection to an address.
const PATIENCE: Duration = Duration::from_secs(10);
/// Addresses of a name that are tried.
const ADDRESSES: usize = 4;
/// Connections that are made at a time; a channel beyond is refused.
const AT_ONCE: usize = 128;

/// Whose connection, and what became of it.
pub(super) type Dialled = ((SessionId, ChannelId), Result<TcpStream, Code>);

/// Connections under way.
pub(super) struct Dialler {
    rules: Arc<Vec<Allowed>>,
    running: usize,
    /// The last dial of each channel. Numbers of sessions and channels come again, and a dial may outlive its session: only the
    /// last one may give its connection.
    last: BTreeMap<(SessionId, ChannelId), u64>,
    count: u64,
    hear: Receiver<(u64, Dialled)>,
    tell: Sender<(u64, Dialled)>,
    /// A thread writes a byte when it has said something; the loop waits for that.
    bell: UnixStream,
    ring: Arc<UnixStream>,
}

impl Dialler {
    /// Connections within these rules.
    ///
    /// # Errors
    /// If no descriptor is left.
    pub(super) fn new(rules: Vec<Allowed>) -> io::Result<Self> {
        let (bell, ring) = UnixStream::pair()?;
        bell.set_nonblocking(true)?;
        ring.set_nonblocking(true)?;
        let (tell, hear) = channel();
        Ok(Self {
            rules: Arc::new(rules),
            running: 0,
            last: BTreeMap::new(),
            count: 0,
            hear,
            tell,
            bell,
            ring: Arc::new(ring),
        })
    }

    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }

    /// Connects to a target.
    pub(super) fn dial(&mut self, whose: (SessionId, ChannelId), target: Target) {
        let (tell, ring, rules) =
            (self.tell.clone(), Arc::clone(&self.ring), Arc::clone(&self.rules));
        self.count += 1;
        let number = self.count;
        self.last.insert(whose, number);
        if self.running >= AT_ONCE {
            let _ = self.tell.send((number, (whose, Err(Code::TooMany))));
            self.running += 1;
            let _ = io::Write::write(&mut &*self.ring, &[1]);
            return;
        }
        let work = move || {
            let _ = tell.send((number, (whose, connected(&target, &rules))));
            // A full pipe has a byte to wake the loop already.
            let _ = io::Write::write(&mut &*ring, &[1]);
        };
        self.running += 1;
        if std::thread::Builder::new().spawn(work).is_err() {
            let _ = self.tell.send((number, (whose, Err(Code::TooMany))));
            let _ = io::Write::write(&mut &*self.ring, &[1]);
        }
    }

    /// What became of connections since the last call.
    pub(super) fn done(&mut self) -> Vec<Dialled> {
        let mut bytes = [0; 256];
        while io::Read::read(&mut self.bell, &mut bytes).is_ok_and(|count| count > 0) {}
        let done: Vec<(u64, Dialled)> = self.hear.try_iter().collect();
        self.running -= done.len().min(self.running);
        let mut wanted = Vec::new();
        for (number, one) in done {
            if self.last.get(&one.0) == Some(&number) {
                self.last.remove(&one.0);
                wanted.push(one);
            }
        }
        wanted
    }
}

fn connected(target: &Target, rules: &[Allowed]) -> Result<TcpStream, Code> {
    let found = (target.host(), target.port()).to_socket_addrs().map_err(|_| Code::NoName)?;
    let all: Vec<SocketAddr> = found.take(ADDRESSES).collect();
    let allowed: Vec<SocketAddr> =
        all.iter().copied().filter(|to| is_allowed(target.host(), *to, rules)).collect();
    let mut why = if all.is_empty() { Code::NoName } else { Code::NotAllowed };
    for to in allowed {
        match TcpStream::connect_timeout(&to, PATIENCE) {
            Ok(stream) => {
                stream.set_nonblocking(true).map_err(|_| Code::Failed)?;
                // Data leave as they come: the tunnel has gathered them.
                let _ = stream.set_nodelay(true);
                return Ok(stream);
            }
            Err(error) => {
                why = match error.kind() {
                    io::ErrorKind::ConnectionRefused => Code::Refused,
                    io::ErrorKind::NetworkUnreachable => Code::NetworkUnreachable,
                    io::ErrorKind::HostUnreachable | io::ErrorKind::TimedOut => {
                        Code::HostUnreachable
                    }
                    _ => Code::Failed,
                }
            }
        }
    }
    Err(why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    /// A session ends while it dials, and the numbers of its channel come again: the late connection is nobody's.
    #[test]
    fn only_the_last_dial_of_a_channel_counts() {
        let mut dialler = Dialler::new(vec!["127.0.0.1:*".parse().unwrap()]).unwrap();
        let listeners = [0, 1].map(|_| TcpListener::bind("127.0.0.1:0").unwrap());
        for listener in &listeners {
            let port = listener.local_addr().unwrap().port();
            dialler.dial((0, 0), Target::new("127.0.0.1", port).unwrap());
        }
        let mut all = Vec::new();
        while dialler.running > 0 {
            airtcp_os::wait::until(&[dialler.fd()], None).unwrap();
            all.extend(dialler.done());
        }
        let [(whose, Ok(stream))] = all.as_slice() else { panic!("{all:?}") };
        assert_eq!(*whose, (0, 0));
        assert_eq!(stream.peer_addr().unwrap(), listeners[1].local_addr().unwrap());
    }

    #[test]
    fn targets_without_a_rule_are_refused() {
        let mut dialler = Dialler::new(Vec::new()).unwrap();
        dialler.dial((0, 7), Target::new("127.0.0.1", 9).unwrap());
        airtcp_os::wait::until(&[dialler.fd()], None).unwrap();
        assert!(matches!(dialler.done().as_slice(), [((0, 7), Err(Code::NotAllowed))]));
    }
}
