//! The extension module `airtcp._core`: scenario in, tables out, no logic.

mod table;

use pyo3::prelude::*;

/// What the Python package `airtcp` calls.
#[pymodule(name = "_core")]
mod core {
    #[pymodule_export]
    use crate::table::Table;

    #[pyo3::pyfunction]
    fn spike() -> Table {
        crate::table::Builder::new()
            .strings("name", ["a", "b"].map(String::from).to_vec())
            .floats("x", vec![Some(1.0), None])
            .finish()
    }
}
