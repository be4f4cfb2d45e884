//! Any text as a scenario: an error or a plan, never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(scenario) = airtcp_scenario::read(text, "fuzz", &[]) {
        let _ = scenario.resolve();
    }
});
