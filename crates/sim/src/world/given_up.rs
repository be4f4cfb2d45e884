//! Notices of packets that stations gave up at the retry limit, to the senders that asked.
//!
//! A sender on the station itself gets its notice at once. Another sender gets it after its
//! `loss_notification_delay`. A boundary that splits connections gets no notices.

use std::collections::VecDeque;

use airtcp_link::CorruptionNotice;
use airtcp_probe::Probe;
use airtcp_units::{Nanos, Span};

use super::queue::{MachineId, Phase};
use super::{Actor, World};

/// Notices that have not yet reached their senders.
pub(crate) struct Notices {
    /// By endpoint, the delay of a notice; `None` if it asked for none.
    delays: Vec<Option<Span>>,
    /// In the order of their times; equal times in the order of the packets.
    waiting: VecDeque<CorruptionNotice>,
    timer: MachineId,
}

impl<P: Probe> World<P> {
    /// Gives notices of the packets that stations give up. `delays` contains, by endpoint, the delay
    /// of a notice, or `None` if the endpoint asked for none. `salt` derives from the seed.
    pub(crate) fn add_notices(&mut self, delays: Vec<Option<Span>>, salt: u64) {
        for medium in &mut self.media {
            medium.cell.record_given_up(delays.iter().map(Option::is_some).collect());
        }
        let timer = self.register(Actor::Notices, Phase::Timer, salt);
        let waiting = VecDeque::new();
        self.notices = Some(Box::new(Notices { delays, waiting, timer }));
    }

    /// Schedules the notices of the packets that stations of a medium have given up.
    #[cold]
    pub(super) fn collect_given_up(&mut self, number: u32) {
        let Some(notices) = &mut self.notices else { return };
        let medium = &mut self.media[number as usize];
        while let Some(given_up) = medium.cell.take_given_up() {
            let (from, node) = (given_up.from, medium.nodes[given_up.station.index()]);
            let Some(&Some(delay)) = notices.delays.get(from.index()) else { continue };
            if self.boundaries.splits(node, from.flow()) {
                continue;
            }
            let local = self.endpoints[from.index()].node == node;
            let at = if local { self.now } else { self.now + delay };
            let (segment, started) = (given_up.segment, given_up.started);
            let place = notices.waiting.partition_point(|notice| notice.at <= at);
            notices.waiting.insert(place, CorruptionNotice { at, from, segment, started });
        }
        let next = notices.waiting.front().map_or(Nanos::NEVER, |notice| notice.at);
        self.queue.set(notices.timer, next);
    }

    /// Passes the notices that are due to their senders.
    pub(super) fn on_notices(&mut self) {
        loop {
            let Some(notices) = &mut self.notices else { return };
            let Some(notice) = notices.waiting.pop_front_if(|n| n.at <= self.now) else { break };
            self.notify_corruption(&notice);
        }
        if let Some(notices) = &self.notices {
            let next = notices.waiting.front().map_or(Nanos::NEVER, |notice| notice.at);
            self.queue.set(notices.timer, next);
        }
    }
}
