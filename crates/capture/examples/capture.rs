//! Prints the report of captures as JSON: `cargo run --example capture -- FILE...`.

use std::ops::ControlFlow;
use std::path::PathBuf;

use airtcp_capture::analyse;
use airtcp_capture::tcp::TrackerLimits;

#[allow(clippy::print_stdout, reason = "an example prints its result")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let report = analyse(&paths, TrackerLimits::default(), |_, _| ControlFlow::Continue(()))?;
    println!("{}", serde_json::to_string(&report)?);
    Ok(())
}
