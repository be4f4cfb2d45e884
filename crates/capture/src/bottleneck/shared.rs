//! A queue that other traffic shares: at the drops the wait is constant, and the own backlog is not.
//!
//! The opposite, a constant backlog and a wait that is not, is a rate that varies. If the rate seems to vary, a wait
//! that is more constant than the backlog is enough: others take their share in turns.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::levels::quantile;
use super::transmissions::{Fate, Transmissions};

/// Least backlog of a drop, and least number of drops.
const LEAST: u64 = 4;
const FEW: usize = 5;
/// Range of a backlog that does not vary: it counts the packet in transmission, and one whose ACK is delayed.
const COUNTED: f64 = 1.0;
/// Largest relative quartile range of the wait, and least of the backlog: `TIMES` that of the wait, and `MORE`.
const CONSTANT: f64 = 0.03;
const TIMES: f64 = 3.0;
const MORE: f64 = 0.03;
/// The same where the rate seems to vary: largest of the wait, and least of the backlog, also by that of the wait.
const NEARLY: f64 = 0.15;
const LESS: f64 = 0.1;
const THAN: f64 = 1.3;

/// How the wait and the own backlog vary at the drops.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Shared {
    /// Drops with a wait beside them.
    pub drops: u64,
    /// Quartile range of the wait by its median.
    pub wait_spread: f64,
    /// Quartile range of the own backlog, less one packet, by its median.
    pub backlog_spread: f64,
    /// True if other traffic shares the queue.
    pub found: bool,
}

/// Compares the wait and the backlog at the drops; none if there are few.
pub(super) fn shared(sent: &Transmissions, backlog: &[u64], varies: bool) -> Option<Shared> {
    let triggers = sent.triggers();
    let (mut waits, mut backlogs) = (Vec::new(), Vec::new());
    for (place, packet) in sent.list.iter().enumerate() {
        if packet.fate != Fate::Lost || backlog[place] < LEAST {
            continue;
        }
        let next = triggers.partition_point(|trigger| *trigger < place);
        let apart = |trigger: &&usize| (sent.list[**trigger].sent_s - packet.sent_s).abs();
        let near = triggers[next.saturating_sub(1)..(next + 1).min(triggers.len())]
            .iter()
            .filter(|trigger| apart(trigger) < 0.5 * sent.least_rtt_s)
            .min_by(|a, b| apart(a).total_cmp(&apart(b)));
        let wait = near.and_then(|place| {
            let packet = &sent.list[*place];
            Some(packet.rtt_s()? - sent.least_rtt_s)
        });
        if let Some(wait) = wait {
            waits.push(wait);
            backlogs.push(backlog[place] as f64);
        }
    }
    if waits.len() < FEW {
        return None;
    }
    let drops = backlogs.len() as u64;
    let (wait_spread, backlog_spread) = (spread(waits, 0.0), spread(backlogs, COUNTED));
    let is_constant = wait_spread <= CONSTANT && backlog_spread >= TIMES * wait_spread + MORE;
    let in_turns =
        varies && wait_spread <= NEARLY && backlog_spread >= LESS.max(THAN * wait_spread);
    let found = is_constant || in_turns;
    Some(Shared { drops, wait_spread, backlog_spread, found })
}

/// Quartile range by the median; a range of up to `counted` is that of counting.
fn spread(mut values: Vec<f64>, counted: f64) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let range = quantile(&values, 0.75) - quantile(&values, 0.25);
    (range - counted).max(0.0) / quantile(&values, 0.5).max(1e-9)
}
