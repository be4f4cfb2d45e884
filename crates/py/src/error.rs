//! The exceptions of the package. Each message is complete: it names the file, the line or the
//! path, what was found and what is accepted.

use std::borrow::Borrow;
use std::path::Path;

use airtcp_probe::unnumbered;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyKeyError};
use pyo3::prelude::*;
use serde::de::DeserializeOwned;

create_exception!(
    airtcp._core,
    AirtcpError,
    PyException,
    "An input or option that airtcp refuses."
);
create_exception!(airtcp._core, ScenarioError, AirtcpError, "A scenario that cannot be run.");
create_exception!(
    airtcp._core,
    LawError,
    AirtcpError,
    "A congestion law that cannot be loaded, or that failed in a run."
);
create_exception!(airtcp._core, TraceError, AirtcpError, "A trace that cannot be read or made.");

/// Any refusal, as the base exception.
pub(crate) fn refuse(error: impl std::fmt::Display) -> PyErr {
    AirtcpError::new_err(unnumbered(&error.to_string()))
}

/// A refusal of a trace by its reader. `guess` of the exception is what the file may hold, and the options that read it
/// so, if that is known.
pub(crate) fn unread(error: &airtcp_trace::TraceError) -> PyErr {
    let refused = trace(error);
    let guess = error.guess().map(|guess| (guess.holds, guess.options));
    Python::attach(|py| {
        // Without the attribute the message is still right.
        let _ = refused.value(py).setattr("guess", guess);
    });
    refused
}

/// A refusal of a trace.
pub(crate) fn trace(error: impl std::fmt::Display) -> PyErr {
    TraceError::new_err(unnumbered(&error.to_string()))
}

/// A refusal of a congestion law.
pub(crate) fn law(error: impl std::fmt::Display) -> PyErr {
    LawError::new_err(unnumbered(&error.to_string()))
}

/// A refusal of a scenario. `given` of the exception is the path of the override that gave the value, if one did.
pub(crate) fn scenario(error: impl Borrow<airtcp_scenario::ScenarioError>) -> PyErr {
    let error = error.borrow();
    let refused = ScenarioError::new_err(unnumbered(&error.to_string()));
    let given = error.given.as_deref().map(|(path, _)| path);
    Python::attach(|py| {
        // Without the attribute the message is still right.
        let _ = refused.value(py).setattr("given", given);
    });
    refused
}

/// The name of a table that does not exist.
pub(crate) fn no_table(name: &str, tables: &[&str]) -> PyErr {
    PyKeyError::new_err(format!("no table \"{name}\" (there are {})", tables.join(", ")))
}

/// An error in the text of a scenario, in the file `name`. If the file is of another kind, the
/// message names that kind in place of the TOML error.
pub(crate) fn text(error: &airtcp_scenario::ScenarioError, name: &str, text: &str) -> PyErr {
    const LOOKED_AT: usize = 1 << 16;
    let start = &text.as_bytes()[..text.len().min(LOOKED_AT)];
    let syntax = error.message.starts_with("not valid TOML");
    let kind = syntax.then(|| airtcp_trace::reader::text_kind(Path::new(name), start)).flatten();
    // A scenario with a syntax error may look like a table.
    let Some((what, readable)) = kind.filter(|(_, readable)| !readable || !has_keys(text)) else {
        return scenario(error);
    };
    let hint = if readable {
        "'airtcp study', 'airtcp compare' and 'airtcp trace stats' read it"
    } else {
        "expected a scenario file (TOML)"
    };
    ScenarioError::new_err(format!("{name}: this is {what}, not a scenario; {hint}"))
}

/// Whether a text has lines such as `key = value`, `[table]` or `[[flows]]`, as TOML has and no trace.
fn has_keys(text: &str) -> bool {
    text.lines().any(|line| {
        let bare = line.trim_start().trim_start_matches('[');
        let (key, rest) = bare.split_at(
            bare.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(bare.len()),
        );
        if !key.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return false;
        }
        if bare.len() < line.trim_start().len() {
            let rest = rest.trim_end().trim_end_matches(']');
            rest.is_empty() || rest.starts_with('.')
        } else {
            // A spreadsheet's first line names its separator.
            key != "sep" && rest.trim_start().starts_with('=')
        }
    })
}

/// Options as JSON; an error names the option.
pub(crate) fn options<T: DeserializeOwned>(text: &str) -> PyResult<T> {
    let mut reader = serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().to_string();
        let name = path.rsplit_once('.').map_or(path.as_str(), |(_, last)| last);
        let reason = error.inner().to_string();
        let reason = reason.split(" at line ").next().unwrap_or_default();
        AirtcpError::new_err(format!("{name}: {}", airtcp_probe::reworded(reason)))
    })
}
