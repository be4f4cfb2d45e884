//! BBR version 1, draft-cardwell-iccrg-bbr-congestion-control-00 (2017).
//!
//! BtlBw is the greatest delivery rate of ten round trips, RTprop the least round-trip time of ten
//! seconds. Startup doubles the rate each round until BtlBw grows by less than a quarter in three,
//! Drain empties the queue that this left, ProbeBW cycles the pacing gain through 5/4, 3/4 and six
//! times 1, ProbeRTT holds four segments in flight for 200 ms if RTprop was not seen again for ten
//! seconds. The window is two BDPs (Startup: 2.89) and three send quanta. A loss does not change the
//! model: the first round of a recovery conserves packets, later ones send at most two for one,
//! and its end restores the window.
//!
//! Where the draft leaves room: a quantum is a figure of the window's budget only, segments leave
//! one by one; the first smoothed round-trip time, if the handshake had none, sets the
//! initial pacing rate anew, as in Linux. Left out, since the draft does not know them: Linux's
//! policer detection and ACK-aggregation allowance; an answer to ECN marks. Linux paces 1 % below
//! the estimate: `pacing_margin`.

use airtcp_units::{BitRate, Nanos, Span};

mod config;
mod window;

pub use config::Bbr1Config;

use super::filters::{Draws, Held, Rounds, WindowedMax};
use super::{promises, rate_of, volume};
use crate::congestion::{
    AckSample, Congestion, CongestionControl, CongestionKind, Idle, LawParams, LawState, Promises,
    RateSample,
};

/// `pacing_gain_cycle` of ProbeBW.
const GAIN_CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
/// A round in which BtlBw grew by less than this factor counts towards a full pipe.
const FULL_BW_GROWTH: f64 = 1.25;
/// So many such rounds.
const FULL_BW_COUNT: u32 = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Startup,
    Drain,
    ProbeBw,
    ProbeRtt,
}

/// Where loss recovery stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Repair {
    None,
    /// Fast recovery began, the ACK that began it is still to come.
    Entering,
    Running,
}

/// BBR version 1.
#[derive(Debug, Clone)]
pub struct Bbr1 {
    config: Bbr1Config,
    params: LawParams,
    state: State,
    pacing_gain: f64,
    cwnd_gain: f64,
    cwnd: u64,
    prior_cwnd: u64,
    /// Bits per second.
    pacing_rate: f64,
    has_seen_rtt: bool,
    btlbw: WindowedMax,
    rounds: Rounds,
    rtprop: Option<Span>,
    rtprop_stamp: Nanos,
    rtprop_expired: bool,
    probe_rtt_done_stamp: Option<Nanos>,
    probe_rtt_round_done: bool,
    filled_pipe: bool,
    full_bw: u64,
    full_bw_count: u32,
    cycle_index: usize,
    cycle_stamp: Nanos,
    repair: Repair,
    packet_conservation: bool,
    idle_restart: bool,
    held: Held,
    draws: Draws,
}

impl Bbr1 {
    /// A law that waits for [`CongestionControl::start`].
    pub fn new(config: &Bbr1Config) -> Self {
        Self {
            config: *config,
            params: LawParams::default(),
            state: State::Startup,
            pacing_gain: config.high_gain,
            cwnd_gain: config.high_gain,
            cwnd: 1,
            prior_cwnd: 0,
            pacing_rate: 1.0,
            has_seen_rtt: false,
            btlbw: WindowedMax::new(u64::from(config.btlbw_filter_len)),
            rounds: Rounds::default(),
            rtprop: None,
            rtprop_stamp: Nanos::ZERO,
            rtprop_expired: false,
            probe_rtt_done_stamp: None,
            probe_rtt_round_done: false,
            filled_pipe: false,
            full_bw: 0,
            full_bw_count: 0,
            cycle_index: 0,
            cycle_stamp: Nanos::ZERO,
            repair: Repair::None,
            packet_conservation: false,
            idle_restart: false,
            held: Held::default(),
            draws: Draws::default(),
        }
    }

    /// RTprop: the least round-trip time of the filter's window.
    pub const fn min_rtt(&self) -> Option<Span> {
        self.rtprop
    }

    fn mss(&self) -> u64 {
        u64::from(self.params.mss)
    }

    fn min_pipe_cwnd(&self) -> u64 {
        self.mss().saturating_mul(u64::from(self.config.min_pipe_cwnd))
    }

    /// `BBRInitPacingRate`.
    fn init_pacing_rate(&mut self, srtt: Option<Span>) {
        self.has_seen_rtt = srtt.is_some();
        let srtt = srtt.unwrap_or(Span::from_millis(1));
        self.pacing_rate = self.pacing_gain * rate_of(self.params.initial_window, srtt);
    }

    fn enter_startup(&mut self) {
        self.state = State::Startup;
        (self.pacing_gain, self.cwnd_gain) = (self.config.high_gain, self.config.high_gain);
    }

    fn enter_probe_bw(&mut self, now: Nanos) {
        self.state = State::ProbeBw;
        (self.pacing_gain, self.cwnd_gain) = (1.0, self.config.cwnd_gain);
        // Any phase but that of 3/4 comes first.
        self.cycle_index = GAIN_CYCLE.len() - 1 - self.draws.below(7) as usize;
        self.advance_cycle_phase(now);
    }

    fn advance_cycle_phase(&mut self, now: Nanos) {
        self.cycle_stamp = now;
        self.cycle_index = (self.cycle_index + 1) % GAIN_CYCLE.len();
        self.pacing_gain = GAIN_CYCLE[self.cycle_index];
    }

    /// `BBRSetSendQuantum`.
    fn send_quantum(&self) -> u64 {
        let bps = self.pacing_rate;
        if bps < 1.2e6 {
            self.mss()
        } else if bps < 24e6 {
            2 * self.mss()
        } else {
            ((bps / 8e3) as u64).min(65_536)
        }
    }

    /// `BBRInflight`.
    fn inflight(&self, gain: f64) -> u64 {
        self.rtprop.map_or(self.params.initial_window, |rtprop| {
            let quanta = 3 * self.send_quantum();
            volume(gain, self.btlbw.get(), rtprop).saturating_add(quanta)
        })
    }

    /// `BBRUpdateBtlBw`.
    fn update_btlbw(&mut self, ack: &AckSample) {
        let Some(sample) = &ack.rate else {
            self.rounds.start = false;
            return;
        };
        self.rounds.update(sample.prior_delivered, ack.total_delivered);
        if self.rounds.start {
            self.packet_conservation = false;
        }
        let rate = sample.rate().map_or(0, BitRate::bps);
        if rate >= self.btlbw.get() || !self.held.limits(sample) {
            let window = u64::from(self.config.btlbw_filter_len);
            self.btlbw.update(rate, self.rounds.count, window);
        }
    }

    /// `BBRCheckCyclePhase`.
    fn check_cycle_phase(&mut self, now: Nanos, ack: &AckSample) {
        if self.state != State::ProbeBw {
            return;
        }
        let full_length = self.rtprop.is_some_and(|r| now.since(self.cycle_stamp) > r);
        let next = if self.pacing_gain > 1.0 {
            full_length && (ack.lost > 0 || ack.prior_pipe >= self.inflight(self.pacing_gain))
        } else if self.pacing_gain < 1.0 {
            full_length || ack.prior_pipe <= self.inflight(1.0)
        } else {
            full_length
        };
        if next {
            self.advance_cycle_phase(now);
        }
    }

    /// `BBRCheckFullPipe`.
    fn check_full_pipe(&mut self, sample: Option<&RateSample>) {
        let limited = sample.is_none_or(|s| self.held.limits(s));
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

    /// `BBRCheckDrain`.
    fn check_drain(&mut self, now: Nanos, pipe: u64) {
        if self.state == State::Startup && self.filled_pipe {
            self.state = State::Drain;
            (self.pacing_gain, self.cwnd_gain) =
                (1.0 / self.config.high_gain, self.config.high_gain);
        }
        if self.state == State::Drain && pipe <= self.inflight(1.0) {
            self.enter_probe_bw(now);
        }
    }

    /// `BBRUpdateRTprop`.
    fn update_rtprop(&mut self, now: Nanos, rtt: Option<Span>) {
        self.rtprop_expired = now > self.rtprop_stamp + self.config.rtprop_filter_len;
        if let Some(rtt) = rtt
            && (self.rtprop_expired || self.rtprop.is_none_or(|r| rtt <= r))
        {
            self.rtprop = Some(rtt);
            self.rtprop_stamp = now;
        }
    }

    /// `BBRCheckProbeRTT`.
    fn check_probe_rtt(&mut self, now: Nanos, ack: &AckSample) {
        if self.state != State::ProbeRtt && self.rtprop_expired && !self.idle_restart {
            self.save_cwnd();
            self.state = State::ProbeRtt;
            (self.pacing_gain, self.cwnd_gain) = (1.0, 1.0);
            self.probe_rtt_done_stamp = None;
        }
        if self.state == State::ProbeRtt {
            self.handle_probe_rtt(now, ack);
        }
        self.idle_restart = false;
    }

    /// `BBRHandleProbeRTT`.
    fn handle_probe_rtt(&mut self, now: Nanos, ack: &AckSample) {
        self.held.mark(ack.total_delivered, ack.pipe);
        let Some(done) = self.probe_rtt_done_stamp else {
            if ack.pipe <= self.min_pipe_cwnd() {
                self.probe_rtt_done_stamp = Some(now + self.config.probe_rtt_duration);
                self.probe_rtt_round_done = false;
                self.rounds.begin(ack.total_delivered);
            }
            return;
        };
        if self.rounds.start {
            self.probe_rtt_round_done = true;
        }
        if self.probe_rtt_round_done && now > done {
            self.rtprop_stamp = now;
            // `BBRExitProbeRTT`
            if self.filled_pipe {
                self.enter_probe_bw(now);
            } else {
                self.enter_startup();
            }
            self.restore_cwnd();
        }
    }

    /// `BBRSetPacingRateWithGain`.
    fn set_pacing_rate(&mut self, gain: f64) {
        let rate = gain * self.btlbw.get() as f64 * (1.0 - self.config.pacing_margin);
        if rate > 0.0 && (self.filled_pipe || rate > self.pacing_rate) {
            self.pacing_rate = rate;
        }
    }
}

impl CongestionControl for Bbr1 {
    fn start(&mut self, now: Nanos, params: &LawParams) {
        let mut fresh = Self::new(&self.config);
        std::mem::swap(&mut fresh.btlbw, &mut self.btlbw);
        fresh.btlbw.reset();
        fresh.params = LawParams { mss: params.mss.max(1), ..*params };
        fresh.cwnd = params.initial_window;
        fresh.bound_cwnd();
        (fresh.rtprop, fresh.rtprop_stamp) = (params.srtt, now);
        fresh.draws = Draws::new(params.seed);
        fresh.init_pacing_rate(params.srtt);
        *self = fresh;
    }

    fn on_ack(&mut self, now: Nanos, ack: &AckSample) {
        if !self.has_seen_rtt && ack.srtt.is_some() {
            self.init_pacing_rate(ack.srtt);
        }
        self.update_btlbw(ack);
        self.check_cycle_phase(now, ack);
        self.check_full_pipe(ack.rate.as_ref());
        self.check_drain(now, ack.pipe);
        self.update_rtprop(now, ack.rtt);
        self.check_probe_rtt(now, ack);
        self.set_pacing_rate(self.pacing_gain);
        self.set_cwnd(ack);
    }

    fn on_congestion(&mut self, _: Nanos, c: &Congestion) {
        match c.kind {
            // The draft has no answer to marks.
            CongestionKind::EcnCe => {}
            CongestionKind::FastRetransmit if !c.restart => {
                self.save_cwnd();
                // A further episode before the end of recovery (a lost retransmission, or a loss
                // that the ending ACK tells) begins no second first round, as in Linux. The window
                // is set by the ACK that told of the loss, which follows.
                if self.repair == Repair::None {
                    self.repair = Repair::Entering;
                }
            }
            CongestionKind::FastRetransmit | CongestionKind::Rto | CongestionKind::Persistent => {
                self.save_cwnd();
                self.repair = Repair::Running;
                self.packet_conservation = false;
                self.cwnd = self.mss();
            }
        }
    }

    fn on_spurious(&mut self, _: Nanos) {
        self.repair = Repair::None;
        self.packet_conservation = false;
        self.restore_cwnd();
        // A plateau seen in a recovery without reason is none.
        (self.full_bw, self.full_bw_count) = (0, 0);
    }

    /// `BBRHandleRestartFromIdle`.
    fn on_idle(&mut self, _: Nanos, idle: &Idle) {
        if idle.app_limited {
            self.idle_restart = true;
            if self.state == State::ProbeBw {
                self.set_pacing_rate(1.0);
            }
        }
    }

    fn limit_cwnd(&mut self, bytes: u64) {
        self.cwnd = self.cwnd.min(bytes).max(self.mss());
    }

    fn cwnd(&self) -> u64 {
        self.cwnd
    }

    /// The window to which a recovery or ProbeRTT will return.
    fn ssthresh(&self) -> u64 {
        self.cwnd.max(self.prior_cwnd)
    }

    fn pacing_rate(&self) -> Option<BitRate> {
        BitRate::new((self.pacing_rate as u64).max(1))
    }

    fn bandwidth(&self) -> Option<BitRate> {
        BitRate::new(self.btlbw.get())
    }

    fn governs_recovery(&self) -> bool {
        true
    }

    fn promises(&self) -> Promises {
        promises()
    }

    fn state(&self) -> LawState {
        LawState::Other(match self.state {
            State::Startup => "startup",
            State::Drain => "drain",
            State::ProbeBw => "probe-bw",
            State::ProbeRtt => "probe-rtt",
        })
    }
}

#[cfg(test)]
mod tests;
