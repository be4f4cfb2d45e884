//! Cells of mixed standards: 802.11b stations in an 802.11g cell, and stations of older standards in cells of
//! 802.11n, ac and ax.
//!
//! OFDM stations need no protection from HT, VHT and HE frames: they decode the L-SIG field, which gives the
//! length of the frame, and defer to its end. They wait EIFS then, as after a frame that they could not
//! decode.
//!
//! With 802.11b stations, the slot is the long one of 802.11b unless `timing.slot` sets another (802.11-2012 clause 19.4.5). All
//! frames to and from 802.11b stations are DSSS or CCK.

use airtcp_wifi::ConfigError;
use airtcp_wifi::phy::{Mode, Standard, Timing, TimingConfig};

use crate::{CellSpec, Hops, ScenarioError};

impl CellSpec {
    /// True if an 802.11b station is in this cell of a later standard.
    pub fn is_mixed(&self) -> bool {
        let is_old = |own: Option<Standard>| own == Some(Standard::B);
        self.standard != Standard::B && self.stations.iter().any(|s| is_old(s.standard))
    }

    /// The times of the cell.
    ///
    /// # Errors
    /// As [`Timing::new`].
    pub fn times(&self) -> Result<Timing, ConfigError> {
        let long = self.is_mixed().then(|| Standard::B.slot());
        let slot = self.timing.slot.or(long);
        let band = self.setup().map_or(self.standard.band(), |setup| setup.band);
        Timing::in_band(self.standard, band, &TimingConfig { slot, ..self.timing })
    }

    /// Checks the standards of single stations, and that 802.11b stations can decode the frames for
    /// them.
    pub(crate) fn check_standards(&self, path: &str, timing: &Timing) -> Result<(), ScenarioError> {
        for (place, station) in self.stations.iter().enumerate() {
            let Some(own) = station.standard.filter(|own| *own != self.standard) else { continue };
            let at =
                |message| ScenarioError::at(format!("{path}.stations[{place}].standard"), message);
            let cell = self.standard;
            match (cell, own) {
                (Standard::G, Standard::B) => {}
                _ if cell.has_mcs() => {
                    self.check_older(own).map_err(at)?;
                    let key = |e: ConfigError| {
                        let path = format!("{path}.stations[{place}].{}", e.key);
                        ScenarioError::at(path, e.message)
                    };
                    let setup = self.setup_of(station).map_err(key)?;
                    let plan = self.plan_of(setup).map_err(|e| at(e.message))?;
                    plan.check(timing, self.mac.rts_threshold, self.mac.rts_rate)
                        .map_err(|e| at(e.to_string()))?;
                    continue;
                }
                (Standard::B, Standard::G) => {
                    return Err(at(
                        "is 802.11g in a cell of 802.11b, where it sends the frames of \
                                   802.11b: leave out the key"
                            .to_owned(),
                    ));
                }
                _ => {
                    let message = format!(
                        "is {own} in a cell of {cell}: expected {cell}, and 802.11b in a cell \
                         of 802.11g"
                    );
                    return Err(at(message));
                }
            }
            self.check_dsss_rates(timing).map_err(at)?;
        }
        if self.is_mixed() { self.check_answers(path, timing) } else { Ok(()) }
    }

    /// Checks that a station of standard `own` can be in this cell of 802.11n, ac or ax.
    fn check_older(&self, own: Standard) -> Result<(), String> {
        let band = self.setup().map_or(self.standard.band(), |setup| setup.band);
        let all: Vec<Standard> = band.standards().collect();
        let older = all.iter().take_while(|other| **other != self.standard);
        if !older.clone().any(|other| *other == own) {
            let cell = self.standard;
            let mut names: Vec<String> = older.map(ToString::to_string).collect();
            names.push(cell.to_string());
            let accepted = names.join(", ");
            return Err(format!("is {own} in a cell of {cell} at {band}: expected {accepted}"));
        }
        if self.hops == Hops::Chain {
            return Err(format!(
                "is {own} in a chain of {}: leave out the key, or set hops = \"access-point\"",
                self.standard
            ));
        }
        Ok(())
    }

    /// Checks that the rates of the cell leave some for an 802.11b station.
    fn check_dsss_rates(&self, timing: &Timing) -> Result<(), String> {
        let plan = self.rate_plan().map_err(|e| e.to_string())?.without_ofdm();
        if plan.modes.is_empty() {
            return Err("is 802.11b, and `rates` has no rate of 802.11b: add one, such as \
                        \"11 Mb/s\""
                .to_owned());
        }
        plan.check(timing, self.mac.rts_threshold, self.mac.rts_rate).map_err(|e| {
            format!("is 802.11b, which the rate control does not suit without OFDM: {e}")
        })
    }

    /// Checks the rates of RTS, CTS and MAC ACKs.
    fn check_answers(&self, path: &str, timing: &Timing) -> Result<(), ScenarioError> {
        let rts = self.mac.rts_rate.and_then(|rate| self.standard.mode(rate).ok());
        let ofdm =
            [("timing.ack_rate", Some(timing.answer_mode(Mode::DSSS[0]))), ("mac.rts_rate", rts)];
        for (key, mode) in ofdm {
            if let Some(mode) = mode.filter(|mode| mode.is_ofdm()) {
                let message = format!(
                    "is {mode}, which the 802.11b stations of the cell cannot decode: choose a rate \
                     of 802.11b, or leave out the key"
                );
                return Err(ScenarioError::at(format!("{path}.{key}"), message));
            }
        }
        Ok(())
    }
}
