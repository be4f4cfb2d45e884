//! The state of a station that an access point triggers.

use std::ops::Range;

use airtcp_units::{Nanos, Span};

use super::times::TbGrant;
use crate::mac::{Contender, MuEdcaConfig};
use crate::node::NodeId;

/// Multi-user operation of a station.
#[derive(Debug)]
pub(crate) struct MuStation {
    pub(in crate::mac) access_point: NodeId,
    /// Stations of its cell.
    pub(in crate::mac) cell: Range<u32>,
    /// By category, the bytes in an A-MPDU of the packets in its queue.
    pub(in crate::mac) queued: Vec<u64>,
    /// What the trigger allows, while it waits for the start and the answer.
    pub(in crate::mac) grant: Option<TbGrant>,
    pub(in crate::mac) edca: Option<MuEdcaConfig>,
    /// By category, the usual inter-frame space and windows.
    pub(in crate::mac) usual: Vec<(Span, u32, u32)>,
    /// By category, the end of the MU EDCA timer.
    pub(in crate::mac) until: Vec<Nanos>,
    /// End of the reservations of other cells.
    pub(in crate::mac) nav_of_others: Nanos,
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
