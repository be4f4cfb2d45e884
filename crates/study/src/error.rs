//! Why options make no study.

/// Name of the profile that scales S1's timers with the slot.
pub(crate) const SCALED: &str = "s1";

/// Options that make no study.
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
    /// Keys in place of the profile's that make no TCP.
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
    /// The interval of every file is impossible: the first, with what to do.
    #[error("{0}")]
    Interval(String),
}
