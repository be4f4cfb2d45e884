//! libFuzzer's target for `bodies::sliding::sliding`.
#![no_main]

#[path = "../bodies/mod.rs"]
#[allow(dead_code, reason = "each target calls one of them")]
mod bodies;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bodies::sliding::sliding(bytes));
