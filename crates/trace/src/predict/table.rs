//! Fits of TCP throughput side by side: their estimates for every link, and their errors.
//!
//! Throughput is fitted as a share of the link's packets per second (1 over the slot), so that
//! links with different slots can be fitted together. Coefficients are dimensionless, except those
//! of further metrics.
//!
//! - In-sample error: mean of `|estimate - measured|` over the link's rate (S1, footnote 2).
//! - Leave-one-out error: the same with each link estimated by a fit to all others. Neither error
//!   limits estimates to the link's rate.
//! - BIC, for errors with Laplace's distribution, for which least absolute deviations maximise the
//!   likelihood: `(k + 1) ln n + 2 n (ln(2 e) + 1)` with `k` coefficients, mean error `e`, and the
//!   scale of the errors as one more parameter. Only differences in BIC matter.
//!
//! All forms are fitted to the same links: a link that lacks any of the quantities (such as mu of a
//! perfect link) is left out of all fits.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::FitError;
use super::fits::{FitTable, FittedLink, LeftOut};
use super::form::{Form, Term};
use super::formula::{self, FormulaOptions};
use super::sample::{LinkSample, check, value};
use super::solve::{Data, Work, fit};

/// Longest list of links in a message.
const NAMED: usize = 3;

/// Options of the fits.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FitOptions {
    /// Further metrics to test beside PRR and mu; `log(NAME)` is the natural logarithm of the
    /// metric NAME.
    pub metrics: Vec<String>,
    /// Forms in place of S1's and those that the metrics add.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forms: Option<Vec<Form>>,
    /// Parameters of the formulas.
    pub formulas: FormulaOptions,
}

/// Fits every form to `links`, and evaluates the formulas.
///
/// # Errors If a number or an option is impossible, or no link is left to fit. A form that cannot
/// be fitted is no error: its entry gives the reason.
pub fn fit_throughput(links: &[LinkSample], options: &FitOptions) -> Result<FitTable, FitError> {
    fit_throughput_with_progress(links, options, |_, _| true)
}

/// The same, and calls `report` with the finished and the total work. If `report` returns false,
/// the work stops, and the finished fits are returned.
///
/// # Errors
/// As for [`fit_throughput`].
pub fn fit_throughput_with_progress(
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

/// The variables of forms: PRR, mu and the requested metrics.
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
            // A variable without a term is never read.
            None => kept.push((link, values.iter().map(|v| v.unwrap_or(0.0)).collect())),
        }
    }
    Ok((kept, left_out))
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
