//! The column of values: by the options, else by its documented name.

use super::super::rates;
use super::ask::Columns;
use super::plan::Content;
use super::roles::{MODULATIONS, Role, SURVEYS, has, is_rate};
use super::words::is_number;
use crate::error::{TraceError, excerpt};
use crate::reader::{ColumnKind, ReadOptions};

/// The columns that the user said tell links apart: one name, or several with commas between.
pub(super) fn link_columns(columns: &Columns, wanted: &str) -> Result<Vec<usize>, TraceError> {
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
    let said: Vec<(&str, &String)> = said.collect();
    let (option, column) = match (said.as_slice(), options.kind) {
        ([], None) => return Ok(None),
        ([], Some(kind)) => {
            let fits = columns.which(|i| columns.kind(i) == Some(kind));
            let alone = (columns.names.len() == 1).then_some(0);
            let Some(column) = fits.first().copied().or(alone) else {
                let problem =
                    format!("say which column --kind {} is about, with --column", kind.word());
                return Err(columns.question(&problem));
            };
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
    let name = columns.header.then(|| columns.names[column].as_str());
    let content = match (option, options.kind.or_else(|| columns.kind(column))) {
        ("--rate-column", _) => Content::Rate(rates::scale(name, options, &columns.path)?),
        ("--bytes-column", _) => Content::Bytes,
        (_, Some(kind)) => Content::Packets(kind),
        (_, None) => {
            let name = excerpt(&columns.names[column]);
            return Err(columns.question(&format!("say what column {name} holds, with --kind")));
        }
    };
    Ok(Some((column, content)))
}

/// The column of values by documented names: what became of the packets, else their numbers, else a
/// rate.
pub(super) fn named(columns: &Columns) -> Result<(usize, Content), TraceError> {
    let of = |kind: ColumnKind| columns.which(|i| columns.kind(i) == Some(kind));
    let numbers = of(ColumnKind::Sequence);
    let kinds = [ColumnKind::Received, ColumnKind::Lost, ColumnKind::Arrival, ColumnKind::Sequence];
    if let Some((value, kind)) = kinds.iter().find_map(|kind| Some((*of(*kind).first()?, *kind))) {
        let of = |is: fn(&str) -> bool| {
            columns.which(|i| columns.header && is(&columns.names[i]) && columns.different(i) > 1)
        };
        if let Some(other) = [of(is_rate), of(|name| has(name, SURVEYS))].concat().first() {
            return Err(columns.question(&format!(
                "column {} may stand for packets, while column {} is of a log of measurements, whose rows are \
                 moments: choose what to read, or, if each row is a packet, give --column {} --kind {}",
                excerpt(&columns.names[value]),
                excerpt(&columns.names[*other]),
                columns.argument(value),
                kind.word()
            )));
        }
        columns.single(value, "--column")?;
        if numbers.iter().any(|i| columns.cells(*i).ne(columns.cells(numbers[0]))) {
            columns.single(numbers[0], "--column")?;
            let problem = format!(
                "columns {} both number packets: choose what to read",
                columns.shown(&numbers)
            );
            return Err(columns.question(&problem));
        }
        return Ok((value, Content::Packets(kind)));
    }
    rate_named(columns)
}

/// The only column of rates or bytes with a documented name.
fn rate_named(columns: &Columns) -> Result<(usize, Content), TraceError> {
    let bytes = |i: usize| columns.role(i) == Some(Role::Bytes);
    let rate = |i: usize| columns.header && is_rate(&columns.names[i]) && columns.all(i, is_number);
    let problem = match columns.which(|i| bytes(i) || rate(i)).as_slice() {
        &[column] if bytes(column) => return Ok((column, Content::Bytes)),
        &[column] => match rates::unit_of(&columns.names[column]) {
            Some(_) if has(&columns.names[column], MODULATIONS) => format!(
                "column {} may be the rate of the modulation: if it is the capacity of the link, give --rate-column",
                excerpt(&columns.names[column])
            ),
            Some(scale) => return Ok((column, Content::Rate(scale))),
            None => format!(
                "the unit of the rates in column {} is not known: give --rate-column and --rate-unit \"Mb/s\" (or \
                 \"B/s\", ...)",
                excerpt(&columns.names[column])
            ),
        },
        [] if columns.header => "no column has a documented name of outcomes (received, delivered, lost), of receive \
             times or delays (recv_time_s, rtt_ms), of received sequence numbers (seq), or of rates (rx_kbps): say \
             what the columns hold"
            .to_owned(),
        [] => {
            let or = match columns.names.len() {
                1 => ", or for a trace of mahimahi give --layout mahimahi",
                2 => ", or if they are times and rates (a log of throughput) the unit of the rates (--rate-unit \
                      \"Mb/s\" or \"B/s\", ...)",
                _ => "",
            };
            format!("the columns have no names in a first row: say what they hold{or}")
        }
        several => {
            format!("columns {} hold rates: choose the one that is the capacity of the link", columns.shown(several))
        }
    };
    Err(columns.question(&problem))
}
