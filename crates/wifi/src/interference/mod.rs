//! Interferers: signals that disturb frames but are not frames, such as Bluetooth, microwave ovens,
//! and cells on the same channel that are modelled only by their on-times.
//!
//! An interferer is a function of time without events: the radio evaluates it when a frame ends.
//! Only an interferer that makes the medium busy has two events per period. At each station in its
//! reach, an interferer does one of two things:
//! - it *destroys* every frame it overlaps, whatever the powers, or
//! - it arrives with a *power* that adds to the noise while it is on, and the SINR decides.
//!
//! Interferers have their own random streams: an interferer that is never on, or reaches no
//! station, changes no result. Source: S0 section IV; S4.

pub mod bluetooth;
mod interferer;
mod periodic;
mod reach;
mod registry;

#[cfg(test)]
pub(crate) mod tests;

pub use bluetooth::{Bluetooth, BluetoothConfig};
use interferer::Model;
pub use interferer::{Exposure, Interferer};
pub use periodic::{MicrowaveOvenConfig, Periodic, PeriodicConfig, PollingConfig};
pub use reach::{InterferenceContext, Reach, ReachConfig};
pub use registry::{InterferenceConfig, Source, registry};
