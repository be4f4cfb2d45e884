//! The sending half: windows and blocks in the air.
//!
//! This file holds the state, `sender/timers.rs` the timer and the probes, `sender/outgoing.rs` is a
//! block on its way, `sender/transmit.rs` decides what leaves next, `sender/feedback.rs` takes what the peer says.
//!
//! Several blocks may be in the air at once: the window in bytes covers all their symbols. Repairs
//! of old blocks go before what is left of the present one, that before a new block. The window is
//! the congestion law's, and at least G segments of MSS_min. Offsets in bytes of the stream.

mod feedback;
mod outgoing;
mod timers;
mod transmit;

use std::collections::VecDeque;

use airtcp_probe::{Cx, Event, Probe};
use airtcp_units::Nanos;

use super::block::DATA_HEADER;
use super::config::LtConfig;
use super::ecn::{EcnPath, QueueGate, finds_out};
use super::estimate::Estimator;
use super::ledger::{Ledger, Sent as Packet};
use super::overflow::Overflow;
use super::path::{PathLoss, Sample};
use super::stats::LtStats;
use crate::tcp::{RateSampler, RttEstimator, TcpConfig, law_params};
use airtcp_congestion::{CongestionControl, Law, LawParams, LawState, Lost};
use outgoing::Outgoing;

/// What the handshake has settled.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settled {
    /// Segment size both ends take.
    pub(crate) mss: u16,
    /// Both speak ECN.
    pub(crate) ecn: bool,
    /// The peer's window in bytes.
    pub(crate) window: u64,
    /// Round trip of the handshake.
    pub(crate) rtt: Option<airtcp_units::Span>,
    /// What a law draws numbers from.
    pub(crate) seed: u64,
}

/// The sending half.
#[derive(Debug)]
pub(crate) struct LtSender {
    config: LtConfig,
    tcp: TcpConfig,
    law: Law,
    rtt: RttEstimator,
    rate: RateSampler,
    ecn: EcnPath,
    gate: QueueGate,
    overflow: Overflow,
    path: PathLoss,
    estimator: Estimator,
    ledger: Ledger,
    /// Blocks that are not delivered or of which packets are in the network.
    blocks: VecDeque<Outgoing>,
    /// Number of the first of them.
    first_block: u64,
    /// How many of them have something that is to leave.
    pending: usize,
    /// Something of them became known by which one may be sampled, repaired or over.
    unsettled: bool,
    /// The least window in bytes: G of the smallest segments.
    least_window: u64,
    /// Bytes the application has written, and those put into blocks.
    written: u64,
    assigned: u64,
    /// Bytes the peer has delivered, and the window it gives from there.
    una: u64,
    peer_window: u64,
    /// The application will write no more.
    fin: bool,
    /// Segment size in force, the largest, and how far packets had been sent when it last grew.
    mss: u16,
    mss_most: u16,
    raised_at: u64,
    /// Bytes sent in all, and those known to have arrived, by the last such packet's end.
    sent: u64,
    heard: u64,
    /// Bytes judged lost.
    lost: u64,
    /// What left up to here left while the window was the limit.
    limited_to: u64,
    /// No further reaction until something sent beyond this is heard of.
    react_from: u64,
    rto_at: Nanos,
    retries: u32,
    /// Segments that may still leave for a timeout, whatever the window.
    burst: u16,
    gave_up: bool,
    /// When a silent path is probed, and how often it was since the last news.
    probe_at: Nanos,
    probes: u32,
    /// An outage explains the last timeout: the segment size before it.
    outage: Option<u16>,
    /// The window is spread over the round trip until something sent beyond this is heard of.
    refill_to: u64,
    /// Packets lost in a row, while feedback is taken.
    row: Vec<Packet>,
    next_send: Nanos,
    send_at: Nanos,
    last_sent: Option<Nanos>,
    /// What the last [`Event::Window`] said.
    told: (u64, u64, u64),
    /// Losses of the feedback being taken, for the law.
    losses: Vec<Lost>,
    /// What the law has not been told of.
    untold: Untold,
}

/// What arrived, and was lost, since the law was last told.
#[derive(Debug, Clone, Copy, Default)]
struct Untold {
    delivered: u64,
    lost: u64,
    /// Of what arrived, what is no whole segment of the law yet.
    rest: u64,
    /// In the network, and heard of, before.
    pipe: u64,
    heard: u64,
    any: bool,
}

/// Starts the law. It counts segments of the largest size, whatever the size in force.
fn start_law(law: &mut Law, tcp: &TcpConfig, mss_most: u16, settled: &Settled) {
    let mss = u32::from(mss_most);
    let window = tcp.initial_window_bytes(mss);
    let mss = mss - u32::from(DATA_HEADER);
    let params = LawParams {
        mss,
        selective_acks: true,
        srtt: settled.rtt,
        seed: settled.seed,
        ..law_params(tcp, mss, window)
    };
    law.start(Nanos::ZERO, &params);
}

impl LtSender {
    pub(crate) fn new(config: &LtConfig, tcp: &TcpConfig, mut law: Law, settled: Settled) -> Self {
        let mss_most = config.mss_max.min(settled.mss).max(config.mss_min);
        let mut rtt = RttEstimator::new(tcp);
        if let Some(sample) = settled.rtt {
            // When the handshake ended is not told: its sample has no phase of the clock.
            rtt.sample(Nanos::ZERO + sample, sample);
        }
        start_law(&mut law, tcp, mss_most, &settled);
        let mut sender = Self {
            config: *config,
            tcp: tcp.clone(),
            law,
            rtt,
            rate: RateSampler::default(),
            ecn: EcnPath::new(settled.ecn),
            gate: QueueGate::default(),
            overflow: Overflow::default(),
            path: PathLoss::default(),
            estimator: Estimator::new(config),
            ledger: Ledger::new(tcp.dup_thresh),
            blocks: VecDeque::new(),
            first_block: 0,
            pending: 0,
            unsettled: false,
            least_window: u64::from(config.granulation) * u64::from(config.mss_min.min(mss_most)),
            written: 0,
            assigned: 0,
            una: 0,
            peer_window: settled.window,
            fin: false,
            mss: config.mss_min,
            mss_most,
            raised_at: 0,
            sent: 0,
            heard: 0,
            lost: 0,
            limited_to: 0,
            react_from: 0,
            rto_at: Nanos::NEVER,
            retries: 0,
            burst: 0,
            gave_up: false,
            probe_at: Nanos::NEVER,
            probes: 0,
            outage: None,
            refill_to: 0,
            row: Vec::new(),
            next_send: Nanos::ZERO,
            send_at: Nanos::NEVER,
            last_sent: None,
            told: (0, 0, 0),
            losses: Vec::new(),
            untold: Untold::default(),
        };
        sender.mss = sender.target_segment();
        sender
    }

    /// Takes more of the stream.
    pub(crate) fn write(&mut self, bytes: u64) {
        if self.assigned == self.written {
            self.note_limited_by_application();
        }
        self.written = self.written.saturating_add(bytes);
    }

    /// The stream ends with what was written.
    pub(crate) const fn close(&mut self) {
        self.fin = true;
    }

    /// Bytes written that the peer has not delivered.
    pub(crate) const fn unacked(&self) -> u64 {
        self.written - self.una
    }

    /// The stream is over and delivered.
    pub(crate) const fn is_done(&self) -> bool {
        self.fin && self.una == self.written
    }

    /// The timer expired too often in a row.
    pub(crate) const fn gave_up(&self) -> bool {
        self.gave_up
    }

    pub(crate) fn cwnd(&self) -> u64 {
        self.law.cwnd()
    }

    pub(crate) fn law_state(&self) -> LawState {
        self.law.state()
    }

    pub(crate) const fn estimate(&self) -> f64 {
        self.estimator.estimate()
    }

    pub(crate) const fn segment(&self) -> u16 {
        self.mss
    }

    /// Marks are relied on, or may be.
    pub(crate) fn ecn_works(&self) -> bool {
        self.ecn.path() == super::ecn::Path::Capable
    }

    /// The window that sending goes by: the law's, and at least G of the smallest segments.
    #[inline]
    fn window(&self) -> u64 {
        self.law.cwnd().max(self.least_window)
    }

    fn target_segment(&self) -> u16 {
        super::block::target_segment(self.window(), self.mss_most, &self.config)
    }

    fn block(&mut self, number: u64) -> Option<&mut Outgoing> {
        let at = usize::try_from(number.checked_sub(self.first_block)?).ok()?;
        self.blocks.get_mut(at)
    }

    /// The law was told of congestion.
    fn on_reaction(&mut self) {
        self.overflow.on_reaction();
        self.path.on_reaction();
    }

    /// Takes the samples of blocks whose first segments are all judged, and lets go of those that
    /// are over. True if losses followed growth since the last reaction, or are beyond the path's.
    fn sweep(&mut self, now: Nanos) -> bool {
        let on_timeout = self.config.sample_on_timeout;
        let least = self.rtt.min_rtt();
        let starting = self.law.cwnd() < self.law.ssthresh();
        let segment = u64::from(self.mss_most);
        let (mut excess, memory) = (false, self.config.mark_memory);
        for block in &mut self.blocks {
            if let Some((lost, sent)) = block.take_sample(on_timeout) {
                if least.is_some_and(|least| self.gate.stands(least, &self.config)) {
                    self.ecn.on_losses(now, (lost, sent), self.estimator.estimate(), memory);
                }
                // What left before the last reaction says nothing new.
                let (window, begun) = (block.window(), block.begun());
                let new = block.sent_from() >= self.react_from;
                let grown = new && self.overflow.sample(lost, sent, window);
                if grown {
                    self.ecn.on_excess(now, memory);
                }
                let mut answered = false;
                if finds_out(&self.ecn, &self.config, now) {
                    let srtt = self.rtt.srtt().unwrap_or_default();
                    self.path.on_arrived(now, self.rate.delivered(), srtt);
                    let sample = Sample { lost, sent, window, begun, starting };
                    if new && self.path.sample(now, &sample, segment) {
                        excess = true;
                    }
                    answered = lost > 0 && (excess || !new);
                } else if grown {
                    excess = true;
                }
                // Parity is for what goes on: what the law answers is to end.
                if !answered {
                    self.estimator.sample(lost, sent);
                }
            }
        }
        while self.blocks.front().is_some_and(Outgoing::is_over) {
            self.blocks.pop_front();
            self.first_block += 1;
        }
        excess
    }

    /// Begins a round of repairs for every block that cannot be decoded and of which nothing is on
    /// its way.
    fn repair(&mut self, stats: &mut LtStats) {
        let protection = self.estimator.protection();
        for block in &mut self.blocks {
            if block.repair(&protection, &self.config) {
                stats.reactive_rounds += 1;
                self.pending += 1;
            }
        }
    }

    /// Records the window if it changed since last told.
    fn tell_window<P: Probe>(&mut self, now: Nanos, cx: &mut Cx<'_, P>) {
        if !P::ON {
            return;
        }
        let state = (self.law.cwnd(), self.law.ssthresh(), self.peer_window);
        if state != self.told {
            self.told = state;
            let (cwnd, ssthresh, peer_window) = state;
            let pipe = self.ledger.pipe();
            cx.record(now, || Event::Window { cwnd, ssthresh, pipe, peer_window });
        }
    }
}
