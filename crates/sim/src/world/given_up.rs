//! Notices of packets that stations gave up at the retry limit, to the senders that asked and to the
//! boundaries that hear of them.
//!
//! A sender on the station itself gets its notice at once. Another sender gets it after its
//! `loss_notification_delay`. A boundary that splits connections gets no notices.

use airtcp_link::{CorruptionNotice, CorruptionNotices};
use airtcp_probe::Probe;
use airtcp_units::{Narrow, Span};

use super::notices::Notices;
use super::queue::Phase;
use super::{Actor, World};

impl<P: Probe> World<P> {
    /// Gives notices of the packets that stations give up, if a sender or a boundary wants any. `delays`
    /// contains, by endpoint, the delay of a notice, or `None` if the endpoint asked for none. `salt`
    /// derives from the seed.
    pub(crate) fn add_notices(&mut self, delays: Vec<Option<Span>>, salt: u64) {
        let wants = |(index, delay): (usize, &Option<Span>)| {
            delay.is_some() || self.boundaries.hears_losses(u32::narrow(index / 2))
        };
        let senders: Vec<bool> = delays.iter().enumerate().map(wants).collect();
        if !senders.contains(&true) {
            return;
        }
        for medium in &mut self.media {
            medium.cell.record_given_up(senders.clone());
        }
        let timer = self.register(Actor::Notices, Phase::Timer, salt);
        self.notices = Some(Box::new(Notices { waiting: CorruptionNotices::new(delays), timer }));
    }

    /// Schedules the notices of the packets that stations of a medium have given up.
    #[cold]
    pub(super) fn collect_given_up(&mut self, number: u32) {
        let Some(notices) = &mut self.notices else { return };
        let medium = &mut self.media[number as usize];
        while let Some(given_up) = medium.cell.take_given_up() {
            self.boundaries.on_given_up(number, &given_up);
            let (from, node) = (given_up.from, medium.nodes[given_up.station.index()]);
            let Some(delay) = notices.waiting.delay(from) else { continue };
            if self.boundaries.splits(node, from.flow()) {
                continue;
            }
            let local = self.endpoints[from.index()].node == node;
            let at = if local { self.now } else { self.now + delay };
            let (segment, started) = (given_up.segment, given_up.started);
            notices.waiting.add(CorruptionNotice { at, from, segment, started });
        }
        self.queue.set(notices.timer, notices.waiting.next());
    }

    /// Passes the notices that are due to their senders.
    pub(super) fn on_notices(&mut self) {
        loop {
            let Some(notices) = &mut self.notices else { return };
            let Some(notice) = notices.waiting.take(self.now) else {
                self.queue.set(notices.timer, notices.waiting.next());
                return;
            };
            self.notify_corruption(&notice);
        }
    }
}
