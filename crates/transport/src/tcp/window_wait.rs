//! What a sender waits for while its window is the limit: see [`Wait`].
//!
//! Below the window before the last reduction, it waits for the window to come back. Otherwise, and in
//! slow start, it waits for the window to grow. A law with a model of the path, or a configured maximum,
//! sets the window in another way. Every ACK asks for the state, so that comparisons of stored values give
//! it. Bytes.

use airtcp_units::Wait;

use airtcp_congestion::{CongestionControl, Law};

/// The last reduction of the window.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WindowWait {
    /// From this window on, a model or a maximum bounds it.
    bounded_from: u64,
    /// Window before the last reduction, 0 before the first, and the threshold after it.
    before: u64,
    ssthresh: u64,
    /// A congestion mark was the reason.
    by_mark: bool,
}

impl WindowWait {
    /// No reduction yet; the configuration allows windows up to `cap`.
    pub(crate) fn new(law: &Law, cap: u64) -> Self {
        let bounded_from = if law.follows_model() { 0 } else { cap };
        Self { bounded_from, before: 0, ssthresh: 0, by_mark: false }
    }

    /// For a loss, `law` has reduced the window `before`; `goes_on` if an earlier reduction belongs to
    /// the same episode.
    pub(crate) fn on_loss(&mut self, before: u64, goes_on: bool, law: &Law) {
        let before = if goes_on { before.max(self.before) } else { before };
        *self = Self { before, ssthresh: law.ssthresh(), by_mark: false, ..*self };
    }

    /// For a mark, `law` has answered at the window `before`.
    pub(crate) fn on_mark(&mut self, before: u64, law: &Law) {
        if law.cwnd() < before {
            *self = Self { before, ssthresh: law.ssthresh(), by_mark: true, ..*self };
        }
    }

    /// The state while `window` has no room.
    #[inline]
    pub(crate) const fn state(&self, window: u64) -> Wait {
        if window >= self.bounded_from {
            Wait::WindowModel
        } else if window >= self.before || window < self.ssthresh {
            Wait::WindowGrowth
        } else if self.by_mark {
            Wait::WindowAfterMark
        } else {
            Wait::WindowAfterLoss
        }
    }
}
