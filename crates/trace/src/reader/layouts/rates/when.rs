//! The unit of the times of a bandwidth series: as in tables of packets, from the user's option,
//! the name of the column, or the size of numbers that count from 1970; seconds otherwise.

use airtcp_units::Span;

use super::super::super::head::Head;
use super::super::delimiter::Delimiter;
use super::super::names::unit_of;
use super::super::stamps::{Stamp, contradiction, since_1970};
use crate::error::{TraceError, excerpt};
use crate::reader::ReadOptions;

/// Rows examined.
const ROWS: usize = 200;

/// The unit of the times, and the note on it.
pub(super) fn unit(
    head: &Head<'_>,
    options: &ReadOptions,
    header: &[String],
    named: bool,
) -> Result<(Span, String), TraceError> {
    if let Some(unit) = options.time_unit {
        return Ok((unit, format!("times are taken in units of {unit}, as was said")));
    }
    let rows = head.content().skip(usize::from(named)).take(ROWS);
    let stamps: Vec<Stamp> =
        rows.filter_map(|(_, line)| Stamp::of(Delimiter::cells(line).first()?)).collect();
    let second = Span::from_secs(1);
    let name = header.first().filter(|_| named).map_or("", String::as_str);
    let by_name = unit_of(name)
        .or_else(|| name.to_lowercase().ends_with("ms").then_some(Span::from_millis(1)));
    let by_size = since_1970(&stamps);
    if let Some(unit) = by_name {
        let Some(looks) = contradiction(&stamps, unit).filter(|_| numbers(&stamps)) else {
            return Ok((
                unit,
                format!("times are taken in units of {unit}, by their column's name"),
            ));
        };
        return Err(TraceError::NotATrace {
            path: head.path.display().to_string(),
            what: format!(
                "a table of rates whose column {} would hold {looks} in the unit of its name",
                excerpt(name)
            ),
            hint: "Say what its times are counted in (--time-unit \"1 ms\").".to_owned(),
        });
    }
    Ok(match by_size {
        _ if !numbers(&stamps) => (second, "times are taken as dates or times of day".to_owned()),
        Some((unit, told)) => (unit, format!("times are taken as {told}")),
        None => (second, "times are taken for seconds; --time-unit says otherwise".to_owned()),
    })
}

/// True unless the first is a date or a time of day.
fn numbers(stamps: &[Stamp]) -> bool {
    stamps.first().is_none_or(|stamp| matches!(stamp, Stamp::Number(_)))
}
