//! EDCA: access categories and their parameters.
//!
//! ```text
//!              AIFSN   CWmin            CWmax            TXOP limit 2012 (OFDM / DSSS)
//! background     7     aCWmin           aCWmax           0
//! best effort    3     aCWmin           aCWmax           0
//! video          2     (aCWmin+1)/2-1   aCWmin           3.008 / 6.016 ms
//! voice          2     (aCWmin+1)/4-1   (aCWmin+1)/2-1   1.504 / 3.264 ms
//! ```
//! The parameters of the access point may differ from those of its stations. With a TXOP limit of
//! zero, each access carries one frame, as in the ns-3 of S3's time. Source: IEEE 802.11-2012 table
//! 8-105, clause 9.19.2; 802.11-2020 table 9-155, where the OFDM limits are 4.096 and 2.080 ms.

use airtcp_probe::ConfigError;
use airtcp_units::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::AccessParams;
use crate::phy::Standard;

/// An access category, lowest priority first.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Category {
    /// `AC_BK`.
    Background,
    /// `AC_BE`.
    #[default]
    BestEffort,
    /// `AC_VI`.
    Video,
    /// `AC_VO`.
    Voice,
}

impl Category {
    /// All categories, lowest priority first.
    pub const ALL: [Self; 4] = [Self::Background, Self::BestEffort, Self::Video, Self::Voice];

    /// Name in results and scenarios.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Background => "background",
            Self::BestEffort => "best-effort",
            Self::Video => "video",
            Self::Voice => "voice",
        }
    }
}

/// Most access categories of a station: those of [`Category`], and the one above voice that a scheme
/// may add.
pub const CATEGORIES: usize = Category::ALL.len() + 1;

/// Name in results of the category of this number, lowest priority first.
pub const fn category_name(number: usize) -> &'static str {
    if number < Category::ALL.len() { Category::ALL[number].name() } else { "exclusive" }
}

/// Default TXOP limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TxopLimits {
    /// The limits of 802.11e and 802.11-2012.
    #[default]
    #[serde(rename = "2012")]
    Y2012,
    /// The limits of 802.11-2020.
    #[serde(rename = "2020")]
    Y2020,
    /// One frame exchange per access.
    Zero,
}

/// Parameters of a category that differ from the defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CategoryConfig {
    /// Slots of the inter-frame space, 1 to 15 (2 to 15 at stations).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aifsn: Option<u32>,
    /// Minimum contention window, one less than a power of 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cw_min: Option<u32>,
    /// Maximum contention window, one less than a power of 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cw_max: Option<u32>,
    /// Limit of a transmission opportunity; 0 for one frame exchange.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub txop_limit: Option<Span>,
    /// Lifetime of packets (`dot11EDCATableMSDULifetime`). Default: `mac.lifetime`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lifetime: Option<Span>,
}

/// Parameters of a station's categories that differ from the defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct EdcaConfig {
    /// `AC_BK`.
    pub background: CategoryConfig,
    /// `AC_BE`.
    pub best_effort: CategoryConfig,
    /// `AC_VI`.
    pub video: CategoryConfig,
    /// `AC_VO`.
    pub voice: CategoryConfig,
}

impl EdcaConfig {
    /// The parameters, lowest priority first.
    ///
    /// # Errors
    /// If a number is impossible, or `CWmin` is above `CWmax`; the message names the category.
    pub fn params(
        &self,
        standard: Standard,
        limits: TxopLimits,
    ) -> Result<[AccessParams; 4], ConfigError> {
        let all = [self.background, self.best_effort, self.video, self.voice];
        let mut params = Category::ALL.map(|category| default(category, standard, limits));
        for ((category, config), params) in Category::ALL.iter().zip(all).zip(&mut params) {
            let name = category.name();
            params.aifsn = config.aifsn.unwrap_or(params.aifsn);
            params.cw_min = config.cw_min.unwrap_or(params.cw_min);
            params.cw_max = config.cw_max.unwrap_or(params.cw_max);
            params.txop = config.txop_limit.unwrap_or(params.txop);
            params.lifetime = config.lifetime;
            params.check(name)?;
        }
        Ok(params)
    }
}

fn default(category: Category, standard: Standard, limits: TxopLimits) -> AccessParams {
    let (low, high) = (standard.cw_min(), standard.cw_max());
    let (aifsn, cw_min, cw_max) = match category {
        Category::Background => (7, low, high),
        Category::BestEffort => (3, low, high),
        Category::Video => (2, low.div_ceil(2) - 1, low),
        Category::Voice => (2, low.div_ceil(4) - 1, low.div_ceil(2) - 1),
    };
    let (ofdm, dsss) = match (category, limits) {
        (Category::Video, TxopLimits::Y2012) => (3_008, 6_016),
        (Category::Voice, TxopLimits::Y2012) => (1_504, 3_264),
        (Category::Video, TxopLimits::Y2020) => (4_096, 6_016),
        (Category::Voice, TxopLimits::Y2020) => (2_080, 3_264),
        _ => (0, 0),
    };
    let txop = Span::from_micros(if standard == Standard::B { dsss } else { ofdm });
    AccessParams { aifsn, cw_min, cw_max, txop, lifetime: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_the_standards() {
        let of = |standard| EdcaConfig::default().params(standard, TxopLimits::Y2012).unwrap();
        let row = |p: AccessParams| (p.aifsn, p.cw_min, p.cw_max, p.txop.0 / 1_000);
        let a = of(Standard::A).map(row);
        assert_eq!(a, [(7, 15, 1023, 0), (3, 15, 1023, 0), (2, 7, 15, 3_008), (2, 3, 7, 1_504)]);
        let b = of(Standard::B).map(row);
        assert_eq!(b[2..], [(2, 15, 31, 6_016), (2, 7, 15, 3_264)]);
    }

    #[test]
    fn impossible_parameters_are_refused() {
        let refuse = |voice: CategoryConfig| {
            let config = EdcaConfig { voice, ..EdcaConfig::default() };
            config.params(Standard::A, TxopLimits::Zero).unwrap_err().message
        };
        let cw = CategoryConfig { cw_min: Some(31), ..CategoryConfig::default() };
        assert_eq!(refuse(cw), "CWmin of voice is 31, above its CWmax of 7");
        let cw = CategoryConfig { cw_min: Some(4), ..CategoryConfig::default() };
        assert!(refuse(cw).contains("one less than a power of 2"));
        let aifsn = CategoryConfig { aifsn: Some(0), ..CategoryConfig::default() };
        assert!(refuse(aifsn).contains("AIFSN of voice is 0"));
    }
}
