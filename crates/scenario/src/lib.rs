//! The scenario: a description of a network and its flows, checked and completed.
//!
//! [`Scenario`] is the file format (TOML). [`read`] parses a text into it; errors name the line, the path,
//! what was found and what is accepted. [`Scenario::resolve`] expands topologies and defaults into a
//! [`Resolved`] plan of nodes, one-way links, cells and flows, which the simulator builds. The JSON Schema
//! ([`json_schema`]) is generated from the same types.

mod application;
mod cell;
mod default_flows;
mod error;
mod error_key;
mod expand;
mod files;
mod hops;
mod limits;
mod medium;
mod mixed;
mod model;
mod names;
mod numbers;
mod outside;
mod phy_keys;
mod placeholders;
mod read;
mod resolve;
mod resolved;
mod schedule;
mod schema;
mod station;
mod station_spec;
mod steps;
mod tables;
mod toml_limits;
mod topology;
mod without;

pub use application::{Application, Arrivals, MAX_MESSAGES_PER_SECOND, Periods};
pub use cell::{Cell, CellSpec, MAX_PACKET};
pub use error::ScenarioError;
pub use hops::Hops;
pub use medium::MAX_ON_MEDIUM;
pub use model::{Direction, FlowSpec, LinkSpec, Output, Scenario, Topology, TransportKind};
pub use outside::{MAX_OUTSIDE, OutsideSpec};
pub use read::{Source, read};
pub use resolved::{AirHop, Flow, OneWay, Resolved};
pub use schedule::{Arrival, MAX_ARRIVALS, Schedule};
pub use schema::json_schema;
pub use station::StationKeys;
pub use station_spec::StationSpec;
pub use steps::{Step, steps};
pub use toml_limits::parsable;
pub use without::Without;
