//! New data, and what delays it: the application, the peer's window, silly-window avoidance (RFC
//! 9293 section 3.8.6.2.1), Nagle's algorithm (section 3.7.4), ECN at a window of one segment (RFC
//! 3168 section 6.1.2).

use airtcp_units::{Nanos, Narrow};

use super::{Env, Sender};
use crate::tcp::config::TcpConfig;
use crate::tcp::timers::Timer;

/// Whether new data may leave, apart from the congestion window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NewData {
    /// This much payload may leave, and the FIN.
    Ready(u32, bool),
    /// Everything written has been sent.
    None,
    /// The peer's window is too small.
    Peer,
    /// New data waits for an acknowledgement (Nagle), or for more to be written.
    Wait,
    /// A window of one segment under ECN: new data waits for the timer.
    Hold,
}

impl Sender {
    /// Whether new data could leave now, or is only waiting for a timer.
    pub(super) fn may_send_new(&self, now: Nanos, config: &TcpConfig) -> bool {
        matches!(self.new_data(now, 0, config), NewData::Ready(..) | NewData::Hold)
    }

    /// Whether new data could leave if the window allowed it.
    pub(super) fn has_new_data(&self, now: Nanos, config: &TcpConfig) -> bool {
        matches!(self.new_data(now, 0, config), NewData::Ready(..))
    }

    /// The new data that may leave.
    pub(super) fn new_data(&self, now: Nanos, options: u32, config: &TcpConfig) -> NewData {
        let end = self.stream_end();
        let remaining = end.saturating_sub(self.nxt);
        let fin_waits = self.fin && self.nxt <= end;
        if remaining == 0 && !fin_waits {
            return NewData::None;
        }
        if now < self.hold_until {
            return NewData::Hold;
        }
        let usable = self.edge.saturating_sub(self.nxt);
        let full = u64::from(self.mss - options.min(self.mss / 2));
        let len = remaining.min(full).min(usable);
        let fin = fin_waits && len == remaining && usable > len;
        if len == 0 && !fin {
            return NewData::Peer;
        }
        // RFC 9293 section 3.8.6.2.1: a full segment, all there is, or half the largest window.
        let silly = len < full && len < remaining && len < self.max_peer_window.div_ceil(2);
        if silly && !self.override_sws {
            return NewData::Peer;
        }
        if config.nagle && len < full && !fin && self.in_flight() > 0 {
            return NewData::Wait;
        }
        NewData::Ready(u32::narrow(len), fin)
    }

    /// The application has more data, for which the send buffer has no room.
    pub(super) const fn waits_for_buffer(&self, config: &TcpConfig) -> bool {
        self.unwritten && config.send_buffer.is_some()
    }

    /// Nothing more can leave now, for a reason other than the congestion window.
    pub(super) fn note_blocked(&mut self, now: Nanos, why: NewData, room: bool, env: &mut Env<'_>) {
        match why {
            NewData::Peer if self.in_flight() == 0 && !env.timers.is_running(Timer::Persist) => {
                self.is_plain = false;
                env.timers.set(Timer::Persist, now + self.rtt.backed_off(self.persist_backoff));
            }
            NewData::Hold => env.timers.set(Timer::Send, self.hold_until),
            // An application that waits for the send buffer is no limit, as in Linux, which asks at each write: if it were,
            // BBR would not leave Startup on a path that loses what the send buffer holds.
            NewData::None if room && !self.waits_for_buffer(env.config) => {
                self.rate.on_app_limited(self.board.pipe());
            }
            _ => {}
        }
    }
}
