//! What a world with traffic from outside is like now: how much waits, and how busy the air was.

use airtcp_probe::Probe;
use airtcp_queueing::Qdisc;
use airtcp_units::{Narrow, Span};

use super::Outside;
use crate::world::medium::Medium;

impl<P: Probe> Outside<P> {
    /// Packets that wait in the queues of links, and those in the stations of cells; simulated ones count.
    pub fn waiting(&self) -> u64 {
        let links = self.world.interfaces().iter();
        let links: u64 = links.map(|one| u64::from(one.queue.backlog().packets)).sum();
        links + self.world.media().iter().map(Medium::in_flight).sum::<u64>()
    }

    /// For each cell, the time in which at least one of its frames was on the air, since the start.
    pub fn on_air(&self) -> Vec<Span> {
        let now = self.world.now();
        let busy = |(medium, cell): &(u32, u32)| {
            let medium = &self.world.media()[usize::narrow(*medium)];
            Span(medium.cell.busy_ns(usize::narrow(*cell), now))
        };
        self.world.cells().iter().map(busy).collect()
    }
}
