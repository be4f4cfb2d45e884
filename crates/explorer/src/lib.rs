//! The simulator in a web page. A request is a JSON object whose `do` names what to do; the answer is a JSON
//! object, with `error` if the request failed.
//!
//! - [`answer`] handles a request: `about`, `open`, `edit`, `describe`, a run in pieces (`begin`, `step`, and at any
//!   time `series` and `document`), and `differences` between two runs.
//! - `exports` are the functions that JavaScript calls. They pass texts through two buffers.
//!
//! A run gives the document of `airtcp run --json` for the same scenario and seed: both come from the
//! simulator, and nothing here computes a result. The module reads no files and no clock. A run has one thread.

mod answer;
mod changes;
mod edit;
pub mod exports;
mod opened;
mod plain;
mod plan;
mod recorder;
mod series;

pub use answer::answer;
