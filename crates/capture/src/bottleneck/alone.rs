//! Packets that find none of their own transfer in the queue, and wait all the same: they wait for other traffic.
//!
//! Over a link that the transfer has for itself, such a packet waits for the packet in transmission at most, whatever
//! the rate. Three causes of other waits are left out:
//!
//! - packets that the link lost after the queue: each one of the last wait adds a service time;
//! - an ACK that the receiver may have delayed: it counts only if another packet left in the first half of the wait,
//!   which a receiver that waits for a second packet would have answered;
//! - stand-stills, in which packets of no other transfer are served.
//!
//! If packets are served at once, as aggregates of 802.11, nothing is told: their ACKs wait for each other, too.
//!
//! The service time is that of the rate, or the median gap of neighbours that left within a part of it if that is
//! shorter: where the queue is shared, the rate is what the others leave.

use super::levels::{Seen, median};
use super::rate::Rate;
use super::transmissions::Fate;

/// Service times that a packet waits for others, and least wait, in s [choice].
const SERVICES: f64 = 3.0;
const LEAST_S: f64 = 2e-3;
/// Least number of them, and least part of the packets that found none of their own [choice].
const FEW: usize = 3;
const PART: f64 = 0.1;
/// Pairs from which their gap is known, and the part of a service time in which both left.
const PAIRS: usize = 10;
const CLOSE: f64 = 0.3;
/// Packets that are served at once, from which on their ACKs wait for each other [choice].
const BATCH: u64 = 8;
/// Length of a full packet by the usual one: the last one of a message is shorter, and served sooner.
const FULL: f64 = 0.9;

/// How the packets fared that found no other one of their transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Alone {
    /// Their number.
    pub(super) packets: u64,
    /// Those of them that waited for others.
    pub(super) waited: u64,
    /// True if other traffic was in the queue.
    pub(super) found: bool,
}

/// Packets that were alone from which on next to no waits among them tell, too [choice].
const MANY: u64 = 50;

impl Alone {
    /// True if many packets were alone, and few waited: others would be in the queue then, too.
    pub(super) const fn is_own(self) -> bool {
        self.packets >= MANY && !self.found
    }
}

/// Looks for waits that the transfer did not cause; `batch` packets are served at once.
pub(super) fn alone(seen: &Seen<'_>, rate: &Rate, packet_bytes: f64, batch: u64) -> Alone {
    if batch >= BATCH {
        return Alone::default();
    }
    let list = &seen.sent.list;
    let service_s = service_s(seen, rate, packet_bytes);
    let lost: Vec<f64> =
        list.iter().filter(|packet| packet.fate == Fate::Lost).map(|lost| lost.sent_s).collect();
    let (mut packets, mut waits) = (0u64, Vec::new());
    for (place, packet) in list.iter().enumerate() {
        let is_one = packet.is_trigger && !packet.is_late && packet.bytes > FULL * packet_bytes;
        let (true, Some(rtt_s)) = (is_one && seen.backlog[place] == 0, packet.rtt_s()) else {
            continue;
        };
        let wait_s = rtt_s - seen.sent.least_rtt_s;
        let since = lost.partition_point(|sent_s| *sent_s < packet.sent_s - wait_s);
        let own = lost.partition_point(|sent_s| *sent_s < packet.sent_s).saturating_sub(since);
        let is_long = wait_s > ((SERVICES + own as f64) * service_s).max(LEAST_S);
        let next = list.get(place + 1).map_or(f64::INFINITY, |next| next.sent_s);
        let is_told = packet.is_immediate || next - packet.sent_s < 0.5 * wait_s;
        if is_long && (seen.in_stall[place] || !is_told) {
            continue;
        }
        packets += 1;
        if is_long {
            waits.push(place);
        }
    }
    let episodes = super::levels::episodes(seen.sent, &waits);
    let found = episodes >= FEW && waits.len() as f64 >= PART * packets as f64;
    Alone { packets, waited: waits.len() as u64, found }
}

/// The time in which the bottleneck serves a packet.
fn service_s(seen: &Seen<'_>, rate: &Rate, packet_bytes: f64) -> f64 {
    let list = &seen.sent.list;
    let usual_s = 8.0 * packet_bytes / rate.value_bps.max(1.0);
    let triggers: Vec<usize> =
        (0..list.len()).filter(|place| list[*place].is_trigger && !list[*place].is_late).collect();
    let gap = |pair: &[usize]| {
        let (from, to) = (&list[pair[0]], &list[pair[1]]);
        let packets = (pair[1] - pair[0]) as f64;
        let whole = list[pair[0]..=pair[1]].iter().all(|packet| packet.fate == Fate::Delivered);
        let close = to.sent_s - from.sent_s < CLOSE * packets * usual_s;
        let seconds = to.acked_s? - from.acked_s?;
        (whole && close && to.bytes > FULL * packet_bytes).then_some(seconds / packets)
    };
    let gaps: Vec<f64> = triggers.windows(2).filter_map(gap).collect();
    if gaps.len() < PAIRS {
        return usual_s;
    }
    usual_s.min(median(gaps.into_iter()))
}
