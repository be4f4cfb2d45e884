//! Properties that every registered law must have, for any behaviour of the network.
//!
//! Calls come as from a sender: time moves forward, acknowledged data was outstanding, and an
//! episode is reported once. A law declares its exceptions in [`Promises`].

use airtcp_units::{Nanos, Span};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

use super::*;

/// If no flight exceeded `MAX_FLIGHT`, no law has a reason for a larger window than this, in bytes.
const MAX_SANE: u64 = 1 << 53;
const MAX_FLIGHT: u64 = 1 << 40;

#[derive(Debug, Clone, Copy)]
struct Ack {
    segments: u64,
    limited: bool,
    fast: bool,
    ece: bool,
    /// Zero for none.
    rtt: Span,
    /// Factor between the delivery-rate sample and the true rate.
    boost: u64,
}

#[derive(Debug, Clone, Copy)]
enum Call {
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

/// From a nanosecond to ten hours.
fn rtt() -> impl Strategy<Value = Span> {
    prop_oneof![
        1 => Just(Span::ZERO),
        1 => (1u64..1000).prop_map(Span),
        6 => (1u64..3_000_000).prop_map(Span::from_micros),
        1 => (1u64..36_000).prop_map(Span::from_secs),
    ]
}

fn ack() -> impl Strategy<Value = Call> {
    let segments = prop_oneof![8 => 0u64..20, 1 => 0u64..1 << 30];
    let boost = prop_oneof![8 => Just(1u64), 1 => 0u64..1 << 30];
    (segments, any::<[bool; 3]>(), rtt(), boost).prop_map(|(segments, f, rtt, boost)| {
        let (fast, ece) = (f[1] && f[2], f[0] && f[2]);
        Call::Ack(Ack { segments, limited: f[0] || f[1], fast, ece, rtt, boost })
    })
}

fn calls() -> impl Strategy<Value = Vec<Call>> {
    let kind = || {
        prop::sample::select(vec![
            CongestionKind::FastRetransmit,
            CongestionKind::Rto,
            CongestionKind::EcnCe,
            CongestionKind::Persistent,
        ])
    };
    let loss = prop::sample::select(vec![CongestionKind::FastRetransmit, CongestionKind::Rto]);
    let call = prop_oneof![
        12 => ack(),
        2 => (kind(), any::<bool>(), 1u64..8).prop_map(|(k, r, n)| Call::Congestion(k, r && k == CongestionKind::FastRetransmit, n)),
        1 => (loss, any::<bool>()).prop_map(|(k, r)| Call::Undone(k, r && k == CongestionKind::Rto)),
        1 => Just(Call::Spurious),
        1 => (0u64..10_000_000, any::<bool>()).prop_map(|(t, r)| Call::Idle(t, r)),
        1 => (0u64..1_000_000).prop_map(Call::Limit),
        2 => rtt().prop_map(Call::Wait),
    ];
    prop::collection::vec(call, 1..200)
}

fn params() -> impl Strategy<Value = LawParams> {
    (
        48u32..9000,
        1u64..20,
        prop::option::of(2u64..100),
        prop::option::of(1u64..200),
        1u32..4,
        any::<[bool; 2]>(),
    )
        .prop_map(|(mss, iw, ssthresh, max, abc_limit, f)| LawParams {
            mss,
            initial_window: iw * u64::from(mss),
            initial_ssthresh: ssthresh.map_or(u64::MAX, |n| n * u64::from(mss)),
            max_cwnd: max.map_or(u64::MAX, |n| n * u64::from(mss)),
            abc_limit,
            half_of_cwnd: f[0],
            ssthresh_in_segments: iw % 5 == 0,
            selective_acks: mss % 2 == 0,
            srtt: (iw % 2 == 0).then(|| Span::from_millis(iw)),
            seed: u64::from(mss) * iw,
            paced: iw % 3 == 0,
            rules: if mss % 3 == 0 { LawRules::Linux } else { LawRules::Documents },
            slow_start: if f[1] { SlowStartKind::HyStartPlusPlus } else { SlowStartKind::Standard },
        })
}

/// A law and the sender's side of its calls.
struct Driver<'a> {
    law: Law,
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
    fn new(config: &LawConfig, params: &'a LawParams) -> Self {
        let mut law = config.build();
        law.start(Nanos(1), params);
        let (promises, mss) = (law.promises(), u64::from(params.mss));
        let floor = (promises.least_segments * mss).min(params.max_cwnd.max(mss));
        Self { law, params, promises, floor, now: Nanos(1), delivered: 0, lost: 0, min_rtt: None }
    }

    fn mss(&self) -> u64 {
        u64::from(self.params.mss)
    }

    fn ack(&mut self, a: Ack) -> TestCaseResult {
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
            ..AckSample::default()
        };
        self.law.on_ack(self.now, &sample);
        if self.promises.grows_only_when_limited && (!a.limited || a.ece) {
            prop_assert!(self.law.cwnd() <= before, "grew without being limited, or on an echo");
        }
        if self.promises.steady_in_recovery && a.fast {
            prop_assert!(self.law.cwnd() >= before, "reacted again to the same episode");
        }
        Ok(())
    }

    fn congestion(&mut self, kind: CongestionKind, restart: bool, windows: u64) -> TestCaseResult {
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
        prop_assert!(self.law.cwnd() <= cwnd.max(two), "grew on congestion");
        if self.promises.has_threshold && kind == CongestionKind::Persistent {
            prop_assert_eq!(self.law.ssthresh(), ssthresh, "changed at a repeated timeout");
        } else if self.promises.bounded_by_window && self.promises.reduces_on_loss {
            prop_assert!(self.law.ssthresh() <= cwnd.max(two), "a threshold above the window");
        }
        let timeout = matches!(kind, CongestionKind::Rto | CongestionKind::Persistent);
        if self.promises.restarts_on_timeout && (restart || timeout) {
            prop_assert_eq!(self.law.cwnd(), self.floor, "restart");
        }
        if self.promises.reduces_on_loss && kind == CongestionKind::FastRetransmit && cwnd > two {
            prop_assert!(self.law.cwnd() < cwnd, "no reaction to a loss");
        }
        Ok(())
    }

    fn undone(&mut self, kind: CongestionKind, repeated: bool) -> TestCaseResult {
        let (cwnd, ssthresh) = (self.law.cwnd(), self.law.ssthresh());
        self.congestion(kind, false, 1)?;
        if repeated {
            self.congestion(CongestionKind::Persistent, false, 1)?;
        }
        self.law.on_spurious(self.now);
        prop_assert!(self.law.cwnd() >= cwnd, "the window was not restored");
        prop_assert!(self.law.ssthresh() >= ssthresh, "the threshold was not restored");
        if self.promises.has_threshold {
            let flight = 2 * cwnd.min(MAX_FLIGHT);
            self.law.raise_ssthresh(flight);
            prop_assert!(self.law.ssthresh() >= flight, "the threshold was not raised");
        }
        Ok(())
    }

    fn call(&mut self, call: Call) -> TestCaseResult {
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
                prop_assert!(self.law.cwnd() <= before.max(returns), "grew while idle");
            }
            Call::Limit(bytes) => {
                self.law.limit_cwnd(bytes);
                prop_assert!(self.law.cwnd() <= bytes.max(self.floor), "not limited");
            }
            Call::Wait(span) => self.now += span,
        }
        self.is_sane()
    }

    fn is_sane(&self) -> TestCaseResult {
        let (cwnd, ssthresh, mss) = (self.law.cwnd(), self.law.ssthresh(), self.mss());
        prop_assert!(cwnd >= self.floor, "{} is below {}", cwnd, self.floor);
        prop_assert!(cwnd <= self.params.max_cwnd.max(mss), "above the bound");
        prop_assert!(cwnd <= MAX_SANE, "{} bytes of window", cwnd);
        prop_assert!(ssthresh >= mss);
        prop_assert!(ssthresh <= MAX_SANE || ssthresh == u64::MAX, "a threshold of {}", ssthresh);
        if let Some(rate) = self.law.pacing_rate() {
            prop_assert!(rate.bps() >= 1);
        }
        Ok(())
    }
}

/// One law under a sequence of calls; returns its window after each.
fn drive(
    config: &LawConfig,
    params: &LawParams,
    calls: &[Call],
) -> Result<Vec<(u64, u64)>, TestCaseError> {
    let mut driver = Driver::new(config, params);
    let mut windows = Vec::with_capacity(calls.len());
    for call in calls {
        driver.call(*call).map_err(|e| {
            TestCaseError::fail(format!("{}, {call:?} after {windows:?}: {e}", config.name()))
        })?;
        windows.push((driver.law.cwnd(), driver.law.ssthresh()));
    }
    Ok(windows)
}

proptest! {
    #[test]
    fn every_law_keeps_its_promises(params in params(), calls in calls()) {
        for config in LawConfig::all() {
            let windows = drive(&config, &params, &calls)?;
            prop_assert_eq!(windows, drive(&config, &params, &calls)?, "not deterministic");
        }
    }

    /// On a path without loss every law grows, here with ten ACKs per round trip.
    #[test]
    fn every_law_grows_without_loss(params in params()) {
        let rtt = Span::from_millis(10);
        // The sample of an ACK covers its own segment in a round trip; ten ACKs arrive in that
        // time.
        let ack = Ack { segments: 1, limited: true, fast: false, ece: false, rtt, boost: 10 };
        let calls = [Call::Wait(Span::from_millis(1)), Call::Ack(ack)].repeat(3000);
        for config in LawConfig::all() {
            let windows = drive(&config, &params, &calls)?;
            let last = windows.last().map_or(0, |c| c.0);
            let first = params.initial_window.min(params.max_cwnd);
            prop_assert!(last > first || last == params.max_cwnd, "{} never grew", config.name());
        }
    }
}
