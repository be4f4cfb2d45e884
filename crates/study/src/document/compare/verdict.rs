//! The conclusion from a case.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::variant::preconditions::{Lack, Unmet};

/// Variants by mean goodput, and which differences are significant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ranking {
    /// All of them, the highest mean first.
    pub order: Vec<String>,
    /// Variants not distinguishable from the first.
    pub not_distinguishable: Vec<String>,
    /// Variants with less than the first, significant at the 5 % level, Bonferroni-corrected.
    pub worse: Vec<String>,
}

/// The criteria of a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Criterion {
    /// Payload delivered in order per second.
    Goodput,
    /// Time within which 95 % of the data are delivered to the application.
    Delay,
    /// Share of retransmissions; with coding or link protocols, bytes on the link per byte.
    Waste,
    /// Goodput left to other flows, or the fairness among the compared flows.
    Share,
}

/// The quantity that measures a criterion, and the least difference that matters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Measure {
    /// The criterion.
    pub criterion: Criterion,
    /// Its key in an outcome.
    pub quantity: String,
    /// The least mean difference that matters, in the quantity's unit or as a share of the larger.
    pub matters: f64,
    /// True if `matters` is a share of the larger of the two.
    pub relative: bool,
    /// True if more is better.
    pub more_is_better: bool,
}

/// A variant compared with another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Compared {
    /// The variant.
    pub variant: String,
    /// The other.
    pub than: String,
    /// Criteria in which it is better, by a significant difference that matters.
    pub better: Vec<Criterion>,
    /// Criteria in which it is worse.
    pub worse: Vec<Criterion>,
}

/// A variant that is not ranked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotRanked {
    /// The variant.
    pub variant: String,
    /// The reason.
    pub reason: Reason,
    /// With `unmet`: what the variant needs, and the path or its own keys do not have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lacks: Vec<Lack>,
    /// With `unmet`: the kind of queue that it needs; null for any that marks with ECN.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<String>,
    /// With `refused`: the error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Why a variant is not ranked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// It delivers nothing.
    DeliversNothing,
    /// It needs what the path does not have: its numbers do not show what its source describes.
    Unmet,
    /// The scenario cannot have it; it did not run.
    Refused,
}

impl NotRanked {
    /// Why it is not ranked: the name of the reason, or the error with which the scenario refused it.
    pub fn why(&self) -> &str {
        match (self.reason, &self.error) {
            (Reason::Refused, Some(error)) => error,
            (Reason::Refused, None) => "refused",
            (Reason::DeliversNothing, _) => "delivers-nothing",
            (Reason::Unmet, _) => "unmet",
        }
    }

    /// A variant that delivers nothing.
    pub(crate) const fn silent(variant: String) -> Self {
        Self {
            variant,
            reason: Reason::DeliversNothing,
            lacks: Vec::new(),
            queue: None,
            error: None,
        }
    }

    /// A variant whose needs the path does not meet.
    pub(crate) fn unmet(variant: String, unmet: Unmet) -> Self {
        let Unmet { lacks, queue } = unmet;
        Self { reason: Reason::Unmet, lacks, queue, ..Self::silent(variant) }
    }

    /// A variant that the scenario cannot have.
    pub(crate) fn refused(variant: String, error: String) -> Self {
        Self { reason: Reason::Refused, error: Some(error), ..Self::silent(variant) }
    }
}

/// The conclusion from a case: variants compared by goodput, delay, waste and share.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// The measured criteria; without other flows there is no `share`.
    pub measures: Vec<Measure>,
    /// Number of replications or stretches; with one there is no order.
    pub replications: u32,
    /// Of the variants that no other dominates (better in one criterion, worse in none), the one
    /// with the highest mean goodput; null if there is no order.
    pub first: Option<String>,
    /// Variants without a significant difference from the first that matters.
    pub not_distinguishable: Vec<String>,
    /// Those of them that are as good: in every criterion two one-sided tests show that the difference is smaller
    /// than the one that matters. Of the others the replications do not tell.
    #[serde(default)]
    pub equivalent: Vec<String>,
    /// Replications that should tell of the others, as the differences scatter; null above 1000, if rare
    /// replications determine a mean, or if there are no others.
    #[serde(default)]
    pub needed: Option<u32>,
    /// Variants better than the first in one criterion and worse in another.
    pub alternatives: Vec<Compared>,
    /// Variants that another dominates.
    pub worse: Vec<Compared>,
    /// Variants that are not ranked, and why.
    pub not_ranked: Vec<NotRanked>,
}

impl Verdict {
    /// The place of a variant in the verdict, in a word; empty if there is no order.
    pub fn place(&self, variant: &str) -> &'static str {
        let among = |list: &[Compared]| list.iter().any(|c| c.variant == variant);
        if self.not_ranked.iter().any(|entry| entry.variant == variant) {
            "not-ranked"
        } else if self.first.as_deref() == Some(variant) {
            "first"
        } else if self.equivalent.iter().any(|name| name == variant) {
            "as-good"
        } else if self.not_distinguishable.iter().any(|name| name == variant) {
            "undecided"
        } else if among(&self.alternatives) {
            "alternative"
        } else if among(&self.worse) {
            "worse"
        } else {
            ""
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{NotRanked, Reason};

    #[test]
    fn the_reason_is_the_one_of_the_document() {
        let [silent, refused] = [
            NotRanked::silent("a".into()),
            NotRanked::refused("b".into(), "cells[0] has no uplink".into()),
        ];
        let unmet = NotRanked { reason: Reason::Unmet, ..silent.clone() };
        assert_eq!(refused.why(), "cells[0] has no uplink");
        for left in [silent, unmet, NotRanked { error: None, ..refused }] {
            assert_eq!(serde_json::to_value(left.reason).unwrap(), left.why());
        }
    }
}
