//! The TCP port of a server: open only while a measurement has a TCP connection, and closed to who does not begin with
//! the bytes that belong to it.

use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use airtcp_os::privilege::{self, Capability};

use super::auth::TAG;
use super::load::LoadSample;
use super::plan::{MS, Phase, SECOND};
use super::server::{SESSIONS, Server};
use super::stream;

/// Time for the first bytes of a connection.
const HASTE: i64 = 2 * SECOND;
/// Time between looks at threads while one runs.
const LOOK_EVERY: i64 = 50 * MS;

/// What a thread says: whose connection, and what it was like; nothing when it ends.
type Said = (IpAddr, Phase, Option<LoadSample>);

/// The port, and the connections that came through it.
#[derive(Debug)]
pub(super) struct Door {
    address: SocketAddr,
    listener: Option<TcpListener>,
    waiting: Vec<(TcpStream, IpAddr, i64)>,
    running: usize,
    stop: Arc<AtomicBool>,
    hear: Receiver<Said>,
    tell: Sender<Said>,
}

impl Door {
    /// A closed door at the address of the server.
    pub(super) fn new(address: SocketAddr) -> Self {
        let (tell, hear) = channel();
        let stop = Arc::default();
        let (listener, waiting) = (None, Vec::new());
        Self { address, listener, waiting, running: 0, stop, hear, tell }
    }

    /// Descriptors whose readiness matters.
    pub(super) fn fds(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        let waiting = self.waiting.iter().map(|(stream, ..)| stream.as_fd());
        self.listener.iter().map(|listener| listener.as_fd()).chain(waiting)
    }

    /// When to look again without a descriptor.
    pub(super) fn next(&self, now: i64) -> Option<i64> {
        let first = self.waiting.iter().map(|(.., until)| *until).min();
        let look = (self.running > 0).then_some(now + LOOK_EVERY);
        [first, look].into_iter().flatten().min()
    }

    /// Lets in who may come in, and passes on what the threads say.
    pub(super) fn turn(&mut self, now: i64, server: &mut Server) {
        if !server.awaits_tcp() {
            self.listener = None;
            self.waiting.clear();
        } else if self.listener.is_none() {
            let bind = || TcpListener::bind(self.address);
            let opened = privilege::with(Capability::NetBind, bind);
            self.listener = opened.ok().filter(|listener| listener.set_nonblocking(true).is_ok());
        }
        if let Some(listener) = &self.listener {
            while let Ok((stream, from)) = listener.accept() {
                let kept = self.waiting.len() < SESSIONS && stream.set_nonblocking(true).is_ok();
                if kept {
                    self.waiting.push((stream, from.ip(), now + HASTE));
                }
            }
        }
        let waiting = std::mem::take(&mut self.waiting);
        for (stream, from, until) in waiting {
            let mut bytes = [0; TAG];
            match stream.peek(&mut bytes) {
                Ok(TAG) => self.enter(stream, from, &bytes, server),
                Ok(0) => {}
                Ok(_) if now < until => self.waiting.push((stream, from, until)),
                Err(e) if e.kind() == std::io::ErrorKind::WouldBlock && now < until => {
                    self.waiting.push((stream, from, until));
                }
                Ok(_) | Err(_) => {}
            }
        }
        while let Ok((to, phase, sample)) = self.hear.try_recv() {
            self.running -= usize::from(sample.is_none());
            server.loaded(to, phase, sample);
        }
    }

    /// A connection began with these bytes.
    fn enter(&mut self, mut stream: TcpStream, from: IpAddr, bytes: &[u8], server: &mut Server) {
        let Some((phase, lasts)) = server.open(from, bytes) else { return };
        let (stop, tell) = (Arc::clone(&self.stop), self.tell.clone());
        self.running += 1;
        std::thread::spawn(move || {
            if phase == Phase::LoadDown {
                let sample = |sample| {
                    let _ = tell.send((from, phase, Some(sample)));
                };
                stream::send(&mut stream, lasts, &stop, sample);
            } else {
                stream::receive(&mut stream, lasts + 5 * SECOND, &stop);
            }
            drop(stream);
            let _ = tell.send((from, phase, None));
        });
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}
