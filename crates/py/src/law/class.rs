//! A class of laws: which methods it overrides, and what it declares.

use airtcp_congestion as law;
use pyo3::prelude::*;
use pyo3::types::PyType;

use super::promises::Promises;

/// Which methods a class overrides. The others cost no call.
#[derive(Debug, Clone, Copy)]
#[allow(clippy::struct_excessive_bools, reason = "one for each method")]
pub(super) struct Overrides {
    pub(super) start: bool,
    pub(super) sent: bool,
    pub(super) lost: bool,
    pub(super) ack: bool,
    pub(super) avoid: bool,
    pub(super) congestion: bool,
    pub(super) reduced: bool,
    pub(super) spurious: bool,
    pub(super) idle: bool,
    pub(super) limit: bool,
    pub(super) raise: bool,
}

/// A class of laws.
#[derive(Debug)]
pub(super) struct Class {
    pub(super) made: Py<PyType>,
    pub(super) label: String,
    pub(super) overrides: Overrides,
    pub(super) governs_recovery: bool,
    pub(super) follows_model: bool,
    pub(super) promises: law::Promises,
    pub(super) needs: law::Needs,
}

impl Class {
    pub(super) fn new(class: &Bound<'_, PyType>, label: String) -> PyResult<Self> {
        let base = class.py().get_type::<super::LawBase>();
        let own =
            |name: &str| -> PyResult<bool> { Ok(!class.getattr(name)?.is(&base.getattr(name)?)) };
        let flag = |name: &str| -> PyResult<bool> { class.getattr(name)?.extract() };
        let promises: Bound<'_, Promises> = class.getattr("promises")?.extract()?;
        let needs: Option<String> = class.getattr("needs")?.extract()?;
        Ok(Self {
            overrides: Overrides {
                start: own("start")?,
                sent: own("on_sent")?,
                lost: own("on_lost")?,
                ack: own("on_ack")?,
                avoid: own("avoid")?,
                congestion: own("on_congestion")?,
                reduced: own("reduced")?,
                spurious: own("on_spurious")?,
                idle: own("on_idle")?,
                limit: own("limit_cwnd")?,
                raise: own("raise_ssthresh")?,
            },
            governs_recovery: flag("governs_recovery")?,
            follows_model: flag("follows_model")?,
            promises: promises.get().0,
            needs: if needs.is_some() { law::Needs::EcnMarks } else { law::Needs::Nothing },
            made: class.clone().unbind(),
            label,
        })
    }
}
