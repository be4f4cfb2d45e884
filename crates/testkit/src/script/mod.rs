//! Packet scripts: a dialogue with one sans-IO TCP connection, one line per segment.
//!
//! [`parse`] reads a script, [`run`] plays it against a [`Connection`](airtcp_transport::tcp::Connection) in virtual
//! time. The script is the peer and the application: lines with `<` are segments the connection
//! receives, lines with `>` are segments it must send, at exactly that time and in that order.
//! The dialect is described in `docs/dev/packet-scripts.md`.
//!
//! Leaves out: two connections at once (see [`Pair`](crate::Pair)), urgent data, bytes of
//! payload; a segment is a length, as everywhere in this project.

mod document;
mod expect;
mod notation;
mod origin;
mod parse;
mod pattern;
mod run;
#[cfg(test)]
mod tests;

pub use document::{Script, ScriptError};
pub use parse::parse;
pub use run::run;
