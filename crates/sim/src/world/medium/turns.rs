//! The turns of the receivers of a station: what the queue learns of airtime, and what follows when it names a
//! receiver whose MPDUs wait to be sent again (`mac/repeats.rs` of `airtcp-wifi`).
//!
//! Only behind queues that order what is repeated, at stations that send aggregates, and with nothing between queue and
//! station (`mac.hardware_queue`): a device with packets of its own repeats at once.

use airtcp_packet::{PacketId, Pool};
use airtcp_probe::{EventSource, PoolCx, Probe};
use airtcp_queueing::{Airtime, Next, Qdisc};
use airtcp_units::{Nanos, Narrow};
use airtcp_wifi::cell::ExchangeAirtime;
use airtcp_wifi::node::NodeId;

use super::{Medium, left};

impl Medium {
    /// Lets MPDUs wait for the turns of their receivers where the queue gives turns.
    pub(super) fn order_repeats(&mut self) {
        self.orders_repeats = vec![false; self.queues.len()];
        for i in 0..self.nodes.len() {
            let station = NodeId(u32::narrow(i));
            let places = self.places(station);
            let orders = |place: usize| {
                self.by_receiver[place]
                    && self.queues[place].orders_repeats()
                    && !self.below.has_places(place)
            };
            if places.clone().all(orders) && self.cell.park_repeats(station) {
                self.orders_repeats[places].fill(true);
            }
        }
    }

    /// The first packet of a queue that orders what is repeated, and when it entered. `None` also if it is the turn of MPDUs
    /// to send again, which then are at the head.
    pub(super) fn dequeue_in_turn<P: Probe>(
        &mut self,
        now: Nanos,
        (station, category): (NodeId, usize),
        probe: &mut P,
        pool: &mut Pool,
    ) -> Option<(PacketId, Nanos)> {
        let place = self.place(station, category);
        let source = EventSource::Queue(self.first_queue + u32::narrow(place));
        loop {
            match self.queues[place].next(now, &mut PoolCx::new(probe, pool, source))? {
                Next::Packet(packet) => {
                    return Some((packet, left(&mut self.waiting[place], packet).unwrap_or(now)));
                }
                Next::Repeat(receiver) => {
                    let named = |to: &NodeId| self.nodes.get(to.index()) == Some(&receiver);
                    let parked = || self.cell.parked(station, category);
                    // Receivers that the queue does not know share a turn.
                    let turn = parked().find(named).or_else(|| parked().next());
                    if let Some(to) = turn {
                        let mut cx = PoolCx::new(probe, pool, EventSource::Medium(self.number));
                        self.cell.take_turn(now, (station, category), to, &mut cx);
                        return None;
                    }
                }
            }
        }
    }

    /// Reports the airtime of each finished exchange to the queues of both stations.
    #[inline(never)]
    pub(super) fn report_airtime(&mut self) {
        while let Some(exchange) = self.cell.take_airtime() {
            let ExchangeAirtime { from, to, category, airtime: time, repeats } = exchange;
            let nodes = [from, to].map(|station| self.nodes.get(station.index()).copied());
            // A broadcast has no receiver.
            let [Some(sender), Some(receiver)] = nodes else { continue };
            for (station, peer, received) in [(from, receiver, false), (to, sender, true)] {
                let place = self.place(station, category);
                let repeats = repeats && !received;
                self.queues[place].on_airtime(&Airtime { peer, time, received, repeats });
            }
        }
    }
}
