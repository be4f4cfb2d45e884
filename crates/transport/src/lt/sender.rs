//! The sending half: windows and blocks in flight.
//!
//! This file holds the state. `sender/timers.rs` has the timer and the probes, `sender/outgoing.rs`
//! a block in flight, `sender/transmit.rs` chooses the next symbol, `sender/waits.rs` notes what the
//! sender waits for, `sender/feedback.rs` processes feedback.
//!
//! Several blocks may be in flight at once: the window in bytes covers all their symbols. Repairs
//! of old blocks go before the rest of the present one, which goes before a new block. The window
//! is the congestion law's, but at least G segments of MSS_min. Offsets in bytes of the stream.

mod feedback;
mod outgoing;
mod timers;
mod transmit;
mod waits;

use std::collections::VecDeque;

use airtcp_probe::{Cx, Event, Probe};
use airtcp_units::{Nanos, Waits};

use super::block::DATA_HEADER;
use super::config::LtConfig;
use super::ecn::{EcnPath, QueueGate, estimates_path};
use super::estimate::Estimator;
use super::ledger::{Ledger, Sent as Packet};
use super::overflow::Overflow;
use super::path::{PathLoss, Sample};
use super::stats::LtStats;
use crate::tcp::{RateSampler, RttEstimator, TcpConfig, WindowWait, law_params, window_cap};
use airtcp_congestion::{CongestionControl, Law, LawParams, LawState, Lost};
use outgoing::Outgoing;

/// Results of the handshake.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settled {
    /// Segment size that both ends accept.
    pub(crate) mss: u16,
    /// Both ends negotiated ECN.
    pub(crate) ecn: bool,
    /// The peer's window in bytes.
    pub(crate) window: u64,
    /// Round-trip time of the handshake.
    pub(crate) rtt: Option<airtcp_units::Span>,
    /// Seed of the law's random numbers.
    pub(crate) seed: u64,
    /// When the handshake ended, and what the end has waited for until then.
    pub(crate) at: Nanos,
    pub(crate) waits: Waits,
}

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
    /// Blocks that are not delivered or have packets in the network.
    blocks: VecDeque<Outgoing>,
    /// Number of the first of them.
    first_block: u64,
    /// Number of blocks with symbols to send.
    pending: usize,
    /// A block may be ready for its sample, for a repair, or for removal.
    unsettled: bool,
    /// Minimum window in bytes: G of the smallest segments.
    least_window: u64,
    /// Bytes that the application has written, and bytes put into blocks.
    written: u64,
    assigned: u64,
    /// Bytes that the peer has delivered, and its window from there.
    una: u64,
    peer_window: u64,
    /// The application has closed.
    fin: bool,
    /// Present segment size, the largest, and the bytes sent when it last grew.
    mss: u16,
    mss_most: u16,
    raised_at: u64,
    /// Bytes sent in total, and those known to have arrived, by the end of the last such packet.
    sent: u64,
    heard: u64,
    /// Bytes judged lost.
    lost: u64,
    /// Data up to here left while the window was the limit.
    limited_to: u64,
    /// No further reaction before feedback on something sent beyond this.
    react_from: u64,
    rto_at: Nanos,
    retries: u32,
    /// Segments that may still leave because of a timeout, independent of the window.
    burst: u16,
    gave_up: bool,
    /// Time of the next probe of a silent path, and number of probes since the last feedback.
    probe_at: Nanos,
    probes: u32,
    /// Last departure before the first of these probes.
    unanswered_from: Nanos,
    /// Segment size before the last timeout, if an outage explains that timeout.
    outage: Option<u16>,
    /// The window is spread over the round trip until feedback on something sent beyond this.
    refill_to: u64,
    /// Successive lost packets, during the processing of feedback.
    row: Vec<Packet>,
    next_send: Nanos,
    send_at: Nanos,
    last_sent: Option<Nanos>,
    /// Values of the last [`Event::Window`].
    recorded_window: (u64, u64, u64),
    /// Losses of the present feedback, for the law.
    losses: Vec<Lost>,
    /// Arrivals and losses not yet reported to the law.
    unreported: Unreported,
    waits: Waits,
    window_wait: WindowWait,
    /// Time of the last feedback.
    heard_at: Nanos,
}

/// Arrivals and losses since the last report to the law.
#[derive(Debug, Clone, Copy, Default)]
struct Unreported {
    delivered: u64,
    lost: u64,
    /// Part of the arrivals that is less than a whole segment of the law.
    rest: u64,
    /// Data in the network, and acknowledged, before.
    pipe: u64,
    heard: u64,
    any: bool,
}

/// Starts the law, which counts segments of the largest size at any present size.
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
            // The time of the handshake's end is unknown: its sample has no phase of the clock.
            rtt.sample(Nanos::ZERO + sample, sample, (0, 0));
        }
        start_law(&mut law, tcp, mss_most, &settled);
        // The law's maximum: see `start_law`.
        let cap = window_cap(tcp, u32::from(mss_most - DATA_HEADER));
        let window_wait = WindowWait::new(&law, cap);
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
            unanswered_from: Nanos::ZERO,
            outage: None,
            refill_to: 0,
            row: Vec::new(),
            next_send: Nanos::ZERO,
            send_at: Nanos::NEVER,
            last_sent: None,
            recorded_window: (0, 0, 0),
            losses: Vec::new(),
            unreported: Unreported::default(),
            waits: settled.waits,
            window_wait,
            heard_at: settled.at,
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

    /// The stream ends after the written data.
    pub(crate) const fn close(&mut self) {
        self.fin = true;
    }

    /// Bytes written that the peer has not delivered.
    pub(crate) const fn unacked(&self) -> u64 {
        self.written - self.una
    }

    /// The stream is complete and delivered.
    pub(crate) const fn is_done(&self) -> bool {
        self.fin && self.una == self.written
    }

    /// The timer expired too often in succession.
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

    /// True if marks are reliable, or may be.
    pub(crate) fn ecn_works(&self) -> bool {
        self.ecn.path() == super::ecn::Path::Capable
    }

    /// The window that limits sending: the law's, but at least G of the smallest segments.
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

    /// The sender reported congestion to the law.
    fn on_reaction(&mut self) {
        self.overflow.on_reaction();
        self.path.on_reaction();
    }

    /// Takes the samples of blocks whose first segments are all judged, and removes finished
    /// blocks. Returns whether losses followed growth since the last reaction, or exceeded the
    /// path's own.
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
                // Data that left before the last reaction gives no new information.
                let (window, begun) = (block.window(), block.begun());
                let new = block.sent_from() >= self.react_from;
                let grown = new && self.overflow.sample(lost, sent, window);
                if grown {
                    self.ecn.on_excess(now, memory);
                }
                let mut answered = false;
                if estimates_path(&self.ecn, &self.config, now) {
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
                // Parity is for lasting losses: those that the law answers will end.
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

    /// Begins a round of repairs for every block that cannot be decoded and has nothing in the
    /// network.
    fn repair(&mut self, stats: &mut LtStats) {
        let protection = self.estimator.protection();
        for block in &mut self.blocks {
            if block.repair(&protection, &self.config) {
                stats.reactive_rounds += 1;
                self.pending += 1;
            }
        }
    }

    /// Records the window if it has changed since the last record.
    fn record_window<P: Probe>(&mut self, now: Nanos, cx: &mut Cx<'_, P>) {
        if !P::ON {
            return;
        }
        let state = (self.law.cwnd(), self.law.ssthresh(), self.peer_window);
        if state != self.recorded_window {
            self.recorded_window = state;
            let (cwnd, ssthresh, peer_window) = state;
            let pipe = self.ledger.pipe();
            cx.record(now, || Event::Window { cwnd, ssthresh, pipe, peer_window });
        }
    }
}
