//! libFuzzer's target for `bodies::scenario::scenario`.
#![no_main]

#[path = "../bodies/mod.rs"]
#[allow(dead_code, reason = "each target calls one of them")]
mod bodies;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bodies::scenario::scenario(bytes));
