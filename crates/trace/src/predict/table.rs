//! Fits of TCP throughput side by side: what each says of every link, and how far it is off.
//!
//! Throughput is fitted as a share of the link's packets per second (1 over the slot), so that
//! coefficients have no unit (but for one over that of a further metric) and links of different
//! slots can be fitted together. A coefficient times the link's rate is in packets per second.
//!
//! - In-sample error: mean of `|estimate - measured|` over the link's rate (S1, footnote 2).
//! - Leave-one-out error: the same, each link estimated by a fit to all others. Estimates are
//!   not held to what a link can carry, neither here nor there.
//! - BIC, for errors with Laplace's distribution, whose maximum likelihood the least absolute
//!   deviations are: `(k + 1) ln n + 2 n (ln(2 e) + 1)` with `k` coefficients and mean error
//!   `e`, its scale being the one parameter more. Differences matter, levels do not.
//!
//! All forms are fitted to the same links: one that lacks any of the quantities (mu of a
//! perfect link) is left out of all.

use std::collections::BTreeMap;

use airtcp_units::detmath::ln;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::form::Term;
use super::formula::{self, FormulaOptions};
use super::solve::{Data, Work, fit};
use super::{FitError, FitProblem, Form};

/// Longest list of links in a message.
const NAMED: usize = 3;

/// A link, as far as fits see it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkSample {
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// Packet reception ratio.
    pub prr: f64,
    /// Burstiness; absent where it is not defined.
    #[serde(default)]
    pub mu: Option<f64>,
    /// TCP throughput, packets per second.
    pub packets_per_second: f64,
    /// Packets per second of the link layer: 1 over the slot.
    pub link_packets_per_second: f64,
    /// Further metrics by name; absent where not defined.
    #[serde(default)]
    pub metrics: BTreeMap<String, Option<f64>>,
}

/// What to fit.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FitOptions {
    /// Further metrics that are put to the test beside PRR and mu; `log(NAME)` is the natural
    /// logarithm of the metric NAME.
    pub metrics: Vec<String>,
    /// Forms in place of S1's and those that the metrics add.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forms: Option<Vec<Form>>,
    /// Parameters of the formulas.
    pub formulas: FormulaOptions,
}

/// Fits and formulas, side by side.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FitTable {
    /// The links that were fitted.
    pub links: Vec<FittedLink>,
    /// Links that lack a quantity, and which.
    pub left_out: Vec<LeftOut>,
    /// The fits, in order.
    pub fits: Vec<Fit>,
    /// Published formulas, which fit nothing, over the same links.
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
    /// TCP throughput as measured.
    pub packets_per_second: f64,
    /// Packets per second of the link layer.
    pub link_packets_per_second: f64,
    /// Further metrics that were asked for.
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
    /// What is wrong, if it could not be fitted.
    pub problem: Option<FitProblem>,
    /// The same in words.
    pub problem_text: Option<String>,
    /// Mean absolute error over the link's packets per second.
    pub error: Option<f64>,
    /// The same, each link estimated by a fit to all others; null if a fit without some link
    /// is not possible.
    pub leave_one_out_error: Option<f64>,
    /// Median of the absolute leave-one-out errors, which single wild estimates do not move.
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

/// One formula evaluated.
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
    /// Links for which the formula gives more than the link can carry; the link's rate was
    /// taken for these.
    pub limited: usize,
    /// Predictions for the links, packets per second.
    pub estimates: Vec<f64>,
}

impl FitTable {
    /// The fit of the form `name`.
    pub fn fit(&self, name: &str) -> Option<&Fit> {
        self.fits.iter().find(|fit| fit.name == name)
    }

    /// What cannot be fitted and why, and what can, in one sentence; `None` if everything was.
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

/// Fits every form to `links`, and evaluates the formulas.
///
/// # Errors
/// If a number or an option is impossible, or no link is left to fit. A form that cannot be
/// fitted is no error: the reason stands with it.
pub fn fit_throughput(links: &[LinkSample], options: &FitOptions) -> Result<FitTable, FitError> {
    fit_throughput_telling(links, options, |_, _| true)
}

/// The same, telling `report` how much is done and how much there is to do; false from it stops
/// the work, and what was fitted by then is given.
///
/// # Errors
/// As for [`fit_throughput`].
pub fn fit_throughput_telling(
    links: &[LinkSample],
    options: &FitOptions,
    mut report: impl FnMut(usize, usize) -> bool,
) -> Result<FitTable, FitError> {
    options.formulas.validate()?;
    let variables = variables(&options.metrics)?;
    let forms = options.forms.clone().unwrap_or_else(|| {
        let mut forms = Form::published();
        forms.extend(options.metrics.iter().flat_map(|metric| Form::with_metric(metric)));
        forms
    });
    let read = |form: &Form| -> Result<Vec<Term>, FitError> {
        form.terms.iter().map(|term| Term::read(term, &form.name, &variables)).collect()
    };
    let terms: Vec<Vec<Term>> = forms.iter().map(read).collect::<Result<_, _>>()?;
    let mut needed: Vec<usize> = terms.iter().flatten().flat_map(Term::variables).collect();
    needed.sort_unstable();
    needed.dedup();

    let (kept, left_out) = usable(links, &variables, &needed)?;
    if kept.is_empty() {
        return Err(FitError::NoLinks { reason: omissions(&left_out) });
    }
    let data = Data::of(&kept);
    let total = kept.len() * forms.iter().map(Form::coefficients).sum::<usize>();
    let mut work = Work { done: 0, total, stopped: false, report: &mut report };
    let mut fits = Vec::with_capacity(forms.len());
    for (form, terms) in forms.iter().zip(&terms) {
        let before = work.done;
        fits.push(fit(form, terms, &variables, &data, &mut work));
        work.done = before + kept.len() * form.coefficients();
    }
    Ok(FitTable {
        interrupted: work.stopped,
        fits,
        formulas: formula::predictions(&data, &options.formulas),
        links: kept
            .iter()
            .map(|(link, values)| FittedLink {
                name: link.name.clone(),
                prr: link.prr,
                mu: link.mu,
                packets_per_second: link.packets_per_second,
                link_packets_per_second: link.link_packets_per_second,
                metrics: variables.iter().cloned().zip(values.iter().copied()).skip(2).collect(),
            })
            .collect(),
        left_out,
    })
}

/// What forms may name: PRR, mu and the metrics asked for.
fn variables(metrics: &[String]) -> Result<Vec<String>, FitError> {
    let mut variables = vec!["prr".to_owned(), "mu".to_owned()];
    for metric in metrics {
        if metric.is_empty() || metric.contains(['*', '^', '/']) || variables.contains(metric) {
            let reason = "expected a name without * ^ / that is not taken yet".into();
            return Err(FitError::Metric { name: metric.clone(), reason });
        }
        variables.push(metric.clone());
    }
    Ok(variables)
}

/// Links with the values of their variables.
type Usable<'a> = Vec<(&'a LinkSample, Vec<f64>)>;

/// The links that have every variable that is needed, and those left out.
fn usable<'a>(
    links: &'a [LinkSample],
    variables: &[String],
    needed: &[usize],
) -> Result<(Usable<'a>, Vec<LeftOut>), FitError> {
    let (mut kept, mut left_out) = (Vec::new(), Vec::new());
    for link in links {
        check(link)?;
        let values: Vec<Option<f64>> =
            variables.iter().map(|name| value(link, name)).collect::<Result<_, _>>()?;
        match needed.iter().find(|&&v| values[v].is_none()) {
            Some(&v) => left_out.push(LeftOut {
                name: link.name.clone(),
                reason: format!("{} is not defined", variables[v]),
            }),
            // A variable that no term has is never looked at.
            None => kept.push((link, values.iter().map(|v| v.unwrap_or(0.0)).collect())),
        }
    }
    Ok((kept, left_out))
}

fn check(link: &LinkSample) -> Result<(), FitError> {
    let wrong = |quantity: &str, found: f64, expected| {
        let (link, quantity) = (link.name.clone(), quantity.to_owned());
        Err(FitError::Value { link, quantity, found: found.to_string(), expected })
    };
    if !(0.0..=1.0).contains(&link.prr) {
        return wrong("prr", link.prr, "0 to 1");
    }
    if let Some(mu) = link.mu
        && !(-1.0..=1.0).contains(&mu)
    {
        return wrong("mu", mu, "-1 to 1");
    }
    if !(link.packets_per_second >= 0.0 && link.packets_per_second.is_finite()) {
        return wrong("packets_per_second", link.packets_per_second, "0 or more");
    }
    let rate = link.link_packets_per_second;
    if !(rate > 0.0 && rate.is_finite()) {
        return wrong("link_packets_per_second", rate, "more than 0");
    }
    Ok(())
}

/// The value of the variable `name` for `link`.
fn value(link: &LinkSample, name: &str) -> Result<Option<f64>, FitError> {
    let logarithm = name.strip_prefix("log(").and_then(|rest| rest.strip_suffix(')'));
    let found = match name {
        "prr" => Some(link.prr),
        "mu" => link.mu,
        _ => *link.metrics.get(logarithm.unwrap_or(name)).ok_or_else(|| FitError::Metric {
            name: name.into(),
            reason: format!(
                "link \"{}\" has no such metric (it has: {})",
                link.name,
                link.metrics.keys().map(String::as_str).collect::<Vec<_>>().join(", ")
            ),
        })?,
    };
    let found = if logarithm.is_some() { found.filter(|v| *v > 0.0).map(ln) } else { found };
    Ok(found.filter(|v| v.is_finite()))
}

fn omissions(left_out: &[LeftOut]) -> String {
    if left_out.is_empty() {
        return String::new();
    }
    let named: Vec<String> =
        left_out.iter().take(NAMED).map(|l| format!("{}: {}", l.name, l.reason)).collect();
    let more = if left_out.len() > NAMED { " ..." } else { "" };
    format!(" ({}{more})", named.join("; "))
}

#[cfg(test)]
mod tests;
