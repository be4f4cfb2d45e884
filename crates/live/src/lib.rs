//! Real packets through the simulator's links and cells, in real time.
//!
//! Model time is event time: a packet enters the model at the kernel's stamp of its arrival, however late the process
//! reads it, so that lateness never changes a fate. Each part has a core without system calls, and one file that drives
//! it.

pub mod drive;
pub mod emulate;
mod exit;
pub mod ftca;
pub mod measure;
mod place;
mod private;
pub mod record;
pub mod tunnel;
