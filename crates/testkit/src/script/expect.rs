//! The line `expect cwnd 3000 state ESTABLISHED`: expected values of a connection, and their comparison.
//!
//! Names are the counters of [`TcpStats`] and accessors of [`Connection`]. Sizes in bytes, times with their
//! unit.

use std::fmt;

use airtcp_transport::tcp::{Connection, TcpStats};
use airtcp_units::Span;

/// One name and its expected value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Expectation {
    pub(super) name: String,
    pub(super) want: Want,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Want {
    /// Both ends included.
    Number(u64, u64),
    /// Both ends included.
    Time(Span, Span),
    /// A state, `yes`, `no` or `none`.
    Word(String),
}

/// A value of the connection.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Value {
    Number(u64),
    Time(Span),
    Word(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(n) => write!(f, "{n}"),
            Self::Time(t) => write!(f, "{}", t.to_string().replace(' ', "")),
            Self::Word(w) => f.write_str(w),
        }
    }
}

impl fmt::Display for Want {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = |t: &Span| t.to_string().replace(' ', "");
        match self {
            Self::Number(a, b) if a == b => write!(f, "{a}"),
            Self::Number(a, u64::MAX) => write!(f, "{a}.."),
            Self::Number(a, b) => write!(f, "{a}..{b}"),
            Self::Time(a, b) if a == b => f.write_str(&time(a)),
            Self::Time(a, b) => write!(f, "{}..{}", time(a), time(b)),
            Self::Word(w) => f.write_str(w),
        }
    }
}

impl Want {
    /// Parses `3000`, `3000..4000`, `3000..`, `200ms`, `1s..2s` or a word.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if !text.starts_with(|c: char| c.is_ascii_digit()) {
            return Ok(Self::Word(text.to_ascii_lowercase()));
        }
        let (low, high) = text.split_once("..").map_or((text, Some(text)), |(low, high)| {
            (low, if high.is_empty() { None } else { Some(high) })
        });
        let bad = || {
            format!(
                "\"{text}\" is not a value: expected a number, a time such as 200ms, a range of \
                 either such as 1000..2000, or a word"
            )
        };
        if let Ok(a) = number(low) {
            let b = high.map_or(Ok(u64::MAX), number).map_err(|()| bad())?;
            return if a <= b { Ok(Self::Number(a, b)) } else { Err(bad()) };
        }
        let a: Span = low.parse().map_err(|_| bad())?;
        let b = high.map_or(Ok(Span::MAX), str::parse).map_err(|_| bad())?;
        if a <= b { Ok(Self::Time(a, b)) } else { Err(bad()) }
    }

    fn holds(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Number(a, b), Value::Number(n)) => (a..=b).contains(&n),
            (Self::Time(a, b), Value::Time(t)) => (a..=b).contains(&t),
            (Self::Word(a), Value::Word(b)) => a == b,
            _ => false,
        }
    }
}

fn number(text: &str) -> Result<u64, ()> {
    text.replace('_', "").parse().map_err(|_| ())
}

/// Names that are accessors of the connection, not counters.
const ACCESSORS: [&str; 18] = [
    "cwnd",
    "send_window",
    "peer_window",
    "segment_size",
    "in_recovery",
    "ssthresh",
    "pipe",
    "rto",
    "srtt",
    "delivered",
    "readable",
    "unacked",
    "writable",
    "established",
    "closed",
    "finished",
    "peer_closed",
    "state",
];

fn counters(stats: &TcpStats) -> serde_json::Map<String, serde_json::Value> {
    match serde_json::to_value(stats) {
        Ok(serde_json::Value::Object(map)) => map,
        _ => serde_json::Map::new(),
    }
}

/// Checks a name when the script is parsed.
pub(super) fn check_name(name: &str) -> Result<(), String> {
    let counters = counters(&TcpStats::default());
    if ACCESSORS.contains(&name) || counters.contains_key(name) {
        return Ok(());
    }
    let names: Vec<&str> =
        ACCESSORS.into_iter().chain(counters.keys().map(String::as_str)).collect();
    Err(format!("\"{name}\" cannot be expected: expected {}", names.join(", ")))
}

fn value(connection: &Connection, name: &str) -> Value {
    let yes_no = |b: bool| Value::Word(if b { "yes" } else { "no" }.into());
    match name {
        "cwnd" => Value::Number(connection.cwnd()),
        // A threshold that has never been set.
        "ssthresh" if connection.ssthresh() >= u64::MAX / 2 => Value::Word("none".into()),
        "ssthresh" => Value::Number(connection.ssthresh()),
        "send_window" => Value::Number(connection.send_window()),
        "peer_window" => Value::Number(connection.peer_window()),
        "segment_size" => Value::Number(u64::from(connection.segment_size())),
        "in_recovery" => yes_no(connection.in_recovery()),
        "pipe" => Value::Number(connection.pipe()),
        "rto" => Value::Time(connection.rto()),
        "srtt" => connection.srtt().map_or_else(|| Value::Word("none".into()), Value::Time),
        "delivered" => Value::Number(connection.delivered()),
        "readable" => Value::Number(connection.readable()),
        "unacked" => Value::Number(connection.unacked()),
        "writable" => Value::Number(connection.writable()),
        "established" => yes_no(connection.is_established()),
        "closed" => yes_no(connection.is_closed()),
        "finished" => yes_no(connection.is_finished()),
        "peer_closed" => yes_no(connection.peer_closed()),
        _ => match counters(connection.stats()).get(name) {
            Some(serde_json::Value::Number(n)) => Value::Number(n.as_u64().unwrap_or(u64::MAX)),
            Some(serde_json::Value::String(s)) => {
                s.parse().map_or_else(|_| Value::Word(s.clone()), Value::Time)
            }
            other => Value::Word(format!("{other:?}")),
        },
    }
}

/// The first expectation that does not hold: expected and found value.
pub(super) fn mismatch(
    connection: &Connection,
    expectations: &[Expectation],
) -> Option<(String, String)> {
    expectations.iter().find_map(|Expectation { name, want }| {
        let found = value(connection, name);
        (!want.holds(&found)).then(|| (format!("{name} {want}"), format!("{name} {found}")))
    })
}
