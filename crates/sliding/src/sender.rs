//! The sending half: symbols, and the next packet and its time. `incoming` processes feedback,
//! `outgoing` builds packets.
//!
//! If the window has room, lost symbols go first, then new ones, then combinations of everything
//! not known to have arrived. A mirror of the receiver's decoder, fed with the acknowledged
//! packets, shows which symbols the receiver can decode; these are not retransmitted.

mod incoming;
mod outgoing;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use airtcp_fec::WindowDecoder;
use airtcp_units::{Nanos, Narrow, Saturate, Span, Wait, Waits, detmath};

use super::config::{Coding, SlidingConfig};
use super::content::{Bytes, Content};
use super::control::Control;
use super::estimate::Losses;
use super::ledger::{Changes, Ledger, Overdue};
use super::marks::Marks;
use super::stats::{Path, SlidingStats};
use super::wire::MAX_COMBINED;

/// Number of packets that combinations may take beyond `max_overhead`: for streams of a few
/// symbols.
const EXTRA_COMBINATIONS: f64 = 3.0;
/// Number of packets sent at the first silence (RFC 9002 section 6.2.4); one later.
const PROBES: u32 = 2;
/// Silences from which probes leave in pairs again: the packets of a window below one are all probes, and without
/// pairs it would not learn the path's loss rate, and never grow.
const PAIRED_PROBES: u32 = 5;
/// Silence of this many packet times is a burst of losses, or more.
const QUIET_PACKETS: u64 = 8;
/// Silence of this many answer times stops everything except probes.
const OUTAGE_ROUNDS: u64 = 6;
/// Number of unanswered probes before the time between them doubles. At a loss rate of one half
/// both ways, that many in succession have a probability of one in a hundred (0.75^16).
const MAX_PROBES_BEFORE_BACKOFF: f64 = 16.0;
/// Probability that the path's losses take all of them.
const CHANCE: f64 = 0.01;
/// Maximum number of doublings of the timer for silence.
const MAX_BACKOFF: u32 = 6;
const MAX_PROBE_INTERVAL: Span = Span::from_secs(1);

/// The kind of the next packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    Again(u64),
    Copy(u64),
    New,
    Combination,
}

#[derive(Debug)]
pub(crate) struct Sender<S: Content> {
    config: SlidingConfig,
    control: Control,
    marks: Marks,
    losses: Losses,
    ledger: Ledger,
    /// Changes made by the present feedback.
    changes: Changes,
    /// Data written and not in a symbol yet; whether the stream ends after it.
    pending: S::Data,
    closing: bool,
    fin_sent: bool,
    /// Bytes of symbols that are not acknowledged.
    outstanding: u64,
    /// The first symbol not acknowledged; the next new one.
    una: u64,
    next: u64,
    /// Symbols from `kept` on.
    symbols: VecDeque<S>,
    kept: u64,
    mirror: WindowDecoder<()>,
    /// Lost symbols without a packet in flight.
    lost: BTreeSet<u64>,
    /// Number of losses of each unacknowledged symbol.
    times: BTreeMap<u64, u32>,
    /// A retransmitted symbol that is to be sent twice.
    copy: Option<u64>,
    key: u16,
    next_send: Nanos,
    /// How late the caller comes now.
    lateness: Span,
    last_sent: Nanos,
    silent: u32,
    /// Probes that leave independent of the window.
    probes: u32,
    /// Time of the latest call.
    now: Nanos,
    /// Time of the last feedback.
    heard: Nanos,
    round_end: u64,
    /// There was nothing to send at some time in this round.
    idle: bool,
    pub(crate) waits: Waits,
    pub(crate) stats: SlidingStats,
}

impl Sender<Bytes> {
    /// Bytes written that no symbol has taken up.
    pub(crate) fn unsent(&self) -> usize {
        self.pending.len()
    }
}

impl<S: Content> Sender<S> {
    pub(crate) fn new(config: &SlidingConfig) -> Self {
        Self {
            config: *config,
            control: Control::new(config),
            marks: Marks::new(config.ecn),
            losses: Losses::default(),
            ledger: Ledger::default(),
            changes: Changes::default(),
            pending: S::Data::default(),
            closing: false,
            fin_sent: false,
            outstanding: 0,
            una: 0,
            next: 0,
            symbols: VecDeque::new(),
            kept: 0,
            mirror: WindowDecoder::new(1 << 16),
            lost: BTreeSet::new(),
            times: BTreeMap::new(),
            copy: None,
            key: 0,
            next_send: Nanos::ZERO,
            lateness: Span::ZERO,
            last_sent: Nanos::ZERO,
            silent: 0,
            probes: 0,
            now: Nanos::ZERO,
            heard: Nanos::ZERO,
            round_end: 0,
            idle: false,
            waits: Waits::default(),
            stats: SlidingStats::default(),
        }
    }

    /// Data written and not in a symbol yet.
    pub(crate) const fn pending(&mut self) -> &mut S::Data {
        &mut self.pending
    }

    pub(crate) const fn close(&mut self) {
        self.closing = true;
    }

    /// The caller comes late by this time, of which departures are made up.
    pub(crate) const fn set_lateness(&mut self, lateness: Span) {
        self.lateness = lateness;
    }

    pub(crate) const fn una(&self) -> u64 {
        self.una
    }

    pub(crate) fn segment(&self) -> u64 {
        u64::from(self.config.segment)
    }

    /// Number of successive probes without an answer.
    pub(crate) const fn silent(&self) -> u32 {
        self.silent
    }

    pub(crate) const fn control(&self) -> &Control {
        &self.control
    }

    /// True if everything written and the end of the stream are known to have arrived.
    pub(crate) const fn is_done(&self) -> bool {
        self.fin_sent && self.una == self.next
    }

    /// Bytes written that are not known to have arrived in order.
    pub(crate) fn unacked(&self) -> u64 {
        S::amount(&self.pending).saturating_add(self.outstanding)
    }

    /// What was measured of the path.
    pub(crate) fn path(&self) -> Path {
        let control = &self.control;
        Path {
            srtt: control.srtt(),
            queue: control.queue(),
            loss: self.losses.rate(),
            mean_burst: self.losses.mean_burst(),
            window: control.window(),
        }
    }

    /// The opening measured a round-trip time.
    pub(crate) fn on_opening(&mut self, now: Nanos, rtt: Span) {
        self.control.on_opening(now, rtt);
        self.heard = now;
    }

    #[inline]
    fn has_new(&self) -> bool {
        let more = S::amount(&self.pending) > 0 || (self.closing && !self.fin_sent);
        more && self.next - self.una < u64::from(self.config.max_symbols)
    }

    /// The lowest symbol to retransmit. Combinations that arrived, and the share of those in flight
    /// that will arrive, replace as many symbols. A symbol further back than a combination is wide
    /// is not covered by later combinations.
    fn next_retransmission(&self) -> Option<u64> {
        let oldest = self.lost.first().copied()?;
        if self.next - oldest > u64::from(MAX_COMBINED) {
            return Some(oldest);
        }
        let unknown = self.lost.len();
        let waiting = self.mirror.rows() as f64;
        let coming = self.ledger.flying_combinations() as f64 * (1.0 - self.losses.rate());
        if unknown as f64 <= waiting + coming {
            return None;
        }
        Some(oldest)
    }

    /// Whether another combination is useful: data with unknown fate is in flight, and the packets
    /// in flight beside it would not replace the link's probable losses. During silence all overdue
    /// packets count as losses.
    fn wants_combination(&self) -> bool {
        if self.config.coding == Coding::Off || self.una == self.next {
            return false;
        }
        // Overdue combinations do not count.
        let overdue = self.overdue();
        let combinations = self.ledger.flying_combinations() - overdue.combinations;
        let missing = self.lost.len() as u64 + overdue.symbols;
        let fresh = self.ledger.flying() - overdue.packets() - combinations;
        let symbols = fresh + self.lost.len() as u64;
        let needed = self.losses.repair_for(usize::narrow(symbols), self.config.deviations);
        let there = combinations + self.mirror.rows() as u64;
        if u64::from(needed) + missing <= there {
            return false;
        }
        let taken = (self.stats.lost + overdue.packets()) as f64;
        let ideal = (self.next as f64 / (1.0 - self.losses.rate())).max(self.next as f64 + taken);
        let sent = self.stats.packets_sent() as f64 + 1.0;
        sent <= self.config.max_overhead * ideal + EXTRA_COMBINATIONS
    }

    /// Time without feedback that counts as silence.
    fn quiet(&self) -> Span {
        self.control.gap() * QUIET_PACKETS
    }

    /// Overdue packets, while there is silence.
    fn overdue(&self) -> Overdue {
        if self.now < self.heard + self.quiet() {
            return Overdue::default();
        }
        self.ledger.overdue(self.now, self.control.answer_time())
    }

    /// Time at which another packet becomes overdue if there is no feedback until then; later than
    /// now.
    fn next_overdue(&self) -> Nanos {
        let answer = self.control.answer_time();
        let quiet = self.heard + self.quiet();
        if quiet > self.now && self.ledger.overdue(self.now, answer).packets() > 0 {
            return quiet;
        }
        self.ledger.next_overdue(self.now, answer).max(quiet)
    }

    fn choice(&self) -> Option<Choice> {
        let wanted = |symbol: &u64| *symbol >= self.una && !self.mirror.knows(*symbol);
        if let Some(symbol) = self.copy.filter(wanted) {
            return Some(Choice::Copy(symbol));
        }
        if let Some(symbol) = self.next_retransmission() {
            return Some(Choice::Again(symbol));
        }
        if self.has_new() {
            return Some(Choice::New);
        }
        self.wants_combination().then_some(Choice::Combination)
    }

    /// Time from which the window has room for another packet.
    ///
    /// Silence does not close the window at once: overdue packets do not count during it, so a
    /// burst of losses does not become a pause. After a few round trips of silence the link may be
    /// down, and the window closes.
    #[inline]
    fn room(&self) -> Nanos {
        // The first of a pair waits for room for both.
        let both = u64::from(self.control.begins_pair(self.ledger.next()));
        let window = self.control.window().max(1 + both) - both;
        if self.ledger.flying() < window { Nanos::ZERO } else { self.room_in_silence(window) }
    }

    /// The same while the window is closed.
    fn room_in_silence(&self, window: u64) -> Nanos {
        let Some(sent) = self.ledger.sent_before(window) else { return Nanos::NEVER };
        let from = (sent + self.control.answer_time()).max(self.heard + self.quiet());
        if self.una == self.next {
            // Everything sent is known to have arrived, so no probe will ask for the packets in flight.
            return from;
        }
        let until = self.heard + self.control.answer_time() * OUTAGE_ROUNDS;
        if from.max(self.now) < until { from } else { Nanos::NEVER }
    }

    /// Next timer: never before the present, although a shorter round-trip time can move overdue
    /// times into the past.
    pub(crate) fn next_timer(&self) -> Nanos {
        self.due().max(self.now)
    }

    fn due(&self) -> Nanos {
        if self.probes > 0 {
            return self.next_send;
        }
        let mut next = Nanos::NEVER;
        if self.choice().is_some() {
            next = self.next_send.max(self.room());
        } else if self.config.coding != Coding::Off && self.una < self.next {
            next = self.next_overdue();
        }
        if self.una < self.next {
            next = next.min(self.silence()).min(self.ledger.deadline(self.control.loss_delay()));
        }
        next
    }

    /// Number of unanswered probes that the path's losses explain, in both directions.
    fn probes_before_backoff(&self) -> u32 {
        let p = self.control.path();
        let q = 1.0 - (1.0 - p) * (1.0 - p);
        let explained = if q > 0.0 { detmath::ln(CHANCE) / detmath::ln(q) } else { 1.0 };
        u32::saturate(explained.clamp(1.0, MAX_PROBES_BEFORE_BACKOFF))
    }

    /// Expiry of the timer for silence.
    fn silence(&self) -> Nanos {
        let doublings = self.silent.saturating_sub(self.probes_before_backoff()).min(MAX_BACKOFF);
        self.last_sent + {
            let answer = self.control.answer_time();
            (answer * (1 << doublings)).min(MAX_PROBE_INTERVAL.max(answer)).max(self.control.gap())
        }
    }

    pub(crate) fn on_timer(&mut self, now: Nanos) {
        self.now = self.now.max(now);
        if self.una == self.next {
            return;
        }
        if now >= self.ledger.deadline(self.control.loss_delay()) {
            let mut changes = Changes::default();
            self.ledger.judge(now, self.control.loss_delay(), &mut changes);
            self.learn(&changes);
        }
        if now >= self.silence() && self.probes == 0 {
            self.marks.on_silence();
            // Feedback could have ended the wait until then.
            let expected = self.heard.max(self.last_sent) + self.control.srtt();
            self.waits.set(expected.min(now), Wait::Timeout);
            self.silent += 1;
            self.stats.timeouts += 1;
            if self.silent > self.probes_before_backoff() {
                self.control.on_silence();
            }
            let first = self.silent == 1 && self.control.window() > 1;
            self.probes = if first || self.silent >= PAIRED_PROBES { PROBES } else { 1 };
        }
    }

    /// Whether a symbol was lost often enough to be sent in duplicate.
    fn is_duplicated(&self, symbol: u64) -> bool {
        let times = self.times.get(&symbol).copied().unwrap_or_default();
        times >= 2
            && self.losses.duplicate_after(self.config.max_duplicates).is_some_and(|k| times >= k)
    }

    /// No combination includes a symbol before this one.
    fn oldest(&self) -> u64 {
        self.ledger.oldest_combined().unwrap_or(self.una).min(self.una)
    }
}
