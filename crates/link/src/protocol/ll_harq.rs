//! LL-HARQ: parity sent ahead by the estimated loss, and parity on demand (S2 sections V and VI).
//!
//! A frame becomes a block of N = 20 units in all, data and proactive parity (PFEC); the unit's
//! size is the frame's over N - P. With the estimate A of the loss of units, an average over blocks
//! with weight 0.005, and the standard deviation of the share lost in a block, s = sqrt(A(1-A)/N):
//!
//! ```text
//! A <- A + 0.005 (erased share of the block - A)      P = round(N (A + s))
//! R = P + ceil(X / (1 - A - s))                       X: units still needed
//! ```
//!
//! A block of which fewer than N - P units arrive is reported, answered with R further parity
//! units (RFEC), and given up if that does not do. S2 states the average, "one standard deviation
//! more than the expected loss" and the single retransmission; N as the total, the rounding, the
//! rule of R and the first estimate (1/2) are what reproduces S2's Table I, and each is a key.

use airtcp_probe::ConfigError;
use airtcp_units::{Bytes, Narrow, Probability, Saturate};

use super::{
    Common, FeedbackConfig, First, LinkProtocol, MAX_SYMBOLS, Missing, Model, SymbolSet, Trigger,
};

/// How a number of units becomes whole.
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

/// How many units are sent on demand: P units of PFEC were sent, X are needed.
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
    /// ceil(X / (1 - A - s)): without P.
    Margin,
}

/// Where the standard deviation comes from.
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
    /// Of independent losses, sqrt(A(1-A)/N).
    #[default]
    Binomial,
    /// Of the samples themselves: an average of their squared distance from A, with A's weight.
    Measured,
}

/// Which transmissions the estimate is of.
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
    /// Of the first one of each frame.
    #[default]
    First,
    /// Of all.
    Every,
}

/// The table of LL-HARQ.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LlHarqConfig {
    /// Units of a frame's first transmission, data and PFEC together.
    pub units: u16,
    /// Transmissions of a frame in all: a block and its retransmission.
    pub attempts: u16,
    /// Weight of a sample in the average.
    pub weight: Probability,
    /// The estimate at the start. Half, unless given: a frame of the first second is then not lost
    /// for want of parity, and the parity sent until a loss-free link is known for one is what
    /// S2's Table I has at 0 %.
    pub initial_loss: Probability,
    /// Standard deviations of protection above the estimate.
    pub deviations: f64,
    /// Where the standard deviation comes from.
    pub deviation: Deviation,
    /// How the number of PFEC units becomes whole.
    pub rounding: Rounding,
    /// How many units are sent on demand.
    pub rfec: Rfec,
    /// Which transmissions the estimate is of.
    pub sample: Sample,
    /// Further parity of a frame, at most, in all. Default: what the code has left, 255 - `units`.
    /// Once it is used up (with more than two `attempts`), units that were lost are sent again, as
    /// many as would have been of parity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rfec_max: Option<u16>,
    /// Bytes added to each unit.
    pub header: Bytes,
    /// Whether frames go up in order.
    pub in_order: bool,
    /// Frames under way at once, at most; no limit if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<u32>,
    /// How the receiver answers.
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
    /// Numbers of units end here.
    end: u16,
    window: usize,
    header: u32,
}

/// Whole units from a share that is not negative.
fn whole(x: f64, rounding: Rounding) -> u16 {
    // What is a whole number but for the last bits stays one.
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
        // A share so small that no unit can be expected to arrive asks for what the code has.
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
        // The code has no further symbols: of those that are missing as many are sent again.
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

/// Bytes added to each unit.
pub(super) fn header(bytes: Bytes) -> Result<u32, ConfigError> {
    if bytes.0 > 100 {
        let message = format!("is {bytes}: the header of a unit has at most 100 B");
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
                format!("is {deviations}: accepted are 0 to 20 standard deviations"),
            ));
        }
        if config.weight.get() <= 0.0 {
            return Err(ConfigError::new(
                "protocol.weight",
                "is 0: an average whose samples weigh nothing never learns; it is above 0, up to 1",
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
                     so that accepted are 1 to {left}"
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
