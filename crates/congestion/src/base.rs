//! The part of a law of one's own that is the same for all: window and threshold with their bounds,
//! slow start, undo, restart after a pause, timeout.
//!
//! The law decides two things: how the window grows above the threshold, and what a congestion
//! episode leaves of it. The defaults are Reno's: a segment per round trip, and half of FlightSize,
//! which is limited to the window. Values from outside are checked when they are set: a window is a
//! positive finite number of bytes, rounded down. One below a segment or above
//! [`LawParams::max_cwnd`] is bounded and counted. Bytes; rates in bits per second.

use airtcp_units::{BitRate, Saturate};

use super::{
    AckSample, Additive, Congestion, CongestionKind, Idle, LawParams, LawRules, LawState, Window,
};

/// A value that a law may not set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BadValue {
    /// What was set.
    pub name: &'static str,
    /// The value.
    pub value: f64,
    /// What is accepted.
    pub expected: &'static str,
    /// The value before.
    pub before: f64,
}

impl std::fmt::Display for BadValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { name, value, expected, before } = self;
        write!(f, "{name} was set to {value}; expected {expected} (it was {before})")
    }
}

impl std::error::Error for BadValue {}

/// A law without its two decisions.
#[derive(Debug, Clone, Default)]
pub struct Base {
    window: Window,
    increase: Additive,
    /// Rate at which segments should leave, if the law paces.
    pacing_rate: Option<BitRate>,
    /// The law's estimate of the rate of the path.
    bandwidth: Option<BitRate>,
    /// Bytes that leave in one burst under pacing.
    send_quantum: Option<u64>,
    bounded: u64,
}

impl Base {
    /// Begins with these parameters.
    pub fn start(&mut self, params: &LawParams) {
        *self = Self {
            window: Window::new(params, false),
            increase: Additive::new(params.growth()),
            ..Self::default()
        };
    }

    /// Window and threshold.
    pub const fn window(&self) -> &Window {
        &self.window
    }

    /// Window and threshold, to change.
    pub const fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }

    /// Rate at which segments should leave; `None` if the window alone governs sending.
    pub const fn pacing_rate(&self) -> Option<BitRate> {
        self.pacing_rate
    }

    /// The law's estimate of the rate of the path.
    pub const fn bandwidth(&self) -> Option<BitRate> {
        self.bandwidth
    }

    /// Bytes that leave in one burst under pacing.
    pub const fn send_quantum(&self) -> Option<u64> {
        self.send_quantum
    }

    /// Windows that were set below a segment or above the largest.
    pub const fn bounded(&self) -> u64 {
        self.bounded
    }

    /// Sets the window to a number of bytes.
    ///
    /// # Errors
    /// If it is no positive finite number.
    pub fn set_cwnd(&mut self, bytes: f64) -> Result<(), BadValue> {
        let before = self.window.cwnd() as f64;
        positive("cwnd", bytes, before)?;
        let asked = u64::saturate(bytes);
        self.window.set_cwnd(asked);
        self.bounded += u64::from(self.window.cwnd() != asked);
        Ok(())
    }

    /// Sets the threshold to a number of bytes, at least a segment; infinite is none.
    ///
    /// # Errors
    /// If it is no positive number.
    pub fn set_ssthresh(&mut self, bytes: f64) -> Result<(), BadValue> {
        if bytes == f64::INFINITY {
            self.window.set_ssthresh(u64::MAX);
            return Ok(());
        }
        positive("ssthresh", bytes, self.window.ssthresh() as f64)?;
        self.window.set_ssthresh(u64::saturate(bytes));
        Ok(())
    }

    /// Sets the pacing rate in bits per second.
    ///
    /// # Errors
    /// If it is no positive finite number.
    pub fn set_pacing_rate(&mut self, bps: Option<f64>) -> Result<(), BadValue> {
        self.pacing_rate = rate("pacing_rate", bps, self.pacing_rate)?;
        Ok(())
    }

    /// Sets the estimate of the rate of the path in bits per second.
    ///
    /// # Errors
    /// If it is no positive finite number.
    pub fn set_bandwidth(&mut self, bps: Option<f64>) -> Result<(), BadValue> {
        self.bandwidth = rate("bandwidth", bps, self.bandwidth)?;
        Ok(())
    }

    /// Sets the bytes that leave in one burst.
    ///
    /// # Errors
    /// If it is no positive finite number.
    pub fn set_send_quantum(&mut self, bytes: Option<f64>) -> Result<(), BadValue> {
        let before = self.send_quantum.map_or(f64::NAN, |q| q as f64);
        self.send_quantum = match bytes {
            None => None,
            Some(bytes) => {
                positive("send_quantum", bytes, before)?;
                Some(u64::saturate(bytes).max(1))
            }
        };
        Ok(())
    }

    /// True if the window may grow on an ACK: it acknowledges new data that the window limited,
    /// outside recovery, without the echo of a mark.
    pub const fn may_grow(&self, ack: &AckSample) -> bool {
        ack.acked > 0
            && !ack.is_recovering(self.window.params().rules)
            && ack.cwnd_limited
            && !ack.ece
    }

    /// Takes an ACK as far as slow start goes. Returns true if the law's growth follows: above the
    /// threshold, and the window may grow.
    #[inline]
    pub fn takes_growth(&mut self, ack: &AckSample) -> bool {
        if ack.acked == 0
            || ack.is_recovering(self.window.params().rules)
            || self.window.on_slow_start_ack(ack)
        {
            return false;
        }
        ack.cwnd_limited && !ack.ece
    }

    /// A segment per round trip, as Reno.
    #[inline]
    pub fn additive(&mut self, ack: &AckSample) {
        let linux = self.window.params().rules == LawRules::Linux;
        let bytes = if linux { ack.delivered } else { ack.acked };
        self.increase.on_ack(bytes, &mut self.window);
    }

    /// Half of what is outstanding, or of the window after a mark, as Reno.
    pub fn half(&self, c: &Congestion) -> f64 {
        let base = match c.kind {
            CongestionKind::EcnCe => self.window.cwnd(),
            _ => self.window.loss_base(c),
        };
        (base / 2) as f64
    }

    /// Reacts to an episode that leaves a window of `reduced` bytes; the window after a timeout, and
    /// the least window, are those of [`Window::on_congestion`].
    ///
    /// # Errors
    /// If it is no finite number from 0.
    pub fn on_congestion(&mut self, c: &Congestion, reduced: f64) -> Result<(), BadValue> {
        if !(reduced.is_finite() && reduced >= 0.0) {
            let (name, expected) =
                ("the window after an episode", "a finite number of bytes from 0");
            let before = self.window.cwnd() as f64;
            return Err(BadValue { name, value: reduced, expected, before });
        }
        self.increase.reset();
        self.window.on_congestion(c, u64::saturate(reduced));
        Ok(())
    }

    /// Reverts the last reaction. Returns false if there is none.
    pub fn on_spurious(&mut self) -> bool {
        self.window.on_spurious()
    }

    /// Sending starts again after a pause. Returns true if the window was restarted.
    pub fn on_idle(&mut self, idle: &Idle) -> bool {
        self.window.on_idle(idle)
    }

    /// The state of a law that has no other phases.
    pub fn state(&self) -> LawState {
        self.window.state()
    }
}

fn positive(name: &'static str, value: f64, before: f64) -> Result<(), BadValue> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    Err(BadValue { name, value, expected: "a positive finite number", before })
}

fn rate(
    name: &'static str,
    bps: Option<f64>,
    before: Option<BitRate>,
) -> Result<Option<BitRate>, BadValue> {
    let Some(bps) = bps else { return Ok(None) };
    positive(name, bps, before.map_or(f64::NAN, |rate| rate.bps() as f64))?;
    Ok(BitRate::new(u64::saturate(bps).max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base() -> Base {
        let params = LawParams {
            mss: 1000,
            initial_window: 10_000,
            initial_ssthresh: 10_000,
            max_cwnd: 60_000,
            ..LawParams::default()
        };
        let mut base = Base::default();
        base.start(&params);
        base
    }

    #[test]
    fn values_are_checked() {
        let mut base = base();
        for bad in [f64::NAN, f64::INFINITY, 0.0, -1.0] {
            assert!(base.set_cwnd(bad).is_err(), "{bad}");
            assert!(base.set_pacing_rate(Some(bad)).is_err(), "{bad}");
            assert!(base.set_send_quantum(Some(bad)).is_err(), "{bad}");
        }
        assert_eq!((base.window().cwnd(), base.bounded()), (10_000, 0));
        assert!(base.set_ssthresh(f64::NAN).is_err());
        base.set_ssthresh(f64::INFINITY).unwrap();
        assert_eq!(base.window().ssthresh(), u64::MAX);
        let message = base.set_cwnd(-1.0).unwrap_err().to_string();
        let expected = "cwnd was set to -1; expected a positive finite number (it was 10000)";
        assert_eq!(message, expected);
    }

    #[test]
    fn a_window_beyond_its_bounds_is_bounded_and_counted() {
        let mut base = base();
        for (asked, got, bounded) in [(20_000.7, 20_000, 0), (1.0, 1000, 1), (1e12, 60_000, 2)] {
            base.set_cwnd(asked).unwrap();
            assert_eq!((base.window().cwnd(), base.bounded()), (got, bounded), "{asked}");
        }
    }

    #[test]
    fn growth_follows_above_the_threshold_only() {
        let mut base = base();
        let ack = AckSample { acked: 1000, delivered: 1000, cwnd_limited: true, ..<_>::default() };
        assert!(base.takes_growth(&ack) && base.may_grow(&ack));
        for held in [
            AckSample { acked: 0, ..ack },
            AckSample { cwnd_limited: false, ..ack },
            AckSample { ece: true, ..ack },
            AckSample { in_fast_recovery: true, ..ack },
        ] {
            assert!(!base.takes_growth(&held) && !base.may_grow(&held), "{held:?}");
        }
        assert_eq!(base.window().cwnd(), 10_000);
        base.set_ssthresh(30_000.0).unwrap();
        assert!(!base.takes_growth(&ack));
        assert_eq!(base.window().cwnd(), 11_000, "slow start");
    }

    #[test]
    fn an_episode_halves_and_can_be_undone() {
        let mut base = base();
        let kind = CongestionKind::FastRetransmit;
        let c = Congestion { kind, flight: 30_000, restart: false };
        assert!((base.half(&c) - 5000.0).abs() < 1e-9, "FlightSize is limited to the window");
        assert!(base.on_congestion(&c, f64::NAN).is_err());
        base.on_congestion(&c, 5000.0).unwrap();
        assert_eq!((base.window().cwnd(), base.window().ssthresh()), (5000, 5000));
        assert!(base.on_spurious());
        assert_eq!(base.window().cwnd(), 10_000);
    }
}
