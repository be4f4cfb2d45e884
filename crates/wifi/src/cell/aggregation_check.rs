//! Refuses what does not go with aggregation.

use airtcp_probe::ConfigError;

use super::plan::StationPlan;
use crate::mac::Rules;
use crate::rate::RateConfig;

/// Checks that nothing in a cell needs exchanges of single frames.
///
/// # Errors
/// The first key that does not go with aggregation.
pub(super) fn check_aggregation(
    rules: &Rules,
    stations: &[StationPlan],
) -> Result<(), ConfigError> {
    if rules.aggregation.is_none() {
        return Ok(());
    }
    let refuse = |key: &'static str, what: &str| {
        let message = format!(
            "{what} does not go with A-MPDU: omit it, or switch aggregation off with \
             mac.aggregation.max_mpdus = 1"
        );
        Err(ConfigError::new(key, message))
    };
    if rules.mac.fragmentation_threshold.is_some() {
        return refuse("fragmentation_threshold", "fragmentation");
    }
    if rules.has_ack_oracle() {
        return refuse("ablation.ack_oracle", "the ACK oracle");
    }
    for station in stations {
        let seams = &station.seams;
        if matches!(station.rate.control, RateConfig::Rbar(_)) {
            return refuse("aggregation", "a rate control that asks for grants (rbar)");
        }
        if seams.exchange.group.is_some() {
            return refuse("aggregation", "the scheme tap, which groups ACKs,");
        }
        if seams.exchange.reverse_data {
            return refuse("aggregation", "the scheme dcf+, which sends data in return for data,");
        }
        if seams.link_red.is_some() {
            return refuse(
                "aggregation",
                "the scheme link-red, which counts retries of single frames,",
            );
        }
    }
    Ok(())
}
