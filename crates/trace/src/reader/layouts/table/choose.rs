//! The columns to read: by the options, else by their documented names.

use airtcp_units::Span;

use super::super::rates;
use super::super::stamps::{Stamp, contradiction, unit_by_form};
use super::ask::Columns;
use super::cells::is_number;
use super::plan::Content;
use super::roles::{MODULATIONS, Role, SURVEYS, has, is_moment, is_rate, unit_of};
use crate::error::{TraceError, excerpt};
use crate::reader::{ColumnKind, ReadOptions};

/// The columns that tell links apart: those that the user named, with commas between, else those of
/// documented names.
pub(super) fn links(
    columns: &Columns,
    value: usize,
    options: &ReadOptions,
) -> Result<Vec<usize>, TraceError> {
    let Some(wanted) = &options.link_column else {
        return Ok(columns.which(|i| i != value && columns.role(i) == Some(Role::Link)));
    };
    let one = columns.chosen("--link-column", wanted).map(|column| vec![column]);
    let several = || wanted.split(',').map(|name| columns.chosen("--link-column", name)).collect();
    if wanted.contains(',') { one.or_else(|_| several()) } else { one }
}

/// The column of values that options say.
pub(super) fn chosen(
    columns: &Columns,
    options: &ReadOptions,
) -> Result<Option<(usize, Content)>, TraceError> {
    let said = [
        ("--column", &options.column),
        ("--rate-column", &options.rate_column),
        ("--bytes-column", &options.bytes_column),
    ];
    let said = said.into_iter().filter_map(|(option, wanted)| Some((option, wanted.as_ref()?)));
    let (option, column) = match (said.collect::<Vec<_>>().as_slice(), options.kind) {
        ([], None) => return Ok(None),
        ([], Some(kind)) => {
            let alone = (columns.names.len() == 1).then_some(0);
            let fits = columns.of_role(Role::Packets(kind)).first().copied().or(alone);
            let which =
                || format!("say which column --kind {} is about, with --column", kind.word());
            let column = fits.ok_or_else(|| columns.question(&which()))?;
            ("--column", columns.single(column, "--column")?)
        }
        ([(option, wanted)], kind) if kind.is_none() || *option == "--column" => {
            (*option, columns.chosen(option, wanted)?)
        }
        _ => {
            let problem =
                "give only one of --column (with --kind), --rate-column and --bytes-column";
            return Err(columns.question(problem));
        }
    };
    let content = match (option, options.kind.or_else(|| columns.kind(column))) {
        ("--rate-column", _) => {
            let name = columns.header.then(|| columns.names[column].as_str());
            Content::Rate(rates::scale(name, options, &columns.path)?)
        }
        ("--bytes-column", _) => Content::Bytes,
        (_, Some(kind)) => Content::Packets(kind),
        (_, None) => {
            let name = columns.name(column);
            return Err(columns.question(&format!("say what column {name} holds, with --kind")));
        }
    };
    Ok(Some((column, content)))
}

/// The column of values by documented names: what became of the packets, else their numbers, else a
/// rate.
pub(super) fn named(columns: &Columns) -> Result<(usize, Content), TraceError> {
    let first = |kind| Some((*columns.of_role(Role::Packets(kind)).first()?, kind));
    let kinds = [ColumnKind::Received, ColumnKind::Lost, ColumnKind::Arrival, ColumnKind::Sequence];
    let Some((value, kind)) = kinds.into_iter().find_map(first) else {
        return rate_named(columns).map_err(|problem| columns.question(&problem));
    };
    let of = |is: fn(&str) -> bool| {
        columns.which(|i| columns.header && is(&columns.names[i]) && columns.different(i) > 1)
    };
    if let Some(other) = [of(is_rate), of(|name| has(name, SURVEYS))].concat().first() {
        return Err(columns.question(&format!(
            "column {} may stand for packets, while column {} is of a log of measurements, whose rows are moments: \
             choose what to read, or, if each row is a packet, give --column {} --kind {}",
            columns.name(value),
            columns.name(*other),
            columns.argument(value),
            kind.word()
        )));
    }
    columns.single(value, "--column")?;
    let numbers = columns.of_role(Role::Packets(ColumnKind::Sequence));
    if numbers.iter().any(|i| columns.cells(*i).ne(columns.cells(numbers[0]))) {
        columns.single(numbers[0], "--column")?;
        let both = columns.shown(&numbers);
        let problem = format!("columns {both} both number packets: choose what to read");
        return Err(columns.question(&problem));
    }
    Ok((value, Content::Packets(kind)))
}

/// The only column of rates or bytes with a documented name, or the question.
fn rate_named(columns: &Columns) -> Result<(usize, Content), String> {
    let bytes = |i: usize| columns.role(i) == Some(Role::Bytes);
    let rate = |i: usize| columns.header && is_rate(&columns.names[i]) && columns.all(i, is_number);
    Err(match (columns.which(|i| bytes(i) || rate(i)).as_slice(), columns.names.len()) {
        (&[column], _) if bytes(column) => return Ok((column, Content::Bytes)),
        (&[column], _) => match rates::unit_of(&columns.names[column]) {
            Some(_) if has(&columns.names[column], MODULATIONS) => format!(
                "column {} may be the rate of the modulation: if it is the capacity of the link, give --rate-column",
                columns.name(column)
            ),
            Some(scale) => return Ok((column, Content::Rate(scale))),
            None => format!(
                "the unit of the rates in column {} is not known: give --rate-column and --rate-unit \"Mb/s\" (or \
                 \"B/s\", ...)",
                columns.name(column)
            ),
        },
        ([], _) if columns.header => "no column has a documented name of outcomes (received, delivered, lost), of \
             receive times or delays (recv_time_s, rtt_ms), of received sequence numbers (seq), or of rates (rx_kbps): \
             say what the columns hold"
            .to_owned(),
        ([], count) => {
            let or = match count {
                1 => ", or for a trace of mahimahi give --layout mahimahi",
                2 => ", or if they are times and rates (a log of throughput) the unit of the rates (--rate-unit \
                      \"Mb/s\" or \"B/s\", ...)",
                _ => "",
            };
            format!("the columns have no names in a first row: say what they hold{or}")
        }
        (several, _) => {
            format!("columns {} hold rates: choose the one that is the capacity of the link", columns.shown(several))
        }
    })
}

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
pub(super) fn times(
    columns: &Columns,
    value: usize,
    options: &ReadOptions,
) -> Result<Option<Time>, TraceError> {
    let named = |role: Role| columns.which(|i| i != value && columns.role(i) == Some(role));
    let received = |i| columns.kind(i) == Some(ColumnKind::Arrival) && is_moment(&columns.names[i]);
    let all = [named(Role::Sent), named(Role::Time), columns.which(received)].concat();
    let column = match (&options.time_column, all.first()) {
        (Some(wanted), _) => columns.chosen("--time-column", wanted)?,
        (None, Some(&column)) => columns.single(column, "--time-column")?,
        (None, None) => return Ok(None),
    };
    let name = columns.name(column);
    let stamps: Vec<Stamp> = columns.cells(column).filter_map(Stamp::of).collect();
    if let (true, Some(first)) = (stamps.is_empty(), columns.cells(column).next()) {
        return Err(columns.question(&format!(
            "the times in column {name} are not in a form that is read (the first is {}): write seconds, \
             2024-05-28T12:00:00.005 or 12:00:00.005, or give another --time-column",
            excerpt(first)
        )));
    }
    let numbers = stamps.iter().any(|stamp| stamp.is_number());
    let by_name = unit_of(&columns.names[column]).filter(|_| columns.header && numbers);
    let (unit, told) = match (options.time_unit.or(by_name), unit_by_form(&stamps)) {
        (Some(unit), _) if options.time_unit.is_some() => {
            (Some(unit), format!("times in units of {unit}, as was said"))
        }
        (Some(unit), _) => {
            if let Some(looks) = contradiction(&stamps, unit) {
                return Err(columns.question(&format!(
                    "column {name} would hold {looks}, not times in units of {unit} as its name says: give the \
                     option --time-unit"
                )));
            }
            (Some(unit), format!("times in units of {unit}"))
        }
        (None, Some((unit, told))) => {
            (Some(unit), format!("{}{told}", if numbers { "times in " } else { "" }))
        }
        (None, None) => {
            let told = "times with no unit in the name (time_s, time_ms, time_us): give the option --time-unit for \
                        the interval";
            (None, told.to_owned())
        }
    };
    Ok(Some(Time { column, unit, told }))
}
