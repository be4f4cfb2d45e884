//! Why a timeout happened (S2, section IV-B): the copies of the segment before it were lost on the link,
//! or they were delivered or on the way, and the time went by in the packet's own attempts, in the wait
//! for other packets, or after the delivery.

use airtcp_units::Saturate as _;

use super::fates::{Fate, Fates};
use super::hosts::HostLog;
use super::keys::Ranges;
use super::matching::{Air, Matching, since};
use super::report::{CopyReport, TimeoutCause, TimeoutReport};
use crate::air::report::seconds;
use crate::tcp::Cause;
use crate::tcp::RetransmissionEvent;
use crate::tcp::report::ConnectionReport;

/// Copies of a segment that are listed.
const MAX_COPIES: usize = 16;
/// The report has times in s, which are exact to less than this.
const SAME_TIME_NS: f64 = 2_000.0;

/// The copies of a host's segments on the air.
pub(super) struct Copies<'a> {
    air: &'a Air<'a>,
    host: &'a HostLog,
    matching: &'a Matching,
    fates: &'a Fates,
    ranges: Ranges,
    /// Packets of the host with those of the air, in order.
    on_air: Vec<(usize, usize)>,
}

/// A copy, with times in ns since the first frame by the sniffer's clock.
#[derive(Debug, Clone, Copy)]
struct Copy {
    sent: f64,
    /// Of a copy that was found: start of the first attempt, end of the last, attempts, fate.
    on_air: Option<(f64, f64, u16, Fate)>,
}

impl<'a> Copies<'a> {
    pub(super) fn new(
        air: &'a Air<'a>,
        host: &'a HostLog,
        matching: &'a Matching,
        fates: &'a Fates,
    ) -> Self {
        let pairs = matching.host_of.iter().enumerate();
        let mut on_air: Vec<(usize, usize)> =
            pairs.filter_map(|(carried, number)| Some(((*number)?, carried))).collect();
        on_air.sort_unstable();
        let ranges = Ranges::new(host.packets.iter().map(|packet| &packet.identity));
        Self { air, host, matching, fates, ranges, on_air }
    }

    /// The timeouts of the data that the host sent.
    pub(super) fn timeouts(&self, connection: &ConnectionReport) -> Vec<TimeoutReport> {
        let mut found = Vec::new();
        for direction in &connection.directions {
            let from = &direction.from;
            let to =
                if *from == connection.client { &connection.server } else { &connection.client };
            let Some(pair) = self.host.pair_named(from, to) else { continue };
            if self.matching.is_sent.get(&pair) != Some(&true) {
                continue;
            }
            let timeouts = direction.events.iter().filter(|event| event.cause == Cause::Timeout);
            for event in timeouts {
                let (cause, copies) = self.explain(pair, event);
                found.push(TimeoutReport {
                    time_s: event.time_s,
                    from: from.clone(),
                    to: to.clone(),
                    sequence: event.sequence,
                    cause,
                    copies,
                });
            }
        }
        found
    }

    fn explain(&self, pair: u64, event: &RetransmissionEvent) -> (TimeoutCause, Vec<CopyReport>) {
        let mut numbers = self.ranges.covering(pair, event.sequence);
        numbers.sort_by_key(|number| self.host.packets[*number].time_ns);
        let event_ns = u64::saturate(event.time_s * 1e9);
        let is_before =
            |number: &usize| since(event_ns, self.host.packets[*number].time_ns) > SAME_TIME_NS;
        let before: Vec<Copy> = numbers
            .iter()
            .filter(|number| is_before(number))
            .map(|number| self.copy(*number, event.sequence))
            .collect();
        let cause = cause(&before, self.matching.by_air(event_ns));
        let report = |number: &usize| {
            let copy = self.copy(*number, event.sequence);
            CopyReport {
                sent_s: seconds(self.host.packets[*number].time_ns),
                queueing_s: copy.on_air.map(|(start, ..)| (start - copy.sent).max(0.0) / 1e9),
                attempts: copy.on_air.map_or(0, |(_, _, attempts, _)| attempts),
                on_air_s: copy.on_air.map(|(start, end, ..)| (end - start) / 1e9),
                fate: copy.on_air.map(|(_, _, _, fate)| fate),
            }
        };
        (cause, numbers.iter().take(MAX_COPIES).map(report).collect())
    }

    /// The part of a host's packet that holds the byte `sequence`, on the air.
    fn copy(&self, number: usize, sequence: u32) -> Copy {
        let from = self.on_air.partition_point(|(host, _)| *host < number);
        let parts = self.on_air[from..].iter().take_while(|(host, _)| *host == number);
        let holds = |carried: &usize| {
            let identity = self.air.carried[*carried].identity;
            sequence.wrapping_sub(identity.sequence) < identity.payload
        };
        let carried = parts.map(|(_, carried)| *carried).find(holds);
        let on_air = carried.map(|carried| {
            let packet = self.air.carried[carried].packet;
            let at = |ns| since(ns, self.air.base_ns);
            let end = if packet.acked_ns > 0 { packet.acked_ns } else { packet.last_ns };
            (at(packet.start_ns), at(end), packet.attempts, self.fates.of(carried))
        });
        Copy { sent: self.matching.by_air(self.host.packets[number].time_ns), on_air }
    }
}

/// The cause of a timeout at `now`, from the copies sent before.
fn cause(before: &[Copy], now: f64) -> TimeoutCause {
    let Some(last) = before.last() else { return TimeoutCause::Unknown };
    // A copy that was delivered, or that was still waiting or in service when the timer expired.
    let is_alive = |copy: &&Copy| match copy.on_air {
        Some((_, _, _, Fate::Delivered)) => true,
        Some((_, end, ..)) => end > now,
        None => false,
    };
    if let Some(copy) = before.iter().rev().find(is_alive)
        && let Some((start, end, ..)) = copy.on_air
    {
        // The times until the timer expired: in queues, on the air, after the delivery.
        let waited = start.min(now) - copy.sent;
        let own = end.min(now) - start.min(now);
        let after = now - end.min(now);
        return if after > waited.max(own) {
            TimeoutCause::Acknowledgement
        } else if own >= waited {
            TimeoutCause::SlowPacket
        } else {
            TimeoutCause::StuckBehindOthers
        };
    }
    match last.on_air {
        Some((_, _, _, Fate::LostOnLink)) => TimeoutCause::LostOnLink,
        Some(_) => TimeoutCause::Unknown,
        None => TimeoutCause::NotOnAir,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_of_timeouts() {
        let copy = |sent, start, end, fate| Copy { sent, on_air: Some((start, end, 7, fate)) };
        let lost = copy(0.0, 1.0, 9.0, Fate::LostOnLink);
        let unseen = Copy { sent: 0.0, on_air: None };
        let delivered = |start, end| copy(0.0, start, end, Fate::Delivered);
        for (copies, expected) in [
            (vec![], TimeoutCause::Unknown),
            (vec![lost], TimeoutCause::LostOnLink),
            (vec![unseen], TimeoutCause::NotOnAir),
            (vec![lost, unseen], TimeoutCause::NotOnAir),
            (vec![unseen, lost], TimeoutCause::LostOnLink),
            (vec![delivered(1.0, 90.0)], TimeoutCause::SlowPacket),
            (vec![delivered(80.0, 90.0)], TimeoutCause::StuckBehindOthers),
            (vec![delivered(1.0, 2.0)], TimeoutCause::Acknowledgement),
            (vec![delivered(150.0, 160.0)], TimeoutCause::StuckBehindOthers),
            // Given up only after the timer expired: it was in service.
            (vec![copy(0.0, 10.0, 120.0, Fate::LostOnLink)], TimeoutCause::SlowPacket),
            (vec![delivered(1.0, 90.0), lost], TimeoutCause::SlowPacket),
            (vec![copy(0.0, 1.0, 2.0, Fate::Undecided)], TimeoutCause::Unknown),
        ] {
            assert_eq!(cause(&copies, 100.0), expected, "{copies:?}");
        }
    }
}
