//! The words of tables: names of columns, outcomes, and whether the first row is a header.

use airtcp_units::Span;

/// Names of a column of outcomes where 1 is received.
pub(super) const RECEIVED: &[&str] = &[
    "received",
    "receive",
    "recv",
    "outcome",
    "success",
    "succeeded",
    "delivered",
    "delivery",
    "ok",
    "rx_ok",
    "crc_ok",
    "fcs_ok",
    "acked",
    "ack",
    "bit",
    "result",
    "status",
];
/// Names of a column of outcomes where 1 is lost.
pub(super) const LOST: &[&str] = &[
    "lost",
    "loss",
    "dropped",
    "drop",
    "error",
    "err",
    "failed",
    "fail",
    "failure",
    "erased",
    "crc_error",
    "crc_err",
    "fcs_error",
];
/// Names of a column of the sequence numbers received.
pub(super) const SEQUENCE: &[&str] = &[
    "seq",
    "seqno",
    "seq_no",
    "seqnum",
    "seq_num",
    "sequence",
    "sequence_number",
    "sequence_no",
    "received_seq",
    "icmp_seq",
    "packet_seq",
    "pkt_seq",
    "sn",
    "rtp_seq",
    "wlan_seq",
    "wpan_seq",
    "wpan_seq_no",
    "fcnt",
    "f_cnt",
];
/// Names of a column of time stamps, without the unit.
pub(super) const TIME: &[&str] = &["time", "t", "timestamp", "ts", "time_stamp"];
/// Names that programs give such columns, which count if every cell is a time.
pub(super) const PERHAPS_TIME: &[&str] = &[
    "frame_time",
    "frame_time_epoch",
    "frame_time_relative",
    "time_epoch",
    "time_relative",
    "epoch",
    "epoch_time",
    "unix_time",
    "unix_timestamp",
    "unixtime",
    "utc",
    "utc_time",
    "local_time",
    "wall_time",
    "datetime",
    "date_time",
    "date",
    "when",
    "clock",
];
/// Units at the end of a name.
pub(super) const UNITS: &[(&str, Span)] = &[
    ("s", Span::from_secs(1)),
    ("sec", Span::from_secs(1)),
    ("seconds", Span::from_secs(1)),
    ("ms", Span::from_millis(1)),
    ("us", Span::from_micros(1)),
    ("ns", Span(1)),
    ("msec", Span::from_millis(1)),
    ("usec", Span::from_micros(1)),
    ("nsec", Span(1)),
];
/// Words in names of receive times, round-trip times and delays.
const ARRIVED: &[&str] = &[
    "rtt",
    "delay",
    "latency",
    "owd",
    "oneway",
    "arrival",
    "arrived",
    "recvtime",
    "rxtime",
    "arrivaltime",
    "roundtrip",
];
/// Words in such names together with one of [`MOMENT`].
const AT_RECEIVER: &[&str] = &["recv", "receive", "received", "rx", "rcv", "rcvd", "reception"];
const AT_SENDER: &[&str] = &["sent", "send", "tx", "snd", "sending", "transmit", "transmitted"];
const SPANS: &[&str] = &["delta", "diff", "gap", "interval", "duration", "airtime", "iat"];
const MOMENT: &[&str] = &["time", "ts", "timestamp", "t", "at", "stamp", "epoch", "date"];
/// Names of outcome columns that may also hold times.
const TIMES_OR_OUTCOMES: &[&str] = &["received", "receive", "recv"];
/// Names of send times that may also be counts of packets.
pub(super) const SENT: &[&str] = &["sent", "send", "transmitted"];
/// Names of a column of counts.
pub(super) const COUNTS: &[&str] = &[
    "sent",
    "packets",
    "total",
    "count",
    "transmitted",
    "n",
    "pkts",
    "tx_packets",
    "packets_sent",
    "sent_packets",
    "tx_count",
    "num_packets",
    "datagrams",
    "received",
    "rx_packets",
];
/// Names of a column in which 0 often means success.
pub(super) const CODES: &[&str] = &["status", "result"];
/// Names of the columns that separate links.
pub(super) const KEYS: &[&str] =
    &["link", "link_id", "src", "source", "dst", "destination", "tx", "sender", "rx", "receiver"];

/// The outcome in a cell; with `inverted` 1 and yes mean lost.
pub(super) fn outcome(cell: &str, inverted: bool) -> Option<bool> {
    let word = cell.to_ascii_lowercase();
    match word.as_str() {
        "1" | "1.0" | "true" | "t" | "yes" | "y" | "100%" => Some(!inverted),
        "0" | "0.0" | "false" | "f" | "no" | "n" | "0%" => Some(inverted),
        "received" | "recv" | "ok" | "success" | "delivered" | "ack" | "acked" => Some(true),
        "lost" | "loss" | "fail" | "failed" | "failure" | "dropped" | "drop" | "nack"
        | "timeout" => Some(false),
        _ => None,
    }
}

/// The content of a cell in a column of receive times or delays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arrival {
    /// A number: the packet arrived.
    Came,
    /// A blank, or a word for a missing value.
    Blank,
    /// -1, which usually marks a lost packet.
    MinusOne,
    /// Something else.
    Unclear,
}

/// Reads a cell in a column of receive times or delays.
pub(super) fn arrival(cell: &str) -> Arrival {
    match cell.to_ascii_lowercase().as_str() {
        "" | "nan" | "-nan" | "-" | "--" | "*" | "none" | "null" | "nil" | "na" | "n/a" | "nat"
        | "inf" | "+inf" | "infinity" => Arrival::Blank,
        "-1" | "-1.0" | "-1.000000" => Arrival::MinusOne,
        word if outcome(word, false) == Some(false) && !is_number(word) => Arrival::Blank,
        _ if super::times::Stamp::of(cell).is_some() => Arrival::Came,
        _ => Arrival::Unclear,
    }
}

/// True for a name of a receive time, a round-trip time or a delay.
pub(super) fn is_arrival(name: &str) -> bool {
    has(name, ARRIVED) || (has(name, AT_RECEIVER) && (has(name, MOMENT) || unit_of(name).is_some()))
}

/// True for a name of a time between two events.
pub(super) fn is_span(name: &str) -> bool {
    has(name, SPANS)
}

/// True for a name of a send time.
pub(super) fn is_sent_time(name: &str) -> bool {
    has(name, AT_SENDER) && (has(name, MOMENT) || unit_of(name).is_some()) && !is_span(name)
}

/// True for a name of points in time, not of durations.
pub(super) fn is_moment(name: &str) -> bool {
    has(name, MOMENT)
        || (has(name, AT_RECEIVER) && unit_of(name).is_some())
        || has(name, &["arrival", "arrived", "recvtime", "rxtime", "arrivaltime"])
}

/// True if a column of this name may hold receive times in place of outcomes.
pub(super) fn is_time_or_outcome(name: &str) -> bool {
    is_one_of(name, TIMES_OR_OUTCOMES)
}

fn has(name: &str, words: &[&str]) -> bool {
    normal(name).split('_').any(|word| words.contains(&word))
}

/// The unit that a name ends in.
pub(in crate::reader::layouts) fn unit_of(name: &str) -> Option<Span> {
    let name = normal(name);
    let (_, unit) = name.rsplit_once('_')?;
    Some(UNITS.iter().find(|(spelling, _)| *spelling == unit)?.1)
}

/// A name for comparison: lower case, with an underscore for anything but letters and digits.
pub(super) fn normal(name: &str) -> String {
    let name: String = name
        .chars()
        .map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '_' })
        .collect();
    name.trim_matches('_').to_owned()
}

/// True if a normalised name is one of `names`.
pub(super) fn is_one_of(name: &str, names: &[&str]) -> bool {
    names.contains(&normal(name).as_str())
}

/// A whole number: 7, 7.0 as in tables of other numbers, or 0x0007.
pub(super) fn whole(cell: &str) -> Option<u64> {
    if let Some(digits) = cell.strip_prefix("0x").or_else(|| cell.strip_prefix("0X")) {
        return u64::from_str_radix(digits, 16).ok();
    }
    let (digits, fraction) = cell.split_once('.').unwrap_or((cell, ""));
    fraction.bytes().all(|digit| digit == b'0').then(|| digits.parse().ok()).flatten()
}

/// The size at which the counter of this name wraps, if it has fewer than 16 bits: of 802.11 frames
/// (sequence control, 802.11-2020 9.2.4.4) and of 802.15.4 frames (802.15.4-2020 7.2.2).
pub(super) fn counter(name: &str) -> Option<u64> {
    match normal(name).as_str() {
        "wlan_seq" => Some(1 << 12),
        "wpan_seq_no" | "wpan_seq" => Some(1 << 8),
        _ => None,
    }
}

/// True if a cell is a number.
pub(super) fn is_number(cell: &str) -> bool {
    cell.parse::<f64>().is_ok()
}

/// The set of words that a cell belongs to; a column uses one set.
fn vocabulary(cell: &str) -> u8 {
    match cell.to_ascii_lowercase().as_str() {
        _ if is_number(cell) => 0,
        "true" | "false" | "t" | "f" => 1,
        "yes" | "no" | "y" | "n" => 2,
        _ if outcome(cell, false).is_some() => 3,
        _ => 4,
    }
}

/// The first row is a header if a cell is a word and the cell below is of another kind (a number,
/// an outcome in other words), or if a cell is a known name that is no outcome.
pub(super) fn is_header(rows: &[Vec<String>]) -> bool {
    rows[0].iter().enumerate().any(|(i, cell)| {
        let kind = vocabulary(cell);
        let below = rows.get(1).and_then(|row| row.get(i)).map(|cell| vocabulary(cell));
        let known = || {
            let sets = [RECEIVED, LOST, SEQUENCE, TIME, KEYS];
            is_arrival(cell) || sets.iter().any(|names| is_one_of(cell, names))
        };
        match below {
            _ if kind == 0 || cell.is_empty() => false,
            Some(below) if below != kind => below < 4,
            Some(_) => kind == 4 && known(),
            None => known(),
        }
    })
}
