//! The cells of a medium, and which station belongs to which.

use airtcp_units::{Nanos, Narrow};

use super::bss::Bss;
use super::transmission::Transmission;
use crate::node::NodeId;

/// The cells of a medium.
#[derive(Debug)]
pub(super) struct Cells {
    cells: Vec<Bss>,
    /// By station, the number of its cell.
    numbers: Vec<usize>,
}

impl Cells {
    /// Room for cells with stations, without any yet.
    pub(super) fn with_capacity(cells: usize, stations: usize) -> Self {
        Self { cells: Vec::with_capacity(cells), numbers: Vec::with_capacity(stations) }
    }

    /// Appends a cell and its stations.
    pub(super) fn add(&mut self, cell: Bss, stations: usize) {
        self.numbers.resize(self.numbers.len() + stations, self.cells.len());
        self.cells.push(cell);
    }

    /// The cell of a station.
    #[inline]
    pub(super) fn of(&self, station: usize) -> &Bss {
        &self.cells[self.numbers[station]]
    }

    /// The cell of a station, to count its frames.
    #[inline]
    pub(super) fn of_mut(&mut self, station: usize) -> &mut Bss {
        &mut self.cells[self.numbers[station]]
    }

    /// The cell of the sender of a transmission.
    #[inline]
    pub(super) fn sending(&self, sent: &Transmission) -> &Bss {
        self.of(sent.frame.from.index())
    }

    /// The first cell; the only one of a medium whose stations share a view.
    #[inline]
    pub(super) fn first(&self) -> &Bss {
        &self.cells[0]
    }

    /// The same, to count its frames.
    #[inline]
    pub(super) fn first_mut(&mut self) -> &mut Bss {
        &mut self.cells[0]
    }

    /// The cell, if there is only one.
    #[inline]
    pub(super) const fn only(&self) -> Option<&Bss> {
        if let [cell] = self.cells.as_slice() { Some(cell) } else { None }
    }

    /// The cell with a number.
    pub(super) fn at(&self, number: usize) -> &Bss {
        &self.cells[number]
    }

    /// The number of a station's cell.
    #[inline]
    pub(super) fn number(&self, station: usize) -> usize {
        self.numbers[station]
    }

    /// The numbers of the cells of a sender and of a receiver; `None` if the receiver is no station.
    #[inline]
    pub(super) fn numbers(&self, from: NodeId, to: NodeId) -> Option<(usize, usize)> {
        Some((self.numbers[from.index()], *self.numbers.get(to.index())?))
    }

    /// True if two stations belong to one cell.
    #[inline]
    pub(super) fn same(&self, a: usize, b: usize) -> bool {
        self.numbers[a] == self.numbers[b]
    }

    /// All cells.
    pub(super) fn iter(&self) -> std::slice::Iter<'_, Bss> {
        self.cells.iter()
    }

    /// All cells, to change them in a test.
    #[cfg(test)]
    pub(super) fn iter_mut(&mut self) -> std::slice::IterMut<'_, Bss> {
        self.cells.iter_mut()
    }

    /// Time of the next start or end of an interferer that makes the medium busy.
    pub(super) fn next_interferer(&self, begins: bool) -> Nanos {
        self.iter().fold(Nanos::NEVER, |next, cell| next.min(cell.ambient.next(begins)))
    }

    /// Starts or ends interferers that make the medium busy; adds the stations that hear them to `touched`.
    pub(super) fn switch_interferers(&mut self, now: Nanos, begin: bool, touched: &mut Vec<u32>) {
        for cell in &mut self.cells {
            let new = touched.len();
            cell.ambient.switch(now, begin, touched);
            for station in &mut touched[new..] {
                *station += u32::narrow(cell.first);
            }
        }
    }

    /// The random draw of a transmission at a radio, independent of other cells.
    #[inline]
    pub(super) fn draw(&self, sent: &Transmission, radio: usize) -> f64 {
        let sender = self.sending(sent);
        if self.same(sent.frame.from.index(), radio) {
            return sender.draws.unit(sent.ordinal << 16 | sender.local(radio) as u64);
        }
        sender.draws_abroad.unit(sent.ordinal << 16 | radio as u64)
    }

    /// The random draw of an MPDU of a transmission at a radio, independent of other cells.
    #[inline]
    pub(super) fn draw_mpdu(&self, sent: &Transmission, radio: usize, number: u64) -> f64 {
        let sender = self.sending(sent);
        let [own, abroad] = &sender.draws_mpdu;
        if self.same(sent.frame.from.index(), radio) {
            return own.unit(sent.ordinal << 24 | (sender.local(radio) as u64) << 8 | number);
        }
        abroad.unit(sent.ordinal << 24 | (radio as u64) << 8 | number)
    }
}
