//! Columns made in Rust, read by polars, pandas, pyarrow and DuckDB without a copy.
//!
//! The class [`Table`] has the Arrow PyCapsule interface (`__arrow_c_stream__`). Columns are named,
//! typed and of equal length; a missing value is a null. Names carry the unit.

use std::ffi::CStr;
use std::sync::Arc;

use airtcp_sim::Estimate;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, RecordBatch, RecordBatchIterator, StringArray,
    UInt64Array,
};
use arrow_schema::{DataType, Field, Schema};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::error::AirtcpError;

/// The name by which readers of the interface know the capsule.
const STREAM: &CStr = c"arrow_array_stream";

/// An immutable table of typed columns. Give it to `polars.DataFrame`, `pyarrow.table` or
/// anything else that reads the Arrow PyCapsule interface.
#[pyclass(frozen, module = "airtcp._core")]
pub struct Table {
    batch: RecordBatch,
}

#[pymethods]
impl Table {
    /// Names of the columns, in order.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.batch.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    fn __repr__(&self) -> String {
        format!("Table({} rows: {})", self.batch.num_rows(), self.column_names().join(", "))
    }

    /// The Arrow C stream of the table (Arrow PyCapsule interface). As the interface allows, the
    /// stream has the table's own schema whatever schema is requested.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let batches = std::iter::once(Ok(self.batch.clone()));
        let reader = RecordBatchIterator::new(batches, self.batch.schema());
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), STREAM)
    }
}

/// Makes a table of `rows`, a column at a time.
pub(crate) struct Columns<'a, T> {
    rows: &'a [T],
    fields: Vec<Field>,
    arrays: Vec<ArrayRef>,
}

impl<'a, T> Columns<'a, T> {
    pub(crate) fn of(rows: &'a [T]) -> Self {
        Self { rows, fields: Vec::new(), arrays: Vec::new() }
    }

    /// A column of reals.
    pub(crate) fn real<V: Into<Option<f64>>>(self, name: &str, get: impl Fn(&'a T) -> V) -> Self {
        let array: Float64Array = self.rows.iter().map(|row| get(row).into()).collect();
        self.push(name, DataType::Float64, Arc::new(array))
    }

    /// A column of counts.
    pub(crate) fn count<V: Into<Option<u64>>>(self, name: &str, get: impl Fn(&'a T) -> V) -> Self {
        let array: UInt64Array = self.rows.iter().map(|row| get(row).into()).collect();
        self.push(name, DataType::UInt64, Arc::new(array))
    }

    /// A column of yes or no.
    pub(crate) fn flag<V: Into<Option<bool>>>(self, name: &str, get: impl Fn(&'a T) -> V) -> Self {
        let array: BooleanArray = self.rows.iter().map(|row| get(row).into()).collect();
        self.push(name, DataType::Boolean, Arc::new(array))
    }

    /// A column of text.
    pub(crate) fn text<'b, V: Into<Option<&'b str>>>(
        self,
        name: &str,
        get: impl Fn(&'a T) -> V,
    ) -> Self
    where
        'a: 'b,
    {
        let array: StringArray = self.rows.iter().map(|row| get(row).into()).collect();
        self.push(name, DataType::Utf8, Arc::new(array))
    }

    /// Columns of a mean and the ends of its interval.
    pub(crate) fn estimate(self, name: &str, get: impl Fn(&'a T) -> Option<Estimate>) -> Self {
        self.real(name, |row| get(row).and_then(|e| e.mean))
            .real(&format!("{name}_ci_low"), |row| get(row).and_then(|e| e.ci_low))
            .real(&format!("{name}_ci_high"), |row| get(row).and_then(|e| e.ci_high))
    }

    /// The rows of the table.
    pub(crate) const fn rows(&self) -> &'a [T] {
        self.rows
    }

    /// Adds a finished column, with one value per row.
    pub(crate) fn push(mut self, name: &str, kind: DataType, column: ArrayRef) -> Self {
        self.fields.push(Field::new(name, kind, true));
        self.arrays.push(column);
        self
    }

    /// The table. Fails only on a defect here: all columns have a value for each row.
    pub(crate) fn finish(self) -> PyResult<Table> {
        RecordBatch::try_new(Arc::new(Schema::new(self.fields)), self.arrays)
            .map(|batch| Table { batch })
            .map_err(|e| AirtcpError::new_err(e.to_string()))
    }
}
