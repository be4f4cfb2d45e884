//! What schemes add to the exchanges of a station. A station without schemes has no hooks.
//!
//! ```text
//! group     access -> DATA a -> ACK -> SIFS -> DATA b -> ACK ...      to different stations (TAP)
//! reverse   DATA -> SIFS -> ACK + reservation -> SIFS -> CTS -> SIFS -> DATA -> SIFS -> ACK  (DCF+)
//! zoom      CWmin halves with each success, and is the usual one again after a failure
//! ```
//! `reverse`: the receiver of a data frame answers with an ACK whose Duration field covers a data
//! frame of its own for the sender. The sender of the first frame answers with a CTS. If the CTS
//! fails to come, the attempt does not count, and the back-off stays. The second data frame gets a
//! plain ACK: no chain follows. A station inside a transmission opportunity ignores the
//! reservation. Sources: S3 sections 4.4 and 4.5, figure 4.2.

use airtcp_units::{Nanos, Narrow, Span};

use super::exchange::{Due, Exchange};
use super::sending::data_and_ack_time;
use super::{Contender, Frame, Grant, Kind, Mpdu, NodeId, Rules, Station};

/// ACKs to different stations in one access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AckGroup {
    /// Category of the ACKs.
    pub category: u8,
    /// Maximum number of ACKs in one access.
    pub acks: u32,
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
    /// Receivers of the current group.
    served: Vec<NodeId>,
    /// True from an ACK with a reservation until the end of the data frame it reserves for.
    reversing: bool,
    /// By category, the usual CWmin.
    usual: Vec<u32>,
    /// By category, an inter-frame space that holds from the next back-off.
    next_ifs: Vec<Option<Span>>,
}

impl Hooks {
    /// The hooks of a station; `None` if the seams change nothing.
    pub(crate) fn new(seams: ExchangeSeams, contenders: &[Contender]) -> Option<Box<Self>> {
        if seams == ExchangeSeams::default() {
            return None;
        }
        let usual = contenders.iter().map(|c| c.cw_min).collect();
        let next_ifs = vec![None; contenders.len()];
        Some(Box::new(Self { seams, usual, next_ifs, ..Self::default() }))
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

    /// An exchange of a packet begins.
    pub(super) fn on_begin(&mut self, to: NodeId) {
        self.served.push(to);
    }

    /// Halves the window of a category after a success.
    pub(super) fn zoom(&self, contender: &mut Contender) {
        if let Some(least) = self.seams.zoom {
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

impl Station {
    /// Turns the ACK to a data frame into one that reserves the medium for a packet to its sender,
    /// if the station has such a packet.
    pub(super) fn reserve_reverse(&mut self, frame: &Frame, answer: &mut Frame, rules: &Rules) {
        let Some(hooks) = &self.hooks else { return };
        // A frame that was itself reserved for carries a grant, and gets a plain ACK.
        let wanted = hooks.seams.reverse_data
            && self.exchange == Exchange::None
            && frame.kind == Kind::Data
            && !frame.more_fragments
            && frame.grant.is_none();
        if !wanted {
            return;
        }
        let fits = |c: &Contender| {
            c.mpdu.is_some_and(|m| {
                m.to == frame.from && !m.class.is_management() && !m.part.has_next()
            })
        };
        let Some(category) = self.contenders.iter().rposition(fits) else { return };
        let Some(mpdu) = self.contenders[category].mpdu else { return };
        let timing = &rules.timing;
        let data = data_and_ack_time(mpdu.mode, mpdu.bytes, rules);
        answer.duration = timing.sifs + timing.cts(answer.mode) + timing.sifs + data;
        answer.grant = Some(Grant { mode: mpdu.mode, bytes: mpdu.bytes });
        answer.category = u8::narrow(category);
    }

    /// Waits for the CTS after an ACK with a reservation.
    pub(super) fn await_reverse_cts(&mut self, now: Nanos, ack: &Frame, rules: &Rules) {
        let Some(hooks) = self.hooks.as_mut().filter(|_| ack.grant.is_some()) else { return };
        hooks.reversing = true;
        self.active = usize::from(ack.category);
        self.record_first_attempt(now);
        let until = now + rules.timing.ack_timeout(ack.mode);
        self.exchange = Exchange::Awaiting { answer: Kind::Cts, until, heard: Nanos::NEVER };
    }

    /// Answers the reservation in an ACK with a CTS.
    pub(super) fn grant_reverse(&mut self, now: Nanos, ack: &Frame, rules: &Rules) {
        if ack.grant.is_none() || self.due.is_some() {
            return;
        }
        let timing = &rules.timing;
        let mode = timing.answer_mode(ack.mode);
        let spent = timing.sifs + timing.cts(ack.mode);
        let duration = ack.duration.saturating_sub(spent);
        let cts = Frame::control(Kind::Cts, self.id, ack.from, mode, duration, ack.category);
        self.due = Some((now + timing.sifs, Due::Answer(cts)));
    }

    /// True if the failure of the current exchange is that of a reservation: the CTS did not come.
    pub(super) fn reverse_unanswered(&mut self) -> bool {
        let waits = matches!(self.exchange, Exchange::Awaiting { answer: Kind::Cts, .. });
        match &mut self.hooks {
            Some(hooks) if hooks.reversing && waits => {
                hooks.reversing = false;
                true
            }
            _ => false,
        }
    }

    /// True if the data frame to send is one that an ACK has reserved for.
    pub(super) fn is_reverse(&self) -> bool {
        self.hooks.as_ref().is_some_and(|hooks| hooks.reversing)
    }
}
