//! One connection at two points: the clocks, which point is nearer to the client, and what happened to
//! the data between them.

use std::collections::BTreeMap;

use super::copies::{Copies, Copy};
use super::report::{BetweenDirection, BetweenReport, ClockReport};
use super::stretch::Stretches;
use crate::air::report::DurationReport;
use crate::clocks::{Line, Point, fit};
use crate::join::hosts::HostPacket;
use crate::tcp::RetransmissionEvent;
use crate::tcp::report::ConnectionReport;
use crate::times::Times;

/// Fewest packets that both captures have that show that they belong together.
const MIN_COMMON: usize = 5;
/// A segment that was sent this long before the other capture ended should be there, in ns.
const ON_THE_WAY_NS: f64 = 1e9;
/// Uncertainty of the clocks at which two captures were taken at one place, in ns.
const SAME_PLACE_NS: f64 = 2000.0;
/// Difference of two times of one event, in s: times of events are rounded.
const SAME_S: f64 = 2e-6;

/// A connection at one point.
pub(super) struct Seen<'a> {
    pub(super) point: u32,
    /// Number of the clock of its times.
    pub(super) clock: u32,
    /// Its ends: the client, as the first point has it, and the server.
    pub(super) ends: [&'a str; 2],
    pub(super) report: &'a ConnectionReport,
    /// Packets of the client, and of the server, in the order of their times.
    pub(super) packets: [Vec<HostPacket>; 2],
    /// When the capture began and ended, in ns since 1970-01-01.
    pub(super) time_ns: [u64; 2],
    pub(super) omitted: u64,
}

/// The clock of one point by that of another.
#[derive(Clone, Copy)]
struct Clock {
    base_ns: u64,
    line: Line,
}

impl Clock {
    /// A time of the second point by the clock of the first, in ns since the base.
    fn here(&self, ns: u64) -> f64 {
        let at = since(ns, self.base_ns);
        at - self.line.at((at - self.line.offset) / 1e9)
    }
}

fn since(ns: u64, base: u64) -> f64 {
    if ns >= base { (ns - base) as f64 } else { -((base - ns) as f64) }
}

/// Differences of the timestamps of packets that both points have once.
fn differences(a: &[HostPacket], b: &[HostPacket], base_ns: u64) -> Vec<Point> {
    let once = |packets: &[HostPacket]| {
        let mut found: BTreeMap<(u64, u16), Option<u64>> = BTreeMap::new();
        for packet in packets {
            let key = (packet.identity.key, packet.identity.ip_id);
            let time = found.entry(key).or_insert(Some(packet.time_ns));
            if *time != Some(packet.time_ns) {
                *time = None;
            }
        }
        found
    };
    let (here, there) = (once(a), once(b));
    let pair = |(key, time): (&(u64, u16), &Option<u64>)| {
        let (here, there) = ((*time)?, (*there.get(key)?)?);
        Some((since(here, base_ns) / 1e9, since(there, base_ns) - since(here, base_ns)))
    };
    here.iter().filter_map(pair).collect()
}

/// The time of the first packet at the first point, and the differences of the client's and of the
/// server's packets since then.
fn all_differences(a: &Seen<'_>, b: &Seen<'_>) -> Option<(u64, [Vec<Point>; 2])> {
    let base_ns = a.packets.iter().flatten().map(|packet| packet.time_ns).min()?;
    let of = |end: usize| differences(&a.packets[end], &b.packets[end], base_ns);
    Some((base_ns, [of(0), of(1)]))
}

/// Compares a connection at two points; `None` if they have too few packets in common.
pub(super) fn compare(a: &Seen<'_>, b: &Seen<'_>) -> Option<BetweenReport> {
    let (base_ns, [client, server]) = all_differences(a, b)?;
    if client.len() + server.len() < MIN_COMMON {
        return None;
    }
    // Packets pass the point nearer to their sender first.
    if a.clock == b.clock {
        let clock = Clock { base_ns, line: Line { uncertainty: Some(0.0), ..Line::default() } };
        let later = |times: &[Point]| times.iter().filter(|(_, later)| *later > 0.0).count();
        let earlier = |times: &[Point]| times.iter().filter(|(_, later)| *later < 0.0).count();
        let is_nearer = later(&client) + earlier(&server) >= earlier(&client) + later(&server);
        let (a, b) = if is_nearer { (a, b) } else { (b, a) };
        return Some(compare_in_order(a, b, clock));
    }
    let margin = |line: &Option<Line>| line.map_or(f64::NEG_INFINITY, |line| line.margin);
    let (near, far) = (fit(&client, &server), fit(&server, &client));
    if margin(&far) > margin(&near) {
        let (base_ns, [client, server]) = all_differences(b, a)?;
        return in_two_places(b, a, Clock { base_ns, line: fit(&client, &server)? });
    }
    in_two_places(a, b, Clock { base_ns, line: near? })
}

/// Compares a connection at two points with clocks of their own, unless they are one place.
fn in_two_places(a: &Seen<'_>, b: &Seen<'_>, clock: Clock) -> Option<BetweenReport> {
    // No time passes between two captures of one place, such as two copies of a file.
    let is_one = clock.line.uncertainty.is_some_and(|ns| ns <= SAME_PLACE_NS);
    (!is_one).then(|| compare_in_order(a, b, clock))
}

/// Compares a connection at two points, of which the first is nearer to the client.
fn compare_in_order(a: &Seen<'_>, b: &Seen<'_>, clock: Clock) -> BetweenReport {
    let base_ns = clock.base_ns;
    let directions = [(a, b, 0), (b, a, 1)].map(|(near, far, end)| {
        let delay = |sent: u64, arrived: u64| match end {
            0 => clock.here(arrived) - since(sent, base_ns),
            _ => since(arrived, base_ns) - clock.here(sent),
        };
        let of_far = |ns: u64| match end {
            0 => clock.here(ns),
            _ => since(ns, base_ns),
        };
        let of_near = |ns: u64| match end {
            0 => since(ns, base_ns),
            _ => clock.here(ns),
        };
        let window = far.time_ns.map(of_far);
        let slack = clock.line.uncertainty.unwrap_or(0.0);
        let mut copies = Copies::new(near.packets[end].iter());
        for packet in far.packets[end].iter().filter(|packet| packet.identity.payload > 0) {
            copies.arrive(packet.identity, slack, |sent| delay(sent, packet.time_ns));
        }
        let mut report = direction(near, end, &copies, of_near, window);
        if !is_at(far, far.ends[1 - end]) {
            report.spurious = None;
            report.by_evidence.clear();
        }
        report
    });
    BetweenReport {
        client: a.ends[0].to_owned(),
        server: a.ends[1].to_owned(),
        points: [a.point, b.point],
        clock: ClockReport {
            offset_s: clock.line.offset / 1e9,
            drift_ppm: clock.line.drift / 1000.0,
            uncertainty_s: clock.line.uncertainty.map(|ns| ns / 1e9),
        },
        directions: directions.into(),
        omitted: a.omitted + b.omitted,
    }
}

/// True if a connection was captured at one of its ends.
fn is_at(seen: &Seen<'_>, end: &str) -> bool {
    let place = if seen.report.client == end { "client" } else { "server" };
    seen.report.vantage == place
}

/// Counts what happened to the data of one end.
fn direction(
    near: &Seen<'_>,
    end: usize,
    copies: &Copies,
    at: impl Fn(u64) -> f64,
    window: [f64; 2],
) -> BetweenDirection {
    let from = near.report.directions.iter().find(|direction| direction.from == near.ends[end]);
    let events = from.map_or(&[][..], |direction| &direction.events);
    let mut report = BetweenDirection {
        from: near.ends[end].to_owned(),
        duplicated: copies.duplicated,
        not_seen_sent: copies.not_seen_sent,
        ..BetweenDirection::default()
    };
    let has_arrived = |copy: &&Copy| !copy.arrived.is_empty();
    let last = copies.sent.iter().rev().find(has_arrived).map_or(0, |copy| copy.time_ns);
    let (mut sent, mut arrived) = (Stretches::default(), Stretches::default());
    let (mut delays, mut spurious) = (Times::default(), 0);
    for copy in &copies.sent {
        let time = at(copy.time_ns);
        let is_judged =
            time >= window[0] && (copy.time_ns <= last || time + ON_THE_WAY_NS <= window[1]);
        let is_again = sent.holds(copy.bytes);
        if is_judged {
            report.sent += 1;
            report.lost += u64::from(!copy.missing.is_empty());
            report.lost_bytes += copy.missing.iter().map(|(start, end)| end - start).sum::<u64>();
        }
        if is_judged && is_again {
            let is_spurious = arrived.holds(copy.bytes);
            report.retransmissions += 1;
            spurious += u64::from(is_spurious);
            let counts = report.by_evidence.entry(evidence(events, copy)).or_default();
            *(if is_spurious { &mut counts.arrived } else { &mut counts.lost }) += 1;
        }
        if let Some(ns) = copy.delay {
            delays.add(airtcp_units::Saturate::saturate(ns));
        }
        sent.add(copy.bytes);
        copy.arrived.iter().for_each(|part| arrived.add(*part));
    }
    report.delay_s = DurationReport::of(&delays);
    report.spurious = Some(spurious);
    report
}

/// What the capture near the sender shows of a retransmission.
fn evidence(events: &[RetransmissionEvent], copy: &Copy) -> String {
    let time_s = copy.time_ns as f64 / 1e9;
    let from = events.partition_point(|event| event.time_s < time_s - SAME_S);
    let near = events[from..].iter().take_while(|event| event.time_s <= time_s + SAME_S);
    let names = near
        .filter(|event| event.sequence == copy.identity.sequence)
        .flat_map(|event| event.evidence.names())
        .collect::<Vec<_>>()
        .join("+");
    if names.is_empty() { "none".to_owned() } else { names }
}
