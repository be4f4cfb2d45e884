//! Layouts of text files, one file each; `registry.rs` lists them.

mod accepted;
mod delimiter;
mod detection;
mod enslyon;
mod fping;
mod iperf;
mod irtt;
mod json_document;
mod k7;
mod link;
mod link_rows;
mod macperf;
mod mahimahi;
mod names;
mod owamp;
mod ping;
mod plain;
mod rates;
mod refuse;
mod registry;
mod sdec;
mod stamps;
mod table;
mod totals;
mod tsch;

pub(super) use detection::read;
pub use detection::text_kind;
pub use registry::{LayoutInfo, layouts};
