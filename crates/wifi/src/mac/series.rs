//! The attempts in a row of a category, for rate control.

/// The attempts of a category of which the last was not answered.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Series {
    /// PPDUs with data in a row without an answer.
    pub(super) unanswered: u32,
    /// True if rate control knows of the first of them.
    pub(super) begun: bool,
    /// True if the next PPDU carries a single MPDU.
    pub(super) single: bool,
}

impl Series {
    /// Number of the next attempt.
    pub(super) const fn number(self) -> u32 {
        self.unanswered
    }

    /// Begins a series of which rate control has to learn. False if it knows.
    pub(super) const fn begins(&mut self) -> bool {
        !std::mem::replace(&mut self.begun, true)
    }

    /// Takes the end of a PPDU with data. True if it was the last of as many failed ones in a row as `limit`.
    pub(super) fn end(&mut self, answered: bool, limit: u32) -> bool {
        let given_up = !answered && self.unanswered + 1 >= limit;
        if answered || given_up {
            *self = Self::default();
        } else {
            self.unanswered += 1;
        }
        given_up
    }
}
