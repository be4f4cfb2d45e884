//! Columns made in Rust, read by polars, pandas, pyarrow and DuckDB without a copy.
//!
//! One class speaking the Arrow PyCapsule interface (`__arrow_c_stream__`): whatever reads that
//! reads this. Columns are named, typed and of one length; a missing value is a null, never a
//! magic number. Times are in seconds and sizes in packets or bytes, as each name says.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, RecordBatch, StringArray, UInt64Array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3_arrow::ffi::{ArrayIterator, to_stream_pycapsule};

/// An immutable table of typed columns.
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

    /// The Arrow C stream of the table (Arrow PyCapsule interface).
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let field = Field::new_struct("", self.batch.schema().fields().clone(), false);
        let array: ArrayRef = Arc::new(arrow_array::StructArray::from(self.batch.clone()));
        let stream = ArrayIterator::new(std::iter::once(Ok(array)), Arc::new(field));
        Ok(to_stream_pycapsule(py, Box::new(stream), requested_schema)?)
    }
}

/// Collects columns of one length.
pub(crate) struct Builder {
    fields: Vec<Field>,
    columns: Vec<ArrayRef>,
}

impl Builder {
    pub(crate) fn new() -> Self {
        Self { fields: Vec::new(), columns: Vec::new() }
    }

    pub(crate) fn floats(self, name: &str, values: Vec<Option<f64>>) -> Self {
        self.push(name, DataType::Float64, Arc::new(Float64Array::from(values)))
    }
    pub(crate) fn counts(self, name: &str, values: Vec<Option<u64>>) -> Self {
        self.push(name, DataType::UInt64, Arc::new(UInt64Array::from(values)))
    }
    pub(crate) fn flags(self, name: &str, values: Vec<Option<bool>>) -> Self {
        self.push(name, DataType::Boolean, Arc::new(BooleanArray::from(values)))
    }

    pub(crate) fn strings(self, name: &str, values: Vec<String>) -> Self {
        self.push(name, DataType::Utf8, Arc::new(StringArray::from(values)))
    }

    fn push(mut self, name: &str, kind: DataType, column: ArrayRef) -> Self {
        self.fields.push(Field::new(name, kind, true));
        self.columns.push(column);
        self
    }

    pub(crate) fn finish(self) -> Table {
        let schema: SchemaRef = Arc::new(Schema::new(self.fields));
        Table { batch: RecordBatch::try_new(schema, self.columns).expect("x") }
    }
}
