//! Static routes: the fewest hops, found once before the run.

use std::collections::{BTreeSet, VecDeque};

/// For every node and destination, the interface to send through.
#[derive(Debug)]
pub(crate) struct Routes {
    nodes: usize,
    next: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Routes {
    /// Breadth-first from every destination that is ever used, over one-way links given as
    /// (from, to). Among equal paths the interface with the lowest number is taken.
    pub(crate) fn new(nodes: usize, links: &[(usize, usize)], destinations: &[usize]) -> Self {
        let mut next = vec![NONE; nodes * nodes];
        let mut incoming = vec![Vec::new(); nodes];
        for (i, &(from, to)) in links.iter().enumerate() {
            incoming[to].push((from, i as u32));
        }
        let mut hops = vec![usize::MAX; nodes];
        let wanted: BTreeSet<usize> = destinations.iter().copied().collect();
        for destination in wanted {
            hops.fill(usize::MAX);
            hops[destination] = 0;
            let mut queue = VecDeque::from([destination]);
            while let Some(node) = queue.pop_front() {
                for &(from, interface) in &incoming[node] {
                    if hops[from] == usize::MAX {
                        hops[from] = hops[node] + 1;
                        next[from * nodes + destination] = interface;
                        queue.push_back(from);
                    }
                }
            }
        }
        Self { nodes, next }
    }

    /// The interface at `node` towards `destination`, if there is a way.
    #[inline]
    pub(crate) fn next(&self, node: u32, destination: u32) -> Option<u32> {
        let interface = self.next[node as usize * self.nodes + destination as usize];
        (interface != NONE).then_some(interface)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortest_way_through_a_ring() {
        // 0 - 1 - 2 - 3 - 0, both ways: links 0..4 clockwise, 4..8 counter-clockwise.
        let clockwise = (0..4).map(|i| (i, (i + 1) % 4));
        let back = (0..4).map(|i| ((i + 1) % 4, i));
        let links: Vec<_> = clockwise.chain(back).collect();
        let routes = Routes::new(4, &links, &[0, 1, 2, 3]);
        assert_eq!(routes.next(0, 1), Some(0));
        assert_eq!(routes.next(0, 3), Some(7));
        assert_eq!(routes.next(1, 0), Some(4));
        let second = routes.next(0, 2).unwrap();
        assert!(second == 0 || second == 7);
    }

    #[test]
    fn no_way() {
        let routes = Routes::new(3, &[(0, 1)], &[0, 1, 2]);
        assert_eq!(routes.next(0, 2), None);
        assert_eq!(routes.next(1, 0), None);
    }
}
