//! Who hears whom how strongly.

use crate::mac::NodeId;

/// By station that sends and station that hears, the power in mW.
#[derive(Debug, Default)]
pub(crate) struct Powers {
    mw: Vec<Vec<f64>>,
    /// By station that hears.
    ignore_below: Vec<f64>,
}

impl Powers {
    /// Between the stations of cells whose powers among one another are `mw` (empty: one cell).
    pub(crate) const fn between(mw: Vec<Vec<f64>>) -> Self {
        Self { mw, ignore_below: Vec::new() }
    }

    /// Adds the stations of a cell, from the `first` on, with the powers among them.
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

    /// Power at which `to` hears `from`; `None` for broadcast, for itself and for nothing.
    pub(crate) fn get(&self, from: NodeId, to: NodeId) -> Option<f64> {
        let power = *self.mw.get(from.index())?.get(to.index())?;
        (from != to && power >= self.ignore_below[to.index()]).then_some(power)
    }

    /// Who hears a station, and how strongly.
    pub(crate) fn hearers(&self, from: usize) -> Vec<(u32, f64)> {
        let heard = |to| self.get(NodeId(from as u32), NodeId(to)).map(|power| (to, power));
        (0..self.mw.len() as u32).filter_map(heard).collect()
    }
}
