//! Links in one table that no column of a known name separates: their numbers repeat.
//!
//! Each flow or run of a log numbers its packets anew. The column that separates them is one with
//! which no number repeats: it has one value in each stretch of numbers, or numbers without gaps
//! under each value, or the name of a node, a flow or a run. The reader follows every candidate
//! column while it reads the rows, and uses the groups only if numbers repeat without the column.

use std::collections::BTreeMap;

use super::columns::Plan;
use super::group::Group;
use super::names::{is_arrival, is_sent_time, normal, unit_of, whole};
use super::short::shorten;
use super::times::Stamp;
use crate::error::excerpt;
use crate::reader::{ColumnKind, ReadOptions};

/// Most candidate columns.
const COLUMNS: usize = 6;
/// Most links that a column may separate.
const LINKS: usize = 1000;
/// Rows after which a column that does not separate links is dropped.
const PATIENCE: u64 = 1024;
/// Divisor of the reader's packet limit for the groups of a column.
const SHARE: u64 = 8;
/// Fewest rows of each value of a column that is chosen by numbers without gaps.
const ROWS: u64 = 5;
/// Names of events, of the sending and of the receiving of packets.
const SENT_EVENTS: &[&str] = &["tx", "send", "sent", "snd", "s", "transmit", "out", "enqueue"];
const RECEIVED_EVENTS: &[&str] =
    &["rx", "recv", "receive", "received", "rcv", "r", "in", "deliver"];
/// Words in the name of a column that separates links or runs.
pub(super) const WORDS: &[&str] = &[
    "link",
    "flow",
    "stream",
    "node",
    "station",
    "sta",
    "device",
    "client",
    "host",
    "peer",
    "gateway",
    "receiver",
    "sender",
    "source",
    "destination",
    "src",
    "dst",
    "run",
    "trial",
    "repetition",
    "session",
    "experiment",
    "channel",
    "interface",
    "iface",
    "path",
    "subflow",
    "direction",
    "connection",
    "user",
    "ap",
    "bssid",
    "mac",
    "ip",
];

/// Groups of links by key.
pub(super) type Groups = BTreeMap<Vec<String>, Group>;

/// The candidate columns.
pub(super) struct Split {
    candidates: Vec<Candidate>,
    /// Number and cells of the candidates in the last row, by link.
    last: BTreeMap<Vec<String>, (u64, Vec<String>)>,
    rows: u64,
}

struct Candidate {
    column: usize,
    /// True if the name shows that it separates links.
    is_named: bool,
    /// The links by value; empty as long as the column has one value.
    groups: Groups,
    first: Option<String>,
    packets: u64,
    /// True as long as the value changes, to a new value, exactly where numbers fall.
    in_stretches: bool,
    at_each_fall: bool,
}

impl Split {
    pub(super) fn new(plan: &Plan) -> Self {
        let numbered = plan.kind == ColumnKind::Sequence || plan.sequence.is_some();
        let time = plan.time.as_ref().map(|time| time.column);
        let free = |i: &usize| {
            let name = &plan.columns[*i];
            let is_time = unit_of(name).is_some() || is_arrival(name) || is_sent_time(name);
            let used = [Some(plan.value), plan.sequence, time, plan.sent].contains(&Some(*i));
            !(used || plan.keys.contains(i) || (plan.header && is_time))
        };
        let words =
            |i: usize| normal(&plan.columns[i]).split('_').any(|word| WORDS.contains(&word));
        let follow = |column| Candidate {
            column,
            is_named: plan.header && words(column),
            groups: Groups::new(),
            first: None,
            packets: 0,
            in_stretches: true,
            at_each_fall: true,
        };
        let columns = (0..plan.columns.len()).filter(|i| numbered && free(i)).take(COLUMNS);
        Self { candidates: columns.map(follow).collect(), last: BTreeMap::new(), rows: 0 }
    }

    /// Takes a row of the link `key`; `groups` are the links so far, without the column.
    pub(super) fn row(
        &mut self,
        plan: &Plan,
        cells: &[String],
        key: &[String],
        groups: &Groups,
        options: &ReadOptions,
    ) {
        let number = whole(&cells[plan.sequence.unwrap_or(plan.value)]);
        let (false, Some(number)) = (self.candidates.is_empty(), number) else { return };
        self.rows += 1;
        let values: Vec<String> =
            self.candidates.iter().map(|c| shorten(&cells[c.column])).collect();
        let before = self.last.get(key);
        let falls = before.is_some_and(|(last, _)| number <= *last);
        for (i, candidate) in self.candidates.iter_mut().enumerate() {
            let changed = before.is_some_and(|(_, before)| before[i] != values[i]);
            candidate.row(plan, cells, (key, &values[i]), groups, options);
            let own = candidate.groups.get(&with(key, &values[i]));
            let is_new = own.is_none_or(|group| group.rows <= 1);
            candidate.in_stretches &= !changed || (falls && is_new);
            candidate.at_each_fall &= changed || !falls;
        }
        self.last.insert(key.to_vec(), (number, values));
        if self.rows.is_multiple_of(PATIENCE) {
            let most = options.max_packets / SHARE;
            let kept: Vec<bool> =
                self.candidates.iter().map(|c| c.packets <= most && c.may_tell(plan)).collect();
            let mut keep = kept.iter();
            self.candidates.retain(|_| keep.next() == Some(&true));
            for (_, values) in self.last.values_mut() {
                let mut keep = kept.iter();
                values.retain(|_| keep.next() == Some(&true));
            }
        }
    }

    /// The column that separates the links, and the links, if the numbers of `groups` repeat.
    pub(super) fn found(self, plan: &Plan, groups: &Groups) -> Option<(usize, Groups)> {
        let repeated = || groups.values().filter(|group| group.is_repeated(plan));
        repeated().next()?;
        let wraps = repeated().all(Group::only_wraps);
        let tells = |c: &Candidate| {
            let few = || c.groups.values().any(|group| group.rows < ROWS);
            let fits = c.in_stretches || (!wraps && (c.is_named || !few()));
            c.groups.len() > groups.len()
                && (!wraps || c.at_each_fall)
                && fits
                && c.may_tell(plan)
                && c.groups.values().all(|group| group.fall.is_none())
        };
        let found = self.candidates.into_iter().filter(tells);
        let best = found.min_by_key(|c| (c.groups.len(), !c.is_named, c.column))?;
        Some((best.column, best.groups))
    }
}

/// The question about a `column` whose values are events of packets (sent and received), not links.
pub(super) fn events(plan: &Plan, column: usize, links: &Groups) -> Option<String> {
    let values: Vec<String> =
        links.keys().filter_map(|key| key.last()).map(|value| normal(value)).collect();
    let of = |words: &[&str]| values.iter().find(|value| words.contains(&value.as_str()));
    let (sent, received) = (of(SENT_EVENTS)?, of(RECEIVED_EVENTS)?);
    Some(format!(
        "column {} says what happened to a packet ({sent}, {received}): give one row for each packet that was \
         sent, with its number (seq) and what became of it (received, 1 or 0)",
        excerpt(&plan.columns[column])
    ))
}

impl Candidate {
    fn row(
        &mut self,
        plan: &Plan,
        cells: &[String],
        (key, value): (&[String], &str),
        whole: &Groups,
        options: &ReadOptions,
    ) {
        let first = self.first.get_or_insert_with(|| value.to_owned());
        if self.groups.is_empty() {
            if first == value {
                return;
            }
            // With one value so far, the links are those without the column.
            let first = first.clone();
            let so_far = whole.iter().map(|(key, group)| (with(key, &first), group.copied()));
            self.groups = so_far.collect();
            self.packets = self.groups.values().map(|group| group.recorder.len()).sum();
        }
        if self.packets > options.max_packets / SHARE || self.groups.len() > LINKS {
            return;
        }
        let group = self.groups.entry(with(key, value)).or_default();
        let Ok(steps) = group.packet(plan, cells, options.max_gap) else {
            // The candidate is dropped later.
            self.packets = u64::MAX;
            return;
        };
        self.packets = self.packets.saturating_add(steps);
        if let Some(time) = &plan.time {
            group.stamp(Stamp::of(&cells[time.column]), steps);
        }
    }

    /// True if no number repeats within the links of this column, and the column is evidence of
    /// links.
    fn may_tell(&self, plan: &Plan) -> bool {
        let whole = self.packets < u64::MAX && self.groups.len() <= LINKS;
        let sound = |group: &Group| !group.is_repeated(plan) || group.only_wraps();
        let dense = |group: &Group| group.by_number.is_dense(plan.kind, self.is_named);
        whole
            && self.groups.values().all(sound)
            && (self.in_stretches || self.groups.values().all(dense))
    }
}

fn with(key: &[String], value: &str) -> Vec<String> {
    key.iter().cloned().chain([value.to_owned()]).collect()
}
