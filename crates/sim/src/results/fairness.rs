//! Which flows share a path, and how evenly: one definition for every document.
//!
//! ```text
//! Jain's index   (sum x)^2 / (n sum x^2), Jain, Chiu and Hawe 1984
//! ```
//! The index is over the endless flows: those that take all they can get, bulk without size or stop, over any
//! transport but UDP. If no flow is endless, it is over all flows. A single flow has no index. Where a cell has
//! endless flows in both directions, each direction has an index of its own beside that of both together,
//! because an access point shares the air otherwise than its stations do.

use airtcp_scenario::{Application, Resolved, TransportKind};

/// The flows that share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sharing {
    /// Their numbers.
    pub flows: Vec<usize>,
    /// Those of them that stations of a cell send, and those that stations receive; empty unless there are both.
    pub directions: [Vec<usize>; 2],
}

impl Sharing {
    /// The flows that share in a plan.
    pub fn of(plan: &Resolved) -> Self {
        let endless = |i: &usize| {
            let flow = &plan.flows[*i];
            let unlimited = matches!(flow.app, Application::Bulk { size: None, stop: None, .. });
            unlimited && flow.transport != TransportKind::Udp
        };
        let mut flows: Vec<usize> = (0..plan.flows.len()).filter(endless).collect();
        if flows.is_empty() {
            flows = (0..plan.flows.len()).collect();
        }
        let is_station = |node: usize| {
            plan.cells.iter().any(|cell| cell.nodes.iter().skip(1).any(|station| *station == node))
        };
        let up = |i: &usize| is_station(plan.flows[*i].from);
        let down = |i: &usize| !up(i) && is_station(plan.flows[*i].to);
        let mut directions: [Vec<usize>; 2] = [
            flows.iter().copied().filter(up).collect(),
            flows.iter().copied().filter(down).collect(),
        ];
        if directions.iter().any(Vec::is_empty) {
            directions = [Vec::new(), Vec::new()];
        }
        Self { flows, directions }
    }

    /// The goodputs of the flows that share, from those of all flows.
    pub fn shares(&self, goodputs: &[f64]) -> Vec<f64> {
        chosen(&self.flows, goodputs)
    }

    /// Jain's index of the flows that share, from the goodputs of all flows.
    pub fn jain_index(&self, goodputs: &[f64]) -> Option<f64> {
        several(&self.shares(goodputs))
    }

    /// Jain's index of the flows that stations send, and of those that they receive.
    pub fn jain_by_direction(&self, goodputs: &[f64]) -> [Option<f64>; 2] {
        [&self.directions[0], &self.directions[1]].map(|way| several(&chosen(way, goodputs)))
    }
}

fn chosen(flows: &[usize], goodputs: &[f64]) -> Vec<f64> {
    flows.iter().filter_map(|i| goodputs.get(*i)).copied().collect()
}

/// The index of several flows.
fn several(shares: &[f64]) -> Option<f64> {
    if shares.len() < 2 { None } else { jain_index(shares) }
}

/// Jain's index `(sum x)^2 / (n sum x^2)`; `None` without flows or if all shares are 0.
pub fn jain_index(shares: &[f64]) -> Option<f64> {
    let sum: f64 = shares.iter().sum();
    let squares: f64 = shares.iter().map(|x| x * x).sum();
    (squares > 0.0).then(|| sum * sum / (shares.len() as f64 * squares))
}

/// Maximum minus minimum; `None` without values.
pub fn max_difference(values: &[f64]) -> Option<f64> {
    let most = values.iter().copied().reduce(f64::max)?;
    let least = values.iter().copied().reduce(f64::min)?;
    Some(most - least)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sharing(flows: &str) -> Sharing {
        let text = format!(
            "duration = \"1 s\"\n[[cells]]\nlayout = {{ kind = \"star\", stations = 2, radius_m = 5 }}\n\
             [[links]]\nfrom = \"server\"\nto = \"ap\"\nrate = \"10 Mb/s\"\n{flows}"
        );
        Sharing::of(&airtcp_scenario::read(&text, "", &[]).unwrap().resolve().unwrap())
    }

    fn flow(name: &str, from: &str, to: &str, more: &str) -> String {
        format!("[[flows]]\nname = \"{name}\"\nfrom = \"{from}\"\nto = \"{to}\"\n{more}\n")
    }

    #[test]
    fn endless_flows_share() {
        let bulk = flow("a", "sta0", "ap", "") + &flow("b", "sta1", "ap", "");
        let voice = flow(
            "v",
            "sta0",
            "ap",
            "transport = \"udp\"\napp = { kind = \"constant-rate\", rate = \"64 kb/s\" }",
        );
        let file = flow("f", "sta0", "ap", "app = { kind = \"bulk\", size = \"1 MB\" }");
        let found = sharing(&format!("{voice}{file}{bulk}"));
        assert_eq!(found.flows, [2, 3]);
        assert!(found.directions.iter().all(Vec::is_empty));
        // 0.064 and 0.5 Mb/s of the others do not count.
        let index = found.jain_index(&[0.064, 0.5, 1.0, 3.0]).unwrap();
        assert!((index - 16.0 / 20.0).abs() < 1e-12, "{index}");
        // Without an endless flow all share.
        assert_eq!(sharing(&format!("{voice}{file}")).flows, [0, 1]);
        // A flow alone shares with nobody.
        assert_eq!(sharing(&flow("a", "sta0", "ap", "")).jain_index(&[1.0]), None);
    }

    #[test]
    fn directions_have_their_own_index_where_a_cell_has_both() {
        let text = flow("u0", "sta0", "server", "")
            + &flow("u1", "sta1", "ap", "")
            + &flow("d0", "ap", "sta0", "")
            + &flow("d1", "server", "sta1", "");
        let found = sharing(&text);
        assert_eq!(found.directions, [vec![0, 1], vec![2, 3]]);
        let goodputs = [9.0, 9.0, 1.0, 1.0];
        assert_eq!(found.jain_by_direction(&goodputs), [Some(1.0), Some(1.0)]);
        assert!((found.jain_index(&goodputs).unwrap() - 400.0 / (4.0 * 164.0)).abs() < 1e-12);
        // A single flow of a direction has no index.
        let text = flow("u0", "sta0", "ap", "") + &flow("d0", "ap", "sta1", "");
        assert_eq!(sharing(&text).jain_by_direction(&[1.0, 2.0]), [None, None]);
    }

    #[test]
    fn differences() {
        assert_eq!(max_difference(&[]), None);
        assert_eq!(max_difference(&[3.0]), Some(0.0));
        assert_eq!(max_difference(&[2.0, 5.0, 1.0]), Some(4.0));
    }

    #[test]
    fn jain() {
        assert_eq!(jain_index(&[]), None);
        assert!((jain_index(&[1.0, 1.0, 1.0]).unwrap() - 1.0).abs() < 1e-12);
        assert!((jain_index(&[1.0, 0.0, 0.0, 0.0]).unwrap() - 0.25).abs() < 1e-12);
    }
}
