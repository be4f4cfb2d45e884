//! State of a law before its last reaction to a loss, for an undo after a spurious loss.
//!
//! An episode is `FastRetransmit` or `Rto`; a `Persistent` belongs to the timeout before it. After
//! a mark nothing is undone, since an undo would also revert the reduction for the mark (RFC 4015
//! section 3.1 likewise stops if the ACK carries an ECN echo).

use super::CongestionKind;

/// State of type `S` from before the last reaction.
#[derive(Debug, Clone, Copy)]
pub struct Prior<S> {
    saved: Option<S>,
}

impl<S> Default for Prior<S> {
    fn default() -> Self {
        Self { saved: None }
    }
}

impl<S> Prior<S> {
    /// The law is about to react to `kind` and is still in `state`.
    pub fn before(&mut self, kind: CongestionKind, state: S) {
        match kind {
            CongestionKind::FastRetransmit | CongestionKind::Rto => self.saved = Some(state),
            CongestionKind::EcnCe => self.saved = None,
            CongestionKind::Persistent => {
                self.saved.get_or_insert(state);
            }
        }
    }

    /// The reaction was unnecessary: returns the state before it, once.
    pub const fn take(&mut self) -> Option<S> {
        self.saved.take()
    }

    /// Discards the saved state.
    pub fn forget(&mut self) {
        self.saved = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_timeout_belongs_to_the_first() {
        let mut prior = Prior::default();
        prior.before(CongestionKind::Rto, 8);
        prior.before(CongestionKind::Persistent, 1);
        assert_eq!((prior.take(), prior.take()), (Some(8), None));
        prior.before(CongestionKind::Persistent, 3);
        prior.before(CongestionKind::FastRetransmit, 4);
        assert_eq!(prior.take(), Some(4));
    }

    #[test]
    fn a_mark_is_not_undone() {
        let mut prior = Prior::default();
        prior.before(CongestionKind::FastRetransmit, 8);
        prior.before(CongestionKind::EcnCe, 4);
        assert_eq!(prior.take(), None);
    }
}
