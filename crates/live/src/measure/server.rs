//! The server: who may measure, and what is sent when. It opens no socket and reads no clock.
//!
//! - A datagram without the secret's tag gets no answer.
//! - Before a cookie came back from an address, nothing is kept, and each answer is at most as long as its question.
//! - Then each address has one measurement, 16 run at once, and each ends after two minutes or when its client is silent.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};

use airtcp_units::LowBits as _;

use super::auth::{self, Cookie, Key, Keys, Nonce, SECRET};
use super::load::LoadSample;
use super::message::{ToClient, ToServer, VERSION};
use super::plan::{Phase, Plan, SECOND};
use super::session::{Fresh, Session};

/// Measurements at once.
pub const SESSIONS: usize = 16;

/// A datagram, and where it goes.
pub type Outgoing = (SocketAddr, Vec<u8>);

/// A server.
#[derive(Debug)]
pub struct Server {
    secret: Key,
    greeting: Keys,
    cookies: Key,
    rate: u32,
    sessions: BTreeMap<IpAddr, Session>,
}

impl Server {
    /// A server that allows so many probes a second. `random` is nobody else's.
    pub fn new(secret: Key, random: &[u8; SECRET], rate: u32) -> Self {
        let greeting = Keys::greeting(&secret);
        let (cookies, sessions) = (Key::new(random), BTreeMap::new());
        Self { secret, greeting, cookies, rate, sessions }
    }

    /// Reads a datagram that arrived `at` this time of the monotonic clock, and returns the answer to its sender.
    /// `fresh` gives a new measurement its number, and says the time.
    pub fn receive(
        &mut self,
        now: i64,
        at: i64,
        from: SocketAddr,
        bytes: &[u8],
        fresh: impl FnOnce() -> Option<Fresh>,
    ) -> Option<Vec<u8>> {
        let host = from.ip().to_canonical();
        if let Some(session) = self.sessions.get_mut(&host).filter(|s| s.from == from)
            && let Some(body) = session.keys.client.open(bytes)
        {
            let (answer, over) = session.receive(now, at, body);
            if over {
                self.sessions.remove(&host);
            }
            return answer;
        }
        match ToServer::read(self.greeting.client.open(bytes)?)? {
            ToServer::Hello { nonce, version } => Some(self.greet(now, from, nonce, version)),
            ToServer::Start { nonce, cookie, plan } => {
                let valid = auth::is_cookie(&self.cookies, from, &nonce, second(now), &cookie);
                valid.then(|| self.start(now, from, nonce, plan, fresh))?
            }
            _ => None,
        }
    }

    fn greet(&self, now: i64, from: SocketAddr, nonce: Nonce, version: u8) -> Vec<u8> {
        if version != VERSION {
            let text =
                format!("it speaks version {VERSION} of the protocol, and this is {version}");
            return self.refuse(nonce, text);
        }
        let cookie: Cookie = auth::cookie(&self.cookies, from, &nonce, second(now));
        ToClient::Cookie { nonce, cookie }.seal(&self.greeting.server)
    }

    fn refuse(&self, nonce: Nonce, text: String) -> Vec<u8> {
        ToClient::Refused { nonce, text }.seal(&self.greeting.server)
    }

    fn start(
        &mut self,
        now: i64,
        from: SocketAddr,
        nonce: Nonce,
        plan: Plan,
        fresh: impl FnOnce() -> Option<Fresh>,
    ) -> Option<Vec<u8>> {
        self.expire(now);
        if let Some(text) = plan.refusal(self.rate) {
            return Some(self.refuse(nonce, text));
        }
        let host = from.ip().to_canonical();
        match self.sessions.get(&host) {
            // The answer was lost.
            Some(known) if known.from == from && known.nonce == nonce => {
                return Some(self.accept(nonce, known.fresh));
            }
            Some(known) if known.confirmed => {
                let text = "it measures with this address already; wait until that has ended";
                return Some(self.refuse(nonce, text.to_owned()));
            }
            None if self.sessions.len() >= SESSIONS => {
                let text = format!("it measures with {SESSIONS} others; try again in 2 minutes");
                return Some(self.refuse(nonce, text));
            }
            _ => {}
        }
        let fresh = fresh()?;
        let keys = Keys::session(&self.secret, &nonce, &fresh.number);
        self.sessions.insert(host, Session::new(from, nonce, fresh, keys, plan, now));
        Some(self.accept(nonce, fresh))
    }

    fn accept(&self, nonce: Nonce, fresh: Fresh) -> Vec<u8> {
        let Fresh { number, wall } = fresh;
        ToClient::Accept { nonce, fresh: number, wall }.seal(&self.greeting.server)
    }

    /// Forgets measurements that are over.
    pub fn expire(&mut self, now: i64) {
        self.sessions.retain(|_, session| session.ends() > now);
    }

    /// A probe that is due.
    pub fn due(&mut self, now: i64) -> Option<Outgoing> {
        self.sessions.values_mut().find_map(|s| s.take(now).map(|bytes| (s.from, bytes)))
    }

    /// Probes that were due were sent to these addresses, all in so many ns.
    pub fn wrote(&mut self, to: &(impl Iterator<Item = SocketAddr> + Clone), took: i64) {
        for session in self.sessions.values_mut() {
            session.wrote(to.clone().filter(|to| *to == session.from).count(), took);
        }
    }

    /// When there is something to do without a datagram.
    pub fn next(&self) -> Option<i64> {
        self.sessions.values().map(|s| s.due().unwrap_or(i64::MAX).min(s.ends())).min()
    }

    /// Measurements that run.
    pub fn sessions(&self) -> usize {
        self.sessions.len()
    }

    /// Whether a measurement waits for a TCP connection.
    pub fn awaits_tcp(&self) -> bool {
        self.sessions.values().any(Session::awaits_tcp)
    }

    /// The phase that a TCP connection from an address belongs to, from what it sent first, and how long it sends. It
    /// opens once.
    pub fn open(&mut self, from: IpAddr, bytes: &[u8]) -> Option<(Phase, i64)> {
        let session = self.sessions.get_mut(&from.to_canonical())?;
        Some((session.open(bytes)?, session.load_lasts()))
    }

    /// Adds to what a TCP connection of this end was like; nothing ends it.
    pub fn loaded(&mut self, to: IpAddr, phase: Phase, sample: Option<LoadSample>) {
        if let Some(session) = self.sessions.get_mut(&to.to_canonical()) {
            session.loaded(phase, sample);
        }
    }
}

/// A second of the monotonic clock.
fn second(now: i64) -> u32 {
    u32::low_bits(now / SECOND)
}
