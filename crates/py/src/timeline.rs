//! The tables of a timeline: transmitted frames, and the waits of stations.

use std::collections::BTreeMap;

use airtcp_probe::{FrameLoss, SeenFrame, SeenWait, Timeline, WaitKind};
use airtcp_scenario::Resolved;
use airtcp_sim::{MediumStation, media};
use airtcp_units::Nanos;
use airtcp_wifi::mac::{CATEGORIES, category_name};
use pyo3::prelude::*;

use crate::error;
use crate::table::{Columns, Table};

/// Names of the tables.
pub(crate) const TABLES: [&str; 2] = ["timeline_frames", "timeline_waits"];

/// Names of the stations of all media.
struct Names<'a> {
    plan: &'a Resolved,
    media: Vec<Vec<MediumStation>>,
}

impl<'a> Names<'a> {
    fn station(&self, medium: u32, station: u32) -> Option<&MediumStation> {
        self.media.get(medium as usize)?.get(station as usize)
    }

    fn name(&self, medium: u32, station: u32) -> &'a str {
        let node = self.station(medium, station).map(|s| s.node);
        node.and_then(|node| self.plan.nodes.get(node)).map_or("", String::as_str)
    }

    fn cell(&self, medium: u32, station: u32) -> &'a str {
        let cell = self.station(medium, station).and_then(|s| self.plan.cells.get(s.cell));
        cell.map_or("", |cell| cell.spec.name.as_str())
    }
}

/// One of the tables.
pub(crate) fn table(name: &str, timeline: &Timeline, plan: &Resolved) -> PyResult<Table> {
    let names = Names { plan, media: media(plan) };
    match name {
        "timeline_frames" => frames(timeline.frames(), &names),
        "timeline_waits" => waits(timeline.waits(), &names),
        _ => Err(error::no_table(name, &TABLES)),
    }
}

fn seconds(at: Nanos) -> f64 {
    at.as_secs_f64()
}

fn category(number: u8) -> Option<&'static str> {
    let number = usize::from(number);
    (number < CATEGORIES).then(|| category_name(number))
}

fn frames(rows: &[SeenFrame], names: &Names<'_>) -> PyResult<Table> {
    Columns::of(rows)
        .text("cell", |r| names.cell(r.medium, r.frame.from))
        .text("station", |r| names.name(r.medium, r.frame.from))
        // A broadcast frame has no receiver.
        .text("to", |r| r.frame.to.map(|to| names.name(r.medium, to)))
        .text("class", |r| r.frame.class.name())
        .real("start_s", |r| seconds(r.frame.started))
        .real("end_s", |r| seconds(r.frame.ended))
        .count("rate_bps", |r| r.frame.rate.bps())
        .count("bytes", |r| u64::from(r.frame.bytes))
        .text("category", |r| r.frame.category.and_then(category))
        .count("sequence", |r| r.frame.attempt.gt(&0).then_some(u64::from(r.frame.sequence)))
        .count("attempt", |r| Some(u64::from(r.frame.attempt)).filter(|n| *n > 0))
        .flag("retry", |r| r.frame.retry)
        .real("reserved_until_s", |r| seconds(r.frame.ended + r.frame.duration))
        .flag("decoded", |r| r.loss.is_none())
        .text("lost", |r| r.loss.map(FrameLoss::name))
        .finish()
}

fn waits(rows: &[SeenWait], names: &Names<'_>) -> PyResult<Table> {
    let slots = |wait: &SeenWait| match wait.kind {
        WaitKind::BackOff { slots, left, .. } => Some((u64::from(slots), u64::from(left))),
        WaitKind::Nav => None,
    };
    // DCF has no categories.
    let mut several = BTreeMap::new();
    for cell in &names.plan.cells {
        several.insert(cell.spec.name.as_str(), cell.spec.categories() > 1);
    }
    let of = |wait: &SeenWait| match wait.kind {
        WaitKind::BackOff { category: number, .. } => {
            let cell = names.cell(wait.medium, wait.station);
            several.get(cell).copied().unwrap_or_default().then(|| category(number)).flatten()
        }
        WaitKind::Nav => None,
    };
    Columns::of(rows)
        .text("cell", |r| names.cell(r.medium, r.station))
        .text("station", |r| names.name(r.medium, r.station))
        .text("what", |r| if r.kind == WaitKind::Nav { "nav" } else { "back_off" })
        .real("start_s", |r| seconds(r.from))
        .real("end_s", |r| seconds(r.until))
        .text("category", of)
        .count("slots", |r| slots(r).map(|s| s.0))
        .count("slots_left", |r| slots(r).map(|s| s.1))
        .finish()
}
