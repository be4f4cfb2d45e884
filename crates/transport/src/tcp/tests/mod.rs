//! Two connections over a pipe in virtual time.

mod accecn;
mod bbr;
mod bottleneck;
mod bulk;
mod corruption;
mod episodes;
mod handshake;
mod hostile;
mod law;
mod marks;
mod misbehaviour;
mod pacing;
mod pair;
mod predict;
mod prr;
mod rack;
mod receiving;
mod recovery;
mod response;
mod sack_ns2;
mod slow_start;
mod spurious;
