//! Multi-user PPDUs on a medium.

mod fill;
mod on_air;
mod preamble;
mod receive;

#[cfg(test)]
pub(super) use on_air::UserFate;
pub(super) use on_air::{MuOnAir, capture};
