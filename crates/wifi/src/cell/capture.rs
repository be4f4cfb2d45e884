//! Capture: what a radio does when a second frame arrives.

use airtcp_probe::ConfigError;
use airtcp_units::{Db, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Capture effect: which of two overlapping frames a receiver can still decode.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "model", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Capture {
    /// No capture: an overlap destroys both frames (Bianchi's assumption).
    None,
    /// The first frame survives if it is stronger than the second by `ratio_db` when the second
    /// begins; otherwise both are lost (ns-2's `CPThresh_`).
    Threshold {
        /// Minimum power ratio in dB.
        #[serde(default = "ten")]
        ratio_db: f64,
    },
    /// The receiver keeps the frame on which it has locked; the frame's SINR decides whether it
    /// survives. The receiver locks on to a frame that begins during others only if the new frame
    /// is stronger than all others together by `late_db`.
    Sinr {
        /// Minimum ratio of a new frame to the other signals for the receiver to lock on, in dB
        /// (SLG).
        #[serde(default = "fifteen")]
        late_db: f64,
    },
    /// As `sinr`, and the receiver switches to a frame stronger by `margin_db` during the preamble
    /// of the first (ns-3's frame capture).
    PreambleWindow {
        /// Minimum ratio to the frame in reception, in dB.
        #[serde(default = "five")]
        margin_db: f64,
        /// Minimum ratio of a new frame to the other signals for the receiver to lock on, in dB.
        #[serde(default = "fifteen")]
        late_db: f64,
    },
    /// As `sinr`, and the receiver switches to a frame stronger by `margin_db` at any time (message
    /// in message).
    MessageInMessage {
        /// Minimum ratio to the frame in reception, in dB (gamma_MR).
        #[serde(default = "eight")]
        margin_db: f64,
        /// Minimum ratio of a new frame to the other signals for the receiver to lock on, in dB.
        #[serde(default = "fifteen")]
        late_db: f64,
    },
    /// The measured cases. Which of two overlapping frames can survive depends on their order and
    /// on whether the receiver had locked on to the first. That frame must also survive by its SINR
    /// at its rate.
    Cases {
        /// SF: the wanted frame comes first. It survives if it is stronger than the other by this,
        /// in dB.
        #[serde(default = "zero")]
        sir_first_db: f64,
        /// SLC: the wanted frame comes last, and the receiver has locked on to the first. It
        /// survives if it is stronger by this, in dB.
        #[serde(default = "ten")]
        sir_last_clear_db: f64,
        /// SLG: the wanted frame comes last, and the receiver is not receiving the first. The
        /// receiver locks on if the wanted frame is stronger by this, in dB. Measured: 15 to 25.
        #[serde(default = "fifteen")]
        sir_last_garbled_db: f64,
        /// The receiver switches to a frame stronger than the frame in reception by this, in dB
        /// (gamma_MR), at any time. If the ratio is below `sir_last_clear_db`, both frames are then
        /// lost.
        #[serde(default = "eight")]
        gamma_mr_db: f64,
    },
}

const fn zero() -> f64 {
    0.0
}

const fn five() -> f64 {
    5.0
}
const fn eight() -> f64 {
    8.0
}
const fn ten() -> f64 {
    10.0
}
const fn fifteen() -> f64 {
    15.0
}

impl Default for Capture {
    fn default() -> Self {
        Self::PreambleWindow { margin_db: five(), late_db: fifteen() }
    }
}

/// [`Capture`] as linear factors.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Factors {
    /// Minimum ratio of a new frame to the frame in reception for the receiver to switch; infinite
    /// if it never does.
    pub(crate) take_over: f64,
    /// True if the receiver may switch only during the preamble.
    pub(crate) in_preamble_only: bool,
    /// Minimum ratio to the replaced frame for the new frame to survive; 0 if the SINR decides.
    pub(crate) taken: f64,
    /// Minimum ratio of a new frame to all other signals for the receiver to lock on.
    pub(crate) late: f64,
    /// Minimum ratio of the frame in reception to a new frame for it to survive; 0 if the SINR
    /// decides.
    pub(crate) survive: f64,
}

impl Capture {
    pub(crate) fn factors(self) -> Factors {
        let never = f64::INFINITY;
        let by_sinr = |take_over, in_preamble_only, late_db: f64| Factors {
            take_over,
            in_preamble_only,
            taken: 0.0,
            late: Db(late_db).linear(),
            survive: 0.0,
        };
        let without_switch =
            |survive| Factors { late: never, survive, ..by_sinr(never, false, 0.0) };
        match self {
            Self::None => without_switch(never),
            Self::Threshold { ratio_db } => without_switch(Db(ratio_db).linear()),
            Self::Cases { sir_first_db, sir_last_clear_db, sir_last_garbled_db, gamma_mr_db } => {
                Factors {
                    taken: Db(sir_last_clear_db).linear(),
                    survive: Db(sir_first_db).linear(),
                    ..by_sinr(Db(gamma_mr_db).linear(), false, sir_last_garbled_db)
                }
            }
            Self::Sinr { late_db } => by_sinr(never, false, late_db),
            Self::PreambleWindow { margin_db, late_db } => {
                by_sinr(Db(margin_db).linear(), true, late_db)
            }
            Self::MessageInMessage { margin_db, late_db } => {
                by_sinr(Db(margin_db).linear(), false, late_db)
            }
        }
    }
}

/// How a radio senses a frame that it has not begun to receive: it was sending, was receiving another frame, or did
/// not detect the preamble.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum UnreceivedFrames {
    /// As any frame that it can decode: from `carrier_sense_dbm` on, as ns-3 does.
    #[default]
    CarrierSense,
    /// By its energy: from `energy_detect_dbm` on, the least that IEEE 802.11-2020 17.3.10.6 requires.
    Energy,
}

/// Detection thresholds of radios.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Sensing {
    /// Receiver sensitivity: minimum power at which a radio receives a frame, in dBm.
    pub sensitivity_dbm: f64,
    /// Carrier sense threshold: minimum power of a frame that makes the medium busy, in dBm.
    pub carrier_sense_dbm: f64,
    /// Energy detection threshold: minimum sum of all powers that makes the medium busy, in dBm.
    pub energy_detect_dbm: f64,
    /// How a radio senses a frame that it has not begun to receive. Default: `carrier-sense`.
    pub unreceived_frames: UnreceivedFrames,
    /// Time after its start at which a frame below the energy detection threshold makes the medium
    /// busy. Default: 0. S3's simulator (PhySimWiFi) detected such frames at the end of the
    /// preamble, 16 us (almost two slots) after their start. Stations that start to transmit within
    /// this time collide.
    pub detection_time: Span,
    /// Minimum mean SINR of the preamble and PLCP header of a frame for the radio to notice a frame
    /// that it then cannot decode, in dB. A radio that did not notice the frame does not wait EIFS.
    /// Default: `preamble_detection_sinr_db` if set, otherwise radios notice every frame that they
    /// begin to receive. S3's simulator: 4 dB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preamble_sinr_db: Option<f64>,
    /// Minimum SINR of a frame at its start for a radio to lock on to it, in dB. Signals that begin
    /// at the same instant count as interference. A radio that does not lock on stays ready for
    /// later frames. Default: none. ns-3 (`ThresholdPreambleDetectionModel`): 4 dB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preamble_detection_sinr_db: Option<f64>,
}

impl Sensing {
    /// Checks the values.
    ///
    /// # Errors
    /// If `preamble_sinr_db` or `preamble_detection_sinr_db` is impossible.
    pub fn validate(&self) -> Result<(), ConfigError> {
        for (key, ratio) in [
            ("preamble_sinr_db", self.preamble_sinr_db),
            ("preamble_detection_sinr_db", self.preamble_detection_sinr_db),
        ] {
            if let Some(db) = ratio.filter(|db| !(-20.0..=60.0).contains(db)) {
                return Err(ConfigError::new(key, format!("is {db}: expected -20 to 60")));
            }
        }
        Ok(())
    }
}

impl Default for Sensing {
    fn default() -> Self {
        Self {
            sensitivity_dbm: -82.0,
            carrier_sense_dbm: -82.0,
            energy_detect_dbm: -62.0,
            unreceived_frames: UnreceivedFrames::CarrierSense,
            detection_time: Span::ZERO,
            preamble_sinr_db: None,
            preamble_detection_sinr_db: None,
        }
    }
}
