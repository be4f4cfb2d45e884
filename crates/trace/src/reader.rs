//! Reading delivery traces of many layouts.
//!
//! A file is opened by its first bytes (gzip, xz, zstd, tar, one inside the other), never by its
//! name alone; its layout is recognised by the first 64 KiB of text. Files are streamed, and one
//! bit per packet is kept. A file may hold many links. Nothing in a file can make the reader panic
//! or take more memory than [`ReadOptions`] allows.
//!
//! [`layouts`] lists the known layouts; `docs/reference/trace-formats.md` describes each. To add a
//! layout: a file under `reader/layouts/` and a line in its registry.

mod bounded;
mod clock;
mod decompress;
mod documentation;
mod ends;
mod file;
mod gzip;
mod head;
mod input;
mod kinds;
mod layouts;
pub mod limits;
mod lines;
mod link_trace;
mod many;
mod notes;
mod open;
mod options;
mod order;
mod ratios;
mod sequence;
mod strays;
mod stream_error;
pub mod waiting;
mod zstd;

pub use decompress::decompress;
pub use file::{read_links, read_links_from};
pub use kinds::binary_kind;
pub use layouts::{LayoutInfo, layouts, text_kind};
pub use link_trace::{LinkTrace, Source};
pub use many::{Collector, Expanded, Skipped, expand, read_many};
pub use options::{ColumnKind, ReadOptions};

#[cfg(test)]
mod tests;
