//! Jobs that processes share: the two roles of `airtcp_sim::shared`, played by objects in Python.
//!
//! A leader has `begin(jobs)`, `take()`, `wait()`, `stop()` and `end(results)`; a follower has `next()`, which
//! returns a job, a list of results, or `None` at the end, and `answer(job, result)`. Python starts the processes
//! and passes the messages (`airtcp.laws.crew`).

use std::rc::Rc;

use airtcp_sim::shared::{Crew, Leader, Order, Playing, Role, play};
use pyo3::prelude::*;

use crate::law::{self, Laws, Offered};
use crate::progress;

/// The others, behind an object in Python.
struct Others(Py<PyAny>);

impl Others {
    /// Calls a method. An exception ends the work: Ctrl-C may come while Python waits.
    fn call<T: for<'a, 'py> FromPyObject<'a, 'py>>(
        &self,
        call: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<Py<PyAny>>,
    ) -> Option<T> {
        Python::attach(|py| {
            let answer =
                call(self.0.bind(py)).and_then(|answer| answer.extract(py).map_err(Into::into));
            answer.map_err(progress::keep).ok()
        })
    }

    fn tell(&self, call: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<Py<PyAny>>) {
        drop(self.call::<Py<PyAny>>(call));
    }
}

impl Crew for Others {
    fn begin(&self, jobs: Vec<usize>) {
        self.tell(|crew| Ok(crew.call_method1("begin", (jobs,))?.unbind()));
    }

    fn take(&self) -> Option<usize> {
        self.call::<Option<usize>>(|crew| Ok(crew.call_method0("take")?.unbind())).flatten()
    }

    fn wait(&self) -> Vec<(usize, Option<String>)> {
        self.call(|crew| Ok(crew.call_method0("wait")?.unbind())).unwrap_or_default()
    }

    fn stop(&self) {
        self.tell(|crew| Ok(crew.call_method0("stop")?.unbind()));
    }

    fn end(&self, results: Vec<Option<String>>) {
        self.tell(|crew| Ok(crew.call_method1("end", (results,))?.unbind()));
    }
}

/// The leader, behind an object in Python.
struct First<F> {
    object: Py<PyAny>,
    /// A law of this process has failed: its results have no meaning.
    failed: F,
}

impl<F: Fn() -> bool> Leader for First<F> {
    fn next(&self) -> Order {
        if (self.failed)() {
            return Order::Stop;
        }
        Python::attach(|py| {
            let Ok(order) = self.object.call_method0(py, "next") else { return Order::Stop };
            if let Ok(job) = order.extract::<usize>(py) {
                return Order::Job(job);
            }
            order.extract(py).map_or(Order::Stop, Order::End)
        })
    }

    fn answer(&self, job: usize, result: Option<String>) {
        if (self.failed)() {
            return; // The error of the law is the answer, which comes at the end of this call.
        }
        // If the leader has ended, the next order says so.
        Python::attach(|py| drop(self.object.call_method1(py, "answer", (job, result))));
    }
}

/// Makes a call that may name laws of one's own, with its jobs shared if there is a crew. If a law fails, its
/// error is the result.
pub(crate) fn with_laws<T>(
    py: Python<'_>,
    laws: Option<&Laws>,
    crew: Option<&Py<PyAny>>,
    call: impl FnOnce() -> PyResult<T>,
) -> PyResult<T> {
    let offered = law::offered(laws)?;
    let _playing = playing(py, crew, &offered);
    offered.settle(py, call())
}

/// As [`with_laws`]. The error of a law has the replications that were finished before as its attribute `kept`, if
/// there are any: the call returns them, with an error that another process gave.
pub(crate) fn with_laws_kept<T: pyo3::PyTypeInfo>(
    py: Python<'_>,
    laws: Option<&Laws>,
    crew: Option<&Py<PyAny>>,
    call: impl FnOnce() -> PyResult<(Py<T>, Option<PyErr>)>,
) -> PyResult<Py<T>> {
    let offered = law::offered(laws)?;
    let _playing = playing(py, crew, &offered);
    let (kept, elsewhere) = match call() {
        Ok((kept, elsewhere)) => (Ok(kept), elsewhere),
        Err(error) => (Err(error), None),
    };
    let Some(error) = offered.error(py).or(elsewhere) else { return kept };
    if let Ok(kept) = kept {
        error.value(py).setattr("kept", kept)?;
    }
    Err(error)
}

/// Sets the role of a call: that of `object`, which leads if it has a method `begin`.
fn playing(py: Python<'_>, object: Option<&Py<PyAny>>, laws: &Offered) -> Playing {
    play(object.map(|object| {
        if object.bind(py).hasattr("begin").unwrap_or(false) {
            return Role::Leads(Rc::new(Others(object.clone_ref(py))));
        }
        Role::Follows(Rc::new(First { object: object.clone_ref(py), failed: laws.has_failed() }))
    }))
}
