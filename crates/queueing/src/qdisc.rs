//! Interface of a queue discipline.

use airtcp_packet::PacketId;
use airtcp_probe::{ConfigError, PoolCx, Probe};
use airtcp_random::Seed;
use airtcp_units::Nanos;

use crate::fifo::{Backlog, Stats, Verdict};
use crate::link::{Airtime, LinkInfo, Next, Wanted};

/// A queue discipline. `cx.source` is the queue's name in the run.
pub trait Qdisc {
    /// Offers a packet at `now`. If it is dropped, the discipline has removed it from `cx.pool`
    /// and recorded [`Dropped`](airtcp_probe::Event::Dropped).
    fn enqueue<P: Probe>(&mut self, now: Nanos, id: PacketId, cx: &mut PoolCx<'_, P>) -> Verdict;

    /// Dequeues the next packet to send, if any. A discipline that drops at the head removes the
    /// dropped packets from the pool.
    fn dequeue<P: Probe>(&mut self, now: Nanos, cx: &mut PoolCx<'_, P>) -> Option<PacketId>;

    /// What an owner sends next whose MPDUs to send again wait for a turn ([`Airtime::repeats`]): these, or the next
    /// packet.
    fn next<P: Probe>(&mut self, now: Nanos, cx: &mut PoolCx<'_, P>) -> Option<Next> {
        self.dequeue(now, cx).map(Next::Packet)
    }

    /// True if [`next`](Qdisc::next) gives turns to receivers with MPDUs to send again. Otherwise they come before all
    /// packets.
    fn orders_repeats(&self) -> bool {
        false
    }

    /// Dequeues the next packet for a receiver, whatever comes before it. `None` if no packet waits for the receiver,
    /// or if the next one does not fit: it then stays where it is. Asked only where
    /// [`names_receivers`](Qdisc::names_receivers) and [`LinkInfo::by_receiver`] are true.
    fn dequeue_for<P: Probe>(
        &mut self,
        now: Nanos,
        wanted: &Wanted<'_>,
        cx: &mut PoolCx<'_, P>,
    ) -> Option<PacketId> {
        let _ = (now, wanted.receiver, cx);
        None
    }

    /// True if the discipline has [`dequeue_for`](Qdisc::dequeue_for). Without it an aggregate takes only packets for
    /// one receiver that follow one another.
    fn names_receivers(&self) -> bool {
        false
    }

    /// The receivers for which packets wait, which OFDMA needs; empty for disciplines without a queue for each station.
    fn waiting_receivers(&self) -> Vec<u32> {
        Vec::new()
    }

    /// Current queue length.
    fn backlog(&self) -> Backlog;

    /// Time at which to retry [`dequeue`](Qdisc::dequeue), for a discipline that holds packets
    /// back; [`Nanos::NEVER`] for others.
    fn next_timer(&self) -> Nanos {
        Nanos::NEVER
    }

    /// Counters since the start.
    fn stats(&self) -> &Stats;

    /// Gives the discipline the properties of its link, before the first packet, and again if the rate changes.
    fn on_link(&mut self, link: &LinkInfo<'_>) {
        let _ = link;
    }

    /// True if the discipline uses [`on_airtime`](Qdisc::on_airtime).
    fn wants_airtime(&self) -> bool {
        false
    }

    /// An exchange of the station has finished, before the next [`dequeue`](Qdisc::dequeue).
    fn on_airtime(&mut self, airtime: &Airtime) {
        let _ = airtime;
    }
}

/// Construction of a registered [`Qdisc`].
pub(crate) trait Discipline: Qdisc + Sized {
    /// Scenario table.
    type Config;
    /// Builds the discipline; `label` names its random stream.
    fn build(config: &Self::Config, seed: Seed, label: &str) -> Result<Self, ConfigError>;
    /// Configurations that the conformance suite tests.
    #[cfg(test)]
    fn samples() -> Vec<Self::Config>;
    /// Maximum queue length.
    #[cfg(test)]
    fn limit(config: &Self::Config) -> Backlog;
    /// Whether it is first in, first out only among the packets of a flow.
    #[cfg(test)]
    const BY_FLOW: bool = false;
    /// Whether packets with ECT(1) or CE may overtake others of their flow.
    #[cfg(test)]
    const BY_ECN: bool = false;
    /// Whether it may drop a packet that waits when another one arrives.
    #[cfg(test)]
    const REPLACES: bool = Self::BY_FLOW;
}
