//! Erasure codes: from K source symbols as many repair symbols as are wanted, and back from what
//! arrived.
//!
//! [`ErasureCode`] is what every code does; [`Code`] is any registered one, built from
//! [`CodeConfig`]. Reed-Solomon decodes from any K symbols; RaptorQ and the random linear code
//! need one more now and then. All are systematic (the first K symbols are the data themselves)
//! and incremental: repair symbol `n` does not depend on how many others are made, so that fresh
//! ones can follow when the first did not suffice. [`WindowDecoder`] decodes a stream whose repair
//! symbols cover a window that slides.
//!
//! In a simulation only which symbols arrived matters: [`ErasureCode::recovers`] and a
//! `WindowDecoder<()>` answer that without a byte of payload, and tests hold them to the real
//! coding. Adding a code is a file and a line in `registry.rs`. Sizes in bytes.

mod code;
#[cfg(test)]
mod conformance;
pub mod gf256;
mod rank;
mod raptorq;
mod reed_solomon;
mod registry;
mod sliding_window;
mod tinymt;

pub use code::{ErasureCode, FecError, Plan};
pub use rank::{Symbol, WindowDecoder};
pub use raptorq::{RaptorQ, RaptorQConfig};
pub use reed_solomon::{MAX_SYMBOLS, ReedSolomon, ReedSolomonConfig};
pub use registry::{Code, CodeConfig, registry};
pub use sliding_window::{SlidingWindow, SlidingWindowConfig, coefficients, combine};
