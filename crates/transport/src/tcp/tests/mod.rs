//! Two connections over a pipe in virtual time.

mod bulk;
mod handshake;
mod hostile;
mod law;
mod marks;
mod pair;
mod receiving;
mod recovery;
