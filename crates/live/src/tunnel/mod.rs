//! `airtcp tunnel`: TCP connections over a path that loses packets, in one encrypted flow.
//!
//! The core is the crate `airtcp-tunnel`, without system calls. Here it gets sockets, a clock and applications:
//!
//! ```text
//! command      the options                          keys         files of keys
//! drive        the loop of both ends                status       what is told to who asks on this host
//! listen       a client's listeners                 socks        RFC 1928 as a parser
//! dial         a server's connections               targets      what a server allows
//! connections  those of applications                joined       one of them, and its channel
//! whereabouts  the addresses of a client's server
//! ```

mod command;
mod connections;
mod dial;
mod drive;
mod joined;
mod keys;
mod listen;
mod socks;
mod status;
mod targets;
mod whereabouts;

pub use command::Tunnel;

/// The port of a server, unless told otherwise.
const PORT: u16 = 5298;
