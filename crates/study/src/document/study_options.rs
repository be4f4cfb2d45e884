//! The options of a study, with their defaults.

use std::collections::BTreeMap;

use airtcp_probe::reworded;
use airtcp_sim::slotted::SlottedConfig;
use airtcp_trace::AnalyseOptions;
use airtcp_transport::tcp::{Profile, TcpConfig};
use airtcp_units::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::base::error::{SCALED, StudyError};
use crate::base::keys::merged;
use crate::document::compare_options::usual;

/// The slot for which S1 states its timers on Mirage; other slots scale them (S1 section 3.2.2).
const REFERENCE_SLOT: Span = Span::from_millis(10);

/// The options of a study.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StudyOptions {
    /// TCP parameters: `s1` (S1's, with timers in proportion to the slot: a least timeout of 100
    /// slots, a greatest of 6000, an ACK delay of 30), or the name of a profile, used as it is.
    pub profile: String,
    /// TCP keys in place of the profile's, as in a scenario's table `tcp`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tcp: BTreeMap<String, serde_json::Value>,
    /// Duration of a slot. If absent, the trace's own interval between packets, or 10 ms where
    /// the trace does not say.
    pub slot: Option<Span>,
    /// Synthetic links of each kind.
    pub replicas: u32,
    /// Root seed.
    pub seed: u64,
    /// Threads; all cores if absent. The result does not depend on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workers: Option<u32>,
    /// Number of links, from the first, whose congestion window is recorded.
    pub cwnd_links: u32,
    /// Compare TCPs over each trace if there are at most this many links; 0, the default, means
    /// never.
    pub compare_links: u32,
    /// The TCPs that are compared, by name (see `airtcp compare`); the first is the reference.
    pub compare: Vec<String>,
    /// Try remedies against losses over each trace if there are at most this many links; 0, the
    /// default, means never.
    pub remedy_links: u32,
    /// The remedies, by name; `usual` stands for the usual ones.
    pub remedies: Vec<String>,
    /// Options of the trace's statistics.
    pub analyse: AnalyseOptions,
}

impl Default for StudyOptions {
    fn default() -> Self {
        Self {
            profile: SCALED.into(),
            tcp: BTreeMap::new(),
            slot: None,
            replicas: 20,
            seed: 1,
            workers: None,
            cwnd_links: 100,
            compare_links: 0,
            compare: usual(),
            remedy_links: 0,
            remedies: vec!["usual".into()],
            analyse: AnalyseOptions::default(),
        }
    }
}

/// The shortest slot.
pub(crate) const MIN_SLOT: Span = Span::from_micros(1);
/// The longest slot.
pub(crate) const LONGEST_SLOT: Span = Span::from_secs(3600);

impl StudyOptions {
    /// Checks the options that do not depend on a link.
    ///
    /// # Errors
    /// The first option that is impossible.
    pub fn validate(&self) -> Result<(), StudyError> {
        if !(1..=10_000).contains(&self.replicas) {
            return Err(StudyError::Range {
                option: "replicas",
                found: self.replicas.to_string(),
                accepted: "1 to 10000",
            });
        }
        if self.workers == Some(0) {
            return Err(StudyError::Range {
                option: "workers",
                found: "0".into(),
                accepted: "1 or more; leave it out for all cores",
            });
        }
        self.slotted(None).map(|_| ())
    }

    /// True if neither the options nor the trace give the slot, and [`REFERENCE_SLOT`] is assumed.
    pub(crate) const fn slot_assumed(&self, interval: Option<Span>) -> bool {
        self.slot.is_none() && interval.is_none()
    }

    /// The slotted configuration of TCP over a link whose trace states `interval`.
    pub(crate) fn slotted(&self, interval: Option<Span>) -> Result<SlottedConfig, StudyError> {
        let slot = self.slot.or(interval).unwrap_or(REFERENCE_SLOT);
        if !(MIN_SLOT..=LONGEST_SLOT).contains(&slot) {
            return Err(StudyError::Range {
                option: "slot",
                found: slot.to_string(),
                accepted: "1 us to 1 h",
            });
        }
        let tcp = if self.profile == SCALED {
            scaled(slot)
        } else {
            let profile = Profile::ALL.into_iter().find(|p| p.name() == self.profile);
            TcpConfig::profile(profile.ok_or_else(|| StudyError::Profile {
                found: self.profile.clone(),
                accepted: Profile::ALL.map(Profile::name).join(", "),
            })?)
        };
        Ok(SlottedConfig { tcp: self.replaced(tcp)?, slot, attempts: 1 })
    }

    /// `base` with the keys of [`Self::tcp`] put in.
    fn replaced(&self, base: TcpConfig) -> Result<TcpConfig, StudyError> {
        if self.tcp.is_empty() {
            return Ok(base);
        }
        let config: TcpConfig = merged(&base, &self.tcp).map_err(StudyError::Tcp)?;
        config.validate().map_err(|e| StudyError::Tcp(reworded(&e.to_string())))?;
        Ok(config)
    }
}

/// S1's Mirage parameters with every time in proportion to the slot. At 2 ms this is S1's
/// Roofnet set.
fn scaled(slot: Span) -> TcpConfig {
    let base = TcpConfig::profile(Profile::S1Mirage);
    let scale = |t: Span| {
        let exact = u128::from(t.0) * u128::from(slot.0) / u128::from(REFERENCE_SLOT.0);
        // A time above zero must stay above zero.
        Span(u64::try_from(exact).unwrap_or(u64::MAX)).max(Span(u64::from(t.0 > 0)))
    };
    TcpConfig {
        rto_initial: scale(base.rto_initial),
        rto_min: scale(base.rto_min),
        rto_max: scale(base.rto_max),
        rto_granularity: scale(base.rto_granularity),
        rto_after_syn_loss: scale(base.rto_after_syn_loss),
        ack_delay: scale(base.ack_delay),
        ..base
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scaling_gives_the_published_sets() {
        assert_eq!(scaled(Span::from_millis(10)), TcpConfig::profile(Profile::S1Mirage));
        assert_eq!(scaled(Span::from_millis(2)), TcpConfig::profile(Profile::S1Roofnet));
    }

    #[test]
    fn keys_replace_those_of_the_profile() {
        let keys = [("ack_every", serde_json::json!(1)), ("rto_max", serde_json::json!("1 s"))];
        let tcp = keys.map(|(key, value)| (key.to_owned(), value)).into();
        let options = StudyOptions { tcp, ..StudyOptions::default() };
        let config = options.slotted(None).unwrap().tcp;
        let base = TcpConfig::profile(Profile::S1Mirage);
        assert_eq!(config, TcpConfig { ack_every: 1, rto_max: Span::from_secs(1), ..base });
    }

    #[test]
    fn refusals() {
        let bad = |f: &dyn Fn(&mut StudyOptions)| {
            let mut o = StudyOptions::default();
            f(&mut o);
            o.validate().unwrap_err().to_string()
        };
        assert!(bad(&|o| o.replicas = 0).contains("1 to 10000"));
        assert!(bad(&|o| o.profile = "tahoe".into()).contains("s1-mirage"));
        assert!(bad(&|o| o.slot = Some(Span(0))).contains("1 us"));
        let key = |key: &str, value: serde_json::Value| {
            bad(&|o| o.tcp = BTreeMap::from([(key.into(), value.clone())]))
        };
        assert!(key("ack_evry", 1.into()).starts_with("tcp: unknown key \"ack_evry\""));
        assert!(key("ack_every", "two".into()).starts_with("tcp: expected a whole number"));
        assert!(key("dup_thresh", 0.into()).contains("dup_thresh"));
    }
}
