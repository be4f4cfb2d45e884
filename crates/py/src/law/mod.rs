//! Congestion laws written in Python.
//!
//! A law is a Python class on the native class [`base::LawBase`], which owns window and threshold.
//! [`adapter::PyLaw`] is such a law for a sender: it calls the methods that the class overrides, and
//! does the rest itself. [`samples`] are the arguments of these methods. [`given`] offers the laws of
//! a call to the configurations that it reads, and raises the first error of a law. [`checked`] drives a
//! law through the conformance suite. [`maths`] are the
//! functions with the same result on every machine. [`stuck`] ends the process if a law in machine code does not
//! return.

mod adapter;
mod base;
mod checked;
mod class;
mod given;
mod maths;
mod outcome;
mod promises;
mod samples;
mod source;
mod stuck;

pub(crate) use base::LawBase;
pub(crate) use checked::check_law;
pub(crate) use given::{Laws, Library, Offered, law_functions, law_header, offered};
pub(crate) use maths::{cbrt, exp, log, pow};
pub(crate) use promises::Promises;
pub(crate) use samples::{Ack, Congestion, Idle, Lost, Params, Rate, Sent};
pub(crate) use source::Random;
pub(crate) use stuck::last_words_to;
