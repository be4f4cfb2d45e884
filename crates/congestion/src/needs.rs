//! What a transport needs of the network to work as its source describes it.
//!
//! A law that waits for marks reduces nothing where no queue marks. It then fills every queue and
//! retransmits what overflows, and a comparison that ranks it by goodput rewards exactly that. A law
//! declares what it needs ([`LawTable::needs`](super::LawTable::needs)), and who compares can look
//! whether the path has it.

/// What a transport needs of the queues on the way of its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Needs {
    /// Nothing but that packets are delivered.
    #[default]
    Nothing,
    /// ECN, and a queue that marks (RFC 3168).
    EcnMarks,
    /// ECN, and the queue discipline of this name: marks of another mean something else.
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
