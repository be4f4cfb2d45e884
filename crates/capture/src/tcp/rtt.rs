//! Round-trip times: samples, their quantiles, and the retransmission timeout of RFC 6298.

/// Samples kept as they are; more go into the buckets.
const KEPT: usize = 64;
/// Buckets per power of two: a quantile is right to within 1.1 %.
const PER_OCTAVE: u32 = 64;
const OCTAVES: u32 = 40;

/// A set of times, in bounded memory.
#[derive(Debug, Clone, Default)]
pub(super) struct Times {
    count: u64,
    sum_ns: u128,
    min_ns: u64,
    max_ns: u64,
    kept: Vec<u64>,
    buckets: Vec<u32>,
}

impl Times {
    pub(super) fn add(&mut self, ns: u64) {
        self.min_ns = if self.count == 0 { ns } else { self.min_ns.min(ns) };
        self.max_ns = self.max_ns.max(ns);
        self.count += 1;
        self.sum_ns += u128::from(ns);
        if self.buckets.is_empty() {
            self.kept.push(ns);
            if self.kept.len() <= KEPT {
                return;
            }
            self.buckets = vec![0; (PER_OCTAVE * OCTAVES) as usize];
            for ns in std::mem::take(&mut self.kept) {
                self.count_in_bucket(ns);
            }
            return;
        }
        self.count_in_bucket(ns);
    }

    fn count_in_bucket(&mut self, ns: u64) {
        let place = bucket(ns).min(self.buckets.len() - 1);
        self.buckets[place] = self.buckets[place].saturating_add(1);
    }

    pub(super) const fn count(&self) -> u64 {
        self.count
    }

    pub(super) fn min_ns(&self) -> Option<u64> {
        (self.count > 0).then_some(self.min_ns)
    }

    pub(super) fn max_ns(&self) -> Option<u64> {
        (self.count > 0).then_some(self.max_ns)
    }

    pub(super) fn mean_ns(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum_ns as f64 / self.count as f64)
    }

    /// The smallest time that at least `share` of the samples do not exceed.
    pub(super) fn quantile_ns(&self, share: f64) -> Option<f64> {
        if self.count == 0 {
            return None;
        }
        if self.buckets.is_empty() {
            let mut sorted = self.kept.clone();
            sorted.sort_unstable();
            let below = sorted.iter().enumerate();
            let n = sorted.len() as f64;
            return below
                .clone()
                .find(|(i, _)| (i + 1) as f64 >= share * n)
                .map(|(_, ns)| *ns as f64);
        }
        let wanted = share * self.count as f64;
        let mut sum = 0.0;
        for (place, n) in self.buckets.iter().enumerate() {
            sum += f64::from(*n);
            if sum >= wanted && *n > 0 {
                return Some(middle(place).clamp(self.min_ns as f64, self.max_ns as f64));
            }
        }
        Some(self.max_ns as f64)
    }
}

/// The bucket of a time: its power of two, and the six bits below the leading one.
fn bucket(ns: u64) -> usize {
    let ns = ns.max(1);
    let octave = ns.ilog2();
    let fraction = if octave >= 6 { (ns >> (octave - 6)) & 63 } else { (ns << (6 - octave)) & 63 };
    octave as usize * PER_OCTAVE as usize + usize::try_from(fraction).unwrap_or(0)
}

/// The middle of a bucket, in ns.
fn middle(place: usize) -> f64 {
    let (octave, fraction) = (place / PER_OCTAVE as usize, place % PER_OCTAVE as usize);
    let base = (1u64 << octave) as f64;
    base * (1.0 + (fraction as f64 + 0.5) / f64::from(PER_OCTAVE))
}

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
        self.srtt_ns.map_or(INITIAL_NS, |srtt| srtt + (4 * self.variation_ns).max(MARGIN_NS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_many_and_of_few() {
        let (mut few, mut many) = (Times::default(), Times::default());
        for i in 1..=10u64 {
            few.add(i * 1000);
        }
        assert_eq!(few.quantile_ns(0.5), Some(5000.0));
        for i in 1..=100_000u64 {
            many.add(i * 1000);
        }
        for share in [0.01, 0.5, 0.95, 0.999] {
            let exact = share * 1e8;
            let found = many.quantile_ns(share).unwrap();
            assert!((found / exact - 1.0).abs() < 0.011, "{share}: {found} for {exact}");
        }
        assert_eq!(many.min_ns(), Some(1000));
    }

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
