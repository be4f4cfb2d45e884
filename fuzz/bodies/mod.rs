//! What the fuzz targets do with an input: one function each, from bytes. libFuzzer's targets under
//! `fuzz_targets/` call them, and so does the ordinary test `crates/testkit/tests/fuzz.rs`, which needs no
//! nightly toolchain.

pub(crate) mod air;
pub(crate) mod answers;
pub(crate) mod capture;
mod input;
#[cfg(target_os = "linux")]
pub(crate) mod live;
pub(crate) mod scenario;
pub(crate) mod schemes;
pub(crate) mod segments;
pub(crate) mod sliding;
pub(crate) mod tcp;
pub(crate) mod wire;

use std::path::Path;

use airtcp_trace::reader::ColumnKind;
use airtcp_trace::{ReadOptions, read_links_from};

/// Packets, and bytes of text, that an input may expand to.
const LIMIT: u64 = 1 << 22;

/// Any bytes as a delivery trace, in any layout and compression: an error or links, never a panic, and
/// never more than the options allow.
pub(crate) fn trace(bytes: &[u8]) {
    let options = ReadOptions {
        max_packets: LIMIT,
        max_bytes: LIMIT,
        max_links: 1000,
        max_gap: LIMIT / 4,
        ..ReadOptions::default()
    };
    // The same with options of tables, which the first column answers.
    let said = |text: &str| Some(text.to_owned());
    let table = ReadOptions {
        column: said("1"),
        kind: Some(ColumnKind::Arrival),
        lost_value: said("-1,blank"),
        unsent_value: said("0"),
        link_column: said("2"),
        ..options.clone()
    };
    let rates = ReadOptions { rate_column: said("2"), rate_unit: said("Mb/s"), ..options.clone() };
    for options in [options, table, rates] {
        within_limits(bytes, &options);
    }
}

/// Reads a trace, which stays within the options.
fn within_limits(bytes: &[u8], options: &ReadOptions) {
    if let Ok(links) = read_links_from(Path::new("fuzz"), bytes, options) {
        assert!(links.len() <= 1000);
        let packets: usize = links.iter().map(|link| link.outcomes.len()).sum();
        // A gap is counted after it is taken.
        assert!(packets as u64 <= LIMIT + LIMIT / 4 + 1);
        for link in links {
            assert!(link.outcomes.received() <= link.outcomes.len());
            assert!(link.capacity.is_some() || !link.outcomes.is_empty() || packets > 0);
        }
    }
}
