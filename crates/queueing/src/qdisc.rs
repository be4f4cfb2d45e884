//! Interface of a queue discipline.

use airtcp_packet::PacketId;
use airtcp_probe::{ConfigError, PoolCx, Probe};
use airtcp_random::Seed;
use airtcp_units::{Bytes, Nanos, Span};

use crate::fifo::{Backlog, Stats, Verdict};

/// Properties of the link or station behind a queue.
pub struct LinkInfo<'a> {
    /// Transmission time of a packet of a given size.
    pub time_for: &'a dyn Fn(Bytes) -> Span,
    /// True if the link also calls [`Qdisc::dequeue`] on an empty queue when it becomes idle.
    pub polls_when_idle: bool,
}

/// A queue discipline. `cx.source` is the queue's name in the run.
pub trait Qdisc {
    /// Offers a packet at `now`. If it is dropped, the discipline has removed it from `cx.pool`
    /// and recorded [`Dropped`](airtcp_probe::Event::Dropped).
    fn enqueue<P: Probe>(&mut self, now: Nanos, id: PacketId, cx: &mut PoolCx<'_, P>) -> Verdict;

    /// Dequeues the next packet to send, if any. A discipline that drops at the head removes the
    /// dropped packets from the pool.
    fn dequeue<P: Probe>(&mut self, now: Nanos, cx: &mut PoolCx<'_, P>) -> Option<PacketId>;

    /// Current queue length.
    fn backlog(&self) -> Backlog;

    /// Time at which to retry [`dequeue`](Qdisc::dequeue), for a discipline that holds packets
    /// back; [`Nanos::NEVER`] for others.
    fn next_timer(&self) -> Nanos {
        Nanos::NEVER
    }

    /// Counters since the start.
    fn stats(&self) -> &Stats;

    /// Gives the discipline the properties of its link, once, before the first packet.
    fn on_link(&mut self, link: &LinkInfo<'_>) {
        let _ = link;
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
    /// True if packets leave in order only within a flow, and if the queue may drop a waiting packet in
    /// place of an arriving one.
    #[cfg(test)]
    const BY_FLOW: bool = false;
}
