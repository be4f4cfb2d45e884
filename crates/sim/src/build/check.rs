//! Checks of a flow's path: that a path exists, that its round trip takes time, and that the flow's packets
//! fit.

use airtcp_link::ProtocolConfig;
use airtcp_queueing::QueueConfig;
use airtcp_scenario::{
    Application, Cell, Flow, MAX_PACKET, OneWay, Resolved, ScenarioError, TransportKind,
};
use airtcp_sliding::SYMBOL_OPTION;
use airtcp_transport::tfrc::{DATA_HEADER, REPORT};
use airtcp_units::{Bytes, Span};

use super::paths::{path, routes};
use super::tfrc_packet;
use crate::world::routes::{Hop, Routes};

/// Headers of a TCP segment. Options reduce its payload.
const TCP_HEADERS: u64 = 40;
const UDP_HEADERS: u64 = 28;
/// A pure acknowledgement with all possible options.
const LONGEST_ACK: u64 = 80;
/// A packet of the sliding transport that opens a flow: headers and an option with one word.
const SLIDING_OPENING: u64 = TCP_HEADERS + 8;
/// The minimum mss and its headers.
const MIN_FOR_TCP: u64 = 48 + TCP_HEADERS;

/// Checks a plan without real traffic.
///
/// # Errors
/// What is for real traffic only; the first flow that cannot run, and the hop that prevents it.
pub(crate) fn check(plan: &Resolved) -> Result<(), ScenarioError> {
    refuse_outside(plan)?;
    check_flows(plan)
}

/// Checks every flow against the hops of its path.
///
/// # Errors
/// The first flow that cannot run, and the hop that prevents it.
pub(crate) fn check_flows(plan: &Resolved) -> Result<(), ScenarioError> {
    super::memory::check(plan)?;
    let routes = routes(plan);
    let limited = !plan.cells.is_empty() || plan.links.iter().any(|l| l.direction.mtu.is_some());
    for flow in &plan.flows {
        let there = hops(plan, &routes, flow, flow.from, flow.to)?;
        let back = hops(plan, &routes, flow, flow.to, flow.from)?;
        if !is_paced(flow) && !there.iter().chain(&back).any(PathHop::takes_time) {
            let path = there.first().map_or("links", |hop| hop.place().0);
            return Err(ScenarioError::at(
                format!("{path}.delay"),
                format!(
                    "the path of flow \"{}\" from \"{}\" to \"{}\" and back takes no time, so the run would \
                     never end: give one of its links a rate, a slot or a delay",
                    flow.name, plan.nodes[flow.from], plan.nodes[flow.to]
                ),
            ));
        }
        let (ahead, behind) = longest(flow);
        if limited {
            check_mtu(flow, &there, ahead)?;
            check_mtu(flow, &back, behind)?;
        }
        check_bursts(flow, &there, ahead)?;
        check_bursts(flow, &back, behind)?;
        let (ahead, behind) = shortest(flow);
        check_units(flow, &there, ahead)?;
        check_units(flow, &back, behind)?;
    }
    Ok(())
}

/// Refuses what is for real traffic in a run.
fn refuse_outside(plan: &Resolved) -> Result<(), ScenarioError> {
    if !plan.scenario.outside.is_empty() {
        return Err(ScenarioError::at(
            "outside",
            "names nodes for real traffic, which a run does not have: use airtcp emulate, or take the tables out",
        ));
    }
    match plan.cells.iter().find(|cell| cell.spec.dscp) {
        None => Ok(()),
        Some(cell) => Err(ScenarioError::at(
            format!("{}.dscp", cell.path),
            "is for real packets, which a run does not have: use airtcp emulate, or omit the key and set \
             access_category of the flows",
        )),
    }
}

/// One hop of a flow's path.
enum PathHop<'a> {
    Link(&'a OneWay),
    Air(&'a Cell),
}

impl PathHop<'_> {
    fn takes_time(&self) -> bool {
        match self {
            Self::Link(link) => takes_time(link),
            Self::Air(_) => true,
        }
    }

    /// Maximum packet size, if limited.
    fn mtu(&self) -> Option<Bytes> {
        match self {
            Self::Link(link) => link.direction.mtu,
            Self::Air(_) => Some(Bytes(MAX_PACKET)),
        }
    }

    fn place(&self) -> (&str, &str) {
        match self {
            Self::Link(link) => (&link.path, &link.name),
            Self::Air(cell) => (&cell.path, &cell.spec.name),
        }
    }
}

/// The hops on the path from `node` to `end`.
fn hops<'a>(
    plan: &'a Resolved,
    routes: &Routes,
    flow: &Flow,
    node: usize,
    end: usize,
) -> Result<Vec<PathHop<'a>>, ScenarioError> {
    let crossed = |hop| match hop {
        Hop::Link(number) => Some(PathHop::Link(&plan.links[number as usize])),
        Hop::Air(number) => Some(PathHop::Air(&plan.cells[plan.air_hop(number as usize)?.cell])),
    };
    let path = path(plan, routes, node, end);
    path.and_then(|path| path.into_iter().map(crossed).collect()).ok_or_else(|| {
        ScenarioError::at(
            "flows",
            format!(
                "there is no path from \"{}\" to \"{}\", which flow \"{}\" needs",
                plan.nodes[node], plan.nodes[end], flow.name
            ),
        )
    })
}

/// True if the application limits the rate of the flow.
const fn is_paced(flow: &Flow) -> bool {
    flow.app.message().is_some()
}

fn takes_time(link: &OneWay) -> bool {
    let d = &link.direction;
    d.rate.is_some()
        || d.slot.is_some()
        || d.delay.as_ref().is_some_and(|delay| delay.shortest() > Span::ZERO)
}

/// Longest packets of a flow, there and back.
fn longest(flow: &Flow) -> (u64, u64) {
    let segment = |most: u64| (u64::from(flow.tcp.mss).min(most) + TCP_HEADERS).max(LONGEST_ACK);
    match (flow.transport, &flow.app) {
        (TransportKind::Udp, app) => {
            (app.messages().map_or(0, |[_, largest]| largest.0 + UDP_HEADERS), 0)
        }
        (TransportKind::Tfrc, _) => (
            u64::from(tfrc_packet(flow)) + u64::from(DATA_HEADER) + UDP_HEADERS,
            u64::from(REPORT) + UDP_HEADERS,
        ),
        (TransportKind::LtTcp, app) => {
            // Both ends have the same `lt`: if they offer coding, they use it.
            let data = segment(if flow.lt.offer { u64::from(flow.lt.mss_max) } else { u64::MAX });
            let both = matches!(app, Application::RequestResponse { .. });
            (data, if both { data } else { LONGEST_ACK })
        }
        (TransportKind::Sliding, app) => {
            let data = u64::from(flow.sliding.segment + SYMBOL_OPTION) + TCP_HEADERS;
            let both = matches!(app, Application::RequestResponse { .. });
            (data, if both { data } else { LONGEST_ACK })
        }
        (TransportKind::Tcp, Application::Bulk { size: Some(size), .. }) => {
            (segment(size.0), LONGEST_ACK)
        }
        (TransportKind::Tcp, Application::RequestResponse { request, response, .. }) => {
            (segment(request.0), segment(response.0))
        }
        (TransportKind::Tcp, _) => (segment(u64::MAX), LONGEST_ACK),
    }
}

/// Shortest packets of a flow, there and back; `None` for a direction without packets.
fn shortest(flow: &Flow) -> (Option<u64>, Option<u64>) {
    match flow.transport {
        TransportKind::Udp => match longest(flow) {
            (0, _) => (None, None),
            (bytes, _) => (Some(bytes), None),
        },
        TransportKind::Tfrc => {
            let (ahead, behind) = longest(flow);
            (Some(ahead), Some(behind))
        }
        TransportKind::Sliding => (Some(SLIDING_OPENING), Some(SLIDING_OPENING)),
        TransportKind::Tcp | TransportKind::LtTcp => (Some(TCP_HEADERS), Some(TCP_HEADERS)),
    }
}

/// Refuses a link protocol whose units would be shorter than one byte.
fn check_units(
    flow: &Flow,
    hops: &[PathHop<'_>],
    shortest: Option<u64>,
) -> Result<(), ScenarioError> {
    let Some(shortest) = shortest else { return Ok(()) };
    for hop in hops {
        let PathHop::Link(link) = hop else { continue };
        let protocol = link.direction.protocol.as_ref().and_then(ProtocolConfig::common);
        if let Some(common) = protocol.filter(|c| u64::from(c.units) > shortest) {
            return Err(ScenarioError::at(
                format!("{}.protocol.units", link.path),
                format!(
                    "is {}, but flow \"{}\" sends packets of {shortest} B over \"{}\", and a unit \
                     has at least one byte: expected up to {shortest}",
                    common.units, flow.name, link.name
                ),
            ));
        }
    }
    Ok(())
}

/// Refuses a token bucket that is smaller than a packet, which would never pass.
fn check_bursts(flow: &Flow, hops: &[PathHop<'_>], longest: u64) -> Result<(), ScenarioError> {
    for hop in hops {
        let PathHop::Link(link) = hop else { continue };
        let policer = link.direction.policer.map(|policer| ("policer", policer.burst));
        let shaper = match &link.direction.queue {
            Some(QueueConfig::Tbf(shaper)) => Some(("queue", shaper.burst)),
            _ => None,
        };
        let buckets = [policer, shaper].into_iter().flatten();
        if let Some((key, burst)) = buckets.into_iter().find(|(_, burst)| burst.0 < longest) {
            return Err(ScenarioError::at(
                format!("{}.{key}.burst", link.path),
                format!(
                    "is {burst}, but flow \"{}\" sends packets of {longest} B over \"{}\", which never pass: \
                     expected {longest} B and more",
                    flow.name, link.name
                ),
            ));
        }
    }
    Ok(())
}

fn check_mtu(flow: &Flow, hops: &[PathHop<'_>], longest: u64) -> Result<(), ScenarioError> {
    let narrow =
        hops.iter().find_map(|hop| hop.mtu().filter(|mtu| mtu.0 < longest).map(|mtu| (hop, mtu)));
    let Some((hop, mtu)) = narrow else { return Ok(()) };
    let (path, name) = hop.place();
    let what = match flow.transport {
        TransportKind::Tfrc => format!(
            "nothing is fragmented, so its packets are at most {} B",
            mtu.0.saturating_sub(UDP_HEADERS + u64::from(DATA_HEADER))
        ),
        TransportKind::Sliding => format!(
            "with segment = {}; one of at most {} B fits",
            flow.sliding.segment,
            mtu.0.saturating_sub(TCP_HEADERS + u64::from(SYMBOL_OPTION))
        ),
        TransportKind::Udp => {
            format!("nothing is fragmented, so its message is at most {} B", mtu.0 - UDP_HEADERS)
        }
        TransportKind::Tcp | TransportKind::LtTcp if mtu.0 < MIN_FOR_TCP => {
            format!("TCP needs at least {MIN_FOR_TCP} B, with mss = 48")
        }
        TransportKind::LtTcp if flow.lt.offer => format!(
            "with lt.mss_max = {} and tcp.mss = {}; one of them at most {} fits",
            flow.lt.mss_max,
            flow.tcp.mss,
            mtu.0 - TCP_HEADERS
        ),
        TransportKind::Tcp | TransportKind::LtTcp => {
            format!("with mss = {}; an mss of at most {} fits", flow.tcp.mss, mtu.0 - TCP_HEADERS)
        }
    };
    // The maximum packet of a cell is not configurable.
    let (path, limit) = match hop {
        PathHop::Link(_) => (format!("{path}.mtu"), format!("is {mtu}")),
        PathHop::Air(_) => (path.to_owned(), format!("802.11 carries packets of at most {mtu}")),
    };
    Err(ScenarioError::at(
        path,
        format!(
            "{limit}, but flow \"{}\" sends packets of {longest} B over \"{name}\" ({what})",
            flow.name
        ),
    ))
}
