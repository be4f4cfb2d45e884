//! Stations of a cell that differ from the others: rate, power and queue of single ones.
//! Their 802.11 standard is in `mixed.rs`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use airtcp_probe::nearest;
use airtcp_queueing::{PerStationConfig, QueueConfig};
use airtcp_wifi::ConfigError;
use airtcp_wifi::phy::propagation::PathLossConfig;
use airtcp_wifi::phy::{Mode, PhySetup, Standard, Timing};
use airtcp_wifi::rate::{RateConfig, RatePlan};

use crate::phy_keys::own_mode;
use crate::{CellSpec, Hops, ScenarioError, StationSpec};

/// Least and greatest power of a transmitter, in dBm.
const POWERS: std::ops::RangeInclusive<f64> = -50.0..=60.0;

/// The keys of each station of a cell, by its number; the access point has number 0.
#[derive(Debug)]
pub struct StationKeys<'a> {
    spec: &'a CellSpec,
    /// By number of a station, its place in the list `stations`.
    places: BTreeMap<usize, usize>,
}

impl CellSpec {
    /// Limit of a drop-tail queue without one: 1000 packets with 802.11n, ac and ax (the length of a transmit
    /// queue in Linux), whose aggregates take up to 256; 100 with the older standards.
    pub const fn default_queue_packets(&self) -> u32 {
        if self.standard.has_mcs() { 1_000 } else { 100 }
    }

    /// The queue of a station, or of the access point, of a cell without the keys of queues.
    pub fn usual_queue(&self, is_access_point: bool) -> QueueConfig {
        if is_access_point && self.standard.has_mcs() && self.hops == Hops::AccessPoint {
            return QueueConfig::PerStation(PerStationConfig::default());
        }
        QueueConfig::default()
    }

    /// Writes the default queues into the keys that were left out.
    pub(crate) fn fill_queues(&mut self) {
        if self.queue.is_none() && self.access_point_queue.is_none() {
            let usual = self.usual_queue(true);
            self.access_point_queue = Some(usual).filter(|queue| *queue != QueueConfig::default());
        }
        self.queue.get_or_insert_default();
    }

    /// A queue with the defaults of this cell, if these differ from those elsewhere.
    pub fn with_defaults(&self, queue: &QueueConfig) -> Option<QueueConfig> {
        queue.with_defaults_of_cell(self.default_queue_packets(), self.standard.has_mcs())
    }

    /// The keys of its stations.
    pub fn station_keys(&self) -> StationKeys<'_> {
        let mut places = BTreeMap::new();
        if !self.stations.is_empty() {
            let names = self.node_names();
            for (place, station) in self.stations.iter().enumerate() {
                if let Some(number) = names.iter().position(|name| *name == station.name) {
                    places.insert(number, place);
                }
            }
        }
        StationKeys { spec: self, places }
    }

    /// Checks the list `stations`, and the power of all transmitters.
    pub(crate) fn check_stations(&self, path: &str, timing: &Timing) -> Result<(), ScenarioError> {
        check_power(&format!("{path}.power_dbm"), self.power_dbm)?;
        if self.stations.is_empty() {
            return Ok(());
        }
        let names = self.node_names();
        self.check_standards(path, timing)?;
        for (place, station) in self.stations.iter().enumerate() {
            let at = |key: &str| format!("{path}.stations[{place}].{key}");
            self.check_name(place, &names).map_err(|e| ScenarioError::at(at("name"), e))?;
            if let Some(power) = station.power_dbm {
                check_power(&at("power_dbm"), power)?;
                if matches!(self.propagation.path_loss, PathLossConfig::Ranges(_)) {
                    let message = "differs by station, and the path loss \"ranges\" has one range for \
                         all: choose another path loss, such as \"log-distance\"";
                    return Err(ScenarioError::at(at("power_dbm"), message));
                }
            }
            let setup =
                self.setup_of(station).map_err(|e| ScenarioError::at(at(e.key), e.message))?;
            if station.has_rate() {
                let key = if station.mcs.is_some() { "mcs" } else { "rate" };
                self.check_station_rate(station, setup, timing)
                    .map_err(|e| ScenarioError::at(at(key), e.message))?;
            }
        }
        Ok(())
    }

    fn check_name(&self, place: usize, names: &[String]) -> Result<(), String> {
        let name = &self.stations[place].name;
        if *name == self.access_point {
            return Err(format!(
                "is \"{name}\", the access point: its keys are those of the cell (rate, power_dbm, \
                 access_point_queue)"
            ));
        }
        if let Some(first) = self.stations[..place].iter().position(|other| other.name == *name) {
            return Err(format!("\"{name}\" is also the name of stations[{first}]: join the two"));
        }
        let stations = || names.iter().skip(1).map(String::as_str);
        if stations().any(|other| other == name) {
            return Ok(());
        }
        let hint = nearest(name, stations()).map(|n| format!("; did you mean \"{n}\"?"));
        let some: Vec<&str> = stations().take(20).collect();
        let more = if names.len() > 21 { ", ..." } else { "" };
        Err(format!(
            "\"{name}\" is no station of the cell{} (stations: {}{more})",
            hint.unwrap_or_default(),
            some.join(", ")
        ))
    }

    fn check_station_rate(
        &self,
        station: &StationSpec,
        setup: PhySetup,
        timing: &Timing,
    ) -> Result<(), ConfigError> {
        if !matches!(self.rate_control, RateConfig::Fixed(_)) {
            let control = self.rate_control.control();
            let message = format!(
                "fixes the rate of \"{}\", and rate_control is \"{control}\", which chooses it: \
                 leave out one of the two",
                station.name
            );
            return Err(ConfigError::new("rate", message));
        }
        let start = own_mode(setup, station.rate, station.mcs)?;
        let plan = if self.setup()? == setup || !self.standard.has_mcs() {
            self.rate_plan()?
        } else {
            self.plan_of(setup)?
        };
        RatePlan { start, ..plan }.check(timing, self.mac.rts_threshold, self.mac.rts_rate)
    }
}

fn check_power(path: &str, power_dbm: f64) -> Result<(), ScenarioError> {
    if POWERS.contains(&power_dbm) {
        return Ok(());
    }
    let message = format!("is {power_dbm}: expected -50 to 60 dBm");
    Err(ScenarioError::at(path, message))
}

impl<'a> StationKeys<'a> {
    fn own(&self, station: usize) -> Option<&'a StationSpec> {
        self.places.get(&station).map(|place| &self.spec.stations[*place])
    }

    /// The version of 802.11 of a station.
    pub fn standard(&self, station: usize) -> Standard {
        self.own(station).and_then(|own| own.standard).unwrap_or(self.spec.standard)
    }

    /// True if a station decodes only DSSS and CCK in a cell that uses OFDM.
    pub fn is_dsss_only(&self, station: usize) -> bool {
        self.spec.standard != Standard::B && self.standard(station) == Standard::B
    }

    /// The physical layer of a station.
    ///
    /// # Errors
    /// If its standard does not have a value.
    pub fn setup(&self, station: usize) -> Result<PhySetup, ConfigError> {
        self.own(station).map_or_else(|| self.spec.setup(), |own| self.spec.setup_of(own))
    }

    /// True if the rates of a station are those of another standard, width, number of streams or guard
    /// interval than its cell's, in a cell of 802.11n, ac or ax.
    fn is_older(&self, station: usize) -> Result<bool, ConfigError> {
        Ok(self.spec.standard.has_mcs() && self.setup(station)? != self.spec.setup()?)
    }

    /// Rates of the access point towards stations of an older standard, or with less width, fewer streams or
    /// another guard interval, in a cell of 802.11n, ac or ax. Without those with a rate of their own.
    ///
    /// # Errors
    /// If a standard does not have a value.
    pub fn plans_towards_older(&self) -> Result<Vec<(RatePlan, Vec<usize>)>, ConfigError> {
        let mut plans: Vec<(RatePlan, Vec<usize>)> = Vec::new();
        for (station, place) in &self.places {
            if self.spec.stations[*place].has_rate() || !self.is_older(*station)? {
                continue;
            }
            let plan = self.rate_plan(*station)?;
            match plans.iter_mut().find(|(other, _)| *other == plan) {
                Some((_, stations)) => stations.push(*station),
                None => plans.push((plan, vec![*station])),
            }
        }
        Ok(plans)
    }

    /// Power of a station's transmitter in dBm.
    pub fn power_dbm(&self, station: usize) -> f64 {
        self.own(station).and_then(|own| own.power_dbm).unwrap_or(self.spec.power_dbm)
    }

    /// The queue of a station, and the key that describes it.
    pub fn queue(&self, station: usize) -> (Cow<'a, QueueConfig>, String) {
        let own = self.own(station).and_then(|own| own.queue.as_ref());
        let (queue, key) = match (own, self.places.get(&station), &self.spec.access_point_queue) {
            (Some(queue), Some(place), _) => (Some(queue), format!("stations[{place}].queue")),
            (_, _, Some(queue)) if station == 0 => (Some(queue), "access_point_queue".into()),
            _ => (self.spec.queue.as_ref(), "queue".into()),
        };
        let queue =
            queue.map_or_else(|| Cow::Owned(self.spec.usual_queue(station == 0)), Cow::Borrowed);
        let in_cell = self.spec.with_defaults(&queue);
        (in_cell.map_or(queue, Cow::Owned), key)
    }

    /// What chooses the rate of a station's data frames, and among which.
    ///
    /// # Errors
    /// If the standard lacks a rate.
    pub fn rate_plan(&self, station: usize) -> Result<RatePlan, ConfigError> {
        let setup = self.setup(station)?;
        let plan = if self.is_older(station)? {
            self.spec.plan_of(setup)?
        } else if self.is_dsss_only(station) {
            self.spec.rate_plan()?.without_ofdm()
        } else {
            self.spec.rate_plan()?
        };
        let own = self.own(station).map(|own| own_mode(setup, own.rate, own.mcs)).transpose()?;
        Ok(RatePlan { start: own.flatten().or(plan.start), ..plan })
    }

    /// Modes of the access point's data frames to the stations that have a rate of their own.
    ///
    /// # Errors
    /// If the standard lacks a rate.
    pub fn modes_towards(&self) -> Result<BTreeMap<usize, Mode>, ConfigError> {
        let mut own = BTreeMap::new();
        for (station, place) in &self.places {
            let spec = &self.spec.stations[*place];
            if let Some(mode) = own_mode(self.setup(*station)?, spec.rate, spec.mcs)? {
                own.insert(*station, mode);
            }
        }
        Ok(own)
    }
}
