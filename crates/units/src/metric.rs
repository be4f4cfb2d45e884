//! Catalogue of the quantities of a result. Terminal, pages and reference take titles, units, ranges
//! and the order of columns from it.
//!
//! A field of a result carries its entry in its schema:
//! `#[schemars(extend("metric" = Metric::rate("Goodput", 1)))]`. The field's name ends in the SI unit,
//! and its doc comment is the meaning. A field without an entry is in documents and data files, but in
//! no table of the terminal or a page.

use serde::Serialize;

/// An entry of the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Metric {
    /// Heading, without the unit.
    title: &'static str,
    /// Unit shown; empty for a number without unit.
    unit: &'static str,
    /// Factor from the unit of the key to the unit shown.
    scale: f64,
    /// Position among the columns of a table, from 1. A table that is too wide leaves out the greatest
    /// ranks first.
    rank: u8,
    /// Table of the record that shows the column; empty for the first table.
    group: &'static str,
    /// Minimum and maximum of the quantity, in the unit of its key.
    least: Option<f64>,
    most: Option<f64>,
}

impl Metric {
    /// A count, not negative.
    pub const fn count(title: &'static str, rank: u8) -> Self {
        Self { title, unit: "", scale: 1.0, rank, group: "", least: Some(0.0), most: None }
    }

    /// Bits per second, shown in Mb/s.
    pub const fn rate(title: &'static str, rank: u8) -> Self {
        Self { unit: "Mb/s", scale: 1e-6, ..Self::count(title, rank) }
    }

    /// A share from 0 to 1, shown in percent.
    pub const fn share(title: &'static str, rank: u8) -> Self {
        Self { unit: "%", scale: 100.0, most: Some(1.0), ..Self::count(title, rank) }
    }

    /// Seconds, shown in milliseconds.
    pub const fn delay(title: &'static str, rank: u8) -> Self {
        Self { unit: "ms", scale: 1e3, ..Self::count(title, rank) }
    }

    /// Seconds, shown as they are.
    pub const fn duration(title: &'static str, rank: u8) -> Self {
        Self { unit: "s", ..Self::count(title, rank) }
    }

    /// Packets.
    pub const fn packets(title: &'static str, rank: u8) -> Self {
        Self { unit: "packets", ..Self::count(title, rank) }
    }

    /// A quantity shown in `unit`; `scale` is the factor from the unit of its key.
    pub const fn other(title: &'static str, unit: &'static str, scale: f64, rank: u8) -> Self {
        Self { unit, scale, ..Self::count(title, rank) }
    }

    /// Moves the column to another table of the same record.
    pub const fn group(self, group: &'static str) -> Self {
        Self { group, ..self }
    }

    /// Sets the maximum of the quantity.
    pub const fn at_most(self, most: f64) -> Self {
        Self { most: Some(most), ..self }
    }

    /// Allows negative values.
    pub const fn any(self) -> Self {
        Self { least: None, ..self }
    }
}
