//! Where the stations of a cell stand.

pub mod layout;
pub mod position_file;
