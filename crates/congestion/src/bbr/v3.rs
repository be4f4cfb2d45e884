//! BBR version 3, draft-ietf-ccwg-bbr-06 (July 2026), section 5.
//!
//! The long-term model is `max_bw` over two ProbeBW cycles and `inflight_longterm`, which is set
//! when probing meets too much loss. The short-term model (`bw_shortterm`, `inflight_shortterm`)
//! bounds it after recent losses. Startup doubles the rate each round until the rate stops growing
//! or losses are too high. Drain empties the queue. ProbeBW goes through DOWN (0.9), CRUISE (1),
//! REFILL (1) and UP (1.25), every 2 to 3 s or as often as Reno would lose. ProbeRTT halves the
//! bytes in flight for 200 ms every 5 s. Names in the comments are the draft's.
//!
//! Where the draft leaves room:
//! - Pacing spaces single segments, so that the send quantum only adds to the window.
//! - The draft gives no response to ECN but demands that a mark be treated as congestion. One echo
//!   per window counts as a loss of the round, ends Startup, and counts as too much in flight while
//!   probing.
//! - Without SACK, losses within a round trip are not known one by one: an episode counts as a
//!   loss.
//! - An ACK whose interval gives no valid sample changes neither rounds nor bandwidth, as in Linux.
//!
//! Left out are the parts of Linux that the draft does not have: ECN alpha, the fast path and
//! earliest departure times.

mod config;
mod losses;
mod model;
mod probe_bw;
mod startup;
mod state;
mod window;

pub use config::BbrConfig;

use airtcp_units::{BitRate, Nanos, Saturate, Span};

use self::state::{AckPhase, INFINITY, RecoveryKind, Sample, State, Undo};
use super::filters::{Draws, Rounds, SelfLimited, WindowedMax};
use super::{promises, volume};
use crate::{
    AckSample, Congestion, CongestionControl, CongestionKind, Idle, LawParams, LawState, Lost,
    Promises,
};

/// BBR version 3.
#[derive(Debug, Clone)]
pub struct Bbr {
    config: BbrConfig,
    params: LawParams,
    state: State,
    rs: Sample,
    cwnd: u64,
    prior_cwnd: u64,
    /// Bits per second.
    pacing_rate: f64,
    has_seen_rtt: bool,
    /// `max_bw_filter`: the maxima of the previous and the present ProbeBW cycle.
    max_bw: [u64; 2],
    bw_shortterm: u64,
    bw_latest: u64,
    bw: u64,
    inflight_longterm: u64,
    inflight_shortterm: u64,
    inflight_latest: u64,
    extra_acked: WindowedMax,
    extra_acked_interval_start: Nanos,
    extra_acked_delivered: u64,
    rounds: Rounds,
    loss_round_delivered: u64,
    loss_round_start: bool,
    is_loss_in_round: bool,
    full_bw_reached: bool,
    full_bw_now: bool,
    full_bw: u64,
    full_bw_count: u32,
    /// Discontiguous ranges lost in this round, and the end of the last one.
    lost_ranges: u32,
    lost_end: u64,
    drain_start_round: u64,
    ack_phase: AckPhase,
    is_bw_probe_sample: bool,
    bw_probe_up_acked: u64,
    probe_up_acked_per_inc: u64,
    bw_probe_up_rounds: u32,
    rounds_since_probe_up: u64,
    bw_probe_wait: Span,
    cycle_stamp: Nanos,
    prev_probe_too_high: bool,
    prev_probe_precautionary: bool,
    undo: Undo,
    /// The undo state was saved since the last ACK.
    saved: bool,
    min_rtt: Option<Span>,
    min_rtt_stamp: Nanos,
    probe_rtt_min_delay: Option<Span>,
    probe_rtt_min_stamp: Nanos,
    probe_rtt_expired: bool,
    probe_rtt_done_stamp: Option<Nanos>,
    probe_rtt_round_done: bool,
    idle_restart: bool,
    recovery: RecoveryKind,
    self_limited: SelfLimited,
    draws: Draws,
}

impl Bbr {
    /// A law that waits for [`CongestionControl::start`].
    pub fn new(config: &BbrConfig) -> Self {
        Self {
            config: *config,
            params: LawParams::default(),
            state: State::Startup,
            rs: Sample::default(),
            cwnd: 1,
            prior_cwnd: 0,
            pacing_rate: 1.0,
            has_seen_rtt: false,
            max_bw: [0; 2],
            bw_shortterm: INFINITY,
            bw_latest: 0,
            bw: 0,
            inflight_longterm: INFINITY,
            inflight_shortterm: INFINITY,
            inflight_latest: 0,
            extra_acked: WindowedMax::new(u64::from(config.extra_acked_filter_len)),
            extra_acked_interval_start: Nanos::ZERO,
            extra_acked_delivered: 0,
            rounds: Rounds::default(),
            loss_round_delivered: 0,
            loss_round_start: false,
            is_loss_in_round: false,
            full_bw_reached: false,
            full_bw_now: false,
            full_bw: 0,
            full_bw_count: 0,
            lost_ranges: 0,
            lost_end: 0,
            drain_start_round: 0,
            ack_phase: AckPhase::Init,
            is_bw_probe_sample: false,
            bw_probe_up_acked: 0,
            probe_up_acked_per_inc: INFINITY,
            bw_probe_up_rounds: 0,
            rounds_since_probe_up: 0,
            bw_probe_wait: Span::ZERO,
            cycle_stamp: Nanos::ZERO,
            prev_probe_too_high: false,
            prev_probe_precautionary: false,
            undo: Undo::default(),
            saved: false,
            min_rtt: None,
            min_rtt_stamp: Nanos::ZERO,
            probe_rtt_min_delay: None,
            probe_rtt_min_stamp: Nanos::ZERO,
            probe_rtt_expired: false,
            probe_rtt_done_stamp: None,
            probe_rtt_round_done: false,
            idle_restart: false,
            recovery: RecoveryKind::None,
            self_limited: SelfLimited::default(),
            draws: Draws::default(),
        }
    }

    /// `BBR.min_rtt`: the minimum round-trip time of the filter's window.
    pub const fn min_rtt(&self) -> Option<Span> {
        self.min_rtt
    }

    /// `BBR.inflight_longterm` in bytes; `None` while probing met no limit.
    pub const fn inflight_longterm(&self) -> Option<u64> {
        if self.inflight_longterm == INFINITY { None } else { Some(self.inflight_longterm) }
    }

    /// `BBR.bw`: the bandwidth in force, bounded by the short-term model; 0 before the first sample.
    pub const fn bw(&self) -> u64 {
        self.bw
    }

    fn mss(&self) -> u64 {
        u64::from(self.params.mss)
    }

    fn max_bw(&self) -> u64 {
        self.max_bw[0].max(self.max_bw[1])
    }

    /// `BBR.pacing_gain`
    const fn pacing_gain(&self) -> f64 {
        match self.state {
            State::Startup => self.config.startup_pacing_gain,
            State::Drain => self.config.drain_pacing_gain,
            State::Down => 0.9,
            State::Cruise | State::Refill | State::ProbeRtt => 1.0,
            State::Up => 1.25,
        }
    }

    /// `BBR.cwnd_gain`
    fn cwnd_gain(&self) -> f64 {
        match self.state {
            State::Up => self.config.default_cwnd_gain + 0.25,
            State::ProbeRtt => self.config.probe_rtt_cwnd_gain,
            _ => self.config.default_cwnd_gain,
        }
    }

    /// `IsInAProbeBWState`
    const fn is_in_probe_bw(&self) -> bool {
        matches!(self.state, State::Down | State::Cruise | State::Refill | State::Up)
    }

    /// `IsProbingBW`
    const fn is_probing_bw(&self) -> bool {
        matches!(self.state, State::Startup | State::Refill | State::Up)
    }

    /// `BBR.bdp`
    fn bdp(&self) -> u64 {
        self.bdp_multiple(self.bw, 1.0)
    }

    /// `BDPMultiple`
    fn bdp_multiple(&self, bandwidth: u64, gain: f64) -> u64 {
        self.min_rtt.map_or(self.params.initial_window, |rtt| volume(gain, bandwidth, rtt))
    }

    /// `TargetInflight`: a BDP, unless congestion cut the window.
    fn target_inflight(&self) -> u64 {
        self.bdp().min(self.cwnd)
    }

    fn read(&mut self, ack: &AckSample) {
        self.rs = Sample {
            newly_acked: ack.delivered,
            inflight: ack.pipe,
            total_delivered: ack.total_delivered,
            cwnd_limited: ack.cwnd_limited,
            ..Sample::default()
        };
        if let Some(sample) = &ack.rate {
            self.rs.valid = true;
            self.rs.delivery_rate = sample.rate().map_or(0, BitRate::bps);
            self.rs.delivered = sample.delivered;
            self.rs.prior_delivered = sample.prior_delivered;
            self.rs.tx_in_flight = sample.tx_in_flight;
            self.rs.lost = sample.lost;
            self.rs.app_limited = self.self_limited.limits(sample);
        }
    }
}

impl CongestionControl for Bbr {
    /// `OnInit`
    fn start(&mut self, now: Nanos, params: &LawParams) {
        let mut fresh = Self::new(&self.config);
        std::mem::swap(&mut fresh.extra_acked, &mut self.extra_acked);
        fresh.extra_acked.reset();
        fresh.params = LawParams { mss: params.mss.max(1), ..*params };
        fresh.cwnd = params.initial_window;
        fresh.bound_cwnd();
        (fresh.min_rtt, fresh.min_rtt_stamp) = (params.srtt, now);
        (fresh.probe_rtt_min_delay, fresh.probe_rtt_min_stamp) = (params.srtt, now);
        fresh.extra_acked_interval_start = now;
        fresh.draws = Draws::new(params.seed);
        fresh.init_pacing_rate(params.srtt);
        *self = fresh;
    }

    /// `UpdateOnACK`
    fn on_ack(&mut self, now: Nanos, ack: &AckSample) {
        if !self.has_seen_rtt && ack.srtt.is_some() {
            self.init_pacing_rate(ack.srtt);
        }
        self.read(ack);
        self.update_latest_delivery_signals();
        self.update_congestion_signals();
        self.update_ack_aggregation(now);
        self.check_full_bw_reached();
        self.check_startup_done(ack.in_fast_recovery);
        self.check_drain_done(now);
        self.update_probe_bw_cycle_phase(now);
        self.update_min_rtt(now, ack.rtt);
        self.check_probe_rtt(now);
        self.advance_latest_delivery_signals();
        self.bw = self.max_bw().min(self.bw_shortterm); // `BoundBWForModel`
        self.set_pacing_rate(self.pacing_gain());
        if self.recovery != RecoveryKind::None && !ack.in_recovery {
            self.recovery = RecoveryKind::None;
            self.restore_cwnd();
        }
        self.set_cwnd();
        self.saved = false;
    }

    fn on_lost(&mut self, now: Nanos, lost: &Lost) {
        self.handle_lost_packet(now, lost);
    }

    fn on_congestion(&mut self, now: Nanos, c: &Congestion) {
        match c.kind {
            CongestionKind::EcnCe => self.handle_mark(now, c.flight),
            CongestionKind::FastRetransmit if !c.restart => self.on_enter_fast_recovery(now, c),
            CongestionKind::FastRetransmit | CongestionKind::Rto | CongestionKind::Persistent => {
                self.on_enter_rto(c.kind == CongestionKind::Persistent);
            }
        }
    }

    fn on_spurious(&mut self, _: Nanos) {
        self.handle_spurious_loss_detection();
    }

    fn on_idle(&mut self, now: Nanos, idle: &Idle) {
        if idle.app_limited {
            self.handle_restart_from_idle(now);
        }
    }

    fn limit_cwnd(&mut self, bytes: u64) {
        self.cwnd = self.cwnd.min(bytes).max(self.mss());
    }

    fn cwnd(&self) -> u64 {
        self.cwnd
    }

    /// The window that the law restores after a recovery or ProbeRTT, within the model's bounds.
    fn ssthresh(&self) -> u64 {
        let held_down = self.recovery != RecoveryKind::None || self.state == State::ProbeRtt;
        if held_down { self.cwnd.max(self.prior_cwnd) } else { self.cwnd }
    }

    fn pacing_rate(&self) -> Option<BitRate> {
        BitRate::new(u64::saturate(self.pacing_rate).max(1))
    }

    /// `BBR.max_bw`
    fn bandwidth(&self) -> Option<BitRate> {
        BitRate::new(self.max_bw())
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
            State::Down => "probe-bw-down",
            State::Cruise => "probe-bw-cruise",
            State::Refill => "probe-bw-refill",
            State::Up => "probe-bw-up",
            State::ProbeRtt => "probe-rtt",
        })
    }
}

#[cfg(test)]
mod tests;
