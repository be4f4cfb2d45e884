//! A set of times in bounded memory: exact while it is small, quantiles within 0.8 % beyond.

use airtcp_units::{Delays, Saturate as _, Span};

/// Times that are kept one by one; with more, the histogram answers.
const KEPT: usize = 64;

/// A set of times.
#[derive(Debug, Clone, Default)]
pub(crate) struct Times {
    count: u64,
    sum_ns: u128,
    min_ns: u64,
    max_ns: u64,
    kept: Vec<u64>,
    /// All times, if there are more than those that are kept.
    all: Delays,
    has_histogram: bool,
}

impl Times {
    /// Adds a time.
    pub(crate) fn add(&mut self, ns: u64) {
        self.min_ns = if self.count == 0 { ns } else { self.min_ns.min(ns) };
        self.max_ns = self.max_ns.max(ns);
        self.count += 1;
        self.sum_ns += u128::from(ns);
        if self.kept.len() < KEPT {
            self.kept.push(ns);
            return;
        }
        self.begin_histogram();
        self.all.add(Span(ns));
    }

    /// Adds equal times.
    pub(crate) fn add_many(&mut self, ns: u64, count: u64) {
        if count == 0 {
            return;
        }
        self.min_ns = if self.count == 0 { ns } else { self.min_ns.min(ns) };
        self.max_ns = self.max_ns.max(ns);
        self.count += count;
        self.sum_ns += u128::from(ns) * u128::from(count);
        let room = KEPT.saturating_sub(self.kept.len());
        let kept = usize::try_from(count).unwrap_or(usize::MAX).min(room);
        self.kept.extend(std::iter::repeat_n(ns, kept));
        if count > kept as u64 {
            self.begin_histogram();
            self.all.add_many(Span(ns), count - kept as u64);
        }
    }

    /// Few times need no histogram; with more, it also has the first ones.
    fn begin_histogram(&mut self) {
        if !self.has_histogram {
            self.has_histogram = true;
            for ns in &self.kept {
                self.all.add(Span(*ns));
            }
        }
    }

    /// These and others: exact while there are few.
    pub(crate) fn and(mut self, others: Option<&Self>) -> Self {
        for ns in others.iter().flat_map(|others| &others.kept) {
            self.add(*ns);
        }
        if let Some(longest) = others.and_then(Self::max_ns) {
            self.max_ns = self.max_ns.max(longest);
        }
        self
    }

    /// Number of times.
    pub(crate) const fn count(&self) -> u64 {
        self.count
    }

    /// The shortest time.
    pub(crate) fn min_ns(&self) -> Option<u64> {
        (self.count > 0).then_some(self.min_ns)
    }

    /// The longest time.
    pub(crate) fn max_ns(&self) -> Option<u64> {
        (self.count > 0).then_some(self.max_ns)
    }

    /// The mean.
    pub(crate) fn mean_ns(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum_ns as f64 / self.count as f64)
    }

    /// The smallest time that at least `share` of the times do not exceed.
    pub(crate) fn quantile_ns(&self, share: f64) -> Option<f64> {
        if self.count > KEPT as u64 {
            let found = self.all.quantile(u32::saturate(share * 1e4))?.0;
            return Some(found.clamp(self.min_ns, self.max_ns) as f64);
        }
        let mut sorted = self.kept.clone();
        sorted.sort_unstable();
        let n = sorted.len() as f64;
        let mut ranked = sorted.iter().zip(1u32..);
        ranked.find(|(_, rank)| f64::from(*rank) >= share * n).map(|(ns, _)| *ns as f64)
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
    fn many_equal_times_are_as_many_times() {
        let (mut one, mut many) = (Times::default(), Times::default());
        for (ns, count) in [(500, 3), (0, 2), (70_000, 100), (9, 0), (12, 1)] {
            many.add_many(ns, count);
            (0..count).for_each(|_| one.add(ns));
        }
        let all = |t: &Times| {
            let quantiles = [0.01, 0.5, 0.99].map(|share| t.quantile_ns(share));
            (t.count(), t.min_ns(), t.max_ns(), t.mean_ns(), t.kept.clone(), quantiles)
        };
        assert_eq!(all(&one), all(&many));
    }

    #[test]
    fn quantiles_of_a_uniform_distribution() {
        let mut found = Times::default();
        assert_eq!(found.quantile_ns(0.5), None);
        for value in 1..=100_000 {
            found.add(value);
        }
        for share in [0.01, 0.5, 0.99] {
            let relative = found.quantile_ns(share).unwrap() / (share * 1e5);
            assert!((relative - 1.0).abs() < 0.032, "{share}: {relative}");
        }
        assert_eq!(found.mean_ns(), Some(50_000.5));
        found.add(0);
        found.add(u64::MAX);
        assert_eq!(found.count(), 100_002);
    }
}
