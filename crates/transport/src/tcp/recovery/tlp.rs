//! TLP: a probe in place of silence when the tail of a flight is lost, RFC 8985 section 7.
//!
//! ```text
//! PTO      2 SRTT, plus the receiver's ACK delay if one segment is in flight; 1 s without SRTT;
//!          not beyond the retransmission timer
//! armed    when new data is sent or acknowledged, outside recovery and with nothing reported
//! probe    new data if there is any and the peer's window allows, else the last segment again;
//!          one at a time, and only after a round-trip sample since the last
//! ```
//!
//! The answer to the probe brings the reports by which RACK finds what is missing. If the probe
//! was the only segment missing there is nothing left to find: an ACK beyond it that no DSACK
//! explains says that the probe has repaired a loss, and the law is told of it (section 7.4.2).
//! After the probe the retransmission timer starts anew. Times in nanoseconds, offsets in bytes.

use airtcp_probe::{Cx, Probe};
use airtcp_units::{Nanos, Span};

use crate::tcp::config::{LossResponse, TcpConfig};
use crate::tcp::sender::{Env, Outgoing, Sender};
use crate::tcp::timers::{Timer, Timers};

/// State of the probe.
#[derive(Debug, Clone)]
pub(super) struct Tlp {
    /// TLP.end_seq: where the probe in flight ends.
    end: Option<u64>,
    /// TLP.is_retrans: it was sent before.
    is_retrans: bool,
    /// Where the segment begins that was the last one then.
    last: u64,
    /// There is a round-trip sample since the last probe.
    sampled: bool,
    /// The next poll sends the probe.
    due: bool,
}

/// What an acknowledgement says about the probe.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProbeAck {
    /// Data outstanding before it.
    pub(crate) flight: u64,
    /// Where the duplicate ends that it reports, if it does.
    pub(crate) dsack_end: Option<u64>,
    /// It is a duplicate ACK and reports nothing.
    pub(crate) bare_duplicate: bool,
}

impl Tlp {
    pub(super) const fn new() -> Self {
        Self { end: None, is_retrans: false, last: 0, sampled: false, due: false }
    }

    /// Section 7.1.
    pub(super) const fn reset(&mut self) {
        self.end = None;
        self.is_retrans = false;
        self.due = false;
    }
}

impl Sender {
    /// A round-trip time was measured.
    #[inline]
    pub(crate) const fn tlp_on_sample(&mut self) {
        self.recovery.rack.tlp.sampled = true;
    }

    /// TLP_calc_PTO without its last line.
    fn pto(&self, config: &TcpConfig) -> Span {
        let Some(srtt) = self.rtt.srtt() else { return config.tlp_initial };
        let delay = if self.board.len() == 1 { config.tlp_max_ack_delay } else { Span::ZERO };
        srtt * u64::from(config.tlp_srtts) + delay
    }

    /// New data was sent or acknowledged: the probe timer starts anew if it may run
    /// (section 7.2).
    #[inline]
    pub(crate) fn schedule_probe(&mut self, now: Nanos, env: &mut Env<'_>) {
        if !(env.config.tlp && self.is_rack()) {
            return;
        }
        let wanted = self.recovery.is_open() && self.board.segments_sacked() == 0;
        if self.in_flight() == 0 || !wanted {
            if env.timers.is_running(Timer::LossProbe) {
                self.stop_loss_timers(now, env.timers);
            }
            return;
        }
        if env.timers.is_running(Timer::Reordering) {
            return;
        }
        let at = (now + self.pto(env.config)).min(env.timers.get(Timer::Retransmit));
        env.timers.set(Timer::LossProbe, at);
    }

    /// The probe timer expired (section 7.3).
    pub(crate) fn on_probe_timer(&mut self, now: Nanos, timers: &mut Timers) {
        if self.in_flight() > 0 {
            let tlp = &mut self.recovery.rack.tlp;
            tlp.due = tlp.end.is_none() && tlp.sampled;
            // Whatever came of it, the retransmission timer runs from now on.
            self.arm(now, timers);
        }
    }

    /// Whether the next segment to leave is a probe.
    #[inline]
    pub(crate) const fn is_loss_probe_due(&self) -> bool {
        self.recovery.rack.tlp.due
    }

    /// TLP_send_probe.
    pub(crate) fn send_loss_probe(
        &mut self,
        now: Nanos,
        options: u32,
        env: &mut Env<'_>,
    ) -> Option<Outgoing> {
        self.recovery.rack.tlp.due = false;
        let last = self.board.len().checked_sub(1)?;
        let start = self.board.get(last).map_or(0, |s| s.start);
        let new = self.send_unsent(now, options, env);
        let is_retrans = new.is_none();
        let out = if is_retrans { self.send_again(now, last, true, env) } else { new };
        env.stats.loss_probes += 1;
        let tlp = &mut self.recovery.rack.tlp;
        (tlp.end, tlp.is_retrans, tlp.sampled) = (Some(self.nxt), is_retrans, false);
        tlp.last = start;
        // Sending new data has started the timer; for a probe it does not run.
        env.timers.stop(Timer::LossProbe);
        self.arm(now, env.timers);
        out
    }

    /// TLP_process_ack, with SND.UNA already moved.
    pub(crate) fn tlp_on_ack<P: Probe>(
        &mut self,
        now: Nanos,
        ack: ProbeAck,
        env: &mut Env<'_>,
        cx: &mut Cx<'_, P>,
    ) {
        let tlp = &mut self.recovery.rack.tlp;
        let Some(end) = tlp.end.filter(|end| self.una >= *end) else { return };
        if !tlp.is_retrans || ack.dsack_end == Some(end) {
            tlp.end = None;
        } else if self.una > end {
            tlp.end = None;
            self.on_probe_repaired(now, ack.flight, env, cx);
        } else if ack.bare_duplicate {
            tlp.end = None;
        }
    }

    /// The probe filled a hole: the law is told of the loss, once a window as of any other.
    fn on_probe_repaired<P: Probe>(
        &mut self,
        now: Nanos,
        flight: u64,
        env: &mut Env<'_>,
        cx: &mut Cx<'_, P>,
    ) {
        env.stats.loss_probe_repairs += 1;
        let answered = env.ecn.enabled && self.una < env.ecn.marked_up_to;
        let told = match env.config.loss_response {
            LossResponse::Always => true,
            LossResponse::EcnOnly => false,
            LossResponse::TpLda => self.judge_tail(now, self.recovery.rack.tlp.last, env, cx),
        };
        if answered || !told {
            return;
        }
        self.react(now, flight, env);
    }
}
