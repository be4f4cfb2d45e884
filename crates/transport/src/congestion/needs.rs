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
    use crate::lt::{LtConfig, WithoutEcn};
    use crate::tcp::TcpConfig;

    #[test]
    fn who_waits_for_marks_says_so() {
        let needs = |tcp: &str| -> Needs {
            crate::tcp::Variant::parse(tcp).unwrap().apply(&TcpConfig::default()).unwrap().needs()
        };
        assert_eq!(needs("jersey"), Needs::MarkingQueue("jersey"));
        assert_eq!(needs("cubic:loss_response=ecn-only"), Needs::EcnMarks);
        for law in ["reno", "cubic", "bbr", "westwood+", "veno:loss_response=tp-lda"] {
            assert_eq!(needs(&format!("{law}:timestamps=true")), Needs::Nothing, "{law}");
        }
        // LT-TCP has an answer without marks, unless it is put as in the papers.
        let tcp = TcpConfig::default();
        let papers = LtConfig { without_ecn: WithoutEcn::Nothing, ..LtConfig::default() };
        assert_eq!(LtConfig::default().needs(&tcp), Needs::Nothing);
        assert_eq!(papers.needs(&tcp), Needs::EcnMarks);
    }

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
