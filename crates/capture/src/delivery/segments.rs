//! The first copies of the segments of a TCP direction, captured at its sender. A first copy was lost if
//! the segment was sent again and nothing shows that as spurious; it arrived if it was acknowledged
//! without that. This is only known if SACK or timestamps can show a spurious retransmission.

use airtcp_units::Saturate as _;

use super::{DeliveryTrace, MIN_OUTCOMES, Unit, note};
use crate::join::hosts::HostLog;
use crate::tcp::RetransmissionEvent;
use crate::tcp::report::{ConnectionReport, DirectionReport};
use crate::tcp::sequence::unwrap;

/// The report has times in s, which are exact to less than this.
const SAME_TIME_NS: u64 = 2_000;
/// Bytes of the timestamps option, which each segment carries beside its payload.
const TIMESTAMPS: u32 = 12;

/// A first copy.
struct First {
    start: u64,
    end: u64,
    time_ns: u64,
    lost: Option<bool>,
}

/// The trace of a direction, or why there is none. `None` for a direction with little data.
pub(crate) fn of_direction(
    log: &HostLog,
    connection: &ConnectionReport,
    place: usize,
) -> Option<Result<DeliveryTrace, String>> {
    let direction = connection.directions.get(place)?;
    if direction.data_segments < MIN_OUTCOMES as u64 {
        return None;
    }
    let from = &direction.from;
    let to = if place == 0 { &connection.server } else { &connection.client };
    let refused = |why: &str| Some(Err(format!("no trace of {from} -> {to}: {why}")));
    let at_sender = if place == 0 { "client" } else { "server" };
    if connection.vantage != at_sender {
        return refused(
            "the capture was not taken at the sender, so it lacks what was lost before",
        );
    }
    let both = |has: fn(&crate::tcp::report::HandshakeReport) -> bool| {
        connection.handshake.iter().all(has)
    };
    let timestamps = both(|end| end.timestamps);
    if !timestamps && !both(|end| end.sack_permitted) {
        return refused("neither SACK nor timestamps show which retransmissions were spurious");
    }
    let pair = log.pair_named(from, to)?;
    let mss = connection.handshake.iter().filter_map(|end| end.mss).min().map(u32::from);
    let piece = mss.map(|mss| mss.saturating_sub(if timestamps { TIMESTAMPS } else { 0 }).max(1));
    let (firsts, acked) = firsts(log, pair, direction, piece);
    Some(Ok(trace(&firsts, acked, direction, to)))
}

/// The first copies, with their fates as far as retransmissions show them, and the highest ACK.
fn firsts(
    log: &HostLog,
    pair: u64,
    direction: &DirectionReport,
    piece: Option<u32>,
) -> (Vec<First>, u64) {
    let reverse = log.reverse(pair);
    let mut events = direction.events.iter().peekable();
    let mut firsts: Vec<First> = Vec::new();
    // Positions in the stream; sequence numbers wrap.
    let (mut next, mut acked) = (1u64 << 32, 0u64);
    let mut begun = false;
    for packet in &log.packets {
        let identity = &packet.identity;
        if Some(identity.pair) == reverse {
            if let Some(number) = identity.acknowledgement.filter(|_| begun) {
                acked = acked.max(unwrap(next, number));
            }
            continue;
        }
        if identity.pair != pair || identity.payload == 0 {
            continue;
        }
        if !begun {
            begun = true;
            next += u64::from(identity.sequence);
        }
        let start = unwrap(next, identity.sequence);
        let end = start + u64::from(identity.payload);
        if start >= next {
            let mut at = start;
            while at < end {
                let until = piece.map_or(end, |piece| end.min(at + u64::from(piece)));
                firsts.push(First { start: at, end: until, time_ns: packet.time_ns, lost: None });
                at = until;
            }
            next = end;
        } else if let Some(event) = take(&mut events, packet.time_ns, identity.sequence) {
            decide(&mut firsts, start, end, !event.spurious);
        }
    }
    (firsts, acked)
}

/// The retransmission at this time with this number, if there is one.
fn take<'a>(
    events: &mut std::iter::Peekable<impl Iterator<Item = &'a RetransmissionEvent>>,
    time_ns: u64,
    sequence: u32,
) -> Option<&'a RetransmissionEvent> {
    let ns = |event: &RetransmissionEvent| u64::saturate(event.time_s * 1e9);
    while events.next_if(|event| ns(event) + SAME_TIME_NS < time_ns).is_some() {}
    let is_it = |event: &&RetransmissionEvent| {
        event.sequence == sequence && ns(event).abs_diff(time_ns) <= SAME_TIME_NS
    };
    events.next_if(is_it)
}

/// Sets the fate of the first copies in a range; the first retransmission of each decides.
fn decide(firsts: &mut [First], start: u64, end: u64, lost: bool) {
    let from = firsts.partition_point(|first| first.end <= start);
    for first in firsts[from..].iter_mut().take_while(|first| first.start < end) {
        first.lost.get_or_insert(lost);
    }
}

fn trace(firsts: &[First], acked: u64, direction: &DirectionReport, to: &str) -> DeliveryTrace {
    let is_known = |first: &&First| first.end <= acked;
    let outcome = |first: &First| (first.time_ns, !first.lost.unwrap_or(false));
    let outcomes: Vec<(u64, bool)> = firsts.iter().filter(is_known).map(outcome).collect();
    let mut notes = Vec::new();
    let undecided = firsts.len() - outcomes.len();
    note(
        &mut notes,
        undecided as u64,
        "segment at the end was not acknowledged and is left out",
        "segments at the end were not acknowledged and are left out",
    );
    note(
        &mut notes,
        direction.capture_losses,
        "segment is not in the capture (estimated)",
        "segments are not in the capture (estimated)",
    );
    if direction.events.iter().any(|event| !event.spurious) {
        notes.push(
            "a retransmission that nothing shows as spurious counts as a loss of the first copy"
                .to_owned(),
        );
    }
    DeliveryTrace {
        from: direction.from.clone(),
        to: to.to_owned(),
        unit: Unit::Segment,
        outcomes,
        notes,
    }
}
