//! w-iLab.t's 802.15.4 MAC performance table: totals over 30 s of many senders to one receiver.
//!
//! `NumOfReceived,PRR,packetLoss,PLR,throughput,IPI,Density,COR`; a row is a separate experiment.
//! Rows of the same Density (active nodes), COR (interference duty cycle) and IPI (inter-packet
//! interval) are joined into one "link": the shared channel as its receiver sees it. Order is drawn
//! at random (see `reader/order.rs`), so only PRR is meaningful.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use airtcp_units::Outcomes;

use super::super::head::Head;
use super::super::input::Input;
use super::super::lines::Lines;
use super::super::order::{self, Shuffler};
use super::super::ratios::Ratios;
use super::link::link;
use crate::error::{TraceError, excerpt};
use crate::reader::LinkTrace;

pub(super) const TAG: &str = "wilab-macperf";
pub(super) const DESCRIPTION: &str = "w-iLab.t 802.15.4 MAC table (NumOfReceived, packetLoss, ... per 30 s): one link per \
     Density, COR and IPI; order within a row is not recorded and drawn at random";

const HEADER: &str = "NumOfReceived,PRR,packetLoss,PLR,throughput,IPI,Density,COR";
/// More packets than 30 s of 802.15.4 can hold.
const MAX_ROW: u64 = 1_000_000;

pub(super) fn detect(head: &Head<'_>) -> bool {
    head.first() == HEADER
}

pub(super) fn read(_: &Head<'_>, input: Input<'_>) -> Result<Vec<LinkTrace>, TraceError> {
    let (path, options, budget) = (input.path, input.options, input.budget);
    let template = link(&input, TAG, None, Outcomes::new());
    let mut lines = Lines::new(input);
    if lines.next()?.map(str::trim) != Some(HEADER) {
        return Err(lines.malformed("another header", HEADER));
    }
    let mut groups: BTreeMap<[u64; 3], (LinkTrace, Shuffler, u64)> = BTreeMap::new();
    let (mut ratios, mut sums) = (Ratios::default(), (0.0, 0.0));
    while let Some(line) = lines.next()? {
        if line.trim().is_empty() {
            continue;
        }
        let Some((stated, [received, lost, density, cor, ipi])) = row(line) else {
            let found = excerpt(line);
            return Err(lines.malformed(found, &format!("whole numbers under {HEADER}")));
        };
        let group = match groups.entry([density, cor, ipi]) {
            Entry::Occupied(group) => group.into_mut(),
            Entry::Vacant(place) => {
                budget.link(path)?;
                let local = format!("density{density}-cor{cor}-ipi{ipi}");
                let labels = [("density", density), ("cor_percent", cor), ("ipi_128th_s", ipi)];
                let link = LinkTrace {
                    name: format!("{}:{local}", template.name),
                    order_known: false,
                    labels: labels.map(|(k, v)| (k.to_owned(), v.to_string())).into(),
                    ..template.clone()
                };
                place.insert((link, Shuffler::new(options.order_seed, &local), 0))
            }
        };
        budget.packets(path, received + lost)?;
        if received > 0 {
            ratios.add(stated);
            sums.0 += stated;
            sums.1 += received as f64 / (received + lost) as f64;
        }
        group.1.append(&mut group.0.outcomes, received + lost, received);
        group.2 += 1;
    }
    let off = ratios.beside_counts("PRR", sums.0, sums.1);
    Ok(groups
        .into_values()
        .map(|(mut link, _, rows)| {
            link.notes = vec![
                order::note("row of 30 s"),
                format!("{rows} independent experiments of several senders put together"),
            ];
            link.notes.extend(off.clone());
            link
        })
        .collect())
}

/// The PRR that a row states, and its counts: received, lost, density, COR, IPI.
fn row(line: &str) -> Option<(f64, [u64; 5])> {
    let cells: Vec<&str> = line.split(',').map(str::trim).collect();
    let &[received, prr, lost, _, _, ipi, density, cor] = cells.as_slice() else { return None };
    let number = |cell: &str| cell.parse::<u64>().ok().filter(|n| *n <= MAX_ROW);
    let counts: Option<Vec<u64>> =
        [received, lost, density, cor, ipi].into_iter().map(number).collect();
    Some((prr.parse().unwrap_or(0.0), counts?.try_into().ok()?))
}
