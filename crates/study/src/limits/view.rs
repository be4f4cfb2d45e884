//! What the counters of a run show of the flows that are judged.

use std::collections::{BTreeMap, BTreeSet};

use airtcp_scenario::{Application, Resolved, Topology, TransportKind};
use airtcp_sim::Way;
use airtcp_sim::results::Replication;

use super::trial::Outcome;

/// A run of a scenario, seen from its judged flows.
pub(crate) struct View<'a> {
    pub(crate) plan: &'a Resolved,
    pub(crate) runs: &'a [Replication],
    /// Numbers of the judged flows.
    pub(crate) judged: &'a [usize],
    /// For each direction of a link, true if a judged flow sends data over it.
    pub(crate) carries_data: Vec<bool>,
    /// The same of ACKs.
    pub(crate) carries_acks: Vec<bool>,
    /// Cells on whose medium a judged flow sends.
    pub(crate) cells: BTreeSet<usize>,
    /// By flow, its ways there and back.
    pub(crate) ways: &'a [[Way; 2]],
    media: Vec<Vec<usize>>,
    /// The ready-made topology of the scenario as written.
    pub(crate) written_topology: Option<&'a Topology>,
}

impl<'a> View<'a> {
    pub(crate) fn new(
        outcome: &'a Outcome,
        judged: &'a [usize],
        written_topology: Option<&'a Topology>,
        ways: &'a [[Way; 2]],
    ) -> Self {
        let plan = &outcome.plan;
        let mut view = Self {
            plan,
            runs: &outcome.runs,
            judged,
            carries_data: vec![false; plan.links.len()],
            carries_acks: vec![false; plan.links.len()],
            cells: BTreeSet::new(),
            ways,
            media: plan.media(),
            written_topology,
        };
        for flow in judged {
            let [there, back] = &ways[*flow];
            let answers = matches!(plan.flows[*flow].app, Application::RequestResponse { .. });
            view.mark(there, true);
            view.mark(back, answers);
        }
        view
    }

    fn mark(&mut self, way: &Way, has_data: bool) {
        let marks = if has_data { &mut self.carries_data } else { &mut self.carries_acks };
        way.links.iter().for_each(|link| marks[*link] = true);
        self.cells.extend(&way.cells);
    }

    /// The mean over the replications of a number of each.
    pub(crate) fn mean(&self, of: impl Fn(&Replication) -> f64) -> f64 {
        self.runs.iter().map(of).sum::<f64>() / self.runs.len().max(1) as f64
    }

    /// True if a judged flow delivered something.
    pub(crate) fn delivers(&self) -> bool {
        self.runs.iter().any(|run| self.judged.iter().any(|i| run.flows[*i].delivered_bytes > 0))
    }

    /// True if a judged application pauses: links and media are idle meanwhile.
    pub(crate) fn pauses(&self) -> bool {
        self.judged.iter().any(|i| {
            let app = &self.plan.flows[*i].app;
            !matches!(app, Application::Bulk { .. } | Application::ConstantRate { .. })
        })
    }

    /// Share of the time in which the medium of a cell is busy: that of all cells on it.
    pub(crate) fn busy(&self, cell: usize) -> f64 {
        let medium = self.medium(cell);
        self.mean(|run| medium.iter().map(|i| run.cells[*i].busy_share).sum::<f64>()).min(1.0)
    }

    /// The cells on the medium of a cell.
    pub(crate) fn medium(&self, cell: usize) -> &[usize] {
        let medium = self.media.iter().find(|cells| cells.contains(&cell));
        medium.map_or(&[], Vec::as_slice)
    }

    /// The number in the scenario of the table that makes a flow.
    pub(crate) fn table_of(&self, flow: usize) -> usize {
        self.plan.table_of(flow)
    }
}

/// The flows by which limits are judged: the endless ones that back off, without any those with a reliable
/// stream or TFRC, without any all.
pub(crate) fn judged(plan: &Resolved, among: &[usize]) -> Vec<usize> {
    let of = |wanted: &dyn Fn(usize) -> bool| -> Vec<usize> {
        among.iter().copied().filter(|i| wanted(*i)).collect()
    };
    let backs_off = |i: usize| plan.flows[i].transport != TransportKind::Udp;
    let endless =
        |i: usize| matches!(plan.flows[i].app, Application::Bulk { size: None, stop: None, .. });
    [of(&|i| backs_off(i) && endless(i)), of(&backs_off)]
        .into_iter()
        .find(|found| !found.is_empty())
        .unwrap_or_else(|| among.to_vec())
}

/// The payload rate that an application asks for, in b/s; `None` if it takes what it gets, or pauses until an
/// answer comes.
pub(crate) fn asked_bps(app: &Application) -> Option<f64> {
    match app {
        Application::ConstantRate { rate, .. } => Some(rate.bps() as f64),
        Application::OnOff { rate, on, off, .. } => {
            Some(rate.bps() as f64 * on.as_secs_f64() / (on.as_secs_f64() + off.as_secs_f64()))
        }
        _ => None,
    }
}

/// Least share of what it asks for with which an application of datagrams is satisfied.
const ENOUGH: f64 = 0.98;
/// Least share of the time in which a sender waits for an application that is satisfied: everything written has
/// been sent again and again. The mean of random periods would not be what this run asked for.
const RUNS_DRY: f64 = 0.05;

/// True if a flow gets what its application asks for.
pub(crate) fn is_satisfied(outcome: &Outcome, flow: usize) -> bool {
    let spec = &outcome.plan.flows[flow];
    let has_rate = matches!(
        spec.app,
        Application::ConstantRate { .. } | Application::OnOff { .. } | Application::Trace { .. }
    );
    if spec.transport == TransportKind::Udp {
        return asked_bps(&spec.app).is_some_and(|asked| outcome.mean(flow) >= ENOUGH * asked);
    }
    has_rate && outcome.mean(flow) > 0.0 && waits_for_application(&outcome.runs, flow)
}

/// True if a sender waits again and again for its application.
pub(crate) fn waits_for_application(runs: &[Replication], flow: usize) -> bool {
    let waits = |run: &Replication| run.flows[flow].waits.waits_application.unwrap_or(0.0);
    runs.iter().map(waits).sum::<f64>() >= RUNS_DRY * runs.len().max(1) as f64
}

/// True if a flow starts: the scenario leaves out neither it nor a cell on its way.
pub(crate) fn starts(plan: &Resolved, ways: &[[Way; 2]], flow: usize) -> bool {
    let mut cells = ways[flow].iter().flat_map(|way| &way.cells);
    !plan.flows[flow].taken_out && !cells.any(|cell| plan.cells[*cell].taken_out)
}

/// The flows that start, in parts that share no link and no medium, each part in the order of its flows.
pub(crate) fn parts(plan: &Resolved, ways: &[[Way; 2]]) -> Vec<Vec<usize>> {
    let mut medium = vec![0; plan.cells.len()];
    for (number, cells) in plan.media().iter().enumerate() {
        for cell in cells {
            medium[*cell] = number;
        }
    }
    // The first flow of each place, and for each flow an earlier one of its part, or itself.
    let mut first: BTreeMap<(bool, usize), usize> = BTreeMap::new();
    let mut earlier: Vec<usize> = (0..plan.flows.len()).collect();
    let flows = (0..plan.flows.len()).filter(|flow| starts(plan, ways, *flow));
    let flows: Vec<usize> = flows.collect();
    for flow in &flows {
        for way in &ways[*flow] {
            let links = way.links.iter().map(|link| (false, link / 2));
            for place in links.chain(way.cells.iter().map(|cell| (true, medium[*cell]))) {
                let other = *first.entry(place).or_insert(*flow);
                let ends = [*flow, other].map(|flow| first_of_part(&mut earlier, flow));
                earlier[ends[0].max(ends[1])] = ends[0].min(ends[1]);
            }
        }
    }
    let mut parts: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for flow in flows {
        parts.entry(first_of_part(&mut earlier, flow)).or_default().push(flow);
    }
    parts.into_values().collect()
}

/// The first flow of a flow's part; shortens the way to it.
fn first_of_part(earlier: &mut [usize], mut flow: usize) -> usize {
    while earlier[flow] != flow {
        earlier[flow] = earlier[earlier[flow]];
        flow = earlier[flow];
    }
    flow
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(links: &str, flows: &str) -> Vec<Vec<usize>> {
        let text = format!("duration = \"1 s\"\nlinks = [{links}]\nflows = [{flows}]");
        let sets = [("without.flows".to_owned(), "[\"gone\"]".to_owned())];
        let plan = airtcp_scenario::read(&text, "", &sets).unwrap().resolve().unwrap();
        parts(&plan, &airtcp_sim::ways(&plan))
    }

    #[test]
    fn parts_share_no_link_and_hold_only_flows_that_start() {
        let link = |ends: [&str; 2]| {
            format!("{{ from = \"{}\", to = \"{}\", rate = \"1 Mb/s\" }}", ends[0], ends[1])
        };
        let flow = |ends: [&str; 2]| format!("{{ from = \"{}\", to = \"{}\" }}", ends[0], ends[1]);
        let links = [["a", "b"], ["b", "c"], ["d", "e"], ["x", "y"]].map(link).join(", ");
        let gone = "{ name = \"gone\", from = \"x\", to = \"y\" }";
        let flows = [["b", "c"], ["e", "d"], ["a", "b"], ["d", "e"]].map(flow).join(", ");
        let all = found(&links, &format!("{flows}, {gone}"));
        assert_eq!(all, [vec![0], vec![1, 3], vec![2]]);
        // A flow over both links joins the parts of the others.
        let joined = format!("{flows}, {gone}, {}", flow(["c", "a"]));
        assert_eq!(found(&links, &joined), [vec![0, 2, 5], vec![1, 3]]);
    }
}
