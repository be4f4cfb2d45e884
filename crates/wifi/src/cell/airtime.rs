//! Time on the air of each exchange, for queues that share airtime.
//!
//! An exchange is all that is sent for one packet, or until what is left of an aggregate waits for another turn: data
//! frames of all attempts and fragments with their RTS and CTS, and the CTS and MAC ACKs that answer them, each from
//! preamble to end. Spaces between frames and back-off are left out. A frame counts when it starts, so that the answer that
//! ends an exchange is part of it. Nothing is counted unless a queue asks.

use airtcp_units::Span;

use crate::mac::{CATEGORIES, Finished, Frame, Kind};
use crate::node::NodeId;

/// An exchange that has finished, whether or not its packet was acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExchangeAirtime {
    /// The station that sent the packet.
    pub from: NodeId,
    /// The station that the packet was for.
    pub to: NodeId,
    /// Access category of the packet (0 under DCF).
    pub category: usize,
    /// Sum of the times of the frames.
    pub airtime: Span,
    /// True if MPDUs of it wait for another turn of their receiver.
    pub repeats: bool,
}

/// Airtime of the exchanges on a medium.
#[derive(Debug)]
pub(crate) struct AirtimeLedger {
    /// By station and category, the airtime of the exchange under way.
    under_way: Vec<[Span; CATEGORIES]>,
    finished: Vec<ExchangeAirtime>,
}

impl AirtimeLedger {
    pub(crate) fn new(stations: usize) -> Self {
        Self { under_way: vec![[Span::ZERO; CATEGORIES]; stations], finished: Vec::new() }
    }

    /// A frame begins that takes `time`.
    pub(crate) fn on_start(&mut self, frame: &Frame, time: Span) {
        let owner = match frame.kind {
            Kind::Data | Kind::Rts | Kind::BlockAckReq => frame.from,
            Kind::Ack | Kind::Cts | Kind::BlockAck if frame.multi_user.is_none() => frame.to,
            _ => return,
        };
        // Management exchanges have a category of their own, after these.
        let category = usize::from(frame.category);
        let owner = self.under_way.get_mut(owner.index());
        if let Some(sum) = owner.and_then(|categories| categories.get_mut(category)) {
            *sum = Span(sum.0.saturating_add(time.0));
        }
    }

    /// The exchange of a station's category has finished.
    pub(crate) fn on_finished(&mut self, from: NodeId, done: &Finished) {
        let category = usize::from(done.category);
        let airtime = self.take_sum(from, category);
        if airtime == Span::ZERO {
            // The first packet of the aggregate that finished has the time of all.
            return;
        }
        let to = done.mpdu.to;
        self.finished.push(ExchangeAirtime { from, to, category, airtime, repeats: false });
    }

    /// The exchange of a station's category has ended, and leaves MPDUs that wait for another turn.
    pub(crate) fn on_parked(&mut self, from: NodeId, category: usize, to: NodeId) {
        let airtime = self.take_sum(from, category);
        self.finished.push(ExchangeAirtime { from, to, category, airtime, repeats: true });
    }

    fn take_sum(&mut self, from: NodeId, category: usize) -> Span {
        std::mem::replace(&mut self.under_way[from.index()][category], Span::ZERO)
    }

    /// An HE MU PPDU of `time` begins, whose resource units are equal.
    pub(crate) fn on_multi_user(
        &mut self,
        frame: &Frame,
        users: impl ExactSizeIterator<Item = NodeId>,
    ) {
        let time = frame.multi_user.map_or(0, |times| times.time.0);
        let airtime = Span(time / (users.len() as u64).max(1));
        let (from, category) = (frame.from, usize::from(frame.category));
        let repeats = false;
        self.finished.extend(users.map(|to| ExchangeAirtime {
            from,
            to,
            category,
            airtime,
            repeats,
        }));
    }

    pub(crate) fn take(&mut self) -> Option<ExchangeAirtime> {
        self.finished.pop()
    }
}
