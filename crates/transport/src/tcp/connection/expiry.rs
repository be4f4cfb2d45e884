//! The timer table: what each timer of a connection does when it expires.

use airtcp_probe::{Cx, Probe};
use airtcp_units::Nanos;

use super::{Connection, env};
use crate::tcp::ack_policy::Owed;
use crate::tcp::state::State;
use crate::tcp::timers::Timer;

impl Connection {
    /// Handles every timer that is due, in the order of [`Timer::ALL`].
    pub(super) fn expire<P: Probe>(&mut self, now: Nanos, cx: &mut Cx<'_, P>) {
        for timer in Timer::ALL {
            if self.timers.expired(timer, now) {
                self.on_expiry(timer, now, cx);
            }
        }
    }

    fn on_expiry<P: Probe>(&mut self, timer: Timer, now: Nanos, cx: &mut Cx<'_, P>) {
        let sends = self.state.sends();
        match timer {
            Timer::Reordering if sends => {
                self.sender.on_reordering_timer(now, &mut env!(self), cx);
            }
            Timer::LossProbe if sends => self.sender.on_probe_timer(now, &mut self.timers),
            Timer::Retransmit if sends => self.retransmit_data(now, cx),
            Timer::Retransmit => self.retransmit_syn(),
            Timer::Persist if sends => self.sender.on_persist(),
            Timer::Ack => self.receiver.acks.at_once(Owed::Now),
            Timer::TimeWait => self.finish(),
            // The driver polls after every timer, so waiting data leaves then.
            Timer::Send | Timer::Reordering | Timer::LossProbe | Timer::Persist => {}
        }
    }

    /// The SYN or SYN-ACK was not acknowledged in time.
    fn retransmit_syn(&mut self) {
        if !matches!(self.state, State::SynSent | State::SynReceived) {
            return;
        }
        let retries = self.sender.retries();
        let linear = if self.state == State::SynSent { self.config.syn_linear_timeouts } else { 0 };
        if self.config.max_syn_retries.is_some_and(|most| retries >= most.saturating_add(linear)) {
            self.finish();
            return;
        }
        self.sender.on_syn_timeout(retries >= linear);
        self.handshake.syn_due = true;
    }

    /// Data or FIN was not acknowledged in time.
    fn retransmit_data<P: Probe>(&mut self, now: Nanos, cx: &mut Cx<'_, P>) {
        if self.sender.in_flight() == 0 {
            return;
        }
        if self.config.max_retries.is_some_and(|most| self.sender.retries() >= most) {
            self.finish();
            return;
        }
        self.sender.on_timeout(now, &mut env!(self), cx);
    }
}
