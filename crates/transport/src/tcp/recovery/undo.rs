//! Recoveries that were unnecessary: what was before them, who finds out, and what follows.
//!
//! An episode begins with a fast retransmit or a timeout out of the open state. What the detectors
//! of [`eifel`](super::eifel), [`frto`](super::frto) and [`dsack`](super::dsack) need is noted
//! then; the first of them to speak ends the episode, and the answer is one of
//!
//! - `undo`, as Linux: recovery ends and the law returns to window and threshold from before it;
//! - `eifel`, RFC 4015 section 3, for timeouts:
//!   (0) pipe_prev = max(FlightSize, ssthresh), SRTT_prev = SRTT + 2 G, RTTVAR_prev = RTTVAR;
//!   (8) sending goes on with new data, unless the news came late (a DSACK);
//!   (9) cwnd = FlightSize + min(bytes_acked, IW), ssthresh = pipe_prev, unless the ACK carries
//!   an ECN echo;
//!   (11) at the first sample from data sent after the timeout SRTT = max(SRTT_prev, sample),
//!   RTTVAR = max(RTTVAR_prev, sample/2), RTO = SRTT + max(G, 4 RTTVAR), within its bounds;
//! - `keep`, RFC 5682 section 4: recovery ends, the reduced window stays.
//!
//! [choice] A timeout in the midst of a recovery ends the episode, so that only a whole recovery
//! that was in vain is undone; repeated timeouts for the same segment belong to the first. A
//! congestion mark, and a pause that restarts the window, end it too. The back-off is left to its
//! own rule (`rto_backoff_reset`): a delay that outlasted the timer is no reason for a shorter one.
//! Leaves out DupThresh adaptation. Bytes.

use airtcp_probe::{Cx, Event, Probe};
use airtcp_units::{Nanos, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Phase;
use super::dsack::Reports;
use super::frto::{Frto, FrtoState};
use crate::tcp::config::TcpConfig;
use crate::tcp::sender::{Env, Sender};
use airtcp_congestion::CongestionControl;

/// What follows when a recovery turns out to have been unnecessary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SpuriousResponse {
    /// Window and threshold are as before (Linux).
    #[default]
    Undo,
    /// The Eifel response after timeouts (RFC 4015), as `undo` otherwise.
    Eifel,
    /// The window stays reduced, only the repair ends (RFC 5682 section 4).
    Keep,
}

/// Who found out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Detector {
    Dsack,
    Eifel,
    Frto,
}

/// What one acknowledgement says to the detectors.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Evidence {
    /// Bytes it acknowledged cumulatively.
    pub(crate) acked: u64,
    /// It is a duplicate in the sense of RFC 5681 section 2.
    pub(crate) duplicate: bool,
    /// Its SACK blocks reported something for the first time.
    pub(crate) news: bool,
    /// It reported a duplicate segment, and an earlier ACK had.
    pub(crate) dsack: (bool, bool),
    /// The timestamp it echoes.
    pub(crate) echo: Option<u32>,
    /// It echoes a congestion mark.
    pub(crate) ece: bool,
}

/// A recovery that may turn out to have been unnecessary.
#[derive(Debug, Clone)]
pub(super) struct Episode {
    /// What was outstanding at its beginning.
    pub(super) from: u64,
    pub(super) to: u64,
    timeout: bool,
    /// The law was told of it.
    reduced: bool,
    pipe_prev: u64,
    /// SRTT_prev and RTTVAR_prev.
    rtt_prev: Option<(Span, Span)>,
    /// ECN's CWR flag and the offset up to which marks are answered.
    ecn_prev: (bool, u64),
    /// When its first retransmission left: RFC 3522 RetransmitTS.
    pub(super) first_sent: Option<Nanos>,
    /// The acceptable ACK has come.
    pub(super) eifel_over: bool,
    pub(super) reports: Reports,
}

/// RFC 4015 step 11: what the timer is adapted to at the first sample beyond `beyond`.
#[derive(Debug, Clone, Copy)]
struct Adapt {
    beyond: u64,
    srtt: Span,
    rttvar: Span,
}

/// What the detectors keep.
#[derive(Debug, Clone, Default)]
pub(crate) struct Detection {
    pub(super) episode: Option<Episode>,
    pub(super) frto: FrtoState,
    adapt: Option<Adapt>,
}

impl Detection {
    /// True while a recovery may still be undone.
    #[inline]
    pub(crate) const fn is_on(&self) -> bool {
        self.episode.is_some()
    }

    /// The law is told of the episode after all.
    pub(super) const fn note_reduction(&mut self) {
        if let Some(episode) = &mut self.episode {
            episode.reduced = true;
        }
    }

    /// Nothing can be undone any more.
    pub(crate) fn forget(&mut self) {
        self.episode = None;
        self.frto.stop();
    }
}

const fn detects(config: &TcpConfig) -> bool {
    config.dsack_undo || config.eifel_detection || !matches!(config.frto, Frto::Off)
}

impl Sender {
    /// A recovery begins, with the law not yet told; `reduced` if it will be.
    pub(super) fn begin_episode(&mut self, timeout: bool, reduced: bool, env: &Env<'_>) {
        self.recovery.detection.forget();
        if !detects(env.config) || !self.recovery.is_open() {
            return;
        }
        let granularity = env.config.rto_granularity;
        self.recovery.detection.episode = Some(Episode {
            from: self.una,
            to: self.nxt,
            timeout,
            reduced,
            pipe_prev: self.in_flight().max(self.law.ssthresh()),
            rtt_prev: self.rtt.smoothed().map(|(s, v)| (s + granularity * 2, v)),
            ecn_prev: (env.ecn.cwr, env.ecn.reacted_up_to),
            first_sent: None,
            eifel_over: false,
            reports: Reports::default(),
        });
    }

    /// A segment `start..end` of payload leaves again, and not for the first time if `before`.
    pub(crate) fn note_retransmission(
        &mut self,
        now: Nanos,
        (start, end): (u64, u64),
        before: bool,
        config: &TcpConfig,
    ) {
        let una = self.una;
        if let Some(episode) = &mut self.recovery.detection.episode
            && (episode.from..episode.to).contains(&start)
        {
            if episode.first_sent.is_none() {
                episode.first_sent = Some(now);
                // RFC 3522 thinks of the oldest segment, sent again for the first time.
                episode.eifel_over = before || start != una;
            }
            if config.dsack_undo {
                episode.reports.on_sent(start, end);
            }
        }
    }

    /// Takes what an acknowledgement says, before recovery does.
    pub(crate) fn detect_spurious<P: Probe>(
        &mut self,
        now: Nanos,
        evidence: &Evidence,
        env: &mut Env<'_>,
        cx: &mut Cx<'_, P>,
    ) {
        let by = if self.dsack_detects() {
            Detector::Dsack
        } else if self.eifel_detects(evidence, env.config) {
            Detector::Eifel
        } else if self.frto_detects(now, evidence, env.config) {
            Detector::Frto
        } else {
            return;
        };
        let Some(episode) = self.recovery.detection.episode.take() else { return };
        let stats = &mut *env.stats;
        *match by {
            Detector::Dsack => &mut stats.spurious_by_dsack,
            Detector::Eifel => &mut stats.spurious_by_eifel,
            Detector::Frto => &mut stats.spurious_by_frto,
        } += 1;
        *if episode.timeout {
            &mut stats.spurious_timeouts
        } else {
            &mut stats.spurious_fast_retransmits
        } += 1;
        cx.record(now, || Event::Spurious);
        let response = env.config.spurious_response;
        let eifel = response == SpuriousResponse::Eifel && episode.timeout;
        // RFC 4015 step 7: after LATE_SPUR_TO the repair goes on.
        if !(self.recovery.is_open() || (eifel && by == Detector::Dsack)) {
            self.leave_recovery();
        }
        self.recovery.detection.frto.stop();
        if response == SpuriousResponse::Keep || !episode.reduced || evidence.ece {
            return;
        }
        self.law.on_spurious(now);
        (env.ecn.cwr, env.ecn.reacted_up_to) = episode.ecn_prev;
        if eifel {
            let initial = env.config.initial_window_bytes(self.mss);
            self.law.raise_ssthresh(episode.pipe_prev);
            self.law.limit_cwnd(self.flight_size() + evidence.acked.min(initial));
            self.recovery.detection.adapt =
                episode.rtt_prev.map(|(srtt, rttvar)| Adapt { beyond: episode.to, srtt, rttvar });
        }
    }

    /// Back to the open state: what was given up for lost is outstanding as before.
    fn leave_recovery(&mut self) {
        let r = &mut self.recovery;
        r.phase = Phase::Open;
        // RFC 5682 sections 2.1 (3b) and 3.1: duplicates for newer data count again.
        r.recover = self.una;
        (r.dup_acks, r.inflation, r.limited, r.excused) = (0, 0, 0, 0);
        (r.head_due, r.timed_out, r.rescue, r.prr) = (false, false, None, None);
        r.marked_to = None;
        self.board.revive();
    }

    /// A round-trip sample of an ACK up to `ack`: RFC 4015 step 11 takes the first from data sent
    /// after the timeout.
    pub(crate) fn adapt_timer(&mut self, sample: Span, ack: u64) {
        let due = self.recovery.detection.adapt.take_if(|a| ack > a.beyond);
        if let Some(Adapt { srtt, rttvar, .. }) = due {
            self.rtt.adapt(sample, srtt, rttvar);
        }
    }
}
