//! Errors of a set of links to fit and of a single fit, in words.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

/// Why links cannot be fitted at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FitError {
    /// There is no link to fit.
    #[error("no link to fit{reason}; expected links with a PRR and a TCP throughput")]
    NoLinks {
        /// Why links were left out, if any were.
        reason: String,
    },
    /// An impossible number.
    #[error("link \"{link}\": {quantity} is {found}; expected {expected}")]
    Value {
        /// The link.
        link: String,
        /// The quantity.
        quantity: String,
        /// What was given.
        found: String,
        /// What is accepted.
        expected: &'static str,
    },
    /// A term that cannot be read.
    #[error(
        "form \"{form}\": \"{term}\" is no term; expected X, X^2 or 1/sqrt(1-X), or a product of \
         these with *, where X is one of: {variables}"
    )]
    Term {
        /// The form.
        form: String,
        /// The term.
        term: String,
        /// The names of the variables.
        variables: String,
    },
    /// A metric whose name cannot stand in a term, or that a link lacks.
    #[error("metric \"{name}\": {reason}")]
    Metric {
        /// Its name.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// An option of the formulas outside its range.
    #[error("{option} is {found}: accepted is {accepted}")]
    Range {
        /// The option.
        option: &'static str,
        /// What was given.
        found: String,
        /// What is accepted.
        accepted: &'static str,
    },
}

impl FitError {
    pub(super) fn term(term: &str, form: &str, variables: &[String]) -> Self {
        Self::Term { form: form.into(), term: term.into(), variables: variables.join(", ") }
    }
}

/// Why one form cannot be fitted to links that others can be fitted to.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum FitProblem {
    /// As many coefficients as links, or more: the fit would meet every link exactly.
    TooFewLinks {
        /// Number of links.
        links: usize,
        /// Coefficients of the form, with the constant.
        coefficients: usize,
    },
    /// The terms are linearly dependent on these links.
    Singular {
        /// A term that is a combination of the others on these links.
        term: String,
        /// The variables of the form, with the number of different values the links have.
        variables: Vec<(String, usize)>,
        /// Number of links.
        links: usize,
    },
    /// The work was stopped before this fit.
    Stopped,
    /// The solver did not find the optimum. No input is known to cause this.
    NotSolved,
}

impl fmt::Display for FitProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFewLinks { links, coefficients } => write!(
                f,
                "{coefficients} coefficients need {} links or more; there {} {links}",
                coefficients + 1,
                if *links == 1 { "is" } else { "are" },
            ),
            Self::Singular { term, variables, links } => {
                let same: Vec<&str> =
                    variables.iter().filter(|v| v.1 == 1).map(|v| v.0.as_str()).collect();
                if !same.is_empty() {
                    return write!(f, "all {links} links have the same {}", same.join(" and "));
                }
                let few: Vec<String> =
                    variables.iter().map(|(v, n)| format!("{n} different values of {v}")).collect();
                write!(
                    f,
                    "the links do not tell the term {term} from the others: there are {}",
                    few.join(" and ")
                )
            }
            Self::Stopped => f.write_str("stopped before it was fitted"),
            Self::NotSolved => f.write_str("the optimum was not found"),
        }
    }
}
