//! The sending half: sequence space, windows, and what the application has written.
//!
//! This file holds the state. `sender/opening.rs` starts the sender, `sender/windows.rs` has the
//! windows, `sender/ack.rs` and `sender/sacks.rs` process acknowledgements, `sender/marks.rs`
//! responds to marks, `sender/transmit.rs` chooses the next segment, `sender/new_data.rs` checks
//! for new data, `sender/waits.rs` notes what the sender waits for, `sender/plain.rs` has shorter
//! paths for bulk data, `sender/run.rs` takes several segments at once. The objects of `recovery/` decide about losses; `sender/recover.rs`,
//! `sender/losses.rs`, `sender/loss_timers.rs` and `sender/spurious.rs` call them and apply their
//! answers. `sender/loss_marks.rs` takes explicit loss notification. `sender/device.rs` limits what waits in the own device. The congestion law implements [`airtcp_congestion::CongestionControl`]. Offsets in
//! bytes from our ISN: the SYN at 0, the first byte at 1, the FIN after the last byte.

mod ack;
mod ack_info;
mod device;
mod loss_marks;
mod loss_timers;
mod losses;
mod marks;
mod new_data;
mod opening;
mod plain;
mod recover;
mod run;
mod sacks;
mod spurious;
mod transmit;
mod waits;
mod windows;

pub(crate) use ack_info::AckInfo;
pub(crate) use plain::Plain;
pub(crate) use run::Departures;
pub(crate) use transmit::Outgoing;

use airtcp_units::{Nanos, Span, Waits};

use super::config::TcpConfig;
use super::ecn::EcnState;
use super::law_params::{law_params, window_cap};
use super::pacing::Pacer;
use super::rate::RateSampler;
use super::recovery::{Differentiation, Discipline, LastAdvance, Notices, RecoveryState, Spurious};
use super::rto::RttEstimator;
use super::scoreboard::Scoreboard;
use super::small_queue::SmallQueue;
use super::stats::TcpStats;
use super::timers::{Timer, Timers};
use super::window_wait::WindowWait;
use crate::lda::TpLda;
use airtcp_congestion::{CongestionControl, Idle, Law, LawParams};

/// Bytes written by an endless source: more than any run sends.
pub(crate) const ENDLESS: u64 = 1 << 62;

/// Parts of the connection that the sender uses.
pub(crate) struct Env<'a> {
    pub(crate) config: &'a TcpConfig,
    pub(crate) stats: &'a mut TcpStats,
    pub(crate) timers: &'a mut Timers,
    pub(crate) ecn: &'a mut EcnState,
}

/// The sending half of a connection.
#[derive(Debug)]
pub(crate) struct Sender {
    /// First unacknowledged offset.
    una: u64,
    /// Next offset to send for the first time.
    nxt: u64,
    /// One past the highest offset sent in a zero-window probe.
    probed: u64,
    /// Payload the application has written.
    written: u64,
    /// The application has closed: a FIN follows the written data.
    fin: bool,
    /// Payload per segment, without variable options.
    mss: u32,
    /// Right edge of the peer's window.
    edge: u64,
    /// The peer's window, and its maximum so far.
    peer_window: u64,
    max_peer_window: u64,
    /// The window came from a SYN, whose field is unscaled: the first scaled window is not a
    /// change.
    window_of_syn: bool,
    /// Sequence and acknowledgement of the segment that last updated the window (SND.WL1, SND.WL2).
    window_seq: u64,
    window_ack: u64,
    /// Scale of the peer's windows.
    peer_shift: u8,
    board: Scoreboard,
    rtt: RttEstimator,
    rate: RateSampler,
    law: Law,
    discipline: Discipline,
    recovery: RecoveryState,
    spurious: Spurious,
    /// Reported corrupted segments that are still to be retransmitted.
    notices: Notices,
    /// The last ACK of new data (RFC 6582 section 4).
    last_advance: LastAdvance,
    differentiation: Option<Box<Differentiation>>,
    /// If one segment is timed at a time: its end and its departure.
    timed: Option<(u64, Nanos)>,
    /// Data up to here left while the congestion window was the limit.
    window_limited_to: u64,
    /// Time of the last data segment.
    last_sent: Option<Nanos>,
    pacer: Pacer,
    /// No new data before this (RFC 3168 section 6.1.2 at a window of one segment).
    hold_until: Nanos,
    /// Probes sent since the window closed.
    persist_backoff: u32,
    /// The next poll sends a probe.
    probe_due: bool,
    /// The next poll may send less than a segment although more is waiting.
    override_sws: bool,
    /// End of the last duplicate that the peer reported.
    last_report: Option<u64>,
    /// Successive timeouts.
    retries: u32,
    /// Configured bound of the window in bytes.
    window_cap: u64,
    /// Seed of the law's random numbers.
    seed: u64,
    waits: Waits,
    window_wait: WindowWait,
    /// The application has more data than the send buffer had room for.
    unwritten: bool,
    /// Time of the last ACK that found data outstanding.
    heard: Nanos,
    /// The next ACK of new data and the next segment may take the short paths of `plain.rs`.
    is_plain: bool,
    /// What the sender has below it, if that is limited.
    small_queue: Option<Box<SmallQueue>>,
}

/// The view for a discipline. A macro, so that the discipline can be borrowed mutably meanwhile.
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
    /// `seed` is for laws that use random numbers.
    pub(crate) fn new(config: &TcpConfig, mut law: Law, seed: u64) -> Self {
        let mss = u32::from(config.mss);
        let window = config.initial_window_bytes(mss);
        let selective_acks = config.recovery.is_selective();
        law.start(
            Nanos::ZERO,
            &LawParams { selective_acks, seed, ..law_params(config, mss, window) },
        );
        let window_cap = window_cap(config, mss);
        let window_wait = WindowWait::new(&law, window_cap);
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
            window_cap,
            seed,
            waits: Waits::default(),
            window_wait,
            unwritten: false,
            heard: Nanos::ZERO,
            is_plain: false,
            small_queue: None,
        }
    }

    /// Accepts up to `bytes` from the application.
    pub(crate) fn write(&mut self, bytes: u64, config: &TcpConfig) -> u64 {
        let n = bytes.min(self.writable(config));
        if n > 0
            && !self.unwritten
            && self.nxt >= self.stream_end()
            && self.board.pipe() < self.law.cwnd()
            && !self.board.has_due()
        {
            // The application had no data although the window has room and all losses are repaired. A write that waited for
            // room goes on here: it is that of an application that blocks.
            self.rate.on_app_limited(self.board.pipe());
        }
        self.written += n;
        self.unwritten = n < bytes;
        n
    }

    /// How much the application may write now.
    pub(crate) fn writable(&self, config: &TcpConfig) -> u64 {
        if self.fin {
            return 0;
        }
        let room = config.send_buffer.map_or(ENDLESS, |b| self.send_room(b.0, config.send_refill));
        room.min(ENDLESS - self.written)
    }

    /// Room in a send buffer of `buffer` bytes. Once full, it has none until `refill` of it is in use.
    fn send_room(&self, buffer: u64, refill: f64) -> u64 {
        let used = self.unacked();
        if self.unwritten && used as f64 > refill * buffer as f64 && refill < 1.0 {
            return 0;
        }
        buffer.saturating_sub(used)
    }

    /// Payload written and not acknowledged.
    pub(crate) fn unacked(&self) -> u64 {
        (self.written + 1).saturating_sub(self.una.max(1))
    }

    /// One past the last byte written: offset of the FIN.
    pub(crate) const fn stream_end(&self) -> u64 {
        self.written + 1
    }

    pub(crate) const fn fin_acked(&self) -> bool {
        self.fin && self.una > self.stream_end()
    }

    /// The application closes: a FIN follows.
    pub(crate) const fn close(&mut self) {
        self.fin = true;
    }

    pub(crate) const fn is_closed(&self) -> bool {
        self.fin
    }

    /// Payload the application has written.
    pub(crate) const fn written(&self) -> u64 {
        self.written
    }

    /// First unacknowledged offset, SND.UNA.
    pub(crate) const fn una(&self) -> u64 {
        self.una
    }

    /// Next offset to send for the first time, SND.NXT.
    pub(crate) const fn nxt(&self) -> u64 {
        self.nxt
    }

    /// Payload per segment, without variable options.
    pub(crate) const fn mss(&self) -> u32 {
        self.mss
    }

    pub(crate) const fn peer_window(&self) -> u64 {
        self.peer_window
    }

    /// Successive timeouts.
    pub(crate) const fn retries(&self) -> u32 {
        self.retries
    }

    /// RFC 6675 `pipe`.
    pub(crate) const fn pipe(&self) -> u64 {
        self.board.pipe()
    }

    pub(crate) const fn law(&self) -> &Law {
        &self.law
    }

    /// SRTT; `None` before the first sample.
    pub(crate) const fn srtt(&self) -> Option<Span> {
        self.rtt.srtt()
    }

    pub(crate) fn rto(&self) -> Span {
        self.rtt.rto()
    }

    /// One past everything ever sent: the largest valid ACK.
    pub(crate) fn sent_up_to(&self) -> u64 {
        self.nxt.max(self.probed)
    }

    /// Outstanding sequence space.
    pub(crate) const fn in_flight(&self) -> u64 {
        self.nxt - self.una
    }

    pub(crate) const fn in_recovery(&self) -> bool {
        !self.recovery.is_open()
    }

    /// The loss classifier by trip times.
    pub(crate) fn classifier(&mut self) -> Option<&mut TpLda> {
        self.differentiation.as_mut().map(|d| d.classifier())
    }

    /// RFC 5681 FlightSize. After a timeout, outstanding data counts only once it has been
    /// retransmitted, since the rest has left the network.
    pub(crate) fn flight_size(&self) -> u64 {
        if self.recovery.is_timeout() { self.board.pipe() } else { self.in_flight() }
    }

    /// False if everything written is acknowledged: a poll would find nothing.
    #[inline]
    pub(crate) const fn has_work(&self) -> bool {
        self.una < self.stream_end() + self.fin as u64
    }

    /// Starts the retransmission timer with the present timeout.
    #[inline]
    pub(crate) fn arm(&self, now: Nanos, timers: &mut Timers) {
        timers.set(Timer::Retransmit, now + self.rtt.rto());
    }

    /// The timer of a closed window expired: probe, or send a small segment that fits.
    pub(crate) fn on_persist(&mut self) {
        self.is_plain = false;
        self.persist_backoff = self.persist_backoff.saturating_add(1);
        if self.edge > self.nxt {
            self.override_sws = true;
        } else {
            self.probe_due = true;
        }
    }

    /// Ends all sending and all timers.
    pub(crate) fn stop(&mut self, timers: &mut Timers) {
        timers.stop_all();
        self.probe_due = false;
    }

    /// Data is about to leave with nothing outstanding: reports the preceding pause to the law.
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
