//! Whether a station's power is limited by spatial reuse.

/// Whether a station's power is limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PowerLimit {
    /// It is not.
    None,
    /// It is, until the end of the next transmission opportunity.
    UntilAccess,
    /// It is during the current transmission opportunity, or was during the last one.
    DuringAccess,
}

impl PowerLimit {
    /// The station gains a transmission opportunity.
    pub(super) const fn on_access(&mut self) {
        *self = match self {
            Self::UntilAccess => Self::DuringAccess,
            Self::None | Self::DuringAccess => Self::None,
        };
    }
}
