//! The sending half: sequence space, windows, and what the application has written.
//!
//! This file holds the state and the windows, `sender/ack.rs` takes acknowledgements,
//! `sender/marks.rs` answers marks, `sender/transmit.rs` decides what leaves next,
//! `sender/new_data.rs` what new data there is. The objects of `recovery/` decide about losses;
//! `sender/recover.rs`, `sender/losses.rs`, `sender/loss_timers.rs` and `sender/spurious.rs` show
//! them the sender and apply what they answer. The congestion law is behind
//! [`airtcp_congestion::CongestionControl`].
//! Offsets in bytes from our ISN: the SYN at 0, the first byte at 1, the FIN behind the last.

mod ack;
mod loss_timers;
mod losses;
mod marks;
mod new_data;
mod recover;
mod spurious;
mod transmit;

pub(crate) use ack::AckInfo;
pub(crate) use transmit::Outgoing;

use airtcp_units::{BitRate, Nanos};

use super::config::{Pacing, TcpConfig};
use super::ecn::EcnState;
use super::pacing::{Pacer, spread};
use super::rate::RateSampler;
use super::recovery::{
    Differentiation, Discipline, LastAdvance, LossRecovery, Notices, Phase, RecoveryState, Spurious,
};
use super::rto::RttEstimator;
use super::scoreboard::Scoreboard;
use super::stats::TcpStats;
use super::timers::{Timer, Timers};
use crate::lda::TpLda;
use airtcp_congestion::{CongestionControl, Idle, Law, LawParams};

/// Stands for "more than any run sends": what an endless source has written.
pub(crate) const ENDLESS: u64 = 1 << 62;

/// What the sender needs from the connection around it.
pub(crate) struct Env<'a> {
    pub(crate) config: &'a TcpConfig,
    pub(crate) stats: &'a mut TcpStats,
    pub(crate) timers: &'a mut Timers,
    pub(crate) ecn: &'a mut EcnState,
}

/// The sending half of a connection.
#[derive(Debug)]
pub(crate) struct Sender {
    /// First offset not acknowledged.
    pub(crate) una: u64,
    /// Next offset to send for the first time.
    pub(crate) nxt: u64,
    /// One past the highest offset a zero-window probe carried.
    pub(crate) probed: u64,
    /// Payload the application has written.
    pub(crate) written: u64,
    /// A FIN follows what was written.
    pub(crate) fin: bool,
    /// Payload per segment, without options that come and go.
    pub(crate) mss: u32,
    /// Right edge of the peer's window.
    pub(crate) edge: u64,
    /// The peer's window, and the largest it ever was.
    pub(crate) peer_window: u64,
    max_peer_window: u64,
    /// The window is that of a SYN, which a 16-bit field bounds: the first real one is no change.
    window_of_syn: bool,
    /// Segment of the last window update: its sequence and acknowledgement (SND.WL1, SND.WL2).
    window_seq: u64,
    window_ack: u64,
    /// Scale of the peer's windows.
    pub(crate) peer_shift: u8,
    pub(crate) board: Scoreboard,
    pub(crate) rtt: RttEstimator,
    pub(crate) rate: RateSampler,
    pub(crate) law: Law,
    discipline: Discipline,
    recovery: RecoveryState,
    /// Whether a recovery was unnecessary.
    spurious: Spurious,
    /// Corrupted segments that are to be sent again.
    notices: Notices,
    /// The last ACK of new data (RFC 6582 section 4).
    last_advance: LastAdvance,
    /// Tells losses apart, if the connection does.
    differentiation: Option<Box<Differentiation>>,
    /// The segment being timed when one is timed at a time: its end and when it left.
    timed: Option<(u64, Nanos)>,
    /// Data up to here left while the congestion window was the limit.
    window_limited_to: u64,
    /// When data was last sent.
    last_sent: Option<Nanos>,
    /// When the next data segment may leave.
    pacer: Pacer,
    /// No new data before this (RFC 3168 section 6.1.2 at a window of one segment).
    hold_until: Nanos,
    /// Probes sent without the window opening.
    persist_backoff: u32,
    /// The next poll sends a probe.
    probe_due: bool,
    /// The next poll may send less than a segment although more is waiting.
    override_sws: bool,
    /// Where the duplicate ended that the peer last reported.
    last_report: Option<u64>,
    /// Timeouts in a row.
    pub(crate) retries: u32,
    /// Bound of the window by configuration, in bytes.
    window_cap: u64,
    /// What the law draws numbers from.
    seed: u64,
}

/// What a discipline may see. Not a method, so that the discipline may change meanwhile.
macro_rules! view {
    ($sender:ident, $config:expr) => {
        crate::tcp::recovery::View {
            config: $config,
            board: &$sender.board,
            phase: $sender.recovery.phase(),
            una: $sender.una,
            nxt: $sender.nxt,
            mss: u64::from($sender.mss),
            recover: $sender.recovery.recover(),
            dup_acks: $sender.recovery.dup_acks(),
        }
    };
}
use view;

impl Sender {
    /// `seed` is for laws that draw numbers.
    pub(crate) fn new(config: &TcpConfig, mut law: Law, seed: u64) -> Self {
        let mss = u32::from(config.mss);
        let window = config.initial_window_bytes(mss);
        let selective_acks = config.recovery.is_selective();
        law.start(
            Nanos::ZERO,
            &LawParams { selective_acks, seed, ..law_params(config, mss, window) },
        );
        Self {
            una: 0,
            nxt: 0,
            probed: 0,
            written: 0,
            fin: false,
            mss,
            edge: 0,
            peer_window: 0,
            max_peer_window: 0,
            window_of_syn: false,
            window_seq: 0,
            window_ack: 0,
            peer_shift: 0,
            board: Scoreboard::new(config.dup_thresh, mss),
            rtt: RttEstimator::new(config),
            rate: RateSampler::default(),
            law,
            discipline: Discipline::new(config, false),
            recovery: RecoveryState::new(),
            spurious: Spurious::default(),
            notices: Notices::default(),
            last_advance: LastAdvance::default(),
            differentiation: None,
            timed: None,
            window_limited_to: 0,
            last_sent: None,
            pacer: Pacer::default(),
            hold_until: Nanos::ZERO,
            persist_backoff: 0,
            probe_due: false,
            override_sws: false,
            last_report: None,
            retries: 0,
            window_cap: window_cap(config, mss),
            seed,
        }
    }

    /// Both SYNs are settled: segment size, SACK, and whether a SYN was lost.
    pub(crate) fn start(
        &mut self,
        now: Nanos,
        (mss, sack, syn_lost): (u32, bool, bool),
        env: &mut Env<'_>,
    ) {
        let config = env.config;
        self.mss = mss;
        self.discipline = Discipline::new(config, sack);
        self.recovery = RecoveryState::new();
        self.spurious = Spurious::default();
        self.notices.clear();
        self.last_advance = LastAdvance::default();
        self.board = Scoreboard::new(self.discipline.judging_threshold(config), mss);
        self.rack_start(config);
        self.differentiation = Differentiation::of(config);
        self.retries = 0;
        self.window_cap = window_cap(config, mss);
        let mut window = config.initial_window_bytes(mss);
        self.rtt.reset_backoff();
        if syn_lost {
            // RFC 6298 5.7 and RFC 5681 section 3.1.
            self.rtt.after_syn_loss(config.rto_after_syn_loss);
            if config.one_segment_after_syn_loss {
                window = u64::from(mss);
            }
        }
        let params = LawParams {
            selective_acks: self.discipline.is_selective(),
            srtt: self.rtt.srtt(),
            seed: self.seed,
            ..law_params(config, mss, window)
        };
        self.law.start(now, &params);
    }

    /// Takes up to `bytes` from the application.
    pub(crate) fn write(&mut self, bytes: u64, config: &TcpConfig) -> u64 {
        let n = bytes.min(self.writable(config));
        if n > 0 && self.nxt >= self.stream_end() && self.board.pipe() < self.law.cwnd() {
            // There was nothing to send although the window has room.
            self.rate.on_app_limited(self.board.pipe());
        }
        self.written += n;
        n
    }

    /// How much the application may write now.
    pub(crate) fn writable(&self, config: &TcpConfig) -> u64 {
        if self.fin {
            return 0;
        }
        let room = config.send_buffer.map_or(ENDLESS, |b| b.0.saturating_sub(self.unacked()));
        room.min(ENDLESS - self.written)
    }

    /// Payload written and not acknowledged.
    pub(crate) fn unacked(&self) -> u64 {
        (self.written + 1).saturating_sub(self.una.max(1))
    }

    /// One past the last byte written: where the FIN goes.
    pub(crate) const fn stream_end(&self) -> u64 {
        self.written + 1
    }

    /// The FIN was sent and acknowledged.
    pub(crate) const fn fin_acked(&self) -> bool {
        self.fin && self.una > self.stream_end()
    }

    /// One past everything that ever left: what an ACK may acknowledge.
    pub(crate) fn sent_up_to(&self) -> u64 {
        self.nxt.max(self.probed)
    }

    /// Outstanding sequence space.
    pub(crate) const fn in_flight(&self) -> u64 {
        self.nxt - self.una
    }

    /// A loss is being repaired.
    pub(crate) const fn in_recovery(&self) -> bool {
        !self.recovery.is_open()
    }

    /// What tells losses apart by trip times.
    pub(crate) fn classifier(&mut self) -> Option<&mut TpLda> {
        self.differentiation.as_mut().map(|d| d.classifier())
    }

    /// RFC 5681 FlightSize. After a timeout what was outstanding counts only once it has been
    /// sent again: the rest is known to have left the network.
    pub(crate) fn flight_size(&self) -> u64 {
        if self.recovery.is_timeout() { self.board.pipe() } else { self.in_flight() }
    }

    /// False if everything written is acknowledged: a poll has nothing to find.
    #[inline]
    pub(crate) const fn has_work(&self) -> bool {
        self.una < self.stream_end() + self.fin as u64
    }

    /// What is held against the window: `pipe` where the scoreboard knows it, everything
    /// outstanding otherwise.
    pub(crate) fn outstanding(&self, config: &TcpConfig) -> u64 {
        if !self.discipline.trusts_pipe()
            && let Some(prr) = self.recovery.reducing_prr()
        {
            return prr.pipe();
        }
        let by_pipe = self.discipline.counts_pipe(self.recovery.phase(), config);
        if by_pipe { self.board.pipe() } else { self.in_flight() }
    }

    /// The law's window with what recovery adds, bounded by the configuration.
    pub(crate) fn send_window(&self, config: &TcpConfig) -> u64 {
        let mss = u64::from(self.mss);
        let window = if let Some(prr) = self.recovery.reducing_prr() {
            prr.window()
        } else {
            self.law.cwnd().saturating_add_signed(self.inflation(config))
        };
        window.min(self.window_cap).max(mss)
    }

    /// What recovery adds to the law's window.
    fn inflation(&self, config: &TcpConfig) -> i64 {
        let phase = self.recovery.phase();
        if phase == Phase::Fast {
            return self.recovery.inflation();
        }
        let bytes = if config.limited_transmit && self.discipline.adds_limited_transmit(phase) {
            // RFC 3042: two segments beyond the window.
            let segments = self.recovery.dup_acks().min(config.dup_thresh - 1);
            u64::from(segments) * u64::from(self.mss)
        } else if phase == Phase::Timeout {
            self.spurious.credit()
        } else {
            0
        };
        (bytes + self.recovery.excused()) as i64
    }

    /// The rate at which segments leave, headers not counted; `None` to send as the window
    /// allows.
    pub(crate) fn pacing_rate(&self, config: &TcpConfig) -> Option<BitRate> {
        match config.pacing {
            Pacing::Off => None,
            Pacing::Law => self.law.pacing_rate(),
            Pacing::Cwnd => self.law.pacing_rate().or_else(|| {
                let window = self.send_window(config).max(self.board.pipe());
                spread(window, &self.law, self.rtt.srtt()?)
            }),
        }
    }

    /// Takes the peer's window from a segment that may update it (RFC 9293 section 3.10.7.4).
    /// Returns whether the window is the same as before.
    fn update_window(&mut self, seq: u64, ack: u64, window: u64) -> bool {
        let newer = self.window_seq < seq || (self.window_seq == seq && self.window_ack <= ack);
        let same = window == self.peer_window || self.window_of_syn;
        if newer {
            self.window_of_syn = false;
            self.window_seq = seq;
            self.window_ack = ack;
            self.peer_window = window;
            self.max_peer_window = self.max_peer_window.max(window);
            self.edge = ack + window;
        }
        same
    }

    /// Takes the window of a handshake segment, with SYN or without.
    pub(crate) fn init_window(&mut self, (seq, ack): (u64, u64), window: u64, syn: bool) {
        self.window_of_syn = syn;
        (self.window_seq, self.window_ack) = (seq, ack);
        self.peer_window = window;
        self.max_peer_window = window;
        self.edge = ack + window;
    }

    /// Starts the retransmission timer with the timeout in force.
    pub(crate) fn arm(&self, now: Nanos, timers: &mut Timers) {
        timers.set(Timer::Retransmit, now + self.rtt.rto());
    }

    /// The timer of a closed window expired: probe, or send what little fits.
    pub(crate) fn on_persist(&mut self) {
        self.persist_backoff = self.persist_backoff.saturating_add(1);
        if self.edge > self.nxt {
            self.override_sws = true;
        } else {
            self.probe_due = true;
        }
    }

    /// Nothing will be sent or awaited any more.
    pub(crate) fn stop(&mut self, timers: &mut Timers) {
        timers.stop_all();
        self.probe_due = false;
    }

    /// Data is about to leave with nothing outstanding: tells the law of the pause before.
    fn after_pause(&mut self, now: Nanos, config: &TcpConfig) {
        if let Some(last) = self.last_sent {
            let idle = Idle {
                idle: now.since(last),
                rto: self.rtt.backed_off(0),
                restart: config.idle_restart,
                app_limited: self.rate.is_app_limited(),
            };
            if idle.idle > idle.rto {
                self.spurious.forget();
            }
            self.law.on_idle(now, &idle);
        }
    }
}

fn window_cap(config: &TcpConfig, mss: u32) -> u64 {
    config.max_window.map_or(u64::MAX, |n| u64::from(n) * u64::from(mss))
}

/// What a law starts from by configuration.
pub(crate) fn law_params(config: &TcpConfig, mss: u32, initial_window: u64) -> LawParams {
    LawParams {
        mss,
        initial_window,
        initial_ssthresh: config.initial_ssthresh.map_or(u64::MAX, |b| b.0),
        max_cwnd: window_cap(config, mss),
        abc_limit: config.abc_limit,
        half_of_cwnd: config.half_of_cwnd,
        ssthresh_in_segments: config.ssthresh_in_segments,
        slow_start: config.slow_start,
        paced: config.pacing == Pacing::Cwnd,
        rules: config.law_rules,
        ..LawParams::default()
    }
}
