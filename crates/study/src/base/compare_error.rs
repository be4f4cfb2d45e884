//! Errors of a comparison.

use airtcp_scenario::ScenarioError;
use airtcp_transport::tcp::VariantError;

use crate::StudyError;

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
