//! Errors of opening a capture. Damage within a capture is no error: what is readable is analysed,
//! and the summary of the file names the place.

use std::io;

/// Why a file could not be analysed at all.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// The file could not be opened or read.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// The cause.
        source: io::Error,
    },
    /// The file is no packet capture.
    #[error("{path} is {what}; expected pcap and pcapng captures. {hint}")]
    NotACapture {
        /// The file.
        path: String,
        /// Its kind.
        what: String,
        /// What to do.
        hint: &'static str,
    },
    /// The file ends before its first packet.
    #[error("{path} ends after {bytes} B, within the header of a capture: it was cut off")]
    CutOff {
        /// The file.
        path: String,
        /// Its length.
        bytes: u64,
    },
    /// The file has no interface of the name that is asked for.
    #[error("{path} has no interface '{name}'{there}")]
    NoInterface {
        /// The file.
        path: String,
        /// The name.
        name: String,
        /// The names that it has, as the end of a sentence.
        there: String,
    },
}

impl CaptureError {
    /// A file with these interfaces has none of the name that is asked for.
    pub(crate) fn no_interface(path: String, name: &str, interfaces: &[String]) -> Self {
        let there = match interfaces {
            [] => ": the format pcap names none; leave the interface out".to_owned(),
            all => format!("; it has {}", all.join(", ")),
        };
        Self::NoInterface { path, name: name.to_owned(), there }
    }
}
