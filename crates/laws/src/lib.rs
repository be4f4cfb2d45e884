//! Congestion laws from shared libraries, written in C or anything that speaks its conventions.
//!
//! A library exports one function, `airtcp_law_v1`, which fills a table of functions (`airtcp_law.h`,
//! which [`header`] writes from the definitions here). [`Library`] opens a library and checks its
//! table. [`Maker`] makes laws of it for a sender: [`native`] translates between the types of
//! `airtcp_congestion` and those of [`abi`], checks every value that a law sets, and does what the law
//! leaves to the base. [`host`] are the functions that a law may call.
//!
//! The code of a library runs in this process. A fault in it (a wild pointer) is a fault of the process: nothing
//! here can catch it. A call that does not return ends the process with a message ([`Watch`]). What the library
//! returns is checked.

mod abi;
mod header;
mod host;
mod inner;
#[cfg(all(test, unix))]
mod layout_tests;
#[cfg(unix)]
mod library;
#[cfg(not(unix))]
#[path = "no_library.rs"]
mod library;
mod native;
mod watch;

pub use abi::LAW_FUNCTIONS;
pub use header::header;
pub use host::addresses;
pub use library::Library;
pub use native::{Faults, Maker};
pub use watch::{End, Watch, end_process};
