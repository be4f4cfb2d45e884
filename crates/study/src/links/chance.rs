//! The difference in throughput between a trace and synthetic links, and whether chance explains
//! it.
//!
//! The trace is one run, so only the *mean* of the replicas is uncertain. The difference has the
//! interval of that mean. The ends of the ratio's interval are the trace's rate over the ends of
//! the mean's interval (Fieller's interval with a known numerator).
//!
//! Student's interval of the mean is valid if a replica has many slots that deliver and many that
//! do not. If nearly every slot delivers, rare replicas with a few timeouts determine the mean, and
//! a set of 20 often has none of them. If nearly no slot delivers, rare replicas with a long run of
//! deliveries do. In both cases the mean, the difference and the ratio have no interval.
//!
//! The prediction interval tells whether the trace is like one of the replicas. A rate lies between
//! no packet and a packet in every slot. Near a bound, the distribution of rates is skewed away
//! from it. A normal interval would place too many links below the replicas near full use, and too
//! many above them near no use. The interval is therefore that of `ln((d + 1/2) / (s - d + 1/2))`,
//! with `d` packets delivered in `s` slots, turned back into rates. It is widened to the rates that
//! the replicas reached.

use airtcp_sim::Estimate;
use airtcp_sim::results::Range;
use airtcp_sim::slotted::SlottedConfig;
use airtcp_units::detmath;

use crate::base::slot_use::{SlotUse, without_interval};
use crate::document::study::{Difference, Ensemble, TcpOutcome};

/// The mean of the replicas' rates, with an interval if Student's is valid. A replica has `slots`
/// slots of `slot_s` seconds.
pub(crate) fn mean_rate(rates: &[f64], slots: usize, slot_s: f64) -> Estimate {
    let range = Range::up_to(1.0 / slot_s);
    let estimate = Estimate::within(rates.iter().copied(), range);
    let delivered = estimate.mean.unwrap_or(0.0) * slots as f64 * slot_s;
    if SlotUse::interval_holds(&[SlotUse::of_tcp(delivered, slots as f64 - delivered)]) {
        return estimate;
    }
    without_interval(estimate)
}

pub(crate) fn difference(
    empirical: &TcpOutcome,
    ensemble: &Ensemble,
    config: &SlottedConfig,
) -> Difference {
    let rate = empirical.packets_per_second;
    let rates = &ensemble.replica_packets_per_second;
    let mean = ensemble.packets_per_second;
    let slots = Slots {
        duration_s: empirical.duration_s,
        count: empirical.duration_s / config.slot.as_secs_f64(),
    };
    let prediction = slots.prediction(rates).map(|[low, high]| [rate - high, rate - low]);
    Difference {
        packets_per_second: Estimate {
            mean: mean.mean.map(|m| rate - m),
            ci_low: mean.ci_high.map(|m| rate - m),
            ci_high: mean.ci_low.map(|m| rate - m),
        },
        percent: mean.mean.filter(|m| *m > 0.0).map(|m| percent(rate, m, &mean)),
        prediction,
        beyond_chance: prediction.map(|[low, high]| low > 0.0 || high < 0.0),
    }
}

/// `rate` over the ensemble's mean, minus 1, in percent. An end is open if the mean may be zero.
fn percent(rate: f64, mean: f64, interval: &Estimate) -> Estimate {
    let over = |base: f64| 100.0 * (rate / base - 1.0);
    let bounds = interval.ci_low.zip(interval.ci_high);
    Estimate {
        mean: Some(over(mean)),
        ci_low: bounds.map(|(_, high)| over(high)),
        ci_high: bounds.filter(|(low, _)| *low > 0.0).map(|(low, _)| over(low)),
    }
}

/// The slots of a trace.
struct Slots {
    duration_s: f64,
    count: f64,
}

impl Slots {
    /// The interval that holds the rate over one more synthetic link with at least 95 %
    /// probability.
    fn prediction(&self, rates: &[f64]) -> Option<[f64; 2]> {
        let scaled: Vec<f64> = rates.iter().map(|r| self.logit(*r)).collect();
        let [low, high] = Estimate::prediction(&scaled)?.map(|y| self.rate(y));
        Some(rates.iter().fold([low, high], |[low, high], r| [low.min(*r), high.max(*r)]))
    }

    fn logit(&self, rate: f64) -> f64 {
        let delivered = (rate * self.duration_s).clamp(0.0, self.count);
        detmath::ln((delivered + 0.5) / (self.count - delivered + 0.5))
    }

    fn rate(&self, logit: f64) -> f64 {
        let share = 1.0 / (1.0 + detmath::exp(-logit));
        let delivered = share * (self.count + 1.0) - 0.5;
        delivered.clamp(0.0, self.count) / self.duration_s
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentage_knows_that_its_base_is_uncertain() {
        let base = Estimate { mean: Some(2.0), ci_low: Some(1.6), ci_high: Some(2.5) };
        let gain = percent(10.0, 2.0, &base);
        // 10 / 2.5 to 10 / 1.6: not 5 -+ 25 % of one.
        assert_eq!((gain.mean, gain.ci_low, gain.ci_high), (Some(400.0), Some(300.0), Some(525.0)));
        let open = Estimate { mean: Some(2.0), ci_low: Some(-1.0), ci_high: Some(5.0) };
        assert_eq!(
            (percent(10.0, 2.0, &open).ci_low, percent(10.0, 2.0, &open).ci_high),
            (Some(100.0), None)
        );
        let single = Estimate { mean: Some(2.0), ci_low: None, ci_high: None };
        assert_eq!(percent(10.0, 2.0, &single).ci_low, None);
    }

    #[test]
    fn a_mean_made_by_rare_replicas_has_no_interval() {
        let has = |rates: &[f64], slots| {
            let found = mean_rate(rates, slots, 0.01);
            assert!(found.mean.is_some());
            found.ci_low.is_some() && found.ci_high.is_some()
        };
        // 100 packets/s is one a slot; of 2000 slots 200 are 10 packets/s.
        assert!(has(&[80.0, 90.0, 85.0], 2000));
        assert!(!has(&[99.8, 99.8, 97.0], 2000));
        assert!(has(&[99.0, 98.8, 98.0], 20_000));
        assert!(!has(&[0.5, 2.0, 1.0], 2000));
        assert!(has(&[0.5, 2.0, 1.0], 20_000));
        assert_eq!(mean_rate(&[], 2000, 0.01).mean, None);
    }

    #[test]
    fn predictions_stay_among_the_slots_and_lean_away_from_their_bounds() {
        let slots = Slots { duration_s: 10.0, count: 1000.0 };
        for rate in [0.0, 0.1, 5.0, 50.0, 99.9, 100.0] {
            assert!((slots.rate(slots.logit(rate)) - rate).abs() < 1e-9, "{rate}");
        }
        let high = [97.0, 98.0, 97.5, 98.5, 96.5, 97.2];
        let [low, up] = slots.prediction(&high).unwrap();
        assert!(up < 100.0 && 97.5 - low > 1.3 * (up - 97.5), "{low} {up}");
        let [low, up] = slots.prediction(&high.map(|r| 100.0 - r)).unwrap();
        assert!(low > 0.0 && up - 2.5 > 1.3 * (2.5 - low), "{low} {up}");
        // The interval includes the replicas' own rates, and no delivery at all is no error.
        assert!(slots.prediction(&[0.0, 0.0, 90.0]).unwrap()[1] >= 90.0);
        assert_eq!(slots.prediction(&[1.0]), None);
        let [low, _] = slots.prediction(&[0.0; 20]).unwrap();
        assert!(low.abs() < 1e-12);
    }
}
