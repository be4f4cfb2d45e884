//! What the sender waits for: see [`Wait`].
//!
//! Only a poll that returns no segment sets a state. After the retransmission timer has expired, the state
//! is the timeout until an ACK of new data arrives. The wait before the expiry was one for the timer from
//! one smoothed round-trip time after the last segment or ACK on. Until then an ACK could have ended it.

use airtcp_units::{Nanos, Wait, Waits};

use super::new_data::NewData;
use super::{Outgoing, Sender};
use crate::tcp::config::TcpConfig;
use crate::tcp::state::State;

impl Sender {
    /// Nothing leaves, for this reason.
    #[inline]
    pub(super) fn wait(&mut self, now: Nanos, why: Wait) -> Option<Outgoing> {
        self.waits.set(now, if self.retries > 0 { Wait::Timeout } else { why });
        None
    }

    /// The state while `window` is the only limit.
    #[inline]
    pub(super) const fn window_state(&self, window: u64) -> Wait {
        if self.recovery.is_open() { self.window_wait.state(window) } else { Wait::Recovery }
    }

    /// The state while `new` is not ready, for a reason other than the congestion window.
    pub(super) fn blocked_by(&self, new: NewData, config: &TcpConfig) -> Wait {
        match new {
            NewData::Peer => Wait::ReceiveWindow,
            NewData::Hold => Wait::WindowAfterMark,
            NewData::None if self.waits_for_buffer(config) => Wait::SendBuffer,
            NewData::None | NewData::Wait | NewData::Ready(..) => Wait::Application,
        }
    }

    /// The state before the departure time of the next segment, which is not always there yet.
    pub(super) fn paced_state(&self, config: &TcpConfig) -> Wait {
        if self.recovery.is_open() && self.nxt == self.stream_end() && !self.fin {
            self.blocked_by(NewData::None, config)
        } else {
            Wait::Pacing
        }
    }

    /// The sender already waits for the application.
    #[inline]
    pub(crate) fn is_idle(&self) -> bool {
        self.waits.why() == Some(Wait::Application)
    }

    /// The connection in this state has no data to send, or may not send.
    pub(crate) fn wait_in(&mut self, now: Nanos, state: State) {
        match state {
            State::SynSent | State::SynReceived => self.waits.set(now, Wait::Handshake),
            state if state.sends() => self.waits.set(now, Wait::Application),
            _ => self.waits.close(now),
        }
    }

    /// The retransmission timer has expired.
    pub(super) fn note_timeout(&mut self, now: Nanos) {
        let last = self.heard.max(self.last_sent.unwrap_or_default());
        let expected = last + self.rtt.srtt().unwrap_or_default();
        self.waits.set(expected.min(now), Wait::Timeout);
    }

    pub(crate) const fn settle_waits(&mut self, now: Nanos) {
        self.waits.settle(now);
    }

    pub(crate) const fn waits(&self) -> &Waits {
        &self.waits
    }
}
