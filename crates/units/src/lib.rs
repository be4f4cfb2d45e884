//! Quantities as types, so that a rate can never be passed where a time is meant.
//!
//! Read [`Nanos`] and [`Span`] first: all models run on them, never on floats or on the
//! clock of the machine. [`TxClock`] turns bytes into serialisation time without rounding
//! drift. [`detmath`] holds the transcendental functions models may use; the platform's
//! own differ between C libraries in the last bit, and one bit is enough to change a run.
//! [`tfrc_seconds_per_segment`] is the one equation that models and predictions share.
//! [`Narrow`] and its kin convert numbers where something could be lost. [`Metric`] says how a quantity of a result is shown.

mod capacity;
pub mod detmath;
mod equation;
mod level;
mod metric;
mod narrow;
mod outcomes;
mod probability;
mod quantity;
mod rate;
mod time;

pub use capacity::{Capacity, CapacityClock};
pub use equation::tfrc_seconds_per_segment;
pub use level::{Db, Dbm};
pub use metric::Metric;
pub use narrow::{LowBits, Narrow, Saturate};
pub use outcomes::Outcomes;
pub use probability::Probability;
pub use quantity::QuantityError;
pub use rate::{BitRate, Bytes, Pace, TxClock};
pub use time::{Nanos, Span};
