//! The calls of a case as a law saw them, for a report that can be run again.

use std::sync::{Arc, Mutex, PoisonError};

use airtcp_units::{BitRate, Nanos};

use crate::{
    AckSample, Congestion, CongestionControl, Idle, LawParams, LawState, Lost, Promises, Sent,
};

/// What a law was told.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Told {
    /// [`CongestionControl::on_sent`].
    Sent(Sent),
    /// [`CongestionControl::on_lost`].
    Lost(Lost),
    /// [`CongestionControl::on_ack`].
    Ack(AckSample),
    /// [`CongestionControl::on_congestion`].
    Congestion(Congestion),
    /// [`CongestionControl::on_spurious`].
    Spurious,
    /// [`CongestionControl::on_idle`].
    Idle(Idle),
    /// [`CongestionControl::limit_cwnd`].
    Limit(u64),
    /// [`CongestionControl::raise_ssthresh`].
    Raise(u64),
}

/// A call of a law, and its window after it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Time of the call; of the call before, for those without one.
    pub now: Nanos,
    /// The call.
    pub told: Told,
    /// Window after it.
    pub cwnd: u64,
    /// Threshold after it.
    pub ssthresh: u64,
}

/// Calls that are recorded.
#[derive(Debug, Clone, Default)]
pub(super) struct Recorded(Arc<Mutex<Vec<Step>>>);

impl Recorded {
    pub(super) fn steps(&self) -> Vec<Step> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// A law whose calls are recorded.
#[derive(Debug)]
pub(super) struct Recorder {
    law: Box<dyn CongestionControl>,
    recorded: Recorded,
    now: Nanos,
}

impl Recorder {
    pub(super) fn new(law: Box<dyn CongestionControl>, recorded: Recorded) -> Self {
        Self { law, recorded, now: Nanos::ZERO }
    }

    fn add(&mut self, now: Nanos, told: Told) {
        self.now = now;
        let (cwnd, ssthresh) = (self.law.cwnd(), self.law.ssthresh());
        let step = Step { now, told, cwnd, ssthresh };
        self.recorded.0.lock().unwrap_or_else(PoisonError::into_inner).push(step);
    }
}

impl CongestionControl for Recorder {
    fn start(&mut self, now: Nanos, params: &LawParams) {
        self.law.start(now, params);
    }
    fn on_sent(&mut self, now: Nanos, sent: &Sent) {
        self.law.on_sent(now, sent);
        self.add(now, Told::Sent(*sent));
    }
    fn on_lost(&mut self, now: Nanos, lost: &Lost) {
        self.law.on_lost(now, lost);
        self.add(now, Told::Lost(*lost));
    }
    fn on_ack(&mut self, now: Nanos, ack: &AckSample) {
        self.law.on_ack(now, ack);
        self.add(now, Told::Ack(*ack));
    }
    fn on_congestion(&mut self, now: Nanos, congestion: &Congestion) {
        self.law.on_congestion(now, congestion);
        self.add(now, Told::Congestion(*congestion));
    }
    fn on_spurious(&mut self, now: Nanos) {
        self.law.on_spurious(now);
        self.add(now, Told::Spurious);
    }
    fn raise_ssthresh(&mut self, bytes: u64) {
        self.law.raise_ssthresh(bytes);
        self.add(self.now, Told::Raise(bytes));
    }
    fn on_idle(&mut self, now: Nanos, idle: &Idle) {
        self.law.on_idle(now, idle);
        self.add(now, Told::Idle(*idle));
    }
    fn limit_cwnd(&mut self, bytes: u64) {
        self.law.limit_cwnd(bytes);
        self.add(self.now, Told::Limit(bytes));
    }
    fn cwnd(&self) -> u64 {
        self.law.cwnd()
    }
    fn ssthresh(&self) -> u64 {
        self.law.ssthresh()
    }
    fn pacing_rate(&self) -> Option<BitRate> {
        self.law.pacing_rate()
    }
    fn bandwidth(&self) -> Option<BitRate> {
        self.law.bandwidth()
    }
    fn governs_recovery(&self) -> bool {
        self.law.governs_recovery()
    }
    fn follows_model(&self) -> bool {
        self.law.follows_model()
    }
    fn send_quantum(&self) -> Option<u64> {
        self.law.send_quantum()
    }
    fn state(&self) -> LawState {
        self.law.state()
    }
    fn promises(&self) -> Promises {
        self.law.promises()
    }
}
