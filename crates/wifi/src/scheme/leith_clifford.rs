//! TCP ACKs at the access point in a category whose contention window gives them their share.
//!
//! ```text
//! tau(W) = 2 / (W + 1)                      attempts per slot of a saturated queue of window W
//! tau(Wa) >= n tau(Wd) / b   <=>   Wa + 1 <= (Wd + 1) b / n
//! ```
//! All `n` stations upload with contention window `Wd`. The access point sends an ACK for every `b`
//! segments, with contention window `Wa`. While the inequality holds, the queue of ACKs does not
//! grow, stations stay saturated, and each gets 1/n of the cell. If it does not hold, the queue
//! overflows, and flows that lose all ACKs of a window starve. The default `Wa` is the largest
//! power of 2 less 1 that satisfies it. Assumes equal AIFS, saturated stations, and no collisions
//! in `tau`. Source: Leith and Clifford, "Using the 802.11e EDCF to achieve TCP upload fairness
//! over WLAN links", 2005; S3 section 4.3.

use airtcp_probe::ConfigError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ControlCategory, Family, Seams};
use crate::mac::Category;

/// Keys of `leith-clifford`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LeithCliffordConfig {
    /// Category of the ACKs at the access point.
    pub category: Category,
    /// Segments that one ACK acknowledges (`b`).
    pub segments_per_ack: u32,
    /// Contention window of the ACKs, one less than a power of 2. Default: the largest that
    /// satisfies the inequality.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cw_min: Option<u32>,
    /// AIFSN of the ACKs. Default: that of the stations' best effort.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aifsn: Option<u32>,
}

impl Default for LeithCliffordConfig {
    fn default() -> Self {
        Self { category: Category::Voice, segments_per_ack: 2, cw_min: None, aifsn: None }
    }
}

/// Leith and Clifford's scheme in a cell.
#[derive(Debug)]
pub struct LeithClifford;

/// The largest window of the form 2^k - 1 with `Wa + 1 <= (Wd + 1) b / n`; 0 if there is none.
fn largest_window(data_window: u32, segments_per_ack: u32, stations: u32) -> u32 {
    let limit =
        u64::from(data_window + 1) * u64::from(segments_per_ack) / u64::from(stations.max(1));
    let limit = u32::try_from(limit).unwrap_or(u32::MAX).min(data_window + 1);
    if limit == 0 { 0 } else { (1 << limit.ilog2()) - 1 }
}

impl Family for LeithClifford {
    type Config = LeithCliffordConfig;

    fn build(config: &LeithCliffordConfig, seams: &mut Seams) -> Result<Self, ConfigError> {
        seams.need_edca()?;
        if !(1..=1000).contains(&config.segments_per_ack) {
            let message = format!("is {}: expected 1 to 1000", config.segments_per_ack);
            return Err(ConfigError::new("segments_per_ack", message));
        }
        let stations = u32::try_from(seams.stations.len() - 1).unwrap_or(u32::MAX);
        let Some(station) = seams.stations.get(1) else {
            return Err(ConfigError::new("scheme", "needs at least one station"));
        };
        let data = station.access[Category::BestEffort as usize];
        let largest = largest_window(data.cw_min, config.segments_per_ack, stations);
        let (cw_min, aifsn) =
            (config.cw_min.unwrap_or(largest), config.aifsn.unwrap_or(data.aifsn));
        seams.set_control(0, ControlCategory::Fixed(config.category as u8))?;
        let params = seams.params(0, config.category)?;
        params.aifsn = aifsn;
        params.cw_min = cw_min;
        params.cw_max = params.cw_max.max(cw_min);
        let checked = *params;
        checked.check(config.category.name()).map_err(|e| ConfigError::new("cw_min", e.message))?;
        Ok(Self)
    }

    #[cfg(test)]
    fn samples() -> Vec<LeithCliffordConfig> {
        let usual = LeithCliffordConfig::default();
        vec![
            usual,
            LeithCliffordConfig { cw_min: Some(0), ..usual },
            LeithCliffordConfig { category: Category::Video, segments_per_ack: 1, ..usual },
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_is_the_largest_that_satisfies_the_inequality() {
        for data in [15_u32, 31, 127, 1023] {
            for b in [1, 2, 4] {
                for n in 1..=40 {
                    let window = largest_window(data, b, n);
                    let holds =
                        |w: u32| u64::from(w + 1) * u64::from(n) <= u64::from((data + 1) * b);
                    // 0 is the smallest window, even if it does not satisfy the inequality.
                    assert!(holds(window) || window == 0, "{data} {b} {n}: {window}");
                    let next = 2 * window + 1;
                    assert!(!holds(next) || next > data, "{data} {b} {n}: {next} holds too");
                }
            }
        }
    }
}
