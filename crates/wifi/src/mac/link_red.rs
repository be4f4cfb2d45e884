//! Link RED at a station: the average number of retries, and what follows from it.
//!
//! ```text
//! average <- (1 - weight) average + weight retries                              after each packet
//! p = 0 below min_th,  max_p (average - min_th)/(max_th - min_th),  max_p from max_th
//! ```
//! A packet that comes to the head is marked or dropped with probability `p`. With pacing, if the average
//! is at least `min_th`, the back-off after a success is longer by the exchange of the packet. Retries are
//! failed attempts of the data frame and of its RTS. The keys and the source are in `scheme/link_red.rs`.

use airtcp_random::Stream;

use super::Mpdu;

/// Parameters of Link RED.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkRedParams {
    /// Weight of the latest packet in the average.
    pub weight: f64,
    /// Average of retries up to which nothing happens.
    pub min_th: f64,
    /// Average of retries from which the probability stays at its maximum.
    pub max_th: f64,
    /// Maximum probability.
    pub max_p: f64,
    /// True if the back-off after a success is longer above `min_th`.
    pub pacing: bool,
}

/// Packets on which Link RED acted at a station since the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LinkRedCounts {
    /// Packets marked.
    pub marked: u64,
    /// Packets dropped.
    pub dropped: u64,
}

/// Link RED at one station.
#[derive(Debug)]
pub(crate) struct LinkRed {
    params: LinkRedParams,
    random: Stream,
    average: f64,
    pub(crate) counts: LinkRedCounts,
}

impl LinkRed {
    pub(crate) const fn new(params: LinkRedParams, random: Stream) -> Self {
        Self { params, random, average: 0.0, counts: LinkRedCounts { marked: 0, dropped: 0 } }
    }

    /// Probability of a mark or a drop.
    fn probability(&self) -> f64 {
        let LinkRedParams { min_th, max_th, max_p, .. } = self.params;
        max_p * ((self.average - min_th) / (max_th - min_th)).clamp(0.0, 1.0)
    }

    /// True if the packet that comes to the head is to be marked or dropped.
    pub(crate) fn signals(&mut self) -> bool {
        let p = self.probability();
        p > 0.0 && self.random.chance(p)
    }

    /// True if the back-off after a success is to be longer.
    pub(crate) fn paces(&self) -> bool {
        self.params.pacing && self.average >= self.params.min_th
    }

    /// A packet was acknowledged or given up.
    pub(crate) fn on_finished(&mut self, mpdu: &Mpdu) {
        let retries = f64::from(mpdu.short_failures + mpdu.long_failures);
        self.average += self.params.weight * (retries - self.average);
    }
}

#[cfg(test)]
mod tests {
    use airtcp_random::Seed;

    use super::*;

    fn at(average: f64, pacing: bool) -> LinkRed {
        let params = LinkRedParams { weight: 0.125, min_th: 1.0, max_th: 4.0, max_p: 0.3, pacing };
        LinkRed { average, ..LinkRed::new(params, Seed::new(1).stream("link-red")) }
    }

    /// 0 below the lower threshold, then a line up to the maximum.
    #[test]
    fn the_probability_is_a_line_between_the_thresholds() {
        for (average, expected) in
            [(0.0, 0.0), (1.0, 0.0), (2.0, 0.1), (2.5, 0.15), (4.0, 0.3), (9.0, 0.3)]
        {
            let mut red = at(average, false);
            assert!((red.probability() - expected).abs() < 1e-12, "{average}");
            let signals = (0..20_000).filter(|_| red.signals()).count() as f64 / 20_000.0;
            // Four standard errors at a probability of 0.3.
            assert!((signals - expected).abs() < 0.013, "{average}: {signals}");
        }
    }

    #[test]
    fn pacing_begins_at_the_lower_threshold() {
        assert!(!at(0.99, true).paces() && at(1.0, true).paces());
        assert!(!at(3.0, false).paces());
    }
}
