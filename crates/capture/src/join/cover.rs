//! Segments of a host that are longer than those of the air: network cards cut segments that are sent
//! (TSO), and put together those that are received (GRO).

use super::hosts::HostLog;
use super::keys::Ranges;

/// The segments of a host by their sequence numbers.
pub(super) struct Covering<'a> {
    host: &'a HostLog,
    ranges: Ranges,
}

impl<'a> Covering<'a> {
    pub(super) fn new(host: &'a HostLog) -> Self {
        let ranges = Ranges::new(host.packets.iter().map(|packet| &packet.identity));
        Self { host, ranges }
    }

    /// The longer segment that holds a shorter one. `distance` gives the time between both, or `None`
    /// if the order of both is impossible; the least distance wins.
    pub(super) fn find(
        &self,
        pair: u64,
        sequence: u32,
        payload: u32,
        distance: impl Fn(u64) -> Option<f64>,
    ) -> Option<usize> {
        let candidates = self.ranges.covering(pair, sequence).into_iter().filter_map(|number| {
            let packet = &self.host.packets[number];
            let is_longer = packet.identity.payload > payload;
            let distance = distance(packet.time_ns).filter(|_| is_longer)?;
            Some((distance, number))
        });
        candidates.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, number)| number)
    }
}
