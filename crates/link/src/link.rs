//! One direction of a link as a machine.
//!
//! A packet is transmitted (its length at the rate, exact to the nanosecond over a train of
//! packets, or one slot), then travels for the propagation delay. Whether it is lost is decided
//! when its transmission starts, by time and by the packet's number; a lost packet occupies the
//! transmitter all the same and ends there.
//!
//! The driver calls [`handle`](Machine::handle) only when [`Link::is_ready`]. A packet that comes
//! earlier starts when the one before it is out, so nothing breaks, but then it waits in the link,
//! where no queue discipline sees it.
//!
//! Leaves out: framing overhead, acknowledgements and retransmissions of the link layer.

use std::collections::VecDeque;
use std::sync::Arc;

use airtcp_packet::{Packet, PacketId};
use airtcp_probe::{ConfigError, Cx, DropReason, Event, Machine, Probe};
use airtcp_random::{Keyed, Seed};
use airtcp_units::{Bytes, Nanos, Outcomes, Span, TxClock, detmath};

use self::report::Reports;
use crate::loss::Build;
use crate::{Distribution, Frame, JitterConfig, LinkConfig, Loss, LossModel, ReorderingConfig};

mod report;

pub use report::Report;

/// Counters of a link since the start.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LinkStats {
    /// Packets whose transmission started.
    pub sent: u64,
    /// Their bytes on the wire.
    pub sent_bytes: u64,
    /// Packets the loss model took.
    pub lost: u64,
    /// Packets longer than the MTU, never transmitted.
    pub too_long: u64,
    /// Packets that came out at the far end, second copies included.
    pub delivered: u64,
    /// Their bytes.
    pub delivered_bytes: u64,
    /// Second copies made.
    pub duplicated: u64,
    /// Packets that came out after one that was sent later (RFC 4737 section 3.3).
    pub reordered: u64,
    /// Time the transmitter was, or is known to be going to be, busy.
    pub busy: Span,
}

#[derive(Debug, Clone, Copy)]
struct InFlight {
    at: Nanos,
    ordinal: u64,
    id: PacketId,
}

#[derive(Debug)]
enum Transmitter {
    Unlimited,
    Rate(TxClock),
    Slot(Span),
}

/// One direction of a link.
#[derive(Debug)]
pub struct Link {
    transmitter: Transmitter,
    delay: Span,
    mtu: u32,
    loss: Loss,
    jitter: Option<(JitterConfig, Keyed)>,
    reordering: Option<(ReorderingConfig, Keyed)>,
    duplication: Option<(f64, Keyed)>,
    /// When the transmitter is free.
    ready_at: Nanos,
    waiting: bool,
    /// Packets whose transmission started: numbers them for all random decisions.
    ordinal: u64,
    /// Sorted by arrival; equal arrivals in the order they were sent.
    in_flight: VecDeque<InFlight>,
    /// Latest arrival among the packets that keep their order.
    last_in_order: Nanos,
    highest_delivered: Option<u64>,
    /// If any sender asked to be told of corrupted packets.
    reports: Option<Reports>,
    stats: LinkStats,
}

impl Link {
    /// Builds the link a scenario describes. Its random decisions come from `seed` under `label`,
    /// for instance `"link/3/forward"`. `load` reads a delivery trace named by a loss model; this
    /// crate opens no files.
    ///
    /// # Errors
    /// If a value is impossible; the message names the key and what is accepted.
    pub fn new(
        config: &LinkConfig,
        seed: Seed,
        label: &str,
        load: &dyn Fn(&str) -> Result<Arc<Outcomes>, String>,
    ) -> Result<Self, ConfigError> {
        config.check()?;
        let build = Build { seed, label: &format!("{label}/loss"), slot: config.slot, load };
        let loss = Loss::build(&config.loss, &build)?;
        Ok(Self::with_loss(config, seed, label, loss))
    }

    /// A link with a loss model built elsewhere; `config.loss` is not looked at.
    pub fn with_loss(config: &LinkConfig, seed: Seed, label: &str, loss: Loss) -> Self {
        let keyed = |what: &str| seed.keyed(&format!("{label}/{what}"));
        let duplication = config.duplication.get();
        Self {
            transmitter: match (config.slot, config.rate) {
                (Some(slot), _) => Transmitter::Slot(slot),
                (None, Some(rate)) => Transmitter::Rate(TxClock::new(rate)),
                (None, None) => Transmitter::Unlimited,
            },
            delay: config.delay,
            mtu: config.mtu.map_or(u32::MAX, |mtu| u32::try_from(mtu.0).unwrap_or(u32::MAX)),
            loss,
            jitter: config.jitter.clone().map(|j| (j, keyed("jitter"))),
            reordering: config.reordering.clone().map(|r| (r, keyed("reordering"))),
            duplication: (duplication > 0.0).then(|| (duplication, keyed("duplication"))),
            ready_at: Nanos::ZERO,
            waiting: false,
            ordinal: 0,
            in_flight: VecDeque::new(),
            last_in_order: Nanos::ZERO,
            highest_delivered: None,
            reports: None,
            stats: LinkStats::default(),
        }
    }

    /// Reports the packets that the loss model takes to their senders: `delays` holds, by
    /// endpoint, how long after the packet would have come out the sender is told, `None` for
    /// one that is not.
    pub fn report_to(&mut self, delays: Vec<Option<Span>>) {
        self.reports = Some(Reports::new(delays));
    }

    /// The next report that is due.
    pub fn take_report(&mut self, now: Nanos) -> Option<Report> {
        self.reports.as_mut()?.take(now)
    }

    /// True if the transmitter can start with a packet at `now`.
    #[inline]
    pub fn is_ready(&self, now: Nanos) -> bool {
        now >= self.ready_at
    }

    /// When the transmitter is, or was last, free.
    #[inline]
    pub const fn ready_at(&self) -> Nanos {
        self.ready_at
    }

    /// Tells the link whether a packet waits for its transmitter; while one does,
    /// [`next_timer`](Machine::next_timer) includes [`ready_at`](Self::ready_at).
    #[inline]
    pub const fn set_waiting(&mut self, waiting: bool) {
        self.waiting = waiting;
    }

    /// Packets on their way, being transmitted or propagating.
    pub fn in_flight(&self) -> usize {
        self.in_flight.len()
    }

    /// Counters since the start.
    pub const fn stats(&self) -> &LinkStats {
        &self.stats
    }

    /// Time the transmitter was busy until `now`: over the time passed, this is the utilisation.
    pub fn busy(&self, now: Nanos) -> Span {
        self.stats.busy - self.ready_at.since(now)
    }

    /// The loss model.
    pub const fn loss(&self) -> &Loss {
        &self.loss
    }

    /// Time the transmitter takes for `bytes`.
    pub fn time_for(&self, bytes: Bytes) -> Span {
        match &self.transmitter {
            Transmitter::Unlimited => Span::ZERO,
            Transmitter::Rate(clock) => clock.rate().time_for(bytes.0),
            Transmitter::Slot(slot) => *slot,
        }
    }

    /// When a packet that leaves the transmitter at `out` comes out at the far end.
    fn arrival(&mut self, out: Nanos, ordinal: u64) -> Nanos {
        let mut at = out + self.delay;
        let mut keeps_order = true;
        if let Some((jitter, draws)) = &self.jitter {
            let u = draws.unit(ordinal);
            let factor = match jitter.distribution {
                Distribution::Uniform => 2.0 * u,
                Distribution::Exponential => -detmath::ln(1.0 - u),
            };
            at += jitter.mean.mul_f64(factor);
            keeps_order = jitter.keep_order;
        }
        if let Some((held, draws)) = &self.reordering {
            let by_count = held.every.is_some_and(|n| (ordinal + 1).is_multiple_of(n));
            if by_count || draws.unit(2 * ordinal) < held.probability.get() {
                let room = held.extra_max.unwrap_or(held.extra) - held.extra;
                // Held back on purpose: it neither waits for the packet before it nor makes the
                // next one wait.
                return at + held.extra + room.mul_f64(draws.unit(2 * ordinal + 1));
            }
        }
        if keeps_order {
            at = at.max(self.last_in_order);
            self.last_in_order = at;
        }
        at
    }

    /// Notes a lost packet for its sender. It neither waits for the one before it nor makes the
    /// next one wait.
    fn report(&mut self, packet: Packet, started: Nanos, ordinal: u64) {
        let last = self.last_in_order;
        let out = self.arrival(self.ready_at, ordinal);
        self.last_in_order = last;
        if let Some(reports) = &mut self.reports {
            reports.on_lost(&packet, started, out);
        }
    }

    fn launch(&mut self, packet: InFlight) {
        if self.in_flight.back().is_none_or(|last| last.at <= packet.at) {
            self.in_flight.push_back(packet);
        } else {
            let place = self.in_flight.partition_point(|p| p.at <= packet.at);
            self.in_flight.insert(place, packet);
        }
    }
}

impl Machine for Link {
    type In = PacketId;
    type Out = PacketId;

    fn handle<P: Probe>(&mut self, now: Nanos, id: PacketId, cx: &mut Cx<'_, P>) {
        let packet = cx.pool.get(id);
        let bytes = packet.wire_len();
        if bytes > self.mtu {
            self.stats.too_long += 1;
            cx.record(now, || Event::Dropped { packet: id, reason: DropReason::TooLong });
            cx.pool.remove(id);
            return;
        }
        let start = now.max(self.ready_at);
        let ordinal = self.ordinal;
        let frame =
            Frame { now: start, ordinal, bytes, payload: packet.segment.len, to: packet.to };
        self.ordinal += 1;
        let duration = match &mut self.transmitter {
            Transmitter::Unlimited => Span::ZERO,
            Transmitter::Rate(clock) => clock.transmit(u64::from(bytes)),
            Transmitter::Slot(slot) => *slot,
        };
        self.ready_at = start + duration;
        self.stats.sent += 1;
        self.stats.sent_bytes += u64::from(bytes);
        self.stats.busy += duration;
        cx.record(start, || Event::TxStart { packet: id, duration });
        if self.loss.outcome(&frame) {
            self.stats.lost += 1;
            cx.record(start, || Event::Dropped { packet: id, reason: DropReason::Loss });
            if self.reports.is_some() {
                self.report(*cx.pool.get(id), start, ordinal);
            }
            cx.pool.remove(id);
            return;
        }
        let at = self.arrival(self.ready_at, ordinal);
        self.launch(InFlight { at, ordinal, id });
        if let Some((p, draws)) = &self.duplication
            && draws.unit(ordinal) < *p
        {
            let copy = *cx.pool.get(id);
            let id = cx.pool.insert(copy);
            self.stats.duplicated += 1;
            self.launch(InFlight { at, ordinal, id });
        }
    }

    fn on_timer<P: Probe>(&mut self, _: Nanos, _: &mut Cx<'_, P>) {
        // Arrivals come out of `poll`, and being ready is a matter of the time alone.
    }

    #[inline]
    fn next_timer(&self) -> Nanos {
        let arrival = self.in_flight.front().map_or(Nanos::NEVER, |p| p.at);
        let report = self.reports.as_ref().map_or(Nanos::NEVER, Reports::next);
        let arrival = arrival.min(report);
        if self.waiting { arrival.min(self.ready_at) } else { arrival }
    }

    fn poll<P: Probe>(&mut self, now: Nanos, cx: &mut Cx<'_, P>) -> Option<PacketId> {
        let InFlight { at, ordinal, id } = *self.in_flight.front()?;
        if at > now {
            return None;
        }
        self.in_flight.pop_front();
        if self.highest_delivered.is_some_and(|highest| ordinal < highest) {
            self.stats.reordered += 1;
        } else {
            self.highest_delivered = Some(ordinal);
        }
        self.stats.delivered += 1;
        self.stats.delivered_bytes += u64::from(cx.pool.get(id).wire_len());
        cx.record(now, || Event::Arrived { packet: id });
        Some(id)
    }
}

#[cfg(test)]
mod tests;
