//! A controller that adjusts the AIFSN of stations to equal shares. Its rule is at the head of
//! `per_station.rs`.

use airtcp_probe::ConfigError;
use airtcp_units::{Nanos, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A controller that gives stations with less throughput a shorter inter-frame space.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ControllerConfig {
    /// Time between adjustments, at least 1 ms.
    pub interval: Span,
    /// Least AIFSN, 1 to 15.
    pub aifsn_min: u32,
    /// Greatest AIFSN, 1 to 15.
    pub aifsn_max: u32,
    /// Relative difference from an equal share that causes no adjustment, 0 to 1.
    pub tolerance: f64,
}

impl Default for ControllerConfig {
    fn default() -> Self {
        Self { interval: Span::from_secs(1), aifsn_min: 2, aifsn_max: 10, tolerance: 0.1 }
    }
}

impl ControllerConfig {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        let wrong = |key, message| Err(ConfigError::new(key, message));
        if self.interval < Span::from_millis(1) {
            let message = format!("is {}: expected 1 ms or more", self.interval);
            return wrong("controller.interval", message);
        }
        let range = 1..=15;
        if !range.contains(&self.aifsn_min) {
            let message = format!("is {}: expected 1 to 15", self.aifsn_min);
            return wrong("controller.aifsn_min", message);
        }
        if !(self.aifsn_min..=15).contains(&self.aifsn_max) {
            let message = format!("is {}: expected {} to 15", self.aifsn_max, self.aifsn_min);
            return wrong("controller.aifsn_max", message);
        }
        if !(0.0..=1.0).contains(&self.tolerance) {
            let message = format!("is {}: expected 0 to 1", self.tolerance);
            return wrong("controller.tolerance", message);
        }
        Ok(())
    }
}

/// How often the bounds of a controller kept a station from a more equal share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AifsnLimits {
    /// Adjustments since the start.
    pub adjustments: u64,
    /// Those that had to lengthen or shorten the inter-frame space of the station beyond its bound.
    pub limited: u64,
}

/// The controller of a cell, with its state.
#[derive(Debug, Clone, PartialEq)]
pub struct AifsController {
    config: ControllerConfig,
    /// Category that it adjusts.
    pub(crate) category: usize,
    /// AIFSN of each station, without the access point.
    aifsn: Vec<u32>,
    /// Data frames received from each station up to the last adjustment.
    received_before: Vec<u64>,
    /// Time of the next adjustment.
    pub(crate) next: Nanos,
    /// Adjustments so far, and by station those that a bound prevented.
    adjustments: u64,
    limited: Vec<u64>,
}

impl AifsController {
    pub(super) fn new(config: ControllerConfig, category: usize, aifsn: Vec<u32>) -> Self {
        let (received_before, limited) = (vec![0; aifsn.len()], vec![0; aifsn.len()]);
        let next = Nanos::ZERO + config.interval;
        Self { config, category, aifsn, received_before, next, adjustments: 0, limited }
    }

    /// AIFSN of a station, numbered from 0 without the access point.
    pub(crate) fn aifsn(&self, station: usize) -> Option<u32> {
        self.aifsn.get(station).copied()
    }

    /// What its bounds have prevented at a station, numbered as in [`aifsn`](Self::aifsn).
    pub(crate) fn limits(&self, station: usize) -> Option<AifsnLimits> {
        let limited = *self.limited.get(station)?;
        Some(AifsnLimits { adjustments: self.adjustments, limited })
    }

    /// Adjusts the AIFSN by the data frames `received` from each station since the start.
    pub(crate) fn adjust(&mut self, received: &[u64]) {
        self.next += self.config.interval;
        let counts: Vec<u64> =
            received.iter().zip(&self.received_before).map(|(now, before)| now - before).collect();
        self.received_before = received.to_vec();
        let active = counts.iter().filter(|frames| **frames > 0).count() as f64;
        let all = counts.iter().sum::<u64>() as f64;
        self.adjustments += 1;
        let stations = self.aifsn.iter_mut().zip(&mut self.limited).zip(counts);
        for ((aifsn, limited), frames) in stations.filter(|(_, frames)| *frames > 0) {
            // 1 is an equal share.
            let relative_share = frames as f64 * active / all;
            if relative_share > 1.0 + self.config.tolerance {
                *limited += u64::from(*aifsn >= self.config.aifsn_max);
                *aifsn = (*aifsn + 1).min(self.config.aifsn_max);
            } else if relative_share < 1.0 - self.config.tolerance {
                *limited += u64::from(*aifsn <= self.config.aifsn_min);
                *aifsn = aifsn.saturating_sub(1).max(self.config.aifsn_min);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_station_with_less_gets_a_shorter_space() {
        let mut controller = AifsController::new(ControllerConfig::default(), 0, vec![3, 3, 3]);
        controller.adjust(&[100, 100, 20]);
        assert_eq!(controller.aifsn, [4, 4, 2]);
        // The least AIFSN holds, and a station that sends nothing is left alone.
        controller.adjust(&[200, 100, 30]);
        assert_eq!(controller.aifsn, [5, 4, 2]);
        assert_eq!(controller.next, Nanos::ZERO + Span::from_secs(3));
        let limited = [0, 1, 2].map(|i| controller.limits(i).unwrap());
        assert_eq!(limited.map(|l| (l.adjustments, l.limited)), [(2, 0), (2, 0), (2, 1)]);
        assert_eq!(controller.limits(3), None);
    }

    /// A station at its greatest AIFSN with more than its share is limited too; within the tolerance none is.
    #[test]
    fn bounds_that_prevent_an_adjustment_are_counted() {
        let mut controller = AifsController::new(ControllerConfig::default(), 0, vec![10, 2]);
        controller.adjust(&[100, 20]);
        controller.adjust(&[200, 120]);
        let limited = [0, 1].map(|i| controller.limits(i).unwrap());
        assert_eq!(limited.map(|l| (l.adjustments, l.limited)), [(2, 1), (2, 1)]);
        assert_eq!(controller.aifsn, [10, 2]);
    }

    #[test]
    fn equal_shares_change_nothing() {
        let mut controller = AifsController::new(ControllerConfig::default(), 0, vec![5, 7]);
        controller.adjust(&[1000, 1050]);
        assert_eq!(controller.aifsn, [5, 7]);
    }
}
