//! ACKs that wait on their way back, by the receiver's timestamps.
//!
//! The time from an ACK's timestamp to its arrival varies only with the return path. Its excess over the least one is
//! the wait of this ACK. If it makes up most of what round trips exceed the least one by, the ACKs wait, and not the data:
//! their pace is that of the return path, and says nothing of the link.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::levels::median;
use super::transmissions::{Stamped, Transmissions};

/// Ticks of the timestamp clocks that are known, in s. RFC 7323 section 5.4 has 1 ms to 1 s; some hosts count in us.
const TICKS_S: [f64; 4] = [1e-6, 1e-3, 4e-3, 1e-2];
/// How far a measured tick may be off: waits that grow stretch it.
const TICK_TOLERANCE: f64 = 0.1;
/// Least excess of a round trip: in time, and in ticks.
const LEAST_S: f64 = 0.01;
const LEAST_TICKS: f64 = 5.0;
/// Least number of such round trips, and their least share of all.
const FEW: usize = 20;
const OFTEN: f64 = 0.5;
/// Share of the excess from which the ACKs wait, and not the data.
const MOSTLY: f64 = 0.5;
/// Largest difference of two clocks' rates.
const DRIFT: f64 = 1e-4;

/// How long ACKs wait on their way.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReturnPath {
    /// Median wait of the ACKs, in s.
    pub wait_s: f64,
    /// Median excess of the round trips over the least one, in s.
    pub excess_s: f64,
    /// Median share of the wait in the excess.
    pub share: f64,
    /// True if the ACKs wait, and not the data.
    pub found: bool,
}

/// Measures the waits of the connection with the most ACKs; none without timestamps of a known tick, or if packets
/// seldom wait.
pub(super) fn return_path(sent: &Transmissions) -> Option<ReturnPath> {
    let mut by_connection: BTreeMap<usize, Vec<Stamped>> = BTreeMap::new();
    for ack in &sent.stamped {
        by_connection.entry(ack.connection).or_default().push(*ack);
    }
    let acks = by_connection.into_values().max_by_key(Vec::len)?;
    let (first, last) = (acks.first()?, acks.last()?);
    let lasted_s = last.at_s - first.at_s;
    let ticks = f64::from(last.stamp.wrapping_sub(first.stamp));
    let near = |tick: &&f64| (lasted_s / ticks / **tick - 1.0).abs() < TICK_TOLERANCE;
    let tick_s = TICKS_S.iter().find(near)?;
    let way = |ack: &Stamped| {
        let sent_s = f64::from(ack.stamp.wrapping_sub(first.stamp)) * tick_s;
        ack.at_s - first.at_s - sent_s
    };
    let least = acks.iter().map(way).fold(f64::INFINITY, f64::min);
    let slack_s = tick_s + DRIFT * lasted_s;
    let long_s = LEAST_S.max(LEAST_TICKS * tick_s).max(slack_s);
    let excess = |ack: &Stamped| ack.rtt_s - sent.least_rtt_s;
    let long: Vec<&Stamped> = acks.iter().filter(|ack| excess(ack) > long_s).collect();
    if long.len() < FEW || (long.len() as f64) < OFTEN * acks.len() as f64 {
        return None;
    }
    let wait = |ack: &&Stamped| (way(ack) - least - slack_s).max(0.0);
    let share = median(long.iter().map(|ack| wait(ack) / excess(ack)));
    Some(ReturnPath {
        wait_s: median(long.iter().map(wait)),
        excess_s: median(long.iter().map(|ack| excess(ack))),
        share,
        found: share > MOSTLY,
    })
}

#[cfg(test)]
mod tests {
    use airtcp_units::{Narrow, Saturate};

    use super::*;

    /// 200 ACKs, of which each waits 1 ms longer than the one before, on the way that `ack_waits` tells.
    fn measured(tick_s: f64, ack_waits: bool) -> Option<ReturnPath> {
        let stamped = (0..200u32).map(|n| {
            let wait_s = 1e-3 * f64::from(n);
            let (leaves_s, at_s) = (0.02 * f64::from(n), 0.02 * f64::from(n) + wait_s);
            let ticks = if ack_waits { leaves_s } else { at_s } / tick_s;
            // The clock of the receiver wraps on the way.
            let stamp = (u32::MAX - 50).wrapping_add(u32::narrow(u64::saturate(ticks)));
            Stamped { connection: 0, rtt_s: 0.04 + wait_s, at_s, stamp }
        });
        let stamped = stamped.collect();
        let sent = Transmissions { stamped, least_rtt_s: 0.04, ..Transmissions::default() };
        return_path(&sent)
    }

    #[test]
    fn the_receivers_clock_tells_which_way_waits() {
        for tick_s in [1e-3, 4e-3] {
            let back = measured(tick_s, true).unwrap();
            assert!(back.found && back.share > 0.85, "{back:?}");
            let there = measured(tick_s, false).unwrap();
            assert!(!there.found && there.share < 0.1, "{there:?}");
        }
        assert!(measured(0.3, true).is_none(), "a tick that no host has");
        assert!(return_path(&Transmissions::default()).is_none());
    }
}
