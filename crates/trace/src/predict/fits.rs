//! Fits and formulas side by side: their estimates for every link, and their errors.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::error::FitProblem;

/// Fits and formulas, side by side.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FitTable {
    /// The links that were fitted.
    pub links: Vec<FittedLink>,
    /// Links that lack a quantity, and which.
    pub left_out: Vec<LeftOut>,
    /// The fits, in order.
    pub fits: Vec<Fit>,
    /// Published formulas, without a fit, over the same links.
    pub formulas: Vec<Prediction>,
    /// True if the work was stopped before everything was fitted.
    pub interrupted: bool,
}

/// A link that was fitted.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FittedLink {
    /// Its name.
    pub name: String,
    /// Packet reception ratio.
    pub prr: f64,
    /// Burstiness.
    pub mu: Option<f64>,
    /// Measured TCP throughput.
    pub packets_per_second: f64,
    /// Packets per second of the link layer.
    pub link_packets_per_second: f64,
    /// Further requested metrics.
    pub metrics: BTreeMap<String, f64>,
}

/// A link that was left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LeftOut {
    /// Its name.
    pub name: String,
    /// Why.
    pub reason: String,
}

/// One form fitted.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Fit {
    /// Name of the form.
    pub name: String,
    /// The form as a formula with letters for the coefficients; it gives the share of the
    /// link's packets per second.
    pub formula: String,
    /// The terms, in the order of the coefficients; the constant, `1`, is last.
    pub terms: Vec<String>,
    /// The coefficients; null if the form could not be fitted.
    pub coefficients: Option<Vec<f64>>,
    /// The problem, if the form could not be fitted.
    pub problem: Option<FitProblem>,
    /// The problem in words.
    pub problem_text: Option<String>,
    /// Mean absolute error over the link's packets per second.
    pub error: Option<f64>,
    /// The same error with each link estimated by a fit to all others; null if a fit without some
    /// link is not possible.
    pub leave_one_out_error: Option<f64>,
    /// Median of the absolute leave-one-out errors, which single outliers do not affect.
    pub leave_one_out_median: Option<f64>,
    /// Why there is no leave-one-out error.
    pub leave_one_out_note: Option<String>,
    /// Bayesian information criterion for Laplace errors; null for a perfect fit.
    pub bic: Option<f64>,
    /// Estimates for the links, packets per second.
    pub estimates: Option<Vec<f64>>,
    /// Leave-one-out estimates for the links, packets per second.
    pub leave_one_out_estimates: Option<Vec<f64>>,
}

/// An evaluated formula.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Prediction {
    /// Name of the formula.
    pub name: String,
    /// The formula.
    pub formula: String,
    /// Where it comes from.
    pub source: String,
    /// Mean absolute error over the link's packets per second.
    pub error: f64,
    /// Bayesian information criterion for Laplace errors, with no coefficient.
    pub bic: Option<f64>,
    /// Links for which the formula exceeds the link's rate; their estimate is the link's rate.
    pub limited: usize,
    /// Predictions for the links, packets per second.
    pub estimates: Vec<f64>,
}

impl FitTable {
    /// The fit of the form `name`.
    pub fn fit(&self, name: &str) -> Option<&Fit> {
        self.fits.iter().find(|fit| fit.name == name)
    }

    /// The forms that cannot be fitted and why, and those that can, in one sentence; `None` if all
    /// were fitted.
    pub fn shortfall(&self) -> Option<String> {
        // Forms with the same problem are named together.
        let mut failed: Vec<(Vec<&str>, &str)> = Vec::new();
        for fit in &self.fits {
            let Some(why) = fit.problem_text.as_deref() else { continue };
            if fit.problem == Some(FitProblem::Stopped) {
                continue;
            }
            match failed.iter_mut().find(|(_, known)| *known == why) {
                Some((names, _)) => names.push(&fit.name),
                None => failed.push((vec![&fit.name], why)),
            }
        }
        if failed.is_empty() {
            return None;
        }
        let failed: Vec<String> =
            failed.iter().map(|(names, why)| format!("{} ({why})", names.join(", "))).collect();
        let done: Vec<&str> = self
            .fits
            .iter()
            .filter(|fit| fit.problem.is_none())
            .map(|fit| fit.name.as_str())
            .collect();
        let can = match done.as_slice() {
            [] => "nothing can be fitted".to_owned(),
            some => format!("what can be fitted: {}", some.join(", ")),
        };
        Some(format!("cannot be fitted: {}; {can}", failed.join("; ")))
    }
}
