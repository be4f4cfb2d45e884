//! A case: a sequence of calls of a law, and what is found in it.

use super::driver::{Call, Driver};
use super::steps::{Recorded, Recorder, Step};
use crate::{CongestionControl, Law, LawParams};

/// A case in which a law breaks a rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Broken {
    /// The rule, in words.
    pub rule: String,
    /// The parameters of the law.
    pub params: LawParams,
    /// Every call of the law up to the fault, with the law's window after it.
    pub steps: Vec<Step>,
}

/// A law that is checked.
pub type Make<'a> = dyn Fn() -> Box<dyn CongestionControl> + 'a;

/// One law under a sequence of calls. Twice, since the same calls have the same effect.
pub(super) fn drive(
    make: &Make<'_>,
    params: &LawParams,
    calls: &[Call],
) -> Result<(), (usize, String)> {
    let windows = driven(make(), params, calls)?;
    let again = driven(make(), params, calls)?;
    match windows.iter().zip(&again).position(|(a, b)| a != b) {
        None => Ok(()),
        Some(at) => Err((at, "the same calls had another effect the second time".to_owned())),
    }
}

/// Windows and thresholds after each call, or the call at which a rule is broken.
fn driven(
    law: Box<dyn CongestionControl>,
    params: &LawParams,
    calls: &[Call],
) -> Result<Vec<(u64, u64)>, (usize, String)> {
    let mut driver = Driver::new(Law::Dyn(law), params);
    let mut windows = Vec::with_capacity(calls.len());
    for (at, call) in calls.iter().enumerate() {
        driver.call(*call).map_err(|rule| (at, rule))?;
        windows.push((driver.law.cwnd(), driver.law.ssthresh()));
    }
    Ok(windows)
}

/// The calls of a case as the law saw them.
pub(super) fn recorded(make: &Make<'_>, params: LawParams, calls: &[Call], rule: String) -> Broken {
    let recorded = Recorded::default();
    let law = Recorder::new(make(), recorded.clone());
    // Fails at the last call, as it did before.
    drop(driven(Box::new(law), &params, calls));
    Broken { rule, params, steps: recorded.steps() }
}
