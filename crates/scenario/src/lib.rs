//! The scenario: what a person writes, checked and made explicit.
//!
//! [`Scenario`] is the file format (TOML), [`read`] turns text into it with errors that name
//! the line, the path, what was found and what is accepted, and [`Scenario::resolve`] expands
//! topologies and defaults into a [`Resolved`] plan of nodes, one-way links and flows that the
//! simulator builds. The JSON Schema ([`json_schema`]) is generated from the same types.

mod application;
mod blame;
mod cell;
mod error;
mod expand;
mod files;
mod limits;
mod marks;
mod medium;
mod model;
mod numbers;
mod read;
mod resolve;
mod resolved;
mod schema;
mod station;
mod steps;
mod tables;
mod toml_limits;
mod topology;

pub use application::{Application, Periods};
pub use cell::{Cell, CellSpec, MAX_PACKET};
pub use error::ScenarioError;
pub use medium::MAX_ON_MEDIUM;
pub use model::{Direction, FlowSpec, LinkSpec, Output, Scenario, Topology, TransportKind};
pub use read::read;
pub use resolved::{AirHop, Flow, OneWay, Resolved};
pub use schema::json_schema;
pub use station::{StationKeys, StationSpec};
pub use toml_limits::parsable;
