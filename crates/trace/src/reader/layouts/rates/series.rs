//! The rates of a link in a table of more columns: a column of rates, or of the bytes that the link
//! delivered from each row's time to the next.

use std::path::Path;
use std::sync::Arc;

use airtcp_units::{Capacity, Span};

use super::super::stamps::Stamp;
use super::steps::Steps;
use crate::error::{TraceError, excerpt};

/// Fewest steps other than 0 of which a rising column may be a running total: if all rise, and if some
/// fall, as at a restart. Bytes per interval fall about as often as they rise.
const STEADY: u64 = 7;
const STEPS: u64 = 10;

/// The rates of one link.
pub(in crate::reader::layouts) struct Series {
    steps: Steps,
    /// The last row's time and bytes, which last until the next row.
    open: Option<(Span, f64)>,
    rises: u64,
    falls: u64,
}

impl Series {
    pub(in crate::reader::layouts) const fn new(unit: Span) -> Self {
        Self { steps: Steps::new(unit), open: None, rises: 0, falls: 0 }
    }

    /// Takes a row: a rate with the bits per second of a rate of 1, or bytes. The error says what was
    /// found and is expected.
    pub(in crate::reader::layouts) fn row(
        &mut self,
        scale: Option<f64>,
        time: &str,
        cell: &str,
    ) -> Result<(), String> {
        self.take(scale, time, cell).map_err(|expected| {
            format!(
                "found {} at {}; expected {expected}: say which values rows without a rate hold (--unsent-value blank), \
                 or what tells several links apart (--link-column NAME)",
                excerpt(cell),
                excerpt(time)
            )
        })
    }

    fn take(&mut self, scale: Option<f64>, time: &str, cell: &str) -> Result<(), &'static str> {
        let value: f64 = cell.parse().map_err(|_| "a time and a number")?;
        let at = self.steps.at(Stamp::of(time).ok_or("a time and a number")?)?;
        if let Some(scale) = scale {
            return self.steps.push(at, value * scale);
        }
        match self.open.replace((at, value)) {
            Some((before, _)) if at <= before => Err("a time after the row before's"),
            Some((before, bytes)) => {
                self.rises += u64::from(value > bytes);
                self.falls += u64::from(value < bytes);
                self.steps.push(before, rate(bytes, at - before))
            }
            None => Ok(()),
        }
    }

    /// The capacity; the inner error is the problem of the column.
    pub(in crate::reader::layouts) fn capacity(
        mut self,
        path: &Path,
    ) -> Result<Result<Arc<Capacity>, &'static str>, TraceError> {
        let steps = self.rises + self.falls;
        let total = steps >= STEPS && 10 * self.rises >= 9 * steps;
        if total || (steps >= STEADY && self.falls == 0) {
            return Ok(Err(
                "rises in nearly every row, as a running total of bytes does: give the \
                            differences; if each row is the bytes of one second, give it as --rate-column \
                            with --rate-unit B/s",
            ));
        }
        if let (Some((at, bytes)), Some(last)) = (self.open, self.steps.last())
            && let Err(expected) = self.steps.push(at, rate(bytes, at - last))
        {
            return Ok(Err(expected));
        }
        self.steps.capacity(path).map(|capacity| Ok(Arc::new(capacity)))
    }
}

/// Bits per second of bytes in a time.
fn rate(bytes: f64, span: Span) -> f64 {
    8.0 * bytes / span.as_secs_f64()
}
