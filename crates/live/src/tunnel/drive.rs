//! The loop of both ends: datagrams, timers, applications.

use std::os::fd::{AsFd as _, BorrowedFd};

use airtcp_os::clock::{self, Offset};
use airtcp_os::datagram::{Datagrams, Outgoing};
use airtcp_os::signal::{Signal, Signals};
use airtcp_os::wait::{self, For};
use airtcp_packet::Ecn;
use airtcp_tunnel::{ChannelEvent, Ended, Hub, HubEvent, Peers, PrivateKey, PublicKey, SessionId};
use airtcp_units::Nanos;

use super::connections::{Connections, Whose};
use super::dial::Dialler;
use super::listen::Listeners;
use super::status::{Document, Socket, canonical};
use super::whereabouts::Whereabouts;

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
/// Time for what applications have sent, and then for saying that the tunnel ends.
const DELIVER: i64 = 5 * SECOND;
const LEAVE: i64 = SECOND / 2;

/// What an end does with channels.
pub(super) enum Role {
    /// It takes connections of applications, for a server.
    Client(Listeners, Whereabouts, PublicKey),
    /// It connects to targets, for clients with these keys.
    Server(Dialler, Vec<PublicKey>),
}

impl Role {
    const fn name(&self) -> &'static str {
        match self {
            Self::Client(..) => "client",
            Self::Server(..) => "server",
        }
    }

    fn peers(&self) -> Peers {
        match self {
            Self::Client(_, server, key) => Peers::Server(server.address(), *key),
            Self::Server(_, keys) => Peers::Clients(keys.clone()),
        }
    }
}

/// An end of tunnels with all that drives it.
pub(super) struct Drive<'a> {
    pub(super) socket: Datagrams,
    pub(super) signals: Signals,
    pub(super) key: PrivateKey,
    pub(super) role: Role,
    pub(super) status: Option<Socket>,
    pub(super) say: &'a dyn Fn(&str),
}

/// What changes while it runs.
struct State {
    hub: Hub,
    zero: i64,
    connections: Connections,
    offset: Offset,
    /// The time of the last datagram: none is earlier.
    last: i64,
    sends_ecn: bool,
    /// When to begin anew, the pause after that, and when a silent server is told.
    again: Option<i64>,
    pause: i64,
    tell: i64,
    /// Nothing new is taken: the tunnel ends.
    ends: bool,
    /// A datagram was longer than its link carries, and that was said.
    is_too_long: bool,
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
        let done = self.send(&mut state).and_then(|()| self.turns(&mut state));
        // Applications are told: what they sent may not have arrived.
        state.connections.abort();
        done
    }

    fn turns(&mut self, state: &mut State) -> Result<(), String> {
        while !self.turn(state)? {}
        self.leave(state);
        Ok(())
    }

    /// Waits, and does what there is to do. Returns whether a signal came that ends the tunnel.
    fn turn(&mut self, state: &mut State) -> Result<bool, String> {
        self.wait(state)?;
        let mut ends = false;
        while let Some(signal) = self.signals.read().map_err(|e| e.to_string())? {
            ends |= matches!(signal, Signal::Interrupt | Signal::Terminate);
        }
        self.read(state);
        let at = state.at(clock::now());
        state.hub.on_timer(at);
        self.sessions(state)?;
        self.applications(state);
        self.send(state)?;
        if let Some(socket) = &mut self.status {
            socket.turn(|| Document::of(self.role.name(), &mut state.hub));
        }
        Ok(ends)
    }

    fn hub(&self, at: Nanos) -> Result<Hub, String> {
        Hub::begin(&self.key, &self.role.peers(), at, None).map_err(|e| e.to_string())
    }

    fn begin(&self) -> Result<State, String> {
        let zero = clock::now();
        let sends_ecn = self.socket.use_ecn(true).is_ok();
        Ok(State {
            hub: self.hub(Nanos::ZERO)?,
            zero,
            connections: Connections::default(),
            offset: Offset::measure(),
            last: zero,
            sends_ecn,
            again: None,
            pause: FIRST_PAUSE,
            tell: zero + TELL_EVERY,
            ends: false,
            is_too_long: false,
        })
    }

    fn wait(&self, state: &mut State) -> Result<(), String> {
        let zero = state.zero;
        let timer = state.hub.next_timer().map(|at| zero.saturating_add_unsigned(at.0));
        let client = matches!(self.role, Role::Client(..));
        let tell = (client && state.hub.sessions().is_empty()).then_some(state.tell);
        let mut fds: Vec<(BorrowedFd<'_>, For)> =
            vec![(self.socket.as_fd(), For::Reading), (self.signals.as_fd(), For::Reading)];
        fds.extend(self.status.iter().flat_map(Socket::fds));
        let patience = match &self.role {
            Role::Client(listeners, ..) => {
                let has_room = room(state) > 0;
                fds.extend(listeners.fds(has_room).map(|fd| (fd, For::Reading)));
                listeners.next()
            }
            Role::Server(dialler, _) => {
                fds.push((dialler.fd(), For::Reading));
                None
            }
        };
        let others = fds.len();
        let watched = state.connections.watched(&mut state.hub);
        for (whose, wants) in &watched {
            fds.extend(state.connections.fd(whose).map(|fd| (fd, *wants)));
        }
        let asked = self.status.as_ref().and_then(Socket::next);
        let next = [timer, state.again, tell, patience, asked].into_iter().flatten().min();
        let ready = wait::ready(&fds, next).map_err(|e| e.to_string())?;
        for (is_ready, (whose, wants)) in ready.into_iter().skip(others).zip(watched) {
            if is_ready {
                state.connections.ready(&mut state.hub, whose, wants);
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
            let bytes = &buffer[..datagram.length];
            state.hub.receive(at, datagram.from, datagram.to, ecn, bytes);
        }
    }

    /// What sessions have to say.
    fn sessions(&mut self, state: &mut State) -> Result<(), String> {
        let now = clock::now();
        while let Some((id, event)) = state.hub.poll() {
            match event {
                HubEvent::Open(peer, address) => {
                    state.pause = FIRST_PAUSE;
                    if let Role::Client(_, server, _) = &mut self.role {
                        server.found();
                    }
                    (self.say)(&format!("connected: {} with key {peer}", canonical(address)));
                }
                HubEvent::Ended(why) => {
                    state.connections.ended(&mut state.hub, id);
                    if let Role::Server(dialler, _) = &mut self.role {
                        dialler.cancel_all(id);
                    }
                    self.ended(state, now, &why)?;
                }
            }
        }
        if !state.ends && state.again.is_some_and(|at| at <= now) {
            state.again = None;
            if let Role::Client(_, server, _) = &mut self.role {
                server.another();
            }
            state.hub = self.hub(state.at(now))?;
        }
        if let Role::Client(_, server, _) = &self.role
            && state.tell <= now
        {
            state.tell = now + TELL_EVERY;
            if state.hub.sessions().is_empty() {
                let server = canonical(server.address());
                (self.say)(&format!("{server} does not answer; trying again"));
            }
        }
        Ok(())
    }

    fn ended(&mut self, state: &mut State, now: i64, why: &Ended) -> Result<(), String> {
        let Role::Client(_, server, _) = &mut self.role else {
            let text = match why {
                Ended::WrongKey(key) => {
                    format!("refused: a client with key {key}; --peer {key} would accept it")
                }
                other => format!("a session ended: {other}"),
            };
            (self.say)(&text);
            return Ok(());
        };
        if !why.may_recover() {
            return Err(why.to_string());
        }
        server.look_up();
        (self.say)(&format!("{why}; trying again in {} s", state.pause / SECOND));
        state.again = Some(now + state.pause);
        state.pause = (state.pause * 2).min(LAST_PAUSE);
        Ok(())
    }

    /// New connections, and what moves between connections and channels.
    fn applications(&mut self, state: &mut State) {
        let (mut wanted, mut dialled) = (Vec::new(), Vec::new());
        match &mut self.role {
            Role::Client(listeners, ..) => wanted = listeners.turn(BATCH.min(room(state))),
            Role::Server(dialler, _) => dialled = dialler.done(),
        }
        for one in wanted {
            state.connections.open(&mut state.hub, one);
        }
        for (whose, result) in dialled {
            state.connections.dialled(&mut state.hub, whose, result);
        }
        let ids: Vec<SessionId> = state.hub.sessions();
        for id in ids {
            while let Some((channel, event)) = state.hub.session(id).and_then(|s| s.mux().poll()) {
                self.channel(state, (id, channel), event);
            }
        }
        state.connections.turn(&mut state.hub);
    }

    fn channel(&mut self, state: &mut State, whose: Whose, event: ChannelEvent) {
        let dialler = match &mut self.role {
            Role::Server(dialler, _) => Some(dialler),
            Role::Client(..) => None,
        };
        match (event, dialler) {
            (ChannelEvent::Incoming(target), Some(dialler)) => dialler.dial(whose, target),
            (ChannelEvent::Incoming(_), None) => {}
            (ChannelEvent::Opened, _) => state.connections.opened(whose),
            (ChannelEvent::Reset(code), dialler) => {
                if let Some(dialler) = dialler {
                    dialler.cancel(whose);
                }
                state.connections.reset(whose, code);
            }
        }
    }

    fn send(&self, state: &mut State) -> Result<(), String> {
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
            let outgoing = |one: airtcp_tunnel::Outgoing| Outgoing {
                bytes: one.bytes,
                to: Some(one.to),
                from: one.from,
            };
            let ready: Vec<Outgoing> = ready.into_iter().map(outgoing).collect();
            if self.socket.send_all(&ready) && !state.is_too_long {
                state.is_too_long = true;
                let text = "the link to the other end carries no packets of 1,280 bytes, which the tunnel needs; raise its MTU";
                if matches!(self.role, Role::Client(..)) && state.hub.sessions().is_empty() {
                    return Err(text.to_owned());
                }
                (self.say)(text);
            }
            if last {
                return Ok(());
            }
        }
    }

    /// Goes on until a time, or until `done` says so. Returns false if a signal, or an error, ends it before.
    fn turns_until(
        &mut self,
        state: &mut State,
        until: i64,
        done: impl Fn(&mut State) -> bool,
    ) -> bool {
        while !done(state) && clock::now() < until {
            state.again = Some(until);
            if self.turn(state).unwrap_or(true) {
                return false;
            }
        }
        true
    }

    /// Delivers what applications have sent: what the kernel holds of theirs is not all here yet, so that they are read a second
    /// longer. Says to all peers that this end goes. Another signal cuts it short.
    fn leave(&mut self, state: &mut State) {
        state.ends = true;
        let goes_on =
            self.turns_until(state, clock::now() + SECOND, |state| state.connections.is_empty());
        state.connections.stop();
        if goes_on && !is_delivered(state) {
            (self.say)("delivering what applications have sent; Ctrl-C again leaves it");
            self.turns_until(state, clock::now() + DELIVER, is_delivered);
        }
        if !is_delivered(state) {
            (self.say)("some of what applications have sent was not delivered");
        }
        let until = clock::now() + LEAVE;
        let at = state.at(clock::now());
        for id in state.hub.sessions() {
            if let Some(session) = state.hub.session(id) {
                session.close(at);
            }
        }
        let _ = self.send(state);
        // A packet more, in case that one is lost.
        while let Some(next) =
            state.hub.next_timer().map(|at| state.zero.saturating_add_unsigned(at.0))
        {
            if next > until || wait::until(&[], Some(next)).is_err() {
                return;
            }
            let at = state.at(clock::now());
            state.hub.on_timer(at);
            let _ = self.send(state);
        }
    }
}

/// Applications that can have a channel now.
fn room(state: &State) -> usize {
    let takes = state.again.is_none() && !state.ends;
    if takes { state.connections.room() } else { 0 }
}

/// Whether all that applications had sent has arrived.
fn is_delivered(state: &mut State) -> bool {
    state.connections.is_delivered(&mut state.hub)
}
