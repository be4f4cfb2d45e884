//! Marks of queues (ECN, RFC 3168): what is believed of the peer's count, and whether packets say
//! that they may be marked.
//!
//! Data packets are ECN-capable, ECT(0); openings and feedback are not. Feedback repeats the count of
//! packets that came with CE, so that none is lost with it. The count may grow, up to the
//! packets sent; anything else cannot be. A path that takes capable packets away is found as in RFC
//! 9000 section 13.4.2: nothing was ever heard of data and silence has lasted too long twice, after which
//! packets are not capable any more. A path that clears the field only hides its marks: it is then one
//! without.

use airtcp_units::LowBits;

/// Silences before anything was heard after which packets are not capable any more.
const TRIALS: u32 = 2;

/// A count that cannot be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Impossible;

/// What is known of marks.
#[derive(Debug)]
pub(crate) struct Marks {
    capable: bool,
    /// Data arrived, so that capable packets pass.
    passes: bool,
    silences: u32,
    /// Packets that the peer got with CE.
    marked: u64,
}

impl Marks {
    pub(crate) const fn new(capable: bool) -> Self {
        Self { capable, passes: false, silences: 0, marked: 0 }
    }

    /// The next packet says that it may be marked.
    #[inline]
    pub(crate) const fn is_capable(&self) -> bool {
        self.capable
    }

    /// A data packet is known to have arrived.
    #[inline]
    pub(crate) const fn on_arrival(&mut self) {
        self.passes = true;
    }

    /// Silence has lasted too long.
    pub(crate) const fn on_silence(&mut self) {
        if !self.passes {
            self.silences += 1;
            if self.silences >= TRIALS {
                self.capable = false;
            }
        }
    }

    /// Takes the peer's count, of `sent` packets: whether there are new marks.
    #[inline]
    pub(crate) fn take(&mut self, count: u32, sent: u64) -> Result<bool, Impossible> {
        let more = count.wrapping_sub(u32::low_bits(self.marked));
        // Feedback that was overtaken tells an older count.
        if more == 0 || more > u32::MAX / 2 {
            return Ok(false);
        }
        let marked = self.marked + u64::from(more);
        if marked > sent {
            return Err(Impossible);
        }
        self.marked = marked;
        Ok(self.capable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_grow_up_to_what_was_sent() {
        let mut marks = Marks::new(true);
        assert_eq!(marks.take(0, 5), Ok(false));
        assert_eq!(marks.take(3, 5), Ok(true));
        assert_eq!(marks.take(3, 5), Ok(false));
        assert_eq!(marks.take(1, 5), Ok(false), "overtaken");
        assert_eq!(marks.take(6, 5), Err(Impossible));
        assert_eq!(marks.take(u32::MAX, 5), Ok(false), "a count that wraps around is an old one");
        assert_eq!(marks.take(5, 5), Ok(true));
        assert_eq!(Marks::new(false).take(1, 5), Ok(false), "nothing was capable");
    }

    #[test]
    fn a_path_that_takes_capable_packets_away() {
        let mut marks = Marks::new(true);
        marks.on_silence();
        assert!(marks.is_capable());
        marks.on_silence();
        assert!(!marks.is_capable());
        let mut marks = Marks::new(true);
        marks.on_arrival();
        (0..100).for_each(|_| marks.on_silence());
        assert!(marks.is_capable(), "they did pass");
    }
}
