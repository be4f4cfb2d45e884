//! TLP: a probe in place of silence when the tail of a flight is lost, RFC 8985 section 7.
//!
//! ```text
//! PTO      2 SRTT, plus the receiver's ACK delay if one segment is in flight; 1 s without SRTT;
//!          not beyond the retransmission timer
//! armed    when new data is sent or acknowledged, outside recovery and with nothing reported
//! probe    new data if there is any and the peer's window allows, else the last segment again;
//!          one at a time, and only after a round-trip sample since the last
//! ```
//!
//! The answer to the probe brings the reports by which RACK finds what is missing. If the probe
//! was the only segment missing there is nothing left to find: an ACK beyond it that no DSACK
//! explains says that the probe has repaired a loss, and the law is told of it (section 7.4.2).
//! After the probe the retransmission timer starts anew. Times in nanoseconds, offsets in bytes.

use airtcp_units::Span;

use crate::tcp::config::TcpConfig;

/// State of the probe.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tlp {
    /// TLP.end_seq: where the probe in flight ends.
    end: Option<u64>,
    /// TLP.is_retrans: it was sent before.
    is_retrans: bool,
    /// Where the segment begins that was the last one then.
    last: u64,
    /// There is a round-trip sample since the last probe.
    sampled: bool,
    /// The next poll sends the probe.
    due: bool,
}

/// What an acknowledgement says about the probe.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProbeAck {
    /// Data outstanding before it.
    pub(crate) flight: u64,
    /// Where the duplicate ends that it reports, if it does.
    pub(crate) dsack_end: Option<u64>,
    /// It is a duplicate ACK and reports nothing.
    pub(crate) bare_duplicate: bool,
}

impl Tlp {
    /// Section 7.1.
    pub(super) const fn reset(&mut self) {
        self.end = None;
        self.is_retrans = false;
        self.due = false;
    }

    /// A round-trip time was measured.
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

    /// The probe left, or could not: SND.NXT is `end` now, and the segment that began at `last` was
    /// the last one.
    pub(crate) const fn on_sent(&mut self, end: u64, last: u64, is_retrans: bool) {
        (self.end, self.last) = (Some(end), last);
        (self.is_retrans, self.sampled) = (is_retrans, false);
    }

    /// The probe is not sent after all.
    pub(crate) const fn cancel(&mut self) {
        self.due = false;
    }

    /// TLP_process_ack, with SND.UNA at `una`. If the probe filled a hole (section 7.4.2), returns
    /// where the segment begins that was lost.
    pub(crate) fn on_ack(&mut self, una: u64, ack: ProbeAck) -> Option<u64> {
        let end = self.end.filter(|end| una >= *end)?;
        let for_nothing = !self.is_retrans || ack.dsack_end == Some(end);
        if for_nothing || una > end || ack.bare_duplicate {
            self.end = None;
        }
        (!for_nothing && una > end).then_some(self.last)
    }
}
