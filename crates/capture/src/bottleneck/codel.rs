//! The rule of `CoDel` (RFC 8289) in the times of drops: it drops whenever packets have waited for longer than the
//! target during an interval, and then after interval/sqrt(n) again, until they wait less.
//!
//! So a drop is *due* if packets waited longer than the target for the interval before it, or another drop came
//! before it in the same time of such waits, at least a tenth of the interval ago. And no time of such waits is longer
//! than the interval without a drop: what exceeds it is *overdue*. Random losses, bursts and a full queue are not due,
//! and PIE and RED leave long waits without a drop.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::shared::beside;
use super::transmissions::{Fate, Transmissions};

/// Target and interval, the defaults of RFC 8289, in s. The target is at least two packets.
const TARGET_S: f64 = 5e-3;
const INTERVAL_S: f64 = 0.1;
/// Slack of the interval, since the waits are known at packets only [choice].
const SLACK: f64 = 1.25;
/// Least interval between drops by the first one: that of a hundred drops.
const LEAST: f64 = 0.1;
/// Longest time between packets in which the waits are known, in s [choice].
const GAP_S: f64 = 0.2;
/// Least number of due drops, least part of them, and largest part of the time that is overdue [choice].
const FEW: u64 = 4;
const DUE: f64 = 0.75;
const OVERDUE: f64 = 0.35;

/// How the drops follow the rule of `CoDel`.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Codel {
    /// Drops that were due.
    pub due: u64,
    /// Drops at waits above the target that were not.
    pub not_due: u64,
    /// Time of waits above the target, in s.
    pub above_s: f64,
    /// Part of it in which a drop was overdue, in s.
    pub overdue_s: f64,
    /// True if the drops follow the rule.
    pub found: bool,
}

/// Compares the drops with the rule.
pub(super) fn codel(sent: &Transmissions, service_s: f64) -> Codel {
    let target_s = TARGET_S.max(2.0 * service_s);
    let triggers = sent.triggers();
    let wait = |place: usize| {
        let packet = &sent.list[place];
        let is_one = packet.fate == Fate::Delivered && !packet.is_late;
        packet.rtt_s().filter(|_| is_one).map(|rtt_s| rtt_s - sent.least_rtt_s)
    };
    // Packets and drops in the order in which the queue let them go.
    let mut left: Vec<(f64, Option<f64>)> = triggers
        .iter()
        .filter_map(|place| Some((*place, wait(*place)?)))
        .map(|(place, wait_s)| (sent.list[place].sent_s + wait_s, Some(wait_s)))
        .collect();
    let drops = (0..sent.list.len()).filter(|place| sent.list[*place].fate == Fate::Lost);
    left.extend(drops.filter_map(|place| {
        Some((sent.list[place].sent_s + beside(sent, &triggers, place)?, None))
    }));
    left.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut found = Codel::default();
    let mut high: Option<High> = None;
    for (at_s, wait_s) in left {
        match (wait_s, &mut high) {
            (Some(wait_s), open) => {
                if wait_s < target_s || open.as_ref().is_some_and(|high| at_s - high.end > GAP_S) {
                    found.close(open.take());
                }
                if wait_s >= target_s {
                    open.get_or_insert_with(|| High::new(at_s)).end = at_s;
                }
            }
            (None, Some(high)) => high.drop_at(at_s, &mut found),
            (None, None) => {}
        }
    }
    found.close(high);
    let drops = found.due + found.not_due;
    found.found = found.due >= FEW
        && found.due as f64 >= DUE * drops as f64
        && found.overdue_s <= OVERDUE * found.above_s;
    found
}

/// A time in which packets wait longer than the target, in s.
struct High {
    begin: f64,
    end: f64,
    /// The last drop that was due.
    due: Option<f64>,
    overdue_s: f64,
}

impl High {
    const fn new(begin: f64) -> Self {
        Self { begin, end: begin, due: None, overdue_s: 0.0 }
    }

    fn drop_at(&mut self, at_s: f64, found: &mut Codel) {
        let least_s = if self.due.is_some() { LEAST * INTERVAL_S } else { INTERVAL_S / SLACK };
        if at_s - self.due.unwrap_or(self.begin) < least_s {
            found.not_due += 1;
            return;
        }
        found.due += 1;
        self.overdue_s += self.overdue_at(at_s);
        self.due = Some(at_s);
    }

    fn overdue_at(&self, at_s: f64) -> f64 {
        (at_s - self.due.unwrap_or(self.begin) - SLACK * INTERVAL_S).max(0.0)
    }
}

impl Codel {
    fn close(&mut self, high: Option<High>) {
        if let Some(high) = high {
            self.above_s += high.end - high.begin;
            self.overdue_s += high.overdue_s + high.overdue_at(high.end);
        }
    }
}
