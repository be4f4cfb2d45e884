//! One form fitted to links: the coefficients, the errors, and each link left out in turn.
//!
//! The design's columns are the form's terms and a constant, its rows the links. The fit uses an
//! orthonormal basis of its columns, in which the least absolute deviations are the same and
//! rounding is small. A link with leverage 1 determines a coefficient alone and cannot be left out.

use airtcp_units::detmath::ln;

use super::error::FitProblem;
use super::fits::Fit;
use super::form::{Form, Term};
use super::lad::Search;
use super::linear::{Basis, dot};
use super::sample::LinkSample;

/// Least share of a coefficient that must rest on other links for a link to be left out:
/// `1 - h` with `h` its leverage. \[choice\]
const NEEDED: f64 = 1e-12;

/// The progress of the work.
pub(super) struct Work<'a> {
    pub done: usize,
    pub total: usize,
    pub stopped: bool,
    pub report: &'a mut dyn FnMut(usize, usize) -> bool,
}

impl Work<'_> {
    /// Reports that `amount` more is done. False means stop.
    fn goes_on(&mut self, amount: usize) -> bool {
        self.done += amount;
        if !self.stopped && !(self.report)(self.done, self.total) {
            self.stopped = true;
        }
        !self.stopped
    }
}

/// The links as the fits need them.
pub(super) struct Data<'a> {
    pub links: Vec<&'a LinkSample>,
    /// Values of the variables, link by link.
    values: Vec<&'a [f64]>,
    /// Measured share of the link's packets per second.
    share: Vec<f64>,
}

impl<'a> Data<'a> {
    pub(super) fn of(kept: &'a [(&'a LinkSample, Vec<f64>)]) -> Self {
        Self {
            links: kept.iter().map(|(link, _)| *link).collect(),
            values: kept.iter().map(|(_, values)| values.as_slice()).collect(),
            share: kept
                .iter()
                .map(|(l, _)| l.packets_per_second / l.link_packets_per_second)
                .collect(),
        }
    }

    /// Mean of `|estimate - measured|`, of shares.
    pub(super) fn error(&self, estimates: &[f64]) -> f64 {
        let off = estimates.iter().zip(&self.share).map(|(e, s)| (e - s).abs());
        off.sum::<f64>() / self.share.len() as f64
    }

    /// Shares as packets per second.
    pub(super) fn rates(&self, shares: &[f64]) -> Vec<f64> {
        shares.iter().zip(&self.links).map(|(s, link)| s * link.link_packets_per_second).collect()
    }

    /// Bayesian information criterion of a mean error.
    pub(super) fn bic(&self, coefficients: usize, error: f64) -> Option<f64> {
        let n = self.share.len() as f64;
        let bic = (coefficients as f64 + 1.0) * ln(n) + 2.0 * n * (ln(2.0 * error) + 1.0);
        // A fit without error (to rounding) has no likelihood.
        (error > 1e-12).then_some(bic)
    }
}

/// Fits `form`, whose terms are `terms`; the result holds a problem, if any.
pub(super) fn fit(
    form: &Form,
    terms: &[Term],
    variables: &[String],
    data: &Data<'_>,
    work: &mut Work<'_>,
) -> Fit {
    let mut names = form.terms.clone();
    names.push("1".into());
    let mut out = Fit {
        name: form.name.clone(),
        formula: form.formula(),
        terms: names,
        coefficients: None,
        problem: None,
        problem_text: None,
        error: None,
        leave_one_out_error: None,
        leave_one_out_median: None,
        leave_one_out_note: None,
        bic: None,
        estimates: None,
        leave_one_out_estimates: None,
    };
    if let Err(problem) = solve(form, terms, variables, data, &mut out, work) {
        out.problem_text = Some(problem.to_string());
        out.problem = Some(problem);
    }
    out
}

fn solve(
    form: &Form,
    terms: &[Term],
    variables: &[String],
    data: &Data<'_>,
    out: &mut Fit,
    work: &mut Work<'_>,
) -> Result<(), FitProblem> {
    if work.stopped {
        return Err(FitProblem::Stopped);
    }
    let n = data.links.len();
    let k = form.coefficients();
    if n <= k {
        return Err(FitProblem::TooFewLinks { links: n, coefficients: k });
    }
    let mut columns: Vec<Vec<f64>> =
        terms.iter().map(|t| data.values.iter().map(|v| t.value(v)).collect()).collect();
    columns.push(vec![1.0; n]);
    let basis = Basis::of(&columns).map_err(|column| FitProblem::Singular {
        term: out.terms[column].clone(),
        variables: distinct(terms, variables, data),
        links: n,
    })?;
    let search = Search::solved(&basis.rows, &data.share).ok_or(FitProblem::NotSolved)?;
    let z = search.coefficients().ok_or(FitProblem::NotSolved)?;
    let estimates: Vec<f64> = basis.rows.iter().map(|row| dot(row, &z)).collect();
    let error = data.error(&estimates);
    out.coefficients = Some(basis.coefficients(&z));
    out.error = Some(error);
    out.bic = data.bic(k, error);
    out.estimates = Some(data.rates(&estimates));
    match leave_one_out(&basis.rows, &search, work) {
        Ok(shares) => {
            out.leave_one_out_error = Some(data.error(&shares));
            let mut off: Vec<f64> =
                shares.iter().zip(&data.share).map(|(e, s)| (e - s).abs()).collect();
            off.sort_by(f64::total_cmp);
            out.leave_one_out_median = Some(off[n / 2].midpoint(off[(n - 1) / 2]));
            out.leave_one_out_estimates = Some(data.rates(&shares));
        }
        Err(Unfinished::Needed(i)) => {
            let name = &data.links[i].name;
            out.leave_one_out_note =
                Some(format!("without link \"{name}\" the form cannot be fitted"));
        }
        Err(Unfinished::Stopped) => {
            out.leave_one_out_note = Some("stopped before every link was left out".into());
        }
    }
    Ok(())
}

/// Why not every link could be left out in turn.
enum Unfinished {
    /// A link that cannot be left out.
    Needed(usize),
    /// The work was stopped.
    Stopped,
}

/// The estimate for each link by the fit to all others.
fn leave_one_out(
    rows: &[Vec<f64>],
    search: &Search<'_>,
    work: &mut Work<'_>,
) -> Result<Vec<f64>, Unfinished> {
    let mut out = Vec::with_capacity(rows.len());
    for (i, row) in rows.iter().enumerate() {
        if !work.goes_on(row.len()) {
            return Err(Unfinished::Stopped);
        }
        let spared = 1.0 - dot(row, row) >= NEEDED;
        let fit = if spared { search.without(i).and_then(|s| s.coefficients()) } else { None };
        out.push(dot(row, &fit.ok_or(Unfinished::Needed(i))?));
    }
    Ok(out)
}

/// Number of different values of each variable of the form.
fn distinct(terms: &[Term], variables: &[String], data: &Data<'_>) -> Vec<(String, usize)> {
    let mut used: Vec<usize> = terms.iter().flat_map(Term::variables).collect();
    used.sort_unstable();
    used.dedup();
    used.into_iter()
        .map(|v| {
            let mut values: Vec<f64> = data.values.iter().map(|at| at[v]).collect();
            values.sort_by(f64::total_cmp);
            values.dedup();
            (variables[v].clone(), values.len())
        })
        .collect()
}
