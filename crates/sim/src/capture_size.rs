//! The estimated size of a capture, for a warning before the run that writes it.
//!
//! The narrowest hop of its widest path limits a flow; flows that meet at that hop share it.
//! Payload is written in full, so bytes on the path are bytes in the file.

use std::collections::BTreeMap;

use airtcp_link::Rate;
use airtcp_scenario::Resolved;
use airtcp_units::Saturate;

/// Smallest capture that gets a warning, in bytes.
const LARGE: f64 = 1e9;
/// Most pairs of flow and hop that are examined.
const MOST: usize = 10_000_000;

/// A warning if the capture may become large.
pub fn large_capture(plan: &Resolved) -> Option<String> {
    let most = capacity(plan)? as f64 / 8.0 * plan.scenario.duration.as_secs_f64();
    (most >= LARGE).then(|| {
        format!(
            "the capture may take up to {:.0} GB, since it holds every byte of {}; a shorter \
             duration makes it smaller",
            most / 1e9,
            plan.scenario.duration
        )
    })
}

/// Capacity of all flows together, b/s; `None` if rates do not limit it.
fn capacity(plan: &Resolved) -> Option<u64> {
    // By rate: the two ends, and the medium.
    let mut hops: Vec<(u64, usize, usize, usize)> = Vec::new();
    for (i, link) in plan.links.iter().enumerate() {
        let rate = match link.direction.rate.as_ref()? {
            Rate::Constant(rate) => rate.bps(),
            Rate::Trace(trace) => u64::saturate(trace.scaled().ok()??.mean_bps()),
            Rate::Steps(all) => all.highest()?.bps(),
        };
        hops.push((rate, link.from, link.to, i));
    }
    for (i, cell) in plan.cells.iter().enumerate() {
        let medium = plan.links.len() + i;
        let rates = cell.spec.data_modes();
        let fastest = rates.iter().map(|mode| mode.rate().bps()).max()?;
        hops.extend(cell.nodes.iter().skip(1).map(|node| (fastest, cell.nodes[0], *node, medium)));
    }
    if plan.flows.len().saturating_mul(hops.len()) > MOST {
        return None;
    }
    hops.sort_unstable_by_key(|hop| std::cmp::Reverse(hop.0));
    let mut groups: Vec<usize> = (0..plan.nodes.len()).collect();
    let mut open: Vec<(usize, usize)> =
        plan.flows.iter().map(|flow| (flow.from, flow.to)).collect();
    let mut narrowest = BTreeMap::new();
    for (rate, a, b, medium) in hops {
        let (a, b) = (find(&mut groups, a), find(&mut groups, b));
        if a != b {
            groups[a] = b;
        }
        open.retain(|&(from, to)| {
            let joined = find(&mut groups, from) == find(&mut groups, to);
            if joined {
                narrowest.insert(medium, rate);
            }
            !joined
        });
    }
    Some(narrowest.values().sum())
}

/// The group of nodes that a node belongs to.
fn find(groups: &mut [usize], mut node: usize) -> usize {
    while groups[node] != node {
        groups[node] = groups[groups[node]];
        node = groups[node];
    }
    node
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warned(text: &str) -> Option<String> {
        large_capture(&airtcp_scenario::read(text, "t", &[]).unwrap().resolve().unwrap())
    }

    #[test]
    fn the_narrowest_hop_counts() {
        let links = |second: &str| {
            format!(
                "duration = \"60 s\"\n[[links]]\nfrom = \"a\"\nto = \"b\"\nrate = \"10 Gb/s\"\n\
                 [[links]]\nfrom = \"b\"\nto = \"c\"\nrate = \"{second}\"\ndelay = \"1 ms\"\n\
                 [[flows]]\nfrom = \"a\"\nto = \"c\"\ncount = 3\n"
            )
        };
        // 10 Gb/s for 60 s is 75 GB; 10 Mb/s is 75 MB.
        assert!(warned(&links("10 Gb/s")).unwrap().contains("75 GB"));
        assert_eq!(warned(&links("10 Mb/s")), None);
    }

    #[test]
    fn the_highest_rate_of_a_cell_counts() {
        let cell = |standard: &str| {
            format!(
                "duration = \"200 s\"\n[[cells]]\nstandard = \"{standard}\"\n\
                 layout = {{ kind = \"star\", stations = 2, radius_m = 5 }}\n\
                 [[flows]]\nfrom = \"sta*\"\nto = \"ap\"\ncount = 2\n"
            )
        };
        // 54 Mb/s for 200 s are 1.4 GB; 600 Mb/s (802.11ax, 80 MHz, one stream, MCS 11) are 15 GB.
        assert!(warned(&cell("802.11a")).unwrap().contains("1 GB"));
        assert!(warned(&cell("802.11ax")).unwrap().contains("15 GB"));
    }
}
