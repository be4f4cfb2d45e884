//! The connections of applications, each with its channel.

use std::collections::BTreeMap;
use std::net::TcpStream;
use std::os::fd::BorrowedFd;

use airtcp_os::wait::For;
use airtcp_tunnel::{ChannelId, Code, Hub, MAX_CHANNELS, SessionId};

use super::joined::Joined;
use super::listen::Wanted;
use super::socks;

/// Whose connection.
pub(super) type Whose = (SessionId, ChannelId);

struct Connection {
    joined: Joined,
    /// Its application waits for an answer of SOCKS.
    socks: bool,
    /// There is something to do.
    is_ready: bool,
}

impl Connection {
    const fn new(joined: Joined, socks: bool) -> Self {
        Self { joined, socks, is_ready: true }
    }
}

/// All of an end.
#[derive(Default)]
pub(super) struct Connections {
    all: BTreeMap<Whose, Connection>,
    buffer: Vec<u8>,
}

impl Connections {
    /// Applications that can have a channel beside those that have one.
    pub(super) fn room(&self) -> usize {
        MAX_CHANNELS.saturating_sub(self.all.len())
    }

    /// True if there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// What each connection waits for.
    pub(super) fn watched(&self, hub: &mut Hub) -> Vec<(Whose, For)> {
        let wants = |(whose, one): (&Whose, &Connection)| {
            let session = hub.session(whose.0)?;
            let wants = if one.socks { Some(For::Error) } else { one.joined.wants(session.mux()) };
            Some((*whose, wants?))
        };
        self.all.iter().filter_map(wants).collect()
    }

    /// The descriptor of a connection that is [watched](Self::watched).
    pub(super) fn fd(&self, whose: &Whose) -> Option<BorrowedFd<'_>> {
        self.all.get(whose).map(|one| one.joined.fd())
    }

    /// A connection is ready for what it waits for.
    pub(super) fn ready(&mut self, hub: &mut Hub, whose: Whose, wants: For) {
        if wants != For::Error {
            if let Some(one) = self.all.get_mut(&whose) {
                one.is_ready = true;
            }
        } else if let Some((one, session)) = self.all.remove(&whose).zip(hub.session(whose.0)) {
            one.joined.fail(session.mux());
        }
    }

    /// Opens a channel for a connection, at once: what the application sends waits until the tunnel is up.
    pub(super) fn open(&mut self, hub: &mut Hub, wanted: Wanted) {
        let id = hub.first();
        let found = id.and_then(|id| Some((id, hub.session(id)?.mux())));
        let opened = found.and_then(|(id, mux)| {
            let channel = mux.open(wanted.target)?;
            mux.write(channel, &wanted.data);
            Some((id, channel))
        });
        let channel = opened.map_or(0, |(_, channel)| channel);
        let joined = Joined::new(wanted.stream, channel);
        match opened {
            Some(whose) => {
                self.all.insert(whose, Connection::new(joined, wanted.socks));
            }
            None if wanted.socks => joined.say(&socks::failed(Code::TooMany)),
            None => joined.abort(),
        }
    }

    /// A server has connected a channel to its target, or could not.
    pub(super) fn dialled(&mut self, hub: &mut Hub, whose: Whose, result: Result<TcpStream, Code>) {
        let Some(session) = hub.session(whose.0) else { return };
        match result {
            Ok(stream) if session.mux().is_alive(whose.1) => {
                session.mux().accept(whose.1);
                let joined = Joined::new(stream, whose.1);
                self.all.insert(whose, Connection::new(joined, false));
            }
            Ok(_) => {}
            Err(code) => session.mux().reset(whose.1, code),
        }
    }

    /// The server has connected a channel.
    pub(super) fn opened(&mut self, whose: Whose) {
        if let Some(one) = self.all.get_mut(&whose)
            && std::mem::take(&mut one.socks)
        {
            one.joined.say(&socks::granted());
        }
    }

    /// The peer has ended a channel.
    pub(super) fn reset(&mut self, whose: Whose, code: Code) {
        match self.all.remove(&whose) {
            Some(one) if one.socks => one.joined.say(&socks::failed(code)),
            Some(one) => one.joined.abort(),
            None => {}
        }
    }

    /// Moves what can be moved between connections and channels.
    pub(super) fn turn(&mut self, hub: &mut Hub) {
        let Self { all, buffer } = self;
        all.retain(|(id, _), one| {
            let Some(session) = hub.session(*id) else {
                one.joined.abort();
                return false;
            };
            let is_ready = std::mem::take(&mut one.is_ready);
            one.socks || one.joined.turn(session.mux(), buffer, is_ready)
        });
    }

    /// A session has ended.
    pub(super) fn ended(&mut self, hub: &mut Hub, id: SessionId) {
        self.all.retain(|whose, one| {
            if whose.0 == id {
                match hub.remains(id) {
                    Some(session) => one.joined.finish(session.mux()),
                    None => one.joined.abort(),
                }
            }
            whose.0 != id
        });
    }

    /// Reads nothing more of applications that go on sending.
    pub(super) fn stop(&mut self) {
        for one in self.all.values_mut() {
            one.joined.stop();
        }
    }

    /// Whether all that applications had sent has arrived, and the peers of those that have closed have closed, too.
    pub(super) fn is_delivered(&self, hub: &mut Hub) -> bool {
        hub.sessions().into_iter().all(|id| {
            let mut own = self.all.iter().filter(|((of, _), _)| *of == id);
            own.all(|(_, one)| !one.joined.is_closed())
                && hub.session(id).is_none_or(|session| session.is_idle())
        })
    }

    /// Tells all applications that what they sent may not have arrived.
    pub(super) fn abort(&self) {
        for one in self.all.values() {
            one.joined.abort();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{ErrorKind, Read as _};
    use std::net::TcpListener;

    use airtcp_tunnel::{Peers, PrivateKey};
    use airtcp_units::Nanos;

    use super::*;

    /// A session that was silent for too long leaves nothing behind: the application must not take that for the end of the data.
    #[test]
    fn a_session_that_is_gone_resets_its_connections() {
        let key = PrivateKey::from_seed([1; 32]);
        let peers = Peers::Server("192.0.2.1:5298".parse().unwrap(), key.public());
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        for by_turn in [false, true] {
            let mut hub = Hub::begin(&key, &peers, Nanos::ZERO, Some([1; 32])).unwrap();
            let mut application = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            let joined = Joined::new(listener.accept().unwrap().0, 0);
            let mut connections = Connections::default();
            connections.all.insert((7, 0), Connection::new(joined, false));
            if by_turn {
                connections.turn(&mut hub);
            } else {
                connections.ended(&mut hub, 7);
            }
            assert!(connections.is_empty());
            let error = application.read(&mut [0; 1]).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::ConnectionReset);
        }
    }
}
