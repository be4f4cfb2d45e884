//! Frame errors: the probability that bits in a mode are received correctly at an SINR.
//!
//! A frame is divided into chunks at each change of interference. A chunk is received with probability
//!
//! ```text
//! success = (1 - p(mode, SINR))^bits          p: bit error probability
//! ```
//!
//! and the frame with the product. Interference counts as noise of the same power. All laws return
//! `ln(1 - p)`, so that the probability of a million bits costs one exponential.
//!
//! The SINR is a ratio over the whole channel (20 MHz for OFDM, the width of the channel for HT, VHT and
//! HE, 22 MHz for DSSS and CCK). The laws account for spreading and coding gain.
//!
//! Spatial streams: the transmitter divides its power equally over `N_SS` streams, and the receiver
//! separates them with a loss of `stream_penalty_db` for each stream after the first (default 0, a choice). A law then
//! gets
//!
//! ```text
//! SINR / (N_SS 10^(penalty (N_SS - 1) / 10))
//! ```
//! without a penalty 3.0, 4.8 and 6.0 dB less for 2, 3 and 4 streams. Antenna gain, diversity, and correlated
//! antennas are left out.

mod cck;
mod dsss;
mod law;
mod model;
mod nist;
mod registry;
mod rows;
mod table;
mod threshold;
mod yans;

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "some answers are exact")]
mod tests;

pub use law::BitLaw;
use law::Model;
pub use model::ErrorModel;
pub(crate) use model::HOPELESS_BITS;
pub use nist::{Nist, NistConfig};
pub use registry::{ErrorModelConfig, registry};
pub use table::{PerCurve, PerTable, PerTableConfig};
pub use threshold::{Ideal, IdealConfig, ModeThreshold, Threshold, ThresholdConfig};
pub use yans::{Yans, YansConfig};
