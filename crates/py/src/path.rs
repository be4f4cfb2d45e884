//! Paths that come as JSON: text, or their bytes where they are not UTF-8.

use std::ffi::OsString;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// A path in the form of the operating system.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(from = "Written")]
pub(crate) struct NativePath(PathBuf);

#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Text(String),
    Bytes(Vec<u8>),
}

impl From<Written> for NativePath {
    fn from(written: Written) -> Self {
        match written {
            Written::Text(text) => Self(text.into()),
            Written::Bytes(bytes) => Self(native(bytes).into()),
        }
    }
}

#[cfg(unix)]
fn native(bytes: Vec<u8>) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes)
}

#[cfg(not(unix))]
fn native(bytes: Vec<u8>) -> OsString {
    String::from_utf8_lossy(&bytes).into_owned().into()
}

impl Deref for NativePath {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}
