//! Losses that follow the flow's own growth, which a queue causes when it overflows and corruption
//! does not. They end the trust in marks ([`super::ecn`]); after that, [`super::path`] decides
//! which losses count. The test needs neither marks nor delay. It therefore detects short queues,
//! and queues that were never empty during the flow. This is ours, not the papers'.
//!
//! The base is the loss rate at small windows, an average over up to `MEMORY` segments that begins
//! with `FIRST` segments without loss. A window is small if, shortly before or after, `1 / SMALL`
//! times as much got through in one round trip: it cannot have filled a queue. The base also
//! follows a loss rate well below itself at any window, since a queue only adds losses
//! ([`super::base`]). With l of n segments of a block lost:
//!
//! ```text
//! small:   W <= SMALL max W' (n - l) / n,   over the last INTERVAL to 2 INTERVAL blocks
//! ```
//!
//! Counts of segments, windows W in bytes. Two kinds of losses become part of the base: those that
//! the growth of other flows causes at small windows, and those of slow-start bursts longer than
//! the queue.

use super::base::{Base, Share};
use super::recent_max::RecentMax;

/// Segments without loss with which the base begins.
const FIRST: f64 = 10.0;

/// Maximum size of a small window, as a share of the bytes that got through in a round trip.
const SMALL: f64 = 0.75;

/// Number of blocks over which the bytes that got through are kept: between this and twice this.
const INTERVAL: u32 = 64;

/// The base, and the measure of small windows.
#[derive(Debug, Clone)]
pub(crate) struct Overflow {
    base: Base,
    /// Maximum number of bytes that got through in a round trip, by intervals of blocks.
    through: RecentMax<f64>,
    blocks: u32,
}

impl Default for Overflow {
    fn default() -> Self {
        let base = Base::new(Share::of_block(0.0, FIRST));
        Self { base, through: RecentMax::default(), blocks: 0 }
    }
}

impl Overflow {
    /// Of a block's first `sent` segments, made for a window of `window` bytes, `lost` were lost.
    /// Returns whether the base does not explain that.
    pub(crate) fn sample(&mut self, lost: u16, sent: u16, window: u64) -> bool {
        if sent == 0 {
            return false;
        }
        let block = Share::of_block(f64::from(lost.min(sent)), f64::from(sent));
        self.base.take(block);
        self.got_through(window as f64 * (1.0 - block.of()));
        let exceeded = self.base.is_exceeded(block);
        if self.base.is_above_recent() {
            self.base.learn(block);
        } else {
            self.base.wait(window, block);
            self.learn_small();
        }
        exceeded
    }

    /// This many bytes got through in a round trip.
    fn got_through(&mut self, bytes: f64) {
        self.blocks += 1;
        if self.blocks > INTERVAL {
            self.blocks = 1;
            self.through.turn();
        }
        self.through.take(bytes);
        self.learn_small();
    }

    /// Learns from the windows that are now shown to be small.
    fn learn_small(&mut self) {
        self.base.learn_small(SMALL * self.through.get());
    }

    /// The sender reported congestion to the law.
    pub(crate) fn on_reaction(&mut self) {
        self.base.on_reaction();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks of `n` with losses of `share` on average, spread evenly. True for each block whose
    /// losses the base does not explain.
    fn steady(o: &mut Overflow, share: f64, n: u16, window: u64, blocks: u32) -> Vec<bool> {
        let mut owed = 0.0;
        (0..blocks)
            .map(|_| {
                owed += share * f64::from(n);
                let lost = owed as u16;
                owed -= f64::from(lost);
                o.sample(lost, n, window)
            })
            .collect()
    }

    #[test]
    fn losses_that_follow_growth_are_found_at_any_base() {
        for base in [0.0, 0.01, 0.1, 0.3, 0.5] {
            for n in [10, 40, 160] {
                let mut o = Overflow::default();
                steady(&mut o, base, n, 30_000, 3);
                steady(&mut o, base, n, 10_000, 50);
                assert!((o.base.known().of() - base).abs() < 0.03, "{base}, {n}: {:?}", o.base);
                o.on_reaction();
                let calm = steady(&mut o, base, n, 30_000, 40);
                assert!(!calm.contains(&true), "{base}, {n}: {calm:?}");
                // Half of the bytes that would have got through do not.
                let more = base + (1.0 - base) / 2.0;
                assert!(steady(&mut o, more, n, 60_000, 24)[23], "{base}, {n}");
            }
        }
    }

    /// Flood losses hardly change when the window halves: the base learns them only from windows
    /// that the path has carried.
    #[test]
    fn flood_losses_do_not_enter_the_base() {
        let mut o = Overflow::default();
        let lost = |window: u64| 1.0 - (50_000.0 / window as f64).min(1.0);
        let mut window = 14_000;
        while window < 3_000_000 {
            steady(&mut o, lost(window), 50, window, 1);
            window *= 2;
        }
        while window > 70_000 {
            assert!(steady(&mut o, lost(window), 50, window, 3)[2], "{window}");
            o.on_reaction();
            window /= 2;
        }
        assert!(o.base.known().of() < 0.01, "{}", o.base.known().of());
    }

    #[test]
    fn losses_that_stay_when_the_window_falls_become_the_base() {
        let mut o = Overflow::default();
        steady(&mut o, 0.0, 40, 20_000, 20);
        steady(&mut o, 0.0, 40, 40_000, 20);
        assert!(steady(&mut o, 0.3, 40, 40_000, 3).contains(&true));
        o.on_reaction();
        steady(&mut o, 0.3, 20, 20_000, 30);
        o.on_reaction();
        assert!(!steady(&mut o, 0.3, 40, 40_000, 50).contains(&true), "{:?}", o.base);
        // When the losses end, the base drops at any window.
        steady(&mut o, 0.0, 40, 60_000, 40);
        assert!(o.base.known().of() < 0.05, "{}", o.base.known().of());
        assert!(steady(&mut o, 0.3, 40, 60_000, 8)[7]);
        assert!(!o.sample(0, 0, 1));
    }
}
