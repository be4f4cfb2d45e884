//! LL-HARQ: proactive parity from the estimated loss, and reactive parity on request (S2 sections V
//! and VI).
//!
//! A frame becomes a block of N = 20 units in all, data and proactive parity (PFEC); the unit's
//! size is the frame's over N - P. With the estimate A of the loss of units, an average over blocks
//! with weight 0.005, and the standard deviation of the share lost in a block, s = sqrt(A(1-A)/N):
//!
//! ```text
//! A <- A + 0.005 (erased share of the block - A)      P = round(N (A + s))
//! R = P + ceil(X / (1 - A - s))                       X: units still needed
//! ```
//! If fewer than N - P units of a block arrive, the receiver reports it and the sender answers with
//! R further parity units (RFEC). If the block still cannot be decoded, the sender abandons it. S2
//! states the average, "one standard deviation more than the expected loss" and the single
//! retransmission. N as the total, the rounding, the rule of R and the first estimate (1/2) are the
//! readings that reproduce S2's Table I; each has a key.

use airtcp_probe::ConfigError;
use airtcp_units::{Bytes, Narrow, Probability, Saturate};

use super::{
    Common, FeedbackConfig, First, LinkProtocol, MAX_SYMBOLS, Missing, Model, SymbolSet, Trigger,
};

/// Rounding of a number of units.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Default,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Rounding {
    /// To the nearest.
    #[default]
    Nearest,
    /// Up.
    Up,
    /// Down.
    Down,
}

/// Number of RFEC units after P units of PFEC if X more units are needed.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Default,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Rfec {
    /// P + ceil(X / (1 - A - s)).
    #[default]
    ParityAndMargin,
    /// P + ceil(X / (1 - A)).
    ParityAndMean,
    /// ceil(N (A + s) + X / (1 - A)).
    Sum,
    /// X + P + ceil(N s).
    NeedAndSpread,
    /// ceil(X / (1 - A - s)).
    Margin,
}

/// Source of the standard deviation.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Default,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Deviation {
    /// Binomial, for independent losses: sqrt(A(1-A)/N).
    #[default]
    Binomial,
    /// Measured: the moving average of the samples' squared distance from A, with the weight of A.
    Measured,
}

/// Transmissions that enter the loss estimate.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Default,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Sample {
    /// The first transmission of each frame.
    #[default]
    First,
    /// All transmissions.
    Every,
}

/// Link-layer hybrid ARQ.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LlHarqConfig {
    /// Units of a frame's first transmission, data and PFEC together.
    pub units: u16,
    /// Maximum transmissions of a frame; 2 is a block and one retransmission.
    pub attempts: u16,
    /// Weight of a sample in the moving average of the loss.
    pub weight: Probability,
    /// Initial loss estimate. With the default of 0.5, early frames have enough parity, and the
    /// parity sent before a loss-free link is recognised matches S2's Table I at 0 %.
    pub initial_loss: Probability,
    /// Protection above the estimated loss, in standard deviations.
    pub deviations: f64,
    /// Source of the standard deviation.
    pub deviation: Deviation,
    /// Rounding of the number of PFEC units.
    pub rounding: Rounding,
    /// Number of RFEC units.
    pub rfec: Rfec,
    /// Transmissions that enter the loss estimate.
    pub sample: Sample,
    /// Maximum RFEC units of a frame. Default: the rest of the code's symbols, 255 - `units`. If
    /// the parity is used up (with more than two `attempts`), the sender retransmits the same
    /// number of lost units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rfec_max: Option<u16>,
    /// Header of each unit.
    pub header: Bytes,
    /// If true, the receiver delivers frames in order.
    pub in_order: bool,
    /// Maximum number of unacknowledged frames. Default: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<u32>,
    /// Reports of the receiver.
    pub feedback: FeedbackConfig,
}

impl Default for LlHarqConfig {
    fn default() -> Self {
        Self {
            units: 20,
            attempts: 2,
            weight: Probability::clamped(0.005),
            initial_loss: Probability::clamped(0.5),
            deviations: 1.0,
            deviation: Deviation::default(),
            rounding: Rounding::default(),
            rfec: Rfec::default(),
            sample: Sample::default(),
            rfec_max: None,
            header: Bytes(0),
            in_order: true,
            window: None,
            feedback: FeedbackConfig::default(),
        }
    }
}

/// LL-HARQ.
#[derive(Debug, Clone)]
pub struct LlHarq {
    config: LlHarqConfig,
    /// A.
    mean: f64,
    /// Average squared distance of samples from A.
    variance: f64,
    /// End of the range of unit numbers.
    end: u16,
    window: usize,
    header: u32,
}

/// Rounds a non-negative number of units.
fn whole(x: f64, rounding: Rounding) -> u16 {
    // A whole number apart from rounding errors stays that number.
    let x = match rounding {
        Rounding::Nearest => (x + 0.5).floor(),
        Rounding::Up => (x - 1e-9).ceil(),
        Rounding::Down => (x + 1e-9).floor(),
    };
    u16::saturate(x.clamp(0.0, f64::from(MAX_SYMBOLS)))
}

impl LlHarq {
    fn units(&self) -> f64 {
        f64::from(self.config.units)
    }

    /// The protection above the estimate, s.
    fn spread(&self) -> f64 {
        let variance = match self.config.deviation {
            Deviation::Binomial => self.mean * (1.0 - self.mean) / self.units(),
            Deviation::Measured => self.variance,
        };
        self.config.deviations * variance.max(0.0).sqrt()
    }

    /// PFEC units of the next block: at least one unit is data.
    pub fn parity(&self) -> u16 {
        let share = self.units() * (self.mean + self.spread());
        whole(share, self.config.rounding).min(self.config.units - 1)
    }

    /// RFEC units for a frame that was sent with `parity` and needs `need` more.
    pub fn demand(&self, parity: u16, need: u16) -> u16 {
        let (x, p) = (f64::from(need), f64::from(parity));
        // If hardly any unit can be expected to arrive, the demand is all of the code's symbols.
        let arrives = |margin: f64| (1.0 - self.mean - margin).max(1.0 / f64::from(MAX_SYMBOLS));
        let spread = self.spread();
        let units = match self.config.rfec {
            Rfec::ParityAndMargin => p + (x / arrives(spread) - 1e-9).ceil(),
            Rfec::ParityAndMean => p + (x / arrives(0.0) - 1e-9).ceil(),
            Rfec::Sum => self.units() * (self.mean + spread) + x / arrives(0.0),
            Rfec::NeedAndSpread => x + p + (self.units() * spread - 1e-9).ceil(),
            Rfec::Margin => x / arrives(spread),
        };
        whole(units, Rounding::Up).max(1)
    }
}

impl LinkProtocol for LlHarq {
    fn first(&mut self) -> First {
        let parity = self.parity();
        First { needed: self.config.units - parity, parity }
    }

    fn again(&mut self, missing: &Missing) -> SymbolSet {
        let need = missing.needed.saturating_sub(missing.have.len()).max(1);
        let demand = self.demand(missing.parity, need);
        let fresh = SymbolSet::range(missing.fresh, (missing.fresh + demand).min(self.end));
        if !fresh.is_empty() {
            return fresh;
        }
        // The code has no further symbols: retransmit the same number of missing units.
        let lost = SymbolSet::range(0, missing.fresh).without(missing.have);
        lost.iter().take(usize::from(demand)).fold(SymbolSet::EMPTY, |mut some, symbol| {
            some.insert(symbol);
            some
        })
    }

    fn on_report(&mut self, attempt: u16, sent: u16, received: u16) {
        if sent == 0 || (attempt > 1 && self.config.sample == Sample::First) {
            return;
        }
        let lost = f64::from(sent.saturating_sub(received)) / f64::from(sent);
        let (weight, distance) = (self.config.weight.get(), lost - self.mean);
        self.mean = weight.mul_add(distance, self.mean).clamp(0.0, 1.0);
        self.variance = (1.0 - weight) * (weight * distance).mul_add(distance, self.variance);
    }

    fn attempts(&self) -> u16 {
        self.config.attempts
    }

    fn window(&self) -> usize {
        self.window
    }

    fn header(&self) -> u32 {
        self.header
    }

    fn estimate(&self) -> Option<f64> {
        Some(self.mean)
    }
}

/// Checks the header size of a unit.
pub(super) fn header(bytes: Bytes) -> Result<u32, ConfigError> {
    if bytes.0 > 100 {
        let message = format!("is {bytes}; expected 0 B to 100 B");
        return Err(ConfigError::new("protocol.header", message));
    }
    Ok(u32::narrow(bytes.0))
}

impl Model for LlHarq {
    type Config = LlHarqConfig;

    fn build(config: &LlHarqConfig, mtu: Option<u64>) -> Result<Self, ConfigError> {
        let LlHarqConfig { units, attempts, window, deviations, .. } = *config;
        super::check_counts("protocol.units", units, attempts, window, mtu)?;
        config.feedback.check()?;
        if !(0.0..=20.0).contains(&deviations) {
            return Err(ConfigError::new(
                "protocol.deviations",
                format!("is {deviations}; expected 0 to 20 standard deviations"),
            ));
        }
        if config.weight.get() <= 0.0 {
            return Err(ConfigError::new(
                "protocol.weight",
                "is 0; expected values above 0, up to 1",
            ));
        }
        let left = MAX_SYMBOLS - units;
        if left == 0 && attempts > 1 && config.rfec_max.is_none() {
            let message = "is 255: the code over GF(256) has no unit left to send on demand; accepted \
                           are up to 254, and 255 with attempts = 1";
            return Err(ConfigError::new("protocol.units", message));
        }
        let most = config.rfec_max.unwrap_or(left);
        if config.rfec_max.is_some() && (most == 0 || most > left) {
            return Err(ConfigError::new(
                "protocol.rfec_max",
                format!(
                    "is {most}: with units = {units} the code over GF(256) has {left} units left, \
                     so that expected 1 to {left}"
                ),
            ));
        }
        let mean = config.initial_loss.get();
        Ok(Self {
            config: config.clone(),
            mean,
            variance: mean * (1.0 - mean) / f64::from(units),
            end: units + most,
            window: window.map_or(usize::MAX, |w| w as usize),
            header: header(config.header)?,
        })
    }

    fn common(config: &LlHarqConfig) -> Common<'_> {
        Common {
            units: config.units,
            feedback: &config.feedback,
            trigger: config.feedback.trigger.unwrap_or(Trigger::NextFrame),
            in_order: config.in_order,
        }
    }

    #[cfg(test)]
    fn samples() -> Vec<LlHarqConfig> {
        let base = LlHarqConfig::default();
        let of = |rfec, rounding| LlHarqConfig {
            rfec,
            rounding,
            initial_loss: Probability::clamped(0.3),
            ..LlHarqConfig::default()
        };
        vec![
            base.clone(),
            of(Rfec::ParityAndMean, Rounding::Up),
            of(Rfec::Sum, Rounding::Down),
            LlHarqConfig { deviation: Deviation::Measured, ..of(Rfec::Margin, Rounding::Nearest) },
            LlHarqConfig {
                sample: Sample::Every,
                attempts: 4,
                ..of(Rfec::NeedAndSpread, Rounding::Nearest)
            },
            LlHarqConfig { units: 200, rfec_max: Some(3), attempts: 3, ..base.clone() },
            LlHarqConfig {
                in_order: false,
                feedback: FeedbackConfig {
                    trigger: Some(Trigger::EndOfBlock),
                    ..FeedbackConfig::default()
                },
                ..base
            },
        ]
    }
}
