//! The retransmission timeout that a sender has, from the round-trip times that an observer sees.

/// Smoothed round-trip time and timeout (RFC 6298 section 2), with the minimum of 200 ms on the
/// variation that Linux uses.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Timeout {
    srtt_ns: Option<u64>,
    variation_ns: u64,
}

/// Timeout before the first sample (RFC 6298 section 2.1).
const INITIAL_NS: u64 = 1_000_000_000;
/// Least margin of the timeout over the smoothed round-trip time.
const MARGIN_NS: u64 = 200_000_000;

impl Timeout {
    pub(super) fn add(&mut self, ns: u64) {
        match self.srtt_ns {
            None => {
                self.srtt_ns = Some(ns);
                self.variation_ns = ns / 2;
            }
            Some(srtt) => {
                let error = srtt.abs_diff(ns);
                self.variation_ns = self.variation_ns - self.variation_ns / 4 + error / 4;
                self.srtt_ns = Some(srtt - srtt / 8 + ns / 8);
            }
        }
    }

    pub(super) const fn srtt_ns(&self) -> Option<u64> {
        self.srtt_ns
    }

    pub(super) fn rto_ns(&self) -> u64 {
        let margin = self.variation_ns.saturating_mul(4).max(MARGIN_NS);
        self.srtt_ns.map_or(INITIAL_NS, |srtt| srtt.saturating_add(margin))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeout_of_a_steady_path() {
        let mut timeout = Timeout::default();
        assert_eq!(timeout.rto_ns(), INITIAL_NS);
        for _ in 0..200 {
            timeout.add(50_000_000);
        }
        let rto = timeout.rto_ns();
        assert!((249_000_000..=251_000_000).contains(&rto), "{rto}");
    }
}
