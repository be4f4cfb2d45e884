//! `airtcp measure`: two ends measure the path between them.
//!
//! | phase | what is sent | what follows from it |
//! |---|---|---|
//! | hello | a greeting, a cookie and back | that both ends have the secret, and speak one version |
//! | idle | an echo each 20 ms | round-trip time, jitter |
//! | train | both ways at once, 100 bytes a millisecond, numbered | losses and their order, delay above the least |
//! | bursts | 32 packets of 1,200 bytes back to back, each 100 ms, one way after the other | capacity |
//! | load | a TCP connection one way after the other, looked at each 100 ms, echoes beside it | goodput, what TCP waits for, delay under load |
//!
//! [`Server`] and [`Client`] open no socket and read no clock: datagrams and times come in, datagrams and deadlines go
//! out. `serve` and `ask` drive them.

mod arrivals;
mod ask;
mod auth;
mod call;
mod capacity;
mod client;
mod clocks;
mod command;
mod delay;
mod document;
mod door;
mod echoes;
mod fetch;
mod load;
mod message;
mod plan;
mod secret;
mod sending;
mod serve;
mod server;
mod session;
mod stream;
mod train;

/// The port of a server, unless told otherwise.
const PORT: u16 = 5299;

pub use auth::{Key, Nonce, SECRET, TAG};
pub use client::{Client, Cut};
pub use command::Measure;
pub use document::Document;
pub use load::LoadSample;
pub use message::GREETING;
pub use plan::{Plan, RATE, RATE_ALLOWED};
pub use server::{Outgoing, SESSIONS, Server};
pub use session::Fresh;
