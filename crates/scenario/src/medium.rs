//! Media shared by several cells.
//!
//! Two cells share a medium if both name a channel and the channels overlap, or if both share a medium with
//! a third cell. Path loss, shadowing, fading and the speed of the air (`mac.ablation.speed`) must be the same for all cells on a medium. Properties of a
//! radio (noise, thresholds, capture, decoding, power) and medium access belong to each cell.

use airtcp_wifi::phy::propagation::PathLossConfig;

use crate::{Cell, CellSpec, Resolved, ScenarioError};

/// Maximum number of stations on a medium, access points included (a choice: the powers of all pairs take
/// 8 MB).
pub const MAX_ON_MEDIUM: usize = 1001;

impl CellSpec {
    /// Attenuation of this cell's frames at a radio of `other` by channel separation, in dB; 0 if a cell is of
    /// 802.11n, ac or ax, whose frames may have several widths. `None` if the channels do not overlap or a cell
    /// names none.
    pub fn rejection_db(&self, other: &Self) -> Option<f64> {
        let channel = |spec: &Self| spec.radio_channel().ok().flatten();
        channel(self)?.rejection_db(channel(other)?)
    }
}

impl Resolved {
    /// The media, each as the numbers of its cells, ordered by their first cells.
    pub fn media(&self) -> Vec<Vec<usize>> {
        media(&self.cells)
    }
}

pub(crate) fn media(cells: &[Cell]) -> Vec<Vec<usize>> {
    let mut media: Vec<Vec<usize>> = Vec::new();
    for (number, cell) in cells.iter().enumerate() {
        let touches = |medium: &Vec<usize>| {
            medium.iter().any(|other| cells[*other].spec.rejection_db(&cell.spec).is_some())
        };
        let (mut joined, apart): (Vec<_>, Vec<_>) = media.into_iter().partition(touches);
        let mut merged: Vec<usize> = joined.drain(..).flatten().collect();
        merged.push(number);
        merged.sort_unstable();
        media = apart;
        media.push(merged);
    }
    media.sort_unstable();
    media
}

/// Sets the neighbours of the cells, and checks that cells on one medium agree.
///
/// # Errors
/// The first key in which a cell differs from the first cell on its medium, or too many stations.
pub(crate) fn join(cells: &mut [Cell]) -> Result<(), ScenarioError> {
    for medium in media(cells) {
        let [first, rest @ ..] = medium.as_slice() else { continue };
        for other in rest {
            agree(&cells[*first], &cells[*other])?;
        }
        let nodes: usize = medium.iter().map(|i| cells[*i].nodes.len()).sum();
        if let Some(last) = rest.last()
            && nodes > MAX_ON_MEDIUM
        {
            let message = format!(
                "makes {nodes} stations on one medium, access points counted: expected up to \
                 {MAX_ON_MEDIUM}"
            );
            return Err(ScenarioError::at(format!("{}.channel", cells[*last].path), message));
        }
        for i in &medium {
            let others = medium.iter().filter(|other| *other != i);
            cells[*i].neighbours = others.flat_map(|o| cells[*o].spec.node_names()).collect();
        }
    }
    Ok(())
}

fn agree(a: &Cell, b: &Cell) -> Result<(), ScenarioError> {
    let ranges = matches!(a.spec.propagation.path_loss, PathLossConfig::Ranges(_));
    let key = if a.spec.propagation != b.spec.propagation {
        "propagation"
    } else if a.spec.fading != b.spec.fading {
        "fading"
    } else if a.spec.mac.speed().to_bits() != b.spec.mac.speed().to_bits() {
        "mac.ablation.speed"
    } else if ranges && a.spec.power_dbm.to_bits() != b.spec.power_dbm.to_bits() {
        "power_dbm"
    } else {
        return Ok(());
    };
    let number = |cell: &Cell| cell.spec.channel.unwrap_or_default();
    let why = if key == "power_dbm" { " with the path loss \"ranges\"" } else { "" };
    let message = format!(
        "differs from {}.{key}, but the cells share a medium (channels {} and {}) and must have the \
         same value{why}",
        a.path,
        number(a),
        number(b)
    );
    Err(ScenarioError::at(format!("{}.{key}", b.path), message))
}
