//! The loop of both ends: datagrams, timers, applications.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::os::fd::{AsFd as _, BorrowedFd};

use airtcp_os::clock::{self, Offset};
use airtcp_os::datagram::Datagrams;
use airtcp_os::signal::{Signal, Signals};
use airtcp_os::wait::{self, For};
use airtcp_packet::Ecn;
use airtcp_tunnel::{
    ChannelEvent, ChannelId, Ended, Hub, HubEvent, MAX_CHANNELS, Peers, PrivateKey, SessionId,
};
use airtcp_units::Nanos;

use super::dial::Dialler;
use super::joined::Joined;
use super::listen::{Listeners, Wanted};
use super::socks;
use super::status::{Document, Socket, canonical};

/// Datagrams that are read, or sent, in a row.
const BATCH: usize = 64;
/// Longest datagram that is read.
const LONGEST: usize = 2048;
/// Time between attempts to reach a server, first and last.
const FIRST_PAUSE: i64 = SECOND;
const LAST_PAUSE: i64 = 30 * SECOND;
const SECOND: i64 = 1_000_000_000;
/// How often a silent server is told.
const TELL_EVERY: i64 = 10 * SECOND;
/// Time for what is left when the tunnel ends.
const LEAVE: i64 = SECOND / 2;

/// What an end does with channels.
pub(super) enum Role {
    /// It takes connections of applications.
    Client(Listeners),
    /// It connects to targets.
    Server(Dialler),
}

impl Role {
    const fn name(&self) -> &'static str {
        match self {
            Self::Client(_) => "client",
            Self::Server(_) => "server",
        }
    }
}

/// An end of tunnels with all that drives it.
pub(super) struct Drive<'a> {
    pub(super) socket: Datagrams,
    pub(super) signals: Signals,
    pub(super) key: PrivateKey,
    pub(super) peers: Peers,
    pub(super) role: Role,
    pub(super) status: Option<Socket>,
    pub(super) say: &'a dyn Fn(&str),
}

/// A connection with its channel, and whether its application waits for an answer of SOCKS.
struct Connection {
    joined: Joined,
    socks: bool,
}

/// What changes while it runs.
struct State {
    hub: Hub,
    zero: i64,
    connections: BTreeMap<(SessionId, ChannelId), Connection>,
    offset: Offset,
    /// The time of the last datagram: none is earlier.
    last: i64,
    sends_ecn: bool,
    /// When to begin anew, the pause after that, and when a silent server is told.
    again: Option<i64>,
    pause: i64,
    tell: i64,
    buffer: Vec<u8>,
}

impl State {
    fn at(&self, now: i64) -> Nanos {
        Nanos(u64::try_from(now - self.zero).unwrap_or_default())
    }
}

impl Drive<'_> {
    /// Runs until a signal ends it.
    ///
    /// # Errors
    /// If the peer's key is not the one that was given, or if the system refuses.
    pub(super) fn run(mut self) -> Result<(), String> {
        let mut state = self.begin()?;
        self.send(&mut state);
        let done = self.turns(&mut state);
        // Applications are told: what they sent may not have arrived.
        for connection in state.connections.values() {
            connection.joined.abort();
        }
        done
    }

    fn turns(&mut self, state: &mut State) -> Result<(), String> {
        loop {
            self.wait(state)?;
            while let Some(signal) = self.signals.read().map_err(|e| e.to_string())? {
                if matches!(signal, Signal::Interrupt | Signal::Terminate) {
                    self.leave(state);
                    return Ok(());
                }
            }
            self.read(state);
            let at = state.at(clock::now());
            state.hub.on_timer(at);
            self.sessions(state)?;
            self.applications(state);
            self.send(state);
            if let Some(socket) = &self.status {
                socket.turn(|| Document::of(self.role.name(), &mut state.hub));
            }
        }
    }

    fn hub(&self, at: Nanos) -> Result<Hub, String> {
        Hub::begin(&self.key, &self.peers, at, None).map_err(|e| e.to_string())
    }

    fn begin(&self) -> Result<State, String> {
        let zero = clock::now();
        let sends_ecn = self.socket.use_ecn(true).is_ok();
        Ok(State {
            hub: self.hub(Nanos::ZERO)?,
            zero,
            connections: BTreeMap::new(),
            offset: Offset::measure(),
            last: zero,
            sends_ecn,
            again: None,
            pause: FIRST_PAUSE,
            tell: zero + TELL_EVERY,
            buffer: Vec::new(),
        })
    }

    fn wait(&self, state: &mut State) -> Result<(), String> {
        let zero = state.zero;
        let timer = state.hub.next_timer().map(|at| zero.saturating_add_unsigned(at.0));
        let client = matches!(self.role, Role::Client(_));
        let tell = (client && state.hub.sessions().is_empty()).then_some(state.tell);
        let mut fds: Vec<(BorrowedFd<'_>, For)> =
            vec![(self.socket.as_fd(), For::Reading), (self.signals.as_fd(), For::Reading)];
        fds.extend(self.status.iter().map(|socket| (socket.fd(), For::Reading)));
        let patience = match &self.role {
            Role::Client(listeners) => {
                if has_room(state) {
                    fds.extend(listeners.fds().map(|fd| (fd, For::Reading)));
                }
                listeners.next()
            }
            Role::Server(dialler) => {
                fds.push((dialler.fd(), For::Reading));
                None
            }
        };
        let others = fds.len();
        let mut watched = Vec::new();
        for (whose, connection) in &state.connections {
            let Some(session) = state.hub.session(whose.0) else { continue };
            let wants = connection.joined.wants(session.mux());
            let wants = if connection.socks { Some(For::Error) } else { wants };
            if let Some(wants) = wants {
                watched.push((*whose, wants));
                fds.push((connection.joined.fd(), wants));
            }
        }
        let next = [timer, state.again, tell, patience].into_iter().flatten().min();
        let ready = wait::ready(&fds, next).map_err(|e| e.to_string())?;
        let ready = ready.into_iter().skip(others).zip(watched);
        let failed = ready.filter(|(ready, (_, wants))| *ready && *wants == For::Error);
        let failed: Vec<_> = failed.map(|(_, (whose, _))| whose).collect();
        for whose in failed {
            let connection = state.connections.remove(&whose);
            if let Some((connection, session)) = connection.zip(state.hub.session(whose.0)) {
                connection.joined.fail(session.mux());
            }
        }
        Ok(())
    }

    fn read(&self, state: &mut State) {
        let mut buffer = [0; LONGEST];
        for _ in 0..BATCH {
            // An error is what the network says of a datagram that was sent: it was lost.
            let Ok(found) = self.socket.receive(&mut buffer) else { continue };
            let Some(datagram) = found else { return };
            // The kernel's stamp, however late it is read; the times of datagrams do not go back.
            state.last = state.last.max(state.offset.arrival(datagram.stamp));
            let (at, ecn) = (state.at(state.last), Ecn::from_bits(datagram.ecn));
            state.hub.receive(at, datagram.from, ecn, &buffer[..datagram.length]);
        }
    }

    /// What sessions have to say.
    fn sessions(&self, state: &mut State) -> Result<(), String> {
        let now = clock::now();
        while let Some((id, event)) = state.hub.poll() {
            match event {
                HubEvent::Open(peer, address) => {
                    state.pause = FIRST_PAUSE;
                    (self.say)(&format!("connected: {} with key {peer}", canonical(address)));
                }
                HubEvent::Ended(why) => {
                    let gone: Vec<_> = state
                        .connections
                        .keys()
                        .filter(|(session, _)| *session == id)
                        .copied()
                        .collect();
                    for one in gone {
                        if let Some(connection) = state.connections.remove(&one) {
                            connection.joined.abort();
                        }
                    }
                    self.ended(state, now, &why)?;
                }
            }
        }
        if state.again.is_some_and(|at| at <= now) {
            state.again = None;
            state.hub = self.hub(state.at(now))?;
        }
        if let Peers::Server(address, _) = &self.peers
            && state.tell <= now
        {
            state.tell = now + TELL_EVERY;
            if state.hub.sessions().is_empty() {
                (self.say)(&format!("{address} does not answer; trying again"));
            }
        }
        Ok(())
    }

    fn ended(&self, state: &mut State, now: i64, why: &Ended) -> Result<(), String> {
        if matches!(self.role, Role::Server(_)) {
            let text = match why {
                Ended::WrongKey(key) => {
                    format!("refused: a client with key {key}; --peer {key} would accept it")
                }
                other => format!("a session ended: {other}"),
            };
            (self.say)(&text);
            return Ok(());
        }
        if !why.may_recover() {
            return Err(why.to_string());
        }
        (self.say)(&format!("{why}; trying again in {} s", state.pause / SECOND));
        state.again = Some(now + state.pause);
        state.pause = (state.pause * 2).min(LAST_PAUSE);
        Ok(())
    }

    /// New connections, and what moves between connections and channels.
    fn applications(&mut self, state: &mut State) {
        let (mut wanted, mut dialled) = (Vec::new(), Vec::new());
        match &mut self.role {
            Role::Client(listeners) if has_room(state) => wanted = listeners.turn(BATCH),
            Role::Client(_) => {}
            Role::Server(dialler) => dialled = dialler.done(),
        }
        for one in wanted {
            open(state, one);
        }
        for (whose, result) in dialled {
            let Some(session) = state.hub.session(whose.0) else { continue };
            match result {
                Ok(stream) if session.mux().is_alive(whose.1) => {
                    session.mux().accept(whose.1);
                    let joined = Joined::new(stream, whose.1);
                    state.connections.insert(whose, Connection { joined, socks: false });
                }
                Ok(_) => {}
                Err(code) => session.mux().reset(whose.1, code),
            }
        }
        let ids: Vec<SessionId> = state.hub.sessions();
        for id in ids {
            while let Some((channel, event)) = state.hub.session(id).and_then(|s| s.mux().poll()) {
                self.channel(state, (id, channel), event);
            }
        }
        let State { hub, connections, buffer, .. } = state;
        connections.retain(|(id, _), connection| {
            let Some(session) = hub.session(*id) else { return false };
            connection.socks || connection.joined.turn(session.mux(), buffer)
        });
    }

    fn channel(&mut self, state: &mut State, whose: (SessionId, ChannelId), event: ChannelEvent) {
        match event {
            ChannelEvent::Incoming(target) => {
                if let Role::Server(dialler) = &mut self.role {
                    dialler.dial(whose, target);
                }
            }
            ChannelEvent::Opened => {
                if let Some(connection) = state.connections.get_mut(&whose)
                    && std::mem::take(&mut connection.socks)
                {
                    connection.joined.say(&socks::granted());
                }
            }
            ChannelEvent::Reset(code) => {
                if let Some(connection) = state.connections.remove(&whose) {
                    if connection.socks {
                        connection.joined.say(&socks::failed(code));
                    } else {
                        connection.joined.abort();
                    }
                }
            }
        }
    }

    fn send(&self, state: &mut State) {
        loop {
            let at = state.at(clock::now());
            let ready: Vec<_> = (0..BATCH).map_while(|_| state.hub.transmit(at)).collect();
            if let Some(first) = ready.first()
                && (first.ecn == Ecn::Ect0) != state.sends_ecn
            {
                state.sends_ecn = !state.sends_ecn;
                let _ = self.socket.use_ecn(state.sends_ecn);
            }
            let last = ready.len() < BATCH;
            let ready: Vec<(Vec<u8>, Option<SocketAddr>)> =
                ready.into_iter().map(|one| (one.bytes, Some(one.to))).collect();
            self.socket.send_all(&ready);
            if last {
                return;
            }
        }
    }

    /// Says to all peers that this end goes.
    fn leave(&self, state: &mut State) {
        let until = clock::now() + LEAVE;
        let at = state.at(clock::now());
        for id in state.hub.sessions() {
            if let Some(session) = state.hub.session(id) {
                session.close(at);
            }
        }
        self.send(state);
        // A packet more, in case that one is lost.
        while let Some(next) =
            state.hub.next_timer().map(|at| state.zero.saturating_add_unsigned(at.0))
        {
            if next > until || wait::until(&[], Some(next)).is_err() {
                return;
            }
            let at = state.at(clock::now());
            state.hub.on_timer(at);
            self.send(state);
        }
    }
}

/// Whether another application can have a channel.
fn has_room(state: &State) -> bool {
    state.again.is_none() && state.connections.len() < MAX_CHANNELS
}

/// Opens a channel for a connection, at once: what the application sends waits until the tunnel is up.
fn open(state: &mut State, wanted: Wanted) {
    let Some(id) = state.hub.first() else { return };
    let Some(session) = state.hub.session(id) else { return };
    let Some(channel) = session.mux().open(wanted.target) else {
        if wanted.socks {
            Joined::new(wanted.stream, 0).say(&socks::failed(airtcp_tunnel::Code::TooMany));
        }
        return;
    };
    session.mux().write(channel, &wanted.data);
    let joined = Joined::new(wanted.stream, channel);
    state.connections.insert((id, channel), Connection { joined, socks: wanted.socks });
}
