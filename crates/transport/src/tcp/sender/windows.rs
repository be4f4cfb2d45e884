//! The windows: the law's with the inflation by recovery, and the peer's.

use airtcp_units::{BitRate, Narrow};

use super::Sender;
use crate::tcp::config::{Pacing, TcpConfig};
use crate::tcp::pacing::spread;
use crate::tcp::recovery::{LossRecovery, Phase};
use airtcp_congestion::CongestionControl;

impl Sender {
    /// Data that counts against the window: `pipe` where the scoreboard counts it, otherwise
    /// everything outstanding.
    #[inline]
    pub(super) fn outstanding(&self, config: &TcpConfig) -> u64 {
        if !self.discipline.trusts_pipe()
            && let Some(prr) = self.recovery.reducing_prr()
        {
            return prr.pipe();
        }
        let by_pipe = self.discipline.counts_pipe(self.recovery.phase(), config);
        if by_pipe { self.board.pipe() } else { self.in_flight() }
    }

    /// The law's window with the inflation by recovery, bounded by the configuration.
    #[inline]
    pub(crate) fn send_window(&self, config: &TcpConfig) -> u64 {
        let mss = u64::from(self.mss);
        let window = if let Some(prr) = self.recovery.reducing_prr() {
            prr.window()
        } else {
            self.law.cwnd().saturating_add_signed(self.inflation(config))
        };
        window.min(self.window_cap).max(mss)
    }

    /// Inflation of the law's window by recovery.
    #[inline]
    pub(super) fn inflation(&self, config: &TcpConfig) -> i64 {
        if self.recovery.is_quiet() { 0 } else { self.recovery_inflation(config) }
    }

    fn recovery_inflation(&self, config: &TcpConfig) -> i64 {
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
        i64::narrow(bytes + self.recovery.corrupted_arrivals())
    }

    /// The pacing rate without headers; `None` if the window alone governs sending.
    #[inline]
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

    /// Pacing delays the next segment. If the data at hand would otherwise fill the window, the window counts as the limit
    /// (RFC 9002 section 7.8; Prague in Linux). The window of a law with a model only bounds what the model paces.
    pub(super) fn note_pacing(&mut self, config: &TcpConfig) {
        if self.law.follows_model() || !self.recovery.is_open() {
            return;
        }
        let room = self.send_window(config).saturating_sub(self.outstanding(config));
        if self.stream_end().min(self.edge).saturating_sub(self.nxt) >= room {
            self.window_limited_to = self.nxt;
        }
    }

    /// Takes the peer's window from a segment that may update it (RFC 9293 section 3.10.7.4).
    /// Returns whether the window is unchanged.
    #[inline]
    pub(super) fn update_window(&mut self, seq: u64, ack: u64, window: u64) -> bool {
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

    /// Takes the window of a handshake segment, with or without SYN.
    pub(crate) fn init_window(&mut self, (seq, ack): (u64, u64), window: u64, syn: bool) {
        self.window_of_syn = syn;
        (self.window_seq, self.window_ack) = (seq, ack);
        self.peer_window = window;
        self.max_peer_window = window;
        self.edge = ack + window;
    }

    /// A window from the peer's header, scaled.
    #[inline]
    pub(crate) fn scaled(&self, window: u16) -> u64 {
        u64::from(window) << self.peer_shift
    }
}
