//! What multi-user operation (OFDMA) needs of the other keys of `mac`.

use airtcp_probe::ConfigError;

use crate::mac::MacConfig;
use crate::phy::Standard;

impl MacConfig {
    /// Checks that multi-user operation is possible with a standard; with aggregation, without which no BlockAck
    /// answers.
    ///
    /// # Errors
    /// The key `ofdma`.
    pub fn check_ofdma(&self, standard: Standard) -> Result<(), ConfigError> {
        if self.ofdma.is_none() {
            return Ok(());
        }
        if !standard.format().generation().multi_user {
            let message = format!("needs 802.11ax, but the standard is {standard}: omit it");
            return Err(ConfigError::new("ofdma", message));
        }
        if self.hardware_queue.is_some_and(|places| places > 0) {
            let message = "needs packets to stay in the queues of their stations, but mac.hardware_queue is more \
                           than 0: omit either";
            return Err(ConfigError::new("ofdma", message));
        }
        if self.aggregation(standard)?.is_none_or(|rules| rules.is_single()) {
            let message = "needs A-MPDU, but mac.aggregation.max_mpdus is 1: omit either";
            return Err(ConfigError::new("ofdma", message));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airtcp_units::Span;

    use crate::mac::{AggregationConfig, MuEdcaConfig, OfdmaConfig};

    #[test]
    fn contradictory_keys_are_refused() {
        let refuse = |config: OfdmaConfig| {
            let mac = MacConfig { ofdma: Some(config), ..MacConfig::default() };
            mac.validate().unwrap_err()
        };
        let usual = OfdmaConfig::default();
        let none = refuse(OfdmaConfig { downlink: false, uplink: false, ..usual });
        assert_eq!(none.key, "ofdma");
        let one = refuse(OfdmaConfig { max_stations: 1, ..usual });
        assert_eq!(
            (one.key, one.message.as_str()),
            ("ofdma.max_stations", "is 1: expected 2 to 74")
        );
        let edca = |config| refuse(OfdmaConfig { mu_edca: Some(config), ..usual });
        let own = MuEdcaConfig::default();
        assert_eq!(edca(MuEdcaConfig { aifsn: 1, ..own }).key, "ofdma.mu_edca.aifsn");
        assert_eq!(edca(MuEdcaConfig { cw_min: 16, ..own }).key, "ofdma.mu_edca.cw_min");
        assert_eq!(edca(MuEdcaConfig { cw_min: 2047, ..own }).key, "ofdma.mu_edca.cw_min");
        let timer = edca(MuEdcaConfig { timer: Span::from_millis(20), ..own });
        assert_eq!(timer.key, "ofdma.mu_edca.timer");
        assert!(timer.message.contains("such as 16384 us"), "{}", timer.message);
        let down = OfdmaConfig { uplink: false, mu_edca: Some(own), ..usual };
        assert!(refuse(down).message.contains("set ofdma.uplink = true"));
        assert!(MacConfig { ofdma: Some(usual), ..MacConfig::default() }.validate().is_ok());
    }

    #[test]
    fn ofdma_needs_802_11ax_and_aggregates() {
        let mac = MacConfig { ofdma: Some(OfdmaConfig::default()), ..MacConfig::default() };
        assert!(mac.check_ofdma(Standard::Ax).is_ok());
        let old = mac.check_ofdma(Standard::Ac).unwrap_err();
        assert!(old.message.starts_with("needs 802.11ax, but the standard is"), "{}", old.message);
        let single = AggregationConfig { max_mpdus: Some(1), ..AggregationConfig::default() };
        let single = MacConfig { aggregation: Some(single), ..mac };
        assert!(single.check_ofdma(Standard::Ax).unwrap_err().message.contains("max_mpdus is 1"));
        let below = MacConfig { hardware_queue: Some(64), aggregation: None, ..single };
        assert!(
            below.check_ofdma(Standard::Ax).unwrap_err().message.contains("mac.hardware_queue")
        );
    }
}
