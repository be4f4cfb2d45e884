//! Schemes: changes of medium access or TCP handling that correct unfair shares of a cell.
//!
//! A seam is a parameter or decision of the cell that a scheme may set ([`seams`]): the access
//! category of a packet, the access parameters of a station, what follows an exchange, a controller
//! that adjusts parameters during the run, and the transport boundary of the access point. Without
//! schemes, every seam has the value of the cell's configuration. A scheme is one file and one
//! entry of the registry.

mod ack_agent;
mod aifs_controller;
mod at;
mod auto_zoom;
mod boundary;
mod dcf_plus;
mod eln;
mod ftca;
mod leith_clifford;
mod link_red;
mod per_station;
mod power_classes;
mod registry;
mod same_category;
mod seams;
mod snoop;
mod split_tcp;
mod tap;

#[cfg(test)]
mod conformance;

pub use ack_agent::{AckAgent, AckAgentConfig};
pub use aifs_controller::{AifsController, AifsnLimits, ControllerConfig};
pub use at::At;
pub use auto_zoom::{AutoZoom, AutoZoomConfig};
pub use boundary::Boundary;
pub use dcf_plus::{DcfPlus, DcfPlusConfig};
pub use eln::{Eln, ElnConfig};
pub use ftca::{AckAccess, Ftca, FtcaConfig};
pub use leith_clifford::{LeithClifford, LeithCliffordConfig};
pub use link_red::{LinkRed, LinkRedConfig};
pub use per_station::{PerStation, PerStationConfig, PerStationScheme};
pub use power_classes::{PowerClasses, PowerClassesConfig};
pub use registry::{Scheme, SchemeConfig, registry};
pub use same_category::{SameCategory, SameCategoryConfig};
use seams::Family;
pub use seams::{ControlCategory, Seams, StationSeams};
pub use snoop::{Snoop, SnoopConfig};
pub use split_tcp::{Acknowledge, SplitTcp, SplitTcpConfig};
pub use tap::{Tap, TapConfig};

use airtcp_probe::ConfigError;

use crate::mac::MacConfig;
use crate::phy::Standard;

/// Applies the schemes of a cell. `names` are those of its stations, the access point's first.
///
/// # Errors
/// If a scheme needs what the cell lacks, a value is impossible, or two schemes set the same seam.
/// The key begins with the scheme's number, such as `schemes[1].cw_min`.
pub fn apply(
    schemes: &[SchemeConfig],
    mac: &MacConfig,
    standard: Standard,
    names: &[String],
) -> Result<Seams, (Option<usize>, ConfigError)> {
    apply_mixed(schemes, mac, &vec![standard; names.len()], names)
}

/// Applies the schemes of a cell whose stations differ in their 802.11 standard. `standards` has that
/// of each station, in the order of `names`.
///
/// # Errors
/// As [`apply`].
pub fn apply_mixed(
    schemes: &[SchemeConfig],
    mac: &MacConfig,
    standards: &[Standard],
    names: &[String],
) -> Result<Seams, (Option<usize>, ConfigError)> {
    let mut seams = Seams::new(mac, standards, names).map_err(|e| (None, e))?;
    for (number, config) in schemes.iter().enumerate() {
        seams.scheme = config.scheme();
        Scheme::build(config, &mut seams).map_err(|e| (Some(number), e))?;
    }
    seams.check().map_err(|e| (None, e))?;
    Ok(seams)
}
