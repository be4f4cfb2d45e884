//! The client: what it asks and sends, phase by phase, and what it keeps. It opens no socket and reads no clock.
//!
//! A question without an answer is asked again. After five seconds without any answer the measurement ends; what was
//! measured until then is kept, as it is when the user ends it.

use std::collections::VecDeque;

use airtcp_units::{LowBits as _, Narrow as _};

use super::arrivals::{Arrival, Arrivals};
use super::auth::{Cookie, Key, Keys, Nonce, TAG};
use super::clocks::Trip;
use super::echoes::{Beside, Echoes};
use super::fetch::{Fetch, Report, pace};
use super::load::LoadSample;
use super::message::{Probe, ToClient, ToServer, VERSION};
use super::plan::{MS, Phase, Plan, SECOND};
use super::sending::{Pace, Sending};

/// Time without an answer after which the measurement ends.
const PATIENCE: i64 = 5 * SECOND;
/// Time until a question is asked again.
const AGAIN: i64 = 300 * MS;
/// Time for a TCP connection to come about and to end, beside that in which it sends.
pub(super) const CONNECT: i64 = 5 * SECOND;
/// Time to fetch a report.
const FETCH: i64 = 30 * SECOND;
/// Time to fetch a report once the user has ended the measurement.
const HURRY: i64 = 3 * SECOND;

/// Why a measurement ended before its last phase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cut {
    /// Nothing was ever answered.
    NoAnswer,
    /// The server refused, with its reason.
    Refused(String),
    /// The server answered, and then no longer.
    Silent,
    /// The user ended it.
    Interrupted,
}

/// Where a measurement stands.
#[derive(Debug)]
enum Stage {
    Hello,
    Start(Cookie),
    Idle { until: i64 },
    Begin(Phase),
    Run { phase: Phase, until: i64 },
    Report { fetch: Fetch, until: i64 },
    Bye { until: i64 },
    Done,
}

/// What one phase left.
#[derive(Debug, Default)]
pub(super) struct Part {
    /// When each probe was sent, in 100 ns since the measurement began.
    pub(super) sent: Vec<u32>,
    /// Times that this end stood still.
    pub(super) pauses: u32,
    /// How fast this end sent bursts.
    pub(super) pace: Pace,
    /// What arrived here.
    pub(super) arrivals: Arrivals,
    /// What the server says.
    pub(super) report: Option<Report>,
    /// What a TCP connection of this end was like.
    pub(super) load: Vec<LoadSample>,
    /// The TCP connection has ended.
    loaded: bool,
}

/// A client.
#[derive(Debug)]
pub struct Client {
    secret: Key,
    greeting: Keys,
    session: Option<Keys>,
    nonce: Nonce,
    pub(super) plan: Plan,
    /// Bytes of the headers before a datagram.
    pub(super) headers: u32,
    stage: Stage,
    phases: VecDeque<Phase>,
    sending: Option<Sending>,
    pub(super) parts: [Part; Phase::ALL.len()],
    pub(super) echoes: Echoes,
    began: i64,
    /// The system clock less the monotonic one, ns.
    wall: i64,
    /// When the measurement began by the server's system clock, ns since 1970.
    there: i64,
    heard: i64,
    /// When the question of the stage is asked again.
    again: i64,
    /// When the report is left as it is.
    hurry: Option<i64>,
    pub(super) cut: Option<Cut>,
}

impl Client {
    /// A client that begins now, over IPv6 or IPv4. `nonce` was never used before; `wall` is the system clock less the
    /// monotonic one.
    pub fn new(secret: Key, nonce: Nonce, plan: Plan, is_v6: bool, now: i64, wall: i64) -> Self {
        let phases = Phase::ALL.into_iter().filter(|phase| plan.lasts(*phase) > 0).collect();
        Self {
            greeting: Keys::greeting(&secret),
            secret,
            session: None,
            nonce,
            plan,
            headers: 8 + if is_v6 { 40 } else { 20 },
            stage: Stage::Hello,
            phases,
            sending: None,
            parts: Default::default(),
            echoes: Echoes::new(now),
            began: now,
            wall,
            there: 0,
            heard: now,
            again: now,
            hurry: None,
            cut: None,
        }
    }

    /// Whether all is over.
    pub fn is_done(&self) -> bool {
        matches!(self.stage, Stage::Done)
    }

    /// Why it ended before its last phase, if it did.
    pub fn cut(&self) -> Option<&Cut> {
        self.cut.as_ref()
    }

    /// Whether a server began the measurement.
    pub fn has_met(&self) -> bool {
        self.session.is_some()
    }

    /// What the measurement does now, for a person.
    pub fn doing(&self) -> &'static str {
        match &self.stage {
            Stage::Hello | Stage::Start(_) => "asking the server",
            Stage::Idle { .. } => "the idle path",
            Stage::Begin(phase) | Stage::Run { phase, .. } => match phase {
                Phase::Train => "losses, by small packets both ways",
                Phase::BurstsUp => "capacity, by bursts to the server",
                Phase::BurstsDown => "capacity, by bursts from the server",
                Phase::LoadUp => "a TCP connection to the server",
                Phase::LoadDown => "a TCP connection from the server",
            },
            Stage::Report { .. } => "what the server saw",
            Stage::Bye { .. } | Stage::Done => "done",
        }
    }

    /// A datagram arrived `at` this time of the monotonic clock.
    pub fn receive(&mut self, now: i64, at: i64, bytes: &[u8]) {
        let session = self.session.as_ref();
        let body = session.and_then(|keys| keys.server.open(bytes));
        let Some(body) = body else {
            let greeting = self.greeting.server.open(bytes).and_then(ToClient::read);
            return self.greeted(now, greeting);
        };
        let Some(message) = ToClient::read(body) else { return };
        self.heard = now;
        match (message, &mut self.stage) {
            (ToClient::Echoed { number, held, there }, _) => {
                let [held, there] = [held, there].map(|units| 100 * i64::from(units));
                self.echoes.answered(number, at - held, there);
            }
            (ToClient::Probe(Probe { phase, number, sent }), _) => {
                let at = self.clock(at);
                self.parts[phase.place()].arrivals.add(Arrival { number, at, sent });
            }
            (ToClient::Begun(begun), Stage::Begin(phase)) if begun == *phase => {
                self.run(now, begun);
            }
            (ToClient::Chunk(chunk), Stage::Report { fetch, .. }) => fetch.add(now, chunk),
            (ToClient::Ended, Stage::Bye { .. }) => self.stage = Stage::Done,
            _ => {}
        }
    }

    fn greeted(&mut self, now: i64, message: Option<ToClient>) {
        match (message, &self.stage) {
            (Some(ToClient::Cookie { nonce, cookie }), Stage::Hello) if nonce == self.nonce => {
                (self.heard, self.again) = (now, now);
                self.stage = Stage::Start(cookie);
            }
            (Some(ToClient::Accept { nonce, fresh, wall }), Stage::Start(_))
                if nonce == self.nonce =>
            {
                self.session = Some(Keys::session(&self.secret, &nonce, &fresh));
                (self.heard, self.began, self.there) = (now, now, wall);
                self.stage = Stage::Idle { until: now + i64::from(self.plan.idle_ms) * MS };
                self.echoes.restart(now);
            }
            (Some(ToClient::Refused { nonce, text }), Stage::Hello | Stage::Start(_))
                if nonce == self.nonce =>
            {
                self.cut = Some(Cut::Refused(text));
                self.stage = Stage::Done;
            }
            _ => {}
        }
    }

    /// A time in 100 ns since the measurement began.
    fn clock(&self, at: i64) -> u32 {
        u32::low_bits((at - self.began).max(0) / 100)
    }

    /// A phase begins here, too.
    fn run(&mut self, now: i64, phase: Phase) {
        let trip = self.echoes.usual().unwrap_or(SECOND);
        if matches!(phase, Phase::Train | Phase::BurstsUp) {
            self.sending = Some(Sending::new(&self.plan, phase, now));
        }
        let grace = if phase.is_load() { CONNECT } else { (2 * trip + 300 * MS).min(3 * SECOND) };
        self.stage = Stage::Run { phase, until: now + self.plan.lasts(phase) + grace };
        self.echoes.restart(now);
    }

    /// The next phase, or the end.
    fn proceed(&mut self, now: i64) {
        self.again = now;
        self.sending = None;
        let next = self.phases.pop_front().filter(|_| self.cut.is_none());
        self.stage = match next {
            Some(phase) => {
                let probes = self.plan.probes(phase);
                if matches!(phase, Phase::Train | Phase::BurstsDown) {
                    self.parts[phase.place()].arrivals = Arrivals::of(probes);
                }
                Stage::Begin(phase)
            }
            None => Stage::Bye { until: now + SECOND },
        };
    }

    /// The user ends the measurement; what was measured is fetched. The second time, it is over at once.
    pub fn interrupt(&mut self, now: i64) {
        let again = self.cut.is_some();
        self.cut.get_or_insert(Cut::Interrupted);
        self.hurry = Some(now + HURRY);
        match &mut self.stage {
            _ if again => self.stage = Stage::Done,
            Stage::Hello | Stage::Start(_) => self.stage = Stage::Done,
            Stage::Idle { .. } | Stage::Begin(_) => self.proceed(now),
            Stage::Run { until, .. } => {
                if let Some(sending) = &mut self.sending {
                    sending.stop();
                }
                *until = now + self.echoes.usual().unwrap_or_default().min(SECOND) + 50 * MS;
            }
            Stage::Report { .. } | Stage::Bye { .. } | Stage::Done => {}
        }
    }

    /// Changes the stage where its time has come.
    fn advance(&mut self, now: i64) {
        let greeting = matches!(self.stage, Stage::Hello | Stage::Start(_));
        if now - self.heard > PATIENCE && !self.is_done() {
            let why = if greeting { Cut::NoAnswer } else { Cut::Silent };
            self.cut.get_or_insert(why);
            self.stage = Stage::Done;
        }
        match &mut self.stage {
            Stage::Idle { until } if now >= *until => {
                if now >= *until + SECOND || !self.echoes.waits() {
                    self.proceed(now);
                } else {
                    self.again = now + 10 * MS;
                }
            }
            Stage::Run { phase, until } if now >= *until || self.parts[phase.place()].loaded => {
                let phase = *phase;
                if phase == Phase::LoadUp {
                    self.proceed(now);
                } else if self.sending.as_ref().is_none_or(|sending| sending.due().is_none()) {
                    let trip = self.echoes.usual().unwrap_or_default();
                    let fetch = Fetch::new(phase, now, pace(self.plan.rate), trip);
                    self.stage = Stage::Report { fetch, until: now + FETCH };
                }
            }
            Stage::Report { fetch, until } => {
                let late = now >= self.hurry.unwrap_or(*until);
                if fetch.is_whole() || late {
                    self.parts[fetch.phase.place()].report = fetch.report();
                    self.proceed(now);
                }
            }
            Stage::Bye { until } if now >= *until => self.stage = Stage::Done,
            _ => {}
        }
    }

    /// A datagram to send now, if there is one.
    pub fn take(&mut self, now: i64) -> Option<Vec<u8>> {
        self.advance(now);
        if let Some(probe) = self.probe(now) {
            return Some(probe);
        }
        let due = now >= self.again;
        let message = match &mut self.stage {
            Stage::Hello if due => ToServer::Hello { nonce: self.nonce, version: VERSION },
            Stage::Start(cookie) if due => {
                ToServer::Start { nonce: self.nonce, cookie: *cookie, plan: self.plan }
            }
            Stage::Begin(phase) if due => ToServer::Begin(*phase),
            Stage::Bye { .. } if due => ToServer::Bye,
            Stage::Report { fetch, .. } if now >= fetch.next() => {
                return {
                    let ask = fetch.take(now)?;
                    Some(ask.seal(&self.session.as_ref()?.client))
                };
            }
            Stage::Idle { until } if now < *until => {
                let echo = self.echoes.take(now, Beside::Nothing)?;
                return Some(echo.seal(&self.session.as_ref()?.client));
            }
            Stage::Run { phase, .. } => {
                let echo = self.echoes.take(now, beside(*phase))?;
                return Some(echo.seal(&self.session.as_ref()?.client));
            }
            _ => return None,
        };
        self.again = now + AGAIN;
        let keys = self.session.as_ref().unwrap_or(&self.greeting);
        Some(message.seal(&keys.client))
    }

    fn probe(&mut self, now: i64) -> Option<Vec<u8>> {
        let Stage::Run { phase, .. } = self.stage else { return None };
        let sending = self.sending.as_mut()?;
        let number = sending.take(now)?;
        let pauses = sending.pauses;
        let sent = self.clock(now);
        let part = &mut self.parts[phase.place()];
        part.sent.push(sent);
        part.pauses = pauses;
        let probe = ToServer::Probe(Probe { phase, number, sent });
        Some(probe.seal(&self.session.as_ref()?.client))
    }

    /// So many datagrams were sent at once, in so many ns.
    pub fn wrote(&mut self, count: usize, took: i64) {
        if let Stage::Run { phase: Phase::BurstsUp, .. } = self.stage {
            self.parts[Phase::BurstsUp.place()].pace.add(count, took);
        }
    }

    /// The TCP connection that there is to be now: its phase, the bytes that open it, and how long it sends, ns.
    pub fn load(&self) -> Option<(Phase, [u8; TAG], i64)> {
        let Stage::Run { phase, .. } = self.stage else { return None };
        let wanted = phase.is_load() && self.cut.is_none() && !self.parts[phase.place()].loaded;
        let keys = self.session.as_ref().filter(|_| wanted)?;
        Some((phase, keys.opening(phase.number()), self.plan.lasts(phase)))
    }

    /// What the TCP connection of a phase is like; nothing when it has ended.
    pub fn loaded(&mut self, phase: Phase, sample: Option<LoadSample>) {
        let part = &mut self.parts[phase.place()];
        match sample {
            Some(sample) => part.load.push(sample),
            None => part.loaded = true,
        }
    }

    /// When there is something to do without a datagram.
    pub fn next(&self) -> Option<i64> {
        let own = match &self.stage {
            Stage::Done => return None,
            Stage::Hello | Stage::Start(_) | Stage::Begin(_) => self.again,
            Stage::Idle { until } => self.echoes.next().min(*until).max(self.again),
            Stage::Run { until, .. } => {
                let due = self.sending.as_ref().and_then(Sending::due);
                due.unwrap_or(*until).min(self.echoes.next())
            }
            Stage::Report { fetch, until } => fetch.next().min(self.hurry.unwrap_or(*until)),
            Stage::Bye { until } => self.again.min(*until),
        };
        Some(own.min(self.heard + PATIENCE + MS))
    }

    /// The echo with the least round trip, by the system clocks of both ends.
    pub(super) fn quickest(&self) -> Option<Trip> {
        let trip = self.echoes.quickest()?;
        let here = trip.here.saturating_add(self.wall);
        Some(Trip { here, there: trip.there.saturating_add(self.there), ..trip })
    }

    /// Probes of a phase that this end sent.
    pub(super) fn sent(&self, phase: Phase) -> u32 {
        u32::narrow(self.parts[phase.place()].sent.len())
    }
}

/// What an echo passes beside.
fn beside(phase: Phase) -> Beside {
    match phase {
        Phase::LoadUp => Beside::LoadUp,
        Phase::LoadDown => Beside::LoadDown,
        _ => Beside::Probes,
    }
}
