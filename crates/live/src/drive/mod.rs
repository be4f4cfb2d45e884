//! `airtcp-live emulate`: the emulation driven by the wall clock, between network namespaces.
//!
//! ```text
//! command      the options, and the order of things
//! given        the scenario, and arrivals that meet it again
//! ports        a namespace and a veth pair for each node with real traffic
//! turn         the loop: read, run the model, write, wait
//! output       loss log, arrivals, capture
//! ending       how COMMAND is asked to end
//! report       what a run was like: text, JSON, exit code
//! ```

mod command;
mod ending;
mod failure;
mod given;
mod output;
mod path;
mod ports;
mod report;
mod turn;

pub use command::Emulate;
pub use given::Replay;
