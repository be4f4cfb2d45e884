//! What a law in C and the base exchange: values that the law sets, and samples in both forms.

use airtcp_congestion::{AckSample, BadValue, Base, Congestion, CongestionKind, RateSample};
use airtcp_units::{BitRate, Saturate, Span};

use crate::abi::{self, Ack, Episode, Idle, State};

const KINDS: [CongestionKind; 4] = [
    CongestionKind::FastRetransmit,
    CongestionKind::Rto,
    CongestionKind::EcnCe,
    CongestionKind::Persistent,
];

/// What the functions of the host work on.
#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) base: Base,
    pub(crate) error: Option<String>,
    /// The values that the law was given.
    pub(crate) given: [f64; 5],
    /// State of the random numbers (SplitMix64), which begins with the seed.
    pub(crate) random: u64,
}

impl Inner {
    /// Takes over what a law has set since it was given the values.
    #[inline]
    pub(crate) fn take(&mut self, state: &State) {
        let set = values(state);
        if set.map(f64::to_bits) != self.given.map(f64::to_bits) {
            self.take_changed(set);
        }
    }

    fn take_changed(&mut self, set: [f64; 5]) {
        let changed = |at: usize, given: &[f64; 5]| {
            set[at].to_bits() != given[at].to_bits() && !(set[at].is_nan() && given[at].is_nan())
        };
        let given = self.given;
        let base = &mut self.base;
        let tried = [
            changed(0, &given).then(|| base.set_cwnd(set[0])),
            changed(1, &given).then(|| base.set_ssthresh(set[1])),
            changed(2, &given).then(|| base.set_pacing_rate(some(set[2]))),
            changed(3, &given).then(|| base.set_bandwidth(some(set[3]))),
            changed(4, &given).then(|| base.set_send_quantum(some(set[4]))),
        ];
        for tried in tried.into_iter().flatten() {
            self.check(tried);
        }
        self.given = set;
    }

    /// Gives the law the values of the base.
    #[inline]
    pub(crate) fn give(&mut self, state: &mut State) {
        state.cwnd = self.base.window().cwnd() as f64;
        state.ssthresh = threshold(&self.base);
        state.pacing_rate = rate(self.base.pacing_rate());
        state.bandwidth = rate(self.base.bandwidth());
        state.send_quantum = quantum(&self.base);
        self.given = values(state);
    }

    pub(crate) fn check(&mut self, set: Result<(), BadValue>) {
        if let Err(bad) = set {
            self.refuse(&bad.to_string());
        }
    }

    pub(crate) fn refuse(&mut self, why: &str) {
        self.error.get_or_insert_with(|| why.to_owned());
    }

    /// Uniform from 0 to below 1 (SplitMix64; Steele, Lea and Flood 2014).
    pub(crate) fn random(&mut self) -> f64 {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// What a law may set.
const fn values(state: &State) -> [f64; 5] {
    [state.cwnd, state.ssthresh, state.pacing_rate, state.bandwidth, state.send_quantum]
}

fn some(value: f64) -> Option<f64> {
    (!value.is_nan()).then_some(value)
}

fn threshold(base: &Base) -> f64 {
    match base.window().ssthresh() {
        u64::MAX => f64::INFINITY,
        bytes => bytes as f64,
    }
}

fn rate(rate: Option<BitRate>) -> f64 {
    rate.map_or(f64::NAN, |rate| rate.bps() as f64)
}

fn quantum(base: &Base) -> f64 {
    base.send_quantum().map_or(f64::NAN, |bytes| bytes as f64)
}

pub(crate) fn seconds(span: Option<Span>) -> f64 {
    span.map_or(f64::NAN, Span::as_secs_f64)
}

fn span(seconds: f64) -> Option<Span> {
    some(seconds).map(|s| Span(u64::saturate((s * 1e9).round())))
}

/// An acknowledgement as C has it.
pub(crate) fn written(ack: &AckSample) -> Ack {
    let bit = |set: bool, bit: u32| if set { bit } else { 0 };
    let rate = ack.rate;
    let of_rate = |get: fn(&RateSample) -> u64| rate.as_ref().map_or(f64::NAN, |r| get(r) as f64);
    Ack {
        size: Ack::SIZE,
        flags: bit(ack.cwnd_limited, abi::LIMITED)
            | bit(ack.in_fast_recovery, abi::FAST_RECOVERY)
            | bit(ack.ends_recovery, abi::ENDS_RECOVERY)
            | bit(ack.in_recovery, abi::RECOVERY)
            | bit(ack.ece, abi::ECE)
            | bit(rate.is_some_and(|r| r.app_limited), abi::APP_LIMITED),
        acked: ack.acked as f64,
        delivered: ack.delivered as f64,
        lost: ack.lost as f64,
        pipe: ack.pipe as f64,
        prior_pipe: ack.prior_pipe as f64,
        total_delivered: ack.total_delivered as f64,
        total_lost: ack.total_lost as f64,
        acked_up_to: ack.acked_up_to as f64,
        sent_up_to: ack.sent_up_to as f64,
        rtt: seconds(ack.rtt),
        srtt: seconds(ack.srtt),
        min_rtt: seconds(ack.min_rtt),
        rate_bps: rate
            .filter(|r| r.interval > Span::ZERO)
            .map_or(f64::NAN, |r| r.delivered as f64 * 8e9 / r.interval.0 as f64),
        rate_delivered: of_rate(|r| r.delivered),
        rate_interval: seconds(rate.map(|r| r.interval)),
        rate_prior_delivered: of_rate(|r| r.prior_delivered),
        rate_tx_in_flight: of_rate(|r| r.tx_in_flight),
        rate_lost: of_rate(|r| r.lost),
    }
}

/// An acknowledgement that a law passes back.
pub(crate) fn ack_of(ack: &Ack) -> AckSample {
    let whole = u64::saturate;
    let bit = |bit: u32| ack.flags & bit != 0;
    AckSample {
        acked: whole(ack.acked),
        delivered: whole(ack.delivered),
        lost: whole(ack.lost),
        pipe: whole(ack.pipe),
        prior_pipe: whole(ack.prior_pipe),
        total_delivered: whole(ack.total_delivered),
        total_lost: whole(ack.total_lost),
        acked_up_to: whole(ack.acked_up_to),
        sent_up_to: whole(ack.sent_up_to),
        rtt: span(ack.rtt),
        srtt: span(ack.srtt),
        min_rtt: span(ack.min_rtt),
        // No part of the base reads it.
        rate: None,
        cwnd_limited: bit(abi::LIMITED),
        in_fast_recovery: bit(abi::FAST_RECOVERY),
        ends_recovery: bit(abi::ENDS_RECOVERY),
        in_recovery: bit(abi::RECOVERY),
        ece: bit(abi::ECE),
        // The interface does not have it.
        marked: 0,
    }
}

/// An episode that a law passes back; `None` if its kind is none.
pub(crate) fn episode_of(episode: &Episode) -> Option<Congestion> {
    let kind = *KINDS.get(usize::try_from(episode.kind).ok()?)?;
    Some(Congestion { kind, flight: u64::saturate(episode.flight), restart: episode.restart != 0 })
}

/// A pause that a law passes back.
pub(crate) fn idle_of(idle: &Idle) -> airtcp_congestion::Idle {
    airtcp_congestion::Idle {
        idle: span(idle.idle).unwrap_or_default(),
        rto: span(idle.rto).unwrap_or_default(),
        restart: idle.flags & abi::RESTART != 0,
        app_limited: idle.flags & abi::IDLE_APP_LIMITED != 0,
    }
}
