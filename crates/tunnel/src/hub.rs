//! One end of tunnels: a server with many sessions, or a client with one.

use std::collections::{BTreeMap, VecDeque};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Instant;

use airtcp_packet::{Ecn, Side};
use airtcp_units::{Nanos, Span};
use bytes::BytesMut;
use quinn_proto::{
    ClientConfig, ConnectionHandle, DatagramEvent, EcnCodepoint, Endpoint, Incoming, ServerConfig,
    Transmit,
};
use thiserror::Error;

use crate::key::{PrivateKey, PublicKey};
use crate::quic;
use crate::session::{Ended, Outgoing, Session, instant};
use crate::tls::{self, Refused};

/// Sessions at a server at a time, those of one key, and handshakes under way beside them.
const MAX_SESSIONS: usize = 64;
const SESSIONS_OF_A_KEY: usize = 8;
const MAX_HANDSHAKES: usize = 256;
/// Handshakes under way with one address.
const HANDSHAKES_OF_AN_ADDRESS: usize = 16;
/// Time for a handshake. With 30 % of the packets lost, and 80 ms a round trip, all of 400 took less; with half of them lost, and
/// 200 ms, 342 did. A client tries again.
const HANDSHAKE: Span = Span::from_secs(10);
/// Handshakes under way from which on an address must prove that it receives what is sent to it (RFC 9000 section 8.1.2).
const RETRY_ABOVE: usize = 16;
/// Handshakes that begin in a second, and at once: each takes about 1 ms of processor time.
const HANDSHAKES: u64 = 100;
const HANDSHAKES_AT_ONCE: u64 = 50;

/// Number of a session at its end.
pub type SessionId = usize;

/// Whose tunnels these are.
#[derive(Debug, Clone)]
pub enum Peers {
    /// A client, with the address and the key of its server.
    Server(SocketAddr, PublicKey),
    /// A server, with the keys of its clients.
    Clients(Vec<PublicKey>),
}

/// What happened to a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HubEvent {
    /// The peer has proved its key, and answers.
    Open(PublicKey, SocketAddr),
    /// It ended; its channels are gone.
    Ended(Ended),
}

/// How far a session is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The handshake is under way, until then.
    Handshake(Nanos),
    /// The peer has proved its key, and must answer until then.
    Proved(Nanos),
    /// It has answered.
    Open,
}

impl Stage {
    /// When it must be over.
    const fn deadline(self) -> Nanos {
        match self {
            Self::Handshake(until) | Self::Proved(until) => until,
            Self::Open => Nanos::NEVER,
        }
    }
}

/// Why an end cannot begin.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct NotBegun(String);

/// What QUIC takes as time zero: it wants instants, and no clock is read after this.
#[allow(clippy::disallowed_methods, reason = "there is no other way to an instant")]
fn zero() -> Instant {
    Instant::now()
}

/// One end.
pub struct Hub {
    endpoint: Endpoint,
    own: PublicKey,
    base: Instant,
    /// Sessions; ended ones until QUIC has said so often enough.
    sessions: BTreeMap<SessionId, Session>,
    /// Sessions whose end was not told yet.
    stages: BTreeMap<SessionId, Stage>,
    refused: Refused,
    /// Datagrams that belong to no session.
    stray: VecDeque<Outgoing>,
    /// Handshakes that may begin, in parts of a second, and when that was counted.
    allowance: u64,
    counted: Nanos,
    events: VecDeque<(SessionId, HubEvent)>,
}

impl std::fmt::Debug for Hub {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hub")
            .field("own", &self.own)
            .field("sessions", &self.sessions)
            .finish_non_exhaustive()
    }
}

impl Hub {
    /// An end with a key; a client begins its session at once. `seed` decides connection identifiers: by default they are
    /// random.
    ///
    /// # Errors
    /// If the address of the server cannot be one.
    pub fn begin(
        key: &PrivateKey,
        peers: &Peers,
        now: Nanos,
        seed: Option<[u8; 32]>,
    ) -> Result<Self, NotBegun> {
        let (refused, base) = (Refused::default(), zero());
        let failed = |e: &dyn std::fmt::Display| NotBegun(e.to_string());
        let server = match peers {
            Peers::Server(..) => None,
            Peers::Clients(keys) => {
                let crypto = tls::server(key, keys.clone(), &refused).map_err(|e| failed(&e))?;
                let mut config = ServerConfig::with_crypto(Arc::new(crypto));
                config.transport_config(quic::transport());
                Some(Arc::new(config))
            }
        };
        let mut this = Self {
            endpoint: Endpoint::new(quic::endpoint(seed), server, false, None),
            own: key.public(),
            base,
            sessions: BTreeMap::new(),
            stages: BTreeMap::new(),
            refused,
            stray: VecDeque::new(),
            allowance: HANDSHAKES_AT_ONCE * 1_000_000_000,
            counted: now,
            events: VecDeque::new(),
        };
        if let Peers::Server(address, peer) = peers {
            let crypto = tls::client(key, *peer, &this.refused).map_err(|e| failed(&e))?;
            let mut config = ClientConfig::new(Arc::new(crypto));
            config.transport_config(quic::transport());
            let at = instant(base, now);
            // The name is not sent, and nothing depends on it.
            let made = this.endpoint.connect(at, config, *address, "airtcp");
            let (handle, connection) = made.map_err(|e| failed(&e))?;
            this.add(now, handle, Session::new(connection, Side::Client, this.own, base));
        }
        Ok(this)
    }

    /// This end's key.
    pub const fn key(&self) -> PublicKey {
        self.own
    }

    /// A session, until it has ended.
    pub fn session(&mut self, id: SessionId) -> Option<&mut Session> {
        self.sessions.get_mut(&id).filter(|session| session.ended().is_none())
    }

    /// A session that has ended a moment ago: what had arrived can still be read.
    pub fn remains(&mut self, id: SessionId) -> Option<&mut Session> {
        self.sessions.get_mut(&id)
    }

    /// The first session that has not ended: a client's only one.
    pub fn first(&self) -> Option<SessionId> {
        self.sessions.iter().find(|(_, session)| session.ended().is_none()).map(|(id, _)| *id)
    }

    /// Numbers of the sessions that are open.
    pub fn sessions(&self) -> Vec<SessionId> {
        self.sessions.iter().filter(|(_, s)| s.is_open()).map(|(id, _)| *id).collect()
    }

    /// True if no session is left, ended ones included.
    pub fn is_empty(&self) -> bool {
        self.sessions.is_empty()
    }

    /// What happened next.
    pub fn poll(&mut self) -> Option<(SessionId, HubEvent)> {
        self.events.pop_front()
    }

    /// A datagram arrived, `here` at this address of this host, if it is known.
    pub fn receive(
        &mut self,
        now: Nanos,
        from: SocketAddr,
        here: Option<IpAddr>,
        ecn: Ecn,
        bytes: &[u8],
    ) {
        let at = instant(self.base, now);
        let mut answer = Vec::new();
        let (data, code) = (BytesMut::from(bytes), EcnCodepoint::from_bits(ecn.bits()));
        match self.endpoint.handle(at, from, here, code, data, &mut answer) {
            Some(DatagramEvent::ConnectionEvent(handle, event)) => {
                if let Some(session) = self.sessions.get_mut(&handle.0) {
                    session.on_event(now, event, ecn);
                }
                self.after(now, handle.0);
            }
            Some(DatagramEvent::NewConnection(incoming)) => self.incoming(now, incoming, ecn),
            Some(DatagramEvent::Response(transmit)) => self.stray(&transmit, answer),
            None => {}
        }
    }

    /// Time of the next timer.
    pub fn next_timer(&mut self) -> Option<Nanos> {
        let sessions = self.sessions.values_mut().map(Session::next);
        let deadlines = self.stages.values().map(|stage| stage.deadline());
        sessions.chain(deadlines).min().filter(|next| *next != Nanos::NEVER)
    }

    /// Timers that are due.
    pub fn on_timer(&mut self, now: Nanos) {
        let late = self.stages.iter().filter(|(_, stage)| stage.deadline() <= now);
        for id in late.map(|(id, _)| *id).collect::<Vec<_>>() {
            if let Some(session) = self.sessions.get_mut(&id) {
                session.give_up(now, Ended::Silent);
            }
            self.after(now, id);
        }
        let due: Vec<SessionId> = self
            .sessions
            .iter_mut()
            .filter_map(|(id, s)| (s.next() <= now).then_some(*id))
            .collect();
        for id in due {
            if let Some(session) = self.sessions.get_mut(&id) {
                session.on_timer(now);
            }
            self.after(now, id);
        }
    }

    /// The next datagram to send.
    pub fn transmit(&mut self, now: Nanos) -> Option<Outgoing> {
        if let Some(stray) = self.stray.pop_front() {
            return Some(stray);
        }
        let mut from = 0;
        while let Some((id, session)) = self.sessions.range_mut(from..).next() {
            let sent = session.transmit(now);
            if sent.is_some() {
                return sent;
            }
            let id = *id;
            self.after(now, id);
            from = id + 1;
        }
        None
    }

    fn add(&mut self, now: Nanos, handle: ConnectionHandle, session: Session) {
        self.sessions.insert(handle.0, session);
        self.stages.insert(handle.0, Stage::Handshake(now + HANDSHAKE));
    }

    fn stray(&mut self, transmit: &Transmit, mut bytes: Vec<u8>) {
        /// Answers that wait: what does not fit is lost, as datagrams are.
        const WAITING: usize = 64;
        if self.stray.len() < WAITING {
            bytes.truncate(transmit.size);
            let (to, from) = (transmit.destination, transmit.src_ip);
            self.stray.push_back(Outgoing { to, from, ecn: Ecn::NotEct, bytes });
        }
    }

    /// Somebody wants to begin a session.
    fn incoming(&mut self, now: Nanos, incoming: Incoming, ecn: Ecn) {
        let mut bytes = Vec::new();
        let handshakes = self.stages.values().filter(|stage| **stage != Stage::Open).count();
        if handshakes >= RETRY_ABOVE && !incoming.remote_address_validated() && incoming.may_retry()
        {
            if let Ok(transmit) = self.endpoint.retry(incoming, &mut bytes) {
                self.stray(&transmit, bytes);
            }
            return;
        }
        let is_full = handshakes >= MAX_HANDSHAKES
            || self.handshakes_with(incoming.remote_address().ip()) >= HANDSHAKES_OF_AN_ADDRESS;
        if is_full || !self.may_begin(now) {
            self.endpoint.ignore(incoming);
            return;
        }
        match self.endpoint.accept(incoming, instant(self.base, now), &mut bytes, None) {
            Ok((handle, connection)) => {
                self.add(now, handle, Session::new(connection, Side::Server, self.own, self.base));
                if let Some(session) = self.sessions.get_mut(&handle.0) {
                    session.begun(now, ecn);
                }
                self.after(now, handle.0);
            }
            Err(error) => {
                if let Some(transmit) = error.response {
                    self.stray(&transmit, bytes);
                }
            }
        }
    }

    fn handshakes_with(&self, address: IpAddr) -> usize {
        let is_with = |id| self.sessions.get(id).is_some_and(|s| s.remote().ip() == address);
        let under_way = self.stages.iter().filter(|(_, stage)| **stage != Stage::Open);
        under_way.filter(|(id, _)| is_with(id)).count()
    }

    /// Whether there is room for a session of this key beside those that have proved theirs.
    fn has_room(&self, peer: PublicKey) -> bool {
        let is_proved = |stage: &Stage| !matches!(stage, Stage::Handshake(_));
        let proved = self.stages.iter().filter(|(_, stage)| is_proved(stage));
        let keys: Vec<Option<PublicKey>> =
            proved.map(|(id, _)| self.sessions.get(id).and_then(Session::peer)).collect();
        let own = keys.iter().filter(|key| **key == Some(peer)).count();
        keys.len() < MAX_SESSIONS && own < SESSIONS_OF_A_KEY
    }

    /// Whether another handshake may begin.
    fn may_begin(&mut self, now: Nanos) -> bool {
        const ONE: u64 = 1_000_000_000;
        let gained = now.since(self.counted).0.saturating_mul(HANDSHAKES);
        self.counted = now;
        self.allowance = self.allowance.saturating_add(gained).min(HANDSHAKES_AT_ONCE * ONE);
        let may = self.allowance >= ONE;
        self.allowance -= if may { ONE } else { 0 };
        may
    }

    /// What follows from a change of a session.
    fn after(&mut self, now: Nanos, id: SessionId) {
        let Some(session) = self.sessions.get_mut(&id) else { return };
        while let Some(event) = session.endpoint_event() {
            if let Some(answer) = self.endpoint.handle_event(ConnectionHandle(id), event) {
                session.on_endpoint_answer(answer);
            }
        }
        self.advance(now, id);
        let Some(session) = self.sessions.get(&id) else { return };
        if let Some(why) = session.ended()
            && self.stages.remove(&id).is_some()
        {
            let wrong = tls::take(&self.refused).map(Ended::WrongKey);
            let why = wrong.unwrap_or_else(|| why.clone());
            self.events.push_back((id, HubEvent::Ended(why)));
        }
        if session.is_drained() {
            self.sessions.remove(&id);
            self.stages.remove(&id);
        }
    }

    /// A session gets further: its peer has proved a key, or answers.
    fn advance(&mut self, now: Nanos, id: SessionId) {
        let (Some(session), Some(stage)) = (self.sessions.get(&id), self.stages.get(&id)) else {
            return;
        };
        let (Some(peer), None) = (session.peer(), session.ended()) else { return };
        if let Stage::Handshake(until) = *stage {
            if !self.has_room(peer) {
                if let Some(session) = self.sessions.get_mut(&id) {
                    session.give_up(now, Ended::Full);
                }
                return;
            }
            self.stages.insert(id, Stage::Proved(until));
        }
        if session.is_open() && self.stages.get(&id) != Some(&Stage::Open) {
            let remote = session.remote();
            self.stages.insert(id, Stage::Open);
            self.events.push_back((id, HubEvent::Open(peer, remote)));
        }
    }
}
