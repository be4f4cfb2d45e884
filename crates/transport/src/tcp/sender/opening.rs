//! The handshake's part of the sender: the SYN takes offset 0.

use airtcp_units::Nanos;

use super::{Env, Sender};
use crate::tcp::law_params::{law_params, window_cap};
use crate::tcp::recovery::{
    Differentiation, Discipline, LastAdvance, LossRecovery, RecoveryState, Spurious,
};
use crate::tcp::scoreboard::Scoreboard;
use crate::tcp::timers::Timers;
use crate::tcp::window_wait::WindowWait;
use airtcp_congestion::{CongestionControl, LawParams};

impl Sender {
    /// The SYN or SYN-ACK left.
    pub(crate) fn on_syn_sent(&mut self, now: Nanos, timers: &mut Timers) {
        self.nxt = 1;
        self.arm(now, timers);
    }

    /// The SYN or SYN-ACK was not acknowledged in time.
    pub(crate) fn on_syn_timeout(&mut self, backs_off: bool) {
        self.retries += 1;
        if backs_off {
            self.rtt.back_off();
        }
    }

    pub(crate) const fn on_syn_acked(&mut self) {
        (self.una, self.nxt) = (1, 1);
    }

    /// Returns to LISTEN: nothing was sent.
    pub(crate) fn on_listen_again(&mut self) {
        (self.una, self.nxt, self.retries) = (0, 0, 0);
        self.rtt.reset_backoff();
    }

    /// Sets the scale of the peer's windows.
    pub(crate) const fn set_peer_shift(&mut self, shift: u8) {
        self.peer_shift = shift;
    }

    /// Both SYNs are acknowledged: sets segment size, SACK, and whether a SYN was lost.
    pub(crate) fn start(
        &mut self,
        now: Nanos,
        (mss, sack, syn_lost): (u32, bool, bool),
        env: &mut Env<'_>,
    ) {
        let config = env.config;
        self.mss = mss;
        self.is_plain = false;
        self.discipline = Discipline::new(config, sack);
        self.recovery = RecoveryState::new();
        self.spurious = Spurious::default();
        self.notices.clear();
        self.last_advance = LastAdvance::default();
        self.board = Scoreboard::new(self.discipline.judging_threshold(config), mss);
        self.rack_start(config);
        self.differentiation = Differentiation::of(config);
        self.retries = 0;
        self.window_cap = window_cap(config, mss);
        let mut window = config.initial_window_bytes(mss);
        self.rtt.reset_backoff();
        if syn_lost {
            // RFC 6298 5.7 and RFC 5681 section 3.1.
            self.rtt.after_syn_loss(config.rto_after_syn_loss);
            if config.one_segment_after_syn_loss {
                window = u64::from(mss);
            }
        }
        let params = LawParams {
            selective_acks: self.discipline.is_selective(),
            srtt: self.rtt.srtt(),
            seed: self.seed,
            ..law_params(config, mss, window)
        };
        self.law.start(now, &params);
        self.window_wait = WindowWait::new(&self.law, self.window_cap);
    }
}
