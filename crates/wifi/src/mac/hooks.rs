//! What schemes add to the exchanges of a station. A station without schemes has no hooks.
//!
//! ```text
//! group     access -> DATA a -> ACK -> SIFS -> DATA b -> ACK ...      to different stations (TAP)
//!           access -> DATA a -> RIFS -> DATA b ...                    without MAC ACKs
//! reverse   DATA -> SIFS -> ACK + reservation -> SIFS -> CTS -> SIFS -> DATA -> SIFS -> ACK  (DCF+)
//! zoom      CWmin halves with each success, and is the usual one again after a failure
//! link RED  retries mark or drop packets, and lengthen the back-off (`link_red.rs`)
//! ```
//! `reverse`: the receiver of a data frame answers with an ACK whose Duration field covers a data
//! frame of its own for the sender. The sender of the first frame answers with a CTS. If the CTS
//! fails to come, the attempt does not count, and the back-off stays. The second data frame gets a
//! plain ACK: no chain follows. A station inside a transmission opportunity ignores the
//! reservation. Sources: S3 sections 4.4 and 4.5, figure 4.2.

use airtcp_units::Span;

use super::{Class, Contender, LinkRed, Mpdu};
use crate::node::NodeId;

/// ACKs to different stations in one access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AckGroup {
    /// Category of the ACKs.
    pub category: u8,
    /// Maximum number of ACKs in one access.
    pub acks: u32,
    /// False if their receivers send no MAC ACKs.
    pub mac_acks: bool,
}

/// Changes of a station's exchanges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ExchangeSeams {
    /// TCP ACKs to different stations follow one another in one access.
    pub group: Option<AckGroup>,
    /// An ACK can reserve the medium for data of its sender.
    pub reverse_data: bool,
    /// Least value of a CWmin that halves with each success.
    pub zoom: Option<u32>,
    /// Attempts of a frame, in place of those of the cell.
    pub attempts: Option<u32>,
    /// A controller adjusts the inter-frame space.
    pub adjusts_ifs: bool,
}

/// The seams of a station with their state.
#[derive(Debug, Default)]
pub(crate) struct Hooks {
    pub(crate) seams: ExchangeSeams,
    pub(crate) link_red: Option<LinkRed>,
    /// Receivers of the current group.
    served: Vec<NodeId>,
    /// True from an ACK with a reservation until the end of the data frame it reserves for.
    pub(super) reversing: bool,
    /// By category, the usual CWmin.
    usual: Vec<u32>,
    /// By category, an inter-frame space that holds from the next back-off.
    next_ifs: Vec<Option<Span>>,
}

impl Hooks {
    /// The hooks of a station; `None` if the seams change nothing.
    pub(crate) fn new(
        seams: ExchangeSeams,
        link_red: Option<LinkRed>,
        contenders: &[Contender],
    ) -> Option<Box<Self>> {
        if seams == ExchangeSeams::default() && link_red.is_none() {
            return None;
        }
        let usual = contenders.iter().map(|c| c.cw_min).collect();
        let next_ifs = vec![None; contenders.len()];
        Some(Box::new(Self { seams, link_red, usual, next_ifs, ..Self::default() }))
    }

    /// Sets the inter-frame space of a category from its next back-off.
    pub(crate) fn set_ifs(&mut self, category: usize, ifs: Span) {
        if let Some(next) = self.next_ifs.get_mut(category) {
            *next = Some(ifs);
        }
    }

    /// Applies a new inter-frame space before a back-off is drawn.
    pub(super) fn before_draw(&mut self, category: usize, contender: &mut Contender) {
        if let Some(ifs) = self.next_ifs.get_mut(category).and_then(Option::take) {
            contender.ifs = ifs;
        }
    }

    /// An access begins.
    pub(super) fn on_access(&mut self) {
        self.served.clear();
        self.reversing = false;
    }

    /// True if a frame may follow in the current access of a category.
    pub(super) fn allows(&self, category: usize, mpdu: &Mpdu) -> bool {
        match self.seams.group {
            Some(group) if usize::from(group.category) == category => {
                self.served.len() < group.acks as usize && !self.served.contains(&mpdu.to)
            }
            _ => true,
        }
    }

    /// True if the receiver of a frame sends no MAC ACK.
    pub(super) fn is_unacknowledged(&self, category: usize, mpdu: &Mpdu) -> bool {
        let group = self.seams.group.filter(|group| !group.mac_acks);
        let is_one = group.is_some_and(|group| usize::from(group.category) == category);
        is_one && mpdu.class == Class::TcpAck && mpdu.to != NodeId::BROADCAST
    }

    /// An exchange of a packet begins.
    pub(super) fn on_begin(&mut self, to: NodeId) {
        self.served.push(to);
    }

    /// Halves the window of a category after a success.
    pub(super) fn zoom(&self, category: usize, contender: &mut Contender) {
        // Management frames have a back-off beyond these, which no scheme changes.
        if let Some(least) = self.seams.zoom.filter(|_| category < self.usual.len()) {
            contender.cw_min = (contender.cw_min / 2).max(least.min(contender.cw_min));
            contender.reset_window();
        }
    }

    /// Restores the usual window of a category after a failure. Returns true if it was smaller: then
    /// the window does not double as well.
    pub(super) fn unzoom(&self, category: usize, contender: &mut Contender) -> bool {
        let Some(usual) = self.usual.get(category).copied() else { return false };
        let zoomed = contender.cw_min < usual && contender.cw < usual;
        contender.cw_min = usual;
        if zoomed {
            contender.reset_window();
        }
        zoomed
    }
}
