//! The datagrams of a measurement.
//!
//! ```text
//! 0   "aTm"     3 bytes
//! 3   kind      1 byte
//! 4   fields of the kind, numbers in network order
//! ... zeros up to the length of the kind
//! -16 tag       HMAC-SHA-256 of all before it, cut
//! ```
//!
//! What a client sends before a cookie is as long as the longest answer to it, so that a server sends no more bytes to
//! an address than came from there. The greeting carries the version, and its keys do not depend on it, so that another
//! version gets a refusal it can read.

use airtcp_units::Narrow as _;

use super::auth::{COOKIE, Cookie, Key, NONCE, Nonce, TAG};
use super::plan::{BURST_PROBE, PROBE, Phase, Plan};

/// The version of these datagrams.
pub(super) const VERSION: u8 = 2;
/// Bytes of what a client sends before it has a measurement, and of the longest answer to it.
pub const GREETING: usize = 256;
/// Bytes of the longest datagram.
pub(super) const LONGEST: usize = BURST_PROBE;
/// Bytes of records in a chunk of a report.
pub(super) const RECORDS: usize = LONGEST - START.len() - 1 - CHUNK - TAG;

const START: [u8; 3] = *b"aTm";
/// Bytes of the numbers of a chunk.
const CHUNK: usize = 1 + 7 * 4;
/// Bytes of a text that a refusal carries.
const TEXT: usize = GREETING - START.len() - 1 - NONCE - 2 - TAG;

/// What a client sends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ToServer {
    /// Asks for a cookie.
    Hello {
        /// The client's number.
        nonce: Nonce,
        /// Its version.
        version: u8,
    },
    /// Asks for a measurement.
    Start {
        /// The client's number.
        nonce: Nonce,
        /// What the server answered before.
        cookie: Cookie,
        /// What to do.
        plan: Plan,
    },
    /// Asks for an answer at once.
    Echo {
        /// Its number.
        number: u32,
    },
    /// Asks that a phase begins.
    Begin(Phase),
    /// A probe.
    Probe(Probe),
    /// Asks for a part of a report; the phase is over then.
    Ask {
        /// The phase that it is about.
        phase: Phase,
        /// The part.
        chunk: u32,
    },
    /// The measurement is over.
    Bye,
}

/// What a server sends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ToClient {
    /// A cookie.
    Cookie {
        /// The client's number.
        nonce: Nonce,
        /// What to send back.
        cookie: Cookie,
    },
    /// A measurement began.
    Accept {
        /// The client's number.
        nonce: Nonce,
        /// The server's number.
        fresh: Nonce,
        /// When, by the server's system clock, ns since 1970.
        wall: i64,
    },
    /// There will be no measurement.
    Refused {
        /// The client's number.
        nonce: Nonce,
        /// The reason.
        text: String,
    },
    /// The answer to an echo.
    Echoed {
        /// Its number.
        number: u32,
        /// How long the server had it, in 100 ns.
        held: u32,
        /// When it arrived there, in 100 ns since the measurement began.
        there: u32,
    },
    /// A phase began.
    Begun(Phase),
    /// A probe.
    Probe(Probe),
    /// A part of a report.
    Chunk(Chunk),
    /// The measurement is over here, too.
    Ended,
}

/// A numbered probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Probe {
    /// The phase that it belongs to.
    pub phase: Phase,
    /// Its number in this phase.
    pub number: u32,
    /// When it was sent, in 100 ns of the sender's clock since the measurement began.
    pub sent: u32,
}

/// A part of what a server saw in a phase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chunk {
    /// The phase.
    pub phase: Phase,
    /// Its number.
    pub number: u32,
    /// How many there are.
    pub of: u32,
    /// Probes that the server sent in this phase.
    pub sent: u32,
    /// Times that it stood still, and shifted the rest.
    pub pauses: u32,
    /// Probes that it received again.
    pub duplicates: u32,
    /// Probes a second of the bursts that it sent; 0 if it is not known.
    pub pace: u32,
    /// 0 while the TCP connection of the phase still sends.
    pub over: u32,
    /// Records; what they are depends on the phase.
    pub records: Vec<u8>,
}

impl ToServer {
    /// The datagram.
    pub(super) fn seal(&self, key: &Key) -> Vec<u8> {
        let (kind, length) = match self {
            Self::Hello { .. } => (1, GREETING),
            Self::Start { .. } => (2, GREETING),
            Self::Echo { .. } => (3, PROBE),
            Self::Begin(_) => (4, 0),
            Self::Probe(probe) => (5, probe.length()),
            Self::Ask { .. } => (6, 0),
            Self::Bye => (7, 0),
        };
        let mut w = Writer::new(kind);
        match self {
            Self::Hello { nonce, version } => w.bytes(nonce).byte(*version),
            Self::Start { nonce, cookie, plan } => w.bytes(nonce).bytes(cookie).plan(plan),
            Self::Echo { number } => w.number(*number),
            Self::Begin(phase) => w.byte(phase.number()),
            Self::Probe(probe) => w.probe(probe),
            Self::Ask { phase, chunk } => w.byte(phase.number()).number(*chunk),
            Self::Bye => &mut w,
        };
        w.sealed(key, length)
    }

    /// Reads a datagram whose tag was right.
    pub(super) fn read(body: &[u8]) -> Option<Self> {
        let (kind, mut r) = Reader::new(body)?;
        Some(match kind {
            1 => Self::Hello { nonce: r.take()?, version: r.byte()? },
            2 => Self::Start { nonce: r.take()?, cookie: r.take::<COOKIE>()?, plan: r.plan()? },
            3 => Self::Echo { number: r.number()? },
            4 => Self::Begin(r.phase()?),
            5 => Self::Probe(r.probe()?),
            6 => Self::Ask { phase: r.phase()?, chunk: r.number()? },
            7 => Self::Bye,
            _ => return None,
        })
    }
}

impl ToClient {
    /// The datagram.
    pub(super) fn seal(&self, key: &Key) -> Vec<u8> {
        let (kind, length) = match self {
            Self::Cookie { .. } => (65, 0),
            Self::Accept { .. } => (66, 0),
            Self::Refused { .. } => (67, 0),
            Self::Echoed { .. } => (68, PROBE),
            Self::Begun(_) => (69, 0),
            Self::Probe(probe) => (70, probe.length()),
            Self::Chunk(_) => (71, 0),
            Self::Ended => (72, 0),
        };
        let mut w = Writer::new(kind);
        match self {
            Self::Cookie { nonce, cookie } => w.bytes(nonce).bytes(cookie),
            Self::Accept { nonce, fresh, wall } => {
                w.bytes(nonce).bytes(fresh).bytes(&wall.to_be_bytes())
            }
            Self::Refused { nonce, text } => w.bytes(nonce).text(text),
            Self::Echoed { number, held, there } => w.number(*number).number(*held).number(*there),
            Self::Begun(phase) => w.byte(phase.number()),
            Self::Probe(probe) => w.probe(probe),
            Self::Chunk(chunk) => w.chunk(chunk),
            Self::Ended => &mut w,
        };
        w.sealed(key, length)
    }

    /// Reads a datagram whose tag was right.
    pub(super) fn read(body: &[u8]) -> Option<Self> {
        let (kind, mut r) = Reader::new(body)?;
        Some(match kind {
            65 => Self::Cookie { nonce: r.take()?, cookie: r.take::<COOKIE>()? },
            66 => Self::Accept {
                nonce: r.take()?,
                fresh: r.take()?,
                wall: i64::from_be_bytes(r.take()?),
            },
            67 => Self::Refused { nonce: r.take()?, text: r.text()? },
            68 => Self::Echoed { number: r.number()?, held: r.number()?, there: r.number()? },
            69 => Self::Begun(r.phase()?),
            70 => Self::Probe(r.probe()?),
            71 => Self::Chunk(r.chunk()?),
            72 => Self::Ended,
            _ => return None,
        })
    }
}

impl Probe {
    fn length(&self) -> usize {
        if self.phase == Phase::Train { PROBE } else { BURST_PROBE }
    }
}

struct Writer(Vec<u8>);

impl Writer {
    fn new(kind: u8) -> Self {
        let mut bytes = START.to_vec();
        bytes.push(kind);
        Self(bytes)
    }

    fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend_from_slice(bytes);
        self
    }

    fn byte(&mut self, byte: u8) -> &mut Self {
        self.bytes(&[byte])
    }

    fn number(&mut self, number: u32) -> &mut Self {
        self.bytes(&number.to_be_bytes())
    }

    fn plan(&mut self, plan: &Plan) -> &mut Self {
        self.number(plan.rate).number(plan.idle_ms).number(plan.train_ms);
        self.number(plan.bursts).number(plan.load_ms)
    }

    fn probe(&mut self, probe: &Probe) -> &mut Self {
        self.byte(probe.phase.number()).number(probe.number).number(probe.sent)
    }

    fn text(&mut self, text: &str) -> &mut Self {
        let mut end = text.len().min(TEXT);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        self.bytes(&u16::narrow(end).to_be_bytes()).bytes(&text.as_bytes()[..end])
    }

    fn chunk(&mut self, chunk: &Chunk) -> &mut Self {
        self.byte(chunk.phase.number()).number(chunk.number).number(chunk.of);
        self.number(chunk.sent).number(chunk.pauses).number(chunk.duplicates);
        self.number(chunk.pace).number(chunk.over).bytes(&chunk.records)
    }

    /// The datagram, filled with zeros to a length.
    fn sealed(mut self, key: &Key, length: usize) -> Vec<u8> {
        let filled = self.0.len().max(length.saturating_sub(TAG));
        self.0.resize(filled, 0);
        key.seal(&mut self.0);
        self.0
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn new(body: &'a [u8]) -> Option<(u8, Self)> {
        let rest = body.strip_prefix(&START)?;
        let (kind, rest) = rest.split_first()?;
        Some((*kind, Self(rest)))
    }

    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take::<1>().map(|[byte]| byte)
    }

    fn number(&mut self) -> Option<u32> {
        self.take().map(u32::from_be_bytes)
    }

    fn phase(&mut self) -> Option<Phase> {
        Phase::of(self.byte()?)
    }

    fn plan(&mut self) -> Option<Plan> {
        Some(Plan {
            rate: self.number()?,
            idle_ms: self.number()?,
            train_ms: self.number()?,
            bursts: self.number()?,
            load_ms: self.number()?,
        })
    }

    fn probe(&mut self) -> Option<Probe> {
        Some(Probe { phase: self.phase()?, number: self.number()?, sent: self.number()? })
    }

    fn text(&mut self) -> Option<String> {
        let length = usize::from(u16::from_be_bytes(self.take()?));
        let bytes = self.0.get(..length)?;
        // The terminal shows it: a secret does not make its owner's bytes harmless.
        let shown = |c: char| if c.is_control() { ' ' } else { c };
        Some(String::from_utf8_lossy(bytes).chars().map(shown).collect())
    }

    fn chunk(&mut self) -> Option<Chunk> {
        Some(Chunk {
            phase: self.phase()?,
            number: self.number()?,
            of: self.number()?,
            sent: self.number()?,
            pauses: self.number()?,
            duplicates: self.number()?,
            pace: self.number()?,
            over: self.number()?,
            records: self.0.to_vec(),
        })
    }
}

#[cfg(test)]
mod tests;
