//! What to conclude of a case.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Variants by mean goodput, and how far the order is certain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ranking {
    /// All of them, the highest mean first.
    pub order: Vec<String>,
    /// Those that may be as good as the first.
    pub not_distinguishable: Vec<String>,
    /// Those that get less than the first: certain at 95 % for all of them together.
    pub worse: Vec<String>,
}

/// What variants are weighed by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Criterion {
    /// Payload delivered in order per second.
    Goodput,
    /// Time within which 95 % of the data are with the application.
    Delay,
    /// Share of retransmissions; with coding or link protocols, bytes on the link per byte.
    Waste,
    /// What is left to other flows, or how evenly the compared flows share.
    Share,
}

/// The quantity that stands for a criterion, and the difference from which it counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Measure {
    /// What it stands for.
    pub criterion: Criterion,
    /// Its key in an outcome.
    pub quantity: String,
    /// The least mean difference that counts, in the quantity's unit or as a share of the larger.
    pub matters: f64,
    /// True if `matters` is a share of the larger of the two.
    pub relative: bool,
    /// True if more is better.
    pub more_is_better: bool,
}

/// A variant held against another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Compared {
    /// The variant.
    pub variant: String,
    /// The other.
    pub than: String,
    /// In what it is better: beyond the interval, and by as much as matters.
    pub better: Vec<Criterion>,
    /// In what it is worse.
    pub worse: Vec<Criterion>,
}

/// A variant that is not ranked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotRanked {
    /// The variant.
    pub variant: String,
    /// Why: what the path lacks of what it needs, or that it delivers nothing.
    pub why: String,
}

/// What to conclude of a case: variants weighed by goodput, delay, waste and share.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// What was measured. Without `share` no other flow was there.
    pub measures: Vec<Measure>,
    /// Replications or stretches it rests on; with one there is no order.
    pub replications: u32,
    /// Of the variants that no other is better than (better in one criterion, worse in none), that of
    /// the highest mean goodput; null if there is no order.
    pub first: Option<String>,
    /// Those that differ from the first in nothing that counts.
    pub not_distinguishable: Vec<String>,
    /// Those that are better than the first in one criterion and worse in another.
    pub alternatives: Vec<Compared>,
    /// Those than which another is better.
    pub worse: Vec<Compared>,
    /// Those that are not ranked, and why.
    pub not_ranked: Vec<NotRanked>,
}

impl Verdict {
    /// What the verdict has of a variant, in a word; empty if there is no order.
    pub fn place(&self, variant: &str) -> &'static str {
        let among = |list: &[Compared]| list.iter().any(|c| c.variant == variant);
        if self.not_ranked.iter().any(|entry| entry.variant == variant) {
            "not-ranked"
        } else if self.first.as_deref() == Some(variant) {
            "first"
        } else if self.not_distinguishable.iter().any(|name| name == variant) {
            "as-good"
        } else if among(&self.alternatives) {
            "alternative"
        } else if among(&self.worse) {
            "worse"
        } else {
            ""
        }
    }
}
