//! BBR version 1, draft-cardwell-iccrg-bbr-congestion-control-00 (2017).
//!
//! BtlBw is the maximum delivery rate of ten round trips, RTprop the minimum round-trip time of ten
//! seconds. Startup doubles the rate each round until BtlBw grows by less than a quarter in three
//! rounds. Drain empties the queue of Startup. ProbeBW cycles the pacing gain through 5/4, 3/4 and
//! six times 1. ProbeRTT holds four segments in flight for 200 ms if no sample was as low as RTprop
//! for ten seconds. The window is two BDPs (Startup: 2.89) and three send quanta. A loss does not
//! change the model. It begins a recovery: in the first round the sender sends one segment for each
//! delivered, in later rounds at most two. When the recovery ends, the sender restores the window.
//!
//! Where the draft leaves room: pacing spaces single segments, so that the send quantum only adds
//! to the window. If the handshake gave no round-trip time, the first smoothed one sets the initial
//! pacing rate again, as in Linux. The draft has no response to ECN marks, and neither has this
//! law.
//!
//! By Linux's rules (`rules = "linux"`, or `law_rules` of the connection) the law detects policers
//! ([`policer`]), allows for ACK aggregation ([`aggregation`]), paces 1 % below the estimate, sends
//! new data in quanta, and uses windows of an even number of segments. It leaves out three parts of
//! Linux: earliest departure times, an unpaced first window, and the wait for a whole quantum if
//! the window has room for less.

use airtcp_units::{BitRate, Nanos, Saturate, Span};

mod aggregation;
mod config;
mod model;
mod policer;
mod states;
mod window;

pub use config::Bbr1Config;

use self::aggregation::Aggregation;
use self::policer::{Policer, Progress};
use super::filters::{Draws, Rounds, SelfLimited, WindowedMax};
use super::{promises, rate_of};
use crate::{
    AckSample, Congestion, CongestionControl, CongestionKind, Idle, LawParams, LawRules, LawState,
    Promises,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Startup,
    Drain,
    ProbeBw,
    ProbeRtt,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RecoveryKind {
    None,
    /// Fast recovery began; the ACK that began it has not reached the law yet.
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
    recovery: RecoveryKind,
    packet_conservation: bool,
    idle_restart: bool,
    self_limited: SelfLimited,
    draws: Draws,
    linux: bool,
    pacing_margin: f64,
    policer_detection: bool,
    policer: Policer,
    total_delivered: u64,
    total_lost: u64,
    ack_aggregation: bool,
    aggregation: Aggregation,
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
            recovery: RecoveryKind::None,
            packet_conservation: false,
            idle_restart: false,
            self_limited: SelfLimited::default(),
            draws: Draws::default(),
            linux: false,
            pacing_margin: 0.0,
            policer_detection: false,
            policer: Policer::default(),
            total_delivered: 0,
            total_lost: 0,
            ack_aggregation: false,
            aggregation: Aggregation::default(),
        }
    }

    /// RTprop: the minimum round-trip time of the filter's window.
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

    /// `BBRSetPacingRateWithGain`.
    fn set_pacing_rate(&mut self, gain: f64) {
        let rate = gain * self.bw() as f64 * (1.0 - self.pacing_margin);
        if rate > 0.0 && (self.filled_pipe || rate > self.pacing_rate) {
            self.pacing_rate = rate;
        }
    }
}

impl Bbr1 {
    /// Linux's policer detection counts a timeout as a loss at the end of a round. Startup's
    /// full-pipe estimate begins again.
    fn on_timeout_linux(&mut self, now: Nanos) {
        if self.linux {
            self.full_bw = 0;
        }
        if self.policer_detection {
            let (delivered, lost) = (self.total_delivered, self.total_lost);
            self.detect_policer(&Progress {
                now,
                round_start: true,
                losses: true,
                app_limited: false,
                probing: self.state == State::ProbeBw,
                delivered,
                lost,
            });
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
        let config = &self.config;
        let linux = config.rules.unwrap_or(params.rules) == LawRules::Linux;
        fresh.linux = linux;
        fresh.pacing_margin = config.pacing_margin.unwrap_or(if linux { 0.01 } else { 0.0 });
        fresh.policer_detection = config.policer_detection.unwrap_or(linux);
        fresh.ack_aggregation = config.ack_aggregation.unwrap_or(linux);
        fresh.aggregation = Aggregation::new(now);
        fresh.init_pacing_rate(params.srtt);
        *self = fresh;
    }

    fn on_ack(&mut self, now: Nanos, ack: &AckSample) {
        if !self.has_seen_rtt && ack.srtt.is_some() {
            self.init_pacing_rate(ack.srtt);
        }
        self.update_btlbw(ack);
        self.update_linux(now, ack);
        self.check_cycle_phase(now, ack);
        self.check_full_pipe(ack.rate.as_ref());
        self.check_drain(now, ack.pipe);
        self.update_rtprop(now, ack.rtt);
        self.check_probe_rtt(now, ack);
        self.set_pacing_rate(self.pacing_gain);
        self.set_cwnd(ack);
    }

    fn on_congestion(&mut self, now: Nanos, c: &Congestion) {
        match c.kind {
            // The draft has no response to marks.
            CongestionKind::EcnCe => {}
            CongestionKind::FastRetransmit if !c.restart => {
                self.save_cwnd();
                // A further episode before the end of recovery begins no second first round, as in
                // Linux. It comes from a lost retransmission, or from a loss that the ending ACK
                // reports. The ACK that reported the loss follows and sets the window.
                if self.recovery == RecoveryKind::None {
                    self.recovery = RecoveryKind::Entering;
                }
            }
            CongestionKind::FastRetransmit | CongestionKind::Rto | CongestionKind::Persistent => {
                self.save_cwnd();
                self.recovery = RecoveryKind::Running;
                self.packet_conservation = false;
                self.cwnd = self.mss();
                self.on_timeout_linux(now);
            }
        }
    }

    fn on_spurious(&mut self, _: Nanos) {
        self.recovery = RecoveryKind::None;
        self.packet_conservation = false;
        self.restore_cwnd();
        self.policer.reset();
        // A plateau during a spurious recovery does not count.
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

    /// The window that the law restores after a recovery or ProbeRTT.
    fn ssthresh(&self) -> u64 {
        self.cwnd.max(self.prior_cwnd)
    }

    fn pacing_rate(&self) -> Option<BitRate> {
        BitRate::new(u64::saturate(self.pacing_rate).max(1))
    }

    fn bandwidth(&self) -> Option<BitRate> {
        BitRate::new(self.bw())
    }

    fn send_quantum(&self) -> Option<u64> {
        self.linux.then(|| self.quantum())
    }

    fn governs_recovery(&self) -> bool {
        true
    }

    fn follows_model(&self) -> bool {
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
