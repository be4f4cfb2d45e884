//! What a cell is built from: who is heard by whom and how strongly, and by what rules.

use airtcp_units::Nanos;

use super::capture::{Capture, Sensing};
use crate::interference::Source;
use crate::mac::{AccessParams, MacConfig};
use crate::phy::Timing;
use crate::phy::error::ErrorModel;
use crate::phy::fading::Fading;
use crate::rate::RatePlan;

/// One station.
#[derive(Debug, Clone, PartialEq)]
pub struct StationPlan {
    /// Rates of its data frames.
    pub rate: RatePlan,
    /// Its access categories, lowest priority first; one under DCF.
    pub access: Vec<AccessParams>,
}

/// A cell.
#[derive(Debug)]
pub struct CellPlan {
    /// Times.
    pub timing: Timing,
    /// Medium access.
    pub mac: MacConfig,
    /// What can be decoded.
    pub error: ErrorModel,
    /// What becomes of overlapping frames.
    pub capture: Capture,
    /// What is noticed.
    pub sensing: Sensing,
    /// Noise in mW.
    pub noise_mw: f64,
    /// Noise in mW from an instant on, in order of time.
    pub noise_steps: Vec<(Nanos, f64)>,
    /// What disturbs frames and is no frame.
    pub interference: Vec<Source>,
    /// Power in mW at which each station (second index) hears each (first index).
    pub power_mw: Vec<Vec<f64>>,
    /// How these powers change over time.
    pub fading: Fading,
    /// Powers below this are left out of everything, in mW.
    pub ignore_below_mw: f64,
    /// Probability that a data frame is lost to what the models leave out.
    pub residual_error: f64,
    /// The stations.
    pub stations: Vec<StationPlan>,
}

/// What joins cells that share a medium.
#[derive(Debug)]
pub struct Between {
    /// Power in mW at which each station (second index) hears each (first index) of another cell;
    /// the stations of all cells in order. What it says of two stations of one cell is not read.
    pub power_mw: Vec<Vec<f64>>,
    /// How these powers change over time.
    pub fading: Fading,
    /// By cell, its channel: frames on another are energy that cannot be decoded.
    pub channels: Vec<u16>,
}
