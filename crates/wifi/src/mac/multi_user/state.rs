//! The state of an access point's multi-user accesses.

use airtcp_units::Narrow;

use super::reports::Reports;
use super::schedule::Turns;
use super::times::TbGrant;
use crate::mac::receiver_lanes::ReceiverLanes;
use crate::mac::{Frame, OfdmaConfig};
use crate::node::NodeId;
use crate::phy::Mode;

/// What an access is being prepared for, or carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::mac) enum Stage {
    /// No multi-user exchange.
    None,
    /// The world has still to name the queued packets.
    Planning,
    /// The world adds packets to an HE MU PPDU.
    Filling,
    /// An HE MU PPDU, or the answers to it.
    Downlink,
    /// A trigger frame waits for the start of this instant.
    Triggering,
    /// A trigger frame, the answers to it, or the BlockAck for them.
    Uplink,
    /// Nothing is left to send.
    Cancelled,
}

/// What follows from the preparation of an access.
#[derive(Debug)]
pub(in crate::mac) enum Composed {
    /// The frame of a multi-user exchange.
    Frame(Frame),
    /// Nothing is left to send.
    Nothing,
    /// A single-user exchange, whose frame comes from elsewhere.
    Other,
}

/// A station that a multi-user exchange serves.
#[derive(Debug, Clone, Copy)]
pub(crate) struct User {
    pub(crate) station: NodeId,
    /// Mode in its resource unit.
    pub(crate) mode: Mode,
    /// The mode that rate control chose.
    pub(in crate::mac) chosen: Mode,
    /// Of a PPDU in preparation: bytes of its MPDUs, each as if another one followed, maximum length, and number of
    /// MPDUs that can still join.
    pub(in crate::mac) before: u32,
    pub(in crate::mac) most: u32,
    pub(in crate::mac) room: usize,
    /// MPDUs of the PPDU.
    pub(crate) on_air: usize,
    /// Bytes of its PSDU; of an uplink user those that it has reported.
    pub(in crate::mac) bytes: u32,
    /// True if its answer arrived.
    pub(crate) answered: bool,
}

impl User {
    /// A station without MPDUs.
    pub(in crate::mac) const fn new(station: NodeId, mode: Mode) -> Self {
        Self {
            station,
            mode,
            chosen: mode,
            before: 0,
            most: 0,
            room: 0,
            on_air: 0,
            bytes: 0,
            answered: false,
        }
    }
}

/// Multi-user operation of an access point.
#[derive(Debug)]
pub(crate) struct MuAccess {
    pub(in crate::mac) rules: OfdmaConfig,
    /// By station, whether it takes part in multi-user exchanges.
    pub(in crate::mac) capable: Vec<bool>,
    pub(in crate::mac) lanes: ReceiverLanes,
    pub(in crate::mac) stage: Stage,
    pub(in crate::mac) users: Vec<User>,
    /// What the users of the trigger frame may send.
    pub(in crate::mac) grants: Vec<TbGrant>,
    pub(in crate::mac) reports: Reports,
    pub(in crate::mac) down: Turns,
    pub(in crate::mac) up: Turns,
    /// By category, whether the last exchange carried data of the access point.
    pub(in crate::mac) was_down: Vec<bool>,
    /// By category, whether the last data went to a station without 802.11ax.
    pub(in crate::mac) was_single: Vec<bool>,
    /// A frame without A-MPDU that the access carries.
    pub(in crate::mac) plain: Option<Frame>,
}

impl MuAccess {
    pub(crate) fn new(rules: OfdmaConfig, capable: Vec<bool>, categories: usize) -> Self {
        let stations = capable.len();
        let turns = || Turns::new(rules.scheduler, stations);
        Self {
            rules,
            lanes: ReceiverLanes::default(),
            stage: Stage::None,
            users: Vec::new(),
            grants: Vec::new(),
            reports: Reports::new(stations),
            down: turns(),
            up: turns(),
            was_down: vec![false; categories],
            was_single: vec![false; categories],
            plain: None,
            capable,
        }
    }

    /// True if [`Station::compose`] is to give the frame of this instant.
    pub(in crate::mac) const fn is_preparing(&self) -> bool {
        !matches!(self.stage, Stage::None | Stage::Downlink | Stage::Uplink)
    }

    pub(in crate::mac) fn is_capable(&self, station: NodeId) -> bool {
        self.capable.get(station.index()).copied().unwrap_or_default()
    }

    /// Packets of parked MPDUs.
    pub(in crate::mac) fn packets(&self) -> u64 {
        self.lanes.packets()
    }

    /// Stations that have reported packets for a category.
    pub(in crate::mac) fn reporting(&self, category: usize) -> impl Iterator<Item = NodeId> {
        let all = (0..u32::narrow(self.capable.len())).map(NodeId);
        all.filter(move |s| self.rules.uplink && self.reports.get(*s, category) > 0)
    }
}
