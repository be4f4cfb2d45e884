//! Modes of 802.11n, ac and ax in use for which a table of measured error rates has no curve.

use std::collections::BTreeMap;

use airtcp_scenario::Cell as Plan;
use airtcp_wifi::ConfigError;
use airtcp_wifi::phy::error::ErrorModel;
use airtcp_wifi::phy::{Mode, Width};
use airtcp_wifi::rate::RatePlan;

/// A warning that names the modes, if there are any.
pub(super) fn warning(plan: &Plan, error: &ErrorModel) -> Result<Option<String>, ConfigError> {
    let keys = plan.spec.station_keys();
    let mut missing: BTreeMap<(u8, Width), Vec<u8>> = BTreeMap::new();
    // The access point sends to each station in the modes of the station.
    for station in 1..plan.nodes.len() {
        for mode in in_use(&keys.rate_plan(station)?) {
            if let Some(index) = mode.mcs_index().filter(|_| error.lacks(mode)) {
                let indices = missing.entry((mode.streams(), mode.width())).or_default();
                if !indices.contains(&index) {
                    indices.push(index);
                }
            }
        }
    }
    if missing.is_empty() {
        return Ok(None);
    }
    let names: Vec<String> = missing
        .into_iter()
        .map(|((streams, width), mut indices)| {
            indices.sort_unstable();
            let indices: Vec<String> = indices.iter().map(u8::to_string).collect();
            let plural = if streams > 1 { "s" } else { "" };
            format!("MCS {} with {streams} stream{plural} over {width}", indices.join(", "))
        })
        .collect();
    Ok(Some(format!(
        "{}.error.curves: has no curve for modes in use, which follow \"nist\": {}",
        plan.path,
        names.join("; ")
    )))
}

/// The modes that a station can choose.
fn in_use(plan: &RatePlan) -> Vec<Mode> {
    plan.fixed_mode().map_or_else(|| plan.modes.clone(), |mode| vec![mode])
}
