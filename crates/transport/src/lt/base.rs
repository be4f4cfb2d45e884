//! The estimated loss rate of the path itself, and a test whether more was lost.
//! [`super::overflow`] and [`super::path`] share both; they differ in the blocks from which they
//! learn.
//!
//! The base is an average over up to `MEMORY` segments. It learns from blocks of small windows. It
//! also follows a loss rate well below itself at any window, since a queue only adds losses. Blocks
//! that are not shown to be small yet wait. The test compares each block, and the decayed sum of
//! the blocks since the last reaction, with the base, as two shares of independent losses:
//!
//! ```text
//! excess:  l - n b/m >= 1 + d n sqrt(q (1 - q) (1/n' + 1/m)),   q = (l + b) / (n + m)
//! ```
//!
//! l of n segments were lost of the block or the sum, b of m of the base; n' is the effective
//! number of segments of the sum (n of a block), d is `DEVIATIONS`. Counts of segments, windows in
//! bytes.

use std::collections::VecDeque;

/// Maximum number of segments in the average of the base.
pub(crate) const MEMORY: f64 = 500.0;

const WAITING: usize = 16;

/// Share of the sum kept at each block.
const KEEP: f64 = 0.875;

/// Standard deviations that chance does not explain.
const DEVIATIONS: f64 = 4.0;

/// Standard deviations below the base from which the base follows a sample.
const BELOW: f64 = 2.0;

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Share {
    lost: f64,
    sent: f64,
    /// Sum of the squares of the weights: `sent` if all weights are equal.
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

    /// Losses beyond the share of `base`, and the standard deviation of that number.
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

    /// Adds more, limited to `MEMORY` segments.
    fn learn(&mut self, other: Self) {
        let room = (MEMORY - other.sent).max(0.0);
        if self.sent > room {
            self.keep(room / self.sent);
        }
        self.add(other);
    }
}

/// The base, and the recent losses compared with it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Base {
    known: Share,
    recent: Share,
    /// Blocks not shown to be small yet, with their windows.
    waiting: VecDeque<(u64, Share)>,
}

impl Base {
    /// A base that begins with this share.
    pub(crate) fn new(known: Share) -> Self {
        Self { known, ..Self::default() }
    }

    /// The learned share.
    pub(crate) const fn known(&self) -> Share {
        self.known
    }

    /// Adds a block's first segments, some of them lost, to the recent ones.
    pub(crate) fn take(&mut self, block: Share) {
        self.recent.keep(KEEP);
        self.recent.add(block);
    }

    /// True if the recent losses are well below the base.
    pub(crate) fn is_above_recent(&self) -> bool {
        let (more, deviation) = self.recent.beyond(self.known);
        -more > BELOW * deviation
    }

    /// True if the base does not explain the losses of the block, or the recent ones.
    pub(crate) fn is_exceeded(&self, block: Share) -> bool {
        block.exceeds(self.known) || self.recent.exceeds(self.known)
    }

    /// Learns from a block.
    pub(crate) fn learn(&mut self, block: Share) {
        self.known.learn(block);
    }

    /// Keeps a block from which to learn if its window is shown to be small.
    pub(crate) fn wait(&mut self, window: u64, block: Share) {
        self.waiting.push_back((window, block));
    }

    /// Windows of at most this many bytes are small. Returns whether the base learned anything.
    pub(crate) fn learn_small(&mut self, most: f64) -> bool {
        let before = self.waiting.len();
        for _ in 0..before {
            if let Some((window, block)) = self.waiting.pop_front() {
                if window as f64 <= most {
                    self.learn(block);
                } else {
                    self.waiting.push_back((window, block));
                }
            }
        }
        let learned = self.waiting.len() < before;
        if self.waiting.len() > WAITING {
            self.waiting.pop_front();
        }
        learned
    }

    /// Removes this share of the losses of the base.
    pub(crate) fn reduce_losses(&mut self, share: f64) {
        self.known.lost *= 1.0 - share;
    }

    /// The sender reported congestion to the law: the comparison with the base starts over.
    pub(crate) fn on_reaction(&mut self) {
        self.recent = Share::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_shares_by_hand() {
        let block = Share::of_block;
        // 25 of 100 against 5 of 100: q = 0.15, deviation 100 sqrt(0.1275 * 0.02) = 5.05.
        let (more, deviation) = block(25.0, 100.0).beyond(block(5.0, 100.0));
        assert!((more - 20.0).abs() < 1e-9 && (deviation - 5.0498).abs() < 1e-3);
        assert!(!block(25.0, 100.0).exceeds(block(5.0, 100.0)), "20 against 1 + 4 * 5.05");
        assert!(block(30.0, 100.0).exceeds(block(5.0, 100.0)), "25 against 1 + 4 * 5.37");
    }
}
