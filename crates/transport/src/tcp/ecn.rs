//! Explicit congestion notification, RFC 3168 section 6.1.
//!
//! Negotiation: ECE and CWR on the SYN, ECE alone on the SYN-ACK. The receiver echoes ECE on every
//! ACK from the first mark until it sees CWR. The sender reacts once per window and sets CWR on the
//! next new segment. SYNs, pure ACKs, retransmissions and probes are never ECT.

use airtcp_packet::{Ecn, Flags, Segment};

#[derive(Debug, Clone, Default)]
pub(crate) struct EcnState {
    /// Both ends negotiated ECN.
    pub(crate) enabled: bool,
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
    pub(crate) fn syn_flags(offer: bool) -> Flags {
        if offer { Flags::ECE | Flags::CWR } else { Flags::NONE }
    }

    /// The peer's SYN: ECN is agreed if the peer offers it and we want it.
    pub(crate) const fn on_syn(&mut self, segment: &Segment, wanted: bool) {
        self.enabled = wanted && segment.flags.has(Flags::ECE) && segment.flags.has(Flags::CWR);
    }

    /// The peer's SYN-ACK: ECE without CWR agrees.
    pub(crate) const fn on_syn_ack(&mut self, segment: &Segment, wanted: bool) {
        self.enabled = wanted && segment.flags.has(Flags::ECE) && !segment.flags.has(Flags::CWR);
    }

    pub(crate) const fn syn_ack_flags(&self) -> Flags {
        if self.enabled { Flags::ECE } else { Flags::NONE }
    }

    /// A segment with data arrived: CWR ends the echo, a mark (even on the same segment) begins
    /// it. Returns whether the segment was marked.
    pub(crate) fn on_data(&mut self, segment: &Segment) -> bool {
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

    /// Flags of every segment with an ACK.
    pub(crate) const fn ack_flags(&self) -> Flags {
        if self.echo { Flags::ECE } else { Flags::NONE }
    }

    /// The window was reduced, for any reason, with data sent up to `sent_up_to`.
    pub(crate) const fn on_reduction(&mut self, sent_up_to: u64) {
        self.cwr = self.enabled;
        self.reacted_up_to = sent_up_to;
    }
}
