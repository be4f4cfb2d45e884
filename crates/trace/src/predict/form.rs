//! The fitted forms: sums of terms in PRR, mu and further metrics of a link, each with its
//! coefficient, and a constant.
//!
//! The forms are S1's (section 7). S1's "quadratic" is `a PRR^2 + d` without a linear term: its
//! printed error is larger than the linear fit's, which is impossible for a fit that contains the
//! linear term. Its "15 term" is every product of {1, 1/sqrt(1-PRR), PRR, PRR^2} and {1,
//! 1/sqrt(1-mu), mu, mu^2} but 1 itself; here it has a constant as well, like the others.
//!
//! A term is written as a product of factors: `prr`, `prr^2`, `1/sqrt(1-prr)`, the same with `mu`
//! or the name of a further metric, and `*` between them. All variables are dimensionless except
//! the further metrics, which keep their units.

use airtcp_units::Narrow;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::FitError;

/// Least `1 - x` in `1/sqrt(1 - x)`, which would be infinite for a perfect link. \[choice\]
pub const MIN_LOSS: f64 = 1e-6;

/// A sum of terms, each with a coefficient to fit, and a constant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Form {
    /// Name of the form.
    pub name: String,
    /// Its terms besides the constant, such as `prr`, `prr^2`, `1/sqrt(1-prr)`, `prr*mu`.
    pub terms: Vec<String>,
}

impl Form {
    fn new(name: &str, terms: &[&str]) -> Self {
        Self { name: name.into(), terms: terms.iter().map(|&t| t.into()).collect() }
    }

    /// S1's forms, in the order of their number of coefficients.
    pub fn published() -> Vec<Self> {
        vec![
            Self::new("linear", &["prr"]),
            Self::new("quadratic", &["prr^2"]),
            Self::new("inverse-root", &["1/sqrt(1-prr)"]),
            Self::new("combined", &["1/sqrt(1-prr)", "prr", "prr^2"]),
            Self::second_order("second-order", &["prr", "mu"]),
            Self::products(),
        ]
    }

    /// S1's form of 15 terms.
    fn products() -> Self {
        let shapes = |v: &str| ["1".into(), format!("1/sqrt(1-{v})"), v.into(), format!("{v}^2")];
        let terms = shapes("prr")
            .iter()
            .flat_map(|prr| {
                shapes("mu").map(|mu| match (prr.as_str(), mu.as_str()) {
                    ("1", _) => mu,
                    (_, "1") => prr.clone(),
                    _ => format!("{prr}*{mu}"),
                })
            })
            .filter(|term| term != "1")
            .collect();
        Self { name: "15-term".into(), terms }
    }

    /// The forms that test a further metric `M`: in place of mu (`prr & M`), as one more term
    /// beside PRR and mu (`prr & mu + M`), and in full beside them (`prr & mu & M`), all of second
    /// order in what `&` joins; and as one more of S1's terms (`15-term + M`).
    pub fn with_metric(metric: &str) -> Vec<Self> {
        let mut one_more = Self::second_order(&format!("prr & mu + {metric}"), &["prr", "mu"]);
        one_more.terms.push(metric.into());
        let mut sixteen = Self::products();
        sixteen.name = format!("15-term + {metric}");
        sixteen.terms.push(metric.into());
        vec![
            Self::second_order(&format!("prr & {metric}"), &["prr", metric]),
            one_more,
            Self::second_order(&format!("prr & mu & {metric}"), &["prr", "mu", metric]),
            sixteen,
        ]
    }

    /// Every product of at most two of `variables`.
    pub fn second_order(name: &str, variables: &[&str]) -> Self {
        let mut terms: Vec<String> = Vec::new();
        for v in variables {
            terms.extend([(*v).to_owned(), format!("{v}^2")]);
        }
        for (i, v) in variables.iter().enumerate() {
            terms.extend(variables[i + 1..].iter().map(|w| format!("{v}*{w}")));
        }
        Self { name: name.into(), terms }
    }

    /// Number of coefficients, with the constant.
    pub fn coefficients(&self) -> usize {
        self.terms.len() + 1
    }

    /// The form as a formula with letters for coefficients, `a*prr + b`.
    pub fn formula(&self) -> String {
        let letter = |i: usize| char::from(b'a' + u8::narrow(i % 26));
        let mut parts: Vec<String> = Vec::new();
        for (i, term) in self.terms.iter().enumerate() {
            // Writes `a*1/sqrt(1-prr)` as a quotient.
            parts.push(match term.strip_prefix("1/") {
                Some(rest) => format!("{}/{rest}", letter(i)),
                None => format!("{}*{term}", letter(i)),
            });
        }
        parts.push(letter(self.terms.len()).into());
        parts.join(" + ")
    }
}

/// How a variable enters a factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Linear,
    Square,
    InverseRoot,
}

/// A parsed term: variables by their position among the known ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Term(Vec<(usize, Shape)>);

impl Term {
    /// Reads a term of `form`; `variables` are the names that may stand in it.
    pub(super) fn read(text: &str, form: &str, variables: &[String]) -> Result<Self, FitError> {
        text.split('*')
            .map(|factor| {
                let factor = factor.trim();
                let inverse =
                    factor.strip_prefix("1/sqrt(1-").and_then(|rest| rest.strip_suffix(')'));
                let (name, shape) = match (inverse, factor.strip_suffix("^2")) {
                    (Some(name), _) => (name, Shape::InverseRoot),
                    (None, Some(name)) => (name, Shape::Square),
                    (None, None) => (factor, Shape::Linear),
                };
                let at = variables.iter().position(|v| v == name);
                Ok((at.ok_or_else(|| FitError::term(text, form, variables))?, shape))
            })
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// Positions of the variables in the term.
    pub(super) fn variables(&self) -> impl Iterator<Item = usize> {
        self.0.iter().map(|f| f.0)
    }

    /// The term's value for a link whose variables have the values `at`.
    pub(super) fn value(&self, at: &[f64]) -> f64 {
        self.0
            .iter()
            .map(|&(variable, shape)| match (at[variable], shape) {
                (v, Shape::Linear) => v,
                (v, Shape::Square) => v * v,
                (v, Shape::InverseRoot) => 1.0 / (1.0 - v).max(MIN_LOSS).sqrt(),
            })
            .product()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<String> {
        ["prr", "mu", "beta"].map(String::from).to_vec()
    }

    #[test]
    fn the_published_forms() {
        let forms = Form::published();
        let sizes: Vec<usize> = forms.iter().map(Form::coefficients).collect();
        assert_eq!(sizes, [2, 2, 2, 4, 6, 16]);
        assert_eq!(forms[3].formula(), "a/sqrt(1-prr) + b*prr + c*prr^2 + d");
        assert_eq!(forms[4].formula(), "a*prr + b*prr^2 + c*mu + d*mu^2 + e*prr*mu + f");
        // S1's own example of a term of the largest form.
        assert!(forms[5].terms.iter().any(|t| t == "prr^2*1/sqrt(1-mu)"));
        let mut terms = forms[5].terms.clone();
        terms.sort();
        terms.dedup();
        assert_eq!(terms.len(), 15);
        let sizes: Vec<usize> = Form::with_metric("beta").iter().map(Form::coefficients).collect();
        assert_eq!(sizes, [6, 7, 10, 17]);
    }

    #[test]
    fn terms_are_evaluated() {
        let at = [0.36, 0.75, 3.0];
        let value = |text: &str| Term::read(text, "test", &names()).unwrap().value(&at);
        assert_eq!(value("prr"), 0.36);
        assert_eq!(value("1/sqrt(1-prr)"), 1.25);
        assert!((value("prr^2 * 1/sqrt(1-mu)") - 0.36 * 0.36 * 2.0).abs() < 1e-15);
        assert_eq!(value("beta^2"), 9.0);
        // A perfect link, and a metric beyond 1.
        let perfect = Term::read("1/sqrt(1-prr)", "test", &names()).unwrap();
        assert!((perfect.value(&[1.0, 0.0, 0.0]) - 1000.0).abs() < 1e-9);
        assert!((value("1/sqrt(1-beta)") - 1000.0).abs() < 1e-9);
    }

    #[test]
    fn what_is_no_term() {
        for bad in ["", "prr*", "PRR", "prr^3", "1/sqrt(prr)", "gamma", "prr^2^2", "prr+mu"] {
            let error = Term::read(bad, "mine", &names()).unwrap_err().to_string();
            assert!(error.contains("\"mine\"") && error.contains("prr, mu, beta"), "{error}");
        }
    }
}
