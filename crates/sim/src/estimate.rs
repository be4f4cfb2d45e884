//! Means with confidence intervals over replications.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// A mean with its 95 % confidence interval (Student's t over replications). With a single
/// replication, or none, there is no interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimate {
    /// Mean over replications; null if there is nothing to average.
    pub mean: Option<f64>,
    /// Lower end of the interval.
    pub ci_low: Option<f64>,
    /// Upper end of the interval.
    pub ci_high: Option<f64>,
}

impl Estimate {
    /// The estimate from one value per replication; values that are not finite are left out.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let values: Vec<f64> = values.into_iter().filter(|v| v.is_finite()).collect();
        let n = values.len() as f64;
        if values.is_empty() {
            return Self { mean: None, ci_low: None, ci_high: None };
        }
        let mean = values.iter().sum::<f64>() / n;
        if values.len() == 1 {
            return Self { mean: Some(mean), ci_low: None, ci_high: None };
        }
        let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (n - 1.0);
        let half = t_quantile(n - 1.0) * (variance / n).sqrt();
        Self { mean: Some(mean), ci_low: Some(mean - half), ci_high: Some(mean + half) }
    }

    /// The interval in which one further value lies with 95 % probability, if the values are
    /// normally distributed: wider than the confidence interval of their mean, and the one to
    /// ask when a single run is compared with several.
    pub fn prediction(values: &[f64]) -> Option<[f64; 2]> {
        let n = values.len() as f64;
        if values.len() < 2 {
            return None;
        }
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (n - 1.0);
        let half = t_quantile(n - 1.0) * (variance * (1.0 + 1.0 / n)).sqrt();
        Some([mean - half, mean + half])
    }

    /// The estimate of a quantity that may be missing in some replications.
    pub fn of_some(values: impl IntoIterator<Item = Option<f64>>) -> Self {
        Self::of(values.into_iter().flatten())
    }
}

/// The 97.5 % quantile of Student's t.
fn t_quantile(degrees: f64) -> f64 {
    StudentsT::new(0.0, 1.0, degrees).map_or(f64::NAN, |t| t.inverse_cdf(0.975))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_from_the_tables() {
        for (degrees, quantile) in [(1.0, 12.706), (5.0, 2.571), (19.0, 2.093), (100.0, 1.984)] {
            assert!((t_quantile(degrees) - quantile).abs() < 5e-4, "{degrees}");
        }
    }

    #[test]
    fn prediction_of_one_more() {
        assert_eq!(Estimate::prediction(&[1.0]), None);
        let [low, high] = Estimate::prediction(&[1.0, 2.0, 3.0]).unwrap();
        // 4.303 * sqrt(1 + 1/3) = 4.969.
        assert!((low + 2.969).abs() < 1e-3 && (high - 6.969).abs() < 1e-3, "{low} {high}");
    }

    #[test]
    fn small_samples() {
        assert_eq!(Estimate::of([]).mean, None);
        assert_eq!(Estimate::of([2.0]), Estimate { mean: Some(2.0), ci_low: None, ci_high: None });
        let e = Estimate::of([1.0, 2.0, 3.0, f64::NAN]);
        // 4.303 * 1 / sqrt 3 = 2.484.
        assert!((e.ci_high.unwrap() - 4.484).abs() < 1e-3);
    }
}
