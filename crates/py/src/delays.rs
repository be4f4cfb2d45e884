//! The table of the distributions of delays.

use airtcp_sim::results::{DelayDistribution, DelayDistributions};
use pyo3::prelude::*;

use crate::table::{Columns, Table};

/// A row for each distribution and share.
pub(crate) fn delays(all: &DelayDistributions) -> PyResult<Table> {
    let points = |d| std::iter::repeat(d).zip(all.shares.iter().copied());
    let rows: Vec<(&DelayDistribution, f64, f64)> = (all.distributions.iter())
        .flat_map(|d| points(d).zip(&d.delays_s).map(|((d, share), delay)| (d, share, *delay)))
        .collect();
    Columns::of(&rows)
        .text("kind", |r| r.0.kind.as_str())
        .text("name", |r| r.0.name.as_str())
        .text("category", |r| r.0.category.as_deref())
        .text("delay", |r| r.0.delay.as_str())
        .count("packets", |r| r.0.count)
        .real("share", |r| r.1)
        .real("delay_s", |r| r.2)
        .finish()
}
