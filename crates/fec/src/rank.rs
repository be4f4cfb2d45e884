//! The decoder of a sliding window: Gauss-Jordan elimination as symbols arrive.
//!
//! Every repair symbol is an equation between the data symbols of its window. The decoder subtracts the
//! known symbols and keeps the rest as rows in reduced form: each row has one unknown (its pivot, the
//! lowest) that no other row has. A row with a single unknown gives that symbol. The content of symbols is
//! a parameter: bytes, or `()` to find only which symbols are determined. That depends on the coefficients
//! alone.
//!
//! Memory is bounded by `limit` symbols and as many rows. Positions in symbols.

use airtcp_units::Narrow;
use std::collections::VecDeque;

use crate::gf256;

/// Content of a symbol.
pub trait Symbol: Clone {
    /// Adds `c` times `other`.
    fn add_scaled(&mut self, other: &Self, c: u8);
    /// Multiplies by `c`.
    fn scale(&mut self, c: u8);
}

impl Symbol for () {
    fn add_scaled(&mut self, (): &Self, _: u8) {}
    fn scale(&mut self, _: u8) {}
}

/// Bytes; the shorter of two symbols counts as padded with zeros.
impl Symbol for Vec<u8> {
    fn add_scaled(&mut self, other: &Self, c: u8) {
        if self.len() < other.len() {
            self.resize(other.len(), 0);
        }
        gf256::add_scaled(self, other, c);
    }
    fn scale(&mut self, c: u8) {
        gf256::scale(self, c);
    }
}

/// An equation: the sum of `coefficients[i]` times symbol `start + i` is `value`.
#[derive(Debug, Clone)]
struct Row<S> {
    start: u64,
    coefficients: VecDeque<u8>,
    value: S,
    /// True if its pivot became known: other rows may then contain its lowest unknown.
    pivotless: bool,
}

impl<S: Symbol> Row<S> {
    /// The coefficient at a position.
    fn at(&self, position: u64) -> u8 {
        let i = position.checked_sub(self.start);
        i.and_then(|i| self.coefficients.get(usize::narrow(i)).copied()).unwrap_or(0)
    }

    /// Drops zeros at both ends.
    fn trim(&mut self) {
        while self.coefficients.front() == Some(&0) {
            self.coefficients.pop_front();
            self.start += 1;
        }
        while self.coefficients.back() == Some(&0) {
            self.coefficients.pop_back();
        }
    }

    /// Subtracts a known symbol from the equation.
    fn substitute(&mut self, position: u64, symbol: &S) {
        let c = self.at(position);
        if c != 0 {
            self.value.add_scaled(symbol, c);
            self.coefficients[usize::narrow(position - self.start)] = 0;
        }
    }

    /// Adds `c` times another row.
    fn add_row(&mut self, other: &Self, c: u8) {
        while other.start < self.start {
            self.coefficients.push_front(0);
            self.start -= 1;
        }
        let offset = usize::narrow(other.start - self.start);
        let needed = offset + other.coefficients.len();
        if self.coefficients.len() < needed {
            self.coefficients.resize(needed, 0);
        }
        for (i, &k) in other.coefficients.iter().enumerate() {
            self.coefficients[offset + i] ^= gf256::mul(k, c);
        }
        self.value.add_scaled(&other.value, c);
    }
}

/// Decodes a stream of data symbols with repair symbols over windows of the stream.
#[derive(Debug, Clone)]
pub struct WindowDecoder<S> {
    /// Position of the oldest symbol that is kept.
    base: u64,
    known: VecDeque<Option<S>>,
    rows: Vec<Row<S>>,
    /// Every symbol below this position is known or forgotten.
    complete: u64,
    limit: usize,
    decoded: VecDeque<u64>,
}

impl<S: Symbol> WindowDecoder<S> {
    /// A decoder that holds at most `limit` symbols at a time.
    pub const fn new(limit: usize) -> Self {
        Self {
            base: 0,
            known: VecDeque::new(),
            rows: Vec::new(),
            complete: 0,
            limit,
            decoded: VecDeque::new(),
        }
    }

    /// Position below which every symbol is known or forgotten.
    pub const fn complete_up_to(&self) -> u64 {
        self.complete
    }

    /// The oldest position that is kept.
    pub const fn base(&self) -> u64 {
        self.base
    }

    /// Number of unsolved equations.
    pub const fn rows(&self) -> usize {
        self.rows.len()
    }

    /// One past the last known position.
    pub fn end(&self) -> u64 {
        self.base + self.known.len() as u64
    }

    /// True if a symbol is known or forgotten.
    pub fn knows(&self, position: u64) -> bool {
        position < self.complete || self.get(position).is_some()
    }

    /// A symbol, if it is known and kept.
    pub fn get(&self, position: u64) -> Option<&S> {
        let i = position.checked_sub(self.base)?;
        self.known.get(usize::narrow(i))?.as_ref()
    }

    /// The next position that repair symbols recovered, in the order of recovery.
    pub fn next_decoded(&mut self) -> Option<u64> {
        self.decoded.pop_front()
    }

    /// Handles a data symbol. False if it was known or forgotten, or lies beyond the limit.
    pub fn source(&mut self, position: u64, symbol: S) -> bool {
        if self.knows(position) || position < self.base || position - self.base >= self.limit as u64
        {
            return false;
        }
        self.learn(position, symbol);
        self.reduce();
        true
    }

    /// Handles a repair symbol over the window that begins at `start`. False if it is redundant, or if its
    /// window is not entirely kept.
    pub fn repair(&mut self, start: u64, coefficients: &[u8], symbol: S) -> bool {
        let end = start.saturating_add(coefficients.len() as u64);
        if start < self.base || end - self.base > self.limit as u64 {
            return false;
        }
        let coefficients = coefficients.iter().copied().collect();
        let row = Row { start, coefficients, value: symbol, pivotless: true };
        let before = self.rows.len() + self.decoded.len();
        self.insert(row);
        self.reduce();
        self.rows.len() + self.decoded.len() > before
    }

    /// Forgets all symbols before `position`, and the equations with an unknown among them.
    pub fn forget(&mut self, position: u64) {
        if position <= self.base {
            return;
        }
        self.rows.retain(|row| row.start >= position);
        let gone = (position - self.base).min(self.known.len() as u64);
        self.known.drain(..usize::narrow(gone));
        self.base = position;
        self.complete = self.complete.max(position);
        self.advance();
    }

    fn learn(&mut self, position: u64, symbol: S) {
        let i = usize::narrow(position - self.base);
        for row in &mut self.rows {
            if row.start == position {
                row.pivotless = true;
            }
            row.substitute(position, &symbol);
            row.trim();
        }
        if self.known.len() == i {
            self.known.push_back(Some(symbol));
        } else {
            if self.known.len() < i {
                self.known.resize_with(i + 1, || None);
            }
            self.known[i] = Some(symbol);
        }
        self.advance();
    }

    fn advance(&mut self) {
        while self.get(self.complete).is_some() {
            self.complete += 1;
        }
    }

    /// Brings a row into reduced form with the others.
    fn insert(&mut self, mut row: Row<S>) {
        for i in 0..row.coefficients.len() {
            let position = row.start + i as u64;
            let known = position.checked_sub(self.base);
            if let Some(Some(symbol)) = known.and_then(|k| self.known.get(usize::narrow(k))) {
                row.substitute(position, symbol);
            }
        }
        for other in &self.rows {
            let c = row.at(other.start);
            if c != 0 {
                row.add_row(other, c);
            }
        }
        row.trim();
        row.pivotless = false;
        let Some(&first) = row.coefficients.front() else { return };
        let inverse = gf256::inverse(first);
        for c in &mut row.coefficients {
            *c = gf256::mul(*c, inverse);
        }
        row.value.scale(inverse);
        for other in &mut self.rows {
            let c = other.at(row.start);
            if c != 0 {
                other.add_row(&row, c);
                other.trim();
            }
        }
        self.rows.push(row);
    }

    /// Solves rows with a single unknown, and reduces rows that lost their pivot.
    fn reduce(&mut self) {
        loop {
            let odd = |row: &Row<S>| row.coefficients.len() < 2 || row.pivotless;
            let Some(i) = self.rows.iter().position(odd) else { return };
            let mut row = self.rows.swap_remove(i);
            match row.coefficients.len() {
                0 => {}
                1 => {
                    let inverse = gf256::inverse(row.coefficients[0]);
                    row.value.scale(inverse);
                    self.decoded.push_back(row.start);
                    self.learn(row.start, row.value);
                }
                _ => self.insert(row),
            }
        }
    }
}

#[cfg(test)]
mod tests;
