//! What the methods of a law get. The names are those of `airtcp_congestion`; sizes are in bytes,
//! times in seconds, rates in bits per second, and `None` stands where there is no value.

use airtcp_congestion as law;
use airtcp_units::Span;
use pyo3::prelude::*;

pub(super) fn seconds(span: Option<Span>) -> Option<f64> {
    span.map(Span::as_secs_f64)
}

/// Content of an acknowledgement, and the state of the sender after it.
#[pyclass(frozen, module = "airtcp.laws")]
pub struct Ack(pub(super) law::AckSample);

#[pymethods]
impl Ack {
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
    fn __repr__(&self) -> String {
        format!("{:?}", self.0)
    }
}

/// Delivery rate over about one round trip.
#[pyclass(frozen, module = "airtcp.laws")]
pub struct Rate(law::RateSample);

#[pymethods]
impl Rate {
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

#[pymethods]
impl Congestion {
    #[getter]
    fn kind(&self) -> &'static str {
        match self.0.kind {
            law::CongestionKind::FastRetransmit => "fast-retransmit",
            law::CongestionKind::Rto => "rto",
            law::CongestionKind::EcnCe => "ecn",
            law::CongestionKind::Persistent => "persistent",
        }
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
