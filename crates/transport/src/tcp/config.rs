//! Parameters of a TCP connection. The table is flat: a scenario names a profile and the keys that
//! differ.
//!
//! Every default is that of [`Profile::Rfc`](super::Profile::Rfc). Where the standards-track
//! documents give a value, the default is that value; otherwise the comment states the default.

mod choices;
mod tsq;

pub use choices::{
    BackoffReset, CarefulHeuristic, EarlyRetransmit, Ect, Frto, LossNotification, LossResponse,
    Pacing, PartialAckTimer, PrrBound, RateReduction, Reassembly, Recovery, RecoveryExit,
    RtoMinRule, RttSampling, SpuriousResponse,
};
pub use tsq::Tsq;

use airtcp_probe::{ConfigError, within};
use airtcp_units::{Bytes, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::misbehaviour::Misbehaviour;
use super::small_queue::MAX_SHIFT;
use crate::lda::LdaConfig;
use airtcp_congestion::{LawConfig, LawRules, Needs, SlowStartKind};

/// Parameters of one end of a TCP connection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TcpConfig {
    /// Maximum segment size announced to the peer, bytes of payload without options. Default
    /// 1460 (Ethernet's 1500 minus 40). RFC 6691.
    pub mss: u16,
    /// Congestion law: a name or a table. Default `reno`. RFC 5681.
    pub congestion: LawConfig,
    /// Loss recovery. Default `sack`. Without SACK from the peer, `sack` and `sack-ns2` fall back
    /// to `newreno`. RFC 6675, RFC 6582, RFC 5681.
    pub recovery: Recovery,
    /// Initial window in segments; absent: 2, 3 or 4 by segment size (the default).
    /// RFC 5681 equation 1; RFC 6928 has 10.
    pub initial_window: Option<u32>,
    /// Initial slow-start threshold in bytes; absent: none (the default). RFC 5681 section 3.1.
    pub initial_ssthresh: Option<Bytes>,
    /// Upper bound of the window in segments; absent: none (the default).
    pub max_window: Option<u32>,
    /// Halve the congestion window instead of FlightSize. Default false. RFC 5681 equation 4
    /// has FlightSize, older descriptions the window.
    pub half_of_cwnd: bool,
    /// Rules of a law where Linux differs from the document that specifies the law: `documents`
    /// (default) or `linux`. `cubic` and `bbr1` have both sets; their key `rules` takes precedence.
    /// By Linux's rules, a mark leaves at least two segments under every law with a threshold, and
    /// `veno`, `westwood`, `westwood+`, `vegas` and `jersey` add a segment per window of
    /// acknowledged bytes instead of per window of ACKs.
    pub law_rules: LawRules,
    /// Round the threshold down to whole segments at a reduction; the window keeps the fraction.
    /// Default false. ns-2 does so, and counts in segments everywhere.
    pub ssthresh_in_segments: bool,
    /// Maximum growth per ACK in slow start, in segments. Default 1. RFC 5681 equation 2; RFC 3465
    /// allows 2.
    pub abc_limit: u32,
    /// Which losses reduce the window. Default `always`. With `ecn-only` the sender repairs losses
    /// found by duplicate or selective ACKs but does not report them to the law; only marks and
    /// timeouts reduce the window (LT-TCP, TCP Jersey). With `tp-lda` it reports the losses that
    /// relative one-way trip times classify as congestion, which needs `timestamps` (Pack et al.
    /// 2007).
    pub loss_response: LossResponse,
    /// How `tp-lda` classifies losses; no effect otherwise. The resolution is at best
    /// `timestamp_tick`.
    pub loss_differentiation: LdaConfig,
    /// Slow start of the laws that have one: `standard` (default, RFC 5681) or `hystart++`
    /// (RFC 9406; `abc_limit` is then for later slow starts only).
    pub slow_start: SlowStartKind,
    /// Whether links report the packets that they corrupt, and stations of cells the packets whose
    /// frames they gave up, to the sender. Queue drops are never reported. The sender retransmits a reported packet at once, without a reduction. Default
    /// `none`; `oracle`. ETEN (Krishnan et al. 2004).
    pub loss_notification: LossNotification,
    /// Delay of this report after the time when the packet would have left the link, or after the
    /// station gave its frame up. No delay if the sender is on that station. Default 0 s.
    pub loss_notification_delay: Span,
    /// Restart from the initial window after a pause longer than the timeout. Default true.
    /// RFC 5681 section 4.1.
    pub idle_restart: bool,
    /// What sets the pacing rate. Default `law`; `cwnd` paces every law, `off` none.
    /// draft-ietf-ccwg-bbr section 5.6.2; Linux `tcp_update_pacing_rate`.
    pub pacing: Pacing,
    /// TCP small queues: limit what the sender has below it, in the queue and the device of its own host. Default
    /// false. `true` is the rule of Linux: at most two packets before segmentation, or the pacing rate times
    /// `2^-pacing_shift` seconds; bytes are a fixed limit, as in Linux 3.6 (`128 KiB`). The limit counts memory:
    /// payload and 832 B a packet. No effect where the first hop of the flow is a link without `sender_device`. Linux
    /// `tcp_small_queue_check`.
    pub tsq: Tsq,
    /// `tsq` and the size of packets before segmentation follow the pacing rate divided by 2 to this power: 10 is about
    /// 1 ms, 7 about 8 ms. Absent (the default): 10, at a Wi-Fi station 7. Linux `sk_pacing_shift`, mac80211
    /// `tx_sk_pacing_shift`.
    pub pacing_shift: Option<u32>,
    /// Duplicate ACKs that signal a loss. Default 3. RFC 5681 section 3.2.
    pub dup_thresh: u32,
    /// Send new data on the first duplicate ACKs. Default true. RFC 3042.
    pub limited_transmit: bool,
    /// Fewer duplicates signal a loss if less than four segments are outstanding and no new data
    /// can be sent. Default `off`; `segments` or `bytes`. RFC 5827.
    pub early_retransmit: EarlyRetransmit,
    /// Which partial ACKs restart the timer. Default `impatient`. RFC 6582 section 4.
    pub partial_ack_timer: PartialAckTimer,
    /// Window at the end of NewReno's recovery. Default `ssthresh`. RFC 6582 section 3.2.
    pub recovery_exit: RecoveryExit,
    /// How fast recovery spreads the reduction of the window: `none` (default), `prr`
    /// (RFC 9937) or `prr-rfc6937`. No effect on `tahoe` and `sack-ns2`.
    pub rate_reduction: RateReduction,
    /// Also spread the reduction for a congestion mark by `rate_reduction`, until data sent after
    /// it is acknowledged; needs `recovery = "sack"`. Default false: the window is reduced at once
    /// (RFC 3168 section 6.1.2). Linux does so (state CWR).
    pub spread_marks: bool,
    /// Growth bound of PRR when less than the target is in flight. Absent (the default): as the
    /// document recommends, `safe-ack` (RFC 9937 section 6.2) or `ssrb` (RFC 6937 section 6).
    pub prr_bound: Option<PrrBound>,
    /// Detect losses by time (RACK) instead of counting duplicates; needs SACK from the peer and
    /// `recovery = "sack"`, and has no effect otherwise. Default false. RFC 8985 section 6.
    pub rack: bool,
    /// RACK's initial reordering window in quarters of the minimum round-trip time, which DSACKs
    /// widen (RACK.reo_wnd_mult at the start). Default 1. RFC 8985 section 6.2.
    pub rack_reo_wnd_mult: u32,
    /// Recoveries without DSACK after which the reordering window returns to its initial value
    /// (RACK.reo_wnd_persist). Default 16. RFC 8985 section 6.2.
    pub rack_reo_wnd_persist: u32,
    /// Probe for the loss of a flight's tail; needs `rack`. Default false. RFC 8985 section 7.
    pub tlp: bool,
    /// Smoothed round-trip times before the probe. Default 2. RFC 8985 section 7.2.
    pub tlp_srtts: u32,
    /// Time before the probe without a round-trip sample. Default 1 s. RFC 8985 section 7.2.
    pub tlp_initial: Span,
    /// Addition to the probe timeout with one segment in flight, for the peer's delayed ACK
    /// (TLP.max_ack_delay). Default 200 ms. RFC 8985 section 7.2.
    pub tlp_max_ack_delay: Span,
    /// After a recovery or a timeout, duplicate ACKs for data sent before it do not begin another
    /// recovery. Default true. RFC 6582 section 3.2 (the "careful" variant).
    pub careful: bool,
    /// When such duplicates signal a loss nevertheless. Default `none`; `ack`, or `timestamp` if
    /// timestamps are in use. For recoveries without SACK. RFC 6582 section 4.
    pub careful_heuristic: CarefulHeuristic,
    /// Keep SACK information after a timeout. Default true (RFC 6675 section 5.1); false
    /// discards it (RFC 2018 section 8).
    pub keep_sack_after_rto: bool,
    /// F-RTO: detect spurious timeouts from the following ACKs. Default `off`; `rfc5682`, with SACK
    /// the enhanced version; `linux`, with SACK also from the first ACK.
    pub frto: Frto,
    /// Eifel detection: detect spurious recoveries by timestamps, if these are in use. Default
    /// false. RFC 3522.
    pub eifel_detection: bool,
    /// Detect spurious recoveries if DSACKs report every retransmission as a duplicate; needs SACK
    /// and a peer that sends DSACKs. Default false. RFC 3708, RFC 2883.
    pub dsack_undo: bool,
    /// Response to a spurious recovery. Default `undo`: window and threshold as before;
    /// `eifel`: RFC 4015 after timeouts; `keep`: they stay reduced.
    pub spurious_response: SpuriousResponse,
    /// Timeout before the first sample. Default 1 s. RFC 6298 2.1.
    pub rto_initial: Span,
    /// Lower bound of the timeout. Default 1 s. RFC 6298 2.4.
    pub rto_min: Span,
    /// Upper bound of the timeout, back-off included. Default 60 s. RFC 6298 2.5.
    pub rto_max: Span,
    /// Term to which the lower bound applies. Default `total`. RFC 6298 2.4.
    pub rto_min_rule: RtoMinRule,
    /// Clock granularity G in the timeout's formula. Default 1 ms. RFC 6298 2.2.
    pub rto_granularity: Span,
    /// Round samples to the nearest and timeouts up to the next multiple of the granularity, as
    /// stacks with a coarse tick do. Default false.
    pub rto_ticks: bool,
    /// Count a round trip as the number of ticks of the granularity that begin during it, and keep
    /// SRTT in eighths and RTTVAR in quarters of a tick without fractions; needs `rto_ticks`.
    /// Default false. V. Jacobson 1988, appendix A; ns-2 without timestamps does so.
    pub rtt_counts_ticks: bool,
    /// Double the timeout whenever it expires. Default true (RFC 6298 5.5); false keeps it, as in
    /// RFC 793 section 3.7, for handshake and data.
    pub rto_backoff: bool,
    /// What ends back-off. Default `sample`. RFC 6298 section 5.
    pub rto_backoff_reset: BackoffReset,
    /// Restart the timer also at a retransmission of the first outstanding segment, not only at
    /// ACKs of new data. Later holes never restart it, otherwise a lost first segment could wait
    /// forever. Default false. RFC 6675 section 6; Linux does so.
    pub rto_restart_on_retransmission: bool,
    /// Minimum timeout when data begins after a lost SYN; `0 s` keeps the timeout. Default 3 s.
    /// RFC 6298 5.7.
    pub rto_after_syn_loss: Span,
    /// Number of timeouts of a SYN without back-off, as Linux's `tcp_syn_linear_timeouts`, beyond `max_syn_retries`.
    /// Default 0.
    pub syn_linear_timeouts: u32,
    /// Initial window of one segment after a lost SYN. Default true. RFC 5681 section 3.1.
    pub one_segment_after_syn_loss: bool,
    /// Which segments measure round-trip times; with timestamps every ACK does. Default
    /// `one-per-round-trip`. RFC 6298 section 3.
    pub rtt_sampling: RttSampling,
    /// Successive timeouts after which the connection is aborted; absent: never (the default).
    /// RFC 9293 section 3.8.3.
    pub max_retries: Option<u32>,
    /// SYN retransmissions before the connection is aborted; absent: never (the default). RFC 9293
    /// section 3.8.3.
    pub max_syn_retries: Option<u32>,
    /// Segments per acknowledgement: 1 for every segment, 2 for delayed ACKs. Default 2.
    /// RFC 5681 section 4.2.
    pub ack_every: u32,
    /// Maximum delay of an acknowledgement. Default 200 ms; RFC 5681 section 4.2 requires less
    /// than 500 ms.
    pub ack_delay: Span,
    /// Number of data segments at the start that are acknowledged at once, as Linux's quick-ack.
    /// Default 0.
    pub quick_acks: u32,
    /// How the receiver deviates from RFC 5681. Default: it does not.
    #[serde(skip_serializing_if = "Misbehaviour::is_none")]
    pub misbehaviour: Misbehaviour,
    /// How the receiver treats out-of-order data. Default `buffering`. RFC 9293 section 3.10.7.4.
    pub reassembly: Reassembly,
    /// Receive buffer, the bound of the advertised window. Default 1048576 B.
    pub receive_buffer: Bytes,
    /// Receive buffer at the start; it grows with what the application reads in a round trip, up to `receive_buffer`
    /// (dynamic right-sizing, as in Linux: each segment that raises the window is acknowledged at once). Absent:
    /// `receive_buffer` from the start (the default).
    pub receive_buffer_start: Option<Bytes>,
    /// Send buffer for data written but not acknowledged; absent: unbounded (the default).
    pub send_buffer: Option<Bytes>,
    /// Share of the send buffer that is in use when an application that found it full may write again: 1 for every
    /// byte that becomes free (the default), 2/3 in Linux.
    pub send_refill: f64,
    /// Offer window scaling. Default true. RFC 7323 section 2; without it the window is at most
    /// 65535 bytes.
    pub window_scaling: bool,
    /// Offer SACK and send SACK blocks. Default true. RFC 2018.
    pub sack: bool,
    /// Report duplicates in the first SACK block. Default true. RFC 2883.
    pub dsack: bool,
    /// Offer timestamps. Default false. RFC 7323 section 3.
    pub timestamps: bool,
    /// Tick of the timestamp clock. Default 1 ms. RFC 7323 section 5.4.
    pub timestamp_tick: Span,
    /// Negotiate and use ECN. Default false. RFC 3168.
    pub ecn: bool,
    /// Ask for accurate ECN feedback, the number of marked packets, and give it; needs `ecn`. With a peer that lacks it,
    /// the feedback is that of RFC 3168. Default false. RFC 9768.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub accecn: bool,
    /// ECN field of new data: `ect0` (default), or `ect1`, with which a scalable law identifies itself to a queue such as
    /// `dualpi2`; needs `accecn`, and takes effect if the peer has accurate feedback. RFC 9331 section 4.
    #[serde(skip_serializing_if = "Ect::is_default")]
    pub ect: Ect,
    /// Nagle's algorithm. Default false. RFC 9293 section 3.7.4.
    pub nagle: bool,
    /// Time spent in TIME-WAIT, twice the maximum segment lifetime. Default 4 min. RFC 9293
    /// section 3.4.2.
    pub time_wait: Span,
}

/// Maximum value of any timer: a year.
const MAX_TIME: Span = Span::from_secs(365 * 86_400);

impl TcpConfig {
    /// Checks every value.
    ///
    /// # Errors
    /// The key at fault, what was found and what is accepted.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.validate_windows()?;
        self.validate_recovery()?;
        self.validate_timers()?;
        self.validate_ends()?;
        self.validate_losses()?;
        Ok(())
    }

    /// Segments, windows and the law.
    fn validate_windows(&self) -> Result<(), ConfigError> {
        let number = within::<u64>;
        // The smallest segment must hold the largest option block and some payload.
        number("mss", u64::from(self.mss), 48, 65_495)?;
        if let Err(e) = self.congestion.validate() {
            let law = self.congestion.name();
            return Err(ConfigError::new("congestion", format!("law \"{law}\": {e}")));
        }
        if let Some(n) = self.initial_window {
            number("initial_window", u64::from(n), 1, 1 << 20)?;
        }
        if let Some(b) = self.initial_ssthresh {
            number("initial_ssthresh", b.0, 2 * u64::from(self.mss), u64::MAX)?;
        }
        if let Some(n) = self.max_window {
            number("max_window", u64::from(n), 1, 1 << 24)?;
        }
        number("abc_limit", u64::from(self.abc_limit), 1, 1 << 20)?;
        if let Tsq::Fixed(bytes) = self.tsq {
            number("tsq", bytes.0, 1, u64::MAX)?;
        }
        if let Some(shift) = self.pacing_shift {
            number("pacing_shift", u64::from(shift), 0, u64::from(MAX_SHIFT))?;
        }
        Ok(())
    }

    /// Detection of losses.
    fn validate_recovery(&self) -> Result<(), ConfigError> {
        let number = within::<u64>;
        let time = |key, value: Span, low: Span| within(key, value, low, MAX_TIME);
        number("dup_thresh", u64::from(self.dup_thresh), 1, 1000)?;
        number("rack_reo_wnd_mult", u64::from(self.rack_reo_wnd_mult), 1, 1000)?;
        number("rack_reo_wnd_persist", u64::from(self.rack_reo_wnd_persist), 1, 1 << 20)?;
        number("tlp_srtts", u64::from(self.tlp_srtts), 1, 1000)?;
        time("tlp_initial", self.tlp_initial, Span(1))?;
        time("tlp_max_ack_delay", self.tlp_max_ack_delay, Span::ZERO)?;
        if self.tlp && !self.rack {
            return Err(ConfigError::new(
                "tlp",
                "true needs `rack = true`; without it false is accepted",
            ));
        }
        Ok(())
    }

    /// The retransmission timer.
    fn validate_timers(&self) -> Result<(), ConfigError> {
        let time = |key, value: Span, low: Span| within(key, value, low, MAX_TIME);
        time("rto_min", self.rto_min, Span(1))?;
        time("rto_initial", self.rto_initial, Span(1))?;
        time("rto_max", self.rto_max, self.rto_min)?;
        time("rto_granularity", self.rto_granularity, Span(1))?;
        if self.rtt_counts_ticks && !self.rto_ticks {
            return Err(ConfigError::new(
                "rtt_counts_ticks",
                "true needs `rto_ticks = true`; without it false is accepted",
            ));
        }
        time("rto_after_syn_loss", self.rto_after_syn_loss, Span::ZERO)?;
        Ok(())
    }

    /// Acknowledgements, buffers and clocks.
    fn validate_ends(&self) -> Result<(), ConfigError> {
        let number = within::<u64>;
        let time = |key, value: Span, low: Span| within(key, value, low, MAX_TIME);
        number("ack_every", u64::from(self.ack_every), 1, 1 << 20)?;
        self.misbehaviour.validate()?;
        if self.ack_every > 1 {
            time("ack_delay", self.ack_delay, Span(1))?;
        }
        let most = if self.window_scaling { 1 << 30 } else { 65_535 };
        number("receive_buffer", self.receive_buffer.0, u64::from(self.mss), most)?;
        if let Some(b) = self.receive_buffer_start {
            number("receive_buffer_start", b.0, u64::from(self.mss), 1 << 30)?;
        }
        if let Some(b) = self.send_buffer {
            number("send_buffer", b.0, u64::from(self.mss), u64::MAX)?;
        }
        within("send_refill", self.send_refill, 0.0, 1.0)?;
        time("timestamp_tick", self.timestamp_tick, Span(1_000))?;
        time("time_wait", self.time_wait, Span::ZERO)?;
        if self.accecn && !self.ecn {
            let message = "true needs `ecn = true`; without it false is accepted";
            return Err(ConfigError::new("accecn", message));
        }
        if self.ect == Ect::Ect1 && !self.accecn {
            let message = "\"ect1\" needs `accecn = true`, the feedback that scalable laws need; without it \"ect0\" is accepted";
            return Err(ConfigError::new("ect", message));
        }
        let delay = self.loss_notification_delay;
        time("loss_notification_delay", delay, Span::ZERO)?;
        if delay > Span::ZERO && self.loss_notification == LossNotification::None {
            let message = format!(
                "is {delay}, but loss_notification is \"none\", so that no notification comes: omit the key, or \
                 set loss_notification = \"oracle\""
            );
            return Err(ConfigError::new("loss_notification_delay", message));
        }
        Ok(())
    }

    /// Requirements of the loss response.
    fn validate_losses(&self) -> Result<(), ConfigError> {
        if self.loss_response == LossResponse::TpLda && !self.timestamps {
            return Err(ConfigError::new(
                "loss_response",
                "\"tp-lda\" measures trip times with timestamps and needs `timestamps = true`; without it \"always\" or \"ecn-only\" is accepted",
            ));
        }
        if let Err(e) = self.loss_differentiation.validate() {
            return Err(ConfigError::new("loss_differentiation", e.to_string()));
        }
        if self.recovery.is_selective() && !self.sack {
            return Err(ConfigError::new(
                "recovery",
                "\"sack\" (or \"sack-ns2\") needs `sack = true`; without it \"newreno\", \"reno\" or \"tahoe\" is accepted",
            ));
        }
        Ok(())
    }

    /// What this TCP needs of the path to work as the sources of its law and of its loss response
    /// describe. With `loss_response = "ecn-only"` only marks show congestion.
    pub fn needs(&self) -> Needs {
        let marks = self.loss_response == LossResponse::EcnOnly;
        self.congestion.needs().and(if marks { Needs::EcnMarks } else { Needs::Nothing })
    }

    /// Initial window in bytes for segments of `mss` bytes.
    pub fn initial_window_bytes(&self, mss: u32) -> u64 {
        let mss64 = u64::from(mss);
        let segments = match self.initial_window {
            Some(n) => u64::from(n),
            // RFC 5681 section 3.1.
            None if mss > 2190 => 2,
            None if mss > 1095 => 3,
            None => 4,
        };
        segments * mss64
    }
}

#[cfg(test)]
mod tests;
