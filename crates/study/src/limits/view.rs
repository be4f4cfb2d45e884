//! What the counters of a run show of the flows that are judged.

use std::collections::BTreeSet;

use airtcp_scenario::{Application, Resolved, Topology, TransportKind};
use airtcp_sim::results::Replication;
use airtcp_sim::{Way, ways};

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
    /// The ready-made topology of the scenario as written.
    pub(crate) written_topology: Option<&'a Topology>,
}

impl<'a> View<'a> {
    pub(crate) fn new(
        outcome: &'a Outcome,
        judged: &'a [usize],
        written_topology: Option<&'a Topology>,
    ) -> Self {
        let plan = &outcome.plan;
        let mut view = Self {
            plan,
            runs: &outcome.runs,
            judged,
            carries_data: vec![false; plan.links.len()],
            carries_acks: vec![false; plan.links.len()],
            cells: BTreeSet::new(),
            written_topology,
        };
        for flow in judged {
            let [there, back] = ways(plan, *flow);
            let answers = matches!(plan.flows[*flow].app, Application::RequestResponse { .. });
            view.mark(&there, true);
            view.mark(&back, answers);
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

    /// Share of the time in which the medium of a cell is busy: that of all cells on it.
    pub(crate) fn busy(&self, cell: usize) -> f64 {
        let medium = self.medium(cell);
        self.mean(|run| medium.iter().map(|i| run.cells[*i].busy_share).sum::<f64>()).min(1.0)
    }

    /// The cells on the medium of a cell.
    pub(crate) fn medium(&self, cell: usize) -> Vec<usize> {
        self.plan.media().into_iter().find(|cells| cells.contains(&cell)).unwrap_or_default()
    }

    /// The number in the scenario of the table that makes a flow.
    pub(crate) fn table_of(&self, flow: usize) -> usize {
        let mut before = 0;
        for (number, spec) in self.plan.scenario.flows.iter().enumerate() {
            before += spec.count as usize;
            if flow < before {
                return number;
            }
        }
        0
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

/// Least share of what it asks for with which an application is satisfied.
const ENOUGH: f64 = 0.98;

/// True if a flow gets what its application asks for.
pub(crate) fn is_satisfied(outcome: &Outcome, flow: usize) -> bool {
    asked_bps(&outcome.plan.flows[flow].app)
        .is_some_and(|asked| outcome.mean(flow) >= ENOUGH * asked)
}

/// The flows in parts that share no link and no medium, each part in the order of its flows.
pub(crate) fn parts(plan: &Resolved) -> Vec<Vec<usize>> {
    let media = plan.media();
    let medium = |cell: usize| media.iter().position(|cells| cells.contains(&cell)).unwrap_or(0);
    let mut parts: Vec<(BTreeSet<(bool, usize)>, Vec<usize>)> = Vec::new();
    for flow in 0..plan.flows.len() {
        let mut places: BTreeSet<(bool, usize)> = BTreeSet::new();
        for way in ways(plan, flow) {
            places.extend(way.links.iter().map(|link| (false, link / 2)));
            places.extend(way.cells.iter().map(|cell| (true, medium(*cell))));
        }
        let (joined, mut apart): (Vec<_>, Vec<_>) =
            parts.into_iter().partition(|(other, _)| !other.is_disjoint(&places));
        let mut flows = vec![flow];
        for (other, more) in joined {
            places.extend(other);
            flows.extend(more);
        }
        flows.sort_unstable();
        apart.push((places, flows));
        parts = apart;
    }
    let mut found: Vec<Vec<usize>> = parts.into_iter().map(|(_, flows)| flows).collect();
    found.sort();
    found
}
