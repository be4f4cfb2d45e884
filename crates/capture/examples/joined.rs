//! Prints the report of captures of the air and of hosts as JSON: `cargo run --example joined -- FILE...`.

use std::ops::ControlFlow;
use std::path::PathBuf;

use airtcp_capture::tcp::TrackerLimits;
use airtcp_capture::{Wanted, examine, points};

#[allow(clippy::print_stdout, reason = "an example prints its result")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let wanted = Wanted { packets: true, traces: true };
    let limits = TrackerLimits::default();
    let found = examine(&points(&paths)?, wanted, limits, |_, _| ControlFlow::Continue(()))?;
    println!("{}", serde_json::to_string(&found.report)?);
    Ok(())
}
