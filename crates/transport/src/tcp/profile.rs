//! Complete parameter sets: the standards, Linux, and the studies this project reproduces.
//!
//! S0 to S3 are the reproduced studies. S0: Subramanian, Ramakrishnan, Kalyanaraman, Ji
//! (interference and capture in 802.11, ns-2). S1: Srinivasan et al. (PRR Is Not Enough: Mirage and
//! Roofnet traces). S2: Subramanian, Ramakrishnan, Kalyanaraman (ORBIT, Linux 2.6). S3: Sang (fair
//! TCP channel access, ns-3). Values that a study does not print are marked "chosen".

use airtcp_probe::Entry;
use airtcp_units::{Bytes, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::config::{
    BackoffReset, Ect, Pacing, PartialAckTimer, Reassembly, Recovery, RecoveryExit, RtoMinRule,
    RttSampling, TcpConfig, Tsq,
};
use super::config::{
    CarefulHeuristic, EarlyRetransmit, Frto, LossNotification, LossResponse, RateReduction,
    SpuriousResponse,
};
use super::misbehaviour::Misbehaviour;
use crate::lda::LdaConfig;
use airtcp_congestion::{Growth, LawConfig, LawRules, RenoConfig, SlowStartKind};

/// A parameter set by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// The standards-track RFCs.
    Rfc,
    /// Study S0: ns-2's SACK TCP.
    S0,
    /// Study S1 on Mirage: NewReno, 10 ms slots.
    S1Mirage,
    /// Study S1 on Roofnet: NewReno, 2 ms slots.
    S1Roofnet,
    /// Study S2: Linux 2.6 of 2007 with SACK.
    S2,
    /// Study S3: ns-3 of 2013, NewReno, segments of 536 bytes.
    S3,
    /// Linux of today with Reno's law.
    Linux,
}

impl Profile {
    /// All profiles.
    pub const ALL: [Self; 7] =
        [Self::Rfc, Self::S0, Self::S1Mirage, Self::S1Roofnet, Self::S2, Self::S3, Self::Linux];

    /// The profiles for `airtcp list`.
    pub const ENTRIES: &'static [Entry] = &[
        entry("rfc", "TCP as in the standards-track RFCs", "RFC 9293, 5681, 6298, 6675, 7323"),
        entry("s0", "ns-2's SACK TCP with a 10 ms tick and an ACK per segment", "study S0"),
        entry("s1-mirage", "NewReno in 10 ms slots, ACK delay 300 ms, window 130", "study S1, 3.1"),
        entry(
            "s1-roofnet",
            "NewReno in 2 ms slots, ACK delay 60 ms, window 130",
            "study S1, 3.2.2",
        ),
        entry("s2", "Linux 2.6 with SACK, timeouts of 200 ms to 12 s", "study S2, III"),
        entry("s3", "NewReno with 536-byte segments and no window scaling", "study S3, eq. 3.4"),
        entry("linux", "Linux with SACK, timestamps and Reno's law", "Linux tcp(7); kernel 6"),
    ];

    /// Name of the profile in a scenario.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rfc => "rfc",
            Self::S0 => "s0",
            Self::S1Mirage => "s1-mirage",
            Self::S1Roofnet => "s1-roofnet",
            Self::S2 => "s2",
            Self::S3 => "s3",
            Self::Linux => "linux",
        }
    }
}

const fn entry(name: &'static str, description: &'static str, source: &'static str) -> Entry {
    Entry { family: "tcp-profile", name, description, source }
}

impl Default for TcpConfig {
    fn default() -> Self {
        Self::profile(Profile::Rfc)
    }
}

impl TcpConfig {
    /// The parameter set of a profile.
    pub fn profile(profile: Profile) -> Self {
        match profile {
            Profile::Rfc => rfc(),
            Profile::S0 => s0(),
            Profile::S1Mirage => s1(Span::from_millis(10), 1000, 60_000, 3000, 300),
            Profile::S1Roofnet => s1(Span::from_millis(2), 200, 12_000, 600, 60),
            Profile::S2 => s2(),
            Profile::S3 => s3(),
            Profile::Linux => linux(),
        }
    }
}

/// Maximum `abc_limit`: an ACK may raise the window by everything that it acknowledges.
const NO_ABC_LIMIT: u32 = 1 << 20;

#[expect(clippy::too_many_lines, reason = "a table: one line a key")]
fn rfc() -> TcpConfig {
    TcpConfig {
        mss: 1460,
        congestion: LawConfig::default(),
        recovery: Recovery::Sack,
        initial_window: None,
        initial_ssthresh: None,
        max_window: None,
        half_of_cwnd: false,
        law_rules: LawRules::Documents,
        ssthresh_in_segments: false,
        abc_limit: 1,
        loss_response: LossResponse::Always,
        loss_differentiation: LdaConfig::default(),
        loss_notification: LossNotification::None,
        loss_notification_delay: Span::ZERO,
        slow_start: SlowStartKind::Standard,
        idle_restart: true,
        pacing: Pacing::Law,
        tsq: Tsq::Rule(false),
        pacing_shift: None,
        dup_thresh: 3,
        limited_transmit: true,
        early_retransmit: EarlyRetransmit::Off,
        partial_ack_timer: PartialAckTimer::Impatient,
        recovery_exit: RecoveryExit::Ssthresh,
        rate_reduction: RateReduction::None,
        spread_marks: false,
        prr_bound: None,
        rack: false,
        rack_reo_wnd_mult: 1,
        rack_reo_wnd_persist: 16,
        tlp: false,
        tlp_srtts: 2,
        tlp_initial: Span::from_secs(1),
        tlp_max_ack_delay: Span::from_millis(200),
        careful: true,
        careful_heuristic: CarefulHeuristic::None,
        keep_sack_after_rto: true,
        frto: Frto::Off,
        eifel_detection: false,
        dsack_undo: false,
        spurious_response: SpuriousResponse::Undo,
        rto_initial: Span::from_secs(1),
        rto_min: Span::from_secs(1),
        rto_max: Span::from_secs(60),
        rto_min_rule: RtoMinRule::Total,
        rto_granularity: Span::from_millis(1),
        rto_ticks: false,
        rtt_counts_ticks: false,
        rto_backoff: true,
        rto_backoff_reset: BackoffReset::Sample,
        rto_restart_on_retransmission: false,
        rto_after_syn_loss: Span::from_secs(3),
        syn_linear_timeouts: 0,
        one_segment_after_syn_loss: true,
        rtt_sampling: RttSampling::OnePerRoundTrip,
        max_retries: None,
        max_syn_retries: None,
        ack_every: 2,
        ack_delay: Span::from_millis(200),
        quick_acks: 0,
        misbehaviour: Misbehaviour::default(),
        reassembly: Reassembly::Buffering,
        receive_buffer: Bytes(1 << 20),
        receive_buffer_start: None,
        send_buffer: None,
        send_refill: 1.0,
        window_scaling: true,
        sack: true,
        dsack: true,
        timestamps: false,
        timestamp_tick: Span::from_millis(1),
        ecn: false,
        accecn: false,
        ect: Ect::Ect0,
        nagle: false,
        time_wait: Span::from_secs(240),
    }
}

/// ns-2's `sack1` sender and sink as in `ns-default.tcl`: minrto 0.2 s, maxrto 60 s, first
/// timeout 3 s, tick 10 ms, initial window 2, an ACK per segment, no receiver limit.
fn s0() -> TcpConfig {
    TcpConfig {
        recovery: Recovery::SackNs2,
        initial_window: Some(2),
        half_of_cwnd: true,
        idle_restart: false,
        // `singledup_` is 1 in ns-2.35.
        limited_transmit: true,
        rto_initial: Span::from_secs(3),
        rto_min: Span::from_millis(200),
        rto_granularity: Span::from_millis(10),
        rto_ticks: true,
        rto_restart_on_retransmission: true,
        rto_after_syn_loss: Span::ZERO,
        one_segment_after_syn_loss: false,
        ack_every: 1,
        dsack: false,
        receive_buffer: Bytes(1 << 24),
        ..rfc()
    }
}

/// S1's simulator: NewReno, a window of at most 130 packets, timers by trace set. Initial
/// window 2, one ACK per two segments and the first timeout are chosen.
fn s1(slot: Span, rto_min: u64, rto_max: u64, rto_initial: u64, ack_delay: u64) -> TcpConfig {
    TcpConfig {
        recovery: Recovery::NewReno,
        initial_window: Some(2),
        max_window: Some(130),
        idle_restart: false,
        limited_transmit: false,
        rto_initial: Span::from_millis(rto_initial),
        rto_min: Span::from_millis(rto_min),
        rto_max: Span::from_millis(rto_max),
        rto_granularity: slot,
        rto_after_syn_loss: Span::ZERO,
        ack_delay: Span::from_millis(ack_delay),
        sack: false,
        dsack: false,
        ..rfc()
    }
}

/// Linux 2.6 of 2007: SACK, timestamps, initial window by RFC 3390, first timeout 3 s; bounds of
/// the timeout as in S2. F-RTO became the default in 2.6.24. The undo of that kernel is left out
/// [chosen].
fn s2() -> TcpConfig {
    TcpConfig {
        // That kernel counted ACKs (`tcp_abc` was off).
        congestion: LawConfig::default(),
        abc_limit: 1,
        law_rules: LawRules::Documents,
        // TCP small queues came with Linux 3.6.
        tsq: Tsq::Rule(false),
        initial_window: Some(3),
        rto_initial: Span::from_secs(3),
        rto_min: Span::from_millis(200),
        rto_max: Span::from_secs(12),
        rto_after_syn_loss: Span::ZERO,
        rate_reduction: RateReduction::None,
        spread_marks: false,
        rack: false,
        tlp: false,
        frto: Frto::Off,
        eifel_detection: false,
        dsack_undo: false,
        syn_linear_timeouts: 0,
        rto_min_rule: RtoMinRule::Variance,
        rtt_sampling: RttSampling::EveryAck,
        // Buffers did not limit S2's transfers.
        receive_buffer: Bytes(6 << 20),
        receive_buffer_start: None,
        send_buffer: None,
        send_refill: 1.0,
        ..linux()
    }
}

/// ns-3 of 2013: NewReno, 536-byte segments, initial window 1, no window scaling; timers of
/// equation 3.4, S3's half of the window.
fn s3() -> TcpConfig {
    TcpConfig {
        mss: 536,
        recovery: Recovery::NewReno,
        initial_window: Some(1),
        half_of_cwnd: true,
        idle_restart: false,
        limited_transmit: false,
        receive_buffer: Bytes(65_535),
        window_scaling: false,
        sack: false,
        dsack: false,
        ..rfc()
    }
}

/// A Linux host with `net.ipv4.tcp_congestion_control = reno`: initial window 10, timeout at
/// least `srtt + 200 ms` and at most 120 s, 15 retries, 6 SYN retries, delayed ACK 40 ms after
/// 16 quick ones and while the receive window grows, 60 s in TIME-WAIT; PRR, F-RTO, and undo
/// by DSACK and timestamps. Since 3.13 and 4.0 slow start and congestion avoidance count segments
/// acknowledged, not ACKs.
///
/// Buffers are what they hold of payload. `tcp_rmem`'s 128 KiB and 6 MiB advertise 5/8 of themselves, because a packet of
/// 1500 bytes occupies 2304. `tcp_wmem`'s 4 MiB hold 3.94 MB with segmentation offload, whose packets need 1.065 bytes a byte
/// of payload [measured, Linux 6.18], and an application that found them full writes again when a third is free
/// (`sk_stream_write_space`).
fn linux() -> TcpConfig {
    TcpConfig {
        congestion: LawConfig::Reno(RenoConfig { growth: Growth::Bytes }),
        abc_limit: NO_ABC_LIMIT,
        initial_window: Some(10),
        law_rules: LawRules::Linux,
        tsq: Tsq::Rule(true),
        // Linux's `tcp_reno_ssthresh` halves the window; SACKed data can make FlightSize larger.
        half_of_cwnd: true,
        rate_reduction: RateReduction::Prr,
        spread_marks: true,
        rack: true,
        tlp: true,
        rto_min: Span::from_millis(200),
        rto_max: Span::from_secs(120),
        rto_min_rule: RtoMinRule::Linux,
        frto: Frto::Linux,
        eifel_detection: true,
        dsack_undo: true,
        rto_backoff_reset: BackoffReset::NewAck,
        rto_restart_on_retransmission: true,
        // The timestamps of the handshake give a sample, and Linux keeps the timeout that results.
        rto_after_syn_loss: Span::ZERO,
        rtt_sampling: RttSampling::EveryReport,
        max_retries: Some(15),
        max_syn_retries: Some(6),
        syn_linear_timeouts: 4,
        ack_delay: Span::from_millis(40),
        quick_acks: 16,
        receive_buffer: Bytes((6 << 20) * 5 / 8),
        receive_buffer_start: Some(Bytes(131_072 * 5 / 8)),
        send_buffer: Some(Bytes(3_940_000)),
        send_refill: 2.0 / 3.0,
        timestamps: true,
        time_wait: Span::from_secs(60),
        ..rfc()
    }
}
