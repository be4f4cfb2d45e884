//! The words of tables: the documented names of columns, in one list, and what cells say.
//! `docs/reference/trace-formats.md` shows the same list.

use super::super::names::{has, is_among, normal, parted, unit_of};
use super::super::rates;
use super::super::stamps::Stamp;
use crate::reader::{ColumnKind, ReadOptions};

/// What a column of a documented name holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// What became of packets, or their numbers.
    Packets(ColumnKind),
    /// Times of sending, which come before other times.
    Sent,
    Time,
    Link,
    /// The rate of a link, with its unit in the name.
    Rate,
    /// Bytes that a link delivered in an interval.
    Bytes,
}

/// Names as they are compared (see [`normal`]). Names with words, such as `rtt_ms`, are found by
/// [`role`].
const NAMES: &[(Role, &str)] = &[
    (
        Role::Packets(ColumnKind::Received),
        "received outcome success succeeded delivered delivery ok rx_ok crc_ok fcs_ok acked",
    ),
    (Role::Packets(ColumnKind::Lost), "lost dropped erased failed crc_error fcs_error"),
    (
        Role::Packets(ColumnKind::Sequence),
        "seq seqno seq_no seqnum seq_num sequence sequence_number sequence_no received_seq icmp_seq \
         packet_seq pkt_seq rtp_seq wlan_seq wpan_seq wpan_seq_no fcnt f_cnt",
    ),
    (
        Role::Time,
        "time t timestamp ts time_stamp frame_time frame_time_epoch frame_time_relative epoch epoch_time \
         unix_time unix_timestamp unixtime utc utc_time local_time datetime date_time date",
    ),
    (Role::Link, "link link_id src source dst destination sender receiver"),
    (Role::Bytes, "delivered_bytes bytes_delivered"),
];
/// Words of delays and receive times, and of statistics and differences, which are of no packet.
const ARRIVED: &str = "rtt delay latency owd arrival arrived";
/// Further words that may stand in such a name; any other one may mean something else (`last_rtt_ms`).
const BESIDE: &str = "one way round trip up down uplink downlink ul dl e2e end to network packet pkt \
                      icmp ping probe echo reply frame";
pub(super) const NO_PACKET: &str = "avg average mean median min max jitter std stddev mdev var delta diff gap interval \
                         duration airtime iat";
/// Words at an end of the link, which name a time beside one of [`MOMENT`] or a unit.
const AT_RECEIVER: &str = "recv receive received rx rcv rcvd reception";
const AT_SENDER: &str = "sent send tx snd sending transmit transmitted";
const MOMENT: &str = "time ts timestamp t at stamp epoch date";
/// Words of rates without a unit, and of a log of measurements, which are asked about beside packets.
const RATES: &str = "throughput bandwidth goodput bitrate";
pub(super) const SURVEYS: &str = "lat lon lng latitude longitude rsrp rsrq";
/// Words in the name of a column that may tell links or runs apart, which is asked about.
const NODES: &str = "flow stream node station sta device dev client host peer gateway gw tx rx run trial \
                     session experiment interface iface subflow connection ap bssid mac ip mote sensor eui \
                     addr address ue imei rnti hostname ssid user vehicle car robot drone tag conn port \
                     direction dir rep replica round test exp cell pci antenna link target hop day file channel";
/// Words in the name of a column that may say what became of packets, which is asked about.
pub(super) const FATES: &str = "err error errors crc fcs prr pdr per plr loss losses drop drops fail failures missing \
                     corrupt valid ack status result state";

/// What a column of this name holds, if the name is documented.
pub(super) fn role(name: &str) -> Option<Role> {
    let plain = normal(name);
    let unit = unit_of(name);
    let is_time = has(name, MOMENT) || unit.is_some();
    let listed = |name: &str| Some(NAMES.iter().find(|(_, names)| is_among(name, names))?.0);
    let base = unit.and(plain.rsplit_once('_')).map_or(&*plain, |(base, _)| base);
    let lists = [ARRIVED, AT_RECEIVER, MOMENT, BESIDE];
    let known = |word: &str| word.is_empty() || lists.iter().any(|words| is_among(word, words));
    match listed(&plain) {
        _ if rates::unit_of(name).is_some() => Some(Role::Rate),
        Some(role) => Some(role),
        None if has(name, NO_PACKET) => None,
        None if has(name, ARRIVED) || (has(name, AT_RECEIVER) && is_time) => {
            base.split('_').all(known).then_some(Role::Packets(ColumnKind::Arrival))
        }
        None if has(name, AT_SENDER) && is_time => Some(Role::Sent),
        None => listed(base.trim_end_matches('_')).filter(|role| *role == Role::Time),
    }
}

/// True for a name of rates, with or without a unit.
pub(super) fn is_rate(name: &str) -> bool {
    has(name, RATES) || rates::unit_of(name).is_some()
}

/// True for a name of counts of packets, which are asked about beside outcomes.
pub(super) fn is_count(name: &str) -> bool {
    let counts = "sent total count transmitted tx expected burst";
    let plurals = "packets pkts datagrams frames messages requests samples";
    is_among(&normal(name), counts) || has(name, plurals)
}

/// True for a name of nodes, flows or runs: such words and no others. `deviceName` is two words.
pub(super) fn is_node(name: &str) -> bool {
    let known = |word| is_among(word, NODES) || is_among(word, "id no nr num number name");
    let parted = parted(name);
    normal(&parted).split('_').all(known) && has(&parted, NODES)
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

/// What a row says of its packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Came,
    Lost,
    /// No packet was sent.
    Unsent,
    /// Something else.
    Unclear,
}

/// The fate of a packet by its cell. The user's marks are separated by commas; `blank` stands for any
/// blank cell, and `none` for no value.
pub(super) fn fate(cell: &str, kind: ColumnKind, options: &ReadOptions) -> Fate {
    let among = |values: &Option<String>| {
        values.iter().flat_map(|values| values.split(',')).any(|value| equal(value.trim(), cell))
    };
    match (kind, outcome(cell, kind == ColumnKind::Lost)) {
        _ if among(&options.unsent_value) => Fate::Unsent,
        (ColumnKind::Sequence, _) => Fate::Came,
        _ if among(&options.lost_value) => Fate::Lost,
        (ColumnKind::Arrival, _) if is_blank(cell) => Fate::Lost,
        (ColumnKind::Arrival, Some(false)) if is_outcome_word(cell) => Fate::Lost,
        (ColumnKind::Arrival, _) if Stamp::of(cell).is_none() => Fate::Unclear,
        (ColumnKind::Arrival, _) | (_, Some(true)) => Fate::Came,
        (_, Some(false)) => Fate::Lost,
        // The other values of a column whose marks are known.
        (ColumnKind::Received, None) if options.lost_value.is_some() => Fate::Came,
        (_, None) => Fate::Unclear,
    }
}

/// True if a cell is a value: the same text, or the same number.
fn equal(value: &str, cell: &str) -> bool {
    let number = |text: &str| Stamp::of(text).filter(|stamp| stamp.is_number());
    (value.eq_ignore_ascii_case(cell) && value != "none")
        || (value == "blank" && is_blank(cell))
        || (number(value).is_some() && number(value) == number(cell))
}

/// The outcome in a cell; with `inverted` 1 and yes mean lost.
pub(super) fn outcome(cell: &str, inverted: bool) -> Option<bool> {
    match cell.to_ascii_lowercase().as_str() {
        "1" | "1.0" | "true" | "t" | "yes" | "y" | "100%" => Some(!inverted),
        "0" | "0.0" | "false" | "f" | "no" | "n" | "0%" => Some(inverted),
        "received" | "recv" | "ok" | "success" | "delivered" | "ack" | "acked" => Some(true),
        "lost" | "loss" | "fail" | "failed" | "failure" | "dropped" | "drop" | "nack"
        | "timeout" => Some(false),
        _ => None,
    }
}

/// True for an outcome that is a word, not a number.
pub(super) fn is_outcome_word(cell: &str) -> bool {
    outcome(cell, false).is_some() && cell.chars().all(char::is_alphabetic)
}

/// True if both cells are outcomes in words of one set: a column uses one set.
pub(super) fn are_of_one_set(cell: &str, other: &str) -> bool {
    let sets = ["true false t f", "yes no y n"];
    let set = |cell: &str| sets.map(|set| is_among(&cell.to_ascii_lowercase(), set));
    is_outcome_word(cell) && is_outcome_word(other) && set(cell) == set(other)
}

/// True for an empty cell, and for the words of a missing value.
pub(super) fn is_blank(cell: &str) -> bool {
    let words = "nan -nan - -- * none null nil na n/a nat inf +inf infinity";
    cell.is_empty() || is_among(&cell.to_ascii_lowercase(), words)
}

pub(super) fn is_number(cell: &str) -> bool {
    cell.parse::<f64>().is_ok()
}

/// A whole number: 7, 7.0 as in tables of other numbers, or 0x0007.
pub(super) fn whole(cell: &str) -> Option<u64> {
    if let Some(digits) = cell.strip_prefix("0x").or_else(|| cell.strip_prefix("0X")) {
        return u64::from_str_radix(digits, 16).ok();
    }
    let (digits, fraction) = cell.split_once('.').unwrap_or((cell, ""));
    fraction.bytes().all(|digit| digit == b'0').then(|| digits.parse().ok()).flatten()
}
