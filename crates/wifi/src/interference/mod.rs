//! What disturbs frames and is no frame: Bluetooth, microwave ovens, cells on the same channel that
//! are only described by when they are on.
//!
//! An interferer is a function of time. It has no events of its own: a frame asks when it ends
//! what has fallen on it. Only one that makes the medium busy has two events a period. What it
//! does at a station it reaches is one of two things:
//! - it *destroys* every frame it overlaps there, whatever the powers, or
//! - it arrives with a *power*, which adds to the noise while it is on; the SINR decides.
//!
//! Its draws are of its own: one that is never on, or reaches nobody, changes no other number.
//! Source: inventory 3.9, 3.12, 3.13; S0 section IV; S4.

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
