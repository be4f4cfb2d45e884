//! The options of a comparison of schemes, and the variants that they ask for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::base::error::CompareError;
use crate::variant::scheme::{BASE, Variant};

/// Stands for all variants that can act in the cell.
const ALL: &str = "all";

/// Most variants in one comparison.
const MAX_VARIANTS: usize = 100;

/// How schemes are compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SchemesOptions {
    /// The variants: `base` for the scenario as written, `edca`, a scheme or queue discipline by its tag with
    /// keys behind colons, `rts`, `ack-1`, and several of them joined by `+`. `all` stands for all of
    /// these one by one.
    pub schemes: Vec<String>,
    /// The variant that the others are compared with; `base` if absent. It is added if it is not among them.
    pub reference: Option<String>,
    /// Replications; if absent the scenario's if it has several, else 10.
    pub replications: Option<u32>,
    /// Root seed; if absent the scenario's.
    pub seed: Option<u64>,
    /// Threads; all cores if absent. The result does not depend on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workers: Option<u32>,
}

impl Default for SchemesOptions {
    fn default() -> Self {
        Self {
            schemes: vec![ALL.to_owned()],
            reference: None,
            replications: None,
            seed: None,
            workers: None,
        }
    }
}

/// A variant that is asked for.
#[derive(Debug, Clone)]
pub(crate) struct Wanted {
    pub(crate) label: String,
    /// What it is, or why its text alone does not say so.
    pub(crate) variant: Result<Variant, String>,
    /// True if it is named, and not only one of `all`: then it has to act.
    pub(crate) is_named: bool,
}

impl Wanted {
    fn named(variant: Variant) -> Self {
        Self { label: variant.label().to_owned(), variant: Ok(variant), is_named: true }
    }

    fn of_all(name: &str) -> Self {
        let variant = Variant::parse(name).map_err(|e| e.to_string());
        Self { label: name.to_owned(), variant, is_named: name == BASE }
    }
}

impl SchemesOptions {
    /// The variants that are asked for, the reference first.
    ///
    /// # Errors
    /// If a name, a key or a number is impossible.
    pub(crate) fn wanted(&self) -> Result<Vec<Wanted>, CompareError> {
        crate::document::compare_options::check_counts(self.replications, self.workers)?;
        if self.schemes.is_empty() {
            let message = "schemes: none is named; name some, such as \"ftca\", or \"all\"";
            return Err(CompareError::other(message));
        }
        let reference = self.reference.as_deref().unwrap_or(BASE);
        let mut found = vec![Wanted::named(Variant::parse(reference)?)];
        for text in &self.schemes {
            let more = if text.trim() == ALL {
                Variant::all().into_iter().map(Wanted::of_all).collect()
            } else {
                vec![Wanted::named(Variant::parse(text)?)]
            };
            for wanted in more {
                match found.iter_mut().find(|known| known.label == wanted.label) {
                    Some(known) if wanted.is_named => *known = wanted,
                    Some(_) => {}
                    None => found.push(wanted),
                }
            }
        }
        if found.len() > MAX_VARIANTS {
            return Err(CompareError::other(format!(
                "schemes: {} variants; expected up to {MAX_VARIANTS}",
                found.len()
            )));
        }
        Ok(found)
    }
}
