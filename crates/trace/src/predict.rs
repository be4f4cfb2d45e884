//! Predicts TCP's throughput over a link from a few statistics of the link.
//!
//! There are two methods: published formulas ([`formula`], and [`altman`] for losses in bursts),
//! which need the path and no fit; and fits ([`fit_throughput`]) of measured throughputs to PRR, mu
//! and further metrics by least absolute deviations, as in S1 section 7, with their in-sample and
//! leave-one-out errors and BIC.
//!
//! This module takes measured throughputs as numbers and runs no TCP.

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
