//! The text output of iperf3 and iperf2.

use std::collections::BTreeMap;

use super::super::super::lines::Lines;
use super::counts::{Count, Counts, POSSIBLE};
use crate::error::{TraceError, excerpt};

/// What was found, and what is accepted.
type Wrong = (String, &'static str);

pub(super) fn of_text(lines: &mut Lines<'_>) -> Result<Counts, TraceError> {
    let mut text = Text::default();
    while let Some(line) = lines.next()? {
        if let Err((found, expected)) = text.line(line) {
            return Err(lines.malformed(found, expected));
        }
    }
    Ok(text.counts())
}

/// The state of reading a text log.
#[derive(Default)]
pub(super) struct Text {
    counts: Counts,
    test: u32,
    /// The end of the last interval of each stream: a row that begins before it is a total. The
    /// line of dashes does not mark totals, because with several streams each interval has such a
    /// line.
    ends: BTreeMap<String, f64>,
}

impl Text {
    pub(super) fn line(&mut self, line: &str) -> Result<(), Wrong> {
        if line.contains("local ") && line.contains(" connected ") {
            if !self.ends.is_empty() || self.test == 0 {
                self.test += 1;
                self.ends.clear();
            }
            return Ok(());
        }
        self.counts.omitted += u32::from(line.trim_end().ends_with("(omitted)"));
        let Some(row) = row(line)? else { return Ok(()) };
        let before = self.ends.get(&row.stream).is_some_and(|end| row.from < *end);
        if row.stream == "SUM" {
            return Ok(());
        }
        if row.total_of_test || before || row.to - row.from > 3600.0 {
            self.counts.totals += 1;
            return Ok(());
        }
        self.ends.insert(row.stream.clone(), row.to);
        let count = Count {
            from: row.from,
            seconds: row.to - row.from,
            lost: row.lost,
            total: row.total,
            bytes: row.bytes,
        };
        count.possible().map_err(|found| (found, POSSIBLE))?;
        self.counts.add(self.test, &row.stream, count);
        Ok(())
    }

    pub(super) fn counts(mut self) -> Counts {
        // A single row is the total of a test without intervals.
        self.counts.each.retain(|_, rows| rows.len() > 1);
        if self.counts.each.is_empty() && !self.ends.is_empty() {
            self.counts.totals += 1;
        }
        self.counts
    }
}

/// A row with lost and total datagrams.
struct Row {
    stream: String,
    /// True if "sender" or "receiver" follows.
    total_of_test: bool,
    from: f64,
    to: f64,
    lost: i64,
    total: u64,
    bytes: bool,
}

/// `[  5]   0.00-1.00   sec   119 KBytes   976 Kbits/sec  0.006 ms  3/125 (2.4%)`; iperf2 has
/// blanks in `0.0- 1.0 sec` and `3/  893`.
fn row(line: &str) -> Result<Option<Row>, Wrong> {
    let Some((stream, rest)) = line.split_once('[').and_then(|(_, rest)| rest.split_once(']'))
    else {
        return Ok(None);
    };
    // A test in both directions has "[  5][TX-C]".
    let rest =
        rest.strip_prefix('[').and_then(|role| Some(role.split_once(']')?.1)).unwrap_or(rest);
    let counts = rest.rsplit_once(" (").filter(|(_, percent)| percent.contains("%)"));
    let Some((span, counts)) = counts.and_then(|(counts, _)| counts.split_once(" sec")) else {
        return Ok(None);
    };
    // What was received comes first: "119 KBytes".
    let bytes = counts.split_whitespace().next().and_then(|bytes| bytes.parse::<f64>().ok());
    let bytes = bytes.is_some_and(|bytes| bytes > 0.0);
    let Some((lost, total)) = counts.rsplit_once('/') else { return Ok(None) };
    let lost = lost.split_whitespace().next_back().unwrap_or_default();
    let total = total.trim();
    let (Some((from, to)), Ok(lost), Ok(total)) =
        (times(span), lost.parse::<i64>(), total.parse::<u64>())
    else {
        return Err((
            excerpt(&format!("{lost}/{total}")),
            "an interval of a test and lost/total datagrams",
        ));
    };
    let behind = line.trim_end();
    Ok(Some(Row {
        stream: stream.trim().to_owned(),
        total_of_test: behind.ends_with("sender") || behind.ends_with("receiver"),
        from,
        to,
        lost,
        total,
        bytes,
    }))
}

/// `0.00-1.00`
fn times(span: &str) -> Option<(f64, f64)> {
    let (from, to) = span.split_once('-')?;
    let (from, to): (f64, f64) = (from.trim().parse().ok()?, to.trim().parse().ok()?);
    (from.is_finite() && to.is_finite()).then_some((from, to))
}
