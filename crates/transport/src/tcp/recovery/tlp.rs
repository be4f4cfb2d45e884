//! TLP: a probe that detects the loss of the tail of a flight, RFC 8985 section 7.
//!
//! ```text
//! PTO      2 SRTT, plus the receiver's ACK delay if one segment is in flight; 1 s without SRTT;
//!          not beyond the retransmission timer
//! armed    when new data is sent or acknowledged, outside recovery and with nothing SACKed
//! probe    new data if there is any and the peer's window allows, else the last segment again;
//!          one at a time, and only after a round-trip sample since the last
//! ```
//!
//! The ACK of the probe brings the SACK blocks with which RACK finds the missing segments. If the
//! probe itself was the only missing segment, RACK finds nothing: an ACK beyond it without a DSACK
//! shows that the probe has repaired a loss, and the sender reports the loss to the law (section
//! 7.4.2). After the probe the retransmission timer restarts. Times in nanoseconds, offsets in
//! bytes.

use airtcp_units::Span;

use crate::tcp::config::TcpConfig;

#[derive(Debug, Clone, Default)]
pub(crate) struct Tlp {
    /// TLP.end_seq: end of the probe in flight.
    end: Option<u64>,
    /// TLP.is_retrans: the probe was a retransmission.
    is_retrans: bool,
    /// Start of the segment that was the last one at that time.
    last: u64,
    /// There was a round-trip sample since the last probe.
    sampled: bool,
    due: bool,
}

/// What an acknowledgement shows about the probe.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProbeAck {
    /// Data outstanding before the ACK.
    pub(crate) flight: u64,
    /// End of the duplicate that the ACK reports, if any.
    pub(crate) dsack_end: Option<u64>,
    /// The ACK is a duplicate and reports nothing.
    pub(crate) bare_duplicate: bool,
}

impl Tlp {
    /// Section 7.1.
    pub(super) const fn reset(&mut self) {
        self.end = None;
        self.is_retrans = false;
        self.due = false;
    }

    pub(crate) const fn on_sample(&mut self) {
        self.sampled = true;
    }

    /// TLP_calc_PTO without its last line; `single` if one segment is in flight.
    pub(crate) fn timeout(srtt: Option<Span>, single: bool, config: &TcpConfig) -> Span {
        let Some(srtt) = srtt else { return config.tlp_initial };
        let delay = if single { config.tlp_max_ack_delay } else { Span::ZERO };
        srtt * u64::from(config.tlp_srtts) + delay
    }

    /// The probe timer expired (section 7.3).
    pub(crate) const fn on_timer(&mut self) {
        self.due = self.end.is_none() && self.sampled;
    }

    /// Whether the next segment to leave is a probe.
    pub(crate) const fn is_due(&self) -> bool {
        self.due
    }

    /// The probe left, or could not: SND.NXT is now `end`, and the last segment began at `last`.
    pub(crate) const fn on_sent(&mut self, end: u64, last: u64, is_retrans: bool) {
        (self.end, self.last) = (Some(end), last);
        (self.is_retrans, self.sampled) = (is_retrans, false);
    }

    pub(crate) const fn cancel(&mut self) {
        self.due = false;
    }

    /// TLP_process_ack, with SND.UNA at `una`. If the probe filled a hole (section 7.4.2), returns
    /// the start of the lost segment.
    pub(crate) fn on_ack(&mut self, una: u64, ack: ProbeAck) -> Option<u64> {
        let end = self.end.filter(|end| una >= *end)?;
        let for_nothing = !self.is_retrans || ack.dsack_end == Some(end);
        if for_nothing || una > end || ack.bare_duplicate {
            self.end = None;
        }
        (!for_nothing && una > end).then_some(self.last)
    }
}
