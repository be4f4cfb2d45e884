//! The interface of a loss recovery: its inputs, its view of the sender, and its answers.
//!
//! A recovery decides *that* a loss episode began (once for each) and *which* segment leaves next;
//! the congestion law decides the window. A recovery changes only its own state. The sender applies
//! the answers in `sender/recover.rs` and `sender/transmit.rs`.
//!
//! The phases are those of RFC 5681 section 3.2 and RFC 6298 section 5. The defaults are RFC 6675's
//! rules for a recovery that [trusts the scoreboard](LossRecovery::trusts_pipe), and the rules for
//! connections without SACK for any other. Bytes.

use airtcp_units::Nanos;

use crate::tcp::config::TcpConfig;
use crate::tcp::scoreboard::Scoreboard;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The sender repairs no loss.
    Open,
    /// Fast recovery.
    Fast,
    /// After a timeout (or Tahoe's fast retransmit): slow start through what was outstanding.
    Timeout,
}

/// The state of the sender that a recovery may read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) config: &'a TcpConfig,
    pub(crate) board: &'a Scoreboard,
    pub(crate) phase: Phase,
    /// SND.UNA and SND.NXT.
    pub(crate) una: u64,
    pub(crate) nxt: u64,
    pub(crate) mss: u64,
    /// One past the highest offset sent when the last episode began (RFC 6582 `recover`,
    /// RFC 6675 `RecoveryPoint`).
    pub(crate) recover: u64,
    /// Duplicate ACKs in a row.
    pub(crate) dup_acks: u32,
}

impl View<'_> {
    /// True if everything of the last episode is acknowledged.
    #[inline]
    pub(crate) const fn is_covered(&self) -> bool {
        self.una >= self.recover
    }

    /// True for an ACK of part of the data that a fast recovery repairs.
    #[inline]
    pub(crate) const fn is_partial(&self) -> bool {
        matches!(self.phase, Phase::Fast) && !self.is_covered()
    }
}

/// Response to an acknowledgement of new data.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Verdict {
    /// Fast recovery ends although the episode is not fully acknowledged.
    pub(crate) leaves: bool,
    /// Bound of the window if this ends a fast recovery that reduced it.
    pub(crate) exit_window: Option<u64>,
    /// Change of the inflation of the window.
    pub(crate) inflate: i64,
    /// The first outstanding segment leaves next.
    pub(crate) repair_head: bool,
    pub(crate) reset_backoff: bool,
    pub(crate) forget_sacks: bool,
}

/// Response to a duplicate ACK.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Duplicate {
    /// Nothing.
    Ignored,
    /// A segment has left the network: the window inflates by this many bytes.
    Inflates(u64),
    /// The duplicate counts, but does not begin an episode yet.
    Counted,
    /// The duplicate counts and begins an episode.
    Loss,
}

impl Duplicate {
    /// Counts a duplicate outside fast recovery.
    pub(super) fn counted(view: &View<'_>, signs: Signs) -> Self {
        // RFC 6582 section 3.2 step 2: the ACK must cover more than `recover`. For Reno and Tahoe
        // only timeouts and restarts set `recover`: two losses in a window are two episodes.
        let covers_more = !view.config.careful || view.una > view.recover;
        let enough = view.dup_acks == view.config.dup_thresh || signs.early;
        if enough && (covers_more || signs.credible) { Self::Loss } else { Self::Counted }
    }
}

/// Additional signs of a loss that can make a duplicate ACK sufficient.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Signs {
    /// Early retransmit needs no more duplicates.
    pub(crate) early: bool,
    /// The heuristic of RFC 6582 section 4 finds duplicates for old data credible.
    pub(crate) credible: bool,
}

/// How a fast retransmit begins.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Start {
    pub(crate) phase: Phase,
    /// Sets `recover`: the episode ends with the data outstanding now.
    pub(crate) sets_recover: bool,
    pub(crate) inflation: u64,
    /// Everything outstanding counts as lost.
    pub(crate) lose_all: bool,
    /// No segment counts as retransmitted.
    pub(crate) restart_repairs: bool,
    pub(crate) restart_timer: bool,
    /// Bound of the window.
    pub(crate) limit_cwnd: Option<u64>,
}

impl Start {
    /// Recovery with SACK.
    pub(super) const SELECTIVE: Self = Self {
        phase: Phase::Fast,
        sets_recover: true,
        inflation: 0,
        lose_all: false,
        restart_repairs: true,
        restart_timer: false,
        limit_cwnd: None,
    };

    /// Fast recovery that counts duplicates (RFC 5681 section 3.2 steps 2 and 3).
    pub(super) fn counting(view: &View<'_>, sets_recover: bool) -> Self {
        // Early retransmit begins with fewer duplicates.
        let left = view.dup_acks.min(view.config.dup_thresh);
        let inflation = u64::from(left) * view.mss;
        Self { sets_recover, inflation, restart_repairs: false, ..Self::SELECTIVE }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct End {
    /// Slow start retransmits the segments that are still lost.
    pub(crate) repairs_rest: bool,
    /// Any duplicates may begin the next episode.
    pub(crate) any_duplicates: bool,
}

/// Limits on the next segment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    pub(crate) window: u64,
    /// Bytes that count against the window.
    pub(crate) outstanding: u64,
    /// New data could leave if the window allowed it. Not valid in [`LossRecovery::is_full`].
    pub(crate) new_data: bool,
}

impl Room {
    const fn is_less_than_a_segment(&self, view: &View<'_>) -> bool {
        self.window < self.outstanding + view.mss
    }
}

/// The next segment to leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// The outstanding segment at this position; it counts as repaired if `repair`.
    Again { at: usize, repair: bool },
    /// New data; the window has room for it.
    New,
    /// New data if the window has room for it.
    NewInWindow,
    /// Nothing, because of the window.
    Limited,
}

impl Next {
    /// After a timeout: the lost segment at `at`, if the window has room.
    pub(super) fn after_timeout(view: &View<'_>, room: &Room, at: Option<usize>) -> Self {
        let Some(at) = at else { return Self::NewInWindow };
        let len = view.board.get(at).map_or(0, |s| u64::from(s.len));
        if room.outstanding > 0 && room.outstanding + len > room.window {
            Self::Limited
        } else {
            Self::Again { at, repair: true }
        }
    }
}

pub(crate) trait LossRecovery {
    /// True for a recovery that uses SACK.
    #[inline]
    fn is_selective(&self) -> bool {
        self.trusts_pipe()
    }

    /// The recovery takes losses and `pipe` from the scoreboard (RFC 6675).
    #[inline]
    fn trusts_pipe(&self) -> bool {
        false
    }

    /// The scoreboard processes SACK blocks now.
    #[inline]
    fn reads_sacks(&self) -> bool {
        self.is_selective()
    }

    /// The DupThresh with which the scoreboard marks holes lost; `u32::MAX` for never.
    fn judging_threshold(&self, config: &TcpConfig) -> u32 {
        config.dup_thresh
    }

    /// The window limits `pipe` instead of everything outstanding (RFC 6675 section 5 step C; with
    /// limited transmit always).
    #[inline]
    fn counts_pipe(&self, phase: Phase, config: &TcpConfig) -> bool {
        if self.trusts_pipe() {
            config.limited_transmit || phase != Phase::Open
        } else {
            phase == Phase::Timeout
        }
    }

    /// Limited transmit adds to the window; with SACK, `pipe` makes the room.
    #[inline]
    fn adds_limited_transmit(&self, phase: Phase) -> bool {
        !self.trusts_pipe() && phase == Phase::Open
    }

    /// Proportional rate reduction may spread the reductions of this recovery.
    fn allows_prr(&self) -> bool {
        true
    }

    /// A retransmission in this phase does not stop the timing of another segment.
    #[inline]
    fn keeps_timing(&self, _phase: Phase) -> bool {
        false
    }

    /// Whether an ACK counts as a duplicate: if `bare`, by RFC 5681 section 2; or because it
    /// reports `new_sack`. `new` is true if the ACK acknowledges new data.
    #[inline]
    fn is_duplicate(&self, bare: bool, new_sack: bool, _new: bool) -> bool {
        if self.trusts_pipe() { new_sack } else { bare }
    }

    /// An ACK of new data restarts the retransmission timer in fast recovery.
    #[inline]
    fn restarts_timer(&self, _view: &View<'_>) -> bool {
        true
    }

    /// An ACK arrived in fast recovery, old ones included, and was not processed yet.
    #[inline]
    fn on_any_ack(&mut self) {}

    /// The recovery also processes ACKs of new data in the open state.
    #[inline]
    fn follows_open_acks(&self) -> bool {
        false
    }

    /// In the open state and with nothing SACKed, ACKs of new data leave the recovery as it is, until an episode begins.
    fn rests(&self) -> bool {
        !self.follows_open_acks()
    }

    /// An ACK covers `acked` bytes of new data.
    #[inline]
    fn on_new(&mut self, _view: &View<'_>, _acked: u64) -> Verdict {
        Verdict::default()
    }

    /// A duplicate ACK arrived; `view` already counts it.
    fn on_duplicate(&mut self, view: &View<'_>, signs: Signs) -> Duplicate {
        match view.phase {
            // RFC 5681 section 3.2 step 4: a segment has left the network.
            Phase::Fast => Duplicate::Inflates(view.mss),
            Phase::Open | Phase::Timeout => Duplicate::counted(view, signs),
        }
    }

    /// A loss was detected without a timeout. `before` is the law's window before it reacted to the
    /// loss.
    fn begin(&mut self, view: &View<'_>, before: u64) -> Start;

    /// A recovery begins, also after a timeout.
    fn on_episode(&mut self, _now: Nanos) {}

    /// The sender reports a loss within an episode to the law.
    fn on_loss_reported(&mut self, _now: Nanos) {}

    /// The retransmission timer expired. Returns whether SACK information may be kept.
    fn on_timeout(&mut self) -> bool {
        true
    }

    /// Everything of the episode is acknowledged.
    fn end(&mut self, _phase: Phase) -> End {
        // Losses beyond the recovery point belong to the next episode (RFC 6675).
        End { repairs_rest: !self.trusts_pipe(), any_duplicates: false }
    }

    /// In fast recovery: the window has no room (RFC 6675 section 5 step C).
    #[inline]
    fn is_full(&self, view: &View<'_>, room: &Room) -> bool {
        self.trusts_pipe() && room.is_less_than_a_segment(view)
    }

    /// The next segment in a recovery, unless [`is_full`](Self::is_full).
    fn next(&self, view: &View<'_>, room: &Room) -> Next {
        if view.phase == Phase::Timeout {
            return Next::after_timeout(view, room, view.board.next_lost());
        }
        Next::NewInWindow
    }

    /// The choice of [`next`](Self::next) has left.
    #[inline]
    fn on_sent(&mut self, _view: &View<'_>, _next: Next) {}
}
