//! What TCP gets over a link, from a few numbers about the link.
//!
//! Two ways: published formulas ([`formula`], and [`altman`] for losses that come in bursts),
//! which know the path and fit nothing; and fits ([`fit_throughput`]) of measured throughputs to
//! PRR, mu and further metrics by least absolute deviations, as S1 does in section 7, side by
//! side with their in-sample and leave-one-out errors and BIC.
//!
//! This module gets throughputs as numbers: what TCP does is measured elsewhere.

pub mod altman;
mod error;
mod fits;
mod form;
pub mod formula;
mod lad;
mod linear;
mod sample;
mod solve;
mod table;

pub use error::{FitError, FitProblem};
pub use fits::{Fit, FitTable, FittedLink, LeftOut, Prediction};
pub use form::{Form, MIN_LOSS};
pub use formula::FormulaOptions;
pub use sample::LinkSample;
pub use table::{FitOptions, fit_throughput, fit_throughput_with_progress};
