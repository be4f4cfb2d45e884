//! The state of a station that an access point triggers.

use std::ops::Range;

use airtcp_units::{Nanos, Span};

use super::mu_air::TbGrant;
use super::{Contender, MuEdcaConfig};
use crate::node::NodeId;

/// Multi-user operation of a station.
#[derive(Debug)]
pub(crate) struct MuStation {
    pub(super) access_point: NodeId,
    /// Stations of its cell.
    pub(super) cell: Range<u32>,
    /// By category, the bytes in an A-MPDU of the packets in its queue.
    pub(super) queued: Vec<u64>,
    /// What the trigger allows, while it waits for the start and the answer.
    pub(super) grant: Option<TbGrant>,
    pub(super) edca: Option<MuEdcaConfig>,
    /// By category, the usual inter-frame space and windows.
    pub(super) usual: Vec<(Span, u32, u32)>,
    /// By category, the end of the MU EDCA timer.
    pub(super) until: Vec<Nanos>,
    /// End of the reservations of other cells.
    pub(super) nav_of_others: Nanos,
}

impl MuStation {
    pub(crate) fn new(
        access_point: NodeId,
        cell: Range<u32>,
        edca: Option<MuEdcaConfig>,
        contenders: &[Contender],
    ) -> Self {
        let usual = contenders.iter().map(|c| (c.ifs, c.cw_min, c.cw_max)).collect();
        Self {
            access_point,
            cell,
            queued: vec![0; contenders.len()],
            grant: None,
            edca,
            usual,
            until: vec![Nanos::ZERO; contenders.len()],
            nav_of_others: Nanos::ZERO,
        }
    }
}
