//! Runs of memoryless length.

use airtcp_random::Stream;
use airtcp_units::{Outcomes, Saturate, detmath};

/// Lengths 1, 2, 3 ... of runs that end with a fixed probability after each packet; the constant
/// of the distribution is worked out once.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Geometric {
    /// `1 / ln(1 - p)`; 0 for p = 1, minus infinity for p = 0.
    scale: f64,
}

impl Geometric {
    pub(crate) fn new(end: f64) -> Self {
        Self { scale: 1.0 / detmath::ln_1p(-end.clamp(0.0, 1.0)) }
    }

    #[inline]
    pub(crate) fn draw(self, stream: &mut Stream) -> u64 {
        // ln(1) = 0 times minus infinity is NaN, which becomes 0: one run in 2^53.
        let extra = detmath::ln(stream.unit_positive()) * self.scale;
        u64::saturate(extra).saturating_add(1)
    }
}

/// Appends `run` outcomes, but at most `n` in all; true while there is room.
#[inline]
pub(crate) fn append_run(out: &mut Outcomes, received: bool, run: u64, n: usize) -> bool {
    let room = n - out.len();
    out.push_run(received, usize::try_from(run).unwrap_or(usize::MAX).min(room));
    out.len() < n
}
