//! A measurement at the server: what it receives, what it sends, and what it tells.

use std::net::SocketAddr;

use airtcp_units::{LowBits as _, Narrow as _};

use super::arrivals::{Arrival, Arrivals, RECORD};
use super::auth::{Keys, Nonce};
use super::load::{LoadSample, SAMPLE};
use super::message::{Chunk, LONGEST as CHUNK, Probe, RECORDS, ToClient, ToServer};
use super::plan::{BURST_PROBE, ECHO_EVERY, LONGEST, MS, PROBE, Phase, Plan, SECOND};
use super::sending::{Pace, Sending};

/// A client that is not heard for so long is gone.
const SILENT: i64 = 5 * SECOND;
/// A client that never sent a datagram of its measurement is gone after this.
const UNCONFIRMED: i64 = 3 * SECOND;
/// Time from the answer that a phase begins to the first probe.
const LEAD: i64 = 20 * MS;
/// Times that a report may be sent.
const REPORTS: u64 = 4;

/// What a server gives a measurement.
#[derive(Debug, Clone, Copy)]
pub struct Fresh {
    /// A number that was never used.
    pub number: Nonce,
    /// When it begins, by the system clock, ns since 1970.
    pub wall: i64,
}

/// A measurement.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) from: SocketAddr,
    pub(super) nonce: Nonce,
    pub(super) fresh: Fresh,
    pub(super) keys: Keys,
    plan: Plan,
    began: i64,
    heard: i64,
    /// Whether a datagram of the measurement came.
    pub(super) confirmed: bool,
    /// Bytes that may still be sent.
    allowance: u64,
    parts: [Part; Phase::ALL.len()],
}

/// What one phase left.
#[derive(Debug, Default)]
struct Part {
    begun: bool,
    sending: Option<Sending>,
    pace: Pace,
    arrivals: Arrivals,
    /// A TCP connection of this end, each 100 ms.
    load: Vec<LoadSample>,
    /// The TCP connection has come.
    opened: bool,
    /// It has ended.
    loaded: bool,
}

impl Session {
    pub(super) fn new(
        from: SocketAddr,
        nonce: Nonce,
        fresh: Fresh,
        keys: Keys,
        plan: Plan,
        now: i64,
    ) -> Self {
        let allowance = allowance(&plan);
        let parts = Default::default();
        let (began, heard, confirmed) = (now, now, false);
        Self { from, nonce, fresh, keys, plan, began, heard, confirmed, allowance, parts }
    }

    /// When nothing is to be expected any more.
    pub(super) fn ends(&self) -> i64 {
        let silent = if self.confirmed { SILENT } else { UNCONFIRMED };
        (self.heard + silent).min(self.began + LONGEST)
    }

    /// Reads a datagram whose tag was right; `at` is when it arrived. Returns the answer, and whether all is over.
    pub(super) fn receive(&mut self, now: i64, at: i64, body: &[u8]) -> (Option<Vec<u8>>, bool) {
        let Some(message) = ToServer::read(body) else { return (None, false) };
        self.heard = now;
        self.confirmed = true;
        let answer = match message {
            ToServer::Echo { number } => {
                let held = u32::low_bits((now - at).max(0) / 100);
                ToClient::Echoed { number, held, there: self.clock(at) }
            }
            ToServer::Begin(phase) => self.begin(now, phase),
            ToServer::Probe(probe) => {
                self.arrived(probe, at);
                return (None, false);
            }
            ToServer::Ask { phase, chunk } => match self.chunk(phase, chunk) {
                Some(chunk) => ToClient::Chunk(chunk),
                None => return (None, false),
            },
            ToServer::Bye => return (self.sealed(&ToClient::Ended), true),
            ToServer::Hello { .. } | ToServer::Start { .. } => return (None, false),
        };
        (self.sealed(&answer), false)
    }

    /// A datagram, if the allowance covers it.
    fn sealed(&mut self, message: &ToClient) -> Option<Vec<u8>> {
        let bytes = message.seal(&self.keys.server);
        self.allowance = self.allowance.checked_sub(u64::narrow(bytes.len()))?;
        Some(bytes)
    }

    fn begin(&mut self, now: i64, phase: Phase) -> ToClient {
        let probes = self.plan.probes(phase);
        let part = &mut self.parts[phase.place()];
        if !part.begun {
            part.begun = true;
            if matches!(phase, Phase::Train | Phase::BurstsDown) {
                part.sending = Some(Sending::new(&self.plan, phase, now + LEAD));
            }
            if matches!(phase, Phase::Train | Phase::BurstsUp) {
                part.arrivals = Arrivals::of(probes);
            }
        }
        ToClient::Begun(phase)
    }

    fn arrived(&mut self, probe: Probe, at: i64) {
        let at = self.clock(at);
        let Probe { phase, number, sent } = probe;
        self.parts[phase.place()].arrivals.add(Arrival { number, at, sent });
    }

    /// A time in 100 ns since the measurement began.
    fn clock(&self, at: i64) -> u32 {
        u32::low_bits((at - self.began).max(0) / 100)
    }

    /// A part of a report. Who asks for it has ended the phase.
    fn chunk(&mut self, phase: Phase, chunk: u32) -> Option<Chunk> {
        let part = &mut self.parts[phase.place()];
        if let Some(sending) = &mut part.sending {
            sending.stop();
        }
        let (items, size) = if phase.is_load() {
            (part.load.len(), SAMPLE)
        } else {
            (part.arrivals.list().len(), RECORD)
        };
        let each = RECORDS / size;
        let chunks = u32::narrow(items.div_ceil(each).max(1));
        if !part.begun || chunk >= chunks {
            return None;
        }
        let first = usize::narrow(chunk) * each;
        let range = first..items.min(first + each);
        let records = if phase.is_load() {
            part.load[range].iter().flat_map(LoadSample::record).collect()
        } else {
            Arrivals::records(&part.arrivals.list()[range])
        };
        let sending = part.sending.as_ref();
        let over = phase != Phase::LoadDown || part.loaded || !part.opened;
        Some(Chunk {
            phase,
            number: chunk,
            of: chunks,
            sent: sending.map_or(0, Sending::sent),
            pauses: sending.map_or(0, |sending| sending.pauses),
            duplicates: part.arrivals.duplicates,
            pace: part.pace.usual(),
            over: u32::from(over),
            records,
        })
    }

    /// When the next probe is due.
    pub(super) fn due(&self) -> Option<i64> {
        let dues = self.parts.iter().filter_map(|part| part.sending.as_ref()?.due());
        dues.min().filter(|_| self.allowance > 0)
    }

    /// A probe that is due.
    pub(super) fn take(&mut self, now: i64) -> Option<Vec<u8>> {
        let sent = self.clock(now);
        let found = Phase::ALL.into_iter().find_map(|phase| {
            let number = self.parts[phase.place()].sending.as_mut()?.take(now)?;
            Some(Probe { phase, number, sent })
        })?;
        self.sealed(&ToClient::Probe(found))
    }

    /// So many probes were sent at once, in so many ns.
    pub(super) fn wrote(&mut self, count: usize, took: i64) {
        let part = &mut self.parts[Phase::BurstsDown.place()];
        if part.sending.is_some() {
            part.pace.add(count, took);
        }
    }

    /// The phase whose TCP connection these bytes open, if it has begun and has none yet.
    pub(super) fn open(&mut self, bytes: &[u8]) -> Option<Phase> {
        let phase = Phase::ALL
            .into_iter()
            .find(|phase| self.awaits(*phase) && self.keys.is_opening(phase.number(), bytes))?;
        self.parts[phase.place()].opened = true;
        Some(phase)
    }

    /// Whether a TCP connection is to come.
    pub(super) fn awaits_tcp(&self) -> bool {
        Phase::ALL.into_iter().any(|phase| self.awaits(phase))
    }

    fn awaits(&self, phase: Phase) -> bool {
        let part = &self.parts[phase.place()];
        phase.is_load() && part.begun && !part.opened
    }

    /// How long the TCP connection of a phase sends, ns.
    pub(super) fn load_lasts(&self) -> i64 {
        self.plan.lasts(Phase::LoadDown)
    }

    /// Adds to what a TCP connection of this end was like.
    pub(super) fn loaded(&mut self, phase: Phase, sample: Option<LoadSample>) {
        let part = &mut self.parts[phase.place()];
        match sample {
            Some(sample) => part.load.push(sample),
            None => part.loaded = true,
        }
    }
}

/// The bytes that a server sends at most in a measurement.
fn allowance(plan: &Plan) -> u64 {
    let whole = |n: usize| u64::narrow(n);
    let probes = u64::from(plan.probes(Phase::Train)) * whole(PROBE)
        + u64::from(plan.probes(Phase::BurstsDown)) * whole(BURST_PROBE);
    let echoes = u64::narrow(LONGEST / ECHO_EVERY) * whole(PROBE);
    let records = u64::from(plan.probes(Phase::Train)) + u64::from(plan.probes(Phase::BurstsUp));
    let chunks = records.div_ceil(whole(RECORDS / RECORD)) + 20;
    probes + echoes + REPORTS * chunks * whole(CHUNK)
}
