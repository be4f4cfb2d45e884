//! The simulator: an event queue, a world of nodes, interfaces and endpoints, and run control.
//!
//! Follow a packet: an [`application`](crate) writes to its transport, the transport returns a
//! segment, [`World`](world) puts it into the queue of an interface, the link behind the queue
//! delivers it to the next node, and there it is forwarded or handed to the transport it is
//! for. [`run()`] runs a scenario; [`slotted`] is the short way for TCP over a delivery trace.
//!
//! Nothing here reads a clock, shares state between runs, or depends on how many threads run.

pub mod air;
pub mod air_parts;
mod air_summary;
mod application;
mod build;
mod cell;
mod check;
pub mod coding;
mod coverage;
mod drops;
pub mod estimate;
mod interface;
pub mod link_protocol;
mod measure;
mod media;
mod medium;
mod memory;
pub mod parallel;
mod paths;
pub mod queue;
mod radio_map;
pub mod results;
mod routes;
mod run;
pub mod slotted;
mod transport;
mod world;

pub use air_summary::CellEstimates;
pub use build::TraceLoader;
pub use coverage::warnings;
pub use estimate::Estimate;
pub use media::{MediumStation, media};
pub use paths::links_on_way;
pub use results::RunResult;
pub use run::{STEPS, collect, prepare, run, run_one, run_parts, run_recorded};
