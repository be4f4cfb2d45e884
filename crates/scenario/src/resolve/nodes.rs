//! Nodes of a scenario, by name and number.

use std::collections::BTreeMap;

/// The nodes in the order in which they are first named.
#[derive(Default)]
pub(super) struct Nodes {
    pub(super) names: Vec<String>,
    pub(super) index: BTreeMap<String, usize>,
}

impl Nodes {
    /// Index of a node. Adds the node if it is new.
    pub(super) fn add(&mut self, name: &str) -> usize {
        if let Some(known) = self.find(name) {
            return known;
        }
        self.names.push(name.to_owned());
        self.index.insert(name.to_owned(), self.names.len() - 1);
        self.names.len() - 1
    }

    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.index.get(name).copied()
    }
}
