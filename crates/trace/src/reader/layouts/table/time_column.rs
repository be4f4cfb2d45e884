//! The column of times, and its unit.

use airtcp_units::Span;

use super::super::stamps::{Stamp, contradiction, unit_by_form};
use super::ask::Columns;
use super::roles::{Role, is_moment, unit_of};
use crate::error::{TraceError, excerpt};
use crate::reader::{ColumnKind, ReadOptions};

/// The column of time stamps.
#[derive(Debug)]
pub(super) struct Time {
    pub(super) column: usize,
    /// `None` if it is not known.
    pub(super) unit: Option<Span>,
    /// What the times are, in words.
    pub(super) told: String,
}

/// The column of times of a table whose values are in `value`: the user's choice, else a column of a
/// documented name; send times come first, receive times last.
pub(super) fn time_column(
    columns: &Columns,
    value: usize,
    options: &ReadOptions,
) -> Result<Option<Time>, TraceError> {
    let named = |role: Role| columns.which(|i| i != value && columns.role(i) == Some(role));
    let received = |i| columns.kind(i) == Some(ColumnKind::Arrival) && is_moment(&columns.names[i]);
    let all = [named(Role::Sent), named(Role::Time), columns.which(received)].concat();
    let column = if let Some(wanted) = &options.time_column {
        columns.chosen("--time-column", wanted)?
    } else {
        let Some(&column) = all.first() else { return Ok(None) };
        columns.single(column, "--time-column")?
    };
    let name = excerpt(&columns.names[column]);
    let stamps: Vec<Stamp> = columns.cells(column).filter_map(Stamp::of).collect();
    if let (true, Some(first)) = (stamps.is_empty(), columns.cells(column).next()) {
        return Err(columns.question(&format!(
            "the times in column {name} are not in a form that is read (the first is {}): write seconds, \
             2024-05-28T12:00:00.005 or 12:00:00.005, or give another --time-column",
            excerpt(first)
        )));
    }
    let by_name = unit_of(&columns.names[column]).filter(|_| columns.header);
    let numbers = stamps.iter().any(|stamp| stamp.is_number());
    let (unit, told) = match (options.time_unit, by_name.filter(|_| numbers), unit_by_form(&stamps))
    {
        (Some(unit), ..) => (Some(unit), format!("times in units of {unit}, as was said")),
        (None, Some(unit), _) => {
            if let Some(looks) = contradiction(&stamps, unit) {
                return Err(columns.question(&format!(
                    "column {name} would hold {looks}, not times in units of {unit} as its name says: give the \
                     option --time-unit"
                )));
            }
            (Some(unit), format!("times in units of {unit}"))
        }
        (None, None, Some((unit, told))) => {
            (Some(unit), format!("{}{told}", if numbers { "times in " } else { "" }))
        }
        (None, None, None) => {
            let told = "times with no unit in the name (time_s, time_ms, time_us): give the option --time-unit for \
                        the interval";
            (None, told.to_owned())
        }
    };
    Ok(Some(Time { column, unit, told }))
}
