//! Packet scripts: a dialogue with one sans-IO TCP connection, one line per segment.
//!
//! [`parse`] reads a script, [`run`] plays it against a [`Connection`](airtcp_transport::tcp::Connection) in
//! virtual time. The script is the peer and the application. Lines with `<` are segments that the connection
//! receives. Lines with `>` are segments that it must send, at exactly that time and in that order.
//! `docs/dev/packet-scripts.md` describes the dialect.
//!
//! Leaves out: two connections at once (see [`Pair`](crate::Pair)), urgent data, bytes of payload.

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
