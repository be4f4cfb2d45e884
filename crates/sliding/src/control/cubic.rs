//! CUBIC's window (RFC 9438), with a reduction of its own, and the growth of small windows.
//!
//! `alpha` of the Reno region and `beta` are those with which this flow, whose packets are paced, takes about
//! what CUBIC takes from CUBIC.

use airtcp_units::{Nanos, Span, detmath};

/// Factor of the cubic, reduction, growth in the Reno-friendly region and above the window before.
const C: f64 = 0.4;
pub(super) const BETA: f64 = 0.65;
const ALPHA: f64 = 0.34;
const ALPHA_ABOVE: f64 = 0.6;
/// Growth of a small window per packet, as a share of it: over the square root of the window.
const SMALL_GROWTH: f64 = 0.15;
const MAX_SMALL_GROWTH: f64 = 0.5;

/// Growth of a window `w` for a resolved packet at `packets` per round trip, slower in small windows.
pub(super) fn growth(w: f64, packets: f64) -> f64 {
    (packets / w).min(SMALL_GROWTH * w.sqrt()).min(MAX_SMALL_GROWTH * w)
}

/// Minimum time in *Compete*.
pub(super) const HOLD: Span = Span::from_secs(10);

/// Growth since the last reduction: its maximum, the Reno window, its beginning.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cubic {
    most: f64,
    /// The window after the reduction.
    least: f64,
    reno: f64,
    since: Option<Nanos>,
}

impl Cubic {
    /// The window after `resolved` packets.
    pub(super) fn grow(&mut self, now: Nanos, w: f64, srtt: Span, resolved: f64) -> f64 {
        let since = *self.since.get_or_insert_with(|| {
            // Not after a reduction: the cubic begins at its flat part.
            (self.most, self.least, self.reno) = (w, w, w);
            now
        });
        let k = detmath::cbrt((self.most - self.least).max(0.0) / C);
        let t = now.since(since).as_secs_f64() + srtt.as_secs_f64() - k;
        let curve = C * t * t * t + self.most;
        let alpha = if self.reno >= self.most { ALPHA_ABOVE } else { ALPHA };
        self.reno += growth(w, alpha) * resolved;
        let goal = curve.clamp(w, 1.5 * w).max(self.reno);
        w + growth(w, goal - w) * resolved
    }

    /// The window falls from `w` to `least`.
    pub(super) fn reduce(&mut self, now: Nanos, w: f64, least: f64) {
        // Fast convergence (RFC 9438 section 4.7).
        let most = if w < self.most { w * f64::midpoint(1.0, BETA) } else { w };
        *self = Self { most, least, reno: least, since: Some(now) };
    }
}
