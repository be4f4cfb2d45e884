//! The limit on the expansion of any input.
//!
//! A small file may expand to gigabytes: by compression, by a stated count, or by names of links.
//! One limit bounds all three: the bytes of text after decompression, the packets (at least a byte
//! of text each), and the links, each counted as [`LINK`] bytes. The environment variable
//! [`VARIABLE`] sets the limit.

use airtcp_units::Bytes;

use crate::error::TraceError;

/// The environment variable that sets the limit.
pub const VARIABLE: &str = "AIRTCP_INPUT_LIMIT";

/// The limit if the variable is not set.
pub const DEFAULT: u64 = 1_000_000_000;

/// Bytes that count for one link.
pub const LINK: u64 = 10_000;

/// Divisor of the limit for one gap in sequence numbers.
const GAPS: u64 = 1000;

/// The limit in bytes.
pub fn input_limit() -> Result<u64, TraceError> {
    // Text that is not UTF-8 is refused as a size that cannot be read.
    std::env::var_os(VARIABLE).map_or(Ok(DEFAULT), |text| parse(&text.to_string_lossy()))
}

fn parse(text: &str) -> Result<u64, TraceError> {
    match text.parse::<Bytes>() {
        Ok(bytes) if bytes.0 > 0 => Ok(bytes.0),
        _ => Err(TraceError::Option {
            option: VARIABLE,
            found: text.to_owned(),
            expected: "a size above 0 with its unit, such as \"4 GB\"".to_owned(),
        }),
    }
}

/// Most links under a limit.
pub(super) const fn links(limit: u64) -> u64 {
    if limit < LINK { 1 } else { limit / LINK }
}

/// Most packets of one gap under a limit.
pub(super) const fn gap(limit: u64) -> u64 {
    if limit < GAPS { 1 } else { limit / GAPS }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(parse("4 GB").unwrap(), 4_000_000_000);
        assert_eq!((links(DEFAULT), gap(DEFAULT)), (100_000, 1_000_000));
        for bad in ["", "4", "0 B", "-1 GB", "much"] {
            let error = parse(bad).unwrap_err().to_string();
            assert!(
                error.starts_with("AIRTCP_INPUT_LIMIT = ") && error.contains("4 GB"),
                "{error}"
            );
        }
    }
}
