//! BBR version 1. It shares its parts with version 3 in [`bbr`](super::bbr).

pub use super::bbr::v1::{Bbr1, Bbr1Config};
