//! Seams of a cell: the parameters and decisions that schemes may set.
//!
//! Each seam of a station has one owner. If two schemes set the same seam, the second one is
//! refused with the name of the first.

use std::collections::BTreeMap;

use airtcp_probe::ConfigError;

use crate::mac::{
    AccessMethod, AccessParams, CATEGORIES, Category, ExchangeSeams, LinkRedParams, MacConfig,
    category_name,
};
use crate::phy::Standard;

use super::{AifsController, Boundary};

/// Access category of TCP packets without payload (ACK, SYN, SYN-ACK, FIN, RST). A SYN with data
/// (TCP Fast Open) is data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ControlCategory {
    /// The category of the flow in the direction of the packet.
    #[default]
    Own,
    /// The category of the flow in the other direction, which is that of the data an ACK acknowledges.
    OfData,
    /// The category of this number, lowest priority first.
    Fixed(u8),
}

/// Seams of one station.
#[derive(Debug, Clone, PartialEq)]
pub struct StationSeams {
    /// Access parameters by category, lowest priority first; one under DCF.
    pub access: Vec<AccessParams>,
    /// Access category of TCP packets without payload.
    pub control: ControlCategory,
    /// By category: true if a packet that arrives at an empty queue always draws a back-off, even if the
    /// cell's `immediate_access` allows immediate access.
    pub always_backoff: [bool; CATEGORIES],
    /// Changes of its exchanges.
    pub exchange: ExchangeSeams,
    /// Marks, drops and longer back-offs by the number of retries.
    pub link_red: Option<LinkRedParams>,
    /// Transmit power relative to the station's configured power, in dB.
    pub power_gain_db: f64,
}

impl StationSeams {
    /// Seams of a station without schemes.
    pub fn plain(access: Vec<AccessParams>) -> Self {
        Self {
            access,
            control: ControlCategory::Own,
            always_backoff: [false; CATEGORIES],
            exchange: ExchangeSeams::default(),
            link_red: None,
            power_gain_db: 0.0,
        }
    }
}

/// Seams of a cell.
#[derive(Debug)]
pub struct Seams {
    /// By station, the access point first.
    pub stations: Vec<StationSeams>,
    /// The 802.11 standard of the cell.
    pub standard: Standard,
    /// The scheme at the transport boundary of the access point.
    pub boundary: Option<Boundary>,
    access: AccessMethod,
    /// True if data frames are preceded by RTS and CTS.
    pub(super) rts: bool,
    /// Names of the stations, the access point's first.
    pub(super) names: Vec<String>,
    /// Controllers that run with the cell.
    pub controllers: Vec<AifsController>,
    /// Name of the scheme that is being applied.
    pub(super) scheme: &'static str,
    /// By station and seam, the scheme that set it.
    owners: BTreeMap<(usize, &'static str), &'static str>,
}

const BOUNDARY: &str = "the transport boundary of the access point";

/// How a scheme of the family is built.
pub(super) trait Family: Sized {
    type Config;

    /// Sets the seams of a cell.
    ///
    /// # Errors
    /// If the cell lacks what the scheme needs, a value is impossible, or a seam is taken.
    fn build(config: &Self::Config, seams: &mut Seams) -> Result<Self, ConfigError>;

    /// Configurations that the conformance suite runs.
    #[cfg(test)]
    fn samples() -> Vec<Self::Config>;
}

impl Seams {
    /// The seams of a cell without schemes. `standards` has the standard of each station, the access
    /// point's first, which is that of the cell.
    pub(super) fn new(
        mac: &MacConfig,
        standards: &[Standard],
        names: &[String],
    ) -> Result<Self, ConfigError> {
        let standard = standards.first().copied().unwrap_or_default();
        let station = |i: usize| {
            // Under EDCA the access point announces the parameters of all stations.
            let own = standards.get(i).filter(|_| mac.access == AccessMethod::Dcf);
            let own = own.copied().unwrap_or(standard);
            Ok(StationSeams::plain(mac.params(own, i == 0)?))
        };
        Ok(Self {
            stations: (0..names.len()).map(station).collect::<Result<_, _>>()?,
            standard,
            boundary: None,
            access: mac.access,
            rts: mac.rts_threshold.is_some(),
            names: names.to_vec(),
            controllers: Vec::new(),
            scheme: "",
            owners: BTreeMap::new(),
        })
    }

    /// Returns an error if the cell has no access categories.
    pub(super) fn need_edca(&self) -> Result<(), ConfigError> {
        if self.access == AccessMethod::Edca {
            return Ok(());
        }
        let message = format!(
            "is \"{}\", which needs access categories, and mac.access is \"dcf\": set \
             mac.access = \"edca\"",
            self.scheme
        );
        Err(ConfigError::new("scheme", message))
    }

    /// Records the scheme that is being applied as the owner of a station's seam.
    ///
    /// # Errors
    /// If another scheme owns the seam.
    pub(super) fn own(&mut self, station: usize, seam: &'static str) -> Result<(), ConfigError> {
        match self.owners.insert((station, seam), self.scheme) {
            None => Ok(()),
            Some(other) => {
                let message = format!(
                    "\"{}\" sets {seam}, which \"{other}\" has set: leave one of them out, or \
                     let them act at different places (`at`)",
                    self.scheme
                );
                Err(ConfigError::new("scheme", message))
            }
        }
    }

    /// Sets the access category of TCP packets without payload at a station.
    pub(super) fn set_control(
        &mut self,
        station: usize,
        category: ControlCategory,
    ) -> Result<(), ConfigError> {
        self.own(station, "the access category of TCP ACKs")?;
        self.stations[station].control = category;
        Ok(())
    }

    /// Number of the station with this name.
    pub(super) fn station(&self, name: &str) -> Result<usize, ConfigError> {
        if let Some(number) = self.names.iter().position(|known| known == name) {
            return Ok(number);
        }
        let known: Vec<&str> = self.names.iter().map(String::as_str).take(8).collect();
        let message = format!(
            "the cell has no node \"{name}\": expected {}{}",
            known.join(", "),
            if self.names.len() > known.len() { ", ..." } else { "" }
        );
        Err(ConfigError::new("station", message))
    }

    /// Index of a category in [`StationSeams::access`]; under DCF, 0 for every category.
    pub(super) fn place_of(&self, category: Category) -> usize {
        if self.access == AccessMethod::Edca { category as usize } else { 0 }
    }

    /// Sets the scheme at the transport boundary of the access point.
    pub(super) fn set_boundary(&mut self, boundary: Boundary) -> Result<(), ConfigError> {
        if let Some(other) = self.owners.insert((0, BOUNDARY), self.scheme) {
            let message = format!(
                "\"{}\" acts at {BOUNDARY}, where \"{other}\" acts: leave one of them out",
                self.scheme
            );
            return Err(ConfigError::new("scheme", message));
        }
        self.boundary = Some(boundary);
        Ok(())
    }

    /// Returns the access parameters of a category of a station, and records the scheme as their owner.
    pub(super) fn params(
        &mut self,
        station: usize,
        category: Category,
    ) -> Result<&mut AccessParams, ConfigError> {
        self.own(station, parameters_of(category))?;
        let place = self.place_of(category);
        Ok(&mut self.stations[station].access[place])
    }

    /// Adds a category above voice to all stations, with the access parameters of voice.
    pub(super) fn add_exclusive(&mut self) {
        for station in &mut self.stations {
            if station.access.len() < CATEGORIES {
                station.access.extend(station.access.last().copied());
            }
        }
    }

    /// Checks the parameters that the schemes have set.
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        for station in &self.stations {
            for (number, params) in station.access.iter().enumerate() {
                params.check(category_name(number))?;
            }
        }
        Ok(())
    }
}

const fn parameters_of(category: Category) -> &'static str {
    match category {
        Category::Background => "the access parameters of background",
        Category::BestEffort => "the access parameters of best effort",
        Category::Video => "the access parameters of video",
        Category::Voice => "the access parameters of voice",
    }
}
