//! The links that a flow crosses: what a cost per hop is taken over.

use airtcp_scenario::Resolved;

use crate::build::routes;

/// Numbers of the directions of links, in [`Resolved::links`], that data of flow number `flow` cross
/// on their way to its other end; hops through the air are left out. None if no way leads there.
pub fn links_on_way(plan: &Resolved, flow: usize) -> Vec<usize> {
    let Some(flow) = plan.flows.get(flow) else { return Vec::new() };
    let (routes, hops) = (routes(plan), plan.air_hops());
    let (mut node, mut links) = (flow.from, Vec::new());
    while node != flow.to {
        let Some(next) = routes.next(node as u32, flow.to as u32) else { return Vec::new() };
        let next = next as usize;
        if let Some(link) = plan.links.get(next) {
            links.push(next);
            node = link.to;
        } else {
            let Some(hop) = hops.get(next - plan.links.len()) else { return Vec::new() };
            node = plan.cells[hop.cell].nodes[hop.to];
        }
    }
    links
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
        // Each link is two directions, as written and back.
        assert_eq!(links_on_way(&plan, 0), [0, 3]);
        assert_eq!(links_on_way(&plan, 1), [1]);
        assert!(links_on_way(&plan, 2).is_empty());
    }
}
