//! LL-ARQ: the sender retransmits fragments of a frame until all have arrived (S2 section VI).
//!
//! A frame has 20 fragments and up to 15 transmissions, without back-off. S2 says that
//! "retransmissions are the same as the original transmission" and leaves open whether the receiver
//! keeps its fragments and whether the sender waits for the report. By default, the receiver keeps
//! its fragments and the sender sends other frames meanwhile: with fragment loss p, P(incomplete
//! after a transmissions) = 1 - (1 - p^a)^20. [`Arq`] has the other readings.
//!
//! Leaves out: back-off between attempts, which S2's baseline lacks too.

use airtcp_probe::ConfigError;
use airtcp_units::Bytes;

use super::{Common, FeedbackConfig, First, LinkProtocol, Missing, Model, SymbolSet, Trigger};

/// Content of retransmissions.
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
pub enum Arq {
    /// All fragments. The receiver keeps earlier fragments; the sender sends other frames
    /// meanwhile.
    #[default]
    WholeAccumulate,
    /// The missing fragments. The sender sends other frames meanwhile.
    Selective,
    /// All fragments. The receiver keeps earlier fragments; the sender waits for the report.
    StopAndWait,
}

/// Link-layer ARQ.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LlArqConfig {
    /// Fragments per frame.
    pub units: u16,
    /// Maximum transmissions of a frame.
    pub attempts: u16,
    /// Content of retransmissions.
    pub arq: Arq,
    /// Header of each fragment.
    pub header: Bytes,
    /// If true, the receiver delivers frames in order.
    pub in_order: bool,
    /// Maximum number of unacknowledged frames. Default: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<u32>,
    /// Reports of the receiver.
    pub feedback: FeedbackConfig,
}

impl Default for LlArqConfig {
    fn default() -> Self {
        Self {
            units: 20,
            attempts: 15,
            arq: Arq::default(),
            header: Bytes(0),
            in_order: true,
            window: None,
            feedback: FeedbackConfig::default(),
        }
    }
}

/// LL-ARQ.
#[derive(Debug, Clone)]
pub struct LlArq {
    units: u16,
    attempts: u16,
    selective: bool,
    window: usize,
    header: u32,
}

impl LinkProtocol for LlArq {
    fn first(&mut self) -> First {
        First { needed: self.units, parity: 0 }
    }

    fn again(&mut self, missing: &Missing) -> SymbolSet {
        let all = SymbolSet::range(0, self.units);
        let rest = all.without(missing.have);
        // If a report lists all fragments but does not settle the frame, retransmit all.
        if self.selective && !rest.is_empty() { rest } else { all }
    }

    fn on_report(&mut self, _: u16, _: u16, _: u16) {}

    fn attempts(&self) -> u16 {
        self.attempts
    }

    fn window(&self) -> usize {
        self.window
    }

    fn header(&self) -> u32 {
        self.header
    }
}

impl Model for LlArq {
    type Config = LlArqConfig;

    fn build(config: &LlArqConfig, mtu: Option<u64>) -> Result<Self, ConfigError> {
        let LlArqConfig { units, attempts, window, .. } = *config;
        super::check_counts("protocol.units", units, attempts, window, mtu)?;
        config.feedback.check()?;
        if config.arq == Arq::StopAndWait && window.is_some_and(|w| w > 1) {
            let message = "has no effect with arq = \"stop-and-wait\", which has a window of one frame: leave \
                           it out, or take another arq";
            return Err(ConfigError::new("protocol.window", message));
        }
        let window = window.map_or(usize::MAX, |w| w as usize);
        Ok(Self {
            units,
            attempts,
            selective: config.arq == Arq::Selective,
            window: if config.arq == Arq::StopAndWait { 1 } else { window },
            header: super::ll_harq::header(config.header)?,
        })
    }

    fn common(config: &LlArqConfig) -> Common<'_> {
        Common {
            units: config.units,
            feedback: &config.feedback,
            trigger: config.feedback.trigger.unwrap_or(Trigger::EndOfBlock),
            in_order: config.in_order,
        }
    }

    #[cfg(test)]
    fn samples() -> Vec<LlArqConfig> {
        let of = |arq| LlArqConfig { arq, ..LlArqConfig::default() };
        vec![
            of(Arq::WholeAccumulate),
            of(Arq::Selective),
            of(Arq::StopAndWait),
            LlArqConfig { attempts: 1, units: 1, ..of(Arq::Selective) },
            LlArqConfig { attempts: 3, in_order: false, ..of(Arq::Selective) },
            LlArqConfig { window: Some(5), header: Bytes(2), ..of(Arq::WholeAccumulate) },
        ]
    }
}
