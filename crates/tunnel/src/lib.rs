//! Byte channels over a lossy path: many streams in one sliding connection, encrypted by QUIC.
//!
//! ```text
//! forwarders  ->  Mux: channels with credit, cut into records
//!             ->  the sliding transport: one reliable stream of bytes, repaired symbol by symbol
//!             ->  QUIC DATAGRAM frames (RFC 9221), without a congestion window of their own
//!             ->  UDP
//! ```
//!
//! Nothing here calls the system: time and datagrams come from the caller, so that tests run in virtual time. [`Hub`] is
//! one end, a server with many peers or a client with one; [`Session`] is what two ends share; [`Mux`] is its channels.
//! The transport alone decides what is sent when: QUIC brings keys, the handshake, changes of address and the end.
//! Channels share one connection, so that a tunnel is one flow to the network, and pays for its start once.

mod channel;
mod hub;
mod key;
mod mux;
mod quic;
mod record;
mod session;
mod target;
mod tls;

pub use hub::{Hub, HubEvent, Peers, SessionId};
pub use key::{KeyError, PrivateKey, PublicKey};
pub use mux::{ChannelEvent, ChannelId, MAX_CHANNELS, Mux};
pub use quic::SEGMENT;
pub use record::Violation;
pub use session::{Ended, Outgoing, Session, Status};
pub use target::{Code, Target};

#[doc(hidden)]
pub use mux::fuzz;
