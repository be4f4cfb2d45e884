//! The physical layer: rates, frame durations, propagation, noise and frame errors.

mod channel;
pub mod error;
pub mod fading;
mod mode;
pub mod noise;
pub mod propagation;
mod standard;
mod timing;

pub use channel::Channel;
pub use mode::{Mode, Modulation};
pub use standard::Standard;
pub(crate) use timing::{ACK_BYTES, CTS_BYTES, RIFS, RTS_BYTES};
pub use timing::{AckRate, Preamble, Timing, TimingConfig};
