//! Two connections over a pipe in virtual time.

mod bulk;
mod handshake;
mod pair;
mod recovery;
