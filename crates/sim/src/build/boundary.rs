//! Schemes at the transport boundary of access points: which flows they act on, and their machines.
//!
//! A scheme acts on TCP flows without coding that the access point forwards in both directions, over
//! the air of its cell at least in one. All other packets pass.

use std::collections::BTreeSet;

use airtcp_packet::{EndpointId, Side};
use airtcp_probe::Probe;
use airtcp_random::Seed;
use airtcp_scenario::{Cell, Flow, Resolved, ScenarioError, TransportKind};
use airtcp_transport::middle::{
    AckAgent, Eln, Guarded, Middlebox, Snoop, SnoopParams, Split, SplitParams,
};
use airtcp_units::{Nanos, Narrow};
use airtcp_wifi::scheme::Boundary;

use super::paths::{hop_from, routes};
use super::radio_map::label;
use crate::world::World;
use crate::world::boundary::BoundaryPlan;
use crate::world::routes::{Hop, Routes};

/// Adds the boundaries of all cells to a world that has its hops through the air.
pub(super) fn add_boundaries<P: Probe>(
    world: &mut World<P>,
    plan: &Resolved,
    seed: Seed,
) -> Result<(), ScenarioError> {
    let mut known: Option<Routes> = None;
    for (number, cell) in plan.cells.iter().enumerate() {
        if cell.spec.schemes.is_empty() {
            continue;
        }
        let Some(boundary) = scheme_of(cell)? else { continue };
        let routes = known.get_or_insert_with(|| routes(plan));
        let added = boundary_plan(plan, routes, number, cell, &boundary);
        world.add_boundary(added, seed.number(&format!("{}/boundary/tie", label(&cell.spec))));
    }
    Ok(())
}

/// Whether the schemes at the transport boundaries of a plan have a flow that they act on; `None` if no
/// cell has such a scheme.
///
/// # Errors
/// If a scheme is impossible in its cell.
pub fn boundary_flows(plan: &Resolved) -> Result<Option<bool>, ScenarioError> {
    let (mut found, mut known) = (None, None);
    for (number, cell) in plan.cells.iter().enumerate() {
        if cell.spec.schemes.is_empty() || scheme_of(cell)?.is_none() {
            continue;
        }
        let routes = known.get_or_insert_with(|| routes(plan));
        let mut flows = plan.flows.iter().enumerate();
        let acts =
            flows.any(|(i, f)| crossing(plan, routes, number, cell.nodes[0], i, f).is_some());
        found = Some(found.unwrap_or(false) || acts);
    }
    Ok(found)
}

/// The scheme at the transport boundary of a cell.
pub(crate) fn scheme_of(cell: &Cell) -> Result<Option<Boundary>, ScenarioError> {
    let at = |(table, e): (String, airtcp_wifi::ConfigError)| {
        ScenarioError::at(format!("{}.{table}.{}", cell.path, e.key), e.message)
    };
    let boundary = cell.spec.seams().map_err(at)?.boundary;
    if boundary == Some(Boundary::AckAgent)
        && let Some(clash) = cell.spec.mac.aggregates(cell.spec.standard)
    {
        let message = format!(
            "has ack-agent, which waits for the MAC ACKs of single frames and does not go with {clash}"
        );
        return Err(ScenarioError::at(format!("{}.schemes", cell.path), message));
    }
    Ok(boundary)
}

/// A flow that a boundary acts on.
struct Crossing<'a> {
    number: u32,
    flow: &'a Flow,
    /// By side, whether the access point sends to that end through the air of its cell.
    by_air: [bool; 2],
}

fn boundary_plan(
    plan: &Resolved,
    routes: &Routes,
    number: usize,
    cell: &Cell,
    boundary: &Boundary,
) -> BoundaryPlan {
    let access_point = cell.nodes[0];
    let flows: Vec<Crossing<'_>> = (plan.flows.iter().enumerate())
        .filter_map(|(i, flow)| crossing(plan, routes, number, access_point, i, flow))
        .collect();
    let node = |flow: &Flow, side| if side == Side::Client { flow.from } else { flow.to };
    let is_agent = matches!(boundary, Boundary::AckAgent);
    let mut guarded = Guarded::new();
    let mut crossings = BTreeSet::new();
    for Crossing { number, flow, by_air } in &flows {
        for side in [Side::Client, Side::Server] {
            let end = node(flow, side);
            crossings.insert((u32::narrow(access_point), u32::narrow(end), false));
            // A MAC acknowledgement says nothing of what lies behind the station.
            if by_air[side as usize] && (!is_agent || cell.nodes.contains(&end)) {
                guarded.insert(EndpointId::new(*number, side));
                if is_agent {
                    let other = u32::narrow(node(flow, side.peer()));
                    crossings.insert((u32::narrow(end), other, true));
                }
            }
        }
    }
    BoundaryPlan {
        scheme: scheme_name(boundary),
        cell: number,
        machine: machine(boundary, guarded, &flows),
        node: u32::narrow(access_point),
        flows: flows.iter().map(|crossing| crossing.number).collect(),
        splits: matches!(boundary, Boundary::SplitTcp { .. }),
        crossings: crossings.into_iter().collect(),
    }
}

/// What a boundary needs to know of a flow, if it acts on it.
fn crossing<'a>(
    plan: &Resolved,
    routes: &Routes,
    cell: usize,
    access_point: usize,
    number: usize,
    flow: &'a Flow,
) -> Option<Crossing<'a>> {
    if flow.transport != TransportKind::Tcp || flow.from == access_point || flow.to == access_point
    {
        return None;
    }
    let in_cell = |number: u32| plan.air_hop(number as usize).is_some_and(|hop| hop.cell == cell);
    let by_air = |from: usize, to: usize| -> Option<bool> {
        let next = hop_from(plan, routes, from, to, access_point)?;
        Some(matches!(next, Hop::Air(number) if in_cell(number)))
    };
    let by_air = [by_air(flow.to, flow.from)?, by_air(flow.from, flow.to)?];
    let number = u32::narrow(number);
    by_air.contains(&true).then_some(Crossing { number, flow, by_air })
}

pub(crate) const fn scheme_name(boundary: &Boundary) -> &'static str {
    match boundary {
        Boundary::Snoop { .. } => "snoop",
        Boundary::SplitTcp { .. } => "split-tcp",
        Boundary::AckAgent => "ack-agent",
        Boundary::Eln => "eln",
    }
}

fn machine(boundary: &Boundary, guarded: Guarded, flows: &[Crossing<'_>]) -> Box<dyn Middlebox> {
    match *boundary {
        Boundary::Snoop { cache_segments, dup_thresh, rto_min, rto_max } => {
            let params = SnoopParams { cache_segments, dup_thresh, rto_min, rto_max };
            Box::new(Snoop::new(params, guarded))
        }
        Boundary::SplitTcp { late, buffer, fails_at } => {
            let fails_at = fails_at.map_or(Nanos::NEVER, |at| Nanos::ZERO + at);
            let flows = flows.iter().map(|c| (c.number, c.flow.tcp.clone()));
            Box::new(Split::new(&SplitParams { late, buffer, fails_at }, flows))
        }
        Boundary::AckAgent => Box::new(AckAgent::new(guarded)),
        Boundary::Eln => {
            let ends =
                flows.iter().map(|c| [Side::Client, Side::Server].map(|side| (c.number, side)));
            Box::new(Eln::new(ends.flatten().map(|(n, side)| EndpointId::new(n, side)).collect()))
        }
    }
}
