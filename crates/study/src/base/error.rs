//! Errors of the options of a study, and of a comparison.

use airtcp_scenario::ScenarioError;
use airtcp_transport::tcp::VariantError;

/// Name of the profile that scales S1's timers with the slot.
pub(crate) const SCALED: &str = "s1";

/// An error of a study's options.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StudyError {
    /// No such profile.
    #[error("unknown TCP profile \"{found}\" (accepted: {SCALED}, {accepted})")]
    Profile {
        /// What was given.
        found: String,
        /// Names of the profiles.
        accepted: String,
    },
    /// TCP keys that are not possible.
    #[error("tcp: {0}")]
    Tcp(String),
    /// A number outside its range.
    #[error("{option} is {found}: accepted is {accepted}")]
    Range {
        /// Name of the option.
        option: &'static str,
        /// What was given.
        found: String,
        /// What is accepted.
        accepted: &'static str,
    },
    /// The interval of every file is impossible; the message names the first file and what to do.
    #[error("{0}")]
    Interval(String),
}

/// Why a comparison cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// A name or key of a variant, or its parameters on this subject.
    #[error(transparent)]
    Variant(#[from] VariantError),
    /// The scenario.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// The slot or the profile.
    #[error(transparent)]
    Study(#[from] StudyError),
    /// Anything else: a complete sentence.
    #[error("{0}")]
    Other(String),
}

impl CompareError {
    pub(crate) fn other(message: impl Into<String>) -> Self {
        Self::Other(message.into())
    }
}
