//! A law in Python as a sender drives it.
//!
//! The object lives as long as one start of the law: a second start makes a new one. After each call
//! the values that the sender reads are copied out of it, so that reading them costs no Python. After
//! the first error no method is called any more, and the values stay.

use std::sync::Arc;

use airtcp_congestion::external::{KeyValue, Keys, present_flow, present_replication};
use airtcp_congestion::{
    AckSample, Base, Congestion, CongestionControl, Idle, LawParams, LawState, Lost, Promises, Sent,
};
use airtcp_units::{BitRate, Nanos};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;

use super::base::{LawBase, Values};
use super::class::Class;
use super::outcome::{Failure, Failures};
use super::samples;

/// A law in Python.
#[derive(Debug)]
pub(super) struct PyLaw {
    class: Arc<Class>,
    keys: Keys,
    failures: Arc<Failures>,
    /// Its flow and its replication, for messages.
    flow: Option<String>,
    replication: Option<u32>,
    /// `None` before the first start, and if it could not be made.
    object: Option<Py<LawBase>>,
    values: Values,
    acks: u64,
    failed: bool,
}

impl PyLaw {
    pub(super) fn new(class: Arc<Class>, keys: Keys, failures: Arc<Failures>) -> Self {
        let values = initial(&LawParams::default());
        let (flow, replication) = (present_flow(), present_replication());
        Self {
            class,
            keys,
            failures,
            flow,
            replication,
            object: None,
            values,
            acks: 0,
            failed: false,
        }
    }

    fn make(&self, py: Python<'_>, now: Nanos, params: &LawParams) -> PyResult<Py<LawBase>> {
        let class = self.class.made.bind(py);
        let object = class.call_method1(intern!(py, "__new__"), (class,))?;
        let object = object.cast_into::<LawBase>()?;
        object.borrow_mut().begun(now, params);
        for (key, value) in &self.keys {
            match value {
                KeyValue::Flag(value) => object.setattr(key, value)?,
                KeyValue::Whole(value) => object.setattr(key, value)?,
                KeyValue::Real(value) => object.setattr(key, value)?,
                KeyValue::Text(value) => object.setattr(key, value)?,
            }
        }
        object.call_method0(intern!(py, "__init__"))?;
        if self.class.overrides.start {
            object.call_method1(intern!(py, "start"), (samples::Params(*params),))?;
        }
        Ok(object.unbind())
    }

    /// Does something with the object at a time, and reads its values.
    #[inline]
    fn with(
        &mut self,
        method: &'static str,
        now: Nanos,
        work: impl FnOnce(&Bound<'_, LawBase>) -> PyResult<()>,
    ) {
        if self.failed {
            return;
        }
        let Some(object) = &self.object else { return };
        let values = Python::attach(|py| {
            let law = object.bind(py);
            law.borrow_mut().now = now;
            work(law)?;
            PyResult::Ok(law.borrow().values())
        });
        match values {
            Ok(values) => self.values = values,
            Err(error) => self.fail(method, now, error),
        }
    }

    fn fail(&mut self, method: &'static str, now: Nanos, error: PyErr) {
        self.failed = true;
        let (label, flow, acks) = (self.class.label.clone(), self.flow.clone(), self.acks);
        let replication = self.replication;
        self.failures.add(Failure { label, flow, replication, method, now, acks, error });
    }
}

/// What a law reports that has only begun.
fn initial(params: &LawParams) -> Values {
    let mut base = Base::default();
    base.start(params);
    Values {
        cwnd: base.window().cwnd(),
        ssthresh: base.window().ssthresh(),
        pacing_rate: None,
        bandwidth: None,
        send_quantum: None,
        state: base.state(),
    }
}

impl CongestionControl for PyLaw {
    fn start(&mut self, now: Nanos, params: &LawParams) {
        if self.failed {
            return;
        }
        self.acks = 0;
        self.values = initial(params);
        let made = Python::attach(|py| {
            let object = self.make(py, now, params)?;
            let values = object.bind(py).borrow().values();
            PyResult::Ok((object, values))
        });
        match made {
            Ok((object, values)) => (self.object, self.values) = (Some(object), values),
            Err(error) => self.fail("start", now, error),
        }
    }

    #[inline]
    fn on_sent(&mut self, now: Nanos, sent: &Sent) {
        if self.class.overrides.sent {
            self.with("on_sent", now, |law| {
                let sent = samples::Sent(*sent);
                law.call_method1(intern!(law.py(), "on_sent"), (sent,)).map(drop)
            });
        }
    }

    fn on_lost(&mut self, now: Nanos, lost: &Lost) {
        if self.class.overrides.lost {
            self.with("on_lost", now, |law| {
                let lost = samples::Lost(*lost);
                law.call_method1(intern!(law.py(), "on_lost"), (lost,)).map(drop)
            });
        }
    }

    fn on_ack(&mut self, now: Nanos, ack: &AckSample) {
        self.acks += 1;
        let overrides = self.class.overrides;
        let method = if overrides.ack { "on_ack" } else { "avoid" };
        self.with(method, now, |law| {
            if overrides.ack {
                let ack = samples::Ack(*ack);
                return law.call_method1(intern!(law.py(), "on_ack"), (ack,)).map(drop);
            }
            let mut inner = law.borrow_mut();
            if !inner.base.takes_growth(ack) {
                return Ok(());
            }
            if !overrides.avoid {
                inner.base.additive(ack);
                return Ok(());
            }
            drop(inner);
            law.call_method1(intern!(law.py(), "avoid"), (samples::Ack(*ack),)).map(drop)
        });
    }

    fn on_congestion(&mut self, now: Nanos, c: &Congestion) {
        let overrides = self.class.overrides;
        let method = if overrides.congestion { "on_congestion" } else { "reduced" };
        let label = self.class.label.clone();
        self.with(method, now, |law| {
            let py = law.py();
            if overrides.congestion {
                let c = samples::Congestion(*c);
                return law.call_method1(intern!(py, "on_congestion"), (c,)).map(drop);
            }
            let bytes = if overrides.reduced {
                let found = law.call_method1(intern!(py, "reduced"), (samples::Congestion(*c),))?;
                found.extract().map_err(|_| {
                    let shown = found.repr().map_or_else(|_| "?".to_owned(), |t| t.to_string());
                    PyTypeError::new_err(format!(
                        "{label}.reduced returned {shown}; expected the window in bytes after the episode"
                    ))
                })?
            } else {
                law.borrow().base.half(c)
            };
            let reduced = law.borrow_mut().base.on_congestion(c, bytes);
            reduced.map_err(|e| pyo3::exceptions::PyValueError::new_err(e.to_string()))
        });
    }

    fn on_spurious(&mut self, now: Nanos) {
        let own = self.class.overrides.spurious;
        self.with("on_spurious", now, |law| {
            if own {
                return law.call_method0(intern!(law.py(), "on_spurious")).map(drop);
            }
            law.borrow_mut().base.on_spurious();
            Ok(())
        });
    }

    fn raise_ssthresh(&mut self, bytes: u64) {
        let own = self.class.overrides.raise;
        let now = self.time();
        self.with("raise_ssthresh", now, |law| {
            if own {
                return law.call_method1(intern!(law.py(), "raise_ssthresh"), (bytes,)).map(drop);
            }
            law.borrow_mut().base.window_mut().raise_ssthresh(bytes);
            Ok(())
        });
    }

    fn on_idle(&mut self, now: Nanos, idle: &Idle) {
        let own = self.class.overrides.idle;
        self.with("on_idle", now, |law| {
            if own {
                let idle = samples::Idle(*idle);
                return law.call_method1(intern!(law.py(), "on_idle"), (idle,)).map(drop);
            }
            law.borrow_mut().base.on_idle(idle);
            Ok(())
        });
    }

    fn limit_cwnd(&mut self, bytes: u64) {
        let own = self.class.overrides.limit;
        let now = self.time();
        self.with("limit_cwnd", now, |law| {
            if own {
                return law.call_method1(intern!(law.py(), "limit_cwnd"), (bytes,)).map(drop);
            }
            law.borrow_mut().base.window_mut().limit(bytes);
            Ok(())
        });
    }

    #[inline]
    fn cwnd(&self) -> u64 {
        self.values.cwnd
    }

    #[inline]
    fn ssthresh(&self) -> u64 {
        self.values.ssthresh
    }

    #[inline]
    fn pacing_rate(&self) -> Option<BitRate> {
        self.values.pacing_rate
    }

    fn bandwidth(&self) -> Option<BitRate> {
        self.values.bandwidth
    }

    fn governs_recovery(&self) -> bool {
        self.class.governs_recovery
    }

    fn follows_model(&self) -> bool {
        self.class.follows_model
    }

    fn send_quantum(&self) -> Option<u64> {
        self.values.send_quantum
    }

    fn state(&self) -> LawState {
        self.values.state
    }

    fn promises(&self) -> Promises {
        self.class.promises
    }
}

impl PyLaw {
    /// The time of the last call, for calls that have none.
    fn time(&self) -> Nanos {
        let Some(object) = &self.object else { return Nanos::ZERO };
        Python::attach(|py| object.bind(py).borrow().now)
    }
}
