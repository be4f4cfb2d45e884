//! Losses that follow the flow's own growth: what a queue does that overflows, and corruption does
//! not. They end the trust in marks ([`super::ecn`]); what is answered from then on says
//! [`super::path`]. It needs neither marks nor a delay to be seen, so that short queues count, and queues that
//! never were empty while the flow lasted. Ours, not the papers'.
//!
//! The base is what the path loses of small windows, an average over up to `MEMORY` segments that
//! begins as none of `FIRST`. A window is small if lately, or soon after, `1 / SMALL` times as much
//! got through in one round trip: it cannot have filled a queue. The base follows what lies well
//! below it whatever the window, as a queue only adds to losses ([`super::base`], with l of n segments of a block lost):
//!
//! ```text
//! small:   W <= SMALL max W' (n - l) / n,   over the last INTERVAL to 2 INTERVAL blocks
//! ```
//!
//! Counts of segments, windows W in bytes. Leaves out losses that other flows' growth causes at small windows, and what bursts of a slow
//! start lose of a queue shorter than they are: they become part of the base.

use super::base::{Base, Share};
use super::greatest::Greatest;

/// Segments without loss that the base begins with.
const FIRST: f64 = 10.0;

/// What a small window is at most of what gets through in a round trip.
const SMALL: f64 = 0.75;

/// Blocks over which what gets through is remembered, at least, and half of the most.
const INTERVAL: u32 = 64;

/// The base, and what shows windows to be small.
#[derive(Debug, Clone)]
pub(crate) struct Overflow {
    base: Base,
    /// Most bytes that got through in a round trip, by intervals of blocks.
    through: Greatest<f64>,
    blocks: u32,
}

impl Default for Overflow {
    fn default() -> Self {
        let base = Base::new(Share::of_block(0.0, FIRST));
        Self { base, through: Greatest::default(), blocks: 0 }
    }
}

impl Overflow {
    /// Of a block's first `sent` segments, made for a window of `window` bytes, `lost` were lost.
    /// True if the base does not explain that.
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

    /// So much got through in a round trip.
    fn got_through(&mut self, bytes: f64) {
        self.blocks += 1;
        if self.blocks > INTERVAL {
            self.blocks = 1;
            self.through.turn();
        }
        self.through.take(bytes);
        self.learn_small();
    }

    /// Learns from windows that what got through shows to be small.
    fn learn_small(&mut self) {
        self.base.learn_small(SMALL * self.through.get());
    }

    /// The law was told of congestion.
    pub(crate) fn on_reaction(&mut self) {
        self.base.on_reaction();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks of `n` with losses of `share` on average, spread evenly. True for each that the base
    /// does not explain.
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
    fn what_follows_growth_is_found_at_any_base() {
        for base in [0.0, 0.01, 0.1, 0.3, 0.5] {
            for n in [10, 40, 160] {
                let mut o = Overflow::default();
                steady(&mut o, base, n, 30_000, 3);
                steady(&mut o, base, n, 10_000, 50);
                assert!((o.base.known().of() - base).abs() < 0.03, "{base}, {n}: {:?}", o.base);
                o.on_reaction();
                let calm = steady(&mut o, base, n, 30_000, 40);
                assert!(!calm.contains(&true), "{base}, {n}: {calm:?}");
                // Half of what would have got through does not.
                let more = base + (1.0 - base) / 2.0;
                assert!(steady(&mut o, more, n, 60_000, 24)[23], "{base}, {n}");
            }
        }
    }

    /// What a flood loses hardly changes as the window is halved: only at windows that the path has
    /// carried is it believed.
    #[test]
    fn a_flood_is_no_base() {
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
        // And when they end, at whatever window, they are forgotten.
        steady(&mut o, 0.0, 40, 60_000, 40);
        assert!(o.base.known().of() < 0.05, "{}", o.base.known().of());
        assert!(steady(&mut o, 0.3, 40, 60_000, 8)[7]);
        assert!(!o.sample(0, 0, 1));
    }
}
