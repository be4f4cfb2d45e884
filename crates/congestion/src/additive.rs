//! Additive increase: about one segment per round trip.
//!
//! RFC 5681 equation 3, `cwnd += MSS*MSS/cwnd` per ACK, or RFC 3465 section 2.1, one segment per
//! window of acknowledged bytes. The remainder of the division is carried, so that W segments
//! grow by one in W acknowledgements exactly as with real numbers. Bytes.

use super::{Growth, Window};

/// Additive increase of a window.
#[derive(Debug, Clone, Copy, Default)]
pub struct Additive {
    growth: Growth,
    /// Growth earned but not yet given, in byte-bytes: the fraction of `MSS*MSS/cwnd` that
    /// integer division would lose, or bytes acknowledged times MSS.
    credit: u64,
}

impl Additive {
    /// With nothing earned.
    pub const fn new(growth: Growth) -> Self {
        Self { growth, credit: 0 }
    }

    /// Forgets what was earned: the window was reduced.
    pub const fn reset(&mut self) {
        self.credit = 0;
    }

    /// An ACK of `acked` new bytes.
    #[inline]
    pub fn on_ack(&mut self, acked: u64, window: &mut Window) {
        let (mss, cwnd) = (window.mss(), window.cwnd());
        let earned = match self.growth {
            Growth::PerAck => mss,
            Growth::Bytes => acked,
        };
        self.credit = self.credit.saturating_add(earned.saturating_mul(mss));
        match self.growth {
            Growth::PerAck => {
                let grown = cwnd + self.credit / cwnd;
                self.credit %= cwnd;
                window.set_cwnd(grown);
            }
            // A whole segment once a whole window was acknowledged.
            Growth::Bytes => {
                let whole = cwnd.saturating_mul(mss);
                if self.credit >= whole {
                    self.credit -= whole;
                    window.set_cwnd(cwnd + mss);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LawParams;

    /// A thousand ACKs from ten segments against the same growth in real numbers.
    #[test]
    fn as_with_real_numbers() {
        for mss in [1u32, 100, 1460] {
            let initial_window = 10 * u64::from(mss);
            let params = LawParams { mss, initial_window, ..LawParams::default() };
            let mut window = Window::new(&params, false);
            let mut law = Additive::new(Growth::PerAck);
            let (s, mut real) = (f64::from(mss), 10.0 * f64::from(mss));
            for _ in 0..1000 {
                law.on_ack(u64::from(mss), &mut window);
                real += s * s / real;
            }
            // The division uses whole bytes: with segments of one byte that is all there is.
            let off = (window.cwnd() as f64 - real).abs() / s;
            assert!(off < if mss == 1 { 1.0 } else { 0.01 }, "{mss}: {} for {real}", window.cwnd());
        }
    }
}
