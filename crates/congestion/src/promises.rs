//! What a law promises beyond what every law does; the conformance suite holds it to that.

/// Promises of a law. The default is that of a window-based law that answers losses as RFC 5681
/// asks; a law whose source says otherwise says so in
/// [`promises`](super::CongestionControl::promises).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Promises {
    /// The window never falls below this many segments (unless the configured bound does).
    /// Default 1.
    pub least_segments: u64,
    /// A loss found by duplicates lowers a window above `least_segments` and above two segments.
    /// Default true; false where the answer depends on an estimate (Westwood) or on a warning
    /// (Jersey).
    pub reduces_on_loss: bool,
    /// However much is told to be outstanding, a reaction leaves the window, and with
    /// `reduces_on_loss` also the threshold, at most where the window was (two segments apart).
    /// Default true; false for Reno, which takes RFC 5681 by the letter.
    pub bounded_by_window: bool,
    /// A timeout leaves `least_segments` (RFC 5681 section 3.1: the loss window). Default true.
    pub restarts_on_timeout: bool,
    /// `ssthresh` is the threshold of RFC 5681: it is held while the timer repeats. Default true.
    pub has_threshold: bool,
    /// The window grows only on ACKs of data that the window held back. Default true; false
    /// where pacing limits instead (BBR).
    pub grows_only_when_limited: bool,
    /// The window does not fall between two calls of
    /// [`on_congestion`](super::CongestionControl::on_congestion) while in fast recovery: one
    /// reaction per episode. Default true; false where the window follows what is in flight (BBR).
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
