//! The sender of bulk data: shorter paths for the next acknowledgement and the next segment, after V. Jacobson, "Fast
//! retransmit and header prediction", 1990.
//!
//! Most ACKs acknowledge the next segments and report nothing else, and most segments are the next full one. A sender
//! is *plain* if
//!
//! - recovery is open, with no duplicates, mark, inflation or PRR left (`RecoveryState::is_at_rest`), and the
//!   discipline has nothing to learn from an ACK of new data (`rests`);
//! - nothing is known about an outstanding segment but its departure (`Scoreboard::is_fresh`), so that `pipe` is the
//!   outstanding data, and an ACK of new data finds no losses;
//! - no probe is due or has left beyond NXT, no report of a corruption is left, and losses are not classified;
//! - the ACKs have no count of marks (`accecn.rs`): its bits come around to those of a bare ACK, which would then report
//!   marks;
//! - no timer has expired since the last ACK of new data, and the persist timer does not run.
//!
//! The general path of an ACK (`ack.rs`) finds out at its end whether this holds. Whatever ends it clears the flag:
//! timeouts, probes, retransmissions, reports of corruption, the beginning of a recovery, a closed window. Sending the
//! next data and the next ACK of new data keep it. While it holds, the general paths reduce to the ones below, for
//! these reasons:
//!
//! - An ACK of new data without SACK blocks, echo or mark is no duplicate, and reports no loss. The steps of
//!   `Sender::on_ack` for those have no effect. What is left is the advance, the window, the check for a spurious
//!   recovery, RACK, and the report to the law.
//! - No retransmission, probe or report comes before new data in `Sender::next_data`, and the law's window is the send
//!   window. A full segment that is not the last of the data and lies in the peer's window is ready under every rule of
//!   `Sender::new_data`. All else goes the general way: pauses, pacing that waits, small queues, the end of the data.
//!
//! `tests/predict.rs` compares both paths on random transfers.

use airtcp_packet::Segment;
use airtcp_probe::{Cx, Probe};
use airtcp_units::Nanos;

use super::ack::{Prior, Taken};
use super::{AckInfo, Env, Outgoing, Sender};
use crate::tcp::config::RttSampling;
use crate::tcp::recovery::{Evidence, LossRecovery};
use crate::tcp::scoreboard::SentSegment;
use crate::tcp::timers::{Timer, Timers};
use airtcp_congestion::{AckSample, CongestionControl};

/// The next segment of a plain sender.
pub(crate) enum Plain {
    /// This one.
    Segment(Outgoing),
    /// None, because of the window.
    Held,
    /// The general path decides.
    Unknown,
}

impl Sender {
    #[inline]
    pub(crate) const fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// Finds out whether the sender is plain, after an ACK of new data.
    #[inline]
    pub(super) fn find_plain(&mut self, env: &Env<'_>) {
        self.is_plain = self.recovery.is_at_rest()
            && self.board.is_fresh()
            && self.discipline.rests()
            && self.notices.is_empty()
            && self.differentiation.is_none()
            && self.probed <= self.nxt
            && !self.probe_due
            && !self.override_sws
            && !self.discipline.is_probe_due()
            && !env.ecn.is_accurate()
            && !env.timers.is_running(Timer::Persist);
    }

    /// A segment arrived at `seq`, which is beyond those before, with nothing outstanding. If it has the same ACK and the same
    /// window as the last one, only its place is new to [`on_idle_ack`](Self::on_idle_ack): this notes it, and returns true.
    /// Otherwise false, and also if SACK blocks or TLP have a say or the persist timer runs.
    #[inline]
    pub(crate) fn takes_idle_ack_again(
        &mut self,
        seq: u64,
        segment: &Segment,
        timers: &Timers,
    ) -> bool {
        let again = self.window_ack == self.una
            && self.scaled(segment.window) == self.peer_window
            && self.window_seq <= seq
            && !self.window_of_syn
            && !self.is_rack()
            && segment.sacks().is_empty()
            && !timers.is_running(Timer::Persist);
        if again {
            self.window_seq = seq;
        }
        again
    }

    /// An ACK of new data arrived that was sent once, without SACK blocks, echo or mark; the sender is plain.
    #[inline]
    pub(crate) fn on_plain_ack<P: Probe>(
        &mut self,
        now: Nanos,
        info: &AckInfo,
        window: u16,
        env: &mut Env<'_>,
        cx: &mut Cx<'_, P>,
    ) {
        debug_assert_eq!(self.board.pipe(), self.in_flight(), "a segment counts other than once");
        self.heard = now;
        let prior = Prior {
            una: self.una,
            in_network: self.in_flight(),
            flight: self.in_flight(),
            delivered: self.rate.delivered(),
            lost: self.board.lost_total(),
            dsacks: env.stats.dsacks,
        };
        if self.is_rack() {
            self.board.rack_before_ack(self.rtt.min_rtt(), info.echoed);
        }
        let acked = self.board.ack_fresh(info.ack, now, &mut self.rate);
        let newest = self.advance(now, info, (acked, None), env, cx);
        let rtt = newest.map(|sent| now.since(sent));
        if let Some(rtt) = rtt {
            self.rtt.note_min(rtt);
        }
        self.update_window(info.seq, info.ack, self.scaled(window));
        let acked = info.ack - prior.una;
        if self.spurious.is_on() {
            let dsack = (false, prior.dsacks > 0);
            let evidence = Evidence { acked, dsack, echo: info.echoed, ..Evidence::default() };
            self.detect_spurious(now, &evidence, env, cx);
        }
        if self.is_rack() {
            // A recovery may begin.
            self.loss_detection(now, (prior.una, prior.dsacks, false), env, cx);
            let taken = Taken { acked, new: true, rtt, ..Taken::default() };
            self.report_ack(now, &prior, &taken, env.config);
            return;
        }
        let total_lost = self.board.lost_total();
        let sample = AckSample {
            acked,
            delivered: self.rate.delivered() - prior.delivered,
            pipe: self.in_flight(),
            prior_pipe: prior.in_network,
            total_delivered: self.rate.delivered(),
            total_lost,
            acked_up_to: self.una,
            sent_up_to: self.nxt,
            rtt,
            srtt: self.rtt.srtt(),
            min_rtt: self.rtt.min_rtt(),
            rate: self.rate.take(self.rtt.min_rtt(), total_lost),
            cwnd_limited: prior.una < self.window_limited_to
                || self.grows_below_device_limit(prior.flight),
            ..AckSample::default()
        };
        self.law.on_ack(now, &sample);
    }

    /// The next segment at `now`, of a plain sender whose segments carry no SACK blocks.
    #[inline]
    pub(crate) fn next_plain(&mut self, now: Nanos, env: &mut Env<'_>) -> Plain {
        let (start, len) = (self.nxt, u64::from(self.mss));
        let outstanding = self.in_flight();
        let is_full = start + len < self.stream_end() && start + len <= self.edge;
        let waits = now < self.pacer.next || now < self.hold_until || self.small_queue.is_some();
        if !is_full || waits || outstanding == 0 {
            return Plain::Unknown;
        }
        let window = self.law.cwnd().min(self.window_cap).max(len);
        if outstanding + len > window {
            self.hold_for_window(now, window);
            return Plain::Held;
        }
        let snapshot = self.snapshot(now, self.mss);
        self.board.push(SentSegment::new(start, self.mss, false, now, snapshot));
        self.nxt += len;
        if self.timed.is_none() && env.config.rtt_sampling == RttSampling::OnePerRoundTrip {
            self.timed = Some((self.nxt, now));
        }
        if !env.timers.is_running(Timer::Retransmit) {
            self.arm(now, env.timers);
        }
        self.after_sending(now, self.mss, false, env.config);
        self.schedule_probe(now, env);
        Plain::Segment(Outgoing {
            start,
            len: self.mss,
            fin: false,
            push: false,
            retransmission: false,
            ect: env.ecn.enabled,
            cwr: std::mem::take(&mut env.ecn.cwr),
        })
    }
}
