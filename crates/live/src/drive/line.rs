//! One line on a terminal that says once a second what passes.
//!
//! It stands on standard error, with the cursor before it, so that what COMMAND writes to the same terminal takes its place.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::atomic::Ordering;

use super::failure::LINE;
use super::series::Row;

/// Time between two lines, ns.
const EVERY: i64 = 1_000_000_000;
/// Columns that every terminal has.
const WIDE: usize = 79;

/// The line.
pub(super) struct Line {
    ports: Vec<String>,
    next: i64,
}

impl Line {
    /// A line on standard error; none if that is no terminal.
    pub(super) fn open(ports: Vec<String>) -> Option<Self> {
        io::stderr().is_terminal().then_some(Self { ports, next: EVERY })
    }

    /// Writes it again at `now`, ns after the start, if a second has passed.
    pub(super) fn turn(
        &mut self,
        now: i64,
        row: impl FnOnce() -> Option<Row>,
        p99_s: impl FnOnce() -> f64,
    ) {
        if now < self.next {
            return;
        }
        self.next = now + EVERY - now % EVERY;
        if let Some(row) = row() {
            let text = text(&self.ports, &row, p99_s());
            LINE.store(true, Ordering::Relaxed);
            let mut out = io::stderr().lock();
            let _ = write!(out, "\r\x1b[K{text}\r").and_then(|()| out.flush());
        }
    }
}

/// What passed in the last second, and how late 99 % of all frames were at most.
fn text(ports: &[String], row: &Row, p99_s: f64) -> String {
    let ports = ports.iter().zip(&row.rate_bps);
    let rates: Vec<String> =
        ports.map(|(port, rate)| format!("to {port} {:.2}", rate * 1e-6)).collect();
    let Row { t_s, waiting, dropped, .. } = row;
    let (rates, late) = (rates.join(", "), p99_s * 1e3);
    let mut text =
        format!("{t_s:.0} s: {rates} Mb/s, queue {waiting}, dropped {dropped}, late {late:.2} ms");
    for share in &row.airtime_share {
        let _ = write!(text, ", air {:.0} %", share * 100.0);
    }
    text.chars().filter(|c| !c.is_control()).take(WIDE).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_of_a_terminal() {
        let row = Row {
            t_s: 12.003,
            duration_s: 1.0,
            rate_bps: vec![5e4, 8.9e6],
            dropped: 3,
            waiting: 17,
            late_max_s: 1e-3,
            airtime_share: vec![0.43],
        };
        let ports = ["ap".to_owned(), "con\u{1b}sole".to_owned()];
        assert_eq!(
            text(&ports, &row, 0.000_26),
            "12 s: to ap 0.05, to console 8.90 Mb/s, queue 17, dropped 3, late 0.26 ms, air 43 %"
                .get(..WIDE)
                .unwrap()
        );
        let many = vec!["a".repeat(50), "b".repeat(50)];
        assert_eq!(text(&many, &row, 0.0).len(), WIDE);
    }
}
