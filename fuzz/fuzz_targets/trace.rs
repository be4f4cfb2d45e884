//! Any bytes as a delivery trace, in any layout and compression: an error or links, never a
//! panic, and never more memory than the options allow.
#![no_main]

use airtcp_trace::{ReadOptions, read_links_from};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(links) = read_links_from("fuzz", bytes, &ReadOptions::default()) {
        for link in links {
            assert!(link.outcomes.received() <= link.outcomes.len());
        }
    }
});
