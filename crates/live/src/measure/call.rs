//! The TCP connections of a client: each on a thread of its own, which says what it is like.

use std::io::{ErrorKind, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::Duration;

use airtcp_os::clock;

use super::auth::TAG;
use super::client::{CONNECT, Client};
use super::load::LoadSample;
use super::plan::{Phase, SECOND};
use super::stream;

/// Time for a connection to come about.
const PATIENCE: i64 = 3 * SECOND;
/// Time until a refused connection is tried again: the server opens its port at the same moment.
const AGAIN: Duration = Duration::from_millis(100);

/// A connection that runs.
#[derive(Debug)]
struct Running {
    phase: Phase,
    stop: Arc<AtomicBool>,
    hear: Receiver<LoadSample>,
}

/// The connection of the phase that runs, if there is one.
#[derive(Debug)]
pub(super) struct Caller {
    server: SocketAddr,
    running: Option<Running>,
}

impl Caller {
    pub(super) fn new(server: SocketAddr) -> Self {
        Self { server, running: None }
    }

    /// Begins and ends connections as the client wants them, and passes on what they are like.
    pub(super) fn turn(&mut self, client: &mut Client) {
        let wanted = client.load();
        if let Some(running) = &self.running {
            let ended = loop {
                match running.hear.try_recv() {
                    Ok(sample) => client.loaded(running.phase, Some(sample)),
                    Err(error) => break error == TryRecvError::Disconnected,
                }
            };
            if wanted.is_none_or(|(phase, ..)| phase != running.phase) {
                running.stop.store(true, Ordering::Relaxed);
            }
            if ended {
                client.loaded(running.phase, None);
                self.running = None;
            }
        } else if let Some((phase, opening, lasts)) = wanted {
            let (tell, hear) = channel();
            let stop: Arc<AtomicBool> = Arc::default();
            let (server, stopped) = (self.server, Arc::clone(&stop));
            std::thread::spawn(move || {
                let Some(mut stream) = connected(server, &opening, &stopped) else { return };
                if phase == Phase::LoadUp {
                    let tell = |sample| {
                        let _ = tell.send(sample);
                    };
                    stream::send(&mut stream, lasts, &stopped, tell);
                } else {
                    stream::receive(&mut stream, lasts + CONNECT, &stopped);
                }
            });
            self.running = Some(Running { phase, stop, hear });
        }
    }

    /// Whether a connection runs, so that it is to be looked at.
    pub(super) fn runs(&self) -> bool {
        self.running.is_some()
    }
}

fn connected(server: SocketAddr, opening: &[u8; TAG], stop: &AtomicBool) -> Option<TcpStream> {
    let begin = clock::now();
    while !stop.load(Ordering::Relaxed) && clock::now() - begin < PATIENCE {
        match TcpStream::connect_timeout(&server, Duration::from_secs(3)) {
            Ok(mut stream) => {
                stream.write_all(opening).ok()?;
                return Some(stream);
            }
            Err(error) if error.kind() == ErrorKind::ConnectionRefused => {
                std::thread::sleep(AGAIN);
            }
            Err(_) => return None,
        }
    }
    None
}
