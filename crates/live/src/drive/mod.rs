//! `airtcp-live emulate`: the emulation driven by the wall clock, between network namespaces.
//!
//! ```text
//! command      the options, and the order of things
//! given        the scenario, and its changes
//! control      lines that change it while it runs
//! again        arrivals that meet it again
//! ports        a namespace and a veth pair for each node with real traffic
//! between      two given interfaces in their place
//! keeper       what undoes the changes of a run when it has ended
//! turn         the loop: read, run the model, write, wait
//! series       what passes over time
//! line         what passes now, on a terminal
//! traffic      what became of the packets, by flow
//! output       loss log, arrivals, capture
//! ending       how COMMAND is asked to end
//! report       what a run was like: text, JSON, exit code
//! ```

mod again;
mod between;
mod command;
mod control;
mod ending;
mod failure;
mod given;
mod keeper;
mod line;
mod output;
mod path;
mod ports;
mod report;
mod series;
mod traffic;
mod turn;

pub use again::Replay;
pub use command::Emulate;
pub use keeper::Restore;
