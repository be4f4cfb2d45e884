//! What a loss recovery is: what it is asked, what it may see, and what it answers.
//!
//! A recovery decides *that* a loss episode began (once for each) and *which* segment leaves next;
//! the congestion law decides the window. A recovery changes nothing but its own state. Its
//! answers are applied by the sender: `sender/recover.rs` and `sender/transmit.rs`.
//!
//! The phases are those of RFC 5681 section 3.2 and RFC 6298 section 5. The defaults are RFC 6675's
//! rules for a recovery that [trusts the scoreboard](LossRecovery::trusts_pipe), and the rules for
//! connections without SACK for any other. Bytes.

use airtcp_units::Nanos;

use crate::tcp::config::TcpConfig;
use crate::tcp::scoreboard::Scoreboard;

/// Where the sender stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// No loss is being repaired.
    Open,
    /// Fast recovery.
    Fast,
    /// After a timeout (or Tahoe's fast retransmit): slow start through what was outstanding.
    Timeout,
}

/// What a recovery may see of the sender.
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
    /// Everything of the last episode is acknowledged.
    #[inline]
    pub(crate) const fn is_covered(&self) -> bool {
        self.una >= self.recover
    }

    /// An acknowledgement of part of what a fast recovery repairs.
    #[inline]
    pub(crate) const fn is_partial(&self) -> bool {
        matches!(self.phase, Phase::Fast) && !self.is_covered()
    }
}

/// What an acknowledgement of new data means.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Verdict {
    /// Fast recovery ends although not everything of the episode is acknowledged.
    pub(crate) leaves: bool,
    /// Bound of the window if this ends a fast recovery that had reduced it.
    pub(crate) exit_window: Option<u64>,
    /// Change of what recovery adds to the window.
    pub(crate) inflate: i64,
    /// The first outstanding segment leaves next.
    pub(crate) repair_head: bool,
    /// The timer's back-off ends.
    pub(crate) reset_backoff: bool,
    /// What the receiver has reported is forgotten.
    pub(crate) forget_sacks: bool,
}

/// What a duplicate ACK means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Duplicate {
    /// Nothing.
    Ignored,
    /// A segment has left the network: room for as many bytes.
    Inflates(u64),
    /// It counts, and is not enough yet.
    Counted,
    /// It counts, and an episode begins.
    Loss,
}

impl Duplicate {
    /// Outside fast recovery, where duplicates are counted.
    pub(super) fn counted(view: &View<'_>, signs: Signs) -> Self {
        // RFC 6582 section 3.2 step 2: the ACK must cover more than `recover`. For Reno and Tahoe
        // `recover` is set by timeouts and restarts only: two losses in a window are two episodes
        // to them.
        let covers_more = !view.config.careful || view.una > view.recover;
        let enough = view.dup_acks == view.config.dup_thresh || signs.early;
        if enough && (covers_more || signs.credible) { Self::Loss } else { Self::Counted }
    }
}

/// Further signs of a loss that a duplicate ACK may complete.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Signs {
    /// Early retransmit asks for no more duplicates.
    pub(crate) early: bool,
    /// The heuristic of RFC 6582 section 4 finds duplicates for old data credible.
    pub(crate) credible: bool,
}

/// How a fast retransmit begins.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Start {
    pub(crate) phase: Phase,
    /// The episode ends with what is outstanding now.
    pub(crate) sets_recover: bool,
    /// What is added to the window.
    pub(crate) inflation: u64,
    /// Everything outstanding counts as lost.
    pub(crate) lose_all: bool,
    /// Nothing counts as sent again.
    pub(crate) restart_repairs: bool,
    /// The retransmission timer starts anew.
    pub(crate) restart_timer: bool,
    /// Bound of the window.
    pub(crate) limit_cwnd: Option<u64>,
}

impl Start {
    /// Recovery from selective acknowledgements.
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
        // Early retransmit begins with fewer.
        let left = view.dup_acks.min(view.config.dup_thresh);
        let inflation = u64::from(left) * view.mss;
        Self { sets_recover, inflation, restart_repairs: false, ..Self::SELECTIVE }
    }
}

/// How an episode ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct End {
    /// What is still lost is sent again by slow start.
    pub(crate) repairs_rest: bool,
    /// Any duplicates may begin the next episode.
    pub(crate) any_duplicates: bool,
}

/// What there is to choose from when something may leave.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    pub(crate) window: u64,
    /// What is held against the window.
    pub(crate) outstanding: u64,
    /// New data could leave if the window allowed it; not known when [`LossRecovery::is_full`] is
    /// asked.
    pub(crate) new_data: bool,
}

impl Room {
    const fn is_less_than_a_segment(&self, view: &View<'_>) -> bool {
        self.window < self.outstanding + view.mss
    }
}

/// What leaves next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// The outstanding segment at this position, again; it counts as repaired if `repair`.
    Again { at: usize, repair: bool },
    /// New data, for which there is room.
    New,
    /// New data if the window has room for it.
    NewInWindow,
    /// Nothing, because of the window.
    Limited,
}

impl Next {
    /// After a timeout: the lost segment at `at`, as the window allows.
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

/// A loss recovery.
pub(crate) trait LossRecovery {
    /// It works from selective acknowledgements.
    #[inline]
    fn is_selective(&self) -> bool {
        self.trusts_pipe()
    }

    /// It takes the scoreboard's word for what is lost and what is in the network (RFC 6675).
    #[inline]
    fn trusts_pipe(&self) -> bool {
        false
    }

    /// The scoreboard is told of selective acknowledgements now.
    #[inline]
    fn listens(&self) -> bool {
        self.is_selective()
    }

    /// The DupThresh by which the scoreboard judges holes lost; `u32::MAX` for never.
    fn judging_threshold(&self, config: &TcpConfig) -> u32 {
        config.dup_thresh
    }

    /// The window bounds `pipe` instead of everything outstanding (RFC 6675 section 5 step C; with
    /// limited transmit always).
    #[inline]
    fn counts_pipe(&self, phase: Phase, config: &TcpConfig) -> bool {
        if self.trusts_pipe() {
            config.limited_transmit || phase != Phase::Open
        } else {
            phase == Phase::Timeout
        }
    }

    /// Limited transmit adds to the window; with SACK `pipe` makes the room.
    #[inline]
    fn adds_limited_transmit(&self, phase: Phase) -> bool {
        !self.trusts_pipe() && phase == Phase::Open
    }

    /// Proportional rate reduction may spread its reductions.
    fn allows_prr(&self) -> bool {
        true
    }

    /// A segment sent again in this phase leaves the timing of another alone.
    #[inline]
    fn keeps_timing(&self, _phase: Phase) -> bool {
        false
    }

    /// An ACK counts as a duplicate: `bare` by RFC 5681 section 2, or for the `news` it reports
    /// where `new` says whether it acknowledges new data.
    #[inline]
    fn is_duplicate(&self, bare: bool, news: bool, _new: bool) -> bool {
        if self.trusts_pipe() { news } else { bare }
    }

    /// An ACK of new data restarts the retransmission timer in fast recovery.
    #[inline]
    fn restarts_timer(&self, _view: &View<'_>) -> bool {
        true
    }

    /// An ACK arrived in fast recovery, old ones included; nothing is taken from it yet.
    #[inline]
    fn on_any_ack(&mut self) {}

    /// ACKs of new data mean something in the open state, too.
    #[inline]
    fn follows_open_acks(&self) -> bool {
        false
    }

    /// An ACK covers `acked` bytes of new data.
    #[inline]
    fn on_new(&mut self, _view: &View<'_>, _acked: u64) -> Verdict {
        Verdict::default()
    }

    /// A duplicate ACK arrived, which `view` counts already.
    fn on_duplicate(&mut self, view: &View<'_>, signs: Signs) -> Duplicate {
        match view.phase {
            // RFC 5681 section 3.2 step 4: a segment has left the network.
            Phase::Fast => Duplicate::Inflates(view.mss),
            Phase::Open | Phase::Timeout => Duplicate::counted(view, signs),
        }
    }

    /// A loss was detected without a timeout; the law had the window `before` when it was told.
    fn begin(&mut self, view: &View<'_>, before: u64) -> Start;

    /// A recovery begins, a timeout among them.
    fn on_episode(&mut self, _now: Nanos) {}

    /// The law is told of a loss within an episode.
    fn on_told(&mut self, _now: Nanos) {}

    /// The retransmission timer expired. Returns whether SACK information may be kept.
    fn on_timeout(&mut self) -> bool {
        true
    }

    /// Everything of the episode is acknowledged.
    fn end(&mut self, _phase: Phase) -> End {
        // What is judged lost beyond the recovery point is for the next episode (RFC 6675).
        End { repairs_rest: !self.trusts_pipe(), any_duplicates: false }
    }

    /// In fast recovery: the window lets nothing leave (RFC 6675 section 5 step C).
    #[inline]
    fn is_full(&self, view: &View<'_>, room: &Room) -> bool {
        self.trusts_pipe() && room.is_less_than_a_segment(view)
    }

    /// What leaves next while a loss is repaired, unless [`is_full`](Self::is_full).
    fn next(&self, view: &View<'_>, room: &Room) -> Next {
        if view.phase == Phase::Timeout {
            return Next::after_timeout(view, room, view.board.next_lost());
        }
        Next::NewInWindow
    }

    /// What [`next`](Self::next) chose has left.
    #[inline]
    fn on_sent(&mut self, _view: &View<'_>, _next: Next) {}
}
