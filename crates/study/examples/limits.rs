//! Prints what limits the flows of scenarios, one line a limit:
//!
//! `cargo run --release -p airtcp-study --example limits -- scenarios/*.toml`

#![allow(clippy::print_stdout, reason = "the list is the output")]

use std::path::Path;

use airtcp_scenario::Source;
use airtcp_study::{Explanation, Traces, Why, explain, read_capacities};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for file in std::env::args().skip(1) {
        let path = Path::new(&file);
        let folder = path.parent().unwrap_or(Path::new(""));
        let text = std::fs::read_to_string(path)?;
        let source = Source::new(&text, &file)?;
        let mut scenario = source.scenario(&[])?;
        scenario.read_files(folder)?;
        read_capacities(&mut scenario, folder)?;
        let plan = scenario.resolve()?;
        let traces = Traces::new(folder, std::collections::BTreeMap::new());
        let run = airtcp_sim::run(&plan, &|name| traces.load(name), None, |_, _| true)?;
        let found = explain(&source, &[], &traces, Why::Auto, &run, None, |_, _| true)?;
        println!(
            "== {} {:?} {} variants",
            path.file_stem().unwrap_or_default().display(),
            found.why.verdict,
            found.why.variants
        );
        print(&found);
    }
    Ok(())
}

fn print(found: &Explanation) {
    for limit in &found.limits {
        println!(
            "   {:?} or {:?} with {:?} after {:?} | {} | {:?} {} | {:.3} -> {:.3} x{:.2} ({:.2} {:.2}) | {}",
            limit.cause,
            limit.or,
            limit.with,
            limit.after,
            limit.place,
            limit.of,
            limit.flows.len(),
            limit.goodput_bps / 1e6,
            limit.without_bps / 1e6,
            limit.ratio.unwrap_or(f64::INFINITY),
            limit.low.unwrap_or(f64::NAN),
            limit.high.unwrap_or(f64::NAN),
            limit.change.join(" ")
        );
    }
    for one in &found.why.undecided {
        println!(
            "   ? {:?} {} x{:?} ({:?} {:?})",
            one.cause, one.place, one.ratio, one.low, one.high
        );
    }
    for one in &found.why.slow_flows {
        println!(
            "   slow {} {:.3} of {:.3}: {:?} {} -> {:?}; alone {:?} near {:?}",
            one.flow,
            one.goodput_bps / 1e6,
            one.median_bps / 1e6,
            one.short_of,
            one.place,
            one.without_bps,
            one.alone_bps,
            one.near_bps
        );
    }
    for one in &found.why.refused {
        println!("   refused {one}");
    }
}
