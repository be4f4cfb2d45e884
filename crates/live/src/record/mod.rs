//! `record`: the frames of an interface as pcapng, with what the kernel dropped.
//!
//! `link` has the link layers, `recording` the file (without system calls), `command` the loop.

mod command;
mod link;
mod recording;

pub use command::Record;
