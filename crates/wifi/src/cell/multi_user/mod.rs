//! Multi-user PPDUs on a medium.

mod fill;
mod on_air;
mod preamble;
mod receive;

pub(super) use on_air::MuPpdus;
