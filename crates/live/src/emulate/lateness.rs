//! How late frames are written, and whether a run is valid.
//!
//! ```text
//! lateness     when a frame is written, less when it left the model
//! rate         bits of the IP packets that one node gets in 10 ms, at most, a second
//! B            max(300 us, RTT / 20); at a rate above 100 Mb/s max(1 ms, RTT / 20)
//! valid        99 % of the frames at most B late, 99.9 % at most 5 B, and no frame lost by a ring
//! ```
//! RTT is the round-trip time of the path without a queue. A link never delivers more in 10 ms than its rate, but a cell
//! does: an aggregate of 802.11 hands over some hundred frames at one instant. The kernel takes 1 to 3 us for each, so the
//! last is written hundreds of microseconds late even if nothing else delays it. Lateness adds to delay, and changes no fate.

use airtcp_units::{Delays, Nanos, Span};

/// Lateness that is allowed to 99 % of the frames on every path: up to [`SLOW_BPS`], and above.
const ALLOWED: [Span; 2] = [Span(300_000), Span(1_000_000)];
/// Bits in a [`WINDOW`] at 100 Mb/s, and the packet that began before it.
const SLOW_BITS: u64 = 1_000_000 + 12_000;
/// Part of the round-trip time that is allowed.
const RTT_PART: u64 = 20;
/// So many times the bound is allowed to 99.9 % of the frames: a quarter of the round-trip time on a long path.
const TAIL: u64 = 5;
/// In nanoseconds.
const WINDOW: u64 = 10_000_000;
const ETHERNET: usize = 14;

/// The lateness of all frames, in bounded memory; percentiles are right within 0.8 %.
#[derive(Debug, Clone)]
pub struct Lateness {
    delays: Delays,
    frames: u64,
    longest: Span,
    rtt: Span,
    lost: u64,
    /// For each port the window of its last frame, and the bits in it.
    windows: Vec<(u64, u64)>,
    /// The most bits of a window.
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
        Self { delays, frames: 0, longest, rtt, lost: 0, windows: Vec::new(), most: 0 }
    }

    /// A frame of so many bytes for a port left the model at `left` and was written at `written`. Returns how late that was.
    pub fn add(&mut self, left: Nanos, written: Nanos, port: usize, bytes: usize) -> Span {
        let lateness = written.since(left.min(written));
        self.delays.add(lateness);
        self.frames += 1;
        self.longest = self.longest.max(lateness);
        if self.windows.len() <= port {
            self.windows.resize(port + 1, (0, 0));
        }
        let (window, bits) = &mut self.windows[port];
        let present = left.0 / WINDOW;
        if *window != present {
            (*window, *bits) = (present, 0);
        }
        *bits += 8 * bytes.saturating_sub(ETHERNET) as u64;
        self.most = self.most.max(*bits);
        lateness
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

    /// Bits a second that one node got within 10 ms, at most.
    pub const fn peak_bps(&self) -> u64 {
        self.most * (1_000_000_000 / WINDOW)
    }

    /// The bounds of 99 % and of 99.9 % of the frames.
    pub fn bounds(&self) -> [Span; 2] {
        let allowed = ALLOWED[usize::from(self.most > SLOW_BITS)];
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

    /// A run of packets of 1,250 bytes, 10 kbit, one each 0.1 ms: 100 Mb/s.
    fn run(rtt_ms: u64, latenesses: &[(u64, u64)]) -> Lateness {
        let mut run = Lateness::new(Span(rtt_ms * 1_000_000));
        for (frames, micros) in latenesses {
            for _ in 0..*frames {
                let left = 100_000 * run.frames();
                run.add(Nanos(left), Nanos(left + micros * 1_000), 0, 1_264);
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

    #[test]
    fn the_rate_chooses_the_bound() {
        let link = run(0, &[(10_000, 200)]);
        assert_eq!(
            (link.peak_bps(), link.bounds()),
            (100_000_000, [Span(300_000), Span(1_500_000)])
        );
        // Aggregates of 200 frames, each at one instant, on a path that carries 20 Mb/s.
        let aggregates = |late: u64| {
            let mut cell = run(0, &[]);
            for n in 0..10_000 {
                let left = n / 200 * 100_000_000;
                cell.add(Nanos(left), Nanos(left + late), 1, 1_264);
            }
            cell
        };
        assert_eq!(aggregates(900_000).peak_bps(), 200_000_000);
        assert_eq!(aggregates(900_000).bounds(), [Span(1_000_000), Span(5_000_000)]);
        assert_eq!(aggregates(900_000).validity(), Validity::Valid);
        assert_eq!(slow(&aggregates(1_100_000)), Some(100));
        // What two nodes get is not added.
        let mut two = run(0, &[(100, 1)]);
        two.add(Nanos(0), Nanos(0), 1, 1_264);
        assert_eq!(two.peak_bps(), 100_000_000);
        // Long paths allow more at every rate.
        assert_eq!(run(100, &[(20_000, 1)]).bounds()[0], Span(5_000_000));
    }

    /// A clock that steps back gives no lateness.
    #[test]
    fn never_negative() {
        let mut run = run(20, &[]);
        run.add(Nanos(9), Nanos(3), 0, 60);
        assert_eq!(run.quantiles()[3], Span::ZERO);
    }
}
