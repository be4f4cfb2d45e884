//! A table with one link a row and its outcomes as a string of 0 and 1 in one column, such as
//! the Rutgers/ORBIT noise data (`delivery.tsv`, CRAWDAD rutgers/noise).

use std::collections::BTreeMap;

use airtcp_units::Outcomes;

use super::super::head::Head;
use super::super::input::Input;
use super::super::lines::Lines;
use super::link::link;
use crate::error::{TraceError, excerpt};
use crate::reader::LinkTrace;

pub(super) const TAG: &str = "link-rows";
pub(super) const DESCRIPTION: &str = "CSV/TSV, one link a row, with a column of 0/1 strings named delivery_bits..., \
     bits or outcomes; the other columns become labels (Rutgers/ORBIT delivery.tsv)";

/// Longest label kept.
const MAX_LABEL: usize = 200;

fn delimiter(header: &str) -> char {
    if header.contains('\t') { '\t' } else { ',' }
}

fn bits_column(header: &str) -> Option<usize> {
    header.split(delimiter(header)).position(|name| {
        let name = name.trim().to_lowercase();
        name.starts_with("delivery_bits") || name == "bits" || name == "outcomes"
    })
}

/// True for a header with such a column, and a longer string in it than in a table of packets.
pub(super) fn detect(head: &Head<'_>) -> bool {
    let mut lines = head.content();
    let Some((_, header)) = lines.next() else { return false };
    let Some(bits) = bits_column(header) else { return false };
    let row = lines.next().and_then(|(_, line)| line.split(delimiter(header)).nth(bits));
    // A first row longer than the head cannot be examined.
    row.is_none_or(|cell| {
        cell.trim().len() > 1 && cell.trim().bytes().all(|b| matches!(b, b'0' | b'1'))
    })
}

pub(super) fn read(_: &Head<'_>, input: Input<'_>) -> Result<Vec<LinkTrace>, TraceError> {
    let (path, budget) = (input.path, input.budget);
    let template = link(&input, TAG, None, Outcomes::new());
    let mut lines = Lines::new(input);
    let mut header: Option<(Vec<String>, usize, char)> = None;
    let mut links = Vec::new();
    while let Some(line) = lines.next()? {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let Some((names, bits, delimiter)) = &header else {
            let delimiter = delimiter(line);
            let names = line.split(delimiter).map(|n| n.trim().to_owned()).collect();
            let Some(bits) = bits_column(line) else {
                let found = excerpt(line);
                return Err(lines.malformed(found, "a header with a column delivery_bits"));
            };
            header = Some((names, bits, delimiter));
            continue;
        };
        let cells: Vec<&str> = line.split(*delimiter).map(str::trim).collect();
        if cells.len() != names.len() {
            let found = format!("{} cells", cells.len());
            return Err(lines.malformed(found, &format!("{}, as in the header", names.len())));
        }
        let mut outcomes = Outcomes::with_capacity(cells[*bits].len());
        for c in cells[*bits].chars() {
            match c {
                '0' | '1' => outcomes.push(c == '1'),
                _ => {
                    let found = format!("{c:?} in column {}", names[*bits]);
                    return Err(lines.malformed(found, "a string of 0 and 1"));
                }
            }
        }
        let labels: BTreeMap<String, String> = names
            .iter()
            .zip(&cells)
            .enumerate()
            .filter(|(i, _)| i != bits)
            .map(|(_, (name, cell))| (name.clone(), cell.chars().take(MAX_LABEL).collect()))
            .collect();
        budget.packets(path, outcomes.len() as u64)?;
        budget.link(path)?;
        budget.names(path, labels.values().map(String::len).sum())?;
        let name = format!("{}:{}", template.name, name(&labels, links.len() + 1));
        links.push(LinkTrace { name, outcomes, labels, ..template.clone() });
    }
    Ok(links)
}

/// `tx>rx@noise` where the row says so, else its number.
fn name(labels: &BTreeMap<String, String>, row: usize) -> String {
    let get = |key: &str| labels.get(key);
    let mut name = match (get("tx"), get("rx"), get("link")) {
        (_, _, Some(link)) => link.clone(),
        (Some(tx), Some(rx), None) => format!("{tx}>{rx}"),
        _ => format!("row{row}"),
    };
    if let Some(noise) = get("noise_dbm") {
        name = format!("{name}@{noise}dBm");
    }
    name
}
