//! Explicit congestion notification, RFC 3168 section 6.1; RFC 9768 (`accecn.rs`) where both ends have it.
//!
//! Negotiation: ECE and CWR on the SYN, ECE alone on the SYN-ACK. The receiver echoes ECE on every
//! ACK from the first mark until it sees CWR. The sender reacts once per window and sets CWR on the
//! next new segment. SYNs, pure ACKs, retransmissions and probes are never ECT. ECT(1) needs accurate feedback
//! (RFC 9331 section 4.2).

use airtcp_packet::{Ecn, Flags, Segment};

use super::accecn::{self, AccEcn};
use super::config::{Ect, TcpConfig};

#[derive(Debug, Clone, Default)]
pub(crate) struct EcnState {
    /// Both ends negotiated ECN.
    pub(crate) enabled: bool,
    /// Both ends negotiated accurate feedback.
    accurate: Option<AccEcn>,
    /// Receiver: a mark arrived, and no CWR since.
    echo: bool,
    /// Sender: the next new segment carries CWR.
    pub(crate) cwr: bool,
    /// Sender: no further reaction until data beyond this offset is acknowledged.
    pub(crate) reacted_up_to: u64,
    /// Sender: the same for a reaction to a mark. A loss in the same window belongs to the same
    /// episode.
    pub(crate) marked_up_to: u64,
}

impl EcnState {
    /// The flags AE, CWR and ECE of our SYN.
    pub(crate) const fn syn_flags(config: &TcpConfig) -> u8 {
        match (config.ecn, config.accecn) {
            (false, _) => 0,
            (true, false) => 0b011,
            (true, true) => accecn::OFFER,
        }
    }

    /// The peer's SYN: ECN is agreed if the peer offers it and we want it.
    pub(crate) fn on_syn(&mut self, segment: &Segment, config: &TcpConfig) {
        self.accurate = None;
        if config.ecn && config.accecn {
            self.accurate = AccEcn::answering(segment);
        }
        let offered = segment.flags.has(Flags::ECE) && segment.flags.has(Flags::CWR);
        self.enabled = config.ecn && (offered || self.accurate.is_some());
    }

    /// The peer's SYN-ACK: ECE without CWR agrees to RFC 3168.
    pub(crate) fn on_syn_ack(&mut self, segment: &Segment, config: &TcpConfig) {
        self.accurate = None;
        if config.ecn && config.accecn {
            self.accurate = AccEcn::answered(segment);
            // 1 0 1 has been taken for an agreement, and 1 1 1 is a server that reflects flags.
            self.enabled = self.accurate.is_some() || segment.ace() == 0b001;
        } else {
            let agreed = segment.flags.has(Flags::ECE) && !segment.flags.has(Flags::CWR);
            self.enabled = config.ecn && agreed;
        }
    }

    /// The flags AE, CWR and ECE of our SYN-ACK.
    pub(crate) const fn syn_ack_flags(&self) -> u8 {
        match &self.accurate {
            Some(accurate) => accurate.syn_ack(),
            None if self.enabled => 0b001,
            None => 0,
        }
    }

    /// True if both ends negotiated accurate feedback.
    #[inline]
    pub(crate) const fn is_accurate(&self) -> bool {
        self.accurate.is_some()
    }

    /// The ACK of our SYN-ACK arrived.
    pub(crate) fn on_handshake_ack(&mut self, segment: &Segment) {
        if let Some(accurate) = &mut self.accurate {
            self.enabled &= accurate.on_handshake_ack(segment);
        }
    }

    /// A segment of the handshake came again, at the end that opened the connection.
    pub(crate) const fn on_syn_ack_again(&mut self, segment: &Segment) {
        if let Some(accurate) = &mut self.accurate {
            accurate.on_syn_ack_again(segment);
        }
    }

    /// A segment with data arrived: CWR ends the echo, a mark (even on the same segment) begins
    /// it. Returns whether the segment was marked.
    #[inline]
    pub(crate) fn on_data(&mut self, segment: &Segment) -> bool {
        if let Some(accurate) = &mut self.accurate {
            return accurate.on_data(segment);
        }
        if !self.enabled {
            return false;
        }
        if segment.flags.has(Flags::CWR) {
            self.echo = false;
        }
        // Not `self.echo |= marked`: rustc 1.95.0 loses the comparison at opt-level 2 and above
        // (rust-lang/rust issue 158206). docs/adr/0008 has a program of 30 lines that shows it.
        if segment.ecn == Ecn::Ce {
            self.echo = true;
            return true;
        }
        false
    }

    /// True if marks that arrived must be told at once.
    #[inline]
    pub(crate) fn wants_ack(&self) -> bool {
        self.accurate.as_ref().is_some_and(AccEcn::wants_ack)
    }

    /// Writes the feedback to a segment with an ACK; `pure` if it has no data.
    #[inline]
    pub(crate) fn write(&mut self, segment: &mut Segment, pure: bool) {
        if let Some(accurate) = &mut self.accurate {
            accurate.write(segment, pure);
        } else if self.echo {
            segment.flags |= Flags::ECE;
        }
    }

    /// The ECN field of new data.
    #[inline]
    pub(crate) fn field(&self, config: &TcpConfig) -> Ecn {
        if self.accurate.is_some() && config.ect == Ect::Ect1 { Ecn::Ect1 } else { Ecn::Ect0 }
    }

    /// What an acknowledgement says about marks of data: whether it echoes any, and the number of segments that it newly
    /// reports, which only accurate feedback knows. It covers `covered` segments for the first time.
    #[inline]
    pub(crate) fn echoed(&mut self, segment: &Segment, covered: impl Fn() -> u64) -> (bool, u64) {
        if !self.enabled {
            return (false, 0);
        }
        match &mut self.accurate {
            None => (segment.flags.has(Flags::ECE), 0),
            Some(accurate) => {
                let marked = accurate.on_ack(segment, covered());
                (marked > 0, marked)
            }
        }
    }

    /// Marks that the sender has been told, with accurate feedback.
    #[cfg(test)]
    pub(crate) fn marks_told(&self) -> Option<u64> {
        self.accurate.as_ref().map(AccEcn::marks_told)
    }

    /// The window was reduced, for any reason, with data sent up to `sent_up_to`.
    pub(crate) const fn on_reduction(&mut self, sent_up_to: u64) {
        self.cwr = self.enabled && self.accurate.is_none();
        self.reacted_up_to = sent_up_to;
    }
}
