//! Round-trip estimation and the retransmission timeout, RFC 6298 section 2 and 5.5.
//!
//! Integer nanoseconds: the gains 1/8 and 1/4 lose less than a nanosecond per sample. The variants
//! are Linux's lower bound on the variance term and the coarse tick of older stacks.

mod rounds;

use airtcp_units::{Nanos, Narrow, Span};

use self::rounds::Rounds;
use super::config::{RtoMinRule, TcpConfig};

#[derive(Debug, Clone)]
pub(crate) struct RttEstimator {
    srtt: Option<Span>,
    rttvar: Span,
    /// The timeout without back-off.
    base: Span,
    backoff: u32,
    /// Whether an expiry doubles the timeout.
    doubles: bool,
    min_rtt: Option<Span>,
    granularity: Span,
    min: Span,
    max: Span,
    rule: RtoMinRule,
    ticks: bool,
    counted: Option<Counted>,
    /// The deviation by Linux's rule, from the first sample on.
    rounds: Option<Rounds>,
}

/// SRTT and RTTVAR in ticks without fractions: eighths and quarters of a tick
/// (V. Jacobson, "Congestion Avoidance and Control", 1988, appendix A; ns-2's `rtt_update`).
#[derive(Debug, Clone, Copy, Default)]
struct Counted {
    srtt_8: i64,
    rttvar_4: i64,
}

impl Counted {
    /// Takes a sample of `ticks`; returns the timeout in ticks.
    fn sample(&mut self, ticks: i64) -> i64 {
        if self.srtt_8 == 0 {
            (self.srtt_8, self.rttvar_4) = (ticks << 3, ticks << 1);
        } else {
            let error = ticks - (self.srtt_8 >> 3);
            self.srtt_8 = (self.srtt_8 + error).max(1);
            self.rttvar_4 = (self.rttvar_4 + error.abs() - (self.rttvar_4 >> 2)).max(1);
        }
        (self.srtt_8 + (self.rttvar_4 << 3)) >> 3
    }
}

impl RttEstimator {
    pub(crate) fn new(config: &TcpConfig) -> Self {
        Self {
            srtt: None,
            rttvar: Span::ZERO,
            base: config.rto_initial.min(config.rto_max),
            backoff: 0,
            doubles: config.rto_backoff,
            min_rtt: None,
            granularity: config.rto_granularity,
            min: config.rto_min,
            max: config.rto_max,
            rule: config.rto_min_rule,
            ticks: config.rto_ticks,
            counted: config.rtt_counts_ticks.then(Counted::default),
            rounds: None,
        }
    }

    pub(crate) const fn srtt(&self) -> Option<Span> {
        self.srtt
    }

    /// SRTT and RTTVAR; `None` before the first sample.
    pub(crate) fn smoothed(&self) -> Option<(Span, Span)> {
        self.srtt.map(|srtt| (srtt, self.rttvar))
    }

    pub(crate) const fn min_rtt(&self) -> Option<Span> {
        self.min_rtt
    }

    /// Takes an exact round-trip time for the minimum, even if it is no RTO sample.
    pub(crate) fn note_min(&mut self, rtt: Span) {
        self.min_rtt = Some(self.min_rtt.map_or(rtt, |m| m.min(rtt)));
    }

    /// Takes a sample at time `now` (RFC 6298 2.2 and 2.3). Ends the back-off. `flight` is the first offset in flight
    /// and the next to send.
    pub(crate) fn sample(&mut self, now: Nanos, sample: Span, flight: (u64, u64)) {
        if self.rule == RtoMinRule::Linux {
            match (&mut self.rounds, self.srtt) {
                (Some(rounds), Some(srtt)) => rounds.sample(sample, srtt, flight),
                _ => self.rounds = Some(Rounds::new(sample, self.min, flight.1)),
            }
        }
        if self.counted.is_some() {
            self.sample_ticks(now, sample);
            return;
        }
        let r = if self.ticks { self.round(sample) } else { sample };
        let srtt = if let Some(srtt) = self.srtt {
            // RTTVAR first: it uses the SRTT before this sample.
            let error = Span(srtt.0.abs_diff(r.0));
            self.rttvar = (self.rttvar * 3 + error) / 4;
            (srtt * 7 + r) / 8
        } else {
            self.rttvar = r / 2;
            r
        };
        self.note_min(sample);
        self.set(srtt);
    }

    /// Takes a sample as the number of ticks that began during it.
    fn sample_ticks(&mut self, now: Nanos, sample: Span) {
        let Some(counted) = &mut self.counted else { return };
        let tick = self.granularity.0.max(1);
        let begun = now.0 / tick - now.0.saturating_sub(sample.0) / tick;
        let rto = counted.sample(i64::narrow(begun.clamp(1, i64::MAX as u64 >> 8)));
        self.srtt = Some(Span(tick.saturating_mul(u64::narrow(counted.srtt_8)) / 8));
        self.rttvar = Span(tick.saturating_mul(u64::narrow(counted.rttvar_4)) / 4);
        self.base = Span(tick.saturating_mul(u64::narrow(rto))).max(self.min).min(self.max);
        self.backoff = 0;
        self.note_min(sample);
    }

    /// After a spurious timeout (RFC 4015 step 11): takes values not below those before it.
    pub(crate) fn adapt(&mut self, sample: Span, srtt: Span, rttvar: Span) {
        self.rttvar = rttvar.max(sample / 2);
        self.set(srtt.max(sample));
    }

    /// Sets SRTT and computes the timeout.
    fn set(&mut self, srtt: Span) {
        self.srtt = Some(srtt);
        let variance = (self.rttvar * 4).max(self.granularity);
        let rto = match (self.rule, &self.rounds) {
            (RtoMinRule::Total, _) => (srtt + variance).max(self.min),
            (RtoMinRule::Linux, Some(rounds)) => srtt + rounds.term(),
            (RtoMinRule::Variance | RtoMinRule::Linux, _) => srtt + variance.max(self.min),
        };
        let rto = if self.ticks { self.round_up(rto) } else { rto };
        self.base = rto.min(self.max);
        self.backoff = 0;
    }

    /// Rounds to the nearest tick, at least one: ns-2's `int(rtt / tick + 0.5)`.
    fn round(&self, span: Span) -> Span {
        let tick = self.granularity.0.max(1);
        Span(((span.0.saturating_add(tick / 2)) / tick).max(1).saturating_mul(tick))
    }

    fn round_up(&self, span: Span) -> Span {
        let g = self.granularity.0.max(1);
        Span(span.0.div_ceil(g).max(1).saturating_mul(g))
    }

    /// The timeout in force.
    pub(crate) fn rto(&self) -> Span {
        self.backed_off(self.backoff)
    }

    /// The timeout after `doublings`, bounded by the maximum.
    pub(crate) fn backed_off(&self, doublings: u32) -> Span {
        let factor = 1u64.checked_shl(doublings.min(63)).unwrap_or(u64::MAX);
        (self.base * factor).min(self.max)
    }

    /// The timer expired (RFC 6298 5.5, unless back-off is switched off).
    pub(crate) const fn back_off(&mut self) {
        if self.doubles {
            self.backoff = self.backoff.saturating_add(1);
        }
    }

    pub(crate) const fn reset_backoff(&mut self) {
        self.backoff = 0;
    }

    /// Data begins after a SYN retransmission (RFC 6298 5.7, which makes no exception for a sample
    /// from timestamps).
    pub(crate) fn after_syn_loss(&mut self, least: Span) {
        if least > Span::ZERO {
            self.base = self.base.max(least).min(self.max);
            self.backoff = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::Profile;

    fn ms(n: u64) -> Span {
        Span::from_millis(n)
    }

    fn with(change: impl FnOnce(&mut TcpConfig)) -> RttEstimator {
        let mut config = TcpConfig { rto_min: ms(1), ..TcpConfig::default() };
        change(&mut config);
        RttEstimator::new(&config)
    }

    #[test]
    fn rfc_6298_by_hand() {
        let mut e = with(|_| ());
        assert_eq!(e.rto(), ms(1000), "2.1");
        e.sample(Nanos::ZERO, ms(100), (0, 0));
        // 2.2: SRTT 100, RTTVAR 50, RTO 100 + 4*50.
        assert_eq!((e.srtt(), e.rto()), (Some(ms(100)), ms(300)));
        e.sample(Nanos::ZERO, ms(180), (0, 0));
        // 2.3: RTTVAR 3/4*50 + 1/4*80 = 57.5, SRTT 7/8*100 + 1/8*180 = 110, RTO 110 + 230.
        assert_eq!((e.srtt(), e.rto()), (Some(ms(110)), ms(340)));
        e.sample(Nanos::ZERO, ms(110), (0, 0));
        // RTTVAR 43.125, SRTT 110, RTO 110 + 172.5.
        assert_eq!((e.srtt(), e.rto()), (Some(ms(110)), Span::from_micros(282_500)));
        assert_eq!(e.min_rtt(), Some(ms(100)));
    }

    #[test]
    fn bounds_granularity_and_back_off() {
        let mut e = with(|c| c.rto_min = ms(1000));
        e.sample(Nanos::ZERO, ms(10), (0, 0));
        assert_eq!(e.rto(), ms(1000), "2.4: rounded up to one second");
        let expected = [2, 4, 8, 16, 32, 60, 60, 60];
        for s in expected {
            e.back_off();
            assert_eq!(e.rto(), Span::from_secs(s), "5.5 and 2.5");
        }
        for _ in 0..200 {
            e.back_off();
        }
        assert_eq!(e.rto(), Span::from_secs(60));
        e.sample(Nanos::ZERO, ms(10), (0, 0));
        assert_eq!(e.rto(), ms(1000), "a new sample ends the back-off");

        let mut e = with(|c| c.rto_backoff = false);
        e.sample(Nanos::ZERO, ms(100), (0, 0));
        for _ in 0..3 {
            e.back_off();
            assert_eq!(e.rto(), ms(300), "RFC 793: the timeout stays");
        }

        // With no variance left the granularity is the term: 100 + max(G, 0).
        let mut e = with(|c| c.rto_granularity = ms(10));
        for _ in 0..200 {
            e.sample(Nanos::ZERO, ms(100), (0, 0));
        }
        assert_eq!(e.rto(), ms(110));

        // ns-2's tick: 101 ms is ten ticks of 10 ms, 106 ms eleven.
        let mut e = with(|c| {
            c.rto_granularity = ms(10);
            c.rto_ticks = true;
        });
        let mut f = e.clone();
        e.sample(Nanos::ZERO, ms(101), (0, 0));
        assert_eq!((e.srtt(), e.rto()), (Some(ms(100)), ms(300)));
        f.sample(Nanos::ZERO, ms(106), (0, 0));
        assert_eq!((f.srtt(), f.rto()), (Some(ms(110)), ms(330)));
    }

    #[test]
    fn linux_bounds_the_variance() {
        let mut e = RttEstimator::new(&TcpConfig::profile(Profile::Linux));
        for _ in 0..200 {
            e.sample(Nanos::ZERO, ms(80), (0, 0));
        }
        assert_eq!(e.rto(), ms(280));
    }

    #[test]
    fn three_seconds_after_a_lost_syn() {
        let mut e = with(|_| ());
        e.back_off();
        e.after_syn_loss(Span::from_secs(3));
        assert_eq!(e.rto(), Span::from_secs(3));
        let mut e = with(|_| ());
        e.sample(Nanos::ZERO, ms(100), (0, 0));
        e.after_syn_loss(Span::from_secs(3));
        assert_eq!(e.rto(), Span::from_secs(3), "even if timestamps gave a sample");
        let mut e = with(|_| ());
        e.sample(Nanos::ZERO, ms(100), (0, 0));
        e.after_syn_loss(Span::ZERO);
        assert_eq!(e.rto(), ms(300), "zero leaves the timeout as it is");
    }

    /// Counted ticks: those that begin during the round trip, at any phase; integers as in ns-2's
    /// `rtt_update`.
    #[test]
    fn ticks_are_counted() {
        let at = |n| Nanos::ZERO + ms(n);
        let mut e = with(|c| {
            c.rto_granularity = ms(10);
            (c.rto_ticks, c.rtt_counts_ticks) = (true, true);
        });
        // From 101 ms to 209 ms ten ticks begin, from 109 to 211 eleven.
        e.sample(at(209), ms(108), (0, 0));
        assert_eq!((e.srtt(), e.rto()), (Some(ms(100)), ms(300)), "10 + 4 x 5 ticks");
        e.sample(at(211), ms(102), (0, 0));
        // Error 11 - 10 = 1: SRTT 81/8, RTTVAR (20 + 1 - 5)/4 = 4; (81 + 16 x 8)/8 = 26.1 ticks.
        assert_eq!((e.srtt(), e.rto()), (Some(Span::from_micros(101_250)), ms(260)));
        e.sample(at(211), ms(1), (0, 0));
        assert!(e.srtt() < Some(ms(101)), "at least one tick: {:?}", e.srtt());
    }
}
