//! What a law declares about itself.

use airtcp_congestion as law;
use pyo3::prelude::*;

/// How a law differs from the default of all laws.
#[pyclass(frozen, module = "airtcp.laws")]
pub struct Promises(pub(super) law::Promises);

#[pymethods]
impl Promises {
    #[new]
    #[pyo3(signature = (
        *, least_segments = 1, reduces_on_loss = true, bounded_by_window = true,
        restarts_on_timeout = true, has_threshold = true, grows_only_when_limited = true,
        steady_in_recovery = true
    ))]
    #[allow(clippy::fn_params_excessive_bools, reason = "keywords in Python")]
    const fn new(
        least_segments: u64,
        reduces_on_loss: bool,
        bounded_by_window: bool,
        restarts_on_timeout: bool,
        has_threshold: bool,
        grows_only_when_limited: bool,
        steady_in_recovery: bool,
    ) -> Self {
        Self(law::Promises {
            least_segments,
            reduces_on_loss,
            bounded_by_window,
            restarts_on_timeout,
            has_threshold,
            grows_only_when_limited,
            steady_in_recovery,
        })
    }

    fn __repr__(&self) -> String {
        format!("{:?}", self.0)
    }
}
