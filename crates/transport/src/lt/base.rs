//! What is held to be the path's own loss, and whether more was lost than that explains. What the rules of
//! [`super::overflow`] and [`super::path`] have in common: they differ in which blocks say something of the path.
//!
//! The base is an average over up to `MEMORY` segments. It follows what lies well below it, as a queue only adds
//! to losses, and takes in blocks of small windows; those not shown to be small yet wait. Each block, and the decayed sum of
//! those since the last reaction, are held against it as two shares of independent losses:
//!
//! ```text
//! excess:  l - n b/m >= 1 + d n sqrt(q (1 - q) (1/n' + 1/m)),   q = (l + b) / (n + m)
//! ```
//!
//! l of n segments were lost of the block or the sum, b of m of the base; n' is the number of
//! segments that the sum is worth (n of a block), d is `DEVIATIONS`. Counts of segments, windows in bytes.

use std::collections::VecDeque;

/// Segments over which the base is averaged.
pub(crate) const MEMORY: f64 = 500.0;

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

    /// Takes more in, of at most `MEMORY` segments.
    fn learn(&mut self, other: Self) {
        let room = (MEMORY - other.sent).max(0.0);
        if self.sent > room {
            self.keep(room / self.sent);
        }
        self.add(other);
    }
}

/// The base, and what is held against it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Base {
    known: Share,
    recent: Share,
    /// Blocks not shown to be small, with their windows.
    waiting: VecDeque<(u64, Share)>,
}

impl Base {
    /// One that begins as this share.
    pub(crate) fn new(known: Share) -> Self {
        Self { known, ..Self::default() }
    }

    /// What is known of the path.
    pub(crate) const fn known(&self) -> Share {
        self.known
    }

    /// A block's first segments, of which some were lost: they count among the recent.
    pub(crate) fn take(&mut self, block: Share) {
        self.recent.keep(KEEP);
        self.recent.add(block);
    }

    /// What was lost lately lies well below it.
    pub(crate) fn is_above_recent(&self) -> bool {
        let (more, deviation) = self.recent.beyond(self.known);
        -more > BELOW * deviation
    }

    /// It does not explain what was lost of the block, or lately.
    pub(crate) fn is_exceeded(&self, block: Share) -> bool {
        block.exceeds(self.known) || self.recent.exceeds(self.known)
    }

    /// The block says what the path loses.
    pub(crate) fn learn(&mut self, block: Share) {
        self.known.learn(block);
    }

    /// The block will say so if its window is shown to be small.
    pub(crate) fn wait(&mut self, window: u64, block: Share) {
        self.waiting.push_back((window, block));
    }

    /// Windows of at most so many bytes are small. True if anything was learned.
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

    /// Takes this share of its losses for none.
    pub(crate) fn forgive(&mut self, share: f64) {
        self.known.lost *= 1.0 - share;
    }

    /// The law was told of congestion: what comes is held against the base anew.
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
