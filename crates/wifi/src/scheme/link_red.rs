//! Link RED: the retries of the MAC warn TCP of contention along a chain, before packets are lost.
//!
//! In a chain of hops, TCP's window grows beyond the window of the best goodput, because contention, not
//! a full queue, loses the packets. Each station keeps an average of the MAC retries per packet. Between
//! two thresholds of this average, a packet that comes to the head of the station is marked, or dropped if
//! it is not ECN-capable, with a probability that grows linearly. With adaptive pacing, a station above
//! the lower threshold waits longer after each success, so that the next node can forward the packet. The
//! rules are at the head of `mac/link_red.rs`.
//!
//! Source: Fu, Zerfos, Luo, Lu, Zhang and Gerla, "The Impact of Multihop Wireless Channel on TCP Throughput
//! and Loss", INFOCOM 2003; S0 section 4. Only the abstract was available. Choices: the weight, the
//! thresholds and the maximum probability, that the probability reaches its maximum at the upper threshold,
//! that TCP ACKs count as other packets do, that failed RTS count as retries, and that the longer back-off is
//! the exchange of the packet just acknowledged, in slots, which stop while the medium is busy.

use airtcp_probe::ConfigError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{At, Family, Seams};
use crate::mac::LinkRedParams;

/// Keys of `link-red`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LinkRedConfig {
    /// Where the scheme acts.
    pub at: At,
    /// Weight of the latest packet in the average number of retries, above 0 and up to 1.
    pub weight: f64,
    /// Average number of retries from which packets are marked or dropped, 0 to 255.
    pub min_th: f64,
    /// Average number of retries at which the probability is `max_p`, above `min_th` and up to 255.
    pub max_th: f64,
    /// Maximum probability of a mark or a drop, 0 to 1.
    pub max_p: f64,
    /// Adaptive pacing: if the average is at least `min_th`, the back-off after a success is longer by
    /// the time of the packet's exchange.
    pub pacing: bool,
}

impl Default for LinkRedConfig {
    fn default() -> Self {
        Self { at: At::Both, weight: 0.125, min_th: 1.0, max_th: 4.0, max_p: 0.1, pacing: false }
    }
}

/// Link RED in a cell.
#[derive(Debug)]
pub struct LinkRed;

impl Family for LinkRed {
    type Config = LinkRedConfig;

    fn build(config: &LinkRedConfig, seams: &mut Seams) -> Result<Self, ConfigError> {
        let LinkRedConfig { at, weight, min_th, max_th, max_p, pacing } = *config;
        let wrong = |key, found: f64, accepted: String| {
            Err(ConfigError::new(key, format!("is {found}: expected {accepted}")))
        };
        if !(weight > 0.0 && weight <= 1.0) {
            return wrong("weight", weight, "numbers above 0, up to 1".into());
        }
        if !(0.0..255.0).contains(&min_th) {
            return wrong("min_th", min_th, "0 to less than 255".into());
        }
        if !(max_th > min_th && max_th <= 255.0) {
            return wrong("max_th", max_th, format!("numbers above min_th ({min_th}), up to 255"));
        }
        if !(0.0..=1.0).contains(&max_p) {
            return wrong("max_p", max_p, "0 to 1".into());
        }
        for station in (0..seams.stations.len()).filter(|i| at.includes(*i)) {
            seams.own(station, "what its retries signal")?;
            let params = LinkRedParams { weight, min_th, max_th, max_p, pacing };
            seams.stations[station].link_red = Some(params);
        }
        Ok(Self)
    }

    #[cfg(test)]
    fn samples() -> Vec<LinkRedConfig> {
        let usual = LinkRedConfig::default();
        let mut all: Vec<LinkRedConfig> = [At::Both, At::AccessPoint, At::Stations]
            .map(|at| LinkRedConfig { at, pacing: true, ..usual })
            .into();
        all.push(LinkRedConfig { weight: 1.0, min_th: 0.0, max_th: 0.5, max_p: 1.0, ..usual });
        all
    }
}
