//! Marks of queues (ECN, RFC 3168): validation of the peer's count, and whether packets are
//! ECN-capable.
//!
//! Data packets are ECN-capable, ECT(0); openings and feedback are not. Feedback repeats the count
//! of packets that arrived with CE, so that no mark is lost with it. The count may grow up to the
//! number of packets sent; other values are refused. A path that drops capable packets is detected
//! as in RFC 9000 section 13.4.2: no data was ever acknowledged, and the timer for silence expired
//! twice. After that, packets are not capable. A path that clears the field counts as one without
//! marks.

use airtcp_units::LowBits;

/// Number of silences without any feedback after which packets are not capable.
const TRIALS: u32 = 2;

/// A count that cannot be true.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Impossible;

/// State of marks on the path.
#[derive(Debug)]
pub(crate) struct Marks {
    capable: bool,
    /// Data arrived, so capable packets pass.
    passes: bool,
    silences: u32,
    /// Number of packets that the peer received with CE.
    marked: u64,
}

impl Marks {
    pub(crate) const fn new(capable: bool) -> Self {
        Self { capable, passes: false, silences: 0, marked: 0 }
    }

    #[inline]
    pub(crate) const fn is_capable(&self) -> bool {
        self.capable
    }

    /// A data packet is known to have arrived.
    #[inline]
    pub(crate) const fn on_arrival(&mut self) {
        self.passes = true;
    }

    /// The timer for silence expired.
    pub(crate) const fn on_silence(&mut self) {
        if !self.passes {
            self.silences += 1;
            if self.silences >= TRIALS {
                self.capable = false;
            }
        }
    }

    /// Takes the peer's count, out of `sent` packets. Returns whether there are new marks.
    #[inline]
    pub(crate) fn take(&mut self, count: u32, sent: u64) -> Result<bool, Impossible> {
        let more = count.wrapping_sub(u32::low_bits(self.marked));
        // Feedback that was overtaken has an older count.
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
