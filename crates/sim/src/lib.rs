//! The simulator builds a world from a plan, runs it, and computes results from its counters.
//!
//! - `build/` checks a plan and builds the world of one replication from it: paths, interfaces,
//!   media with their cells, the two ends of every flow.
//! - `world/` moves packets. An application (`application`) writes to its transport (`transport`).
//!   The transport returns a segment, and the world puts it into the pool. The route (`routes`)
//!   gives the next hop: over a link, whose `interface` is a queue and the link behind it, or
//!   through the air of a `medium`, behind the queues of its stations. At the far end the world
//!   forwards the packet over the next hop or gives it to its transport. `queue` is the event queue.
//! - [`results`] reads the world's counters at the warm-up and at the end: per `flow`, `link`, `cell`
//!   and `station`, and in a `summary` over replications.
//!
//! [`run()`] runs a scenario, its replications in [`parallel`]; a [`Session`] runs it piece by piece on one thread, and a [`Sequence`] runs as many
//! replications as its caller needs. [`slotted`] is a faster driver for TCP over
//! a delivery trace.
//!
//! Results depend on no clock, on no state shared between runs, and not on the number of threads.

mod bounded;
mod build;
mod capture_size;
mod durations;
pub mod outside;
mod own_laws;
pub mod parallel;
mod pieces;
pub mod results;
mod run;
mod sequence;
mod session;
pub mod shared;
pub mod slotted;
mod world;

pub use bounded::{Bounded, run_bounded, run_bounded_replication, run_raised_replication};
pub use build::TraceLoader;
pub use build::boundary::boundary_flows;
pub use build::coverage::warnings;
pub use build::media::{MediumStation, media, queue_names};
pub use build::paths::{Way, links_on_way, ways};
pub use capture_size::large_capture;
pub use durations::Durations;
pub use results::{CellEstimates, Estimate, RunResult};
pub use run::{STEPS, collect, prepare, run, run_one, run_parts, run_recorded, run_replication};
pub use sequence::Sequence;
pub use session::Session;
