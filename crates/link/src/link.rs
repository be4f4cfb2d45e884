//! State machine of one direction of a link.
//!
//! The link transmits a packet and then delays it by the propagation delay. The transmission time
//! is the packet's length at the rate (exact to the nanosecond over a train of packets), one slot,
//! or the time that a varying [`Capacity`](airtcp_units::Capacity) takes to carry the packet. The
//! loss model decides at the start of the transmission, from the time and the packet's number. A
//! lost packet occupies the transmitter like any other.
//!
//! The driver calls [`Link::handle`] only when [`Link::is_ready`]. A packet that comes earlier
//! waits in the link, where no queue discipline sees it, and starts when the previous transmission
//! ends.
//!
//! With a [link protocol](crate::protocol) the link sends a packet as units, and the loss model
//! decides for each unit. The packet counts as lost when the protocol abandons it.
//!
//! A [policer](crate::PolicerConfig) stands in front of the queue: the owner of queue and link asks
//! [`Link::admits`] before it enqueues a packet.
//!
//! Leaves out: framing overhead, except the header of a link protocol's units.

use std::collections::VecDeque;
use std::sync::Arc;

use airtcp_packet::{EndpointId, PacketId};
use airtcp_probe::{ConfigError, DropReason, Event, PoolCx, Probe};
use airtcp_random::{Keyed, Seed};
use airtcp_units::{Bytes, Nanos, Outcomes, Span};

use self::arq_engine::ArqEngine;
use self::control::Control;
use self::super_segments::{Part, SuperSegments};
use self::wire::{Transmission, Wire};
use crate::loss::Build;
use crate::policer::Policer;
use crate::{JitterConfig, LinkConfig, Loss, LossUnit, ReorderingConfig, Steps};

mod ahead;
mod arq_engine;
mod arrival;
mod change;
mod control;
mod corruption;
mod latency;
mod over_protocol;
mod super_segments;
mod wire;

pub use arq_engine::ProtocolStats;
pub use change::LinkChange;
pub use corruption::{CorruptionNotice, CorruptionNotices};
pub use latency::Latency;

/// Counters of a link since the start.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LinkStats {
    /// Packets whose transmission started.
    pub sent: u64,
    /// Bytes of the packets whose transmission started.
    pub sent_bytes: u64,
    /// Packets that the loss model lost; with a link protocol, packets that the protocol abandoned.
    pub lost: u64,
    /// Packets longer than the MTU, dropped before transmission.
    pub too_long: u64,
    /// Packets that the policer dropped.
    pub policed: u64,
    /// Packets delivered at the far end, duplicates included.
    pub delivered: u64,
    /// Bytes delivered at the far end, duplicates included.
    pub delivered_bytes: u64,
    /// Duplicates created.
    pub duplicated: u64,
    /// Packets delivered after a packet that was sent later (RFC 4737 section 3.3).
    pub reordered: u64,
}

#[derive(Debug, Clone, Copy)]
struct InFlight {
    at: Nanos,
    ordinal: u64,
    id: PacketId,
}

/// A packet that was handed over ahead, and is lost when its transmission starts.
#[derive(Debug, Clone, Copy)]
struct LossAhead {
    start: Nanos,
    id: PacketId,
}

/// One direction of a link.
#[derive(Debug)]
pub struct Link {
    wire: Wire,
    mtu: u32,
    policer: Option<Policer>,
    /// Present if a loss takes a super-segment.
    super_segments: Option<Box<SuperSegments>>,
    /// The link protocol, if there is one.
    arq: Option<Box<ArqEngine>>,
    /// Reports of the other direction's link protocol that this direction carries.
    control: Option<Box<Control>>,
    jitter: Option<(JitterConfig, Keyed)>,
    /// The delay, if it changes.
    delays: Option<Box<Steps<Span>>>,
    reordering: Option<(ReorderingConfig, Keyed)>,
    duplication: Option<(f64, Keyed)>,
    waiting: bool,
    /// Sorted by arrival time; equal times in the order of transmission.
    in_flight: VecDeque<InFlight>,
    /// Arrival time of the first packet in flight.
    next_arrival: Nanos,
    /// Packets handed over ahead of a transmission that will be lost.
    losses_ahead: VecDeque<LossAhead>,
    /// Start of the first of these transmissions.
    next_loss: Nanos,
    /// See [`needs_service`](Self::needs_service).
    needs_service: bool,
    /// See [`is_predictable`](Self::is_predictable).
    is_regular: bool,
    /// Latest arrival time among the packets that keep their order.
    last_in_order: Nanos,
    highest_delivered: Option<u64>,
    /// Present if a sender asked for corruption notices.
    notices: Option<CorruptionNotices>,
    stats: LinkStats,
}

impl Link {
    /// Builds the link a scenario describes. Its random decisions come from `seed` under `label`,
    /// for instance `"link/3/forward"`. `load` reads a delivery trace named by a loss model; this
    /// crate opens no files.
    ///
    /// # Errors
    /// If a value is impossible. The message names the key and the accepted values.
    pub fn new(
        config: &LinkConfig,
        seed: Seed,
        label: &str,
        load: &dyn Fn(&str) -> Result<Arc<Outcomes>, String>,
    ) -> Result<Self, ConfigError> {
        config.check()?;
        let build = Build { seed, label: &format!("{label}/loss"), slot: config.slot, load };
        let loss = Loss::build(&config.loss, &build)?;
        let mut link = Self::with_loss(config, seed, label, loss);
        let mtu = config.mtu.map(|mtu| mtu.0);
        if let Some(protocol) = config.protocol.build(mtu)? {
            link.set_protocol(protocol, config, seed, label);
        }
        Ok(link)
    }

    /// A link with a loss model built elsewhere, and without a link protocol; `config.loss` and
    /// `config.protocol` are ignored.
    pub fn with_loss(config: &LinkConfig, seed: Seed, label: &str, loss: Loss) -> Self {
        let keyed = |what: &str| seed.keyed(&format!("{label}/{what}"));
        let duplication = config.duplication.get();
        let mut link = Self {
            wire: Wire::new(config, loss),
            mtu: config.mtu.map_or(u32::MAX, |mtu| u32::try_from(mtu.0).unwrap_or(u32::MAX)),
            policer: config.policer.as_ref().map(Policer::new),
            super_segments: (config.loss_unit == LossUnit::SuperSegment).then(Box::default),
            arq: None,
            control: None,
            jitter: config.jitter.clone().map(|j| (j, keyed("jitter"))),
            delays: config.delay.clone().into_steps(),
            reordering: config.reordering.clone().map(|r| (r, keyed("reordering"))),
            duplication: (duplication > 0.0).then(|| (duplication, keyed("duplication"))),
            waiting: false,
            in_flight: VecDeque::new(),
            next_arrival: Nanos::NEVER,
            losses_ahead: VecDeque::new(),
            next_loss: Nanos::NEVER,
            needs_service: false,
            is_regular: false,
            last_in_order: Nanos::ZERO,
            highest_delivered: None,
            notices: None,
            stats: LinkStats::default(),
        };
        link.is_regular = link.is_regular();
        link
    }

    /// Sends corruption notices to the senders of packets that the loss model loses. `delays` is
    /// indexed by endpoint: the delay from the time at which the packet would have arrived to the
    /// notice, or `None` for a sender without notices.
    pub fn set_corruption_notices(&mut self, delays: Vec<Option<Span>>) {
        self.notices = Some(CorruptionNotices::new(delays));
        self.needs_service = true;
    }

    /// True if the link does more than carry packets: it has corruption notices, a link protocol,
    /// or the reports of the other direction's link protocol.
    #[inline]
    pub const fn needs_service(&self) -> bool {
        self.needs_service
    }

    /// The next corruption notice that is due.
    pub fn take_corruption_notice(&mut self, now: Nanos) -> Option<CorruptionNotice> {
        self.notices.as_mut()?.take(now)
    }

    /// True if the transmitter can start a packet at `now`.
    #[inline]
    pub fn is_ready(&self, now: Nanos) -> bool {
        now >= self.wire.ready_at && (!self.needs_service || self.is_open())
    }

    /// When the transmitter is, or was last, free.
    #[inline]
    pub const fn ready_at(&self) -> Nanos {
        self.wire.ready_at
    }

    /// Tells the link whether a packet waits for its transmitter; while one does,
    /// [`next_timer`](Self::next_timer) includes [`ready_at`](Self::ready_at).
    #[inline]
    pub const fn set_waiting(&mut self, waiting: bool) {
        self.waiting = waiting;
    }

    /// The value last given to [`set_waiting`](Self::set_waiting).
    #[inline]
    pub const fn is_waited_for(&self) -> bool {
        self.waiting
    }

    /// Packets in transmission, in propagation, held by a link protocol, or handed over ahead.
    pub fn in_flight(&self) -> usize {
        let of_protocol = self.arq.as_ref().map_or(0, |c| c.in_flight());
        self.in_flight.len() + self.losses_ahead.len() + of_protocol
    }

    /// Counters since the start.
    pub const fn stats(&self) -> &LinkStats {
        &self.stats
    }

    /// Time the transmitter was busy until `now`. Divided by the elapsed time, this is the
    /// utilisation.
    pub fn busy(&self, now: Nanos) -> Span {
        self.wire.busy - self.wire.ready_at.since(now)
    }

    /// The loss model.
    pub const fn loss(&self) -> &Loss {
        &self.wire.loss
    }

    /// Capacity in bits of the interval (`from`, `until`] of a varying rate; `None` for other
    /// links.
    pub fn offered(&self, from: Nanos, until: Nanos) -> Option<f64> {
        self.wire.offered(from, until)
    }

    /// Bits of a varying rate's [`offered`](Self::offered) capacity that were used until `now`,
    /// included. A packet in transmission counts in part.
    pub fn used(&self, now: Nanos) -> f64 {
        self.stats.sent_bytes as f64 * 8.0 - self.wire.bits_left(now)
    }

    /// Transmission time of `bytes`; at the mean rate if the rate varies.
    pub fn time_for(&self, bytes: Bytes) -> Span {
        self.wire.time_for(bytes)
    }
}

impl Link {
    /// Accepts a packet for transmission at `now`.
    #[inline]
    pub fn handle<P: Probe>(&mut self, now: Nanos, id: PacketId, cx: &mut PoolCx<'_, P>) {
        let bytes = cx.pool.wire_len(id);
        if bytes > self.mtu {
            self.stats.too_long += 1;
            cx.discard(now, id, DropReason::TooLong, 0);
            return;
        }
        let start = now.max(self.wire.ready_at);
        let packet = cx.pool.get(id);
        let what = (bytes, packet.segment.len, packet.to);
        self.stats.sent += 1;
        if let Some(arq) = &mut self.arq {
            let of = (id, what.0, what.1, what.2);
            let (start, duration, sent) = arq.send(now, of, &mut self.wire);
            self.stats.sent_bytes += sent;
            cx.record(start, || Event::TxStart { packet: id, duration });
            return;
        }
        let passage = if self.super_segments.is_some() {
            let part = Part::of(packet, cx.pool.queued(id));
            self.transmit_part(now, what, part)
        } else {
            self.wire.transmit(now, what)
        };
        let ordinal = passage.ordinal;
        self.stats.sent_bytes += u64::from(bytes);
        cx.record(start, || Event::TxStart { packet: id, duration: passage.duration });
        if passage.lost {
            self.stats.lost += 1;
            let packet = cx.discard(start, id, DropReason::Loss, 0);
            if self.notices.is_some() {
                self.notify_loss(packet, start, ordinal);
            }
            return;
        }
        let at = self.arrival(self.wire.ready_at, ordinal);
        self.launch(InFlight { at, ordinal, id });
        if let Some((p, draws)) = &self.duplication
            && draws.unit(ordinal) < *p
        {
            let copy = *cx.pool.get(id);
            let (of, id) = (id, cx.pool.insert(copy));
            cx.record(start, || Event::Copied { packet: id, of });
            self.stats.duplicated += 1;
            self.launch(InFlight { at, ordinal, id });
        }
    }

    /// Transmits a packet that may be part of a super-segment, whose parts share their fate.
    fn transmit_part(
        &mut self,
        now: Nanos,
        what: (u32, u16, EndpointId),
        part: Option<Part>,
    ) -> Transmission {
        let Some((all, part)) = self.super_segments.as_mut().zip(part) else {
            return self.wire.transmit(now, what);
        };
        if let Some(fate) = all.fate(part) {
            return self.wire.transmit_as(now, what, Some(fate));
        }
        let passage = self.wire.transmit(now, what);
        all.begin(part, passage.lost);
        passage
    }

    /// True if a packet may enter the queue of the link. Otherwise the policer has dropped it.
    #[inline]
    pub fn admits<P: Probe>(&mut self, now: Nanos, id: PacketId, cx: &mut PoolCx<'_, P>) -> bool {
        let Some(policer) = &mut self.policer else { return true };
        let passes = policer.passes(now, cx.pool.wire_len(id));
        if !passes {
            self.stats.policed += 1;
            cx.discard(now, id, DropReason::Policed, 0);
        }
        passes
    }

    /// Handles an expired timer. Spurious calls do nothing.
    pub fn on_timer(&mut self, now: Nanos) {
        // Without a protocol, `poll` returns the arrivals, and readiness depends only on the time.
        if let Some(control) = &mut self.control {
            self.stats.sent_bytes += control.send(now, &mut self.wire);
        }
        if let Some(arq) = &mut self.arq {
            self.stats.sent_bytes += arq.advance(now, &mut self.wire);
        }
    }

    /// Time of the next timer; [`Nanos::NEVER`] when idle.
    #[inline]
    pub fn next_timer(&self) -> Nanos {
        if self.needs_service {
            return self.next_service();
        }
        if self.waiting { self.next_arrival.min(self.wire.ready_at) } else { self.next_arrival }
    }

    /// The next packet that has arrived at `now`, if any.
    #[inline]
    pub fn poll<P: Probe>(&mut self, now: Nanos, cx: &mut PoolCx<'_, P>) -> Option<PacketId> {
        if self.arq.is_some() {
            return self.poll_arq(now, cx);
        }
        if self.next_arrival > now {
            return None;
        }
        let InFlight { ordinal, id, .. } = self.in_flight.pop_front()?;
        self.next_arrival = self.in_flight.front().map_or(Nanos::NEVER, |p| p.at);
        if self.highest_delivered.is_some_and(|highest| ordinal < highest) {
            self.stats.reordered += 1;
        } else {
            self.highest_delivered = Some(ordinal);
        }
        self.stats.delivered += 1;
        self.stats.delivered_bytes += u64::from(cx.pool.wire_len(id));
        cx.record(now, || Event::Arrived { packet: id });
        Some(id)
    }
}

#[cfg(test)]
mod tests;
