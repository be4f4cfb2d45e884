//! Static routes: the fewest hops, found once before the run.

use airtcp_units::Narrow;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A hop of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hop {
    /// Over one direction of a link, by its number.
    Link(u32),
    /// Through the air from one station of a cell to another, by its number among such hops.
    /// Numbers behind the last such hop lead through a boundary (`boundary.rs`).
    Air(u32),
}

/// The next hop for every node and destination on the path of a flow. Other pairs have no entry, so the size
/// follows from the flows and their hops, not from the square of the number of nodes.
#[derive(Debug)]
pub(crate) struct Routes {
    /// Per node: (destination, edge), sorted. Edges are the directions of links, then the hops
    /// through the air.
    next: Vec<Vec<(u32, u32)>>,
    links: u32,
}

impl Routes {
    /// Breadth-first search from every destination, over one-way links and hops through the air given as
    /// (from, to), for `pairs` of (source, destination). Among equal paths it takes the link with the lowest
    /// number, and links before hops through the air.
    pub(crate) fn new(
        nodes: usize,
        links: &[(usize, usize)],
        air: &[(usize, usize)],
        pairs: impl IntoIterator<Item = (usize, usize)>,
    ) -> Self {
        let mut incoming = vec![Vec::new(); nodes];
        let edges = [links, air].concat();
        for (i, &(from, to)) in edges.iter().enumerate() {
            incoming[to].push((from, i));
        }
        let mut wanted: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for (source, destination) in pairs {
            wanted.entry(destination).or_default().insert(source);
        }
        let mut next = vec![Vec::new(); nodes];
        // The edge from each node towards the current destination, and the nodes that have one.
        let mut towards: Vec<Option<usize>> = vec![None; nodes];
        let mut reached = Vec::new();
        for (destination, sources) in wanted {
            let mut missing = sources.len() - usize::from(sources.contains(&destination));
            let mut queue = VecDeque::from([destination]);
            while missing > 0
                && let Some(node) = queue.pop_front()
            {
                for &(from, edge) in &incoming[node] {
                    if from != destination && towards[from].is_none() {
                        towards[from] = Some(edge);
                        reached.push(from);
                        missing -= usize::from(sources.contains(&from));
                        queue.push_back(from);
                    }
                }
            }
            let destination = u32::narrow(destination);
            for mut node in sources {
                // A path that meets an earlier one follows it.
                while next[node].last().is_none_or(|(d, _)| *d != destination)
                    && let Some(edge) = towards[node]
                {
                    next[node].push((destination, u32::narrow(edge)));
                    node = edges[edge].1;
                }
            }
            for node in reached.drain(..) {
                towards[node] = None;
            }
        }
        Self { next, links: u32::narrow(links.len()) }
    }

    /// Puts another hop in place of the one from `node` towards `destination`: the hop through the
    /// air of this number. Returns the former one.
    pub(crate) fn replace(&mut self, node: u32, destination: u32, air: u32) -> Option<Hop> {
        let former = self.next(node, destination)?;
        let next = self.next.get_mut(node as usize)?;
        let place = next.binary_search_by_key(&destination, |(d, _)| *d).ok()?;
        next[place].1 = self.links + air;
        Some(former)
    }

    /// The hop from `node` towards `destination`, if there is a path.
    #[inline]
    pub(crate) fn next(&self, node: u32, destination: u32) -> Option<Hop> {
        let next = self.next[node as usize].as_slice();
        let edge = match next {
            // A node with one destination, as most ends of flows are.
            [(only, edge)] => (*only == destination).then_some(*edge)?,
            _ => next[next.binary_search_by_key(&destination, |(d, _)| *d).ok()?].1,
        };
        Some(if edge < self.links { Hop::Link(edge) } else { Hop::Air(edge - self.links) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_pairs(nodes: usize) -> impl Iterator<Item = (usize, usize)> {
        (0..nodes).flat_map(move |a| (0..nodes).map(move |b| (a, b)))
    }

    #[test]
    fn shortest_way_through_a_ring() {
        // 0 - 1 - 2 - 3 - 0, both ways: links 0..4 clockwise, 4..8 counter-clockwise.
        let clockwise = (0..4).map(|i| (i, (i + 1) % 4));
        let back = (0..4).map(|i| ((i + 1) % 4, i));
        let links: Vec<_> = clockwise.chain(back).collect();
        let routes = Routes::new(4, &links, &[], all_pairs(4));
        assert_eq!(routes.next(0, 1), Some(Hop::Link(0)));
        assert_eq!(routes.next(0, 3), Some(Hop::Link(7)));
        assert_eq!(routes.next(1, 0), Some(Hop::Link(4)));
        let second = routes.next(0, 2).unwrap();
        assert!(second == Hop::Link(0) || second == Hop::Link(7));
    }

    #[test]
    fn links_come_before_the_air() {
        let routes = Routes::new(3, &[(0, 1)], &[(0, 1), (1, 2)], all_pairs(3));
        assert_eq!(routes.next(0, 1), Some(Hop::Link(0)));
        assert_eq!(routes.next(1, 2), Some(Hop::Air(1)));
    }

    #[test]
    fn no_path() {
        let routes = Routes::new(3, &[(0, 1)], &[], all_pairs(3));
        assert_eq!(routes.next(0, 2), None);
        assert_eq!(routes.next(1, 0), None);
    }

    #[test]
    fn only_pairs_on_paths_of_flows_have_entries() {
        let nodes = 10_001;
        let links: Vec<_> = (0..nodes - 1).flat_map(|i| [(i, i + 1), (i + 1, i)]).collect();
        let routes = Routes::new(nodes, &links, &[], [(0, nodes - 1), (nodes - 1, 0), (5, 2)]);
        assert_eq!(routes.next.iter().map(Vec::len).sum::<usize>(), 2 * (nodes - 1) + 3);
        assert_eq!(routes.next(7_000, 10_000), Some(Hop::Link(14_000)));
        assert_eq!(routes.next(4, 2), Some(Hop::Link(7)));
        assert_eq!(routes.next(2, 5), None, "no flow goes that way");
    }
}
