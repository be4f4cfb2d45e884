//! What passes over time, in bounded memory.
//!
//! A row has what happened since the row before. When there are [`MOST`] rows, pairs of them become one, and rows then come half as
//! often.

use airtcp_units::Span;
use serde::Serialize;

/// Rows that are kept; even.
const MOST: usize = 1_000;
/// Time of the first rows, ns.
const STEP: i64 = 100_000_000;

/// What a run has done so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Totals {
    /// Bytes that the model delivered, by port.
    pub bytes: Vec<u64>,
    /// Packets that it dropped.
    pub dropped: u64,
    /// Packets that wait now.
    pub waiting: u64,
    /// By cell, the time in which frames were on the air.
    pub on_air: Vec<Span>,
}

/// What happened in an interval.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Row {
    /// End of the interval, seconds after the start.
    pub t_s: f64,
    /// Its duration.
    pub duration_s: f64,
    /// Bits per second of delivered frames, by port.
    pub rate_bps: Vec<f64>,
    /// Packets dropped.
    pub dropped: u64,
    /// Packets that waited at its end.
    pub waiting: u64,
    /// The greatest lateness of a frame.
    pub late_max_s: f64,
    /// By cell, the share of the time in which frames were on the air.
    pub airtime_share: Vec<f64>,
}

/// Rows, the oldest first.
#[derive(Debug)]
pub(super) struct Series {
    rows: Vec<Row>,
    step: i64,
    next: i64,
    last: (i64, Totals),
    late: Span,
}

impl Series {
    pub(super) fn new() -> Self {
        let last = (0, Totals::default());
        Self { rows: Vec::new(), step: STEP, next: STEP, last, late: Span::ZERO }
    }

    /// A frame was written so late.
    pub(super) fn late(&mut self, lateness: Span) {
        self.late = self.late.max(lateness);
    }

    /// When the next row is due, ns after the start.
    pub(super) const fn next(&self) -> i64 {
        self.next
    }

    /// Adds a row at `now`, ns after the start.
    pub(super) fn add(&mut self, now: i64, totals: Totals) {
        let (since, before) = &self.last;
        let row = Row::between(*since, before, now, &totals, std::mem::take(&mut self.late));
        if let Some(row) = row {
            self.rows.push(row);
            self.last = (now, totals);
        }
        if self.rows.len() >= MOST {
            self.rows = self.rows.chunks(2).map(Row::joined).collect();
            self.step *= 2;
        }
        self.next = now + self.step - now % self.step;
    }

    /// All rows.
    pub(super) fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// What happened in about the last second; `None` before the first row.
    pub(super) fn last_second(&self) -> Option<Row> {
        let end = self.rows.last()?.t_s;
        let from = self.rows.partition_point(|row| row.t_s <= end - 0.95);
        Some(Row::joined(&self.rows[from..]))
    }
}

impl Row {
    /// `None` for an interval of no time.
    fn between(since: i64, before: &Totals, now: i64, totals: &Totals, late: Span) -> Option<Self> {
        let duration_s = (now - since) as f64 * 1e-9;
        if duration_s <= 0.0 {
            return None;
        }
        let old = |list: &[u64], n: usize| list.get(n).copied().unwrap_or_default();
        let bytes = totals.bytes.iter().enumerate();
        let air = totals.on_air.iter().enumerate();
        let then: Vec<u64> = before.on_air.iter().map(|span| span.0).collect();
        Some(Self {
            t_s: now as f64 * 1e-9,
            duration_s,
            rate_bps: bytes
                .map(|(n, bytes)| (bytes - old(&before.bytes, n)) as f64 * 8.0 / duration_s)
                .collect(),
            dropped: totals.dropped - before.dropped,
            waiting: totals.waiting,
            late_max_s: late.as_secs_f64(),
            airtime_share: air
                .map(|(n, span)| (span.0 - old(&then, n)) as f64 * 1e-9 / duration_s)
                .map(|share| share.min(1.0))
                .collect(),
        })
    }

    /// Consecutive rows as one; at least one is given.
    fn joined(rows: &[Self]) -> Self {
        let duration_s = rows.iter().map(|row| row.duration_s).sum::<f64>();
        let mean = |of: fn(&Self) -> &Vec<f64>| -> Vec<f64> {
            let columns = rows.iter().map(|row| of(row).len()).max().unwrap_or_default();
            let at = |row: &Self, n: usize| of(row).get(n).copied().unwrap_or_default();
            let sum = |n| rows.iter().map(|row| at(row, n) * row.duration_s).sum::<f64>();
            (0..columns).map(|n| sum(n) / duration_s).collect()
        };
        Self {
            t_s: rows.last().map_or(0.0, |row| row.t_s),
            duration_s,
            rate_bps: mean(|row| &row.rate_bps),
            dropped: rows.iter().map(|row| row.dropped).sum(),
            waiting: rows.last().map_or(0, |row| row.waiting),
            late_max_s: rows.iter().map(|row| row.late_max_s).fold(0.0, f64::max),
            airtime_share: mean(|row| &row.airtime_share),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn totals(n: u64) -> Totals {
        Totals {
            bytes: vec![1_000 * n, n],
            dropped: 2 * n,
            waiting: n,
            on_air: vec![Span(25_000_000 * n)],
        }
    }

    #[test]
    fn rows_are_bounded_and_lose_nothing() {
        let mut series = Series::new();
        for n in 1..5_000_u64 {
            let now = i64::try_from(n).unwrap() * STEP;
            if n == 7 {
                series.late(Span(3_000));
            }
            if now >= series.next() {
                series.add(now, totals(n));
            }
        }
        let rows = series.rows();
        assert!((MOST / 2..MOST).contains(&rows.len()), "{}", rows.len());
        let bits: f64 = rows.iter().map(|row| row.rate_bps[0] * row.duration_s).sum();
        let last = series.last.1.bytes[0];
        assert!((bits - last as f64 * 8.0).abs() < 1.0, "{bits} {last}");
        assert_eq!(rows.iter().map(|row| row.dropped).sum::<u64>(), 2 * last / 1_000);
        assert!((rows[0].late_max_s - 3e-6).abs() < 1e-12 && rows[1].late_max_s < 1e-12);
        assert!(rows.iter().all(|row| (row.airtime_share[0] - 0.25).abs() < 1e-6));
        assert!(rows.is_sorted_by(|a, b| a.t_s < b.t_s));
    }

    #[test]
    fn the_last_second() {
        let mut series = Series::new();
        assert_eq!(series.last_second(), None);
        for n in 1..40 {
            series.add(i64::try_from(n).unwrap() * STEP, totals(n));
        }
        // No time has passed: no row.
        series.add(39 * STEP, totals(39));
        let second = series.last_second().unwrap();
        assert!((second.duration_s - 1.0).abs() < 1e-9, "{second:?}");
        assert!((second.rate_bps[0] - 80_000.0).abs() < 1e-3);
        assert_eq!((second.dropped, second.waiting, series.rows().len()), (20, 39, 39));
    }
}
