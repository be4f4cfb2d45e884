//! A server's connections to targets. Names are looked up, and connections made, in threads, so that the loop never waits.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs as _};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use airtcp_os::clock;
use airtcp_tunnel::{ChannelId, Code, SessionId, Target};

use super::targets::{Allowed, is_allowed};

/// Time for a connection to a target in ns, whose addresses share it.
const PATIENCE: i64 = 10_000_000_000;
/// Addresses of a name that are tried.
const ADDRESSES: usize = 4;
/// Connections that are made at a time, and those of one session. Others wait: targets that do not answer hold up their own
/// session only.
const AT_ONCE: usize = 256;
const OF_A_SESSION: usize = 32;

/// Whose connection.
type Whose = (SessionId, ChannelId);
/// Whose connection, and what became of it.
pub(super) type Dialled = (Whose, Result<TcpStream, Code>);

/// Connections under way.
pub(super) struct Dialler {
    rules: Arc<Vec<Allowed>>,
    /// Threads that run, each with the session that it works for.
    running: BTreeMap<u64, SessionId>,
    /// What waits for a thread.
    waiting: BTreeMap<SessionId, VecDeque<(u64, ChannelId, Target)>>,
    /// The last dial of each channel. Numbers of sessions and channels come again, and a dial may outlive its session: only the
    /// last one may give its connection.
    last: BTreeMap<Whose, u64>,
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
            running: BTreeMap::new(),
            waiting: BTreeMap::new(),
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

    /// Connects to a target, once a thread is free.
    pub(super) fn dial(&mut self, whose: Whose, target: Target) {
        self.count += 1;
        self.last.insert(whose, self.count);
        self.waiting.entry(whose.0).or_default().push_back((self.count, whose.1, target));
        self.start();
    }

    /// Nobody wants this connection any longer. A thread that makes it ends by itself.
    pub(super) fn cancel(&mut self, whose: Whose) {
        if let Some(number) = self.last.remove(&whose)
            && let Some(waiting) = self.waiting.get_mut(&whose.0)
        {
            waiting.retain(|one| one.0 != number);
        }
    }

    /// Nobody wants the connections of this session any longer.
    pub(super) fn cancel_all(&mut self, session: SessionId) {
        self.waiting.remove(&session);
        self.last.retain(|whose, _| whose.0 != session);
    }

    /// What became of connections since the last call.
    pub(super) fn done(&mut self) -> Vec<Dialled> {
        let mut bytes = [0; 256];
        while io::Read::read(&mut self.bell, &mut bytes).is_ok_and(|count| count > 0) {}
        let done: Vec<(u64, Dialled)> = self.hear.try_iter().collect();
        let mut wanted = Vec::new();
        for (number, one) in done {
            self.running.remove(&number);
            if self.last.get(&one.0) == Some(&number) {
                self.last.remove(&one.0);
                wanted.push(one);
            }
        }
        self.start();
        wanted
    }

    /// Starts what waits, first of the session with the fewest threads.
    fn start(&mut self) {
        while self.running.len() < AT_ONCE {
            self.waiting.retain(|_, waiting| !waiting.is_empty());
            let threads = |id: SessionId| self.running.values().filter(|of| **of == id).count();
            let next = self.waiting.keys().map(|id| (threads(*id), *id)).min();
            let Some((_, id)) = next.filter(|(threads, _)| *threads < OF_A_SESSION) else { return };
            let Some(one) = self.waiting.get_mut(&id).and_then(VecDeque::pop_front) else { return };
            let (number, channel, target) = one;
            self.running.insert(number, id);
            let (tell, ring, rules) =
                (self.tell.clone(), Arc::clone(&self.ring), Arc::clone(&self.rules));
            let work = move || {
                let _ = tell.send((number, ((id, channel), connected(&target, &rules))));
                // A full pipe has a byte to wake the loop already.
                let _ = io::Write::write(&mut &*ring, &[1]);
            };
            if std::thread::Builder::new().spawn(work).is_err() {
                let _ = self.tell.send((number, ((id, channel), Err(Code::TooMany))));
                let _ = io::Write::write(&mut &*self.ring, &[1]);
            }
        }
    }
}

fn connected(target: &Target, rules: &[Allowed]) -> Result<TcpStream, Code> {
    let found = (target.host(), target.port()).to_socket_addrs().map_err(|_| Code::NoName)?;
    let all: Vec<SocketAddr> = found.take(ADDRESSES).collect();
    let allowed: Vec<SocketAddr> =
        all.iter().copied().filter(|to| is_allowed(target.host(), *to, rules)).collect();
    let mut why = if all.is_empty() { Code::NoName } else { Code::NotAllowed };
    let until = clock::now() + PATIENCE;
    for (before, to) in (0_i64..).zip(&allowed) {
        // The rest of the time, in equal parts.
        let parts = i64::try_from(allowed.len()).unwrap_or(1) - before;
        let patience = ((until - clock::now()) / parts).max(1);
        match TcpStream::connect_timeout(to, Duration::from_nanos(patience.unsigned_abs())) {
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
        while !dialler.running.is_empty() {
            airtcp_os::wait::until(&[dialler.fd()], None).unwrap();
            all.extend(dialler.done());
        }
        let [(whose, Ok(stream))] = all.as_slice() else { panic!("{all:?}") };
        assert_eq!(*whose, (0, 0));
        assert_eq!(stream.peer_addr().unwrap(), listeners[1].local_addr().unwrap());
    }

    /// A session with many targets that do not answer holds up none of another's, and what nobody wants is not begun.
    #[test]
    fn sessions_do_not_hold_each_other_up() {
        let mut dialler = Dialler::new(vec!["*:*".parse().unwrap()]).unwrap();
        // A listener whose queue is full does not answer.
        let full = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = full.local_addr().unwrap().port();
        rustix::net::listen(&full, 0).unwrap();
        let _fill: Vec<_> = (0..8)
            .map(|_| {
                let to = full.local_addr().unwrap();
                TcpStream::connect_timeout(&to, Duration::from_millis(50))
            })
            .collect();
        for channel in 0..1000 {
            dialler.dial((0, channel), Target::new("127.0.0.1", port).unwrap());
        }
        assert_eq!(dialler.running.len(), OF_A_SESSION);
        let open = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = open.local_addr().unwrap().port();
        dialler.dial((1, 0), Target::new("127.0.0.1", port).unwrap());
        let mut all = Vec::new();
        while all.is_empty() {
            airtcp_os::wait::until(&[dialler.fd()], None).unwrap();
            all.extend(dialler.done());
        }
        assert!(matches!(all.as_slice(), [((1, 0), Ok(_))]), "{all:?}");
        dialler.cancel((0, 999));
        assert_eq!(dialler.waiting[&0].len(), 1000 - OF_A_SESSION - 1);
        dialler.cancel_all(0);
        assert!(dialler.waiting.is_empty() && dialler.last.is_empty());
    }

    #[test]
    fn targets_without_a_rule_are_refused() {
        let mut dialler = Dialler::new(Vec::new()).unwrap();
        dialler.dial((0, 7), Target::new("127.0.0.1", 9).unwrap());
        airtcp_os::wait::until(&[dialler.fd()], None).unwrap();
        assert!(matches!(dialler.done().as_slice(), [((0, 7), Err(Code::NotAllowed))]));
    }
}
