//! The random streams of a link, named after its outcomes and not after its file.
//!
//! A renamed or moved file therefore gives the same results, and other files do not change them.
//! Links with equal outcomes have different streams, numbered in the given order.

use std::collections::BTreeMap;

use airtcp_random::{Seed, Stream, digest};
use airtcp_trace::LinkTrace;
use airtcp_units::Outcomes;

/// The random streams of one link.
#[derive(Debug, Clone)]
pub(crate) struct Draws {
    seed: Seed,
    link: String,
}

impl Draws {
    /// The streams of each of `links`, in their order.
    pub(crate) fn of(seed: u64, links: &[LinkTrace]) -> Vec<Self> {
        let mut naming = Naming::new(seed);
        links.iter().map(|link| naming.draws(&link.outcomes)).collect()
    }

    /// The stream of one replica drawn for `purpose`.
    pub(crate) fn stream(&self, purpose: &str, replica: u32) -> Stream {
        self.seed.replicate(replica).stream(&format!("{purpose}/{}", self.link))
    }
}

/// Names the streams of links, one link after the other.
#[derive(Debug)]
pub(crate) struct Naming {
    seed: Seed,
    /// How many links had this digest so far.
    met: BTreeMap<u64, u32>,
}

impl Naming {
    /// For links whose streams derive from `seed`.
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed: Seed::new(seed), met: BTreeMap::new() }
    }

    /// The streams of the next link.
    pub(crate) fn draws(&mut self, outcomes: &Outcomes) -> Draws {
        let digest =
            digest(std::iter::once(outcomes.len() as u64).chain(outcomes.words().iter().copied()));
        let number = self.met.entry(digest).or_default();
        *number += 1;
        Draws { seed: self.seed, link: format!("{digest:016x}/{number}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first number of the streams of links with these outcomes.
    fn first(links: &[u64]) -> Vec<u64> {
        let mut naming = Naming::new(7);
        let mut number = |bits: &u64| {
            let mut outcomes = Outcomes::new();
            outcomes.push_bits(*bits, 10);
            naming.draws(&outcomes).stream("test", 3).below(u64::MAX)
        };
        links.iter().map(&mut number).collect()
    }

    #[test]
    fn equal_links_differ_and_a_link_beside_them_changes_nothing() {
        let both = first(&[0b1011, 0b1011]);
        assert_ne!(both[0], both[1]);
        assert_eq!(first(&[0b1111, 0b1011])[1], both[0]);
    }
}
