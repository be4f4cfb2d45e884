//! The physical layer: rates, frame durations, propagation, noise and frame errors.

mod airtime;
mod band;
mod channel;
pub mod error;
pub mod fading;
mod generation;
mod ldpc;
mod mcs;
mod mode;
mod multi_user;
pub mod noise;
mod per_mode;
pub mod propagation;
mod ru;
mod sensitivity;
mod setup;
mod spectrum;
mod standard;
mod timing;
mod width;

pub use band::Band;
pub use channel::Channel;
pub(crate) use channel::Heard;
pub(crate) use generation::Limits;
pub use generation::{Format, MAX_TIME, Standard};
pub use mcs::{Coding, GuardInterval, MAX_STREAMS, Modulation};
pub use mode::Mode;
pub use multi_user::{MuFormat, MuPpdu};
pub use per_mode::PerMode;
pub use ru::{RuSize, equal_rus};
pub use setup::{PhySetup, SetupKeys};
pub use spectrum::{SecondaryChannel, Spectrum};
pub(crate) use timing::{ACK_BYTES, CTS_BYTES, RIFS, RTS_BYTES};
pub use timing::{AckRate, Preamble, Timing, TimingConfig};
pub use width::Width;
