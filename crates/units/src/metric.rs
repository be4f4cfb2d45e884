//! What a quantity of a result is, beside its key, its unit and its meaning: the entry of the catalogue
//! from which terminal, pages and reference take titles, units, ranges and the order of columns.
//!
//! A field of a result carries it in its schema: `#[schemars(extend("metric" = Metric::rate("Goodput", 1)))]`.
//! The key has the SI unit, the field's comment is the meaning. A field without a metric is in documents
//! and tables of values, and in no table that people read.

use serde::Serialize;

/// An entry of the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Metric {
    /// Heading, without the unit.
    title: &'static str,
    /// Unit shown; empty for numbers without one.
    unit: &'static str,
    /// What a value is multiplied by to be shown.
    scale: f64,
    /// Place among the columns of a table, from 1: by how much it explains. Of columns that do not fit, the
    /// one with the greatest rank goes first.
    rank: u8,
    /// Which table of its record has it, where there are several; empty in the first.
    group: &'static str,
    /// The least and the greatest value that the quantity can have, in the unit of its key.
    least: Option<f64>,
    most: Option<f64>,
}

impl Metric {
    /// A quantity that is not negative, shown as it is.
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

    /// A quantity of another `unit`, of which one is `scale` of the unit of its key.
    pub const fn other(title: &'static str, unit: &'static str, scale: f64, rank: u8) -> Self {
        Self { unit, scale, ..Self::count(title, rank) }
    }

    /// Puts the column into another table of the same record.
    pub const fn group(self, group: &'static str) -> Self {
        Self { group, ..self }
    }

    /// A quantity that cannot be greater.
    pub const fn at_most(self, most: f64) -> Self {
        Self { most: Some(most), ..self }
    }

    /// A quantity that may be negative.
    pub const fn any(self) -> Self {
        Self { least: None, ..self }
    }
}
