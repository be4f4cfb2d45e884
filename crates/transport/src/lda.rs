//! Loss differentiation: TP-LDA, the two-phase algorithm of Pack, Shen, Mark and Cai (IEEE
//! Transactions on Wireless Communications 6(11), 2007) as S3 describes it.
//!
//! Phase 1: a loss during a high relative one-way trip time counts as buffer overflow. The
//! threshold lies at a fraction of the distance from the minimum to the maximum recent trip time.
//! Phase 2: a share of the other losses are collisions, which also count as congestion. The layer
//! below estimates that share from beacons. They are short and sent at the lowest rate, so that
//! their losses are collisions.
//!
//! The papers print neither the threshold nor the use of the share: `threshold`, `window` and
//! `weight` are parameters, and the share is applied by counting, without random numbers. Trip
//! times are relative: the clocks of the two ends may differ, but must run at the same rate over
//! the window. Microseconds.
//!
//! TFRC's receiver measures the trips itself; `tcp/recovery/tp_lda.rs` measures them for TCP's
//! sender.

use airtcp_probe::{ConfigError, LossCause};
use airtcp_units::{Nanos, Narrow, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Number of parts of the window: extremes expire at most a tenth of the window late.
const PARTS: usize = 10;

/// Parameters of TP-LDA.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LdaConfig {
    /// Time over which the extremes of the trip time are kept. Default 10 s.
    pub window: Span,
    /// Position of the threshold between the minimum and the maximum trip time, 0 to below 1.
    /// Default 0.8.
    pub threshold: f64,
    /// Weight of a new beacon or frame in the loss rates of phase 2, above 0 up to 1. Default
    /// 0.1.
    pub weight: f64,
}

impl Default for LdaConfig {
    fn default() -> Self {
        Self { window: Span::from_secs(10), threshold: 0.8, weight: 0.1 }
    }
}

impl LdaConfig {
    /// Checks every value.
    ///
    /// # Errors
    /// The key at fault, what was found and what is accepted.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let bad = |key, text: String| Err(ConfigError::new(key, text));
        if self.window < Span::from_millis(1) || self.window > Span::from_secs(86_400) {
            return bad("window", format!("{}: accepted is 1 ms to 1 day", self.window));
        }
        if !(0.0..1.0).contains(&self.threshold) {
            let why = "no trip time is above the greatest, and no loss would be an overflow";
            return bad(
                "threshold",
                format!("{}: accepted is 0 to below 1 ({why})", self.threshold),
            );
        }
        if !(self.weight > 0.0 && self.weight <= 1.0) {
            return bad("weight", format!("{}: accepted is above 0 up to 1", self.weight));
        }
        Ok(())
    }
}

/// Minimum and maximum trip time in a part of the window.
#[derive(Debug, Clone, Copy)]
struct Part {
    number: u64,
    low: i64,
    high: i64,
}

/// The classifier of TFRC at the receiver and of TCP at the sender.
#[derive(Debug, Clone)]
pub struct TpLda {
    config: LdaConfig,
    /// Trip times are relative to this first one.
    origin: Option<u32>,
    parts: [Part; PARTS],
    beacon_loss: f64,
    frame_loss: f64,
    /// Collisions due by the share of phase 2.
    owed: f64,
}

impl TpLda {
    /// A classifier without trip times.
    pub fn new(config: LdaConfig) -> Self {
        let none = Part { number: u64::MAX, low: 0, high: 0 };
        Self {
            config,
            origin: None,
            parts: [none; PARTS],
            beacon_loss: 0.0,
            frame_loss: 0.0,
            owed: 0.0,
        }
    }

    fn relative(&self, trip_us: u32) -> i64 {
        i64::from(trip_us.wrapping_sub(self.origin.unwrap_or(trip_us)).cast_signed())
    }

    fn number(&self, now: Nanos) -> u64 {
        now.0 / (self.config.window.0 / PARTS as u64).max(1)
    }

    /// A packet arrived after `trip_us` (arrival minus timestamp, modulo 2^32).
    pub fn on_trip(&mut self, now: Nanos, trip_us: u32) {
        self.origin.get_or_insert(trip_us);
        let (trip, number) = (self.relative(trip_us), self.number(now));
        let part = &mut self.parts[usize::narrow(number % PARTS as u64)];
        if part.number == number {
            part.low = part.low.min(trip);
            part.high = part.high.max(trip);
        } else {
            *part = Part { number, low: trip, high: trip };
        }
    }

    /// A beacon arrived or was lost.
    pub fn on_beacon(&mut self, lost: bool) {
        self.beacon_loss += self.config.weight * (f64::from(lost) - self.beacon_loss);
    }

    /// A data frame arrived or was lost.
    pub fn on_frame(&mut self, lost: bool) {
        self.frame_loss += self.config.weight * (f64::from(lost) - self.frame_loss);
    }

    /// The share of link losses that are collisions (phase 2): the loss rate of beacons over that
    /// of frames, at most 1.
    pub fn collision_share(&self) -> f64 {
        if self.frame_loss > 0.0 { (self.beacon_loss / self.frame_loss).min(1.0) } else { 0.0 }
    }

    /// Minimum and maximum trip time of the window, relative to the first trip.
    fn extremes(&self, now: Nanos) -> Option<(i64, i64)> {
        let newest = self.number(now);
        let mut extremes: Option<(i64, i64)> = None;
        for part in &self.parts {
            if part.number <= newest && newest - part.number < PARTS as u64 {
                let (low, high) = extremes.unwrap_or((part.low, part.high));
                extremes = Some((low.min(part.low), high.max(part.high)));
            }
        }
        extremes
    }

    /// Spread of the trip times of the window in microseconds; `None` before the first trip.
    pub fn range_us(&self, now: Nanos) -> Option<u64> {
        self.extremes(now).map(|(low, high)| high.abs_diff(low))
    }

    /// The trip time above which a loss is congestion, relative to the first trip, in microseconds;
    /// `None` before the first trip.
    pub fn threshold_us(&self, now: Nanos) -> Option<f64> {
        let (low, high) = self.extremes(now)?;
        Some(low as f64 + self.config.threshold * (high - low) as f64)
    }

    /// Classifies a loss by the trip times of the neighbouring packets. The longer of them decides,
    /// since it was closer to the overflow.
    pub fn classify(&mut self, now: Nanos, beside_us: impl IntoIterator<Item = u32>) -> LossCause {
        let longest = beside_us.into_iter().map(|trip| self.relative(trip) as f64);
        let threshold = self.threshold_us(now).unwrap_or(f64::INFINITY);
        if longest.fold(f64::NEG_INFINITY, f64::max) > threshold {
            return LossCause::Overflow;
        }
        self.owed += self.collision_share();
        if self.owed >= 1.0 {
            self.owed -= 1.0;
            return LossCause::Collision;
        }
        LossCause::Corruption
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Nanos {
        Nanos(ms * 1_000_000)
    }

    /// At 1 no trip could exceed the threshold, and every loss would count as corruption.
    #[test]
    fn a_threshold_that_nothing_exceeds_is_refused() {
        let with = |threshold| LdaConfig { threshold, ..LdaConfig::default() }.validate();
        for good in [0.0, 0.8, 0.999] {
            assert!(with(good).is_ok(), "{good}");
        }
        for bad in [1.0, 1.5, -0.1, f64::NAN] {
            let e = with(bad).unwrap_err().to_string();
            assert!(e.contains("threshold") && e.contains("0 to below 1 (no trip time"), "{e}");
        }
    }

    #[test]
    fn the_threshold_lies_between_the_extremes_of_the_window() {
        let mut lda = TpLda::new(LdaConfig::default());
        assert_eq!(lda.threshold_us(at(0)), None);
        // A large clock offset and a wrap change nothing: 10 ms to 110 ms.
        let trip = |us: u32| (u32::MAX - 50_000).wrapping_add(us);
        lda.on_trip(at(0), trip(10_000));
        lda.on_trip(at(500), trip(110_000));
        assert!((lda.threshold_us(at(500)).unwrap() - 80_000.0).abs() < 1e-9);
        assert_eq!(lda.classify(at(500), [trip(100_000)]), LossCause::Overflow);
        assert_eq!(lda.classify(at(500), [trip(90_000)]), LossCause::Corruption);
        // The old extremes leave the window.
        lda.on_trip(at(10_200), trip(20_000));
        lda.on_trip(at(10_300), trip(30_000));
        assert!((lda.threshold_us(at(10_300)).unwrap() - 18_000.0).abs() < 1e-9);
        assert_eq!(lda.range_us(at(10_300)), Some(10_000));
        assert_eq!(lda.classify(at(10_300), [trip(29_000)]), LossCause::Overflow);
    }

    #[test]
    fn collisions_by_share_without_chance() {
        let mut lda = TpLda::new(LdaConfig::default());
        for i in 0..400 {
            lda.on_frame(i % 5 == 0);
            lda.on_beacon(i % 10 == 0);
        }
        let share = lda.collision_share();
        assert!((0.2..=0.9).contains(&share), "{share}");
        lda.on_trip(at(0), 0);
        lda.on_trip(at(1), 100);
        let causes: Vec<_> = (0..100).map(|_| lda.classify(at(1), [10])).collect();
        let collisions = causes.iter().filter(|c| **c == LossCause::Collision).count() as f64;
        assert!((collisions - 100.0 * share).abs() <= 1.0, "{collisions} of 100 at {share}");
        // Two neighbouring packets are still one loss.
        let causes: Vec<_> = (0..100).map(|_| lda.classify(at(1), [10, 20])).collect();
        let collisions = causes.iter().filter(|c| **c == LossCause::Collision).count() as f64;
        assert!((collisions - 100.0 * share).abs() <= 1.0, "{collisions} of 100 at {share}");
        assert!(TpLda::new(LdaConfig::default()).collision_share() <= 0.0);
    }
}
