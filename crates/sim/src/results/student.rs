//! Student's interval.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// Student's interval of the mean of several values.
pub(crate) struct Student {
    /// Standard deviation of the values.
    pub(crate) deviation: f64,
    /// The 97.5 % quantile of Student's t.
    pub(crate) quantile: f64,
    /// Half of the interval.
    pub(crate) half: f64,
}

impl Student {
    /// The interval of these values; `None` for fewer than two.
    pub(crate) fn of(values: &[f64]) -> Option<Self> {
        if values.len() < 2 {
            return None;
        }
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (n - 1.0);
        let quantile = t_quantile(n - 1.0);
        let half = quantile * (variance / n).sqrt();
        Some(Self { deviation: variance.sqrt(), quantile, half })
    }
}

/// The 97.5 % quantile of Student's t.
pub(super) fn t_quantile(degrees: f64) -> f64 {
    StudentsT::new(0.0, 1.0, degrees).map_or(f64::NAN, |t| t.inverse_cdf(0.975))
}
