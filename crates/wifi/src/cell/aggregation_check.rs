//! Refuses what does not go with aggregation.

use airtcp_probe::ConfigError;

use crate::mac::MacConfig;
use crate::phy::Standard;
use crate::scheme::StationSeams;

/// Checks the keys of aggregation, and that nothing in a cell needs exchanges of single frames.
///
/// # Errors
/// The first key of `mac` that is impossible or does not go with aggregation.
pub fn check_aggregation<'a>(
    mac: &MacConfig,
    standard: Standard,
    stations: impl IntoIterator<Item = &'a StationSeams>,
) -> Result<(), ConfigError> {
    mac.check_ofdma(standard)?;
    let Some(aggregation) = mac.aggregation(standard)? else { return Ok(()) };
    let clash = aggregation.clash();
    let refuse = |key: &'static str, what: &str| {
        Err(ConfigError::new(key, format!("{what} does not go with {clash}")))
    };
    if mac.fragmentation_threshold.is_some() {
        return refuse("fragmentation_threshold", "fragmentation");
    }
    if mac.ablation.is_some_and(|ablation| ablation.ack_oracle) {
        return refuse("ablation.ack_oracle", "the ACK oracle");
    }
    for StationSeams { exchange, link_red, .. } in stations {
        if exchange.group.is_some() {
            return refuse("aggregation", "the scheme tap, which groups ACKs,");
        }
        if exchange.reverse_data {
            return refuse("aggregation", "the scheme dcf+, which sends data in return for data,");
        }
        if link_red.is_some() {
            return refuse(
                "aggregation",
                "the scheme link-red, which counts retries of single frames,",
            );
        }
    }
    Ok(())
}
