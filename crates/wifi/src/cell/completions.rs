//! Packets of flows that begin at a station and limit what waits in it: the sender hears when the station is done with
//! a packet.
//!
//! A station is done with a packet when it is acknowledged, given up or expired, not when the receiver has it: by then
//! the packet may have left the pool. Packets that a queue drops complete there. Source: Linux
//! `ieee80211_tx_status`, which frees the packet.

use airtcp_packet::{Completed, PacketId, Pool};

use crate::mac::{CATEGORIES, Finished};
use crate::node::NodeId;

/// The held packets that the stations of a medium are sending, by station and category, with receiver and sequence number.
#[derive(Debug, Default)]
pub(crate) struct Completions {
    sending: Vec<[Vec<(NodeId, u16, Completed)>; CATEGORIES]>,
}

impl Completions {
    /// A packet comes to the head of a category, or joins an aggregate, with a sequence number.
    #[inline]
    pub(crate) fn on_head(
        &mut self,
        station: NodeId,
        (category, to, sequence): (usize, NodeId, u16),
        packet: PacketId,
        pool: &mut Pool,
    ) {
        if let Some(completed) = pool.take_held(packet) {
            self.add(station, category, (to, sequence, completed));
        }
    }

    #[cold]
    fn add(&mut self, station: NodeId, category: usize, sending: (NodeId, u16, Completed)) {
        if self.sending.len() <= station.index() {
            self.sending.resize_with(station.index() + 1, Default::default);
        }
        self.sending[station.index()][category].push(sending);
    }

    /// A station has finished a packet.
    #[inline]
    pub(crate) fn on_finished(&mut self, station: NodeId, done: &Finished, pool: &mut Pool) {
        if !self.sending.is_empty() {
            self.complete(station, done, pool);
        }
    }

    #[cold]
    fn complete(&mut self, station: NodeId, done: &Finished, pool: &mut Pool) {
        let Some(sending) = self.sending.get_mut(station.index()) else { return };
        let sending = &mut sending[usize::from(done.category)];
        let own = (done.mpdu.to, done.mpdu.sequence);
        if let Some(place) = sending.iter().position(|(to, number, _)| (*to, *number) == own) {
            pool.complete(sending.remove(place).2);
        }
    }
}
