//! What a radio does when a second frame arrives (inventory 3.11).

use airtcp_units::{Db, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which of two overlapping frames a receiver may still decode.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "model", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Capture {
    /// Any overlap destroys both (Bianchi's assumption).
    None,
    /// The first frame survives if it is stronger than the second by `ratio` when that begins;
    /// otherwise both are lost (ns-2's `CPThresh_`).
    Threshold {
        /// Least power ratio in dB.
        #[serde(default = "ten")]
        ratio_db: f64,
    },
    /// The receiver stays with the frame it has locked on to, which survives by its SINR. It locks
    /// on to a frame that begins amid others only if that is stronger than them by `late_db`.
    Sinr {
        /// Least ratio to what is already on the air for a frame to be noticed, in dB (SLG).
        #[serde(default = "fifteen")]
        late_db: f64,
    },
    /// As `sinr`, and a frame stronger by `margin_db` takes the receiver over while the preamble
    /// of the first is being received (ns-3's frame capture).
    PreambleWindow {
        /// Least ratio to the frame being received, in dB.
        #[serde(default = "five")]
        margin_db: f64,
        /// Least ratio to what is already on the air for a frame to be noticed, in dB.
        #[serde(default = "fifteen")]
        late_db: f64,
    },
    /// As `sinr`, and a frame stronger by `margin_db` takes the receiver over at any time
    /// (message in message).
    MessageInMessage {
        /// Least ratio to the frame being received, in dB (gamma_MR).
        #[serde(default = "eight")]
        margin_db: f64,
        /// Least ratio to what is already on the air for a frame to be noticed, in dB.
        #[serde(default = "fifteen")]
        late_db: f64,
    },
    /// The measured cases by name: which of two overlapping frames has a chance depends on which came
    /// first, and on whether the receiver had locked on to the first. What has a chance still has to
    /// survive by its SINR at its rate.
    Cases {
        /// SF, the wanted frame comes first: it survives an overlap of less than its power by this, in dB.
        #[serde(default = "zero")]
        sir_first_db: f64,
        /// SLC, it comes last and the receiver has locked on to the first: it survives if it is stronger
        /// by this, in dB.
        #[serde(default = "ten")]
        sir_last_clear_db: f64,
        /// SLG, it comes last and the first is not being received: it is noticed if it is stronger by
        /// this, in dB. Measured are 15 to 25.
        #[serde(default = "fifteen")]
        sir_last_garbled_db: f64,
        /// The receiver goes over to a frame stronger than the one it is receiving by this, in dB
        /// (gamma_MR), at any time. Below `sir_last_clear_db` both are then lost.
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

/// The same with plain factors, as a radio uses it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Factors {
    /// Least ratio of a new frame to the one being received for it to take over; infinite if it
    /// never does.
    pub(crate) take_over: f64,
    /// Whether it may only do so during the preamble.
    pub(crate) in_preamble_only: bool,
    /// Least ratio to the frame it took over from for a frame to survive; 0 if its SINR decides.
    pub(crate) taken: f64,
    /// Least ratio of a new frame to all else on the air for the receiver to lock on to it.
    pub(crate) late: f64,
    /// Least ratio of the frame being received to a new one for it to survive; 0 if its SINR
    /// decides instead.
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
        match self {
            Self::None => Factors {
                take_over: never,
                in_preamble_only: false,
                taken: 0.0,
                late: never,
                survive: never,
            },
            Self::Threshold { ratio_db } => Factors {
                take_over: never,
                in_preamble_only: false,
                taken: 0.0,
                late: never,
                survive: Db(ratio_db).linear(),
            },
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

/// Levels at which a radio notices things.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Sensing {
    /// Least power at which a frame is noticed and received, in dBm.
    pub sensitivity_dbm: f64,
    /// Least power of a frame that makes the medium busy, in dBm.
    pub carrier_sense_dbm: f64,
    /// Least sum of all powers that makes the medium busy, in dBm.
    pub energy_detect_dbm: f64,
    /// How long a frame that is not detected as energy has to be on the air before it makes the
    /// medium busy. Default 0; S3's simulator (PhySimWiFi) noticed such frames at the end of the
    /// preamble, 16 us, almost two slots, after their start. Those that begin to send within that
    /// time collide.
    pub detection_time: Span,
}

impl Default for Sensing {
    fn default() -> Self {
        Self {
            sensitivity_dbm: -82.0,
            carrier_sense_dbm: -82.0,
            energy_detect_dbm: -62.0,
            detection_time: Span::ZERO,
        }
    }
}
