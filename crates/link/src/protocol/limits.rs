//! Limits that both ends of a link protocol keep to.

use airtcp_units::Span;

/// Lower bound of a transmission's duration in timers. On a link without a rate a transmission takes no time.
pub(super) const MIN_DURATION: Span = Span::from_micros(1);

/// Most frames from the oldest that is not settled to the newest, at either end: six seconds of frames of
/// 1500 bytes at 1 Gb/s.
pub(super) const REACH: u64 = 1 << 19;

/// A frame is waited for this many times as long as all attempts of one may take.
const PATIENCE: u64 = 4;

/// How long either end waits at most for a frame of `attempts`, each a `round_trip` and transmissions of up
/// to `longest` there and before it.
pub(super) fn patience(round_trip: Span, longest: Span, attempts: u16) -> Span {
    (round_trip + longest * 2) * (PATIENCE * u64::from(attempts))
}
