//! Resolves the cells. Their stations become nodes, each of one cell only.

use std::collections::BTreeMap;

use super::nodes::Nodes;
use crate::{Cell, CellSpec, ScenarioError};

/// The cells, whose stations join the nodes.
pub(super) fn resolve(specs: &[CellSpec], nodes: &mut Nodes) -> Result<Vec<Cell>, ScenarioError> {
    let mut owner: BTreeMap<usize, String> = BTreeMap::new();
    let mut cells: Vec<Cell> = Vec::new();
    for (i, spec) in specs.iter().enumerate() {
        let path = format!("cells[{i}]");
        spec.check(&path)?;
        if let Some(first) = cells.iter().position(|c| c.spec.name == spec.name) {
            let message = format!(
                "\"{}\" is also the name of cells[{first}]: give each cell a name of its own",
                spec.name
            );
            return Err(ScenarioError::at(format!("{path}.name"), message));
        }
        let mut own = Vec::new();
        for name in spec.node_names() {
            let node = nodes.add(&name);
            if let Some(other) = owner.insert(node, spec.name.clone()) {
                let key = if own.is_empty() { "access_point" } else { "prefix" };
                let message = format!(
                    "makes a node \"{name}\", which cell \"{other}\" has already: choose another"
                );
                return Err(ScenarioError::at(format!("{path}.{key}"), message));
            }
            own.push(node);
        }
        cells.push(Cell {
            spec: spec.clone(),
            nodes: own,
            path,
            neighbours: Vec::new(),
            taken_out: false,
            beside: Vec::new(),
        });
    }
    crate::medium::join(&mut cells)?;
    Ok(cells)
}
