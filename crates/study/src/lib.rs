//! The study of a link: its statistics, the throughput of TCP over it, and the difference from
//! synthetic links with the same packet reception ratio.
//!
//! This is S1's experiment ("PRR Is Not Enough"), for any number of links at once. For each link
//! TCP runs over the trace itself, over independent links of the same PRR, and over Gilbert-Elliott
//! links of the same PRR and `mu`; [`study`] spreads the runs over all cores and returns a
//! [`StudyResult`], from which terminal, report, JSON and tables are made.

mod budget;
mod capacity;
mod capacity_runs;
mod chance;
mod compare;
mod cwnd;
mod document;
mod draws;
mod error;
mod jobs;
mod keys;
mod limits;
mod link_study;
mod loader;
mod models;
mod options;
mod result;
mod runs;
mod schemes;
mod slot_use;
mod slots;
mod synthetic_links;

pub use capacity::{CapacityOverTime, CapacityStats, CapacityStudy};
pub use capacity_runs::study_capacities;
/// The intervals by themselves, so that their coverage can be measured.
pub mod intervals {
    pub use crate::compare::paired::{difference, ranking, ratio, share};
}

pub use compare::{
    Aim, AsLink, COMPARE_SCHEMA, Case, Channel, CompareError, CompareOptions, CompareResult,
    CompareRun, Compared, Criterion, Difference as PairedDifference, Input, Measure, NotRanked,
    Outcome, Over, Ranking, Remedies, Standing, Subject, SubjectKind, VariantTcp, Verdict, Window,
    compare,
};
pub use document::{Cwnd, Skipped, TraceSource};
pub use error::StudyError;
pub use limits::{
    Cause, ExplainedRun, Explanation, Limit, Of, SlowFlow, Undecided, Verdict as LimitsVerdict,
    Why, WhyResult, explain,
};
pub use loader::{Traces, read_capacities};
pub use models::{
    LinkModels, MODELS_SCHEMA, Measured, ModelsResult, Overall, Score, score_synthesisers,
};
pub use options::StudyOptions;
pub use result::{
    Difference, Differences, Ensemble, LinkStudy, STUDY_SCHEMA, StartEffect, StudyResult,
    TcpOutcome, TcpStudy,
};
pub use runs::study;
pub use schemes::{
    Aspect, Lag, Question, SCHEMES_SCHEMA, SchemeOutcome, SchemeRun, SchemeStation, SchemeVariant,
    SchemesOptions, SchemesResult, SchemesSubject, SchemesVerdict, StationChanges, TradeOff,
    compare_schemes,
};
pub use slots::with_slots;
