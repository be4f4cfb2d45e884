//! Parameters of TFRC.

use airtcp_probe::ConfigError;
use airtcp_units::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::lda::LdaConfig;

/// Parameters of a TFRC flow. Defaults are RFC 5348's.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TfrcConfig {
    /// Payload of a packet of a bulk flow in bytes; other applications send their messages.
    /// Default 1460.
    pub segment: u16,
    /// Weight of the old value in the average round-trip time. Default 0.9 (section 4.3 step 2).
    pub rtt_weight: f64,
    /// Discount old loss intervals if the open one is long. Default true (section 5.5).
    pub history_discounting: bool,
    /// Dampen oscillations by the square root of the round-trip time. Default false
    /// (section 4.5, optional).
    pub oscillation_damping: bool,
    /// Longest time between packets, `t_mbi`. Default 64 s (section 4.3).
    pub longest_gap: Span,
    /// Send ECN-capable packets; a mark counts as a loss. Default false (section 5.1).
    pub ecn: bool,
    /// Classify losses as overflow, collision or corruption, and count only the first two (E-TFRC
    /// with TP-LDA, S3 31 to 33). Absent for plain TFRC (the default).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss_differentiation: Option<LdaConfig>,
}

impl Default for TfrcConfig {
    fn default() -> Self {
        Self {
            segment: 1460,
            rtt_weight: 0.9,
            history_discounting: true,
            oscillation_damping: false,
            longest_gap: Span::from_secs(64),
            ecn: false,
            loss_differentiation: None,
        }
    }
}

impl TfrcConfig {
    /// Checks every value.
    ///
    /// # Errors
    /// The key at fault, what was found and what is accepted.
    pub fn validate(&self) -> Result<(), ConfigError> {
        if !(1..=65_000).contains(&self.segment) {
            let text = format!("{}: accepted is 1 to 65000", self.segment);
            return Err(ConfigError::new("segment", text));
        }
        if !(0.0..1.0).contains(&self.rtt_weight) {
            let text = format!("{}: accepted is 0 to below 1", self.rtt_weight);
            return Err(ConfigError::new("rtt_weight", text));
        }
        if !(Span::from_secs(1)..=Span::from_secs(86_400)).contains(&self.longest_gap) {
            let text = format!("{}: accepted is 1 s to 1 day", self.longest_gap);
            return Err(ConfigError::new("longest_gap", text));
        }
        self.loss_differentiation.map_or(Ok(()), |lda| {
            lda.validate().map_err(|e| {
                ConfigError::new("loss_differentiation", format!("{}: {}", e.key, e.message))
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_name_the_key() {
        assert!(TfrcConfig::default().validate().is_ok());
        let bad = |text: &str| {
            let config: TfrcConfig = serde_json::from_str(text).unwrap();
            config.validate().unwrap_err().to_string()
        };
        assert!(bad(r#"{"segment": 0}"#).contains("segment: 0"));
        assert!(bad(r#"{"rtt_weight": 1.0}"#).contains("rtt_weight"));
        assert!(bad(r#"{"longest_gap": "1 ms"}"#).contains("longest_gap"));
        let nested = bad(r#"{"loss_differentiation": {"threshold": 2.0}}"#);
        assert!(nested.contains("loss_differentiation: threshold: 2"), "{nested}");
        assert!(serde_json::from_str::<TfrcConfig>(r#"{"segmnet": 5}"#).is_err());
    }
}
