//! Received powers between stations.

use airtcp_units::Narrow;

use crate::node::NodeId;

/// Received power in mW by sender and receiver.
#[derive(Debug, Default)]
pub(crate) struct Powers {
    mw: Vec<Vec<f64>>,
    /// Minimum power in mW, by receiver.
    ignore_below: Vec<f64>,
}

impl Powers {
    /// Powers between stations of different cells; empty for a single cell.
    pub(crate) const fn between(mw: Vec<Vec<f64>>) -> Self {
        Self { mw, ignore_below: Vec::new() }
    }

    /// Adds the stations of a cell, numbered from `first`, with the powers among them.
    pub(crate) fn add(&mut self, first: usize, mw: Vec<Vec<f64>>, ignore_below: f64) {
        let n = mw.len();
        if self.mw.is_empty() {
            self.mw = mw;
        } else {
            for (from, row) in mw.iter().enumerate() {
                self.mw[first + from][first..first + n].copy_from_slice(row);
            }
        }
        self.ignore_below.resize(first + n, ignore_below);
    }

    /// Received power of `from` at `to`; `None` for broadcast, for the station itself and without a
    /// signal.
    pub(crate) fn get(&self, from: NodeId, to: NodeId) -> Option<f64> {
        let power = *self.mw.get(from.index())?.get(to.index())?;
        (from != to && power >= self.ignore_below[to.index()]).then_some(power)
    }

    /// Receivers of a station's signal, with powers.
    pub(crate) fn hearers(&self, from: usize) -> Vec<(u32, f64)> {
        let heard = |to| self.get(NodeId(u32::narrow(from)), NodeId(to)).map(|power| (to, power));
        (0..u32::narrow(self.mw.len())).filter_map(heard).collect()
    }
}
