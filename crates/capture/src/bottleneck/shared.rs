//! A queue that other traffic shares: at the drops the wait is constant, and the own backlog is not; or packets wait
//! that find no other one of their transfer (`alone`).
//!
//! The opposite of the first, a constant backlog and a wait that is not, is a rate that varies. If the rate seems to vary, a wait
//! that is more constant than the backlog is enough: others take their share in turns.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::alone::Alone;
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

/// How the wait and the own backlog vary at the drops, and how packets fared that found none of their own.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Shared {
    /// Drops with a wait beside them.
    pub drops: u64,
    /// Quartile range of the wait by its median; none with few drops.
    pub wait_spread: Option<f64>,
    /// Quartile range of the own backlog, less one packet, by its median; none with few drops.
    pub backlog_spread: Option<f64>,
    /// Packets that found no other one of their transfer in the queue.
    pub alone: u64,
    /// Those of them that waited for the service of three packets or more all the same.
    pub waited_alone: u64,
    /// True if other traffic shares the queue.
    pub found: bool,
}

/// Compares the wait and the backlog at the drops, and looks at the packets that were `alone`; none if there are few
/// of both.
pub(super) fn shared(
    sent: &Transmissions,
    backlog: &[u64],
    alone: Alone,
    varies: bool,
) -> Option<Shared> {
    let triggers = sent.triggers();
    let (mut waits, mut backlogs) = (Vec::new(), Vec::new());
    for (place, packet) in sent.list.iter().enumerate() {
        if packet.fate != Fate::Lost || backlog[place] < LEAST {
            continue;
        }
        if let Some(wait_s) = beside(sent, &triggers, place) {
            waits.push(wait_s);
            backlogs.push(backlog[place] as f64);
        }
    }
    let mut found = Shared {
        drops: waits.len() as u64,
        wait_spread: None,
        backlog_spread: None,
        alone: alone.packets,
        waited_alone: alone.waited,
        found: alone.found,
    };
    if waits.len() >= FEW {
        let (wait, backlog) = (spread(waits, 0.0), spread(backlogs, COUNTED));
        let is_constant = wait <= CONSTANT && backlog >= TIMES * wait + MORE;
        let in_turns = varies && wait <= NEARLY && backlog >= LESS.max(THAN * wait);
        found.found |= (is_constant || in_turns) && !alone.is_own();
        (found.wait_spread, found.backlog_spread) = (Some(wait), Some(backlog));
    }
    (found.wait_spread.is_some() || found.alone > 0).then_some(found)
}

/// The wait of the packet that left next to one at `place`, and within half of the least round-trip time.
pub(super) fn beside(sent: &Transmissions, triggers: &[usize], place: usize) -> Option<f64> {
    let next = triggers.partition_point(|trigger| *trigger < place);
    let apart = |trigger: &&usize| (sent.list[**trigger].sent_s - sent.list[place].sent_s).abs();
    let near = triggers[next.saturating_sub(1)..(next + 1).min(triggers.len())]
        .iter()
        .filter(|trigger| apart(trigger) < 0.5 * sent.least_rtt_s)
        .min_by(|a, b| apart(a).total_cmp(&apart(b)))?;
    Some(sent.list[*near].rtt_s()? - sent.least_rtt_s)
}

/// Quartile range by the median; a range of up to `counted` is that of counting.
fn spread(mut values: Vec<f64>, counted: f64) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let range = quantile(&values, 0.75) - quantile(&values, 0.25);
    (range - counted).max(0.0) / quantile(&values, 0.5).max(1e-9)
}
