//! A queue discipline from outside this crate.

use airtcp_packet::PacketId;
use airtcp_probe::{PoolCx, Probe, Relay};
use airtcp_units::Nanos;

use crate::fifo::{Backlog, Stats, Verdict};
use crate::link::{Airtime, LinkInfo, Next, Wanted};
use crate::qdisc::Qdisc;

/// A boxed discipline. Its probe is not generic: its events pass through a [`Relay`].
#[derive(Debug)]
pub struct Custom(Box<dyn DynQdisc>);

impl Custom {
    pub(crate) fn new(discipline: impl Qdisc + std::fmt::Debug + Send + 'static) -> Self {
        Self(Box::new(discipline))
    }
}

impl Qdisc for Custom {
    fn enqueue<P: Probe>(&mut self, now: Nanos, id: PacketId, cx: &mut PoolCx<'_, P>) -> Verdict {
        relay(cx, |cx| self.0.dyn_enqueue(now, id, cx))
    }
    fn dequeue<P: Probe>(&mut self, now: Nanos, cx: &mut PoolCx<'_, P>) -> Option<PacketId> {
        relay(cx, |cx| self.0.dyn_dequeue(now, cx))
    }
    fn next<P: Probe>(&mut self, now: Nanos, cx: &mut PoolCx<'_, P>) -> Option<Next> {
        relay(cx, |cx| self.0.dyn_next(now, cx))
    }
    fn orders_repeats(&self) -> bool {
        self.0.dyn_orders_repeats()
    }
    fn dequeue_for<P: Probe>(
        &mut self,
        now: Nanos,
        wanted: &Wanted<'_>,
        cx: &mut PoolCx<'_, P>,
    ) -> Option<PacketId> {
        relay(cx, |cx| self.0.dyn_dequeue_for(now, wanted, cx))
    }
    fn names_receivers(&self) -> bool {
        self.0.dyn_names_receivers()
    }
    fn waiting_receivers(&self) -> Vec<u32> {
        self.0.dyn_waiting_receivers()
    }
    fn backlog(&self) -> Backlog {
        self.0.dyn_backlog()
    }
    fn next_timer(&self) -> Nanos {
        self.0.dyn_next_timer()
    }
    fn stats(&self) -> &Stats {
        self.0.dyn_stats()
    }
    fn on_link(&mut self, link: &LinkInfo<'_>) {
        self.0.dyn_on_link(link);
    }
    fn wants_airtime(&self) -> bool {
        self.0.dyn_wants_airtime()
    }
    fn on_airtime(&mut self, airtime: &Airtime) {
        self.0.dyn_on_airtime(airtime);
    }
}

/// Calls `f` with a context that is not generic and passes its events on.
fn relay<P: Probe, R>(
    cx: &mut PoolCx<'_, P>,
    f: impl FnOnce(&mut PoolCx<'_, Relay<'_>>) -> R,
) -> R {
    let mut relay = Relay::to(cx.probe);
    f(&mut PoolCx::new(&mut relay, cx.pool, cx.source))
}

/// Object-safe form of [`Qdisc`], implemented for every `Qdisc`.
trait DynQdisc: std::fmt::Debug + Send {
    /// See [`Qdisc::enqueue`].
    fn dyn_enqueue(&mut self, now: Nanos, id: PacketId, cx: &mut PoolCx<'_, Relay<'_>>) -> Verdict;
    /// See [`Qdisc::dequeue`].
    fn dyn_dequeue(&mut self, now: Nanos, cx: &mut PoolCx<'_, Relay<'_>>) -> Option<PacketId>;
    /// See [`Qdisc::next`].
    fn dyn_next(&mut self, now: Nanos, cx: &mut PoolCx<'_, Relay<'_>>) -> Option<Next>;
    /// See [`Qdisc::orders_repeats`].
    fn dyn_orders_repeats(&self) -> bool;
    /// See [`Qdisc::dequeue_for`].
    fn dyn_dequeue_for(
        &mut self,
        now: Nanos,
        wanted: &Wanted<'_>,
        cx: &mut PoolCx<'_, Relay<'_>>,
    ) -> Option<PacketId>;
    /// See [`Qdisc::names_receivers`].
    fn dyn_names_receivers(&self) -> bool;
    /// See [`Qdisc::waiting_receivers`].
    fn dyn_waiting_receivers(&self) -> Vec<u32>;
    /// See [`Qdisc::backlog`].
    fn dyn_backlog(&self) -> Backlog;
    /// See [`Qdisc::next_timer`].
    fn dyn_next_timer(&self) -> Nanos;
    /// See [`Qdisc::stats`].
    fn dyn_stats(&self) -> &Stats;
    /// See [`Qdisc::on_link`].
    fn dyn_on_link(&mut self, link: &LinkInfo<'_>);
    /// See [`Qdisc::wants_airtime`].
    fn dyn_wants_airtime(&self) -> bool;
    /// See [`Qdisc::on_airtime`].
    fn dyn_on_airtime(&mut self, airtime: &Airtime);
}

impl<Q: Qdisc + std::fmt::Debug + Send> DynQdisc for Q {
    fn dyn_enqueue(&mut self, now: Nanos, id: PacketId, cx: &mut PoolCx<'_, Relay<'_>>) -> Verdict {
        self.enqueue(now, id, cx)
    }
    fn dyn_dequeue(&mut self, now: Nanos, cx: &mut PoolCx<'_, Relay<'_>>) -> Option<PacketId> {
        self.dequeue(now, cx)
    }
    fn dyn_next(&mut self, now: Nanos, cx: &mut PoolCx<'_, Relay<'_>>) -> Option<Next> {
        self.next(now, cx)
    }
    fn dyn_orders_repeats(&self) -> bool {
        self.orders_repeats()
    }
    fn dyn_dequeue_for(
        &mut self,
        now: Nanos,
        wanted: &Wanted<'_>,
        cx: &mut PoolCx<'_, Relay<'_>>,
    ) -> Option<PacketId> {
        self.dequeue_for(now, wanted, cx)
    }
    fn dyn_names_receivers(&self) -> bool {
        self.names_receivers()
    }
    fn dyn_waiting_receivers(&self) -> Vec<u32> {
        self.waiting_receivers()
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
    fn dyn_on_link(&mut self, link: &LinkInfo<'_>) {
        self.on_link(link);
    }
    fn dyn_wants_airtime(&self) -> bool {
        self.wants_airtime()
    }
    fn dyn_on_airtime(&mut self, airtime: &Airtime) {
        self.on_airtime(airtime);
    }
}
