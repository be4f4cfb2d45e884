//! Queue disciplines: what waits in front of a link, what is dropped or marked, who goes next.
//!
//! [`Qdisc`] is the interface, [`Queue`] the closed set of disciplines with one open arm, and
//! [`QueueConfig`] its form in a scenario. A discipline is one file, named below, and one line of
//! the `registry!` in `registry.rs`; that line gives it its config tag, its place in the schema,
//! its entry in [`registry()`] and its run of the conformance suite.
//!
//! A queue holds what *waits*: the packet being transmitted has left it. The interface that owns
//! queue and link pulls from the queue when the link is ready.

mod average;
mod codel;
mod drop_tail;
mod fifo;
mod fq_codel;
mod jersey;
mod pie;
mod red;
mod registry;

#[cfg(test)]
mod conformance;

pub use airtcp_probe::{ConfigError, Entry};
pub use codel::{Codel, CodelConfig};
pub use drop_tail::{DropTail, DropTailConfig};
pub use fifo::{Backlog, Stats};
pub use fq_codel::{FqCodel, FqCodelConfig};
pub use jersey::{Jersey, JerseyConfig};
pub use pie::{Pie, PieConfig};
pub use red::{Red, RedConfig, RedUnit};
pub use registry::{Queue, QueueConfig, registry};

use airtcp_packet::PacketId;
use airtcp_probe::{DropReason, PoolCx, Probe, Relay};
use airtcp_random::Seed;
use airtcp_units::{Bytes, Nanos, Span};

/// What became of a packet offered to a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It waits in the queue.
    Queued,
    /// It is gone: the queue took it out of the pool and recorded the drop.
    Dropped(DropReason),
}

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
}

/// The form of [`Qdisc`] that fits in a box. Implemented for every `Qdisc`; nobody writes it.
pub trait DynQdisc: std::fmt::Debug + Send {
    /// See [`Qdisc::enqueue`].
    fn dyn_enqueue(&mut self, now: Nanos, id: PacketId, cx: &mut PoolCx<'_, Relay<'_>>) -> Verdict;
    /// See [`Qdisc::dequeue`].
    fn dyn_dequeue(&mut self, now: Nanos, cx: &mut PoolCx<'_, Relay<'_>>) -> Option<PacketId>;
    /// See [`Qdisc::backlog`].
    fn dyn_backlog(&self) -> Backlog;
    /// See [`Qdisc::next_timer`].
    fn dyn_next_timer(&self) -> Nanos;
    /// See [`Qdisc::stats`].
    fn dyn_stats(&self) -> &Stats;
    /// See [`Qdisc::on_link`].
    fn dyn_on_link(&mut self, link: &Behind<'_>);
}

impl<Q: Qdisc + std::fmt::Debug + Send> DynQdisc for Q {
    fn dyn_enqueue(&mut self, now: Nanos, id: PacketId, cx: &mut PoolCx<'_, Relay<'_>>) -> Verdict {
        self.enqueue(now, id, cx)
    }
    fn dyn_dequeue(&mut self, now: Nanos, cx: &mut PoolCx<'_, Relay<'_>>) -> Option<PacketId> {
        self.dequeue(now, cx)
    }
    fn dyn_backlog(&self) -> Backlog {
        self.backlog()
    }
    fn dyn_next_timer(&self) -> Nanos {
        self.next_timer()
    }
    fn dyn_stats(&self) -> &Stats {
        self.stats()
    }
    fn dyn_on_link(&mut self, link: &Behind<'_>) {
        self.on_link(link);
    }
}
