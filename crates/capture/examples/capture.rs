//! Prints the report of captures as JSON: `cargo run --example capture -- FILE...`.

use std::io::{BufWriter, Write as _, stdout};
use std::ops::ControlFlow;
use std::path::PathBuf;

use airtcp_capture::tcp::TrackerLimits;
use airtcp_capture::{analyse, json_text};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let report = analyse(&paths, TrackerLimits::default(), |_, _| ControlFlow::Continue(()))?;
    let mut out = BufWriter::new(stdout().lock());
    json_text::write(&report, None, &mut |piece| out.write_all(piece.as_bytes()).is_ok())?;
    writeln!(out)?;
    Ok(out.flush()?)
}
