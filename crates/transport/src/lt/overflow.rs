//! Losses that follow the flow's own growth: what a queue does that overflows, and corruption does
//! not. They end the trust in marks ([`super::ecn`]); what is answered from then on says
//! [`super::path`]. It needs neither marks nor a delay to be seen, so that short queues count, and queues that
//! never were empty while the flow lasted. Ours, not the papers'.
//!
//! The base is what the path loses of small windows, an average over up to `MEMORY` segments that
//! begins as none of `FIRST`. A window is small if lately, or soon after, `1 / SMALL` times as much
//! got through in one round trip: it cannot have filled a queue. The base follows what lies well
//! below it whatever the window, as a queue only adds to losses. Each block, and the decayed sum of
//! those since the last reaction, are held against the base as two shares of independent losses:
//!
//! ```text
//! excess:  l - n b/m >= 1 + d n sqrt(q (1 - q) (1/n' + 1/m)),   q = (l + b) / (n + m)
//! small:   W <= SMALL max W' (n - l) / n,   over the last INTERVAL to 2 INTERVAL blocks
//! ```
//!
//! l of n segments were lost of the block or the sum, b of m of the base; n' is the number of
//! segments that the sum is worth (n of a block), d is `DEVIATIONS`. Counts of segments, windows W
//! in bytes. Leaves out losses that other flows' growth causes at small windows, and what bursts of a slow
//! start lose of a queue shorter than they are: they become part of the base.

use std::collections::VecDeque;

/// Segments over which the base is averaged.
const MEMORY: f64 = 500.0;

/// Segments without loss that the base begins with.
const FIRST: f64 = 10.0;

/// What a small window is at most of what gets through in a round trip.
const SMALL: f64 = 0.75;

/// Blocks over which what gets through is remembered, at least, and half of the most.
const INTERVAL: u32 = 64;

/// Blocks that wait to be shown small.
const WAITING: usize = 16;

/// What a sum keeps with each block.
const KEEP: f64 = 0.875;

/// Deviations that chance does not explain.
const DEVIATIONS: f64 = 4.0;

/// Deviations below the base from which it follows a sample.
const BELOW: f64 = 2.0;

/// What became of segments.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Share {
    lost: f64,
    sent: f64,
    /// Sum of the squares of the weights: `sent` if all weigh the same.
    squares: f64,
}

impl Share {
    pub(crate) const fn of_block(lost: f64, sent: f64) -> Self {
        Self { lost, sent, squares: sent }
    }

    pub(crate) fn of(self) -> f64 {
        self.lost / self.sent
    }

    pub(crate) const fn sent(self) -> f64 {
        self.sent
    }

    pub(crate) fn keep(&mut self, share: f64) {
        self.lost *= share;
        self.sent *= share;
        self.squares *= share * share;
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.lost += other.lost;
        self.sent += other.sent;
        self.squares += other.squares;
    }

    /// How many more were lost than at the share of `base`, and the deviation of that number.
    pub(crate) fn beyond(self, base: Self) -> (f64, f64) {
        let pooled = (self.lost + base.lost) / (self.sent + base.sent);
        let spread = self.squares / (self.sent * self.sent) + 1.0 / base.sent;
        let deviation = self.sent * (pooled * (1.0 - pooled) * spread).max(0.0).sqrt();
        (self.lost - self.sent * base.of(), deviation)
    }

    pub(crate) fn exceeds(self, base: Self) -> bool {
        let (more, deviation) = self.beyond(base);
        more >= 1.0 + DEVIATIONS * deviation
    }

    /// Takes more in, of at most `memory` segments.
    pub(crate) fn learn(&mut self, other: Self, memory: f64) {
        let room = (memory - other.sent).max(0.0);
        if self.sent > room {
            self.keep(room / self.sent);
        }
        self.add(other);
    }

    /// Takes this share of the losses for none.
    pub(crate) fn forgive(&mut self, share: f64) {
        self.lost *= 1.0 - share;
    }
}

/// The base, and what is held against it.
#[derive(Debug, Clone)]
pub(crate) struct Overflow {
    base: Share,
    recent: Share,
    /// Blocks not shown to be small, with their windows.
    waiting: VecDeque<(u64, Share)>,
    /// Most bytes that got through in a round trip, in this interval of blocks and the one before.
    through: [f64; 2],
    blocks: u32,
}

impl Default for Overflow {
    fn default() -> Self {
        let base = Share::of_block(0.0, FIRST);
        let (recent, waiting) = (Share::default(), VecDeque::new());
        Self { base, recent, waiting, through: [0.0; 2], blocks: 0 }
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
        self.recent.keep(KEEP);
        self.recent.add(block);
        self.got_through(window as f64 * (1.0 - block.of()));
        let base = self.base;
        let (more, deviation) = self.recent.beyond(base);
        if -more > BELOW * deviation {
            self.learn(block);
        } else {
            self.waiting.push_back((window, block));
            self.learn_small();
        }
        block.exceeds(base) || self.recent.exceeds(base)
    }

    /// So much got through in a round trip.
    fn got_through(&mut self, bytes: f64) {
        self.blocks += 1;
        if self.blocks > INTERVAL {
            self.blocks = 1;
            self.through = [0.0, self.through[0]];
        }
        self.through[0] = self.through[0].max(bytes);
        self.learn_small();
    }

    /// Learns from windows that what got through shows to be small.
    fn learn_small(&mut self) {
        let small = SMALL * self.through[0].max(self.through[1]);
        for _ in 0..self.waiting.len() {
            if let Some((window, block)) = self.waiting.pop_front() {
                if window as f64 <= small {
                    self.learn(block);
                } else {
                    self.waiting.push_back((window, block));
                }
            }
        }
        if self.waiting.len() > WAITING {
            self.waiting.pop_front();
        }
    }

    fn learn(&mut self, block: Share) {
        self.base.learn(block, MEMORY);
    }

    /// The law was told of congestion: what comes is held against the base anew.
    pub(crate) fn on_reaction(&mut self) {
        self.recent = Share::default();
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
    fn two_shares_by_hand() {
        let block = Share::of_block;
        // 25 of 100 against 5 of 100: q = 0.15, deviation 100 sqrt(0.1275 * 0.02) = 5.05.
        let (more, deviation) = block(25.0, 100.0).beyond(block(5.0, 100.0));
        assert!((more - 20.0).abs() < 1e-9 && (deviation - 5.0498).abs() < 1e-3);
        assert!(!block(25.0, 100.0).exceeds(block(5.0, 100.0)), "20 against 1 + 4 * 5.05");
        assert!(block(30.0, 100.0).exceeds(block(5.0, 100.0)), "25 against 1 + 4 * 5.37");
    }

    #[test]
    fn what_follows_growth_is_found_at_any_base() {
        for base in [0.0, 0.01, 0.1, 0.3, 0.5] {
            for n in [10, 40, 160] {
                let mut o = Overflow::default();
                steady(&mut o, base, n, 30_000, 3);
                steady(&mut o, base, n, 10_000, 50);
                assert!((o.base.of() - base).abs() < 0.03, "{base}, {n}: {:?}", o.base);
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
        assert!(o.base.of() < 0.01, "{}", o.base.of());
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
        assert!(o.base.of() < 0.05, "{}", o.base.of());
        assert!(steady(&mut o, 0.3, 40, 60_000, 8)[7]);
        assert!(!o.sample(0, 0, 1));
    }
}
