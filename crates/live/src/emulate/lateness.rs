//! How late frames are written, and whether a run is valid.
//!
//! ```text
//! lateness     when a frame is written, less when it left the model
//! B            max(300 us, RTT / 20); from 100 Mb/s on max(1 ms, RTT / 20)
//! valid        99 % of the frames at most B late, 99.9 % at most 5 B, and no frame lost by a ring
//! ```
//! RTT is the round-trip time of the path without a queue. The rate is that of the run: bits of all frames written, in the
//! second with the most. At high rates frames leave in bursts: an aggregate of 802.11 hands over up to some hundred at one
//! instant, and the kernel takes 1 to 3 us for each, so the last is written hundreds of microseconds late on an idle
//! machine, too. Lateness adds to delay, and changes no fate.

use airtcp_units::{Delays, Nanos, Span};

/// Lateness that is allowed to 99 % of the frames on every path: up to [`SLOW_BPS`], and above.
const ALLOWED: [Span; 2] = [Span(300_000), Span(1_000_000)];
const SLOW_BPS: u64 = 100_000_000;
/// Part of the round-trip time that is allowed.
const RTT_PART: u64 = 20;
/// So many times the bound is allowed to 99.9 % of the frames: a quarter of the round-trip time on a long path.
const TAIL: u64 = 5;
const SECOND: u64 = 1_000_000_000;

/// The lateness of all frames, in bounded memory; percentiles are right within 0.8 %.
#[derive(Debug, Clone)]
pub struct Lateness {
    delays: Delays,
    frames: u64,
    longest: Span,
    rtt: Span,
    lost: u64,
    /// The present second of the model, its bits, and the most bits of a second.
    second: u64,
    bits: u64,
    most: u64,
}

/// Whether a run is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Validity {
    /// It is.
    Valid,
    /// A ring lost so many frames, so their fate was not the model's.
    Lost(u64),
    /// 1 % or 0.1 % of the frames were later than is allowed to this share.
    Slow {
        /// One frame in so many was later.
        one_in: u64,
        /// Than this.
        late: Span,
        /// The bound.
        bound: Span,
    },
}

impl Lateness {
    /// No frame yet, on a path of this round-trip time without a queue.
    pub fn new(rtt: Span) -> Self {
        let (delays, longest) = (Delays::default(), Span::ZERO);
        Self { delays, frames: 0, longest, rtt, lost: 0, second: 0, bits: 0, most: 0 }
    }

    /// A frame of so many bytes that left the model at `left` was written at `written`.
    pub fn add(&mut self, left: Nanos, written: Nanos, bytes: usize) {
        let lateness = written.since(left.min(written));
        self.delays.add(lateness);
        self.frames += 1;
        self.longest = self.longest.max(lateness);
        let second = left.0 / SECOND;
        if second != self.second {
            (self.second, self.bits) = (second, 0);
        }
        self.bits += 8 * bytes as u64;
        self.most = self.most.max(self.bits);
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

    /// Bits written in the second with the most, both ways together.
    pub const fn rate_bps(&self) -> u64 {
        self.most
    }

    /// The bounds of 99 % and of 99.9 % of the frames.
    pub fn bounds(&self) -> [Span; 2] {
        let allowed = ALLOWED[usize::from(self.most > SLOW_BPS)];
        let bound = allowed.max(Span(self.rtt.0 / RTT_PART));
        [bound, Span(TAIL * bound.0)]
    }

    /// Whether the run so far is valid.
    pub fn validity(&self) -> Validity {
        let ([_, p99, p999, _], bounds) = (self.quantiles(), self.bounds());
        if self.lost > 0 {
            return Validity::Lost(self.lost);
        }
        let shares = [(100, p99, bounds[0]), (1_000, p999, bounds[1])];
        match shares.into_iter().find(|(_, late, bound)| late > bound) {
            Some((one_in, late, bound)) => Validity::Slow { one_in, late, bound },
            None => Validity::Valid,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run of frames of 1,250 bytes, 10 kbit, in one second.
    fn run(rtt_ms: u64, latenesses: &[(u64, u64)]) -> Lateness {
        let mut run = Lateness::new(Span(rtt_ms * 1_000_000));
        for (frames, micros) in latenesses {
            for _ in 0..*frames {
                run.add(Nanos(7), Nanos(7 + micros * 1_000), 1_250);
            }
        }
        run
    }

    fn slow(run: &Lateness) -> Option<u64> {
        match run.validity() {
            Validity::Slow { one_in, late, bound } if late > bound => Some(one_in),
            _ => None,
        }
    }

    #[test]
    fn the_rule() {
        let valid = run(20, &[(990, 100), (10, 4_000)]);
        assert_eq!(valid.validity(), Validity::Valid);
        assert_eq!(valid.quantiles()[3], Span(4_000_000));
        assert_eq!(slow(&run(20, &[(980, 100), (20, 4_000)])), Some(100));
        // A long path allows a twentieth of its round-trip time, and a quarter to 99.9 %.
        assert_eq!(run(100, &[(980, 100), (20, 4_000)]).validity(), Validity::Valid);
        assert_eq!(run(20, &[(999, 100), (1, 6_000)]).validity(), Validity::Valid);
        assert_eq!(slow(&run(20, &[(998, 100), (2, 6_000)])), Some(1_000));
        let mut lost = run(20, &[(1_000, 100)]);
        lost.lose(3);
        assert_eq!(lost.validity(), Validity::Lost(3));
        assert_eq!(run(20, &[]).validity(), Validity::Valid);
        // A path of no length has the bounds of its rate.
        assert_eq!(run(0, &[(998, 200), (2, 1_400)]).validity(), Validity::Valid);
        assert_eq!(slow(&run(0, &[(998, 200), (2, 1_600)])), Some(1_000));
    }

    /// 10,000 frames of 10 kbit are 100 Mb/s.
    #[test]
    fn the_rate_of_the_busiest_second_chooses_the_bound() {
        assert_eq!(run(0, &[(10_000, 200)]).bounds(), [Span(300_000), Span(1_500_000)]);
        let fast = run(0, &[(9_800, 200), (201, 900)]);
        assert_eq!(fast.rate_bps(), 100_010_000);
        assert_eq!(fast.bounds(), [Span(1_000_000), Span(5_000_000)]);
        assert_eq!(fast.validity(), Validity::Valid);
        assert_eq!(slow(&run(0, &[(9_799, 200), (201, 900)])), Some(100));
        // The same frames in two seconds are half as fast.
        let mut two = run(0, &[(9_000, 200)]);
        for _ in 0..9_000 {
            two.add(Nanos(SECOND), Nanos(SECOND + 900_000), 1_250);
        }
        assert_eq!(two.rate_bps(), 90_000_000);
        assert_eq!(slow(&two), Some(100));
        // Long paths allow more at every rate.
        assert_eq!(run(100, &[(20_000, 1)]).bounds()[0], Span(5_000_000));
    }

    /// A clock that steps back gives no lateness.
    #[test]
    fn never_negative() {
        let mut run = run(20, &[]);
        run.add(Nanos(9), Nanos(3), 60);
        assert_eq!(run.quantiles()[3], Span::ZERO);
    }
}
