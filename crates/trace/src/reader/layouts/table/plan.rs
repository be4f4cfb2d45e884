//! How to read the rows of a table: what each column holds, by the options, else by its documented
//! name. Values are used to refuse, never to choose.

use airtcp_units::Span;

use super::super::super::head::Head;
use super::super::accepted::accepted;
use super::super::names::{has, unit_of};
use super::super::rates;
use super::super::stamps::{Stamp, contradiction, unit_by_form};
use super::ask::{Asked, Columns};
use super::words::{Role, SURVEYS, counter, is_number, is_rate};
use crate::error::{TraceError, excerpt};
use crate::reader::ColumnKind::{self, Arrival, Lost, Received, Sequence};
use crate::reader::ReadOptions;

const UNNAMED: &str = "the columns have no names in a first row: say what they hold";
/// Times whose unit is neither given nor shown.
const UNKNOWN: &str = "times with no unit in the name (time_s, time_ms, time_us): give the option --time-unit for \
                       the interval";
/// Most unused columns named in a note.
const NAMED: usize = 6;

/// What the column of values holds.
#[derive(Debug, Clone, Copy)]
pub(super) enum Content {
    Packets(ColumnKind),
    /// Rates, with the bits per second of a rate of 1, or bytes from each row's time to the next.
    Rate(Option<f64>),
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

/// How to read the rows.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) columns: Columns,
    pub(super) options: ReadOptions,
    pub(super) value: usize,
    pub(super) content: Content,
    /// True if the user chose the column or its kind.
    pub(super) asked: bool,
    /// Sequence numbers, and where they wrap if the column's name shows it.
    pub(super) sequence: Option<usize>,
    pub(super) counter: Option<u64>,
    pub(super) time: Option<Time>,
    /// The columns that tell links apart.
    pub(super) keys: Vec<usize>,
    /// The packets in all and before the first one received, from a comment of our own writer.
    pub(super) total: Option<(u64, u64)>,
}

impl Plan {
    pub(super) fn of(head: &Head<'_>, options: &ReadOptions) -> Asked<Self> {
        let columns = Columns::of(head)?;
        let directive = |key| head.directive(key).and_then(|text| text.parse().ok());
        let total = directive("packets").map(|all| (all, directive("lead").unwrap_or(0)));
        let given = options.of_tables().next().is_some() || options.kind.is_some();
        let known = !columns.which(|i| columns.role(i).is_some()).is_empty();
        if columns.rows.is_empty() && known && !head.more() && total.is_none() {
            let path = head.path.display().to_string();
            return Err(TraceError::Empty { path, found: "the file holds a header and no rows" });
        }
        if !known && !given && !columns.may_be_values() {
            return Err(head.unrecognised(accepted()));
        }
        let chosen = chosen(&columns, options)?;
        let asked = chosen.is_some();
        let (value, content) = chosen.map_or_else(|| named(&columns), Ok)?;
        let time = times(&columns, value, options)?;
        if matches!(content, Content::Rate(_)) && time.as_ref().is_none_or(|t| t.unit.is_none()) {
            return columns.ask(
                "rates and bytes need the times of the rows: give --time-column and --time-unit, or name the \
                 column time_s",
            );
        }
        let keys = links(&columns, value, options)?;
        let sequence = match content {
            Content::Packets(Sequence) => Some(value),
            // Outcomes that the user chose are those of the rows.
            Content::Packets(kind) if !asked || kind == Arrival => {
                let numbers = columns.of_role(Role::Packets(Sequence));
                let other = numbers.first().filter(|first| **first != value);
                other.map(|other| columns.single(*other, "--column")).transpose()?;
                numbers.first().copied()
            }
            _ => None,
        };
        let counter = sequence.and_then(|sequence| counter(&columns.names[sequence]));
        let options = options.clone();
        Ok(Self { columns, options, value, content, asked, sequence, counter, time, keys, total })
    }

    /// The option that confirms the reading of the rows.
    pub(super) fn confirm(&self) -> String {
        let at = self.columns.argument(self.value);
        match self.content {
            Content::Packets(kind) => format!("--column {at} --kind {}", kind.word()),
            Content::Rate(Some(_)) => format!("--rate-column {at}"),
            Content::Rate(None) => format!("--bytes-column {at}"),
        }
    }

    /// The content of a table of packets.
    pub(super) const fn kind(&self) -> Option<ColumnKind> {
        if let Content::Packets(kind) = self.content { Some(kind) } else { None }
    }

    pub(super) fn name(&self, column: usize) -> String {
        self.columns.name(column)
    }

    /// The columns of no use in this reading.
    pub(super) fn unused(&self) -> Vec<usize> {
        let time = self.time.as_ref().map(|time| time.column);
        let used = [Some(self.value), self.sequence, time];
        self.columns.which(|i| !used.contains(&Some(i)) && !self.keys.contains(&i))
    }

    /// The use of the columns in one line, for a link of `rows` rows of which `lost` are lost.
    pub(super) fn taken(&self, rows: u64, lost: u64) -> String {
        let mut value = match self.content {
            Content::Packets(kind @ (Received | Lost)) => format!("outcomes, 1 = {}", kind.word()),
            Content::Packets(Sequence) => {
                "sequence numbers of received packets, gaps = lost".to_owned()
            }
            Content::Packets(Arrival) => {
                format!("arrivals, a blank = lost ({lost} of {rows} rows)")
            }
            Content::Rate(Some(scale)) => {
                format!("rates, 1 = {scale} b/s, each until the next row")
            }
            Content::Rate(None) => "bytes from each row's time to the next row's".to_owned(),
        };
        let ReadOptions { lost_value, unsent_value, .. } = &self.options;
        for (marks, means) in [(lost_value, "lost"), (unsent_value, "not sent")] {
            value.extend(marks.iter().map(|marks| format!(", {marks} = {means} as was said")));
        }
        let number = self.sequence.filter(|number| *number != self.value);
        let number = number.map(|number| (number, "the packets' numbers"));
        let time = self.time.as_ref().map(|time| (time.column, time.told.as_str()));
        let keys = self.keys.iter().map(|key| (*key, "what tells links apart"));
        let others = number.into_iter().chain(time).chain(keys);
        let mut parts = vec![format!("column {} taken as {value}", self.name(self.value))];
        parts.extend(others.map(|(column, what)| format!("{} as {what}", self.name(column))));
        if self.kind().is_some() && self.sequence.is_none() && self.columns.names.len() > 1 {
            parts.push("rows taken in the order sent".to_owned());
        }
        let unused = self.unused();
        let more = unused.len().checked_sub(NAMED + 1).map(|more| format!("{} more", more + 1));
        let shown = unused.iter().take(NAMED).map(|i| self.name(*i)).chain(more);
        let shown = shown.collect::<Vec<_>>().join(", ");
        parts.extend((!shown.is_empty()).then(|| format!("not used: {shown}")));
        let is_time = |i: &&usize| unit_of(&self.columns.names[**i]).is_some();
        if let (None, Some(column)) = (&self.time, unused.iter().find(is_time)) {
            let name = self.name(*column);
            parts.push(format!("if {name} holds times, --time-column gives the interval"));
        }
        parts.join("; ")
    }
}

/// The columns that tell links apart: those that the user named, with commas between, else those of
/// documented names.
fn links(columns: &Columns, value: usize, options: &ReadOptions) -> Asked<Vec<usize>> {
    let Some(wanted) = &options.link_column else {
        return Ok(columns.which(|i| i != value && columns.role(i) == Some(Role::Link)));
    };
    let one = columns.chosen("--link-column", wanted).map(|column| vec![column]);
    let several = || wanted.split(',').map(|name| columns.chosen("--link-column", name)).collect();
    if wanted.contains(',') { one.or_else(|_| several()) } else { one }
}

/// The column of values that options say.
fn chosen(columns: &Columns, options: &ReadOptions) -> Asked<Option<(usize, Content)>> {
    let given = (&options.column, &options.rate_column, &options.bytes_column, options.kind);
    Ok(Some(match given {
        (None, None, None, None) => return Ok(None),
        (None, None, None, Some(kind)) => {
            let alone = (columns.names.len() == 1).then_some(0);
            let fits = columns.of_role(Role::Packets(kind)).first().copied().or(alone);
            let which = format!("say which column --kind {} is about, with --column", kind.word());
            let column = fits.map_or_else(|| columns.ask(&which), Ok)?;
            (columns.single(column, "--column")?, Content::Packets(kind))
        }
        (Some(wanted), None, None, kind) => {
            let column = columns.chosen("--column", wanted)?;
            let what = format!("say what column {} holds, with --kind", columns.name(column));
            let kind = kind.or_else(|| columns.kind(column));
            (column, Content::Packets(kind.map_or_else(|| columns.ask(&what), Ok)?))
        }
        (None, Some(wanted), None, None) => {
            let column = columns.chosen("--rate-column", wanted)?;
            let name = columns.header.then(|| columns.names[column].as_str());
            (column, Content::Rate(Some(rates::scale(name, options, &columns.path)?)))
        }
        (None, None, Some(wanted), None) => {
            (columns.chosen("--bytes-column", wanted)?, Content::Rate(None))
        }
        _ => {
            return columns
                .ask("give only one of --column (with --kind), --rate-column and --bytes-column");
        }
    }))
}

/// The column of values by documented names: what became of the packets, else their numbers, else a
/// rate.
fn named(columns: &Columns) -> Asked<(usize, Content)> {
    let first = |kind| Some((*columns.of_role(Role::Packets(kind)).first()?, kind));
    let kinds = [Received, Lost, Arrival, Sequence];
    let Some((value, kind)) = kinds.into_iter().find_map(first) else {
        return rate_named(columns).map_err(|problem| columns.question_of_unnamed(&problem));
    };
    let of = |is: fn(&str) -> bool| {
        columns.which(|i| columns.header && is(&columns.names[i]) && columns.different(i) > 1)
    };
    if let Some(other) = [of(is_rate), of(|name| has(name, SURVEYS))].concat().first() {
        return columns.ask(&format!(
            "column {} may stand for packets, while column {} is of a log of measurements, whose rows are moments: \
             choose what to read, or, if each row is a packet, give --column {} --kind {}",
            columns.name(value),
            columns.name(*other),
            columns.argument(value),
            kind.word()
        ));
    }
    columns.single(value, "--column")?;
    let numbers = columns.of_role(Role::Packets(Sequence));
    if numbers.iter().any(|i| columns.cells(*i).ne(columns.cells(numbers[0]))) {
        columns.single(numbers[0], "--column")?;
        let both = columns.shown(&numbers);
        return columns.ask(&format!("columns {both} both number packets: choose what to read"));
    }
    Ok((value, Content::Packets(kind)))
}

/// The only column of rates or bytes with a documented name, or the question.
fn rate_named(columns: &Columns) -> Result<(usize, Content), String> {
    let bytes = |i: usize| columns.role(i) == Some(Role::Bytes);
    let rate = |i: usize| columns.header && is_rate(&columns.names[i]) && columns.all(i, is_number);
    Err(match (columns.which(|i| bytes(i) || rate(i)).as_slice(), columns.names.len()) {
        (&[column], _) if bytes(column) => return Ok((column, Content::Rate(None))),
        (&[column], _) => match rates::unit_of(&columns.names[column]) {
            Some(_) if rates::may_be_another(&columns.names[column]) => format!(
                "column {} may be the rate of the modulation, of a sender or a mean: if it is the link's, give --rate-column",
                columns.name(column)
            ),
            scale @ Some(_) => return Ok((column, Content::Rate(scale))),
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
        ([], 1) => format!("{UNNAMED}, or for a trace of mahimahi give --layout mahimahi"),
        ([], _) if columns.may_be_rates() => format!(
            "{UNNAMED}, or if they are times and rates (a log of throughput) the unit of the rates (--rate-unit \
             \"Mb/s\" or \"B/s\", ...)"
        ),
        ([], _) => UNNAMED.to_owned(),
        (several, _) => {
            format!("columns {} hold rates: choose the one that is the capacity of the link", columns.shown(several))
        }
    })
}

/// The column of times of a table whose values are in `value`: the user's choice, else a column of a
/// documented name; send times come first, receive times last.
fn times(columns: &Columns, value: usize, options: &ReadOptions) -> Asked<Option<Time>> {
    let named = |role: Role| columns.which(|i| i != value && columns.role(i) == Some(role));
    let is_delay = |i: usize| has(&columns.names[i], "rtt delay latency owd");
    let received = |i| columns.kind(i) == Some(Arrival) && !is_delay(i);
    let all = [named(Role::Sent), named(Role::Time), columns.which(received)].concat();
    let column = match (&options.time_column, all.first()) {
        (Some(wanted), _) => columns.chosen("--time-column", wanted)?,
        (None, Some(&column)) => columns.single(column, "--time-column")?,
        (None, None) => return Ok(None),
    };
    let name = columns.name(column);
    let stamps: Vec<Stamp> = columns.cells(column).filter_map(Stamp::of).collect();
    if let (true, Some(first)) = (stamps.is_empty(), columns.cells(column).next()) {
        return columns.ask(&format!(
            "the times in column {name} are not in a form that is read (the first is {}): write seconds, \
             2024-05-28T12:00:00.005 or 12:00:00.005, or give another --time-column",
            excerpt(first)
        ));
    }
    let numbers = stamps.iter().any(|stamp| stamp.is_number());
    let by_name = unit_of(&columns.names[column]).filter(|_| columns.header && numbers);
    let known = |unit: Span| format!("times in units of {unit}");
    let (unit, told) = match (options.time_unit, by_name, unit_by_form(&stamps)) {
        (Some(unit), ..) => (Some(unit), known(unit) + ", as was said"),
        (_, Some(unit), _) if let Some(looks) = contradiction(&stamps, unit) => {
            return columns.ask(&format!(
                "column {name} would hold {looks}, not {} as its name says: give the option --time-unit",
                known(unit)
            ));
        }
        (_, Some(unit), _) => (Some(unit), known(unit)),
        (.., Some((unit, told))) if numbers => (Some(unit), format!("times in {told}")),
        (.., Some((unit, told))) => (Some(unit), told.to_owned()),
        _ => (None, UNKNOWN.to_owned()),
    };
    Ok(Some(Time { column, unit, told }))
}
