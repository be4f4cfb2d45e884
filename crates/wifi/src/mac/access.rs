//! Access parameters of one category: what it contends with.

use airtcp_probe::ConfigError;
use airtcp_units::Span;

/// Access parameters of one category.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccessParams {
    /// Slots of the inter-frame space: 2 for DIFS.
    pub aifsn: u32,
    /// Least contention window.
    pub cw_min: u32,
    /// Greatest contention window.
    pub cw_max: u32,
    /// Longest transmission opportunity; one frame exchange if zero.
    pub txop: Span,
    /// How old a packet may be when an attempt begins; as old as it likes if absent.
    pub lifetime: Option<Span>,
}

impl AccessParams {
    /// The same, with one frame an access.
    pub(crate) const fn for_one_frame(self) -> Self {
        Self { txop: Span::ZERO, ..self }
    }

    /// Whether they are possible.
    pub(crate) fn check(&self, name: &str) -> Result<(), ConfigError> {
        let wrong = |message: String| Err(ConfigError::new("", message));
        if !(1..=15).contains(&self.aifsn) {
            return wrong(format!("AIFSN of {name} is {}: accepted are 1 to 15", self.aifsn));
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
