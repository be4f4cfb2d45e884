//! Limits of both ends of a link protocol.

use airtcp_units::Span;

/// Lower bound of a transmission's duration in timers. On a link without a rate a transmission takes no time.
pub(super) const MIN_DURATION: Span = Span::from_micros(1);

/// Maximum distance from the oldest unsettled frame to the newest at either end: six seconds of
/// frames of 1500 bytes at 1 Gb/s.
pub(super) const MAX_FRAME_SPAN: u64 = 1 << 19;

/// Maximum wait for a frame, in durations of all its attempts.
const WAIT_FACTOR: u64 = 4;

/// Maximum wait of either end for a frame. Each of its `attempts` takes a `round_trip` plus its own
/// and the preceding transmission, of at most `longest` each.
pub(super) fn max_frame_wait(round_trip: Span, longest: Span, attempts: u16) -> Span {
    (round_trip + longest * 2) * (WAIT_FACTOR * u64::from(attempts))
}
