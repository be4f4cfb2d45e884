//! A window spread over the round trip, where the congestion law has no rate of its own.

use airtcp_units::{BitRate, Span};

use crate::congestion::CongestionControl;

/// The rate at which `window` bytes leave, as Linux paces: twice `window / srtt` while the law's window is
/// below half of its threshold, 1.2 times above, so that it is used up before the round trip is over.
pub(crate) fn spread(window: u64, law: &impl CongestionControl, srtt: Span) -> Option<BitRate> {
    let tenths = if law.cwnd() < law.ssthresh() / 2 { 20 } else { 12 };
    let bit_ns = u128::from(window) * 8_000_000_000 * tenths / 10;
    let bps = u64::try_from(bit_ns / u128::from(srtt.0.max(1))).unwrap_or(u64::MAX);
    BitRate::new(bps.max(1))
}
