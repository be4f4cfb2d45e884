//! Plan of a cell: stations, received powers and rules.

use std::collections::BTreeMap;

use airtcp_units::Nanos;

use super::capture::{Capture, Sensing};
use crate::interference::Source;
use crate::mac::MacConfig;
use crate::phy::error::ErrorModel;
use crate::phy::fading::Fading;
use crate::phy::{Channel, Format, Mode, Timing, Width};
use crate::rate::RatePlan;
use crate::scheme::{AifsController, StationSeams};

/// One station.
#[derive(Debug, Clone, PartialEq)]
pub struct StationPlan {
    /// Rates of its data frames.
    pub rate: RatePlan,
    /// Modes of its data frames to single stations, by their number in the cell. Only with the
    /// control "fixed".
    pub towards: BTreeMap<usize, Mode>,
    /// True for an 802.11b station in an 802.11g cell: it decodes only DSSS and CCK, and OFDM frames
    /// are only energy to it.
    pub dsss_only: bool,
    /// The latest format that it decodes. Of frames in later ones it decodes only the non-HT part of the
    /// preamble.
    pub decodes: Format,
    /// Width of its channel.
    pub width: Width,
    /// Its rates towards stations of older standards, by their numbers in the cell.
    pub others: Vec<(RatePlan, Vec<usize>)>,
    /// Its access categories and what schemes have set.
    pub seams: StationSeams,
}

/// A cell.
#[derive(Debug)]
pub struct CellPlan {
    /// Times.
    pub timing: Timing,
    /// Medium access.
    pub mac: MacConfig,
    /// Frame error model.
    pub error: ErrorModel,
    /// Capture model.
    pub capture: Capture,
    /// Detection thresholds.
    pub sensing: Sensing,
    /// Width of the channel, over which the noise is counted.
    pub width: Width,
    /// Noise in mW.
    pub noise_mw: f64,
    /// Changes of the noise in mW, in order of time.
    pub noise_steps: Vec<(Nanos, f64)>,
    /// Interferers.
    pub interference: Vec<Source>,
    /// Received power in mW by sender (first index) and receiver (second index).
    pub power_mw: Vec<Vec<f64>>,
    /// Fading of these powers.
    pub fading: Fading,
    /// Signals below this power are ignored, in mW.
    pub ignore_below_mw: f64,
    /// Probability that a data frame is lost to causes outside the models.
    pub residual_error: f64,
    /// Colour and powers for spatial reuse; `None` without a colour.
    pub reuse: Option<Reuse>,
    /// The stations.
    pub stations: Vec<StationPlan>,
    /// Controllers of schemes.
    pub controllers: Vec<AifsController>,
}

/// What spatial reuse needs to know of a cell.
#[derive(Debug, Clone, PartialEq)]
pub struct Reuse {
    /// BSS colour.
    pub color: u8,
    /// Transmit power of each station in dBm.
    pub power_dbm: Vec<f64>,
    /// Spatial streams of the access point.
    pub streams: u8,
}

/// Coupling of cells that share a medium.
#[derive(Debug)]
pub struct Coupling {
    /// Received power in mW by sender (first index) and receiver (second index) in different cells,
    /// over the stations of all cells in order. Entries for two stations of one cell are ignored.
    pub power_mw: Vec<Vec<f64>>,
    /// Fading of these powers.
    pub fading: Fading,
    /// Channel of each cell; `None` for a single one.
    pub channels: Vec<Option<Channel>>,
}
