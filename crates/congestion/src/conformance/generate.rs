//! Random cases. The draws need no library, so that any program can check a law.

use airtcp_units::{Narrow, Span};

use super::driver::{Ack, Call};
use crate::{CongestionKind, LawParams, LawRules, SlowStartKind};

/// Random numbers of a case: SplitMix64 (Steele, Lea and Flood 2014).
pub(super) struct Draws(u64);

impl Draws {
    pub(super) fn new(seed: u64, case: u32) -> Self {
        let mut draws = Self(seed ^ u64::from(case).wrapping_mul(0xA076_1D64_78BD_642F));
        draws.bits();
        draws
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// From `low` to below `high`. The slight preference of small numbers does no harm here.
    fn from(&mut self, low: u64, high: u64) -> u64 {
        low + self.bits() % (high - low)
    }

    fn coin(&mut self) -> bool {
        self.bits() >> 63 == 1
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.from(0, n) == 0
    }

    /// From a nanosecond to ten hours; zero for none.
    fn rtt(&mut self) -> Span {
        match self.from(0, 9) {
            0 => Span::ZERO,
            1 => Span(self.from(1, 1000)),
            2 => Span::from_secs(self.from(1, 36_000)),
            _ => Span::from_micros(self.from(1, 3_000_000)),
        }
    }

    fn ack(&mut self) -> Call {
        let segments = if self.one_in(9) { self.from(0, 1 << 30) } else { self.from(0, 20) };
        let boost = if self.one_in(9) { self.from(0, 1 << 30) } else { 1 };
        let (a, b, c) = (self.coin(), self.coin(), self.coin());
        let rtt = self.rtt();
        Call::Ack(Ack { segments, limited: a || b, fast: b && c, ece: a && c, rtt, boost })
    }

    fn call(&mut self) -> Call {
        match self.from(0, 20) {
            0 | 1 => {
                let kind = [
                    CongestionKind::FastRetransmit,
                    CongestionKind::Rto,
                    CongestionKind::EcnCe,
                    CongestionKind::Persistent,
                ][usize::narrow(self.from(0, 4))];
                let restart = self.coin() && kind == CongestionKind::FastRetransmit;
                Call::Congestion(kind, restart, self.from(1, 8))
            }
            2 => {
                let timeout = self.coin();
                let kind =
                    if timeout { CongestionKind::Rto } else { CongestionKind::FastRetransmit };
                Call::Undone(kind, timeout && self.coin())
            }
            3 => Call::Spurious,
            4 => Call::Idle(self.from(0, 10_000_000), self.coin()),
            5 => Call::Limit(self.from(0, 1_000_000)),
            6 | 7 => Call::Wait(self.rtt()),
            _ => self.ack(),
        }
    }

    pub(super) fn calls(&mut self, most: usize) -> Vec<Call> {
        let count = self.from(1, (most as u64).max(1) + 1);
        (0..count).map(|_| self.call()).collect()
    }

    pub(super) fn params(&mut self) -> LawParams {
        let mss = u32::narrow(self.from(48, 9000));
        let bytes = |segments: u64| segments * u64::from(mss);
        let initial_window = bytes(self.from(1, 20));
        let none_or = |draws: &mut Self, low, high| {
            if draws.coin() { u64::MAX } else { bytes(draws.from(low, high)) }
        };
        LawParams {
            mss,
            initial_window,
            initial_ssthresh: none_or(self, 2, 100),
            max_cwnd: none_or(self, 1, 200),
            abc_limit: u32::narrow(self.from(1, 4)),
            half_of_cwnd: self.coin(),
            ssthresh_in_segments: self.one_in(5),
            selective_acks: self.coin(),
            srtt: self.coin().then(|| Span::from_millis(self.from(1, 20))),
            seed: self.bits(),
            paced: self.one_in(3),
            rules: if self.coin() { LawRules::Linux } else { LawRules::Documents },
            slow_start: if self.coin() {
                SlowStartKind::HyStartPlusPlus
            } else {
                SlowStartKind::Standard
            },
        }
    }
}
