//! Criteria: what the variants of a subject are compared by, and how two variants are to one another in each.
//!
//! A table of criteria is all that a subject says for itself. A difference counts if its paired interval excludes zero
//! *and* its mean is large enough to matter. *As good* is shown, not assumed: the interval of two one-sided tests lies
//! within the difference that matters. Statements about `k` variants in `m` criteria hold jointly, with Bonferroni's
//! correction: each is tested at `0.05 / (m k)`. Equivalence is claimed only if every criterion shows it, which needs no
//! correction for `m`.

use crate::document::compare::NotRanked;
use crate::numbers::equivalence::{Matters, Pair, Relation};
use crate::numbers::paired::{ALPHA, mean};
use crate::variant::preconditions::Unmet;

/// Least difference in goodput that matters, as a share of the larger. \[choice\]
pub(crate) const GOODPUT_MATTERS: f64 = 0.03;
/// The same for delays. \[choice\]
pub(crate) const DELAY_MATTERS: f64 = 0.10;

/// What runs of the type `R` are compared by, under a name of the type `N`.
pub(crate) struct Criterion<R: 'static, N: 'static> {
    pub(crate) name: N,
    /// Its key in an outcome.
    pub(crate) quantity: &'static str,
    pub(crate) matters: Matters,
    /// The values of a variant by replication; none if a replication has no value, such as a delay without deliveries.
    pub(crate) values: fn(&[R]) -> Vec<f64>,
    /// True if it is asked for in this setting, from the values of each variant and the runs.
    pub(crate) is_asked: fn(Setting, &[Vec<f64>], &[Vec<R>]) -> bool,
}

/// What decides which criteria are asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setting {
    /// True if a variant has coding or a link protocol.
    pub(crate) is_coded: bool,
    /// How many flows compete.
    pub(crate) flows: usize,
}

/// The values of a quantity of each run; none if a run has no value.
pub(crate) fn all<R>(runs: &[R], of: fn(&R) -> Option<f64>) -> Vec<f64> {
    runs.iter().map(of).collect::<Option<_>>().unwrap_or_default()
}

/// True if some variant has values.
pub(crate) fn is_known(each: &[Vec<f64>]) -> bool {
    each.iter().any(|values| !values.is_empty())
}

/// A criterion with the values of each variant.
pub(crate) struct Measured<R: 'static, N: 'static> {
    pub(crate) criterion: &'static Criterion<R, N>,
    pub(crate) each: Vec<Vec<f64>>,
    /// Which variants' means rare replications determine; none if empty.
    pub(crate) rare: Vec<bool>,
}

/// The criteria of a table that are asked for; of those of one name the first.
pub(crate) fn measured<R, N: PartialEq>(
    table: &'static [Criterion<R, N>],
    runs: &[Vec<R>],
    setting: Setting,
) -> Vec<Measured<R, N>> {
    let mut found: Vec<Measured<R, N>> = Vec::new();
    for criterion in table {
        let each: Vec<Vec<f64>> = runs.iter().map(|runs| (criterion.values)(runs)).collect();
        let is_new = found.iter().all(|known| known.criterion.name != criterion.name);
        if is_new && (criterion.is_asked)(setting, &each, runs) {
            found.push(Measured { criterion, each, rare: Vec::new() });
        }
    }
    found
}

impl<R, N> Measured<R, N> {
    /// Two variants as a pair; `None` if rare replications determine the mean of one of them.
    fn pair(&self, a: usize, b: usize) -> Option<Pair<'_>> {
        let is_rare = [a, b].iter().any(|i| self.rare.get(*i) == Some(&true));
        let (ours, theirs) = (&self.each[a], &self.each[b]);
        (!is_rare).then_some(Pair { ours, theirs, matters: self.criterion.matters })
    }

    /// The variants by this quantity, the best first, and those that are not ranked: `unmet` holds, for each, the needs
    /// that the path does not meet.
    pub(crate) fn rank(
        &self,
        names: &[String],
        unmet: &[Option<Unmet>],
    ) -> (Vec<usize>, Vec<NotRanked>) {
        let (mut ranked, mut not_ranked) = (Vec::new(), Vec::new());
        for (i, name) in names.iter().enumerate() {
            if let Some(Some(unmet)) = unmet.get(i) {
                not_ranked.push(NotRanked::unmet(name.clone(), unmet.clone()));
            } else if mean(&self.each[i]) > 0.0 {
                ranked.push(i);
            } else {
                not_ranked.push(NotRanked::silent(name.clone()));
            }
        }
        // Stable: among equals the first in the list stays first.
        ranked.sort_by(|a, b| mean(&self.each[*b]).total_cmp(&mean(&self.each[*a])));
        (ranked, not_ranked)
    }
}

/// How variants are to one another.
pub(crate) struct Relations<'m, R: 'static, N: 'static> {
    measured: &'m [Measured<R, N>],
    alpha: f64,
    equal: f64,
}

impl<'m, R, N: Copy> Relations<'m, R, N> {
    /// For statements about this many variants beside the one that they are compared with.
    pub(crate) fn new(measured: &'m [Measured<R, N>], others: usize) -> Self {
        let others = others.max(1);
        let alpha = ALPHA / (measured.len() * others) as f64;
        Self { measured, alpha, equal: ALPHA / others as f64 }
    }

    /// How `a` is to `b` in each criterion.
    pub(crate) fn of(&self, a: usize, b: usize) -> Vec<Relation> {
        let relation = |pair: Pair<'_>| pair.relation(self.alpha, self.equal);
        let each = self.measured.iter();
        each.map(|m| m.pair(a, b).map_or(Relation::Unknown, relation)).collect()
    }

    /// The criteria in which a relation holds.
    pub(crate) fn named(&self, relations: &[Relation], wanted: Relation) -> Vec<N> {
        let each = self.measured.iter().zip(relations).filter(|(_, found)| **found == wanted);
        each.map(|(m, _)| m.criterion.name).collect()
    }

    /// True if `a` may be better than `b` in a criterion by the difference that matters.
    pub(crate) fn may_be_better(&self, criterion: usize, a: usize, b: usize) -> bool {
        self.measured[criterion].pair(a, b).is_none_or(|pair| pair.may_be_better(self.alpha))
    }

    /// How many replications should tell `a` from `b` in a criterion.
    pub(crate) fn needed(&self, criterion: usize, a: usize, b: usize) -> Option<u32> {
        self.measured[criterion].pair(a, b)?.needed(self.alpha)
    }
}
