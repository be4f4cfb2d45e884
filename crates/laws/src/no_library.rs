//! Shared libraries are loaded on Unix only.

use crate::abi::{LAW_FUNCTIONS, RawLaw};

/// A law in a shared library.
#[derive(Debug)]
pub struct Library {
    pub(crate) table: RawLaw,
    /// Name of the law.
    pub name: String,
    /// What it does, in a line.
    pub about: String,
    /// Keys with their defaults, in order.
    pub keys: Vec<(String, f64)>,
}

impl Library {
    /// Opens a library.
    ///
    /// # Errors
    /// Always: this system is not supported.
    pub fn open(path: &std::path::Path) -> Result<Self, String> {
        Err(format!("{}: shared libraries are loaded on Unix only", path.display()))
    }

    /// A law of functions in this process.
    ///
    /// # Errors
    /// Always: this system is not supported.
    pub fn of_functions(
        name: &str,
        _about: &str,
        _keys: &str,
        _flags: u64,
        _addresses: [usize; LAW_FUNCTIONS.len()],
    ) -> Result<Self, String> {
        Err(format!("{name}: compiled laws run on Unix only"))
    }
}
