//! A loss-tolerant transport of our own: a byte stream over lossy links, repaired symbol by symbol.
//!
//! LT-TCP codes one window at a time and waits for it. This transport sends the stream as symbols
//! and retransmits every lost symbol at once. It codes only when there is nothing else to send:
//! random linear combinations of the data in flight (RFC 8681's code) fill the round trip in which
//! a retransmission could not come in time. Their number follows from the measured loss rate and
//! burstiness. The round-trip time, not losses, controls the window: it keeps a few milliseconds of
//! queue. Only while another flow fills the queue does it compete as TCP does.
//!
//! [`SlidingConnection`] is one end; `sender` and `receiver` are its halves, `wire` is the format.
//! `control` is the window: `loss_cusum` finds losses beyond the path's own, `delivery_bound`
//! bounds the window by the arrivals. `estimate` measures the path's losses for the coding. Symbols
//! carry lengths in the simulator and bytes over sockets ([`Content`]; `frame` is the format of the
//! latter). The crate does not use `transport`. Equations, choices and results are in
//! `docs/models/sliding.md`.

mod config;
mod connection;
mod content;
mod control;
mod delivery_bound;
mod estimate;
mod frame;
mod ledger;
mod loss_cusum;
mod marks;
mod receiver;
mod sender;
mod stats;
#[cfg(test)]
mod tests;
mod wire;

pub use config::{Coding, SlidingConfig};
pub use connection::SlidingConnection;
pub use content::{Bytes, Content, Datagram};
pub use stats::{Path, SlidingStats};
pub use wire::{FIN, Head, Packet, Payload, SYMBOL_OPTION, is_symbol};

use airtcp_probe::Entry;

/// What this crate registers: itself, as a flow's `transport`.
pub const fn registry() -> &'static [Entry] {
    &[Entry {
        family: "transport",
        name: "sliding",
        description: "A byte stream with retransmission and sliding-window coding, configured by sliding",
        source: "own; RFC 8681",
    }]
}
