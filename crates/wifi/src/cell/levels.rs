//! Detection thresholds of a cell's radios, in mW.

use airtcp_units::{Db, Dbm, Span};

use super::capture::{Capture, Factors, Sensing, UnreceivedFrames};
use super::transmission::Transmission;
use crate::mac::Kind;

/// Thresholds of a cell's radios in mW.
#[derive(Debug)]
pub(crate) struct Levels {
    pub(crate) sensitivity: f64,
    pub(crate) carrier_sense: f64,
    pub(crate) energy_detect: f64,
    /// True if a frame that the radio has not begun to receive counts only as energy.
    pub(crate) unreceived_by_energy: bool,
    pub(crate) detection_time: Span,
    /// Minimum mean SINR of a header for the radio to notice the frame; 0 if it always does.
    pub(crate) preamble: f64,
    /// Minimum SINR of a frame at its start for the radio to lock on to it; 0 if none.
    pub(crate) detection: f64,
    /// Probability that a data frame is lost to causes outside the models.
    residual: f64,
    pub(crate) factors: Factors,
}

impl Levels {
    pub(crate) fn new(sensing: &Sensing, capture: &Capture, residual: f64) -> Self {
        Self {
            sensitivity: Dbm(sensing.sensitivity_dbm).milliwatts(),
            carrier_sense: Dbm(sensing.carrier_sense_dbm).milliwatts(),
            energy_detect: Dbm(sensing.energy_detect_dbm).milliwatts(),
            unreceived_by_energy: sensing.unreceived_frames == UnreceivedFrames::Energy,
            detection_time: sensing.detection_time,
            preamble: (sensing.preamble_sinr_db.or(sensing.preamble_detection_sinr_db))
                .map_or(0.0, |db| Db(db).linear()),
            detection: sensing.preamble_detection_sinr_db.map_or(0.0, |db| Db(db).linear()),
            residual,
            factors: capture.factors(),
        }
    }

    /// Minimum power of a frame for each radio to sense it, whether or not the radio begins to receive it.
    pub(crate) fn always_sensed(&self) -> f64 {
        if self.unreceived_by_energy {
            self.carrier_sense.max(self.energy_detect)
        } else {
            self.carrier_sense
        }
    }

    /// True if `power` exceeds the sum of `others` by the factor `ratio`. With an infinite ratio,
    /// only others above the detection threshold count.
    #[inline]
    pub(crate) fn exceeds(&self, power: f64, others: f64, ratio: f64) -> bool {
        if ratio.is_finite() { power >= others * ratio } else { others < self.carrier_sense }
    }

    /// Probability that a frame is not lost to residual errors (causes outside the models).
    #[inline]
    pub(crate) fn clear(&self, sent: &Transmission) -> f64 {
        if sent.frame.kind == Kind::Data { 1.0 - self.residual } else { 1.0 }
    }
}
