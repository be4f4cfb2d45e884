//! Quantities as types, so that the compiler refuses a rate in place of a time.
//!
//! Read [`Nanos`] and [`Span`] first: all models use them for time, never floats or the clock of the
//! machine. [`TxClock`] turns bytes into serialisation time without rounding drift. [`detmath`] holds
//! the transcendental functions that models may use. Those of C libraries differ in the last bit, and
//! one bit is enough to change a run. [`tfrc_seconds_per_segment`] is the one equation that models and
//! predictions share. [`Narrow`], [`LowBits`] and [`Saturate`] convert numbers that may not fit.
//! [`Delays`] is the histogram that counts the delays of packets.
//! [`TokenBucket`] is a rate and a burst, of policers and shapers. [`Waits`] accounts what a sender waits
//! for. [`Metric`] describes how a quantity of a result is shown.

mod capacity;
mod delays;
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
mod token_bucket;
mod waits;

pub use capacity::{Capacity, CapacityClock};
pub use delays::Delays;
pub use equation::tfrc_seconds_per_segment;
pub use level::{Db, Dbm};
pub use metric::Metric;
pub use narrow::{LowBits, Narrow, Saturate};
pub use outcomes::Outcomes;
pub use probability::Probability;
pub use quantity::QuantityError;
pub use rate::{BitRate, Bytes, Pace, TxClock};
pub use time::{Nanos, Span};
pub use token_bucket::TokenBucket;
pub use waits::{Spent, Wait, Waits};
