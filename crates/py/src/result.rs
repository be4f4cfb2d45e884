//! A result: its document as JSON, and its tables. One class for every call that makes them.

use std::sync::Arc;

use pyo3::prelude::*;
use serde::Serialize;

use crate::error;
use crate::table::Table;

/// What a result has to say for itself.
pub(crate) trait Reported: Send + Sync {
    /// The document.
    fn json(&self) -> serde_json::Result<String>;

    /// The root seed; `None` without random draws.
    fn seed(&self) -> Option<u64> {
        None
    }

    /// Whether the work was stopped before its end.
    fn interrupted(&self) -> bool;

    /// Names of the tables that there are, in order.
    fn table_names(&self) -> Vec<&'static str>;

    /// One of the tables; `name` is one of `table_names`.
    fn table(&self, name: &str) -> PyResult<Table>;
}

/// A document of one of the crates, with its tables.
pub(crate) struct Document<T: 'static> {
    pub(crate) inner: T,
    pub(crate) seed: u64,
    pub(crate) interrupted: bool,
    pub(crate) tables: &'static [(&'static str, fn(&T) -> PyResult<Table>)],
}

impl<T: Serialize + Send + Sync> Reported for Document<T> {
    fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string(&self.inner)
    }

    fn seed(&self) -> Option<u64> {
        Some(self.seed)
    }

    fn interrupted(&self) -> bool {
        self.interrupted
    }

    fn table_names(&self) -> Vec<&'static str> {
        self.tables.iter().map(|(name, _)| *name).collect()
    }

    fn table(&self, name: &str) -> PyResult<Table> {
        match self.tables.iter().find(|(known, _)| *known == name) {
            Some((_, make)) => make(&self.inner),
            None => Err(error::no_table(name, &self.table_names())),
        }
    }
}

/// The result of a call.
#[pyclass(frozen, subclass, module = "airtcp._core")]
pub struct CoreResult(pub(crate) Arc<dyn Reported>);

impl CoreResult {
    /// The result of a call whose result is its document alone.
    pub(crate) fn of<T: Serialize + Send + Sync + 'static>(document: Document<T>) -> Self {
        Self(Arc::new(document))
    }
}

#[pymethods]
impl CoreResult {
    /// The document, as JSON.
    fn json(&self) -> PyResult<String> {
        self.0.json().map_err(error::refuse)
    }

    /// The root seed.
    #[getter]
    fn seed(&self) -> Option<u64> {
        self.0.seed()
    }

    /// Whether the work was stopped before its end.
    #[getter]
    fn interrupted(&self) -> bool {
        self.0.interrupted()
    }

    /// Names of the tables.
    fn table_names(&self) -> Vec<&'static str> {
        self.0.table_names()
    }

    /// One of the tables.
    fn table(&self, name: &str) -> PyResult<Table> {
        if self.0.table_names().contains(&name) {
            self.0.table(name)
        } else {
            Err(error::no_table(name, &self.0.table_names()))
        }
    }
}
