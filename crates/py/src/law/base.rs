//! The native class under every law in Python. It owns window and threshold, and has the behaviour
//! of each method that a law does not override.

use airtcp_congestion::{Base, LawParams, LawState};
use airtcp_units::{BitRate, Nanos};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;

use super::samples::{Ack, Congestion, Idle, Params, span};
use super::source::Random;

/// Words for states of a law that are kept; each is kept for the life of the program.
const MOST_STATES: usize = 64;
const LONGEST_STATE: usize = 40;

/// The base of a law: window, threshold, rates, and the behaviour of methods that are not overridden.
#[pyclass(subclass, module = "airtcp.laws")]
pub struct LawBase {
    pub(super) base: Base,
    pub(super) now: Nanos,
    pub(super) state: Option<&'static str>,
    random: Option<Py<Random>>,
}

/// What the sender reads of a law.
#[derive(Debug, Clone, Copy)]
pub(super) struct Values {
    pub(super) cwnd: u64,
    pub(super) ssthresh: u64,
    pub(super) pacing_rate: Option<BitRate>,
    pub(super) bandwidth: Option<BitRate>,
    pub(super) send_quantum: Option<u64>,
    pub(super) state: LawState,
}

impl LawBase {
    pub(super) fn begun(&mut self, now: Nanos, params: &LawParams) {
        (self.now, self.random, self.state) = (now, None, None);
        self.base.start(params);
    }

    pub(super) fn values(&self) -> Values {
        Values {
            cwnd: self.base.window().cwnd(),
            ssthresh: self.base.window().ssthresh(),
            pacing_rate: self.base.pacing_rate(),
            bandwidth: self.base.bandwidth(),
            send_quantum: self.base.send_quantum(),
            state: self.state.map_or_else(|| self.base.state(), LawState::Other),
        }
    }
}

/// A value that may not be set, as Python raises it.
fn bad(error: airtcp_congestion::BadValue) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// A number that a law sets.
fn number(name: &str, value: &Bound<'_, PyAny>) -> PyResult<f64> {
    value.extract().map_err(|_| {
        let shown = value.repr().map_or_else(|_| "?".to_owned(), |text| text.to_string());
        PyTypeError::new_err(format!("{name} was set to {shown}; expected a number"))
    })
}

fn number_or_none(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<f64>> {
    if value.is_none() { Ok(None) } else { number(name, value).map(Some) }
}

#[allow(clippy::unused_self, reason = "methods that a law overrides")]
#[pymethods]
impl LawBase {
    #[new]
    #[pyo3(signature = (*_args, **_keys))]
    fn new(
        _args: &Bound<'_, pyo3::types::PyTuple>,
        _keys: Option<&Bound<'_, pyo3::types::PyDict>>,
    ) -> Self {
        Self { base: Base::default(), now: Nanos::ZERO, state: None, random: None }
    }

    /// Begins with these parameters, as a sender does before it calls `start`.
    fn begin(&mut self, params: &Params) {
        LawBase::begun(self, Nanos::ZERO, &params.0);
    }

    /// Moves the law to a time, as a sender does before each call.
    fn at(&mut self, seconds: f64) {
        self.now = Nanos::ZERO + span(seconds);
    }

    /// Congestion window in bytes.
    #[getter]
    fn cwnd(&self) -> u64 {
        self.base.window().cwnd()
    }
    #[setter]
    fn set_cwnd(&mut self, bytes: &Bound<'_, PyAny>) -> PyResult<()> {
        self.base.set_cwnd(number("cwnd", bytes)?).map_err(bad)
    }

    /// Slow-start threshold in bytes; infinite while nothing has set it.
    #[getter]
    fn ssthresh(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(match self.base.window().ssthresh() {
            u64::MAX => f64::INFINITY.into_pyobject(py)?.into_any().unbind(),
            bytes => bytes.into_pyobject(py)?.into_any().unbind(),
        })
    }
    #[setter]
    fn set_ssthresh(&mut self, bytes: &Bound<'_, PyAny>) -> PyResult<()> {
        self.base.set_ssthresh(number("ssthresh", bytes)?).map_err(bad)
    }

    /// Rate in bits per second at which segments should leave.
    #[getter]
    fn pacing_rate(&self) -> Option<u64> {
        self.base.pacing_rate().map(BitRate::bps)
    }
    #[setter]
    fn set_pacing_rate(&mut self, bps: &Bound<'_, PyAny>) -> PyResult<()> {
        self.base.set_pacing_rate(number_or_none("pacing_rate", bps)?).map_err(bad)
    }

    /// The law's estimate of the rate of the path in bits per second.
    #[getter]
    fn bandwidth(&self) -> Option<u64> {
        self.base.bandwidth().map(BitRate::bps)
    }
    #[setter]
    fn set_bandwidth(&mut self, bps: &Bound<'_, PyAny>) -> PyResult<()> {
        self.base.set_bandwidth(number_or_none("bandwidth", bps)?).map_err(bad)
    }

    /// Bytes that leave in one burst under pacing.
    #[getter]
    const fn send_quantum(&self) -> Option<u64> {
        self.base.send_quantum()
    }
    #[setter]
    fn set_send_quantum(&mut self, bytes: &Bound<'_, PyAny>) -> PyResult<()> {
        self.base.set_send_quantum(number_or_none("send_quantum", bytes)?).map_err(bad)
    }

    /// A word for the state of the law.
    #[getter]
    fn state(&self) -> &'static str {
        match self.values().state {
            LawState::SlowStart => "slow start",
            LawState::Avoidance => "avoidance",
            LawState::Other(word) => word,
        }
    }
    #[setter]
    fn set_state(&mut self, word: Option<&str>) -> PyResult<()> {
        self.state = word.map(kept).transpose()?;
        Ok(())
    }

    /// Largest payload of a segment in bytes.
    #[getter]
    const fn mss(&self) -> u64 {
        self.base.window().mss()
    }

    /// Time since the start of the run, in seconds.
    #[getter]
    fn now(&self) -> f64 {
        self.now.as_secs_f64()
    }

    /// The parameters of the connection.
    #[getter]
    fn params(&self) -> Params {
        Params(*self.base.window().params())
    }

    /// The seed of the connection's random numbers.
    #[getter]
    const fn seed(&self) -> u64 {
        self.base.window().params().seed
    }

    /// Random numbers that the seed decides.
    #[getter]
    fn random(&mut self, py: Python<'_>) -> PyResult<Py<Random>> {
        if let Some(random) = &self.random {
            return Ok(random.clone_ref(py));
        }
        let made = Py::new(py, Random::new(self.seed()))?;
        self.random = Some(made.clone_ref(py));
        Ok(made)
    }

    /// Windows that were set below a segment or above the largest, and bounded.
    #[getter]
    const fn bounded(&self) -> u64 {
        self.base.bounded()
    }

    /// Raises the window by a number of bytes and carries fractions of a byte.
    fn grow(&mut self, size: f64) -> PyResult<()> {
        if size.is_finite() && size >= 0.0 {
            self.base.window_mut().grow(size);
            return Ok(());
        }
        let before = self.cwnd();
        Err(PyValueError::new_err(format!(
            "the window was to grow by {size} bytes; expected a finite number from 0 \
             (it was {before}); set cwnd to make it smaller"
        )))
    }

    /// Takes an ACK in slow start, and returns whether the window is below the threshold.
    fn slow_start(&mut self, ack: &Ack) -> bool {
        self.base.window_mut().on_slow_start_ack(&ack.0)
    }

    /// Whether the window may grow on an ACK.
    fn may_grow(&self, ack: &Ack) -> bool {
        self.base.may_grow(&ack.0)
    }

    /// Grows by a segment per round trip, as Reno.
    fn additive(&mut self, ack: &Ack) {
        self.base.additive(&ack.0);
    }

    /// Whether the recovery sets the window on this ACK.
    fn recovering(&self, ack: &Ack) -> bool {
        ack.0.is_recovering(self.base.window().params().rules)
    }

    /// Reacts to an episode that leaves a window of `size` bytes.
    fn reduce(&mut self, congestion: &Congestion, size: &Bound<'_, PyAny>) -> PyResult<()> {
        let bytes = number("the window after an episode", size)?;
        self.base.on_congestion(&congestion.0, bytes).map_err(bad)
    }

    /// A connection begins.
    fn start(&self, _params: &Params) {}

    /// A data segment left.
    fn on_sent(&self, _sent: &Bound<'_, PyAny>) {}

    /// A segment was judged lost.
    fn on_lost(&self, _lost: &Bound<'_, PyAny>) {}

    /// An acknowledgement came: slow start, then `avoid`.
    fn on_ack(law: &Bound<'_, Self>, ack: &Bound<'_, Ack>) -> PyResult<()> {
        let follows = law.borrow_mut().base.takes_growth(&ack.get().0);
        if follows {
            law.call_method1(intern!(law.py(), "avoid"), (ack,))?;
        }
        Ok(())
    }

    /// Grows the window above the threshold.
    fn avoid(&mut self, ack: &Ack) {
        self.base.additive(&ack.0);
    }

    /// A congestion episode began: `reduced` says what it leaves of the window.
    fn on_congestion(law: &Bound<'_, Self>, congestion: &Bound<'_, Congestion>) -> PyResult<()> {
        let bytes = law.call_method1(intern!(law.py(), "reduced"), (congestion,))?;
        law.borrow_mut().reduce(congestion.get(), &bytes)
    }

    /// The window after an episode, in bytes.
    fn reduced(&self, congestion: &Congestion) -> f64 {
        self.base.half(&congestion.0)
    }

    /// The last reaction was unnecessary. Returns whether window and threshold were restored.
    fn on_spurious(&mut self) -> bool {
        self.base.on_spurious()
    }

    /// Sending starts again. Returns whether the window was restarted.
    fn on_idle(&mut self, idle: &Idle) -> bool {
        self.base.on_idle(&idle.0)
    }

    /// Lowers the window to at most `size` bytes.
    fn limit_cwnd(&mut self, size: u64) {
        self.base.window_mut().limit(size);
    }

    /// Raises the threshold to at least `size` bytes.
    fn raise_ssthresh(&mut self, size: u64) {
        self.base.window_mut().raise_ssthresh(size);
    }
}

/// The word, for the life of the program.
fn kept(word: &str) -> PyResult<&'static str> {
    static WORDS: std::sync::Mutex<Vec<&'static str>> = std::sync::Mutex::new(Vec::new());
    let mut words = WORDS.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(known) = words.iter().find(|known| **known == word) {
        return Ok(known);
    }
    if words.len() >= MOST_STATES || word.len() > LONGEST_STATE {
        return Err(PyValueError::new_err(format!(
            "the state \"{word}\" is one too many or too long; expected at most {MOST_STATES} words of \
             at most {LONGEST_STATE} letters"
        )));
    }
    let word: &'static str = Box::leak(word.to_owned().into_boxed_str());
    words.push(word);
    Ok(word)
}
