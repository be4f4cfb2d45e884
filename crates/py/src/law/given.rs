//! The laws that a call in Python names.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use airtcp_congestion::external::{Failure, KeyValue, Keys, LawMaker, Offer, Outside, offer};
use airtcp_congestion::{CongestionControl, Needs};
use airtcp_laws::{Faults, LAW_FUNCTIONS, Watch};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

use super::adapter::PyLaw;
use super::class::Class;
use super::outcome::Failures;
use super::stuck;
use crate::{error, progress};

/// How often what watches is told.
const TRIES: u32 = 3;

/// Makes laws of a class in Python.
#[derive(Debug)]
struct Maker {
    class: Arc<Class>,
    failures: Arc<Failures>,
    watch: Option<Arc<Py<PyAny>>>,
}

impl Maker {
    /// Tells what watches the time of replications.
    fn tell(&self, method: &str) {
        let Some(watch) = &self.watch else { return };
        Python::attach(|py| {
            // An exception here was meant for a law that takes too long: it must hear the message all the same.
            let heard = (0..TRIES).any(|_| watch.call_method0(py, method).is_ok());
            debug_assert!(heard, "{method}");
        });
    }
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

    fn begins(&self) {
        self.tell("begins");
    }

    fn ends(&self) {
        self.tell("ends");
    }

    fn has_failed(&self) -> bool {
        self.failures.any()
    }

    fn failure(&self) -> Option<Failure> {
        self.failures.first()
    }
}

/// A law of a shared library.
#[pyclass(frozen, module = "airtcp._core")]
pub struct Library(Arc<airtcp_laws::Library>);

#[pymethods]
impl Library {
    /// Opens a library; its code runs.
    #[expect(clippy::needless_pass_by_value, reason = "arguments from Python come as values")]
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        // Its code may take long: a second Ctrl-C must be heard.
        let library = py.detach(|| airtcp_laws::Library::open(&path)).map_err(error::law)?;
        Ok(Self(Arc::new(library)))
    }

    /// A law of functions that a compiler made in this process, given by their addresses; the names are
    /// those of `airtcp_law` in the header, and so are the types.
    #[expect(clippy::needless_pass_by_value, reason = "arguments from Python come as values")]
    #[staticmethod]
    fn compiled(
        name: &str,
        about: &str,
        keys: &str,
        flags: u64,
        addresses: BTreeMap<String, usize>,
    ) -> PyResult<Self> {
        if let Some(other) = addresses.keys().find(|key| !LAW_FUNCTIONS.contains(&key.as_str())) {
            return Err(error::law(format!("{name}: a table has no function {other}")));
        }
        let all = LAW_FUNCTIONS.map(|key| addresses.get(key).copied().unwrap_or_default());
        let library = airtcp_laws::Library::of_functions(name, about, keys, flags, all);
        Ok(Self(Arc::new(library.map_err(error::law)?)))
    }

    /// Name of the law.
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    /// What it does, in a line.
    #[getter]
    fn about(&self) -> &str {
        &self.0.about
    }

    /// Keys with their defaults.
    #[getter]
    fn keys(&self) -> Vec<(String, f64)> {
        self.0.keys.clone()
    }
}

/// The header for laws in C.
#[pyfunction]
pub(crate) fn law_header() -> String {
    airtcp_laws::header()
}

/// Addresses of the functions that a compiled law may call.
#[pyfunction]
pub(crate) fn law_functions() -> BTreeMap<&'static str, usize> {
    airtcp_laws::addresses().into()
}

/// Where laws come from.
#[derive(Debug)]
enum From {
    Class(Arc<Class>),
    Library(Arc<airtcp_laws::Library>),
}

/// A law of a call.
#[derive(Debug)]
struct Named {
    label: String,
    from: From,
    file: String,
    sha256: String,
    keys: Keys,
}

/// The laws of a call: each with a name, a class, the file and hash of its source, and the defaults
/// of its keys. `watch` is told of each replication on its thread, by `begins()` and `ends()`. A call of a law in
/// machine code that lasts longer than `limit_s` ends the process.
#[pyclass(frozen, module = "airtcp._core")]
pub struct Laws {
    named: Vec<Named>,
    watch: Option<Arc<Py<PyAny>>>,
    limit: Option<Duration>,
}

#[pymethods]
impl Laws {
    #[new]
    #[pyo3(signature = (laws, watch = None, limit_s = None))]
    fn new(
        laws: Vec<(String, Bound<'_, PyAny>, String, String, Bound<'_, PyDict>)>,
        watch: Option<Py<PyAny>>,
        limit_s: Option<f64>,
    ) -> PyResult<Self> {
        let named = laws.into_iter().map(|(label, from, file, sha256, keys)| {
            let keys = keys.iter().map(|(key, value)| Ok((key.extract()?, value_of(&value)?)));
            let keys = keys.collect::<PyResult<Keys>>()?;
            let from = match from.cast::<Library>() {
                Ok(library) => From::Library(library.get().0.clone()),
                Err(_) => From::Class(Arc::new(Class::new(from.cast::<PyType>()?, label.clone())?)),
            };
            Ok(Named { label, from, file, sha256, keys })
        });
        // A limit that is longer than any time is none.
        let limit = limit_s.and_then(|s| Duration::try_from_secs_f64(s).ok());
        let named = named.collect::<PyResult<Vec<_>>>()?;
        Ok(Self { named, watch: watch.map(Arc::new), limit })
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
    faults: Arc<Faults>,
    _offer: Offer,
}

/// Offers the laws of a call; none if it names none, so that scenarios find none of an earlier call.
pub(crate) fn offered(laws: Option<&Laws>) -> PyResult<Offered> {
    let (failures, faults) = (Arc::new(Failures::default()), Arc::new(Faults::default()));
    let watch = laws.and_then(|laws| laws.watch.clone());
    let limit = laws.and_then(|laws| laws.limit);
    let native = limit.map(|limit| Watch::new(limit, progress::interrupted, stuck::end));
    let outside = laws.iter().flat_map(|laws| &laws.named).map(|law| Outside {
        label: law.label.clone(),
        file: law.file.clone(),
        sha256: law.sha256.clone(),
        keys: law.keys.clone(),
        maker: match &law.from {
            From::Class(class) => {
                let (class, failures) = (class.clone(), failures.clone());
                Arc::new(Maker { class, failures, watch: watch.clone() })
            }
            From::Library(library) => {
                let maker = airtcp_laws::Maker::new(library.clone(), faults.clone());
                Arc::new(maker.watched(native.clone(), &law.file))
            }
        },
    });
    let outside: Vec<Outside> = outside.collect();
    for law in &outside {
        if airtcp_congestion::laws().iter().any(|e| e.name.eq_ignore_ascii_case(&law.label)) {
            let label = &law.label;
            return Err(error::law(format!("{label}: a built-in law has this name; rename yours")));
        }
    }
    let offer = offer(outside).map_err(error::law)?;
    Ok(Offered { failures, faults, _offer: offer })
}

impl Offered {
    /// What says whether a law has failed.
    pub(crate) fn has_failed(&self) -> impl Fn() -> bool + use<> {
        let (failures, faults) = (self.failures.clone(), self.faults.clone());
        move || failures.any() || faults.any()
    }

    /// The result of the call, or the error of a law.
    pub(crate) fn settle<T>(self, py: Python<'_>, result: PyResult<T>) -> PyResult<T> {
        self.error(py).map_or(result, Err)
    }

    /// The error of a law, once.
    pub(crate) fn error(&self, py: Python<'_>) -> Option<PyErr> {
        let fault = || self.faults.first().map(|fault| error::law(fault.reason));
        self.failures.take(py).or_else(fault)
    }
}
