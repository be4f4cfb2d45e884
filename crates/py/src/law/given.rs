//! The laws that a call in Python names.

use std::sync::Arc;

use airtcp_congestion::external::{KeyValue, Keys, LawMaker, Offer, Outside, offer};
use airtcp_congestion::{CongestionControl, Needs};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

use super::adapter::PyLaw;
use super::class::Class;
use super::outcome::Failures;
use crate::error;

/// Makes laws of a class in Python.
#[derive(Debug)]
struct Maker {
    class: Arc<Class>,
    failures: Arc<Failures>,
}

impl LawMaker for Maker {
    fn make(&self, keys: &Keys) -> Box<dyn CongestionControl> {
        Box::new(PyLaw::new(self.class.clone(), keys.clone(), self.failures.clone()))
    }

    fn needs(&self) -> Needs {
        self.class.needs
    }

    /// Holds the interpreter: to attach a thread anew at every ACK would take longer than the ACK.
    fn around(&self, work: &mut dyn FnMut()) {
        Python::attach(|_| work());
    }

    fn has_failed(&self) -> bool {
        self.failures.any()
    }
}

/// A law of a call.
#[derive(Debug)]
struct Named {
    class: Arc<Class>,
    file: String,
    sha256: String,
    keys: Keys,
}

/// The laws of a call: each with a name, a class, the file and hash of its source, and the defaults
/// of its keys.
#[pyclass(frozen, module = "airtcp._core")]
pub struct Laws(Vec<Named>);

#[pymethods]
impl Laws {
    #[new]
    fn new(
        laws: Vec<(String, Bound<'_, PyType>, String, String, Bound<'_, PyDict>)>,
    ) -> PyResult<Self> {
        let named = laws.into_iter().map(|(label, class, file, sha256, keys)| {
            let keys = keys.iter().map(|(key, value)| Ok((key.extract()?, value_of(&value)?)));
            let keys = keys.collect::<PyResult<Keys>>()?;
            Ok(Named { class: Arc::new(Class::new(&class, label)?), file, sha256, keys })
        });
        Ok(Self(named.collect::<PyResult<Vec<_>>>()?))
    }
}

fn value_of(value: &Bound<'_, PyAny>) -> PyResult<KeyValue> {
    // A flag is a whole number in Python.
    if value.is_instance_of::<pyo3::types::PyBool>() {
        return Ok(KeyValue::Flag(value.extract()?));
    }
    if value.is_instance_of::<pyo3::types::PyInt>() {
        return Ok(KeyValue::Whole(value.extract()?));
    }
    if let Ok(number) = value.extract::<f64>() {
        return Ok(KeyValue::Real(number));
    }
    value.extract().map(KeyValue::Text).map_err(|_| {
        PyTypeError::new_err(format!("a key is {value}; expected a number, a flag or text"))
    })
}

/// The laws that a call offers while it lasts, and their first error.
pub(crate) struct Offered {
    failures: Arc<Failures>,
    _offer: Offer,
}

/// Offers the laws of a call; none if it names none, so that scenarios find none of an earlier call.
pub(crate) fn offered(laws: Option<&Laws>) -> PyResult<Offered> {
    let failures = Arc::new(Failures::default());
    let outside = laws.iter().flat_map(|laws| &laws.0).map(|law| Outside {
        label: law.class.label.clone(),
        file: law.file.clone(),
        sha256: law.sha256.clone(),
        keys: law.keys.clone(),
        maker: Arc::new(Maker { class: law.class.clone(), failures: failures.clone() }),
    });
    let offer = offer(outside.collect()).map_err(error::refuse)?;
    Ok(Offered { failures, _offer: offer })
}

impl Offered {
    /// The result of the call, or the error of a law.
    pub(crate) fn settle<T>(self, py: Python<'_>, result: PyResult<T>) -> PyResult<T> {
        match self.failures.take(py) {
            Some(error) => Err(error),
            None => result,
        }
    }
}
