//! Echoes that a client asks for, and how long each answer took.

use airtcp_units::Narrow as _;

use super::clocks::Trip;
use super::message::ToServer;
use super::plan::{ECHO_EVERY, MS};

/// Time between echoes that only show that the client is there.
const ALIVE_EVERY: i64 = 200 * MS;

/// What else the path carries while an echo passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Beside {
    /// Nothing.
    Nothing,
    /// The trains or bursts.
    Probes,
    /// A TCP connection to the server.
    LoadUp,
    /// A TCP connection to the client.
    LoadDown,
}

/// An echo that was asked for.
#[derive(Debug, Clone, Copy)]
struct Echo {
    beside: Beside,
    sent: i64,
    round_trip: Option<i64>,
    /// When the server got it, ns of its clock since its measurement began.
    there: i64,
}

/// All echoes.
#[derive(Debug)]
pub(super) struct Echoes {
    list: Vec<Echo>,
    next: i64,
}

impl Echoes {
    pub(super) fn new(now: i64) -> Self {
        Self { list: Vec::new(), next: now }
    }

    pub(super) fn next(&self) -> i64 {
        self.next
    }

    /// From now on, echoes pass beside something else.
    pub(super) fn restart(&mut self, now: i64) {
        self.next = now;
    }

    /// The echo that is due.
    pub(super) fn take(&mut self, now: i64, beside: Beside) -> Option<ToServer> {
        if now < self.next {
            return None;
        }
        let every = if beside == Beside::Probes { ALIVE_EVERY } else { ECHO_EVERY };
        // One that is late shifts the rest.
        self.next = if now - self.next > every { now + every } else { self.next + every };
        let number = u32::narrow(self.list.len());
        self.list.push(Echo { beside, sent: now, round_trip: None, there: 0 });
        Some(ToServer::Echo { number })
    }

    /// An answer arrived, if the server had not held it; the first counts. `there` is when the server got the echo.
    pub(super) fn answered(&mut self, number: u32, at: i64, there: i64) {
        let echo = self.list.get_mut(usize::narrow(number));
        if let Some(echo) = echo.filter(|echo| echo.round_trip.is_none()) {
            (echo.round_trip, echo.there) = (Some((at - echo.sent).max(0)), there);
        }
    }

    /// The echo with the least round trip.
    pub(super) fn quickest(&self) -> Option<Trip> {
        let answered = self.list.iter().filter_map(|echo| Some((echo.round_trip?, echo)));
        let (round, echo) = answered.min_by_key(|(round, _)| *round)?;
        Some(Trip { here: echo.sent, there: echo.there, round })
    }

    /// Whether an answer is missing.
    pub(super) fn waits(&self) -> bool {
        self.list.iter().any(|echo| echo.round_trip.is_none())
    }

    /// Echoes that were asked for, and the round-trip times of those answered in order of sending, ns.
    pub(super) fn round_trips(&self, beside: Beside) -> (usize, Vec<i64>) {
        let these = self.list.iter().filter(|echo| echo.beside == beside);
        (these.clone().count(), these.filter_map(|echo| echo.round_trip).collect())
    }

    /// The median round trip so far.
    pub(super) fn usual(&self) -> Option<i64> {
        let mut all: Vec<i64> = self.list.iter().filter_map(|echo| echo.round_trip).collect();
        all.sort_unstable();
        all.get(all.len() / 2).copied()
    }
}
