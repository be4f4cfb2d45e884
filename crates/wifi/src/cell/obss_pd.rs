//! The rule of OBSS PD: which frames a station ignores, and its power then.
//!
//! ```text
//! ignored   = HE frame, both cells have a colour, the colours differ, HE-SIG-A decoded,
//!             power in the primary 20 MHz < OBSS_PD
//! TXPWR_max = TXPWR_ref - (OBSS_PD - OBSS_PD_min)       OBSS_PD_min = -82 dBm
//! TXPWR_ref = 21 dBm, or 25 dBm for an access point with more than 2 streams
//! ```
//! Source: 802.11ax-2021 clause 26.10.2; ns-3 (`ObssPdAlgorithm`) and the published Wi-Fi 6 driver of HiSilicon have the
//! same formula.

use airtcp_units::{Db, Dbm};

use super::plan::Reuse;

/// Least level of OBSS PD in dBm, without a limit of the power.
const LEAST_DBM: f64 = -82.0;
/// Reference power of OBSS PD in dBm: of stations, and of access points with more than two streams.
const REFERENCE_DBM: [f64; 2] = [21.0, 25.0];
/// Spatial reuse of a cell.
#[derive(Debug, Default)]
pub(crate) struct ObssPd {
    color: Option<u8>,
    /// Level in mW below which frames are ignored; `None` without reuse.
    below: Option<f64>,
    /// By station, the factor on its power while it is limited.
    limits: Vec<f64>,
}

impl ObssPd {
    /// Of a cell whose stations ignore frames below `level_dbm`.
    pub(crate) fn new(reuse: &Reuse, level_dbm: Option<f64>) -> Self {
        let level = level_dbm.unwrap_or(LEAST_DBM);
        let limit = |(i, power_dbm): (usize, &f64)| {
            let many = i == 0 && reuse.streams > 2;
            let most = REFERENCE_DBM[usize::from(many)] - (level - LEAST_DBM);
            if level <= LEAST_DBM { 1.0 } else { Db((most - power_dbm).min(0.0)).linear() }
        };
        let limits = reuse.power_dbm.iter().enumerate().map(limit).collect();
        let below = level_dbm.map(|dbm| Dbm(dbm).milliwatts());
        Self { color: Some(reuse.color), below, limits }
    }

    /// Factor on the power of a station while it is limited.
    pub(crate) fn limit(&self, station: usize) -> f64 {
        self.limits.get(station).copied().unwrap_or(1.0)
    }

    /// True if the stations ignore frames.
    pub(crate) const fn is_on(&self) -> bool {
        self.below.is_some()
    }

    /// True if a frame of a cell with this power in mW is ignored.
    pub(super) fn ignores(&self, other: &Self, power: f64) -> bool {
        let different = self.color.zip(other.color).is_some_and(|(own, other)| own != other);
        different && self.below.is_some_and(|below| power < below)
    }
}
