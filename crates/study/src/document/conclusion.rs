//! The conclusion of a comparison of schemes: rankings, trade-offs, and the stations that a scheme changes.

use airtcp_sim::Estimate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::document::compare::{NotRanked, Ranking};

/// What schemes are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Aspect {
    /// Payload that all flows deliver.
    Goodput,
    /// How evenly the flows that compete share.
    Fairness,
    /// What the slowest of these flows gets.
    SlowestFlow,
    /// How long exchanges of requests and responses take.
    Latency,
}

impl Aspect {
    /// Its name in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Goodput => "goodput",
            Self::Fairness => "fairness",
            Self::SlowestFlow => "slowest-flow",
            Self::Latency => "latency",
        }
    }
}

/// How far a variant is behind the best of a ranking.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Lag {
    /// The variant.
    pub variant: String,
    /// The best less this one (of a latency, this one less the best), with the interval of the ranking.
    pub behind: Estimate,
}

/// The answer to one question: the variants in order, and against the reference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Question {
    /// What is asked for.
    pub aspect: Aspect,
    /// Its key in an outcome.
    pub quantity: String,
    /// The least mean difference that counts, in the quantity's unit or as a share of the larger.
    pub matters: f64,
    /// True if `matters` is a share of the larger of the two.
    pub relative: bool,
    /// True if more is better.
    pub more_is_better: bool,
    /// The variants, the best mean first.
    pub ranking: Ranking,
    /// How far each is behind the best, in the same order; without the best.
    pub lags: Vec<Lag>,
    /// Those that are better than the reference: beyond the interval, and by as much as matters.
    pub better: Vec<String>,
    /// Those that are worse than the reference.
    pub worse: Vec<String>,
    /// Those that are as good as the reference: two one-sided tests show that the difference is smaller than the one
    /// that counts.
    #[serde(default)]
    pub equivalent: Vec<String>,
    /// Those that may be better than the reference by as much as counts, without being shown to be: the
    /// replications do not tell.
    #[serde(default)]
    pub undecided: Vec<String>,
    /// Replications that should tell of these, as the differences scatter; null above 1000 or if there are none.
    #[serde(default)]
    pub needed: Option<u32>,
}

/// A variant that gains one thing and costs another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TradeOff {
    /// The variant.
    pub variant: String,
    /// In what it is better than the reference.
    pub better: Vec<Aspect>,
    /// In what it is worse.
    pub worse: Vec<Aspect>,
}

/// The stations whose goodput a variant changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StationChanges {
    /// The variant.
    pub variant: String,
    /// Stations that get more than under the reference.
    pub gain: Vec<String>,
    /// Stations that get less.
    pub lose: Vec<String>,
}

/// What to conclude: the questions, the trade-offs, and whom a variant costs.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct SchemesVerdict {
    /// Replications it rests on; with one there is an order of means, and no claim.
    pub replications: u32,
    /// What is asked for, each with its answer.
    pub questions: Vec<Question>,
    /// Variants that are better than the reference in one aspect and worse in another.
    pub trade_offs: Vec<TradeOff>,
    /// Stations that get significantly more or less, by variant; variants without any are left out.
    pub stations: Vec<StationChanges>,
    /// Variants that are not ranked, and why.
    pub not_ranked: Vec<NotRanked>,
}
