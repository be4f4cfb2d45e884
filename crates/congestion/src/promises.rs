//! Properties of a law beyond those of all laws. The conformance suite checks them.

/// Properties of a law. The default is that of a window-based law that answers losses as RFC 5681
/// requires. A law with another source declares the differences in
/// [`promises`](super::CongestionControl::promises).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Promises {
    /// The window never falls below this many segments, unless the configured bound does. Default
    /// 1.
    pub least_segments: u64,
    /// A loss found by duplicates lowers a window above `least_segments` and above two segments.
    /// Default true; false where the reaction depends on an estimate (Westwood) or a warning
    /// (Jersey).
    pub reduces_on_loss: bool,
    /// At any flight size, a reaction does not raise the window, except to two segments. With
    /// `reduces_on_loss` the new threshold is not above the old window either, with the same
    /// exception. Default true; false for Reno, which applies RFC 5681 literally.
    pub bounded_by_window: bool,
    /// A timeout leaves `least_segments` (RFC 5681 section 3.1: the loss window). Default true.
    pub restarts_on_timeout: bool,
    /// `ssthresh` is the threshold of RFC 5681: it is held while the timer repeats. Default true.
    pub has_threshold: bool,
    /// The window grows only on ACKs of data that the window limited. Default true; false where
    /// pacing is the limit instead (BBR).
    pub grows_only_when_limited: bool,
    /// In fast recovery the window falls only in
    /// [`on_congestion`](super::CongestionControl::on_congestion): one reaction per episode.
    /// Default true; false where the window follows the flight (BBR).
    pub steady_in_recovery: bool,
}

impl Default for Promises {
    fn default() -> Self {
        Self {
            least_segments: 1,
            reduces_on_loss: true,
            bounded_by_window: true,
            restarts_on_timeout: true,
            has_threshold: true,
            grows_only_when_limited: true,
            steady_in_recovery: true,
        }
    }
}
