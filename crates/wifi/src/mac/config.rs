//! Configuration of medium access.

use std::ops::RangeInclusive;

use airtcp_probe::ConfigError;
use airtcp_units::{BitRate, Bytes, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    AblationConfig, AccessParams, AggregateLimits, Aggregation, AggregationConfig,
    AssociationConfig, BeaconConfig, Bonding, CATEGORIES, Category, EdcaConfig, EdcaTable,
    OfdmaConfig, TxopLimits,
};
use crate::phy::Standard;

/// Access method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AccessMethod {
    /// One queue per station (802.11-2012 clause 9.3).
    #[default]
    Dcf,
    /// Four access categories per station (clause 9.19.2).
    Edca,
}

/// Whether a back-off counts the slot in which the medium becomes busy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BackoffDecrement {
    /// Only slots that stay idle to their end count (DCF, clause 9.3.4.3). After a busy period, only
    /// the station that just transmitted may use the first slot.
    SlotEnd,
    /// A slot counts at its start (EDCA, clause 9.19.2.3; Bianchi's chain), so that a busy period
    /// counts as one slot.
    SlotStart,
}

/// Whether a frame that arrives at an empty queue may be sent without back-off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ImmediateAccess {
    /// If the medium is idle at its arrival and stays idle for DIFS or AIFS, and the station has no
    /// answer to send (clause 9.3.4.2, the strict reading).
    #[default]
    Strict,
    /// If the medium is idle at its arrival. If the medium then becomes busy, the frame is sent
    /// after the next DIFS or AIFS (ns-3).
    AtArrival,
    /// Never. Every frame draws a back-off.
    Never,
}

/// Start of the back-off slots after the timeout of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AfterTimeout {
    /// At the timeout, if the medium has been idle for DIFS or AIFS.
    #[default]
    IdleCounts,
    /// DIFS or AIFS after the timeout (ns-3).
    IfsAgain,
}

/// Whether the contention window grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Backoff {
    /// It doubles with each failed attempt, up to its maximum.
    #[default]
    Standard,
    /// It stays at its minimum (the driver of S2's measurements).
    CwminOnly,
}

/// Frames that precede OFDM frames, which 802.11b stations cannot decode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Protection {
    /// None.
    #[default]
    None,
    /// A CTS that the sender addresses to itself.
    CtsToSelf,
    /// RTS and CTS.
    RtsCts,
}

/// Minimum `fragmentation_threshold` in bytes (`dot11FragmentationThreshold`).
const MIN_THRESHOLD: u64 = 256;

/// Maximum `hardware_queue`.
const MAX_HARDWARE_QUEUE: u32 = 10_000;

/// Medium access of a cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MacConfig {
    /// Access method.
    pub access: AccessMethod,
    /// Minimum contention window (DCF), one less than a power of 2. Default: the standard's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cw_min: Option<u32>,
    /// Maximum contention window (DCF), one less than a power of 2. Default: the standard's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cw_max: Option<u32>,
    /// Access parameters of the stations' categories (EDCA) that differ from the defaults.
    pub edca: EdcaConfig,
    /// Access parameters of the access point's categories. What it leaves out is that of `edca`: with the table of
    /// access points only TXOP limits and lifetimes, with the table of stations all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edca_access_point: Option<EdcaConfig>,
    /// Table of the standard with the defaults of the access point. With `access-point`, `aifsn`, `cw_min` and `cw_max`
    /// of `edca` apply to the stations only. Default: `access-point` for 802.11n, ac and ax, `stations` for the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edca_access_point_table: Option<EdcaTable>,
    /// Limits of transmission opportunities (EDCA). Default: `2020` for 802.11n, ac and ax, `2012` for the
    /// others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub txop_limits: Option<TxopLimits>,
    /// Attempts (not retries) of a frame without RTS, and of an RTS.
    pub attempts: u32,
    /// Attempts of a frame after an RTS.
    pub attempts_long: u32,
    /// RTS and CTS precede data frames longer than this, MAC header and FCS included. Default: no
    /// RTS.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rts_threshold: Option<Bytes>,
    /// Rate of RTS that no protection and no rate control chooses. Default: that of the MAC ACK to
    /// the data frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rts_rate: Option<BitRate>,
    /// Data frames longer than this, MAC header and FCS included, are sent as fragments of at most
    /// this length. Default: no fragmentation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fragmentation_threshold: Option<Bytes>,
    /// Lifetime of packets. A station drops an older packet before its next attempt. A lifetime of
    /// a category takes precedence. Default: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lifetime: Option<Span>,
    /// Packets that each access category of a station holds below its queue discipline, in the driver and the
    /// device. The oldest one is offered first, and its aggregate takes those for the same receiver. At most 10,000. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hardware_queue: Option<u32>,
    /// Whether the contention window grows.
    pub backoff: Backoff,
    /// Whether a back-off counts the slot in which the medium becomes busy. Default: `slot-end`
    /// under DCF, `slot-start` under EDCA.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backoff_decrement: Option<BackoffDecrement>,
    /// Whether a frame that arrives at an empty queue may be sent without back-off.
    pub immediate_access: ImmediateAccess,
    /// Start of the back-off slots after the timeout of an answer.
    pub after_timeout: AfterTimeout,
    /// Whether stations wait EIFS after a frame that they could not decode.
    pub eifs: bool,
    /// Protection of OFDM frames from 802.11b stations (802.11g only).
    pub protection: Protection,
    /// Rate of the protecting RTS and CTS. Default: 2 Mb/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protection_rate: Option<BitRate>,
    /// The access point's beacons. Default: none; `{}` is one beacon per 102.4 ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beacons: Option<BeaconConfig>,
    /// Stations associate with the access point before they send data. Default: all are associated
    /// from the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub association: Option<AssociationConfig>,
    /// Aggregation of data frames (A-MPDU). Default: on with 802.11n, ac and ax, which alone have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aggregation: Option<AggregationConfig>,
    /// What a station does if a secondary channel is busy. Default: `dynamic`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bonding: Option<Bonding>,
    /// Stations ignore frames of 802.11ax whose cell has another `bss_color`, if they receive them below this level,
    /// in dBm over 20 MHz: -82 to -62. Their power is then limited. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub obss_pd_dbm: Option<f64>,
    /// Multi-user operation (OFDMA, 802.11ax only). Default: none; `{}` is downlink and uplink.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ofdma: Option<OfdmaConfig>,
    /// Changes to medium access that no real device makes, to isolate the cause of a result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ablation: Option<AblationConfig>,
}

impl MacConfig {
    /// How many times as fast as in the standard everything on the air is (`ablation.speed`).
    pub fn speed(&self) -> f64 {
        self.ablation.map_or(1.0, |ablation| ablation.speed)
    }
}

impl Default for MacConfig {
    fn default() -> Self {
        Self {
            access: AccessMethod::default(),
            cw_min: None,
            cw_max: None,
            edca: EdcaConfig::default(),
            edca_access_point: None,
            edca_access_point_table: None,
            txop_limits: None,
            attempts: 7,
            attempts_long: 4,
            rts_threshold: None,
            rts_rate: None,
            fragmentation_threshold: None,
            lifetime: None,
            hardware_queue: None,
            backoff: Backoff::default(),
            backoff_decrement: None,
            immediate_access: ImmediateAccess::default(),
            after_timeout: AfterTimeout::default(),
            eifs: true,
            protection: Protection::default(),
            protection_rate: None,
            beacons: None,
            association: None,
            aggregation: None,
            bonding: None,
            obss_pd_dbm: None,
            ofdma: None,
            ablation: None,
        }
    }
}

impl MacConfig {
    /// Checks the values that do not depend on the rest of the cell.
    ///
    /// # Errors
    /// The first key that is impossible.
    pub fn validate(&self) -> Result<(), ConfigError> {
        for (key, attempts) in [("attempts", self.attempts), ("attempts_long", self.attempts_long)]
        {
            if !(1..=255).contains(&attempts) {
                let message = format!("is {attempts}: expected 1 to 255");
                return Err(ConfigError::new(key, message));
            }
        }
        if let Some(threshold) = self.fragmentation_threshold
            && !(MIN_THRESHOLD..=8000).contains(&threshold.0)
        {
            let message = format!("is {threshold}: expected {MIN_THRESHOLD} to 8000 B");
            return Err(ConfigError::new("fragmentation_threshold", message));
        }
        if self.lifetime == Some(Span::ZERO) {
            let message = "is 0 s: leave it out, or give a time";
            return Err(ConfigError::new("lifetime", message));
        }
        if let Some(packets) = self.hardware_queue.filter(|packets| *packets > MAX_HARDWARE_QUEUE) {
            let message = format!("is {packets}: expected 0 to {MAX_HARDWARE_QUEUE} packets");
            return Err(ConfigError::new("hardware_queue", message));
        }
        if let Some(ablation) = &self.ablation {
            ablation.validate()?;
        }
        if let Some(beacons) = &self.beacons {
            beacons.validate()?;
        }
        if let Some(association) = &self.association {
            association.validate(self.beacons.is_some())?;
        }
        if let Some(level) = self.obss_pd_dbm.filter(|level| !(-82.0..=-62.0).contains(level)) {
            let message = format!("is {level}: expected -82 to -62");
            return Err(ConfigError::new("obss_pd_dbm", message));
        }
        if let Some(ofdma) = &self.ofdma {
            ofdma.validate()?;
        }
        self.check_unused()
    }

    /// Refuses a rate of RTS without RTS, and keys of the other access method, which would have no effect.
    fn check_unused(&self) -> Result<(), ConfigError> {
        if let Some(rate) = self.rts_rate.filter(|_| self.rts_threshold.is_none()) {
            let protecting = match self.protection {
                Protection::RtsCts => " (an RTS of `protection` has the rate `protection_rate`)",
                Protection::None | Protection::CtsToSelf => "",
            };
            let message = format!(
                "is {rate}, but without rts_threshold no station sends such an RTS{protecting}: omit the \
                 key, or set mac.rts_threshold (0 B for all frames)"
            );
            return Err(ConfigError::new("rts_rate", message));
        }
        let own = EdcaConfig::default();
        let edca = [
            ("edca", self.edca != own),
            ("edca_access_point", self.edca_access_point.is_some()),
            ("edca_access_point_table", self.edca_access_point_table.is_some()),
            ("txop_limits", self.txop_limits.is_some()),
        ];
        let dcf = [("cw_min", self.cw_min.is_some()), ("cw_max", self.cw_max.is_some())];
        let (unused, access, other): (&[(&'static str, bool)], _, _) = match self.access {
            AccessMethod::Dcf => (&edca, "dcf", "edca"),
            AccessMethod::Edca => (&dcf, "edca", "dcf"),
        };
        match unused.iter().find(|(_, given)| *given) {
            None => Ok(()),
            Some((key, _)) => {
                let message = format!(
                    "needs access = \"{other}\", but access is \"{access}\": omit the key, or set \
                     mac.access = \"{other}\""
                );
                Err(ConfigError::new(key, message))
            }
        }
    }

    /// The rules of aggregation; `None` without aggregation.
    ///
    /// # Errors
    /// If a key of `aggregation` is impossible, or the standard has no A-MPDU.
    pub(crate) fn aggregation(
        &self,
        standard: Standard,
    ) -> Result<Option<Aggregation>, ConfigError> {
        match &self.aggregation {
            Some(config) => config.rules(standard),
            None if standard.has_mcs() => AggregationConfig::default().rules(standard),
            None => Ok(None),
        }
    }

    /// What a key that needs exchanges of single packets does not go with, and how to change that; `None` if stations
    /// of a standard neither send A-MPDUs nor A-MSDUs.
    pub fn aggregates(&self, standard: Standard) -> Option<&'static str> {
        self.aggregation(standard).ok().flatten().map(|aggregation| aggregation.clash())
    }

    /// What an aggregate of a station of a standard may hold; `None` if it sends no A-MPDUs of several MPDUs.
    pub fn aggregate_limits(&self, standard: Standard) -> Option<AggregateLimits> {
        let limits = self.aggregation(standard).ok().flatten()?.limits();
        (limits.mpdus > 1).then_some(limits)
    }

    /// Numbers of access categories that a station can have.
    pub const fn categories(&self) -> RangeInclusive<usize> {
        match self.access {
            AccessMethod::Dcf => 1..=1,
            AccessMethod::Edca => Category::ALL.len()..=CATEGORIES,
        }
    }

    /// Access parameters of the access point (`true`) or of a station, lowest priority first.
    ///
    /// # Errors
    /// If a number is impossible.
    pub fn params(
        &self,
        standard: Standard,
        access_point: bool,
    ) -> Result<Vec<AccessParams>, ConfigError> {
        if self.access == AccessMethod::Edca {
            let table = match self.edca_access_point_table {
                _ if !access_point => EdcaTable::Stations,
                Some(table) => table,
                None => EdcaTable::of(standard),
            };
            let (key, config) = match &self.edca_access_point {
                _ if !access_point => ("edca", self.edca),
                None if table == EdcaTable::Stations => ("edca", self.edca),
                own => ("edca_access_point", own.unwrap_or_default().or(&self.edca, table)),
            };
            let limits = self.txop_limits.unwrap_or_else(|| TxopLimits::of(standard));
            let params = config.params(standard, table, limits);
            let mut params = params.map_err(|e| ConfigError::new(key, e.message))?;
            for category in &mut params {
                category.lifetime = category.lifetime.or(self.lifetime);
            }
            return Ok(params.into());
        }
        let params = AccessParams {
            aifsn: 2,
            cw_min: self.cw_min.unwrap_or(standard.cw_min()),
            cw_max: self.cw_max.unwrap_or(standard.cw_max()),
            txop: Span::ZERO,
            lifetime: self.lifetime,
        };
        params.check("the station").map_err(|e| ConfigError::new("cw_min", e.message))?;
        Ok(vec![params])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_the_other_access_method_are_refused() {
        let refuse = |config: MacConfig| config.validate().unwrap_err();
        let mut edca = EdcaConfig::default();
        edca.voice.aifsn = Some(3);
        let dcf = refuse(MacConfig { edca, ..MacConfig::default() });
        assert_eq!(dcf.key, "edca");
        assert!(dcf.message.contains("set mac.access = \"edca\""), "{}", dcf.message);
        let own = Some(EdcaConfig::default());
        let own = refuse(MacConfig { edca_access_point: own, ..MacConfig::default() });
        assert_eq!(own.key, "edca_access_point");
        let table = Some(EdcaTable::AccessPoint);
        let table = refuse(MacConfig { edca_access_point_table: table, ..MacConfig::default() });
        assert_eq!(table.key, "edca_access_point_table");
        let limits = MacConfig { txop_limits: Some(TxopLimits::Zero), ..MacConfig::default() };
        assert_eq!(refuse(limits.clone()).key, "txop_limits");
        let access = AccessMethod::Edca;
        assert!(MacConfig { access, edca, ..limits }.validate().is_ok());
        let rts = MacConfig { rts_rate: Some(BitRate::from_mbps(6)), ..MacConfig::default() };
        let none = refuse(rts.clone());
        assert_eq!(none.key, "rts_rate");
        assert!(
            none.message.starts_with("is 6 Mb/s, but without rts_threshold"),
            "{}",
            none.message
        );
        // Protecting RTS have a rate of their own.
        let protection = Protection::RtsCts;
        let protecting = refuse(MacConfig { protection, ..rts.clone() }).message;
        assert!(protecting.contains("protection_rate"), "{protecting}");
        assert!(MacConfig { rts_threshold: Some(Bytes(0)), ..rts }.validate().is_ok());
        let long = refuse(MacConfig { hardware_queue: Some(10_001), ..MacConfig::default() });
        assert_eq!(long.key, "hardware_queue");
        assert!(long.message.contains("expected 0 to 10000 packets"), "{}", long.message);
        let cw_max = Some(63);
        assert_eq!(refuse(MacConfig { access, cw_max, ..MacConfig::default() }).key, "cw_max");
    }
}
