//! The limit of what the sender has below it, in the queue and the device of its own host: see
//! [`SmallQueue`](crate::tcp::small_queue).

use airtcp_units::{BitRate, Nanos, Wait};

use super::{Outgoing, Sender};
use crate::tcp::config::TcpConfig;
use crate::tcp::pacing::spread;
use crate::tcp::small_queue::{Request, SmallQueue};
use airtcp_congestion::CongestionControl;

impl Sender {
    /// The device of this host reports what it has completed. `shift` divides the pacing rate, unless the configuration
    /// has another one. Returns whether the sender limits what it has below it.
    pub(crate) fn on_device(&mut self, shift: u32, config: &TcpConfig) -> bool {
        let queue = SmallQueue::new(config.tsq, config.pacing_shift.unwrap_or(shift));
        self.small_queue = queue.map(Box::new);
        self.small_queue.is_some()
    }

    /// In slow start, the window of a sender that its device limits grows to twice what is outstanding, as in Linux
    /// (`tcp_is_cwnd_limited`). The pacing rate, which follows the window, would otherwise stay small.
    #[inline]
    pub(super) fn grows_below_device_limit(&self, in_flight: u64) -> bool {
        let cwnd = || self.law.cwnd();
        self.small_queue.is_some() && cwnd() < self.law.ssthresh() && cwnd() < 2 * in_flight
    }

    /// A segment with this payload leaves. One without payload is not counted.
    #[inline]
    pub(super) fn count_below(&mut self, now: Nanos, bytes: u64, retransmission: bool) {
        if let Some(queue) = &mut self.small_queue
            && bytes > 0
        {
            queue.on_sent(now, bytes, retransmission);
        }
    }

    /// The device has completed a packet with this payload. True if the sender waits for it.
    pub(crate) fn on_completed(&mut self, bytes: u64) -> bool {
        self.small_queue.as_mut().is_some_and(|queue| queue.on_completed(bytes))
    }

    /// True if what is below the sender lets a segment of new data leave, for which window, peer and data have `room`.
    #[inline]
    pub(super) fn device_admits(&mut self, now: Nanos, room: u64, config: &TcpConfig) -> bool {
        self.small_queue.is_none() || self.small_queue_admits(now, room, false, config)
    }

    /// The same for a retransmission, which has twice the limit.
    #[inline]
    pub(super) fn device_admits_again(&mut self, now: Nanos, config: &TcpConfig) -> bool {
        self.small_queue.is_none() || self.small_queue_admits(now, 0, true, config)
    }

    #[cold]
    fn small_queue_admits(
        &mut self,
        now: Nanos,
        room: u64,
        retransmission: bool,
        config: &TcpConfig,
    ) -> bool {
        let unsent = self.stream_end().saturating_sub(self.nxt);
        let asked = Request {
            bytes: room.min(unsent).min(self.edge.saturating_sub(self.nxt)),
            mss: u64::from(self.mss),
            in_flight: self.in_flight(),
            rate: self.rate_or_spread(config),
            quantum: self.law.send_quantum(),
            min_rtt: self.rtt.min_rtt(),
            is_paced: self.pacing_rate(config).is_some(),
            retransmission,
        };
        self.small_queue.as_mut().is_none_or(|queue| queue.admits(now, &asked))
    }

    /// The law's rate, otherwise that of the window: Linux computes it also where nothing is paced.
    fn rate_or_spread(&self, config: &TcpConfig) -> Option<BitRate> {
        self.law.pacing_rate().or_else(|| {
            let window = self.send_window(config).max(self.board.pipe());
            spread(window, &self.law, self.rtt.srtt()?)
        })
    }

    /// The queue of the device holds the next segment back.
    pub(super) fn wait_for_device(&mut self, now: Nanos) -> Option<Outgoing> {
        self.wait(now, Wait::DeviceQueue)
    }
}
