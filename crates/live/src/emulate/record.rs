//! Arrivals as a file, and a scenario that meets them again.
//!
//! ```text
//! airtcp arrivals 1
//! 12045 0 1514 525400...        time in nanoseconds, number of the port, bytes of the frame, its head in hexadecimal
//! 12090 set links[0].rate=5 Mb/s    time in nanoseconds, a change of the scenario
//! ```
//! The head is what decides the record of the packet in the model: headers, without payload. Replayed, each packet meets
//! the fate that it met, since the times are those at which the packets entered the model.

use std::fmt;

use airtcp_units::Nanos;
use thiserror::Error;

use super::change::Set;
use super::frame::SNAP;

/// First line of a file of arrivals.
pub const RECORD_HEADER: &str = "airtcp arrivals 1";
/// First line of a file of arrivals at interfaces that were given: no frame passes beside the model.
pub const RECORD_BETWEEN: &str = "airtcp arrivals 1 between";
/// Latest time.
const LATEST: u64 = u64::MAX / 2;
/// Longest frame that a line may state.
const LONGEST: usize = 65_549;

/// A frame that arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrival {
    /// When it entered the model.
    pub at: Nanos,
    /// Number of the port.
    pub port: usize,
    /// Bytes of the whole frame.
    pub length: usize,
    /// Its first bytes.
    pub head: Vec<u8>,
}

/// What a file of arrivals has in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recorded {
    /// A frame that arrived.
    Arrival(Arrival),
    /// A change of the scenario, and when it was made.
    Change(Nanos, Set),
}

/// A line that is no arrival.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line} of the arrivals: {problem}")]
pub struct RecordError {
    /// Number of the line, from 1.
    pub line: usize,
    /// What is wrong, and what is expected.
    pub problem: String,
}

impl Arrival {
    pub(super) fn new(at: Nanos, port: usize, bytes: &[u8], head: usize) -> Self {
        let head = bytes[..head.min(bytes.len()).min(SNAP)].to_vec();
        Self { at, port, length: bytes.len(), head }
    }

    /// The frame, with zeros in the place of its payload.
    pub fn frame(&self) -> Vec<u8> {
        let mut frame = self.head.clone();
        frame.resize(self.length, 0);
        frame
    }

    fn parse(line: &str, ports: usize) -> Result<Self, String> {
        let mut fields = line.split(' ');
        let mut number = |what: &str, most: u64| {
            let field = fields.next().unwrap_or_default();
            let value = field.parse().ok().filter(|value| *value <= most);
            value.ok_or_else(|| format!("the {what} is \"{field}\": expected 0 to {most}"))
        };
        let at = Nanos(number("time", LATEST)?);
        let last = ports.saturating_sub(1) as u64;
        let port = usize::try_from(number("port", last)?).unwrap_or_default();
        let length = usize::try_from(number("length", LONGEST as u64)?).unwrap_or_default();
        let digits = fields.next().unwrap_or_default();
        let most = length.min(SNAP);
        if !digits.len().is_multiple_of(2) || digits.len() / 2 > most || fields.next().is_some() {
            return Err(format!("expected one head of up to {most} bytes, two digits each"));
        }
        let digit = |d: &u8| char::from(*d).to_digit(16).and_then(|d| u8::try_from(d).ok());
        let byte = |pair: &[u8]| match pair {
            [high, low] => Some(digit(high)? << 4 | digit(low)?),
            _ => None,
        };
        let head: Option<Vec<u8>> = digits.as_bytes().chunks(2).map(byte).collect();
        let head = head.ok_or("the head has other characters than hexadecimal digits")?;
        Ok(Self { at, port, length, head })
    }
}

impl Recorded {
    /// When it entered the model.
    pub const fn at(&self) -> Nanos {
        match self {
            Self::Arrival(arrival) => arrival.at,
            Self::Change(at, _) => *at,
        }
    }

    fn parse(line: &str, ports: usize) -> Result<Self, String> {
        let Some((time, change)) =
            line.split_once(' ').filter(|(_, rest)| rest.starts_with("set "))
        else {
            return Arrival::parse(line, ports).map(Self::Arrival);
        };
        let at = time.parse().ok().filter(|at| *at <= LATEST);
        let at = at.ok_or_else(|| format!("the time is \"{time}\": expected 0 to {LATEST}"))?;
        match Set::read(change)? {
            Some(set) => Ok(Self::Change(Nanos(at), set)),
            None => Err("expected a change".to_owned()),
        }
    }
}

impl fmt::Display for Recorded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Arrival(arrival) => arrival.fmt(f),
            Self::Change(at, set) => write!(f, "{} {set}", at.0),
        }
    }
}

impl fmt::Display for Arrival {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {} ", self.at.0, self.port, self.length)?;
        self.head.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Whether a file of arrivals is that of interfaces that were given.
pub fn is_between(text: &str) -> bool {
    text.lines().next() == Some(RECORD_BETWEEN)
}

/// Reads a file of arrivals at so many ports, and of changes.
///
/// # Errors
/// The first line that is no arrival, or that is earlier than the one before.
pub fn read_arrivals(text: &str, ports: usize) -> Result<Vec<Recorded>, RecordError> {
    let mut lines = text.lines().enumerate().map(|(i, line)| (i + 1, line));
    let first = lines.next().map(|(_, line)| line);
    if !first.is_some_and(|line| [RECORD_HEADER, RECORD_BETWEEN].contains(&line)) {
        let problem = format!(
            "is not \"{RECORD_HEADER}\", so this is no file of arrivals, or of another version"
        );
        return Err(RecordError { line: 1, problem });
    }
    let mut arrivals: Vec<Recorded> = Vec::new();
    for (line, text) in lines {
        let arrival =
            Recorded::parse(text, ports).map_err(|problem| RecordError { line, problem })?;
        if arrivals.last().is_some_and(|last| last.at() > arrival.at()) {
            let problem = format!("the time {} is before that of the line before", arrival.at().0);
            return Err(RecordError { line, problem });
        }
        arrivals.push(arrival);
    }
    Ok(arrivals)
}
