//! Quantiles of positive integers in bounded memory, within 1.6 %.

use std::collections::BTreeMap;

/// Counts of values: a bucket for the power of two and the five bits below the leading one.
#[derive(Debug, Clone, Default)]
pub(super) struct Quantiles {
    buckets: BTreeMap<u16, u64>,
    count: u64,
    sum: f64,
}

/// Bits below the leading one.
const BITS: u32 = 5;

impl Quantiles {
    /// Adds a value.
    pub(super) fn add(&mut self, value: u64) {
        let octave = value.max(1).ilog2();
        let fraction = if octave >= BITS {
            value >> (octave - BITS) & 31
        } else {
            value << (BITS - octave) & 31
        };
        let place = u64::from(octave) << BITS | fraction;
        *self.buckets.entry(u16::try_from(place).unwrap_or(u16::MAX)).or_default() += 1;
        self.count += 1;
        self.sum += value as f64;
    }

    /// Number of values.
    pub(super) const fn count(&self) -> u64 {
        self.count
    }

    /// Mean of the values.
    pub(super) fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }

    /// The middle of the bucket below whose end this share of the values lies.
    pub(super) fn quantile(&self, share: f64) -> Option<f64> {
        let wanted = share * self.count as f64;
        let mut sum = 0;
        for (place, count) in &self.buckets {
            sum += count;
            if sum as f64 >= wanted {
                let base = (1u64 << (place >> BITS)) as f64;
                return Some(base * (1.0 + (f64::from(place & 31) + 0.5) / 32.0));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_a_uniform_distribution() {
        let mut found = Quantiles::default();
        assert_eq!(found.quantile(0.5), None);
        for value in 1..=100_000 {
            found.add(value);
        }
        for share in [0.01, 0.5, 0.99] {
            let relative = found.quantile(share).unwrap() / (share * 1e5);
            assert!((relative - 1.0).abs() < 0.032, "{share}: {relative}");
        }
        assert_eq!(found.mean(), Some(50_000.5));
        found.add(0);
        found.add(u64::MAX);
        assert_eq!(found.count(), 100_002);
    }
}
