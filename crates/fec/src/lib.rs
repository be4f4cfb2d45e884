//! Erasure codes. An encoder computes any number of repair symbols from K source symbols; a decoder
//! recovers the source symbols from those that arrived.
//!
//! [`ErasureCode`] is the interface; [`Code`] is any registered code, built from [`CodeConfig`].
//! Reed-Solomon decodes from any K symbols; RaptorQ and the random linear code sometimes need one more.
//! All are systematic (the first K symbols are the data) and incremental (repair symbol `n` does not
//! depend on the number of repair symbols, so more can follow if the first do not suffice).
//! [`WindowDecoder`] decodes a stream whose repair symbols cover a sliding window.
//!
//! A simulation needs no payload: [`ErasureCode::recovers`] and `WindowDecoder<()>` decide from the numbers
//! of the received symbols, and tests compare them with the decoders of bytes. A code is one file and one
//! line in `registry.rs`. Sizes in bytes.

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
