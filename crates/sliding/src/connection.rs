//! One end of a flow: opening, the two halves, closing.
//!
//! The client repeats its opening packet until it is answered: at 0, 10, 20, 30, 50, 90 ms and so
//! on, then every 160 ms for five seconds, then every second. An unnecessary packet of 48 bytes
//! costs less than a round trip of waiting. Every attempt has its own number, which the answer
//! repeats, so that the round-trip time is not ambiguous. An answer to an attempt that is no longer
//! stored opens the flow without a round-trip time. Data may follow the answer at once; any packet
//! from the peer also opens the flow.
//!
//! Leaves out: a window that closes when the application does not read, authentication.

use std::collections::VecDeque;

use airtcp_packet::{Kind, Segment, Side};
use airtcp_probe::{Cx, Event, Machine, Probe};
use airtcp_units::{Nanos, Span, Spent, Wait};

use super::config::SlidingConfig;
use super::content::{Bytes, Content};
use super::receiver::Receiver;
use super::sender::Sender;
use super::stats::{Path, SlidingStats};
use super::wire::{Head, Packet, opening, parse_opening};

/// Time between the first attempts to open, and number of gaps before it begins to double.
const FIRST_GAP: Span = Span::from_millis(10);
const EVEN_GAPS: u32 = 2;
/// Maximum time between the first attempts, and time between those after `FREQUENT_ATTEMPTS`.
const MAX_FREQUENT_GAP: Span = Span::from_millis(160);
const SLOW_GAP: Span = Span::from_secs(1);
/// Attempts before those that leave once a second.
const FREQUENT_ATTEMPTS: u32 = 32;
/// Number of latest attempts whose times are stored: those of at least half a minute.
const STORED_ATTEMPTS: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Idle,
    Opening,
    Open,
}

/// One end of a flow: of lengths ([`Head`]) in the simulator, or of [`Bytes`].
#[derive(Debug)]
pub struct SlidingConnection<S: Content = Head> {
    side: Side,
    state: State,
    sender: Sender<S>,
    receiver: Receiver<S>,
    /// Counters of the receiving half.
    received: SlidingStats,
    /// Times of the latest attempts to open, their total number, and the time of the next.
    attempts: VecDeque<Nanos>,
    attempts_made: u32,
    next_attempt: Nanos,
    /// The peer's attempt to answer.
    answer: Option<u32>,
    delivered: u64,
}

impl SlidingConnection {
    /// An end with these parameters, which should have passed their validation. The client opens.
    pub fn new(config: &SlidingConfig, side: Side) -> Self {
        Self::build(config, side)
    }

    /// Writes `bytes` of data; 2^60 makes an endless source.
    pub fn write(&mut self, _now: Nanos, bytes: u64) {
        let pending = self.sender.pending();
        *pending = pending.saturating_add(bytes);
    }
}

impl SlidingConnection<Bytes> {
    /// An end that transports bytes, with parameters that should have passed their validation. The
    /// client opens.
    pub fn of_bytes(config: &SlidingConfig, side: Side) -> Self {
        Self::build(config, side)
    }

    /// Writes data.
    pub fn write(&mut self, data: &[u8]) {
        self.sender.pending().extend(data);
    }

    /// Bytes written that no symbol has taken up yet.
    pub fn unsent(&self) -> usize {
        self.sender.unsent()
    }

    /// The data delivered since the last call, in order.
    pub fn read(&mut self) -> Vec<u8> {
        self.receiver.read().into()
    }
}

impl<S: Content> SlidingConnection<S> {
    fn build(config: &SlidingConfig, side: Side) -> Self {
        Self {
            side,
            state: State::Idle,
            sender: Sender::new(config),
            receiver: Receiver::new(config.max_symbols),
            received: SlidingStats::default(),
            attempts: VecDeque::new(),
            attempts_made: 0,
            next_attempt: Nanos::NEVER,
            answer: None,
            delivered: 0,
        }
    }

    /// The caller comes late by this time: the departures in it leave together now. By default a missed departure is lost,
    /// because it was the window that held it: simulated time is never late.
    pub const fn set_lateness(&mut self, lateness: Span) {
        self.sender.set_lateness(lateness);
    }

    /// Opens the flow; no effect at the server.
    pub fn open(&mut self, now: Nanos) {
        if self.side == Side::Client && self.state == State::Idle {
            self.state = State::Opening;
            self.next_attempt = now;
        }
    }

    /// Ends the stream after the written data.
    pub fn close(&mut self, _now: Nanos) {
        self.sender.close();
    }

    /// In-order bytes delivered to the application.
    pub const fn delivered(&self) -> u64 {
        self.receiver.delivered()
    }

    /// True if the peer's stream is complete and delivered.
    pub const fn peer_closed(&self) -> bool {
        self.receiver.is_closed()
    }

    /// True if everything written and the end of the stream are known to have arrived.
    pub const fn is_done(&self) -> bool {
        self.sender.is_done()
    }

    /// Bytes written that are not known to have arrived in order.
    pub fn unacked(&self) -> u64 {
        self.sender.unacked()
    }

    /// The first symbol that the peer is not known to have.
    pub const fn next_wanted(&self) -> u64 {
        self.sender.una()
    }

    /// The window in packets.
    pub fn window(&self) -> u64 {
        self.sender.control().window()
    }

    /// The window in bytes of payload.
    pub fn window_bytes(&self) -> u64 {
        self.window() * self.sender.segment()
    }

    /// Counters of both halves.
    pub const fn stats(&self) -> SlidingStats {
        let mut stats = self.sender.stats;
        stats.useful = self.received.useful;
        stats.useless = self.received.useless;
        stats.computed = self.received.computed;
        stats.refused = self.received.refused;
        stats
    }

    /// What the sender has measured of the path so far.
    pub fn path(&self) -> Path {
        self.sender.path()
    }

    /// Counts the open wait until `now`: a measurement begins.
    pub const fn settle_waits(&mut self, now: Nanos) {
        self.sender.waits.settle(now);
    }

    /// Time that the sender has waited in each state until `now`, at least the time of the last call.
    pub const fn waited(&self, now: Nanos) -> Spent {
        self.sender.waits.until(now)
    }

    fn on_opening(&mut self, now: Nanos, attempt: u32, is_answer: bool) {
        match (self.side, is_answer) {
            (Side::Server, false) => {
                self.state = State::Open;
                self.answer = Some(attempt);
            }
            (Side::Client, true) if self.state == State::Opening => {
                self.state = State::Open;
                self.next_attempt = Nanos::NEVER;
                if let Some(at) = self.attempted_at(attempt) {
                    self.sender.on_opening(now, now.since(at));
                }
            }
            _ => {}
        }
    }

    fn attempt(&mut self, now: Nanos) -> Option<Segment> {
        if self.state != State::Opening || now < self.next_attempt {
            return None;
        }
        let number = self.attempts_made;
        // At one attempt per second the counter wraps after 136 years.
        self.attempts_made = number.wrapping_add(1);
        if self.attempts.len() == STORED_ATTEMPTS {
            self.attempts.pop_front();
        }
        self.attempts.push_back(now);
        let gap = FIRST_GAP * (1 << number.saturating_sub(EVEN_GAPS).min(7));
        let frequent = number < FREQUENT_ATTEMPTS - 1;
        self.next_attempt = now + if frequent { gap.min(MAX_FREQUENT_GAP) } else { SLOW_GAP };
        Some(opening(number, false))
    }

    /// Time of attempt `number`, if it was made and is stored.
    fn attempted_at(&self, number: u32) -> Option<Nanos> {
        let back = self.attempts_made.checked_sub(number)?;
        let index = self.attempts.len().checked_sub(usize::try_from(back).ok()?)?;
        self.attempts.get(index).copied()
    }
}

impl<S: Content> Machine for SlidingConnection<S> {
    type In = S::Packet;
    type Out = S::Packet;

    #[inline]
    fn handle<P: Probe>(&mut self, now: Nanos, input: S::Packet, cx: &mut Cx<'_, P>) {
        let Some(segment) = S::header(&input).filter(|s| s.kind == Kind::Coded) else {
            self.received.refused += 1;
            return;
        };
        cx.record(now, || Event::SegmentReceived { segment });
        if let Some((attempt, is_answer)) = parse_opening(&segment) {
            self.on_opening(now, attempt, is_answer);
            return;
        }
        if self.state == State::Idle && self.side == Side::Client {
            return;
        }
        self.state = State::Open;
        self.next_attempt = Nanos::NEVER;
        let (number, symbol) = self.receiver.near();
        if let Some(packet) = Packet::of(&segment, number, symbol) {
            let content = S::of(packet.head, &input);
            self.receiver.take(&packet, content, segment.ecn, &mut self.received);
            let new = self.receiver.delivered() - self.delivered;
            self.delivered += new;
            if new > 0 {
                cx.record(now, || Event::Delivered { bytes: new });
            }
        } else if segment.len == 0 {
            let samples = self.sender.stats.rtt.samples;
            self.sender.take(now, &segment);
            if self.sender.stats.rtt.samples != samples {
                let control = self.sender.control();
                let (sample, srtt) = (control.latest(), control.srtt());
                cx.record(now, || Event::Rtt { sample, srtt, rto: control.answer_time() });
            }
        } else {
            self.received.refused += 1;
        }
    }

    fn on_timer<P: Probe>(&mut self, now: Nanos, cx: &mut Cx<'_, P>) {
        let timeouts = self.sender.stats.timeouts;
        if self.state == State::Open {
            self.sender.on_timer(now);
        }
        if self.sender.stats.timeouts != timeouts {
            cx.record(now, || Event::Timeout { backoff: self.sender.silent() });
        }
    }

    #[inline]
    fn next_timer(&self) -> Nanos {
        match self.state {
            State::Idle => Nanos::NEVER,
            State::Opening => self.next_attempt,
            State::Open => self.sender.next_timer(),
        }
    }

    #[inline]
    fn poll<P: Probe>(&mut self, now: Nanos, cx: &mut Cx<'_, P>) -> Option<S::Packet> {
        let mut again = false;
        let answer = self.answer.take().map(|attempt| opening(attempt, true));
        let bare = answer
            .or_else(|| self.attempt(now))
            .or_else(|| self.receiver.poll().map(|feedback| feedback.segment()));
        let (segment, content) = bare.map(|segment| (segment, S::default())).or_else(|| {
            let before = self.sender.stats.resent;
            let packet = match self.state {
                State::Open => self.sender.poll(now),
                State::Opening => {
                    self.sender.waits.set(now, Wait::Handshake);
                    None
                }
                State::Idle => None,
            };
            again = self.sender.stats.resent != before;
            packet
        })?;
        cx.record(now, || Event::SegmentSent { segment, retransmission: again });
        Some(content.into_packet(segment))
    }
}

#[cfg(test)]
mod tests {
    use airtcp_packet::EndpointId;
    use airtcp_probe::{EventSource, NoProbe};

    use super::*;

    /// Times and numbers of the first `count` attempts of an end that opens and receives nothing.
    fn opening_end(count: usize) -> (SlidingConnection, Vec<(Nanos, u32)>) {
        let mut end = SlidingConnection::new(&SlidingConfig::default(), Side::Client);
        end.open(Nanos::ZERO);
        let mut attempts = Vec::new();
        while attempts.len() < count {
            let now = end.next_timer();
            let segment = with_context(|cx| end.poll(now, cx)).unwrap();
            let (number, is_answer) = parse_opening(&segment).unwrap();
            assert!(!is_answer);
            attempts.push((now, number));
        }
        (end, attempts)
    }

    fn with_context<T>(f: impl FnOnce(&mut Cx<'_, NoProbe>) -> T) -> T {
        let source = EventSource::Endpoint(EndpointId::new(0, Side::Client));
        f(&mut Cx::new(&mut NoProbe, source))
    }

    /// An answer identifies its attempt, however many were made since.
    #[test]
    fn the_round_trip_of_an_answer_is_that_of_its_attempt() {
        for answered in [0, 5, 31, 32, 35, 39] {
            let (mut end, attempts) = opening_end(40);
            let (sent, number) = attempts[answered];
            let now = attempts[39].0 + Span::from_millis(300);
            with_context(|cx| end.handle(now, opening(number, true), cx));
            assert_eq!(end.state, State::Open);
            assert_eq!(end.sender.control().srtt(), now.since(sent), "attempt {answered}");
        }
    }

    /// Memory is bounded: an answer to a dropped or unsent attempt opens the flow without a
    /// measurement.
    #[test]
    fn an_answer_to_no_attempt_measures_nothing() {
        for (number, measures) in
            [(99, true), (36, true), (35, false), (100, false), (u32::MAX, false)]
        {
            let (mut end, attempts) = opening_end(100);
            assert_eq!(attempts.last().map(|a| a.1), Some(99));
            let before = end.sender.control().srtt();
            let now = attempts[99].0 + Span::from_millis(300);
            with_context(|cx| end.handle(now, opening(number, true), cx));
            assert_eq!(end.state, State::Open);
            assert_eq!(end.sender.control().srtt() != before, measures, "attempt {number}");
        }
    }
}
