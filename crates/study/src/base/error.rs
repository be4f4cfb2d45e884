//! Errors of a study's options.

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
