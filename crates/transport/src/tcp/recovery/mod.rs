//! Loss recovery: what counts as a loss episode, and what is sent again.
//!
//! A recovery decides *that* an episode began (once for each) and *which* segment goes next; the
//! congestion law decides the window. One file per discipline: [`tahoe`], [`reno`],
//! [`newreno`], [`sack`]; what they share is here. The phases are those of RFC 5681 section 3.2
//! and RFC 6298 section 5: open, fast recovery, and the slow start after a timeout in which
//! everything outstanding counts as lost.

mod careful;
mod corruption;
mod early;
mod newreno;
mod prr;
mod rack;
mod reno;
mod sack;
mod sack_ns2;
mod spurious;
mod tahoe;
mod tlp;
mod tp_lda;

pub(crate) use careful::LastAdvance;
pub use corruption::Corrupted;
pub(crate) use corruption::Notices;
pub(crate) use prr::{Prr, PrrAck};
use rack::Rack;
pub(crate) use sack::NextSeg;
use sack_ns2::Ns2;
pub(crate) use spurious::{Before, Evidence, Gate, SenderView, Spurious, Undo};
pub(crate) use tlp::ProbeAck;
pub(crate) use tp_lda::{Differentiation, Reported};

use airtcp_probe::{Cx, Event, Probe};
use airtcp_units::Nanos;

use super::config::{PartialAckTimer, Recovery, TcpConfig};
use super::scoreboard::Scoreboard;
use super::sender::{Env, Sender};
use super::timers::Timer;
use airtcp_congestion::{Congestion, CongestionControl, CongestionKind};

/// Where the sender stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// No loss is being repaired.
    Open,
    /// Fast recovery.
    Fast,
    /// After a timeout (or Tahoe's fast retransmit): slow start through what was outstanding.
    Timeout,
}

/// State of loss recovery.
#[derive(Debug, Clone)]
pub(crate) struct RecoveryState {
    /// The discipline in force; SACK has become NewReno if the peer does not permit it.
    pub(crate) discipline: Recovery,
    phase: Phase,
    /// One past the highest offset sent when the last episode began (RFC 6582 `recover`,
    /// RFC 6675 `RecoveryPoint`).
    recover: u64,
    dup_acks: u32,
    /// What fast recovery adds to the law's window (Reno, NewReno).
    inflation: i64,
    /// Bytes sent by limited transmit since the first duplicate.
    pub(crate) limited: u64,
    /// Partial ACKs in this recovery.
    partials: u32,
    /// The first outstanding segment goes next, whatever the window says.
    head_due: bool,
    /// The timer expired and nothing was sent again since.
    timed_out: bool,
    /// RFC 6675 `RescueRxt`; `None` while undefined.
    rescue: Option<u64>,
    /// Proportional rate reduction of the present fast recovery, if configured.
    pub(crate) prr: Option<Prr>,
    /// It spreads the answer to a mark, until more than this is acknowledged.
    pub(crate) marked_to: Option<u64>,
    /// Corrupted segments that are to be sent again.
    pub(crate) notices: Notices,
    /// Bytes that duplicates for a corrupted segment have shown to have arrived.
    excused: u64,
    /// The law was told of the loss and kept its window.
    kept: bool,
    /// The last ACK of new data (RFC 6582 section 4).
    pub(crate) last_advance: LastAdvance,
    ns2: Ns2,
    rack: Rack,
    /// Tells losses apart, if the connection does.
    pub(crate) differentiation: Option<Box<Differentiation>>,
}

impl RecoveryState {
    pub(crate) fn new(configured: Recovery, sack: bool) -> Self {
        let discipline = match configured {
            selective if selective.is_selective() && !sack => Recovery::NewReno,
            other => other,
        };
        Self {
            discipline,
            phase: Phase::Open,
            recover: 0,
            dup_acks: 0,
            inflation: 0,
            limited: 0,
            partials: 0,
            head_due: false,
            timed_out: false,
            rescue: None,
            prr: None,
            marked_to: None,
            notices: Notices::new(),
            excused: 0,
            kept: false,
            last_advance: LastAdvance::default(),
            ns2: Ns2 { pipe: 0, deaf: false },
            rack: Rack::new(),
            differentiation: None,
        }
    }

    pub(crate) const fn is_fast(&self) -> bool {
        matches!(self.phase, Phase::Fast)
    }

    pub(crate) const fn is_timeout(&self) -> bool {
        matches!(self.phase, Phase::Timeout)
    }

    pub(crate) const fn is_open(&self) -> bool {
        matches!(self.phase, Phase::Open)
    }

    /// Whether selective acknowledgements are taken now.
    pub(crate) const fn listens(&self) -> bool {
        self.discipline.is_selective() && !self.ns2.deaf
    }

    /// `recover`, RFC 6582.
    pub(crate) const fn recover(&self) -> u64 {
        self.recover
    }

    /// Duplicates count from `offset` on.
    pub(crate) const fn set_recover(&mut self, offset: u64) {
        self.recover = offset;
    }

    /// Losses are told by RFC 6675, with RACK or without.
    pub(crate) fn is_rfc6675(&self) -> bool {
        self.discipline == Recovery::Sack
    }

    /// A timeout waits for its first retransmission to leave.
    pub(crate) const fn is_timed_out(&self) -> bool {
        self.timed_out
    }

    /// Back to the open state without an end of the repair.
    pub(crate) fn leave(&mut self, una: u64) {
        self.phase = Phase::Open;
        // RFC 5682 sections 2.1 (3b) and 3.1: duplicates for newer data count again.
        self.recover = una;
        (self.dup_acks, self.inflation, self.limited, self.excused) = (0, 0, 0, 0);
        (self.head_due, self.timed_out, self.rescue, self.prr) = (false, false, None, None);
        self.marked_to = None;
    }

    /// True once after a timeout: the segment sent again next is the one it was for.
    pub(crate) const fn take_timed_out(&mut self) -> bool {
        std::mem::replace(&mut self.timed_out, false)
    }

    /// Duplicate ACKs have come and no recovery runs: what is sent now is limited transmit.
    pub(crate) const fn is_limited_transmit(&self) -> bool {
        self.is_open() && self.dup_acks > 0
    }

    /// Bytes added to the law's window now.
    pub(crate) fn inflation(&self, credit: u64, config: &TcpConfig, mss: u64) -> i64 {
        match self.phase {
            Phase::Fast => self.inflation,
            // RFC 3042: two segments beyond the window. With SACK `pipe` makes the room.
            Phase::Open if config.limited_transmit && self.discipline != Recovery::Sack => {
                (u64::from(self.dup_acks.min(config.dup_thresh - 1)) * mss + self.excused) as i64
            }
            Phase::Timeout if config.limited_transmit && self.discipline == Recovery::SackNs2 => {
                (u64::from(self.dup_acks.min(config.dup_thresh - 1)) * mss) as i64
            }
            Phase::Timeout => credit as i64,
            Phase::Open => self.excused as i64,
        }
    }

    /// Whether an ACK of new data up to `ack` restarts the retransmission timer.
    pub(crate) fn restarts_timer(&self, ack: u64, config: &TcpConfig) -> bool {
        let partial = self.is_fast() && ack < self.recover;
        let impatient = config.partial_ack_timer == PartialAckTimer::Impatient;
        let once = self.discipline == Recovery::NewReno && impatient;
        !(partial && once && self.partials > 0)
    }

    /// Bytes of the first outstanding segment if it is to be sent again at once.
    fn head_due_len(&self, board: &Scoreboard) -> u64 {
        if self.head_due { board.front().map_or(0, |s| u64::from(s.len)) } else { 0 }
    }

    /// Takes the order to send the first outstanding segment again.
    pub(crate) const fn take_head(&mut self) -> bool {
        std::mem::replace(&mut self.head_due, false)
    }
}

impl Sender {
    /// An ACK covered `acked` new bytes.
    pub(crate) fn recover_on_new<P: Probe>(
        &mut self,
        now: Nanos,
        acked: u64,
        env: &mut Env<'_>,
        cx: &mut Cx<'_, P>,
    ) {
        self.recovery.dup_acks = 0;
        self.recovery.limited = 0;
        self.recovery.excused = 0;
        let full = self.una >= self.recovery.recover;
        if self.is_ns2() {
            self.ns2_on_new(full);
        }
        match self.recovery.phase {
            Phase::Timeout if full => self.end_recovery(now, env, cx),
            Phase::Open | Phase::Timeout => {}
            Phase::Fast if full || self.recovery.discipline == Recovery::Reno => {
                self.leave_fast(env.config);
                self.end_recovery(now, env, cx);
            }
            Phase::Fast => {
                self.recovery.partials += 1;
                if self.recovery.discipline == Recovery::NewReno {
                    self.newreno_partial_ack(acked);
                }
            }
        }
    }

    /// A duplicate ACK arrived.
    pub(crate) fn recover_on_duplicate<P: Probe>(
        &mut self,
        now: Nanos,
        env: &mut Env<'_>,
        cx: &mut Cx<'_, P>,
    ) {
        match self.recovery.phase {
            Phase::Open if self.is_head_forgiven() => self.excuse_duplicate(env.config),
            Phase::Open => {
                self.recovery.dup_acks += 1;
                if !self.is_rack() && self.is_loss(now, env.config) {
                    self.enter_fast(now, env, cx);
                }
            }
            Phase::Fast => self.reno_inflate(),
            // RFC 6675 section 5.1: no fast retransmit before everything sent before the timeout
            // is acknowledged.
            Phase::Timeout if self.recovery.discipline == Recovery::Sack => {}
            // RFC 6582 section 3.2 step 4 likewise, but for its heuristics, and the less careful
            // variant of RFC 2582, to which duplicates always count.
            Phase::Timeout => {
                self.spurious.on_duplicate(u64::from(self.mss));
                self.recovery.dup_acks += 1;
                if self.is_loss(now, env.config) {
                    self.enter_fast(now, env, cx);
                }
            }
        }
    }

    /// Whether the duplicates so far signal a loss of the present episode.
    fn is_loss(&self, now: Nanos, config: &TcpConfig) -> bool {
        let r = &self.recovery;
        let early = r.is_open() && self.is_early_loss(now, config);
        if r.discipline == Recovery::Sack {
            // RFC 6675 section 5 (1) and (2).
            let enough = r.dup_acks >= config.dup_thresh || self.board.is_first_lost();
            return (enough || early) && (!config.careful || self.una >= r.recover);
        }
        // RFC 6582 section 3.2 step 2: the ACK must cover more than `recover`. For Reno and Tahoe
        // `recover` is set by timeouts and restarts only: two losses in a window are two episodes
        // to them.
        let covers_more = !config.careful || self.una > r.recover;
        (r.dup_acks == config.dup_thresh || early)
            && (covers_more || self.heuristic_says_lost(config))
    }

    /// A loss was detected without a timeout.
    fn enter_fast<P: Probe>(&mut self, now: Nanos, env: &mut Env<'_>, cx: &mut Cx<'_, P>) {
        let discipline = self.recovery.discipline;
        let before = self.law.cwnd();
        // RFC 5681 section 3.2: what limited transmit sent does not count.
        let flight = self.flight_size() - self.recovery.limited.min(self.flight_size());
        // A loss in a window that already answered a mark is the same episode (RFC 3168
        // section 6.1.2).
        let answered = env.ecn.enabled && self.una < env.ecn.marked_up_to;
        let told = self.tell_episode(now, env, cx);
        let reduced = told && !answered;
        self.begin_episode(false, reduced, env);
        if reduced {
            let restart = discipline == Recovery::Tahoe;
            let kind = CongestionKind::FastRetransmit;
            self.law.on_congestion(now, &Congestion { kind, flight, restart });
        }
        self.recovery.kept = reduced && !self.note_reduction(before, env);
        env.stats.fast_retransmits += 1;
        cx.record(now, || Event::FastRetransmit);
        self.recovery.partials = 0;
        self.recovery.limited = 0;
        self.recovery.excused = 0;
        self.recovery.rescue = None;
        let spreading = self.recovery.marked_to.take().is_some();
        self.recovery.prr = if self.law.governs_recovery() || !told || self.is_ns2() {
            None
        } else if spreading && !reduced {
            // The mark's reduction goes on.
            self.recovery.prr.take()
        } else {
            Prr::begin(env.config, u64::from(self.mss))
        };
        match discipline {
            Recovery::Tahoe => self.tahoe_restart(),
            Recovery::Reno | Recovery::NewReno => self.reno_enter(env.config),
            Recovery::Sack => self.sack_enter(),
            Recovery::SackNs2 => {
                self.ns2_enter(before, env);
                self.arm(now, env.timers);
            }
        }
        self.rack_on_episode(now, env);
        // Tahoe gives up everything outstanding.
        self.hand_over_losses(now, told);
    }

    /// The retransmission timer expired with data outstanding (RFC 6298 5.4 to 5.6).
    pub(crate) fn on_timeout<P: Probe>(
        &mut self,
        now: Nanos,
        env: &mut Env<'_>,
        cx: &mut Cx<'_, P>,
    ) {
        let again = self.board.front().is_some_and(|s| s.by_timer);
        let kind = if again { CongestionKind::Persistent } else { CongestionKind::Rto };
        let flight = self.flight_size() - self.recovery.limited.min(self.flight_size());
        // Fast recovery sends on beyond a head that is lost, and all that arrived stands in
        // FlightSize: half of it could lie far above the window. RFC 5681 (4) says "no more than".
        let fast = self.recovery.is_fast();
        let flight = if fast { flight.min(self.law.cwnd()) } else { flight };
        let open = self.recovery.is_open();
        if !again {
            self.begin_episode(true, true, env);
        }
        self.law.on_congestion(now, &Congestion { kind, flight, restart: false });
        env.ecn.on_reduction(self.nxt);
        self.retries += 1;
        self.rtt.back_off();
        env.stats.timeouts += 1;
        cx.record(now, || Event::Timeout { backoff: self.retries });
        let ns2 = self.is_ns2();
        let window = self.reo_wnd(env.config);
        let kept = self.board.time_out(now, env.config.keep_sack_after_rto && !ns2, window);
        self.rack_on_episode(now, env);
        self.hand_over_losses(now, true);
        if let Some(d) = &mut self.recovery.differentiation {
            d.settle();
        }
        self.begin_frto((open, again, kept), env);
        let r = &mut self.recovery;
        r.phase = Phase::Timeout;
        r.timed_out = true;
        r.recover = self.nxt;
        (r.dup_acks, r.inflation, r.limited, r.head_due) = (0, 0, 0, false);
        r.excused = 0;
        r.notices.clear();
        (r.prr, r.marked_to) = (None, None);
        r.ns2.deaf = ns2;
        r.head_due = self.board.has_rack();
        self.arm(now, env.timers);
    }

    /// Everything of the episode is acknowledged.
    fn end_recovery<P: Probe>(&mut self, now: Nanos, env: &mut Env<'_>, cx: &mut Cx<'_, P>) {
        self.recovery.inflation = 0;
        self.recovery.head_due = false;
        self.prr_end();
        self.spurious.on_recovered();
        if self.is_ns2() && self.recovery.is_fast() {
            self.ns2_end();
        }
        self.board.restart_repairs();
        self.recovery.rack.exiting = true;
        // A fast recovery out of the slow start after a timeout (less careful variant) returns
        // to it. What SACK TCP has judged lost beyond the recovery point is for the next episode.
        let unrepaired =
            self.recovery.discipline != Recovery::Sack && self.board.next_lost().is_some();
        self.recovery.phase = if unrepaired { Phase::Timeout } else { Phase::Open };
        env.stats.recoveries += 1;
        cx.record(now, || Event::Recovered);
    }

    /// Recovery sends the first outstanding segment next, if there is one.
    fn send_head(&mut self) {
        self.recovery.head_due = self.board.front().is_some() && !self.is_head_forgiven();
    }

    /// A segment was sent again: restarts the timer if so configured and it was the first one
    /// outstanding, or if it does not run (RFC 6298 5.1).
    pub(crate) fn after_retransmission(&self, now: Nanos, head: bool, env: &mut Env<'_>) {
        let restart = head && env.config.rto_restart_on_retransmission;
        if restart || !env.timers.is_running(Timer::Retransmit) {
            self.arm(now, env.timers);
        }
    }
}
