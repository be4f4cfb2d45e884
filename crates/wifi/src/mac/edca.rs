//! EDCA: access categories and their parameters.
//!
//! ```text
//!              AIFSN   CWmin            CWmax            TXOP limit 2012     2020 (OFDM / DSSS)
//! background     7     aCWmin           aCWmax           0                   2.528 / 3.264 ms
//! best effort    3     aCWmin           aCWmax           0                   2.528 / 3.264 ms
//! video          2     (aCWmin+1)/2-1   aCWmin           3.008 / 6.016 ms    4.096 / 6.016 ms
//! voice          2     (aCWmin+1)/4-1   (aCWmin+1)/2-1   1.504 / 3.264 ms    2.080 / 3.264 ms
//! ```
//! These are the values of stations. The standard's table of the access point differs in three places: CWmax
//! of best effort is 4 (aCWmin+1) - 1, and AIFSN of video and voice is 1. With a TXOP limit of zero, each access
//! carries one frame, as in the ns-3 of S3's time.
//!
//! Source: IEEE 802.11-2012 table 8-105, clause 9.19.2; 802.11-2020 table 9-155; access point:
//! `dot11QAPEDCATable`, as hostapd's defaults and the MIB of the standard have it.

use std::fmt;

use airtcp_packet::Service;
use airtcp_probe::ConfigError;
use airtcp_units::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de};

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

impl From<Service> for Category {
    /// The category of a class of service (IEEE 802.11-2020 table 10-1).
    fn from(service: Service) -> Self {
        match service {
            Service::BestEffort => Self::BestEffort,
            Service::Background => Self::Background,
            Service::Video => Self::Video,
            Service::Voice => Self::Voice,
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TxopLimits {
    /// The limits of 802.11e and 802.11-2012.
    #[serde(rename = "2012")]
    Y2012,
    /// The limits of 802.11-2020.
    #[serde(rename = "2020")]
    Y2020,
    /// One frame exchange per access.
    Zero,
}

impl TxopLimits {
    /// The limits of the edition that a standard belongs to: 2020 for 802.11n, ac and ax, and 2012 for the
    /// older ones.
    pub const fn of(standard: Standard) -> Self {
        if standard.has_mcs() { Self::Y2020 } else { Self::Y2012 }
    }
}

impl<'de> Deserialize<'de> for TxopLimits {
    /// Accepts the editions also as numbers.
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl de::Visitor<'_> for Visitor {
            type Value = TxopLimits;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("\"2012\", \"2020\" or \"zero\"")
            }

            fn visit_str<E: de::Error>(self, name: &str) -> Result<TxopLimits, E> {
                match name {
                    "2012" => Ok(TxopLimits::Y2012),
                    "2020" => Ok(TxopLimits::Y2020),
                    "zero" => Ok(TxopLimits::Zero),
                    _ => Err(E::unknown_variant(name, &["2012", "2020", "zero"])),
                }
            }

            fn visit_u64<E: de::Error>(self, year: u64) -> Result<TxopLimits, E> {
                self.visit_str(&year.to_string())
            }

            fn visit_i64<E: de::Error>(self, year: i64) -> Result<TxopLimits, E> {
                self.visit_str(&year.to_string())
            }
        }
        d.deserialize_any(Visitor)
    }
}

/// Which default parameters an access point has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EdcaTable {
    /// Those of stations (`dot11EDCATable`).
    Stations,
    /// Those of access points (`dot11QAPEDCATable`).
    AccessPoint,
}

impl EdcaTable {
    /// The table of the access point of a standard: its own for 802.11n, ac and ax.
    pub const fn of(standard: Standard) -> Self {
        if standard.has_mcs() { Self::AccessPoint } else { Self::Stations }
    }
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

impl CategoryConfig {
    /// The access point's parameters, with those of the stations where it has none. Of stations with another table only
    /// those that do not depend on it.
    fn or(self, stations: &Self, table: EdcaTable) -> Self {
        let same = table == EdcaTable::Stations;
        let shared = |own: Option<u32>, theirs: Option<u32>| own.or(theirs.filter(|_| same));
        Self {
            aifsn: shared(self.aifsn, stations.aifsn),
            cw_min: shared(self.cw_min, stations.cw_min),
            cw_max: shared(self.cw_max, stations.cw_max),
            txop_limit: self.txop_limit.or(stations.txop_limit),
            lifetime: self.lifetime.or(stations.lifetime),
        }
    }
}

impl EdcaConfig {
    /// The parameters of an access point with a table, with those of its stations where it has none.
    pub(super) fn or(&self, stations: &Self, table: EdcaTable) -> Self {
        Self {
            background: self.background.or(&stations.background, table),
            best_effort: self.best_effort.or(&stations.best_effort, table),
            video: self.video.or(&stations.video, table),
            voice: self.voice.or(&stations.voice, table),
        }
    }

    /// The parameters, lowest priority first.
    ///
    /// # Errors
    /// If a number is impossible, or `CWmin` is above `CWmax`; the message names the category.
    pub fn params(
        &self,
        standard: Standard,
        table: EdcaTable,
        limits: TxopLimits,
    ) -> Result<[AccessParams; 4], ConfigError> {
        let all = [self.background, self.best_effort, self.video, self.voice];
        let mut params = Category::ALL.map(|category| default(category, standard, table, limits));
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

fn default(
    category: Category,
    standard: Standard,
    table: EdcaTable,
    limits: TxopLimits,
) -> AccessParams {
    let (low, high) = (standard.cw_min(), standard.cw_max());
    let own = table == EdcaTable::AccessPoint;
    let first = if own { 1 } else { 2 };
    let (aifsn, cw_min, cw_max) = match category {
        Category::Background => (7, low, high),
        Category::BestEffort => (3, low, if own { 4 * (low + 1) - 1 } else { high }),
        Category::Video => (first, low.div_ceil(2) - 1, low),
        Category::Voice => (first, low.div_ceil(4) - 1, low.div_ceil(2) - 1),
    };
    let (ofdm, dsss) = match (limits, category) {
        (TxopLimits::Zero, _)
        | (TxopLimits::Y2012, Category::Background | Category::BestEffort) => (0, 0),
        (TxopLimits::Y2012, Category::Video) => (3_008, 6_016),
        (TxopLimits::Y2012, Category::Voice) => (1_504, 3_264),
        (TxopLimits::Y2020, Category::Background | Category::BestEffort) => (2_528, 3_264),
        (TxopLimits::Y2020, Category::Video) => (4_096, 6_016),
        (TxopLimits::Y2020, Category::Voice) => (2_080, 3_264),
    };
    let txop = Span::from_micros(if standard == Standard::B { dsss } else { ofdm });
    AccessParams { aifsn, cw_min, cw_max, txop, lifetime: None }
}

#[cfg(test)]
mod tests {
    use super::super::{AccessMethod, MacConfig};
    use super::*;

    #[test]
    fn defaults_are_the_standards() {
        let row = |p: AccessParams| (p.aifsn, p.cw_min, p.cw_max, p.txop.0 / 1_000);
        let of = |standard, table, limits| {
            EdcaConfig::default().params(standard, table, limits).unwrap().map(row)
        };
        let a = of(Standard::A, EdcaTable::Stations, TxopLimits::Y2012);
        assert_eq!(a, [(7, 15, 1023, 0), (3, 15, 1023, 0), (2, 7, 15, 3_008), (2, 3, 7, 1_504)]);
        let b = of(Standard::B, EdcaTable::Stations, TxopLimits::Y2012);
        assert_eq!(b[2..], [(2, 15, 31, 6_016), (2, 7, 15, 3_264)]);
        let ac = of(Standard::Ac, EdcaTable::Stations, TxopLimits::Y2020);
        let limits =
            [(7, 15, 1023, 2_528), (3, 15, 1023, 2_528), (2, 7, 15, 4_096), (2, 3, 7, 2_080)];
        assert_eq!(ac, limits);
        let b = of(Standard::B, EdcaTable::Stations, TxopLimits::Y2020).map(|row| row.3);
        assert_eq!(b, [3_264, 3_264, 6_016, 3_264]);
        let own = of(Standard::Ax, EdcaTable::AccessPoint, TxopLimits::Zero);
        assert_eq!(own, [(7, 15, 1023, 0), (3, 15, 63, 0), (1, 7, 15, 0), (1, 3, 7, 0)]);
        // Of 802.11b: 4 * 32 - 1.
        let own = of(Standard::B, EdcaTable::AccessPoint, TxopLimits::Zero);
        assert_eq!(own[1..3], [(3, 31, 127, 0), (1, 15, 31, 0)]);
    }

    #[test]
    fn editions_may_be_numbers() {
        let read = serde_json::from_str::<TxopLimits>;
        assert_eq!(read("2020").unwrap(), TxopLimits::Y2020);
        assert_eq!(read("\"2012\"").unwrap(), TxopLimits::Y2012);
        assert_eq!(read("\"zero\"").unwrap(), TxopLimits::Zero);
        for wrong in ["2016", "-1", "\"2016\""] {
            let message = read(wrong).unwrap_err().to_string();
            assert!(message.contains("expected one of `2012`, `2020`, `zero`"), "{message}");
        }
        assert!(read("true").unwrap_err().to_string().contains("\"2020\" or \"zero\""));
    }

    /// Keys of `edca` are the access point's too: all of them with the table of stations, TXOP limits and lifetimes with
    /// its own. Keys of `edca_access_point` come first.
    #[test]
    fn the_access_point_takes_what_it_does_not_set() {
        let voice = CategoryConfig {
            aifsn: Some(5),
            cw_min: Some(1),
            txop_limit: Some(Span(77)),
            lifetime: Some(Span(9)),
            ..CategoryConfig::default()
        };
        let edca = EdcaConfig { voice, ..EdcaConfig::default() };
        let mut own = EdcaConfig::default();
        own.voice.txop_limit = Some(Span(88));
        for (edca_access_point, txop) in [(None, 77), (Some(own), 88)] {
            let access = AccessMethod::Edca;
            let config = MacConfig { access, edca, edca_access_point, ..MacConfig::default() };
            for (standard, aifsn, cw_min) in [
                (Standard::A, 5, 1),
                (Standard::N, 1, 3),
                (Standard::Ac, 1, 3),
                (Standard::Ax, 1, 3),
            ] {
                let voice = config.params(standard, true).unwrap()[3];
                assert_eq!((voice.aifsn, voice.cw_min), (aifsn, cw_min), "{standard}");
                assert_eq!((voice.txop, voice.lifetime), (Span(txop), Some(Span(9))), "{standard}");
                let voice = config.params(standard, false).unwrap()[3];
                assert_eq!((voice.aifsn, voice.txop), (5, Span(77)));
            }
        }
    }

    #[test]
    fn impossible_parameters_are_refused() {
        let refuse = |voice: CategoryConfig| {
            let config = EdcaConfig { voice, ..EdcaConfig::default() };
            config.params(Standard::A, EdcaTable::Stations, TxopLimits::Zero).unwrap_err().message
        };
        let cw = CategoryConfig { cw_min: Some(31), ..CategoryConfig::default() };
        assert_eq!(refuse(cw), "CWmin of voice is 31, above its CWmax of 7");
        let cw = CategoryConfig { cw_min: Some(4), ..CategoryConfig::default() };
        assert!(refuse(cw).contains("one less than a power of 2"));
        let aifsn = CategoryConfig { aifsn: Some(0), ..CategoryConfig::default() };
        assert!(refuse(aifsn).contains("AIFSN of voice is 0"));
    }
}
