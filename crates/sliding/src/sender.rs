//! The sending half: symbols, and what is sent next and when. What feedback changes is in `incoming`,
//! what leaves in `outgoing`.
//!
//! What goes first when the window has room: symbols that were lost, then new ones, then, with
//! nothing else to send, combinations of everything that is not known to have arrived. A mirror of
//! the receiver's decoder, fed with the packets that feedback says arrived, tells which
//! symbols the receiver can compute: those are not sent again.

mod incoming;
mod outgoing;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use airtcp_fec::WindowDecoder;
use airtcp_units::{Nanos, Narrow, Span};

use super::config::{Coding, SlidingConfig};
use super::content::Content;
use super::control::Control;
use super::estimate::Losses;
use super::ledger::{Ledger, News, Overdue};
use super::marks::Marks;
use super::stats::SlidingStats;
use super::wire::MAX_COMBINED;

/// Packets that combinations may take beyond `max_overhead`: for streams of a few symbols.
const SPARE: f64 = 3.0;
/// Packets sent when silence has lasted too long (RFC 9002 section 6.2.4); one later.
const PROBES: u32 = 2;
/// Silence this many packets long is a burst of losses, or more.
const QUIET_PACKETS: u64 = 8;
/// Silence for so many times the time for an answer stops what is not a probe.
const OUTAGE_ROUNDS: u64 = 6;
/// Probes that may go without an answer before the time between them doubles: at a loss of one half
/// both ways that many in a row have a chance of one in a hundred (0.75^16).
const PATIENT_PROBES: u32 = 16;
/// Doublings of the timer for silence.
const MAX_BACKOFF: u32 = 6;
/// Longest time between probes.
const LONGEST_SILENCE: Span = Span::from_secs(1);

/// What is sent next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    Again(u64),
    Copy(u64),
    New,
    Combination,
}

/// The sending half of an end.
#[derive(Debug)]
pub(crate) struct Sender<S: Content> {
    config: SlidingConfig,
    control: Control,
    marks: Marks,
    losses: Losses,
    ledger: Ledger,
    /// What the feedback being taken changed.
    news: News,
    /// What was written and is not in a symbol yet; whether the stream ends behind it.
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
    /// Symbols lost, without a packet under way.
    lost: BTreeSet<u64>,
    /// How often symbols were lost that are not acknowledged.
    times: BTreeMap<u64, u32>,
    /// A symbol that was sent again and is to be sent twice.
    copy: Option<u64>,
    key: u16,
    next_send: Nanos,
    last_sent: Nanos,
    silent: u32,
    /// Probes that wait to be sent whatever the window says.
    probes: u32,
    /// The present, as far as it was told.
    now: Nanos,
    /// When feedback came last.
    heard: Nanos,
    round_end: u64,
    /// There was nothing to send for a while in this round.
    idle: bool,
    pub(crate) stats: SlidingStats,
}

impl<S: Content> Sender<S> {
    pub(crate) fn new(config: &SlidingConfig) -> Self {
        Self {
            config: *config,
            control: Control::new(config),
            marks: Marks::new(config.ecn),
            losses: Losses::default(),
            ledger: Ledger::default(),
            news: News::default(),
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
            last_sent: Nanos::ZERO,
            silent: 0,
            probes: 0,
            now: Nanos::ZERO,
            heard: Nanos::ZERO,
            round_end: 0,
            idle: false,
            stats: SlidingStats::default(),
        }
    }

    /// What was written and is not in a symbol yet, to write more.
    pub(crate) const fn pending(&mut self) -> &mut S::Data {
        &mut self.pending
    }

    pub(crate) const fn close(&mut self) {
        self.closing = true;
    }

    pub(crate) const fn una(&self) -> u64 {
        self.una
    }

    pub(crate) fn segment(&self) -> u64 {
        u64::from(self.config.segment)
    }

    /// Probes in a row without an answer.
    pub(crate) const fn silent(&self) -> u32 {
        self.silent
    }

    pub(crate) const fn control(&self) -> &Control {
        &self.control
    }

    /// Everything written is known to have arrived, and so is the end of the stream.
    pub(crate) const fn is_done(&self) -> bool {
        self.fin_sent && self.una == self.next
    }

    /// Bytes written that are not known to have arrived in order.
    pub(crate) fn unacked(&self) -> u64 {
        S::amount(&self.pending).saturating_add(self.outstanding)
    }

    /// A round trip, measured by the opening.
    pub(crate) fn on_opening(&mut self, now: Nanos, rtt: Span) {
        self.control.on_opening(now, rtt);
        self.heard = now;
    }

    #[inline]
    fn has_new(&self) -> bool {
        let more = S::amount(&self.pending) > 0 || (self.closing && !self.fin_sent);
        more && self.next - self.una < u64::from(self.config.max_symbols)
    }

    /// The lowest symbol to be sent again. Combinations that arrived, and those under way as far as
    /// they will arrive, stand for as many; but those sent from now on do not reach back to a symbol
    /// that is further behind than a combination is wide.
    fn again(&self) -> Option<u64> {
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

    /// Whether another combination pays: something is under way whose fate is unknown, and what is
    /// under way beside it would not replace what the link will probably take. In silence that is
    /// everything that should have been answered: it is replaced before it is known to be lost.
    fn wants_combination(&self) -> bool {
        if self.config.coding == Coding::Off || self.una == self.next {
            return false;
        }
        // Combinations that are overdue stand for nothing.
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
        sent <= self.config.max_overhead * ideal + SPARE
    }

    /// How long nothing must be heard for silence to mean losses.
    fn quiet(&self) -> Span {
        self.control.gap() * QUIET_PACKETS
    }

    /// Packets that should have been answered, while nothing is heard.
    fn overdue(&self) -> Overdue {
        if self.now < self.heard + self.quiet() {
            return Overdue::default();
        }
        self.ledger.overdue(self.now, self.control.answer_time())
    }

    /// When a packet more will be overdue, if nothing is heard until then; later than now.
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
        if let Some(symbol) = self.again() {
            return Some(Choice::Again(symbol));
        }
        if self.has_new() {
            return Some(Choice::New);
        }
        self.wants_combination().then_some(Choice::Combination)
    }

    /// From when on the window has room for another packet.
    ///
    /// Silence does not close it at once: while nothing is heard, packets that should have been
    /// answered do not count, so that a burst of losses does not become a pause; until the silence
    /// has lasted a few round trips, when the link may be down.
    #[inline]
    fn room(&self) -> Nanos {
        let window = self.control.window().max(1);
        if self.ledger.flying() < window { Nanos::ZERO } else { self.room_in_silence(window) }
    }

    /// The same while the window is closed.
    fn room_in_silence(&self, window: u64) -> Nanos {
        let Some(sent) = self.ledger.sent_before(window) else { return Nanos::NEVER };
        let from = (sent + self.control.answer_time()).max(self.heard + self.quiet());
        let until = self.heard + self.control.answer_time() * OUTAGE_ROUNDS;
        if from.max(self.now) < until { from } else { Nanos::NEVER }
    }

    /// When it next does something by itself: never before the present, though a round trip that became
    /// shorter moves what is overdue into the past.
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
            next = next.min(self.silence()).min(self.ledger.deadline(self.control.patience()));
        }
        next
    }

    /// When silence has lasted too long.
    fn silence(&self) -> Nanos {
        let doublings = self.silent.saturating_sub(PATIENT_PROBES).min(MAX_BACKOFF);
        self.last_sent + {
            let answer = self.control.answer_time();
            (answer * (1 << doublings)).min(LONGEST_SILENCE.max(answer))
        }
    }

    pub(crate) fn on_timer(&mut self, now: Nanos) {
        self.now = self.now.max(now);
        if self.una == self.next {
            return;
        }
        if now >= self.ledger.deadline(self.control.patience()) {
            let mut news = News::default();
            self.ledger.judge(now, self.control.patience(), &mut news);
            self.learn(&news);
        }
        if now >= self.silence() && self.probes == 0 {
            self.marks.on_silence();
            self.silent += 1;
            self.stats.timeouts += 1;
            self.probes = if self.silent == 1 { PROBES } else { 1 };
        }
    }

    /// Whether a symbol was lost so often that it goes in duplicate.
    fn goes_twice(&self, symbol: u64) -> bool {
        let times = self.times.get(&symbol).copied().unwrap_or_default();
        times >= 2
            && self.losses.duplicate_after(self.config.max_duplicates).is_some_and(|k| times >= k)
    }

    /// No combination reaches before this symbol.
    fn oldest(&self) -> u64 {
        self.ledger.oldest_combined().unwrap_or(self.una).min(self.una)
    }
}
