//! How late frames are written, and whether a run is valid.
//!
//! ```text
//! lateness     when a frame is written, less when it left the model
//! valid        p99 <= max(300 us, RTT / 20), at most 0.1 % later than max(300 us, RTT / 4), and no frame lost by a ring
//! ```
//! RTT is the round-trip time of the path without a queue. Lateness adds to delay, and changes no fate.

use airtcp_units::{Delays, Nanos, Span};

/// Lateness that is allowed to 99 % of the frames on every path.
const ALLOWED: Span = Span(300_000);
/// Parts of the round-trip time.
const P99_PART: u64 = 20;
const LATE_PART: u64 = 4;
/// One in so many frames may be later than [`ALLOWED`] and `RTT / LATE_PART`.
const LATE_ONE_IN: u64 = 1_000;

/// The lateness of all frames, in bounded memory; percentiles are right within 0.8 %.
#[derive(Debug, Clone)]
pub struct Lateness {
    delays: Delays,
    frames: u64,
    longest: Span,
    rtt: Span,
    /// Frames later than [`ALLOWED`] and `RTT / LATE_PART`.
    late: u64,
    lost: u64,
}

/// Whether a run is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Validity {
    /// It is.
    Valid,
    /// A ring lost so many frames, so their fate was not the model's.
    Lost(u64),
    /// 99 % of the frames have this lateness or less, which is more than the bound.
    Slow {
        /// The lateness.
        p99: Span,
        /// The bound.
        bound: Span,
    },
    /// More than 0.1 % of the frames, so many, were later than 300 us and a quarter of the round-trip time.
    Late(u64),
}

impl Lateness {
    /// No frame yet, on a path of this round-trip time without a queue.
    pub fn new(rtt: Span) -> Self {
        let (delays, longest) = (Delays::default(), Span::ZERO);
        Self { delays, frames: 0, longest, rtt, late: 0, lost: 0 }
    }

    /// A frame that left the model at `left` was written at `written`.
    pub fn add(&mut self, left: Nanos, written: Nanos) {
        let lateness = written.since(left.min(written));
        self.delays.add(lateness);
        self.frames += 1;
        self.longest = self.longest.max(lateness);
        self.late += u64::from(lateness > ALLOWED.max(Span(self.rtt.0 / LATE_PART)));
    }

    /// A ring lost frames: the kernel's count since the last call.
    pub const fn lose(&mut self, frames: u64) {
        self.lost += frames;
    }

    /// The round-trip time of the path without a queue.
    pub const fn rtt(&self) -> Span {
        self.rtt
    }

    /// Frames written.
    pub const fn frames(&self) -> u64 {
        self.frames
    }

    /// Frames that a ring lost.
    pub const fn lost(&self) -> u64 {
        self.lost
    }

    /// The lateness that 50, 99 and 99.9 % of the frames do not exceed, and the longest; zeros without frames.
    pub fn quantiles(&self) -> [Span; 4] {
        match self.delays.quantiles(&[5_000, 9_900, 9_990])[..] {
            [p50, p99, p999] => [p50, p99, p999, self.longest],
            _ => [Span::ZERO; 4],
        }
    }

    /// The bound of 99 % of the frames.
    pub fn bound(&self) -> Span {
        ALLOWED.max(Span(self.rtt.0 / P99_PART))
    }

    /// Whether the run so far is valid.
    pub fn validity(&self) -> Validity {
        let ([_, p99, ..], bound) = (self.quantiles(), self.bound());
        if self.lost > 0 {
            Validity::Lost(self.lost)
        } else if p99 > bound {
            Validity::Slow { p99, bound }
        } else if self.late > self.frames / LATE_ONE_IN {
            Validity::Late(self.late)
        } else {
            Validity::Valid
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(rtt_ms: u64, latenesses: &[(u64, u64)]) -> Lateness {
        let mut run = Lateness::new(Span(rtt_ms * 1_000_000));
        for (frames, micros) in latenesses {
            for _ in 0..*frames {
                run.add(Nanos(7), Nanos(7 + micros * 1_000));
            }
        }
        run
    }

    #[test]
    fn the_rule() {
        use Validity::{Late, Lost, Slow, Valid};
        let valid = run(20, &[(990, 100), (10, 4_000)]);
        assert_eq!(valid.validity(), Valid);
        assert_eq!(valid.quantiles()[3], Span(4_000_000));
        assert!(matches!(run(20, &[(980, 100), (20, 4_000)]).validity(), Slow { .. }));
        // A long path allows a twentieth of its round-trip time.
        assert_eq!(run(100, &[(980, 100), (20, 4_000)]).validity(), Valid);
        assert_eq!(run(20, &[(999, 100), (1, 6_000)]).validity(), Valid);
        assert_eq!(run(20, &[(998, 100), (2, 6_000)]).validity(), Late(2));
        let mut lost = run(20, &[(1_000, 100)]);
        lost.lose(3);
        assert_eq!(lost.validity(), Lost(3));
        assert_eq!(run(20, &[]).validity(), Valid);
        // On a path of no length, what is allowed on every path is not late.
        assert_eq!(run(0, &[(1_000, 200)]).validity(), Valid);
        assert_eq!(run(0, &[(995, 200), (5, 400)]).validity(), Late(5));
    }

    /// A clock that steps back gives no lateness.
    #[test]
    fn never_negative() {
        let mut run = run(20, &[]);
        run.add(Nanos(9), Nanos(3));
        assert_eq!(run.quantiles(), [Span::ZERO; 4]);
    }
}
