//! The paths of flows through a plan, hop by hop.

use airtcp_scenario::{AirHop, Flow, Resolved};
use airtcp_units::Narrow;

use crate::world::routes::{Hop, Routes};

/// The paths of all flows, there and back.
pub(crate) fn routes(plan: &Resolved) -> Routes {
    let links: Vec<_> = plan.links.iter().map(|l| (l.from, l.to)).collect();
    let pairs = plan.flows.iter().flat_map(|f| [(f.from, f.to), (f.to, f.from)]);
    Routes::new(plan.nodes.len(), &links, &air_hops(plan), pairs)
}

/// The two nodes of each hop through the air.
fn air_hops(plan: &Resolved) -> Vec<(usize, usize)> {
    let hops = plan.air_hops().into_iter().map(|hop| {
        let nodes = &plan.cells[hop.cell].nodes;
        (nodes[hop.from], nodes[hop.to])
    });
    hops.collect()
}

/// The hops from `node` to `end`; `None` if no path leads there.
pub(crate) fn path(plan: &Resolved, routes: &Routes, node: usize, end: usize) -> Option<Vec<Hop>> {
    let steps = steps(plan, routes, node, end)?;
    Some(steps.into_iter().map(|(_, hop)| hop).collect())
}

/// The nodes from `node` to `end`, each with its hop; `None` if no path leads there.
fn steps(
    plan: &Resolved,
    routes: &Routes,
    mut node: usize,
    end: usize,
) -> Option<Vec<(usize, Hop)>> {
    let mut path = Vec::new();
    while node != end {
        let hop = routes.next(u32::narrow(node), u32::narrow(end))?;
        path.push((node, hop));
        node = match hop {
            Hop::Link(number) => plan.links[number as usize].to,
            Hop::Air(number) => {
                let hop = plan.air_hop(number as usize)?;
                plan.cells[hop.cell].nodes[hop.to]
            }
        };
    }
    Some(path)
}

/// The hop from `node` on the path from `start` to `end`; `None` if the path does not pass the node.
pub(crate) fn hop_from(
    plan: &Resolved,
    routes: &Routes,
    start: usize,
    end: usize,
    node: usize,
) -> Option<Hop> {
    let steps = steps(plan, routes, start, end)?;
    steps.into_iter().find(|(at, _)| *at == node).map(|(_, hop)| hop)
}

/// The links and cells on the way of a flow in one direction.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Way {
    /// Indices of [`Resolved::links`], in the order of the way.
    pub links: Vec<usize>,
    /// Numbers of the cells whose medium it crosses.
    pub cells: Vec<usize>,
}

/// By flow, the ways from its `from` to its `to`, and back. Empty if there is no path.
pub fn ways(plan: &Resolved) -> Vec<[Way; 2]> {
    let (routes, air) = (routes(plan), plan.air_hops());
    let way = |from: usize, to: usize| {
        let mut way = Way::default();
        for (_, hop) in steps(plan, &routes, from, to).unwrap_or_default() {
            match hop {
                Hop::Link(number) => way.links.push(number as usize),
                Hop::Air(number) => way.cells.push(air[number as usize].cell),
            }
        }
        way.cells.dedup();
        way
    };
    plan.flows.iter().map(|flow| [way(flow.from, flow.to), way(flow.to, flow.from)]).collect()
}

/// By flow, whether it starts. A flow that `without` names does not, nor does one that passes the air of a cell
/// that `without` names.
pub(crate) fn starts(plan: &Resolved, routes: &Routes) -> Vec<bool> {
    let out = |hop: &Hop, hops: &[AirHop]| match hop {
        Hop::Air(number) => plan.cells[hops[*number as usize].cell].taken_out,
        Hop::Link(_) => false,
    };
    if !plan.cells.iter().any(|cell| cell.taken_out) {
        return plan.flows.iter().map(|flow| !flow.taken_out).collect();
    }
    let hops = plan.air_hops();
    let passes = |from: usize, to: usize| {
        let path = path(plan, routes, from, to).unwrap_or_default();
        path.iter().any(|hop| out(hop, &hops))
    };
    let ends = |flow: &Flow| passes(flow.from, flow.to) || passes(flow.to, flow.from);
    plan.flows.iter().map(|flow| !flow.taken_out && !ends(flow)).collect()
}

/// The links, as indices of [`Resolved::links`], on the path of the data of flow number `flow`, without
/// hops through the air. Empty if there is no path.
pub fn links_on_way(plan: &Resolved, flow: usize) -> Vec<usize> {
    let Some(Flow { from, to, .. }) = plan.flows.get(flow) else { return Vec::new() };
    let link = |hop| match hop {
        Hop::Link(number) => Some(number as usize),
        Hop::Air(_) => None,
    };
    let hops = path(plan, &routes(plan), *from, *to).unwrap_or_default();
    hops.into_iter().filter_map(link).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_not_back() {
        let text = "duration = \"1 s\"\n\
            links = [{ from = \"a\", to = \"b\", rate = \"1 Mb/s\" },\n\
            { from = \"c\", to = \"b\", rate = \"1 Mb/s\" }]\n\
            flows = [{ from = \"a\", to = \"c\" }, { from = \"b\", to = \"a\" }]";
        let plan = airtcp_scenario::read(text, "", &[]).unwrap().resolve().unwrap();
        // Each link has two directions.
        assert_eq!(links_on_way(&plan, 0), [0, 3]);
        assert_eq!(links_on_way(&plan, 1), [1]);
        assert!(links_on_way(&plan, 2).is_empty());
        assert_eq!(ways(&plan)[0][1].links, [2, 1]);
    }

    /// A hop through the air by its number is the one in the list of all.
    #[test]
    fn hops_through_the_air_by_number() {
        let cell = |name: &str, keys: &str| {
            format!(
                "[[cells]]\nname = \"{name}\"\naccess_point = \"{name}p\"\nprefix = \"{name}\"\n{keys}\n"
            )
        };
        let text = "duration = \"1 s\"\n".to_owned()
            + &cell("a", "layout = { kind = \"star\", stations = 3 }")
            + &cell(
                "b",
                "hops = \"chain\"\nlayout = { kind = \"line\", stations = 4, spacing_m = 5 }",
            )
            + "[[flows]]\nfrom = \"a0\"\nto = \"ap\"\n";
        let plan = airtcp_scenario::read(&text, "", &[]).unwrap().resolve().unwrap();
        let all = plan.air_hops();
        assert!(all.len() > 8);
        let each: Vec<AirHop> = (0..all.len()).filter_map(|i| plan.air_hop(i)).collect();
        assert_eq!(each, all);
        assert_eq!(plan.air_hop(all.len()), None);
    }
}
