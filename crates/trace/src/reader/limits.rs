//! How much any input may expand to, in one number.
//!
//! A file of some bytes may stand for gigabytes: compressed, by a count that it states, by links that it
//! only names. One limit bounds all of it: that many bytes of text after decompression, that many packets
//! (a packet is a byte of text at least, however it is written), and links as if each took
//! [`LINK`] bytes, about what is made of one. The environment variable [`VARIABLE`] sets it.

use airtcp_units::Bytes;

use crate::error::TraceError;

/// The environment variable that sets the limit.
pub const VARIABLE: &str = "AIRTCP_INPUT_LIMIT";

/// The limit where the variable is not set.
pub const DEFAULT: u64 = 1_000_000_000;

/// Bytes that count for one link.
pub const LINK: u64 = 10_000;

/// Share of the limit that one gap in sequence numbers may take.
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

/// Links that a limit lets in.
pub(super) const fn links(limit: u64) -> u64 {
    if limit < LINK { 1 } else { limit / LINK }
}

/// Packets that one gap may hold.
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
