//! Path model of BBR version 1, section 4.1 of the draft: BtlBw, RTprop, the target inflight, and
//! whether the pipe is full (section 4.3).

use airtcp_units::{BitRate, Nanos, Saturate, Span};

use super::super::volume;
use super::policer::{Progress, Verdict};
use super::{Bbr1, State};
use crate::{AckSample, RateSample};

/// A round in which BtlBw grew by less than this factor counts towards a full pipe.
const FULL_BW_GROWTH: f64 = 1.25;
/// Number of such rounds after which the pipe is full.
const FULL_BW_COUNT: u32 = 3;

impl Bbr1 {
    /// `BBRSetSendQuantum`.
    pub(super) fn quantum(&self) -> u64 {
        let bps = self.pacing_rate;
        if bps < 1.2e6 {
            self.mss()
        } else if bps < 24e6 {
            2 * self.mss()
        } else {
            u64::saturate(bps / 8e3).min(65_536)
        }
    }

    /// `bbr_bw` of Linux: the rate of a policer, if one was found.
    pub(super) fn bw(&self) -> u64 {
        self.policer.rate().unwrap_or_else(|| self.btlbw.get())
    }

    /// `bbr_quantization_budget` of Linux: an even number of segments, which avoids delayed ACKs,
    /// and two more while probing, so that small windows can rise.
    fn whole(&self, inflight: u64) -> u64 {
        let pairs = inflight.div_ceil(2 * self.mss());
        let probing = self.state == State::ProbeBw && self.cycle_index == 0;
        (pairs + u64::from(probing)).saturating_mul(2 * self.mss())
    }

    /// `BBRInflight`.
    pub(super) fn inflight(&self, gain: f64) -> u64 {
        self.rtprop.map_or(self.params.initial_window, |rtprop| {
            let quanta = 3 * self.quantum();
            let inflight = volume(gain, self.bw(), rtprop).saturating_add(quanta);
            if self.linux { self.whole(inflight) } else { inflight }
        })
    }

    /// `BBRUpdateBtlBw`.
    pub(super) fn update_btlbw(&mut self, ack: &AckSample) {
        let Some(sample) = &ack.rate else {
            self.rounds.start = false;
            return;
        };
        self.rounds.update(sample.prior_delivered, ack.total_delivered);
        if self.rounds.start {
            self.packet_conservation = false;
        }
        let rate = sample.rate().map_or(0, BitRate::bps);
        if rate >= self.btlbw.get() || !self.self_limited.limits(sample) {
            let window = u64::from(self.config.btlbw_filter_len);
            self.btlbw.update(rate, self.rounds.count, window);
        }
    }

    /// Linux's estimates that the draft does not have: policers and ACK aggregation.
    pub(super) fn update_linux(&mut self, now: Nanos, ack: &AckSample) {
        let Some(sample) = &ack.rate else { return };
        let limited = self.self_limited.limits(sample);
        if self.policer_detection {
            self.detect_policer(&Progress {
                now,
                round_start: self.rounds.start,
                losses: ack.lost > 0,
                app_limited: limited,
                probing: self.state == State::ProbeBw,
                delivered: ack.total_delivered,
                lost: ack.total_lost,
            });
            (self.total_delivered, self.total_lost) = (ack.total_delivered, ack.total_lost);
        }
        if self.ack_aggregation && ack.delivered > 0 {
            let (when, progress) = ((now, self.rounds.start), (ack.delivered, self.mss()));
            let (bw, cwnd) = (self.bw(), self.cwnd);
            self.aggregation.update(when, progress, bw, cwnd);
        }
    }

    pub(super) fn detect_policer(&mut self, progress: &Progress) {
        match self.policer.update(progress) {
            Verdict::Nothing => {}
            Verdict::Policed => self.pacing_gain = 1.0,
            Verdict::Expired => self.enter_probe_bw(progress.now),
        }
    }

    /// `BBRCheckFullPipe`.
    pub(super) fn check_full_pipe(&mut self, sample: Option<&RateSample>) {
        let limited = sample.is_none_or(|s| self.self_limited.limits(s));
        if self.filled_pipe || !self.rounds.start || limited {
            return;
        }
        let btlbw = self.btlbw.get();
        if btlbw as f64 >= self.full_bw as f64 * FULL_BW_GROWTH {
            (self.full_bw, self.full_bw_count) = (btlbw, 0);
            return;
        }
        self.full_bw_count += 1;
        self.filled_pipe = self.full_bw_count >= FULL_BW_COUNT;
    }

    /// `BBRUpdateRTprop`.
    pub(super) fn update_rtprop(&mut self, now: Nanos, rtt: Option<Span>) {
        self.rtprop_expired = now > self.rtprop_stamp + self.config.rtprop_filter_len;
        if let Some(rtt) = rtt
            && (self.rtprop_expired || self.rtprop.is_none_or(|r| rtt <= r))
        {
            self.rtprop = Some(rtt);
            self.rtprop_stamp = now;
        }
    }
}
