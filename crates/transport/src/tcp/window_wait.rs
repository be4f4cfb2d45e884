//! What a sender waits for while its window is the limit: see [`Wait`].
//!
//! Below the window before the last reduction, it waits for the window to come back. Otherwise, and in
//! slow start, it waits for the window to grow. A law with a model of the path, or a configured maximum,
//! sets the window in another way. Bytes.

use airtcp_units::Wait;

use airtcp_congestion::{CongestionControl, Law};

/// The last reduction of the window.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WindowWait {
    /// The law bounds the window by a model of the path.
    by_model: bool,
    /// Window before the last reduction; 0 before the first.
    before: u64,
    /// A congestion mark was the reason.
    by_mark: bool,
}

impl WindowWait {
    pub(crate) fn new(law: &Law) -> Self {
        Self { by_model: law.follows_model(), before: 0, by_mark: false }
    }

    /// A loss reduced the window `before`; `goes_on` if an earlier reduction belongs to the same
    /// episode.
    pub(crate) const fn on_loss(&mut self, before: u64, goes_on: bool) {
        if !goes_on || before > self.before {
            self.before = before;
        }
        self.by_mark = false;
    }

    /// A mark reduced the window `before`.
    pub(crate) const fn on_mark(&mut self, before: u64) {
        (self.before, self.by_mark) = (before, true);
    }

    /// The state at a full window; the configuration allows at most `cap`.
    #[inline]
    pub(crate) fn state(&self, law: &Law, cap: u64) -> Wait {
        let window = law.cwnd();
        if self.by_model || window >= cap {
            Wait::WindowModel
        } else if window >= self.before || window < law.ssthresh() {
            Wait::WindowGrowth
        } else if self.by_mark {
            Wait::WindowAfterMark
        } else {
            Wait::WindowAfterLoss
        }
    }
}
