//! What limited a sender, as shares of the time between its first data and its last ACK.
//!
//! | limit | from an event to the next one |
//! |---|---|
//! | receive window | the window of the receiver is closed |
//! | recovery | the sender repairs losses, or waits for a timeout: from when it expected an ACK |
//! | receive window | less than a segment fits into the window of the receiver |
//! | application | nothing is in flight, or the last segment was the end of what the application had written |
//! | pacing | most segments leave at other times than right after an ACK, as `clock.rs` has it |
//! | slow start | no loss yet, and the flight grows by half or more in a round trip |
//! | congestion window | none of these |
//!
//! A simulated sender accounts the same from the inside, with more states: `airtcp_units::Wait::capture_name`
//! gives the limit of each. A capture does not show a full send buffer, which looks like a small window.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize, Serializer};

use super::clock::AckClock;
use crate::dissect::{Flags, Segment};

/// Names of the limits, in the order of the shares.
pub(super) const LIMITS: [&str; 6] =
    ["congestion_window", "slow_start", "receive_window", "application", "pacing", "recovery"];

/// Places of the limits in the order of their names.
const BY_NAME: [usize; LIMITS.len()] = [3, 0, 4, 2, 5, 1];

/// Shares of the time by limit. A document has them by the names of the limits, in the order of the names.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
#[serde(from = "BTreeMap<String, f64>")]
pub struct LimitShares([f64; LIMITS.len()]);

impl LimitShares {
    pub(super) const fn of(shares: [f64; LIMITS.len()]) -> Self {
        Self(shares)
    }

    /// The limits with their shares.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, f64)> {
        BY_NAME.into_iter().map(|place| (LIMITS[place], self.0[place]))
    }
}

impl From<BTreeMap<String, f64>> for LimitShares {
    fn from(shares: BTreeMap<String, f64>) -> Self {
        Self(LIMITS.map(|name| shares.get(name).copied().unwrap_or_default()))
    }
}

impl Serialize for LimitShares {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl JsonSchema for LimitShares {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        BTreeMap::<String, f64>::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        BTreeMap::<String, f64>::json_schema(generator)
    }
}

/// A limit, by its place in [`LIMITS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Limit {
    CongestionWindow = 0,
    SlowStart = 1,
    ReceiveWindow = 2,
    #[default]
    Application = 3,
    Pacing = 4,
    Recovery = 5,
}

/// What holds after an event.
#[derive(Debug, Clone, Copy)]
pub(super) struct Situation {
    pub(super) flight: u64,
    /// Window of the receiver, in bytes.
    pub(super) window: u64,
    /// Largest segment so far.
    pub(super) segment: u64,
    pub(super) recovering: bool,
    pub(super) lost_before: bool,
    pub(super) srtt_ns: Option<u64>,
}

/// A round trip of the sender.
#[derive(Debug, Clone, Copy)]
pub(super) struct Round {
    /// Most bytes in flight.
    pub(super) flight: u64,
    /// True if the congestion window limited the sender at its end, and nothing was repaired during it.
    pub(super) filled: bool,
}

/// Growth of the flight in a round trip that is slow start.
const GROWTH: f64 = 1.5;

/// Time spent under each limit.
#[derive(Debug, Clone, Default)]
pub(super) struct Limits {
    spent_ns: [u64; LIMITS.len()],
    now_ns: Option<u64>,
    limit: Limit,
    /// The time that was counted last, under the limit that held.
    last_ns: u64,
    /// True if the last data ended what the application had written.
    ended: bool,
    clock: AckClock,
    /// Largest flight in the round trips before and now, and when this one began.
    before: u64,
    current: u64,
    began_ns: u64,
    growing: bool,
    /// True if losses were repaired in this round trip.
    repaired: bool,
}

impl Limits {
    /// Counts the time until `now` under the limit that held since the last event.
    pub(super) fn advance(&mut self, now: u64) {
        if let Some(last) = self.now_ns {
            self.last_ns = now.saturating_sub(last);
            self.spent_ns[self.limit as usize] += self.last_ns;
            self.now_ns = Some(now.max(last));
        }
    }

    /// A timer expired: the sender waited for it since it expected an ACK, `silence_ns` ago.
    pub(super) fn on_timeout(&mut self, silence_ns: u64) {
        // Without a window it waits for the window, and probes it.
        if self.limit != Limit::ReceiveWindow {
            let waited = silence_ns.min(self.last_ns);
            self.spent_ns[self.limit as usize] -= waited;
            self.spent_ns[Limit::Recovery as usize] += waited;
        }
    }

    /// Data were sent, `since_ack_ns` after the last ACK reached the sender.
    pub(super) fn on_data(&mut self, now: u64, segment: &Segment, largest: u32, since_ack_ns: u64) {
        self.now_ns.get_or_insert(now);
        self.ended = segment.flags.has(Flags::PSH) && segment.payload < largest;
        self.clock.on_data(now, since_ack_ns);
    }

    /// An ACK reached the sender.
    pub(super) fn on_ack(&mut self, now: u64) {
        self.clock.on_ack(now);
    }

    /// Sets the limit that holds from now on. Returns the round trip that ended, if one did.
    pub(super) fn situate(&mut self, at: &Situation) -> Option<Round> {
        let round = self.follow_growth(at);
        // Nothing but a probe may be sent into a closed window.
        self.limit = if at.window == 0 && at.segment > 0 {
            Limit::ReceiveWindow
        } else if at.recovering {
            Limit::Recovery
        } else if at.window < at.flight.saturating_add(at.segment) && at.segment > 0 {
            Limit::ReceiveWindow
        } else if at.flight == 0 || self.ended {
            Limit::Application
        } else if !at.lost_before && self.growing {
            Limit::SlowStart
        } else if self.clock.is_slow() {
            Limit::Pacing
        } else {
            Limit::CongestionWindow
        };
        round
    }

    fn follow_growth(&mut self, at: &Situation) -> Option<Round> {
        let now = self.now_ns?;
        self.repaired |= at.recovering;
        self.current = self.current.max(at.flight);
        let rtt = at.srtt_ns.unwrap_or(u64::MAX);
        if now.saturating_sub(self.began_ns) >= rtt {
            self.growing = self.current as f64 >= GROWTH * self.before as f64;
            self.before = self.current;
            self.current = at.flight;
            self.began_ns = now;
            let by_window = matches!(self.limit, Limit::CongestionWindow | Limit::SlowStart);
            let repaired = std::mem::replace(&mut self.repaired, at.recovering);
            return Some(Round { flight: self.before, filled: by_window && !repaired });
        }
        self.growing |= at.srtt_ns.is_none();
        None
    }

    /// Share of the time under each limit, in the order of [`LIMITS`]; all zero without time.
    pub(super) fn shares(&self) -> [f64; LIMITS.len()] {
        let all: u64 = self.spent_ns.iter().sum();
        let share = |ns: u64| if all == 0 { 0.0 } else { ns as f64 / all as f64 };
        self.spent_ns.map(share)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use airtcp_units::Wait;

    use super::{LIMITS, LimitShares};

    /// Each limit is the name of a state of a simulated sender, and no state has another name.
    #[test]
    fn shares_are_written_by_name() {
        let shares = LimitShares::of([0.5, 0.25, 0.0, 0.125, 0.0, 0.125]);
        let names: Vec<&str> = shares.iter().map(|(name, _)| name).collect();
        assert!(names.is_sorted() && names.len() == LIMITS.len(), "{names:?}");
        let as_map: BTreeMap<String, f64> =
            shares.iter().map(|(name, share)| (name.to_owned(), share)).collect();
        let text = serde_json::to_string(&shares).unwrap();
        assert_eq!(text, serde_json::to_string(&as_map).unwrap());
        assert_eq!(serde_json::from_str::<LimitShares>(&text).unwrap(), shares);
    }

    #[test]
    fn limits_are_those_of_a_sender() {
        let states: BTreeSet<_> = Wait::ALL.iter().filter_map(|w| w.capture_name()).collect();
        assert_eq!(states, BTreeSet::from(LIMITS));
    }
}
