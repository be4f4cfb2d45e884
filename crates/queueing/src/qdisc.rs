//! What a queue discipline is asked, and what it answers.

use airtcp_packet::PacketId;
use airtcp_probe::{ConfigError, PoolCx, Probe};
use airtcp_random::Seed;
use airtcp_units::{Bytes, Nanos, Span};

use crate::fifo::{Backlog, Stats, Verdict};

/// What a discipline knows about the link or station behind it.
pub struct Behind<'a> {
    /// How long it takes to transmit a packet of a given size; zero if it takes no time.
    pub time_for: &'a dyn Fn(Bytes) -> Span,
    /// It calls [`Qdisc::dequeue`] when it becomes idle, and not only when a packet waits.
    pub asks: bool,
}

/// A queue discipline. `cx.who` is the queue's name in the run.
pub trait Qdisc {
    /// Offers a packet at `now`. If it is dropped, the discipline has removed it from `cx.pool`
    /// and recorded [`Dropped`](airtcp_probe::Event::Dropped).
    fn enqueue<P: Probe>(&mut self, now: Nanos, id: PacketId, cx: &mut PoolCx<'_, P>) -> Verdict;

    /// The packet to send next, if any. A discipline that drops at the head removes those
    /// packets from the pool itself.
    fn dequeue<P: Probe>(&mut self, now: Nanos, cx: &mut PoolCx<'_, P>) -> Option<PacketId>;

    /// What waits now.
    fn backlog(&self) -> Backlog;

    /// When a discipline that holds packets back wants [`dequeue`](Qdisc::dequeue) to be tried
    /// again; [`Nanos::NEVER`] for one that always gives what it has.
    fn next_timer(&self) -> Nanos {
        Nanos::NEVER
    }

    /// Counters since the start.
    fn stats(&self) -> &Stats;

    /// Tells the discipline once, before the first packet, about the link it feeds.
    fn on_link(&mut self, link: &Behind<'_>) {
        let _ = link;
    }
}

/// What a registered discipline adds to [`Qdisc`]: how it is built.
pub(crate) trait Discipline: Qdisc + Sized {
    /// Its table in a scenario.
    type Config;
    /// Builds it; `label` is the path of its random draws.
    fn build(config: &Self::Config, seed: Seed, label: &str) -> Result<Self, ConfigError>;
    /// Configurations the conformance suite runs.
    #[cfg(test)]
    fn samples() -> Vec<Self::Config>;
    /// The most that may wait in it.
    #[cfg(test)]
    fn limit(config: &Self::Config) -> Backlog;
    /// Whether it is first in, first out only among the packets of a flow, and may drop a packet that
    /// waits in place of one that arrives.
    #[cfg(test)]
    const BY_FLOW: bool = false;
}
