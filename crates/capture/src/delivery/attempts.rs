//! The attempts of an 802.11 link. What the sniffer missed is added where another frame shows it:
//!
//! | shown by | added |
//! |---|---|
//! | a packet whose first captured attempt has the retry bit | a failed attempt before it |
//! | a MAC ACK without data | a successful attempt |
//!
//! Other missed attempts are absent. A last attempt without MAC ACK failed if its packet had more than
//! half of the most attempts of the link; otherwise its MAC ACK was not captured.

use super::{DeliveryTrace, MIN_OUTCOMES, Unit, note};
use crate::air::log::{AttemptFate, LinkLog, LoggedAttempt, PacketFate};
use crate::air::report::LinkReport;

/// The trace of a link; `None` for a group, whose frames are not acknowledged, and for too few
/// attempts.
pub(crate) fn of_link(link: &LinkLog, report: Option<&LinkReport>) -> Option<DeliveryTrace> {
    let log = &link.log;
    if link.receiver.is_group() || log.attempts.len() < MIN_OUTCOMES {
        return None;
    }
    let above = log.given_up_above();
    let mut attempts: Vec<&LoggedAttempt> = log.attempts.iter().collect();
    // A stable sort: what other frames show stays beside the attempt that it belongs to.
    attempts.sort_by_key(|attempt| attempt.time_ns);
    let (mut hidden, mut without_ack) = (0u64, 0u64);
    let mut outcomes = Vec::with_capacity(attempts.len());
    for attempt in attempts {
        hidden += u64::from(attempt.is_hidden);
        let arrived = match attempt.fate {
            AttemptFate::Delivered => true,
            AttemptFate::Lost => false,
            AttemptFate::Unanswered => attempt.ordinal <= above,
        };
        without_ack += u64::from(arrived && attempt.fate == AttemptFate::Unanswered);
        outcomes.push((attempt.time_ns, arrived));
    }
    let notes = notes(link, report, hidden, without_ack);
    Some(DeliveryTrace {
        from: link.transmitter.to_string(),
        to: link.receiver.to_string(),
        unit: Unit::Attempt,
        outcomes,
        notes,
    })
}

/// What a reader of the trace must know. `hidden` attempts were added, `without_ack` count as delivered.
fn notes(
    link: &LinkLog,
    report: Option<&LinkReport>,
    hidden: u64,
    without_ack: u64,
) -> Vec<String> {
    let log = &link.log;
    let mut notes = Vec::new();
    note(
        &mut notes,
        hidden,
        "attempt was added that the sniffer missed and another frame shows",
        "attempts were added that the sniffer missed and other frames show",
    );
    note(
        &mut notes,
        without_ack,
        "attempt counts as delivered without a captured MAC ACK",
        "attempts count as delivered without a captured MAC ACK",
    );
    let undecided =
        log.packets.iter().filter(|packet| packet.fate == PacketFate::Undecided).count();
    note(
        &mut notes,
        undecided as u64,
        "packet at the end of the capture was left out",
        "packets at the end of the capture were left out",
    );
    let missed = report.map_or(0, |report| report.sniffer_misses).saturating_sub(hidden);
    note(
        &mut notes,
        missed,
        "more attempt was missed by the sniffer (estimated) and is absent",
        "more attempts were missed by the sniffer (estimated) and are absent",
    );
    note(
        &mut notes,
        log.omitted,
        "attempt or packet was left out to bound the memory",
        "attempts and packets were left out to bound the memory",
    );
    notes
}
