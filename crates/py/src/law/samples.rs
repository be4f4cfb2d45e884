//! What the methods of a law get. The names are those of `airtcp_congestion`; sizes are in bytes,
//! times in seconds, rates in bits per second, and `None` stands where there is no value.

use airtcp_congestion as law;
use airtcp_units::{Saturate, Span};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

pub(super) fn seconds(span: Option<Span>) -> Option<f64> {
    span.map(Span::as_secs_f64)
}

/// A time that a test gives, to the nanosecond.
pub(super) fn span(seconds: f64) -> Span {
    Span(u64::saturate((seconds * 1e9).round()))
}

/// Content of an acknowledgement, and the state of the sender after it.
#[pyclass(frozen, module = "airtcp.laws")]
pub struct Ack(pub(super) law::AckSample);

#[pymethods]
impl Ack {
    /// A sample for a test of a law.
    #[new]
    #[pyo3(signature = (
        acked = 0, *, delivered = None, lost = 0, pipe = 0, prior_pipe = 0, total_delivered = 0,
        total_lost = 0, acked_up_to = 0, sent_up_to = 0, rtt = None, srtt = None, min_rtt = None,
        rate = None, cwnd_limited = true, in_fast_recovery = false, ends_recovery = false,
        in_recovery = false, ece = false, marked = 0
    ))]
    #[allow(clippy::too_many_arguments, clippy::fn_params_excessive_bools, reason = "keywords")]
    fn new(
        acked: u64,
        delivered: Option<u64>,
        lost: u64,
        pipe: u64,
        prior_pipe: u64,
        total_delivered: u64,
        total_lost: u64,
        acked_up_to: u64,
        sent_up_to: u64,
        rtt: Option<f64>,
        srtt: Option<f64>,
        min_rtt: Option<f64>,
        rate: Option<&Rate>,
        cwnd_limited: bool,
        in_fast_recovery: bool,
        ends_recovery: bool,
        in_recovery: bool,
        ece: bool,
        marked: u64,
    ) -> Self {
        Self(law::AckSample {
            acked,
            delivered: delivered.unwrap_or(acked),
            lost,
            pipe,
            prior_pipe,
            total_delivered,
            total_lost,
            acked_up_to,
            sent_up_to,
            rtt: rtt.map(span),
            srtt: srtt.map(span),
            min_rtt: min_rtt.map(span),
            rate: rate.map(|rate| rate.0),
            cwnd_limited,
            in_fast_recovery,
            ends_recovery,
            in_recovery,
            ece,
            marked,
        })
    }
    #[getter]
    fn acked(&self) -> u64 {
        self.0.acked
    }
    #[getter]
    fn delivered(&self) -> u64 {
        self.0.delivered
    }
    #[getter]
    fn lost(&self) -> u64 {
        self.0.lost
    }
    #[getter]
    fn pipe(&self) -> u64 {
        self.0.pipe
    }
    #[getter]
    fn prior_pipe(&self) -> u64 {
        self.0.prior_pipe
    }
    #[getter]
    fn total_delivered(&self) -> u64 {
        self.0.total_delivered
    }
    #[getter]
    fn total_lost(&self) -> u64 {
        self.0.total_lost
    }
    #[getter]
    fn acked_up_to(&self) -> u64 {
        self.0.acked_up_to
    }
    #[getter]
    fn sent_up_to(&self) -> u64 {
        self.0.sent_up_to
    }
    #[getter]
    fn rtt(&self) -> Option<f64> {
        seconds(self.0.rtt)
    }
    #[getter]
    fn srtt(&self) -> Option<f64> {
        seconds(self.0.srtt)
    }
    #[getter]
    fn min_rtt(&self) -> Option<f64> {
        seconds(self.0.min_rtt)
    }
    #[getter]
    fn rate(&self) -> Option<Rate> {
        self.0.rate.map(Rate)
    }
    #[getter]
    fn cwnd_limited(&self) -> bool {
        self.0.cwnd_limited
    }
    #[getter]
    fn in_fast_recovery(&self) -> bool {
        self.0.in_fast_recovery
    }
    #[getter]
    fn ends_recovery(&self) -> bool {
        self.0.ends_recovery
    }
    #[getter]
    fn in_recovery(&self) -> bool {
        self.0.in_recovery
    }
    #[getter]
    fn ece(&self) -> bool {
        self.0.ece
    }
    #[getter]
    fn marked(&self) -> u64 {
        self.0.marked
    }
    fn __repr__(&self) -> String {
        format!("{:?}", self.0)
    }
}

/// Delivery rate over about one round trip.
#[pyclass(frozen, module = "airtcp.laws")]
pub struct Rate(law::RateSample);

#[pymethods]
impl Rate {
    /// A sample for a test of a law.
    #[new]
    #[pyo3(signature = (
        delivered, interval, *, prior_delivered = 0, app_limited = false, tx_in_flight = 0, lost = 0
    ))]
    fn new(
        delivered: u64,
        interval: f64,
        prior_delivered: u64,
        app_limited: bool,
        tx_in_flight: u64,
        lost: u64,
    ) -> Self {
        let interval = span(interval);
        Self(law::RateSample {
            delivered,
            interval,
            prior_delivered,
            app_limited,
            tx_in_flight,
            lost,
        })
    }
    #[getter]
    fn bps(&self) -> Option<u64> {
        self.0.rate().map(airtcp_units::BitRate::bps)
    }
    #[getter]
    fn delivered(&self) -> u64 {
        self.0.delivered
    }
    #[getter]
    fn interval(&self) -> f64 {
        self.0.interval.as_secs_f64()
    }
    #[getter]
    fn prior_delivered(&self) -> u64 {
        self.0.prior_delivered
    }
    #[getter]
    fn app_limited(&self) -> bool {
        self.0.app_limited
    }
    #[getter]
    fn tx_in_flight(&self) -> u64 {
        self.0.tx_in_flight
    }
    #[getter]
    fn lost(&self) -> u64 {
        self.0.lost
    }
    fn __repr__(&self) -> String {
        format!("{:?}", self.0)
    }
}

/// A data segment that left.
#[pyclass(frozen, module = "airtcp.laws")]
pub struct Sent(pub(super) law::Sent);

#[pymethods]
impl Sent {
    /// A segment for a test of a law.
    #[new]
    #[pyo3(signature = (bytes, *, pipe = 0, retransmission = false))]
    const fn new(bytes: u64, pipe: u64, retransmission: bool) -> Self {
        Self(law::Sent { bytes, pipe, retransmission })
    }
    #[getter]
    fn bytes(&self) -> u64 {
        self.0.bytes
    }
    #[getter]
    fn pipe(&self) -> u64 {
        self.0.pipe
    }
    #[getter]
    fn retransmission(&self) -> bool {
        self.0.retransmission
    }
    fn __repr__(&self) -> String {
        format!("{:?}", self.0)
    }
}

/// A segment that was judged lost.
#[pyclass(frozen, module = "airtcp.laws")]
pub struct Lost(pub(super) law::Lost);

#[pymethods]
impl Lost {
    /// A segment for a test of a law.
    #[new]
    #[pyo3(signature = (
        bytes, *, start = 0, tx_in_flight = 0, lost = 0, app_limited = false, total_delivered = 0
    ))]
    const fn new(
        bytes: u64,
        start: u64,
        tx_in_flight: u64,
        lost: u64,
        app_limited: bool,
        total_delivered: u64,
    ) -> Self {
        Self(law::Lost { start, bytes, tx_in_flight, lost, app_limited, total_delivered })
    }
    #[getter]
    fn start(&self) -> u64 {
        self.0.start
    }
    #[getter]
    fn bytes(&self) -> u64 {
        self.0.bytes
    }
    #[getter]
    fn tx_in_flight(&self) -> u64 {
        self.0.tx_in_flight
    }
    #[getter]
    fn lost(&self) -> u64 {
        self.0.lost
    }
    #[getter]
    fn app_limited(&self) -> bool {
        self.0.app_limited
    }
    #[getter]
    fn total_delivered(&self) -> u64 {
        self.0.total_delivered
    }
    fn __repr__(&self) -> String {
        format!("{:?}", self.0)
    }
}

/// A congestion episode.
#[pyclass(frozen, module = "airtcp.laws")]
pub struct Congestion(pub(super) law::Congestion);

/// The kinds of episodes, by name.
pub(super) const KINDS: [(&str, law::CongestionKind); 4] = [
    ("fast-retransmit", law::CongestionKind::FastRetransmit),
    ("rto", law::CongestionKind::Rto),
    ("ecn", law::CongestionKind::EcnCe),
    ("persistent", law::CongestionKind::Persistent),
];

#[pymethods]
impl Congestion {
    /// An episode for a test of a law.
    #[new]
    #[pyo3(signature = (kind, flight, *, restart = false))]
    fn new(kind: &str, flight: u64, restart: bool) -> PyResult<Self> {
        let found = KINDS.iter().find(|(name, _)| *name == kind);
        let Some((_, kind)) = found else {
            let names = KINDS.map(|(name, _)| name).join(", ");
            return Err(PyValueError::new_err(format!(
                "kind is \"{kind}\"; expected one of {names}"
            )));
        };
        Ok(Self(law::Congestion { kind: *kind, flight, restart }))
    }
    #[getter]
    fn kind(&self) -> &'static str {
        KINDS.iter().find(|(_, kind)| *kind == self.0.kind).map_or("", |(name, _)| name)
    }
    #[getter]
    fn flight(&self) -> u64 {
        self.0.flight
    }
    #[getter]
    fn restart(&self) -> bool {
        self.0.restart
    }
    fn __repr__(&self) -> String {
        format!("{:?}", self.0)
    }
}

/// The end of a pause.
#[pyclass(frozen, module = "airtcp.laws")]
pub struct Idle(pub(super) law::Idle);

#[pymethods]
impl Idle {
    /// A pause for a test of a law.
    #[new]
    #[pyo3(signature = (idle, *, rto = 1.0, restart = true, app_limited = true))]
    fn new(idle: f64, rto: f64, restart: bool, app_limited: bool) -> Self {
        Self(law::Idle { idle: span(idle), rto: span(rto), restart, app_limited })
    }
    #[getter]
    fn idle(&self) -> f64 {
        self.0.idle.as_secs_f64()
    }
    #[getter]
    fn rto(&self) -> f64 {
        self.0.rto.as_secs_f64()
    }
    #[getter]
    fn restart(&self) -> bool {
        self.0.restart
    }
    #[getter]
    fn app_limited(&self) -> bool {
        self.0.app_limited
    }
    fn __repr__(&self) -> String {
        format!("{:?}", self.0)
    }
}

/// Parameters of a law at the start of a connection.
#[pyclass(frozen, module = "airtcp.laws")]
pub struct Params(pub(super) law::LawParams);

/// The largest number stands for none.
pub(super) fn bound(bytes: u64) -> Option<u64> {
    (bytes != u64::MAX).then_some(bytes)
}

#[pymethods]
impl Params {
    /// Parameters for a test of a law.
    #[new]
    #[pyo3(signature = (
        mss = 1000, initial_window = 10_000, *, initial_ssthresh = None, max_cwnd = None,
        abc_limit = 1, half_of_cwnd = false, ssthresh_in_segments = false, selective_acks = true,
        srtt = None, seed = 1, paced = false, slow_start = "standard", rules = "documents"
    ))]
    #[allow(clippy::too_many_arguments, clippy::fn_params_excessive_bools, reason = "keywords")]
    fn new(
        mss: u32,
        initial_window: u64,
        initial_ssthresh: Option<u64>,
        max_cwnd: Option<u64>,
        abc_limit: u32,
        half_of_cwnd: bool,
        ssthresh_in_segments: bool,
        selective_acks: bool,
        srtt: Option<f64>,
        seed: u64,
        paced: bool,
        slow_start: &str,
        rules: &str,
    ) -> PyResult<Self> {
        let refuse = |key: &str, value: &str, names: &str| {
            PyValueError::new_err(format!("{key} is \"{value}\"; expected {names}"))
        };
        Ok(Self(law::LawParams {
            mss,
            initial_window,
            initial_ssthresh: initial_ssthresh.unwrap_or(u64::MAX),
            max_cwnd: max_cwnd.unwrap_or(u64::MAX),
            abc_limit,
            half_of_cwnd,
            ssthresh_in_segments,
            selective_acks,
            srtt: srtt.map(span),
            seed,
            slow_start: match slow_start {
                "standard" => law::SlowStartKind::Standard,
                "hystart++" => law::SlowStartKind::HyStartPlusPlus,
                other => return Err(refuse("slow_start", other, "standard or hystart++")),
            },
            paced,
            rules: match rules {
                "documents" => law::LawRules::Documents,
                "linux" => law::LawRules::Linux,
                other => return Err(refuse("rules", other, "documents or linux")),
            },
        }))
    }
    #[getter]
    fn mss(&self) -> u32 {
        self.0.mss
    }
    #[getter]
    fn initial_window(&self) -> u64 {
        self.0.initial_window
    }
    #[getter]
    fn initial_ssthresh(&self) -> Option<u64> {
        bound(self.0.initial_ssthresh)
    }
    #[getter]
    fn max_cwnd(&self) -> Option<u64> {
        bound(self.0.max_cwnd)
    }
    #[getter]
    fn abc_limit(&self) -> u32 {
        self.0.abc_limit
    }
    #[getter]
    fn half_of_cwnd(&self) -> bool {
        self.0.half_of_cwnd
    }
    #[getter]
    fn ssthresh_in_segments(&self) -> bool {
        self.0.ssthresh_in_segments
    }
    #[getter]
    fn selective_acks(&self) -> bool {
        self.0.selective_acks
    }
    #[getter]
    fn srtt(&self) -> Option<f64> {
        seconds(self.0.srtt)
    }
    #[getter]
    fn seed(&self) -> u64 {
        self.0.seed
    }
    #[getter]
    fn paced(&self) -> bool {
        self.0.paced
    }
    #[getter]
    fn slow_start(&self) -> &'static str {
        match self.0.slow_start {
            law::SlowStartKind::Standard => "standard",
            law::SlowStartKind::HyStartPlusPlus => "hystart++",
        }
    }
    #[getter]
    fn rules(&self) -> &'static str {
        match self.0.rules {
            law::LawRules::Documents => "documents",
            law::LawRules::Linux => "linux",
        }
    }
    fn __repr__(&self) -> String {
        format!("{:?}", self.0)
    }
}
