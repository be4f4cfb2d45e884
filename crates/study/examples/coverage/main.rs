//! Measures how often the intervals that the project prints hold the truth, in every corner, and
//! writes `interval,corner,holds,draws,covered,width` as CSV to standard output. The width is the median of those
//! of the draws, as a share of the truth:
//!
//! `cargo run --release -p airtcp-study --example coverage -- 1000 > docs/figures/intervals.csv`
//!
//! The number is of draws of the cheapest corners; dear ones get fewer, at least 200. A second
//! argument takes only intervals whose name begins with it.

#![allow(clippy::print_stdout, reason = "the table is the output")]

mod corners;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let most: u64 = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(1000);
    let wanted = arguments.next().unwrap_or_default();
    println!("interval,corner,holds,draws,covered,width");
    for corner in corners::corners().iter().filter(|c| c.interval.starts_with(&wanted)) {
        let draws = (20 * most / u64::from(corner.cost)).clamp(most.min(200), most);
        let found: Vec<_> = (0..draws).filter_map(|seed| (corner.draw)(seed)).collect();
        let covered = found.iter().filter(|drawn| drawn.covers).count();
        let mut widths: Vec<f64> = found.iter().filter_map(|drawn| drawn.width).collect();
        widths.sort_by(f64::total_cmp);
        let width = widths.get(widths.len() / 2).map(|w| format!("{w:.3e}")).unwrap_or_default();
        let (name, holds) = (&corner.name, corner.holds);
        println!("{},\"{name}\",{holds},{},{covered},{width}", corner.interval, found.len());
    }
}
