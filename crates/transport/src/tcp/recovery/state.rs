//! State of loss recovery under any discipline. Only the methods change its fields, which keeps
//! them consistent. Bytes.

use airtcp_units::Narrow;

use super::discipline::{Phase, Start};
use super::prr::Prr;
use crate::tcp::scoreboard::Scoreboard;

#[derive(Debug, Clone)]
pub(crate) struct RecoveryState {
    phase: Phase,
    /// RFC 6582 `recover`, RFC 6675 `RecoveryPoint`.
    recover: u64,
    dup_acks: u32,
    /// Inflation of the law's window by fast recovery (Reno, NewReno).
    inflation: i64,
    /// Bytes sent by limited transmit since the first duplicate.
    limited: u64,
    /// The first outstanding segment leaves next, even without room in the window.
    head_due: bool,
    /// The timer expired and nothing was retransmitted since.
    timed_out: bool,
    /// Bytes that duplicates for a corrupted segment have shown to have arrived.
    corrupted_arrivals: u64,
    /// The law received a report of the loss and kept its window.
    kept: bool,
    /// Proportional rate reduction of the present fast recovery, if configured.
    prr: Option<Prr>,
    /// PRR spreads the reduction for a mark until more than this is acknowledged.
    marked_to: Option<u64>,
}

impl RecoveryState {
    pub(crate) const fn new() -> Self {
        Self {
            phase: Phase::Open,
            recover: 0,
            dup_acks: 0,
            inflation: 0,
            limited: 0,
            head_due: false,
            timed_out: false,
            corrupted_arrivals: 0,
            kept: false,
            prr: None,
            marked_to: None,
        }
    }

    #[inline]
    pub(crate) const fn phase(&self) -> Phase {
        self.phase
    }

    #[inline]
    pub(crate) const fn is_fast(&self) -> bool {
        matches!(self.phase, Phase::Fast)
    }

    #[inline]
    pub(crate) const fn is_timeout(&self) -> bool {
        matches!(self.phase, Phase::Timeout)
    }

    #[inline]
    pub(crate) const fn is_open(&self) -> bool {
        matches!(self.phase, Phase::Open)
    }

    #[inline]
    pub(crate) const fn recover(&self) -> u64 {
        self.recover
    }

    /// Duplicates beyond `offset` count.
    pub(crate) const fn set_recover(&mut self, offset: u64) {
        self.recover = offset;
    }

    #[inline]
    pub(crate) const fn dup_acks(&self) -> u32 {
        self.dup_acks
    }

    pub(crate) const fn count_duplicate(&mut self) {
        self.dup_acks += 1;
    }

    /// New data is acknowledged, which includes the arrivals that duplicates had shown.
    #[inline]
    pub(crate) const fn on_new(&mut self) {
        (self.dup_acks, self.limited, self.corrupted_arrivals) = (0, 0, 0);
    }

    /// New data leaves. After duplicate ACKs, outside recovery, it counts as limited transmit.
    #[inline]
    pub(crate) const fn on_new_sent(&mut self, bytes: u64) {
        if self.is_open() && self.dup_acks > 0 {
            self.limited += bytes;
        }
    }

    /// `flight` without data of limited transmit (RFC 5681 section 3.2).
    #[inline]
    pub(crate) fn without_limited(&self, flight: u64) -> u64 {
        flight - self.limited.min(flight)
    }

    /// True in the open state if no duplicates have shown arrivals.
    #[inline]
    pub(crate) const fn is_quiet(&self) -> bool {
        self.is_open() && self.dup_acks == 0 && self.corrupted_arrivals == 0
    }

    /// True in the open state if nothing of an episode, of duplicates or of a mark is left.
    pub(crate) const fn is_at_rest(&self) -> bool {
        self.is_open()
            && self.dup_acks == 0
            && self.corrupted_arrivals == 0
            && self.limited == 0
            && self.inflation == 0
            && !self.head_due
            && self.prr.is_none()
            && self.marked_to.is_none()
    }

    pub(crate) const fn inflation(&self) -> i64 {
        self.inflation
    }

    pub(crate) const fn inflate(&mut self, bytes: i64) {
        self.inflation += bytes;
    }

    #[inline]
    pub(crate) const fn corrupted_arrivals(&self) -> u64 {
        self.corrupted_arrivals
    }

    /// A duplicate for a corrupted segment: `bytes` have arrived.
    pub(crate) const fn add_corrupted_arrival(&mut self, bytes: u64) {
        self.corrupted_arrivals += bytes;
    }

    /// A fast retransmit begins; `kept` if the law received a report and kept its window.
    pub(crate) fn begin(&mut self, start: &Start, nxt: u64, kept: bool) {
        self.kept = kept;
        (self.limited, self.corrupted_arrivals) = (0, 0);
        self.phase = start.phase;
        if start.sets_recover {
            self.recover = nxt;
        }
        self.inflation = i64::narrow(start.inflation);
    }

    /// The retransmission timer expired; `head_due` if the first segment is retransmitted even
    /// without room in the window.
    pub(crate) fn on_timeout(&mut self, nxt: u64, head_due: bool) {
        self.leave(nxt);
        self.phase = Phase::Timeout;
        (self.timed_out, self.head_due) = (true, head_due);
    }

    /// Everything of the episode is acknowledged; `unrepaired` if slow start has more to
    /// retransmit.
    pub(crate) fn end(&mut self, unrepaired: bool) {
        (self.inflation, self.head_due, self.prr) = (0, false, None);
        self.phase = if unrepaired { Phase::Timeout } else { Phase::Open };
    }

    /// Returns to the open state before the repair is complete. Duplicates for data sent after
    /// `recover` count again (RFC 5682 sections 2.1 (3b) and 3.1).
    pub(crate) fn leave(&mut self, recover: u64) {
        let kept = self.kept;
        *self = Self { recover, kept, ..Self::new() };
    }

    /// Sets whether the first outstanding segment leaves next.
    pub(crate) const fn set_head_due(&mut self, due: bool) {
        self.head_due = due;
    }

    /// Takes the request to retransmit the first outstanding segment.
    #[inline]
    pub(crate) const fn take_head(&mut self) -> bool {
        std::mem::replace(&mut self.head_due, false)
    }

    /// Size of the first outstanding segment if it is to be retransmitted at once.
    pub(crate) fn head_due_len(&self, board: &Scoreboard) -> u64 {
        if self.head_due { board.front().map_or(0, |s| u64::from(s.len)) } else { 0 }
    }

    /// True if a timeout still waits for its first retransmission.
    #[inline]
    pub(crate) const fn is_timed_out(&self) -> bool {
        self.timed_out
    }

    /// True once after a timeout, for the retransmission of the segment that timed out.
    pub(crate) const fn take_timed_out(&mut self) -> bool {
        std::mem::replace(&mut self.timed_out, false)
    }

    /// True if the law received a report of the loss and kept its window.
    pub(crate) const fn is_kept(&self) -> bool {
        self.kept
    }

    pub(crate) const fn set_kept(&mut self, kept: bool) {
        self.kept = kept;
    }

    /// True in fast recovery, or while PRR spreads the reduction for a mark.
    #[inline]
    pub(crate) const fn is_reducing(&self) -> bool {
        self.is_fast() || self.marked_to.is_some()
    }

    /// The running PRR episode.
    #[inline]
    pub(crate) fn reducing_prr(&self) -> Option<&Prr> {
        if self.is_reducing() { self.prr.as_ref() } else { None }
    }

    #[inline]
    pub(crate) const fn has_prr(&self) -> bool {
        self.prr.is_some()
    }

    #[inline]
    pub(crate) const fn prr(&mut self) -> Option<&mut Prr> {
        self.prr.as_mut()
    }

    /// `prr` spreads the reduction of a fast recovery. If `goes_on`, PRR of an earlier mark
    /// continues instead.
    pub(crate) fn spread_loss(&mut self, prr: Option<Prr>, goes_on: bool) {
        let spreading = self.marked_to.take().is_some();
        if !(spreading && goes_on) {
            self.prr = prr;
        }
    }

    /// `prr` spreads the reduction for a mark until more than `nxt` is acknowledged.
    pub(crate) fn spread_mark(&mut self, prr: Option<Prr>, nxt: u64) {
        self.prr = prr;
        self.marked_to = self.prr.is_some().then_some(nxt);
    }

    /// Ends PRR for a mark if data sent after the reduction is acknowledged: the window is the
    /// target.
    #[inline]
    pub(crate) fn end_mark(&mut self, una: u64) {
        if self.marked_to.is_some_and(|to| una > to) {
            (self.marked_to, self.prr) = (None, None);
        }
    }
}
