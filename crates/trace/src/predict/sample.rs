//! A link as input of the fits, and the values of its variables.

use std::collections::BTreeMap;

use airtcp_units::detmath::ln;
use serde::Deserialize;

use super::error::FitError;

/// A link as input of the fits.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkSample {
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// Packet reception ratio.
    pub prr: f64,
    /// Burstiness; absent if not defined.
    #[serde(default)]
    pub mu: Option<f64>,
    /// TCP throughput, packets per second.
    pub packets_per_second: f64,
    /// Packets per second of the link layer: 1 over the slot.
    pub link_packets_per_second: f64,
    /// Further metrics by name; absent if not defined.
    #[serde(default)]
    pub metrics: BTreeMap<String, Option<f64>>,
}

/// Refuses a link whose numbers are impossible.
pub(super) fn check(link: &LinkSample) -> Result<(), FitError> {
    let wrong = |quantity: &str, found: f64, expected| {
        let (link, quantity) = (link.name.clone(), quantity.to_owned());
        Err(FitError::Value { link, quantity, found: found.to_string(), expected })
    };
    if !(0.0..=1.0).contains(&link.prr) {
        return wrong("prr", link.prr, "0 to 1");
    }
    if let Some(mu) = link.mu
        && !(-1.0..=1.0).contains(&mu)
    {
        return wrong("mu", mu, "-1 to 1");
    }
    if !(link.packets_per_second >= 0.0 && link.packets_per_second.is_finite()) {
        return wrong("packets_per_second", link.packets_per_second, "0 or more");
    }
    let rate = link.link_packets_per_second;
    if !(rate > 0.0 && rate.is_finite()) {
        return wrong("link_packets_per_second", rate, "more than 0");
    }
    Ok(())
}

/// The value of the variable `name` for `link`.
pub(super) fn value(link: &LinkSample, name: &str) -> Result<Option<f64>, FitError> {
    let logarithm = name.strip_prefix("log(").and_then(|rest| rest.strip_suffix(')'));
    let found = match name {
        "prr" => Some(link.prr),
        "mu" => link.mu,
        _ => *link.metrics.get(logarithm.unwrap_or(name)).ok_or_else(|| FitError::Metric {
            name: name.into(),
            reason: format!(
                "link \"{}\" has no such metric (it has: {})",
                link.name,
                link.metrics.keys().map(String::as_str).collect::<Vec<_>>().join(", ")
            ),
        })?,
    };
    let found = if logarithm.is_some() { found.filter(|v| *v > 0.0).map(ln) } else { found };
    Ok(found.filter(|v| v.is_finite()))
}
