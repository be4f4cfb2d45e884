//! How likely bits sent in a mode come through a given ratio of signal to interference and noise.
//!
//! A frame is cut into chunks wherever interference changes; each chunk survives with
//!
//! ```text
//! success = (1 - p(mode, SINR))^bits          p: error probability a bit
//! ```
//!
//! and the frame with the product. Interference counts as noise of the same power. All laws answer
//! with `ln(1 - p)`, so that the probability of a million bits costs one exponential.
//!
//! SINR is a plain ratio over the whole channel (20 MHz for OFDM, 22 MHz for DSSS and CCK), without
//! spreading or coding gain: those are the laws' business.

mod cck;
mod dsss;
mod law;
mod model;
mod nist;
mod registry;
mod table;
mod threshold;
mod yans;

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "some answers are exact")]
mod tests;

pub use law::BitLaw;
use law::Model;
pub use model::ErrorModel;
pub use nist::{Nist, NistConfig};
pub use registry::{ErrorModelConfig, registry};
pub use table::{PerCurve, PerTable, PerTableConfig};
pub use threshold::{Ideal, IdealConfig, ModeThreshold, Threshold, ThresholdConfig};
pub use yans::{Yans, YansConfig};
