//! Spurious recoveries: the state before them, their detection, and the response.
//!
//! An episode begins with a fast retransmit or a timeout in the open state. [`Spurious`] then saves
//! what the detectors [`dsack`], [`eifel`] and [`frto`] need. The first detector that finds the
//! recovery spurious ends the episode. [`Spurious`] then returns an [`Undo`], which the sender
//! counts and applies. The response is one of
//!
//! - `undo`, as in Linux: recovery ends and the law restores window and threshold from before it;
//! - `eifel`, RFC 4015 section 3, for timeouts:
//!   (0) pipe_prev = max(FlightSize, ssthresh), SRTT_prev = SRTT + 2 G, RTTVAR_prev = RTTVAR;
//!   (8) sending continues with new data, unless the evidence came late (a DSACK);
//!   (9) cwnd = FlightSize + min(bytes_acked, IW), ssthresh = pipe_prev, unless the ACK carries
//!   an ECN echo;
//!   (11) at the first sample from data sent after the timeout SRTT = max(SRTT_prev, sample),
//!   RTTVAR = max(RTTVAR_prev, sample/2), RTO = SRTT + max(G, 4 RTTVAR), within its bounds;
//! - `keep`, RFC 5682 section 4: recovery ends, the reduced window stays.
//!
//! [choice] A timeout during a recovery ends the episode, so that only a recovery that was spurious
//! as a whole is undone. Repeated timeouts for the same segment belong to the first. A congestion
//! mark, and a pause that restarts the window, also end the episode. `rto_backoff_reset` alone
//! decides about the back-off: a delay longer than the timeout is no reason for a shorter timeout.
//! Leaves out DupThresh adaptation. Bytes.

mod dsack;
mod eifel;
mod evidence;
mod frto;

pub(crate) use evidence::{Evidence, SenderView};
pub(crate) use frto::Gate;

use airtcp_units::{Nanos, Narrow, Span};

use crate::tcp::config::{Frto, SpuriousResponse, TcpConfig};
use crate::tcp::stats::TcpStats;
use dsack::Reports;
use eifel::Eifel;
use frto::{Finding, FrtoState};

/// The evidence that shows a recovery to be spurious.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Detector {
    Dsack,
    Eifel,
    Frto,
}

/// The sender at the beginning of a recovery, before the report to the law.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StateBefore {
    pub(crate) timeout: bool,
    /// The law will receive a report of the recovery.
    pub(crate) reduced: bool,
    /// Range of the outstanding data.
    pub(crate) from: u64,
    pub(crate) to: u64,
    pub(crate) ssthresh: u64,
    /// SRTT and RTTVAR.
    pub(crate) smoothed: Option<(Span, Span)>,
    /// ECN's CWR flag and the offset up to which marks are answered.
    pub(crate) ecn: (bool, u64),
}

/// A recovery that may turn out to be spurious.
#[derive(Debug, Clone)]
struct Episode {
    before: StateBefore,
    eifel: Eifel,
    reports: Reports,
}

/// RFC 4015 step 11: values for the timer at the first sample beyond `beyond`.
#[derive(Debug, Clone, Copy)]
struct Adapt {
    beyond: u64,
    srtt: Span,
    rttvar: Span,
}

/// Actions of the sender after an acknowledgement.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Verdict {
    /// Duplicates for data sent by now count again (`recover`).
    pub(crate) recover_here: bool,
    pub(crate) limit_cwnd: Option<u64>,
    /// The recovery was spurious.
    pub(crate) undo: Option<Undo>,
}

/// A spurious recovery: what is undone, and the evidence.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Undo {
    by: Detector,
    timeout: bool,
    /// Recovery ends if it runs.
    pub(crate) ends_repair: bool,
    pub(crate) restore: Option<Restore>,
}

/// Values that an undo restores.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Restore {
    /// ECN's CWR flag and the offset up to which marks are answered.
    pub(crate) ecn: (bool, u64),
    /// RFC 4015 step 9: `pipe_prev`, and `min(bytes_acked, IW)`.
    pub(crate) eifel: Option<(u64, u64)>,
}

impl Undo {
    /// Counts the undo once by its kind and once by its evidence.
    pub(crate) const fn count(&self, stats: &mut TcpStats) {
        *match self.by {
            Detector::Dsack => &mut stats.spurious_by_dsack,
            Detector::Eifel => &mut stats.spurious_by_eifel,
            Detector::Frto => &mut stats.spurious_by_frto,
        } += 1;
        *if self.timeout {
            &mut stats.spurious_timeouts
        } else {
            &mut stats.spurious_fast_retransmits
        } += 1;
    }
}

/// The detector of spurious recoveries.
#[derive(Debug, Clone, Default)]
pub(crate) struct Spurious {
    episode: Option<Episode>,
    frto: FrtoState,
    adapt: Option<Adapt>,
}

impl Spurious {
    /// Whether `config` asks for any detector.
    pub(crate) const fn is_wanted(config: &TcpConfig) -> bool {
        config.dsack_undo || config.eifel_detection || !matches!(config.frto, Frto::Off)
    }

    /// True while a recovery may still be undone.
    #[inline]
    pub(crate) const fn is_on(&self) -> bool {
        self.episode.is_some()
    }

    /// The law receives a report of the episode after all.
    pub(crate) const fn note_reduction(&mut self) {
        if let Some(episode) = &mut self.episode {
            episode.before.reduced = true;
        }
    }

    /// Ends the possibility of an undo.
    pub(crate) fn forget(&mut self) {
        self.episode = None;
        self.frto.stop();
    }

    /// Everything of the recovery is acknowledged.
    pub(crate) const fn on_recovered(&mut self) {
        self.frto.stop();
    }

    pub(crate) fn begin(&mut self, before: StateBefore) {
        let (eifel, reports) = (Eifel::default(), Reports::default());
        self.episode = Some(Episode { before, eifel, reports });
    }

    /// The retransmission timer has expired. `open`: no recovery ran before; `again`: it expired
    /// for the same segment again; `kept`: the timeout kept the SACK information. If F-RTO begins,
    /// returns the offset up to which the scoreboard watches for SACKs of originals.
    pub(crate) fn on_timeout(
        &mut self,
        (open, again, kept): (bool, bool, bool),
        view: &SenderView<'_>,
    ) -> Option<u64> {
        self.frto.stop();
        let begins = match view.config.frto {
            Frto::Off => false,
            Frto::Rfc5682 => open,
            Frto::Linux => open || again,
        };
        (begins && self.is_on()).then(|| self.frto.begin(kept, view))
    }

    /// A segment `start..end` of payload is retransmitted, not for the first time if `before`.
    #[inline]
    pub(crate) fn on_retransmission(
        &mut self,
        now: Nanos,
        (start, end): (u64, u64),
        (una, before): (u64, bool),
        config: &TcpConfig,
    ) {
        if let Some(episode) = &mut self.episode
            && (episode.before.from..episode.before.to).contains(&start)
        {
            // RFC 3522 requires the first retransmission of the oldest segment.
            episode.eifel.on_retransmission(now, !before && start == una);
            if config.dsack_undo {
                episode.reports.on_sent(start, end);
            }
        }
    }

    /// The first SACK block reports `start..end` as a duplicate.
    pub(crate) fn on_duplicate_report(&mut self, start: u64, end: u64) {
        if let Some(episode) = &mut self.episode {
            episode.reports.on_report(start, end);
        }
    }

    /// A duplicate ACK arrived in the slow start after a timeout.
    pub(crate) fn on_duplicate(&mut self, mss: u64) {
        self.frto.on_duplicate(mss);
    }

    /// Bytes that duplicates add to the window of the slow start after a real timeout.
    pub(crate) const fn credit(&self) -> u64 {
        self.frto.credit()
    }

    /// F-RTO's restriction; `timed_out` while the segment of the timeout has not left.
    #[inline]
    pub(crate) const fn gate(&self, timed_out: bool) -> Gate {
        self.frto.gate(timed_out)
    }

    /// New data left during F-RTO.
    #[inline]
    pub(crate) const fn on_new(&mut self) {
        self.frto.on_new();
    }

    /// Processes an acknowledgement before recovery does.
    pub(crate) fn on_ack(&mut self, ack: &Evidence, view: &SenderView<'_>) -> Verdict {
        let mut verdict = Verdict::default();
        let Some(episode) = &mut self.episode else { return verdict };
        let (config, all) = (view.config, view.una == view.nxt);
        let by = if episode.reports.all_reported() {
            Detector::Dsack
        } else if config.eifel_detection
            && episode.eifel.is_spurious(ack, all, config.timestamp_tick)
        {
            Detector::Eifel
        } else {
            match self.frto.on_ack(ack, view) {
                Finding::Spurious => Detector::Frto,
                Finding::Undecided => return verdict,
                Finding::Advanced(limit_cwnd) => {
                    return Verdict { recover_here: true, limit_cwnd, undo: None };
                }
                Finding::Real(limit) => {
                    return Verdict { limit_cwnd: Some(limit), ..verdict };
                }
            }
        };
        verdict.undo = self.undo(by, ack, view);
        verdict
    }

    /// Ends the episode and returns what is undone.
    fn undo(&mut self, by: Detector, ack: &Evidence, view: &SenderView<'_>) -> Option<Undo> {
        let before = self.episode.take()?.before;
        self.frto.stop();
        let response = view.config.spurious_response;
        let eifel = response == SpuriousResponse::Eifel && before.timeout;
        let restores = response != SpuriousResponse::Keep && before.reduced && !ack.ece;
        let restore = restores.then(|| {
            let initial = view.config.initial_window_bytes(u32::narrow(view.mss));
            let pipe_prev = (before.to - before.from).max(before.ssthresh);
            Restore { ecn: before.ecn, eifel: eifel.then(|| (pipe_prev, ack.acked.min(initial))) }
        });
        if restores && eifel {
            let granularity = view.config.rto_granularity;
            self.adapt = before.smoothed.map(|(srtt, rttvar)| Adapt {
                beyond: before.to,
                srtt: srtt + granularity * 2,
                rttvar,
            });
        }
        // RFC 4015 step 7: after LATE_SPUR_TO the recovery continues.
        let ends_repair = !(eifel && by == Detector::Dsack);
        Some(Undo { by, timeout: before.timeout, ends_repair, restore })
    }

    /// A round-trip sample of an ACK up to `ack`. RFC 4015 step 11 takes the first sample of data
    /// sent after the timeout: in that case returns SRTT_prev and RTTVAR_prev.
    #[inline]
    pub(crate) fn take_adaptation(&mut self, ack: u64) -> Option<(Span, Span)> {
        self.adapt.take_if(|a| ack > a.beyond).map(|a| (a.srtt, a.rttvar))
    }
}
