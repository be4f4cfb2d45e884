//! libFuzzer's target for the channels of a tunnel: a stream from a peer that has proved its key, and may send anything.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| airtcp_tunnel::fuzz(bytes));
