//! The study of a link: its statistics, the throughput of TCP over it, and the difference from
//! synthetic links with the same packet reception ratio.
//!
//! This is S1's experiment ("PRR Is Not Enough"), for any number of links at once. For each link
//! TCP runs over the trace itself, over independent links of the same PRR, and over Gilbert-Elliott
//! links of the same PRR and `mu`; [`study`] spreads the runs over all cores and returns a
//! [`StudyResult`], from which terminal, report, JSON and tables are made.
//!
//! The rooms, each of which uses those before it: `base`, `variant` (what differs between runs), `document` (options and
//! results), `numbers` (paired differences), `subject` (what runs its variants), `comparison` (of TCPs and of schemes),
//! `limits` (what binds the flows of a run), `links` (the study itself).

mod base;
mod comparison;
mod document;
mod limits;
mod links;
mod numbers;
mod subject;
mod variant;

/// The intervals by themselves, so that their coverage can be measured.
pub mod intervals {
    pub use crate::numbers::paired::{difference, ranking, ratio, share};
}

pub use base::error::CompareError;
pub use base::error::StudyError;
pub use base::kept::{Keeping, Kept, keep};
pub use base::loader::{Traces, read_capacities};
pub use comparison::compare;
pub use comparison::schemes::compare_schemes;
pub use document::capacity::{CapacityOverTime, CapacityStats, CapacityStudy};
pub use document::compare::{
    Aim, COMPARE_SCHEMA, Case, Channel, CompareResult, CompareRun, Compared, Criterion,
    Difference as PairedDifference, FailedTcp, Measure, NotRanked, Outcome, Over, Ranking, Reason,
    Remedies, Standing, Subject, SubjectKind, VariantTcp, Verdict, Window,
};
pub use document::compare_options::{AsLink, CompareOptions};
pub use document::conclusion::{Aspect, Lag, Question, SchemesVerdict, StationChanges, TradeOff};
pub use document::limits::{
    Cause, Explanation, Limit, Of, SlowFlow, Undecided, Verdict as LimitsVerdict, Why, WhyResult,
};
pub use document::schemes::{
    SCHEMES_SCHEMA, SchemeOutcome, SchemeRun, SchemeStation, SchemeVariant, SchemesResult,
    SchemesSubject,
};
pub use document::schemes_options::SchemesOptions;
pub use document::study::{
    Difference, Differences, Ensemble, LinkStudy, STUDY_SCHEMA, StartEffect, StudyResult,
    TcpOutcome, TcpStudy,
};
pub use document::study_options::StudyOptions;
pub use document::{Cwnd, Skipped, TraceSource};
pub use limits::{ExplainedRun, explain};
pub use links::capacity_runs::study_capacities;
pub use links::models::{
    LinkModels, MODELS_SCHEMA, Measured, ModelsResult, Overall, Score, score_synthesisers,
};
pub use links::runs::study;
pub use links::slots::with_slots;
pub use subject::input::Input;
pub use variant::preconditions::Lack;
