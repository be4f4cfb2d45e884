//! Traces that a scenario names, each read once for all its runs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use airtcp_units::Outcomes;

use crate::load_trace;

/// Traces by the name that the scenario gives them.
pub(crate) struct Traces {
    folder: PathBuf,
    read: Mutex<BTreeMap<String, Arc<Outcomes>>>,
}

impl Traces {
    /// Traces in `folder`; those that are `known` need not be read.
    pub(crate) fn new(folder: &Path, known: BTreeMap<String, Arc<Outcomes>>) -> Self {
        Self { folder: folder.to_owned(), read: Mutex::new(known) }
    }

    /// The trace of a name.
    ///
    /// # Errors
    /// If its file cannot be read; in words.
    pub(crate) fn load(&self, name: &str) -> Result<Arc<Outcomes>, String> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = read.get(name) {
            return Ok(found.clone());
        }
        let outcomes = load_trace(&self.folder, name)?;
        read.insert(name.to_owned(), outcomes.clone());
        Ok(outcomes)
    }
}
