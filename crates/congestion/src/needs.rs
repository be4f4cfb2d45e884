//! What a transport needs of the network to work as its source describes.
//!
//! Some laws reduce the window on marks only. Where no queue marks, such a law fills every queue
//! and retransmits the overflow, and a comparison by goodput rewards it for that. A law therefore
//! declares what it needs ([`LawTable::needs`](super::LawTable::needs)), and a comparison can check
//! the path for it.

/// What a transport needs of the queues on its data path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Needs {
    /// Only that packets are delivered.
    #[default]
    Nothing,
    /// ECN, and a queue that marks (RFC 3168).
    EcnMarks,
    /// ECN, and the queue discipline of this name, since marks of other disciplines mean something
    /// else.
    MarkingQueue(&'static str),
}

impl Needs {
    /// The stricter of the two.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let rank = |needs: Self| match needs {
            Self::Nothing => 0,
            Self::EcnMarks => 1,
            Self::MarkingQueue(_) => 2,
        };
        if rank(other) > rank(self) { other } else { self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stricter_counts() {
        let jersey = Needs::MarkingQueue("jersey");
        for (a, b, both) in [
            (Needs::Nothing, Needs::Nothing, Needs::Nothing),
            (Needs::Nothing, Needs::EcnMarks, Needs::EcnMarks),
            (Needs::EcnMarks, jersey, jersey),
            (Needs::Nothing, jersey, jersey),
        ] {
            assert_eq!((a.and(b), b.and(a)), (both, both));
        }
    }
}
