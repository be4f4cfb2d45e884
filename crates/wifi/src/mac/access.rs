//! Access parameters of one category.

use airtcp_probe::ConfigError;
use airtcp_units::Span;

/// Access parameters of one category.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccessParams {
    /// Slots of the inter-frame space after SIFS: 2 for DIFS.
    pub aifsn: u32,
    /// Minimum contention window.
    pub cw_min: u32,
    /// Maximum contention window.
    pub cw_max: u32,
    /// Limit of a transmission opportunity; zero for one frame exchange.
    pub txop: Span,
    /// Maximum age of a packet when an attempt begins; `None` without a limit.
    pub lifetime: Option<Span>,
}

impl AccessParams {
    /// The same parameters with one frame exchange per access.
    pub(crate) const fn for_one_frame(self) -> Self {
        Self { txop: Span::ZERO, ..self }
    }

    /// Refuses impossible parameters.
    pub(crate) fn check(&self, name: &str) -> Result<(), ConfigError> {
        let wrong = |message: String| Err(ConfigError::new("", message));
        if !(1..=15).contains(&self.aifsn) {
            return wrong(format!("AIFSN of {name} is {}: expected 1 to 15", self.aifsn));
        }
        for (key, cw) in [("CWmin", self.cw_min), ("CWmax", self.cw_max)] {
            if !(cw < 32_768 && (cw + 1).is_power_of_two()) {
                return wrong(format!(
                    "{key} of {name} is {cw}: one less than a power of 2, up to 32767"
                ));
            }
        }
        if self.cw_min > self.cw_max {
            return wrong(format!(
                "CWmin of {name} is {}, above its CWmax of {}",
                self.cw_min, self.cw_max
            ));
        }
        if self.txop > Span::from_millis(20) {
            return wrong(format!("TXOP limit of {name} is {}: at most 20 ms", self.txop));
        }
        if self.lifetime == Some(Span::ZERO) {
            return wrong(format!("lifetime of {name} is 0 s: leave it out, or give a time"));
        }
        Ok(())
    }
}
