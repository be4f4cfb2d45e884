//! The sender's side of a conformance check: it calls a law as a sender does, and checks what the law
//! did after each call.
//!
//! Time moves forward, acknowledged data was outstanding, and an episode is reported once. A law
//! declares its exceptions in [`Promises`].

use airtcp_units::{Nanos, Span};

use crate::{
    AckSample, Congestion, CongestionControl, CongestionKind, Idle, Law, LawParams, Lost, Promises,
    RateSample, Sent,
};

/// If no flight exceeded `MAX_FLIGHT`, no law has a reason for a larger window than this, in bytes.
const MAX_SANE: u64 = 1 << 53;
const MAX_FLIGHT: u64 = 1 << 40;

/// Nothing, or the rule that the law has broken.
pub(super) type Kept = Result<(), String>;

macro_rules! ensure {
    ($holds:expr, $($said:tt)+) => {
        if !$holds {
            return Err(format!($($said)+));
        }
    };
}

/// An acknowledgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ack {
    pub(super) segments: u64,
    pub(super) limited: bool,
    pub(super) fast: bool,
    pub(super) ece: bool,
    /// Zero for none.
    pub(super) rtt: Span,
    /// Factor between the delivery-rate sample and the true rate.
    pub(super) boost: u64,
}

/// A call of the sender, or several that belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Call {
    Ack(Ack),
    /// An episode, whether the window restarts, and the number of windows outstanding.
    Congestion(CongestionKind, bool, u64),
    /// An episode, perhaps a repeated timeout, followed at once by the report that nothing was
    /// lost.
    Undone(CongestionKind, bool),
    Spurious,
    Idle(u64, bool),
    Limit(u64),
    Wait(Span),
}

/// A law and the sender's side of its calls.
pub(super) struct Driver<'a> {
    pub(super) law: Law,
    params: &'a LawParams,
    promises: Promises,
    /// The minimum window.
    floor: u64,
    now: Nanos,
    delivered: u64,
    lost: u64,
    min_rtt: Option<Span>,
}

impl<'a> Driver<'a> {
    pub(super) fn new(mut law: Law, params: &'a LawParams) -> Self {
        law.start(Nanos(1), params);
        let (promises, mss) = (law.promises(), u64::from(params.mss));
        let floor = (promises.least_segments * mss).min(params.max_cwnd.max(mss));
        Self { law, params, promises, floor, now: Nanos(1), delivered: 0, lost: 0, min_rtt: None }
    }

    fn mss(&self) -> u64 {
        u64::from(self.params.mss)
    }

    fn ack(&mut self, a: Ack) -> Kept {
        let (mss, before) = (self.mss(), self.law.cwnd());
        let flight = before.min(MAX_FLIGHT);
        self.law.on_sent(self.now, &Sent { bytes: mss, pipe: flight, retransmission: false });
        let acked = (a.segments * mss).min(flight);
        self.delivered += acked;
        let rtt = (a.rtt > Span::ZERO).then_some(a.rtt);
        self.min_rtt = rtt.into_iter().chain(self.min_rtt).min();
        let rate = rtt.map(|interval| RateSample {
            delivered: acked.saturating_mul(a.boost),
            interval,
            prior_delivered: self.delivered - acked,
            app_limited: !a.limited,
            tx_in_flight: flight,
            lost: self.lost,
        });
        let sample = AckSample {
            acked,
            delivered: acked,
            pipe: flight - acked,
            prior_pipe: flight,
            total_delivered: self.delivered,
            total_lost: self.lost,
            acked_up_to: self.delivered,
            sent_up_to: self.delivered + flight,
            rtt,
            srtt: rtt.or(self.min_rtt),
            min_rtt: self.min_rtt,
            rate,
            cwnd_limited: a.limited,
            in_fast_recovery: a.fast,
            in_recovery: a.fast,
            ece: a.ece,
            marked: if a.ece { acked } else { 0 },
            ..AckSample::default()
        };
        self.law.on_ack(self.now, &sample);
        if self.promises.grows_only_when_limited && (!a.limited || a.ece) {
            ensure!(self.law.cwnd() <= before, "grew without being limited, or on an echo");
        }
        if self.promises.steady_in_recovery && a.fast {
            ensure!(self.law.cwnd() >= before, "reacted again to the same episode");
        }
        Ok(())
    }

    fn congestion(&mut self, kind: CongestionKind, restart: bool, windows: u64) -> Kept {
        let (cwnd, ssthresh) = (self.law.cwnd(), self.law.ssthresh());
        let two = (2 * self.mss()).max(self.floor);
        let windows = if self.promises.bounded_by_window { windows } else { 1 };
        let flight = cwnd.saturating_mul(windows).min(MAX_FLIGHT);
        if kind == CongestionKind::FastRetransmit {
            self.lost += self.mss();
            let lost = Lost {
                bytes: self.mss(),
                tx_in_flight: flight,
                lost: self.mss(),
                start: self.delivered,
                total_delivered: self.delivered,
                app_limited: false,
            };
            self.law.on_lost(self.now, &lost);
        }
        self.law.on_congestion(self.now, &Congestion { kind, flight, restart });
        // Only a threshold of two segments can lie above a window of one.
        ensure!(self.law.cwnd() <= cwnd.max(two), "grew on congestion");
        if self.promises.has_threshold && kind == CongestionKind::Persistent {
            ensure!(
                self.law.ssthresh() == ssthresh,
                "the threshold changed from {ssthresh} to {} at a repeated timeout",
                self.law.ssthresh()
            );
        } else if self.promises.bounded_by_window && self.promises.reduces_on_loss {
            ensure!(self.law.ssthresh() <= cwnd.max(two), "a threshold above the window");
        }
        let timeout = matches!(kind, CongestionKind::Rto | CongestionKind::Persistent);
        if self.promises.restarts_on_timeout && (restart || timeout) {
            ensure!(
                self.law.cwnd() == self.floor,
                "a window of {} after a timeout or restart, not {}",
                self.law.cwnd(),
                self.floor
            );
        }
        if self.promises.reduces_on_loss && kind == CongestionKind::FastRetransmit && cwnd > two {
            ensure!(self.law.cwnd() < cwnd, "no reaction to a loss");
        }
        Ok(())
    }

    fn undone(&mut self, kind: CongestionKind, repeated: bool) -> Kept {
        let (cwnd, ssthresh) = (self.law.cwnd(), self.law.ssthresh());
        self.congestion(kind, false, 1)?;
        if repeated {
            self.congestion(CongestionKind::Persistent, false, 1)?;
        }
        self.law.on_spurious(self.now);
        ensure!(self.law.cwnd() >= cwnd, "the window was not restored");
        ensure!(self.law.ssthresh() >= ssthresh, "the threshold was not restored");
        if self.promises.has_threshold {
            let flight = 2 * cwnd.min(MAX_FLIGHT);
            self.law.raise_ssthresh(flight);
            ensure!(self.law.ssthresh() >= flight, "the threshold was not raised");
        }
        Ok(())
    }

    pub(super) fn call(&mut self, call: Call) -> Kept {
        self.now += Span(1000);
        let before = self.law.cwnd();
        match call {
            Call::Ack(ack) => self.ack(ack)?,
            Call::Congestion(kind, restart, windows) => self.congestion(kind, restart, windows)?,
            Call::Undone(kind, repeated) => self.undone(kind, repeated)?,
            Call::Spurious => self.law.on_spurious(self.now),
            Call::Idle(us, restart) => {
                let idle = Span::from_micros(us);
                let pause = Idle { idle, rto: Span::from_secs(1), restart, app_limited: restart };
                // A law without a threshold may leave the state that limited its window, such as
                // BBR's ProbeRTT. It then returns to the window that it reported.
                let returns = if self.promises.has_threshold { 0 } else { self.law.ssthresh() };
                self.law.on_idle(self.now, &pause);
                ensure!(self.law.cwnd() <= before.max(returns), "grew while idle");
            }
            Call::Limit(bytes) => {
                self.law.limit_cwnd(bytes);
                ensure!(self.law.cwnd() <= bytes.max(self.floor), "not limited");
            }
            Call::Wait(span) => self.now += span,
        }
        self.is_sane()
    }

    fn is_sane(&self) -> Kept {
        let (cwnd, ssthresh, mss) = (self.law.cwnd(), self.law.ssthresh(), self.mss());
        ensure!(cwnd >= self.floor, "{} is below {}", cwnd, self.floor);
        ensure!(cwnd <= self.params.max_cwnd.max(mss), "above the bound");
        ensure!(cwnd <= MAX_SANE, "{} bytes of window", cwnd);
        ensure!(ssthresh >= mss, "a threshold of {ssthresh}, below a segment");
        ensure!(ssthresh <= MAX_SANE || ssthresh == u64::MAX, "a threshold of {}", ssthresh);
        if let Some(rate) = self.law.pacing_rate() {
            ensure!(rate.bps() >= 1, "a pacing rate of zero");
        }
        Ok(())
    }
}
