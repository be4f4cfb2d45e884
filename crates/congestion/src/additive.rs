//! Additive increase: about one segment per round trip.
//!
//! RFC 5681 equation 3, `cwnd += MSS*MSS/cwnd` per ACK, or RFC 3465 section 2.1, one segment per
//! window of acknowledged bytes. The remainder of the division is carried, so that the growth
//! equals that of real numbers. Bytes.

use super::{Growth, Window};

/// Additive increase of a window.
#[derive(Debug, Clone, Copy, Default)]
pub struct Additive {
    growth: Growth,
    /// Growth not yet applied, in units of byte times byte: the remainder of `MSS*MSS/cwnd`, or
    /// acknowledged bytes times MSS.
    credit: u64,
}

impl Additive {
    /// No growth is carried.
    pub const fn new(growth: Growth) -> Self {
        Self { growth, credit: 0 }
    }

    /// Drops the carried growth after a reduction of the window.
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
            // One segment per acknowledged window.
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

    /// Compares a thousand ACKs, from a window of ten segments, with growth in real numbers.
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
            // The division uses whole bytes. With segments of one byte its error is one byte.
            let off = (window.cwnd() as f64 - real).abs() / s;
            assert!(off < if mss == 1 { 1.0 } else { 0.01 }, "{mss}: {} for {real}", window.cwnd());
        }
    }
}
