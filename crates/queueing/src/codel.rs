//! CoDel: drops at the head while the queueing delay has exceeded a target for a whole interval.
//!
//! K. Nichols, V. Jacobson, A. McGregor and J. Iyengar, RFC 8289, section 5. For every dequeued
//! packet, with `d` its sojourn time:
//!
//! ```text
//! above        d >= target, and more than an MTU still waits
//! drop state   entered when packets have been above for a whole `interval`; the packet is dropped
//! next drop    interval / sqrt(count) after the previous drop; count = drops in this drop state
//! left         with the first packet that is not above
//! count        1 at entry; if the last drop state ended less than 16 intervals ago, its number of drops
//! ```
//!
//! With `ecn`, CoDel marks and forwards an ECN-capable packet instead of dropping it. A packet that
//! arrives at a queue of `limit` packets is dropped. Lengths in bytes on the wire, times in
//! nanoseconds. Leaves out: Linux's `ce_threshold`.

use airtcp_packet::PacketId;
use airtcp_probe::{ConfigError, DropReason, PoolCx, Probe};
use airtcp_random::Seed;
use airtcp_units::{Bytes, Nanos, Saturate, Span};

use crate::arrivals::Arrivals;
use crate::fifo::{Backlog, Ledger, Stats};
use crate::{Discipline, LinkInfo, Qdisc, Verdict, Wanted};

/// CoDel queue.
#[derive(
    Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(deny_unknown_fields, default)]
pub struct CodelConfig {
    /// Acceptable standing queueing delay. Default: 5 ms.
    pub target: Span,
    /// Time for which the queueing delay must exceed `target` before the first drop; about the
    /// longest round-trip time. Default: 100 ms.
    pub interval: Span,
    /// Maximum queue length in packets. Default: 1000 (Linux).
    pub limit: u32,
    /// Backlog at or below which CoDel never drops: the largest packet of the link. Default: 1500
    /// B.
    pub mtu: Bytes,
    /// If true, mark ECN-capable packets instead of dropping them.
    pub ecn: bool,
}

impl Default for CodelConfig {
    fn default() -> Self {
        let (target, interval) = (Span::from_millis(5), Span::from_millis(100));
        Self { target, interval, limit: 1000, mtu: Bytes(1500), ecn: false }
    }
}

/// Parameters of the control law.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules {
    pub(crate) target: Span,
    pub(crate) interval: Span,
    pub(crate) mtu: u64,
    pub(crate) ecn: bool,
}

impl Rules {
    /// Checks the times.
    pub(crate) fn new(
        (target, interval): (Span, Span),
        mtu: Bytes,
        ecn: bool,
    ) -> Result<Self, ConfigError> {
        if target == Span::ZERO {
            let message = "is 0 s; expected values above 0 s (RFC 8289: 5 ms)";
            return Err(ConfigError::new("target", message));
        }
        if interval < target {
            let message = format!(
                "{interval} is shorter than target, {target}; expected target or more (RFC 8289: 100 ms, about the longest round-trip time)"
            );
            return Err(ConfigError::new("interval", message));
        }
        Ok(Self { target, interval, mtu: mtu.0, ecn })
    }

    /// Time of the drop after a drop at `t`.
    fn next_drop(&self, t: Nanos, count: u32) -> Nanos {
        t + Span(u64::saturate(self.interval.0 as f64 / f64::from(count.max(1)).sqrt()))
    }
}

/// A waiting packet and its arrival time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Waiting {
    pub(crate) id: PacketId,
    pub(crate) len: u32,
    pub(crate) since: Nanos,
}

/// Waiting packets with their arrival times.
#[derive(Debug, Default)]
pub(crate) struct Line {
    packets: Arrivals<Waiting>,
    bytes: u64,
    /// Where the packet was that was taken last for a receiver.
    taken_at: usize,
}

impl Line {
    pub(crate) const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Adds a packet; `endpoint` gives the one to which it goes.
    #[inline]
    pub(crate) fn push(&mut self, waiting: Waiting, endpoint: impl FnOnce() -> usize) {
        self.bytes += u64::from(waiting.len);
        self.packets.push_back(waiting, endpoint);
    }

    /// The place of the next packet, for a receiver if one is given.
    fn next(&mut self, receiver: Option<u32>) -> Option<usize> {
        receiver.map_or(Some(0), |receiver| self.packets.find(receiver))
    }

    /// Takes the next packet, for a receiver if one is given.
    fn take(&mut self, receiver: Option<u32>) -> Option<Waiting> {
        if receiver.is_none() {
            return self.pop();
        }
        self.taken_at = self.next(receiver)?;
        let waiting = self.packets.remove(self.taken_at)?;
        self.bytes -= u64::from(waiting.len);
        Some(waiting)
    }

    /// Puts the packet back that was taken last.
    fn put_back(&mut self, waiting: Waiting, receiver: Option<u32>) {
        let place = receiver.map_or(0, |_| self.taken_at);
        self.bytes += u64::from(waiting.len);
        self.packets.insert(place, waiting, receiver.unwrap_or_default());
    }

    pub(crate) fn pop(&mut self) -> Option<Waiting> {
        let waiting = self.packets.pop_front()?;
        self.bytes -= u64::from(waiting.len);
        Some(waiting)
    }
}

/// Which packet may leave a queue.
#[derive(Clone, Copy, Default)]
pub(crate) struct Choice<'a> {
    /// Only one for this receiver.
    pub(crate) receiver: Option<u32>,
    /// Only one for which there is room, by its bytes on the wire.
    pub(crate) fits: Option<&'a dyn Fn(u32) -> bool>,
}

impl Choice<'_> {
    fn fits(&self, len: u32) -> bool {
        self.fits.is_none_or(|fits| fits(len))
    }
}

/// Control law state of one queue.
#[derive(Debug, Default)]
pub(crate) struct Control {
    /// Time at which the queueing delay will have exceeded the target for an interval.
    first_above: Option<Nanos>,
    drop_next: Nanos,
    count: u32,
    /// `count` when the drop state was entered.
    last_count: u32,
    dropping: bool,
}

impl Control {
    /// Dequeues the first packet. The flag is true if the queueing delay has exceeded the target
    /// for an interval.
    fn take(
        &mut self,
        now: Nanos,
        line: &mut Line,
        receiver: Option<u32>,
        rules: &Rules,
    ) -> (Option<Waiting>, bool) {
        let Some(first) = line.take(receiver) else {
            self.first_above = None;
            return (None, false);
        };
        if now.since(first.since) < rules.target || line.bytes() <= rules.mtu {
            self.first_above = None;
            return (Some(first), false);
        }
        let above = *self.first_above.get_or_insert(now + rules.interval) <= now;
        (Some(first), above)
    }

    /// Dequeues the next packet to send that `choice` allows; drops or marks packets before it. A packet that does not
    /// fit stays.
    pub(crate) fn next<P: Probe>(
        &mut self,
        now: Nanos,
        line: &mut Line,
        choice: Choice<'_>,
        rules: &Rules,
        ledger: &mut Ledger,
        cx: &mut PoolCx<'_, P>,
    ) -> Option<Waiting> {
        let receiver = choice.receiver;
        if choice.fits.is_some() {
            if line.packets.is_empty() {
                self.first_above = None;
            }
            let next = line.next(receiver).and_then(|place| line.packets.get(place));
            next.filter(|waiting| choice.fits(waiting.len))?;
        }
        let (mut first, mut above) = self.take(now, line, receiver, rules);
        if self.dropping {
            self.dropping = above;
            while self.dropping && now >= self.drop_next {
                let Some(packet) = first else { break };
                if rules.ecn && ledger.mark(now, packet.id, cx) {
                    self.count = self.count.saturating_add(1);
                    self.drop_next = rules.next_drop(self.drop_next, self.count);
                    break;
                }
                ledger.discard(now, packet.id, packet.len, DropReason::QueueEarly, cx);
                (first, above) = self.take(now, line, receiver, rules);
                self.dropping = above;
                if above {
                    self.count = self.count.saturating_add(1);
                    self.drop_next = rules.next_drop(self.drop_next, self.count);
                }
            }
        } else if above {
            let packet = first?;
            if !(rules.ecn && ledger.mark(now, packet.id, cx)) {
                ledger.discard(now, packet.id, packet.len, DropReason::QueueEarly, cx);
                (first, _) = self.take(now, line, receiver, rules);
            }
            self.dropping = true;
            let added = self.count.saturating_sub(self.last_count);
            let recent = now.since(self.drop_next).0 < rules.interval.0.saturating_mul(16);
            self.count = if added > 1 && recent { added } else { 1 };
            self.drop_next = rules.next_drop(now, self.count);
            self.last_count = self.count;
        }
        if let Some(packet) = first {
            if !choice.fits(packet.len) {
                line.put_back(packet, receiver);
                return None;
            }
            ledger.leave(now, packet.id, packet.len, cx);
        }
        first
    }
}

/// CoDel queue.
#[derive(Debug)]
pub struct Codel {
    limit: u32,
    rules: Rules,
    line: Line,
    control: Control,
    ledger: Ledger,
}

impl Codel {
    fn take<P: Probe>(
        &mut self,
        now: Nanos,
        choice: Choice<'_>,
        cx: &mut PoolCx<'_, P>,
    ) -> Option<PacketId> {
        let Self { line, rules, ledger, .. } = self;
        self.control.next(now, line, choice, rules, ledger, cx).map(|packet| packet.id)
    }
}

impl Qdisc for Codel {
    #[inline]
    fn enqueue<P: Probe>(&mut self, now: Nanos, id: PacketId, cx: &mut PoolCx<'_, P>) -> Verdict {
        if self.ledger.backlog().packets >= self.limit {
            return self.ledger.refuse(now, id, DropReason::QueueFull, cx);
        }
        let len = cx.pool.wire_len(id);
        self.line.push(Waiting { id, len, since: now }, || cx.pool.get(id).to.index());
        self.ledger.enter(now, id, len, cx)
    }

    fn dequeue<P: Probe>(&mut self, now: Nanos, cx: &mut PoolCx<'_, P>) -> Option<PacketId> {
        self.take(now, Choice::default(), cx)
    }

    fn dequeue_for<P: Probe>(
        &mut self,
        now: Nanos,
        wanted: &Wanted<'_>,
        cx: &mut PoolCx<'_, P>,
    ) -> Option<PacketId> {
        let Wanted { receiver, fits } = *wanted;
        self.take(now, Choice { receiver: Some(receiver), fits: Some(fits) }, cx)
    }

    fn names_receivers(&self) -> bool {
        true
    }

    fn backlog(&self) -> Backlog {
        self.ledger.backlog()
    }

    fn stats(&self) -> &Stats {
        &self.ledger.stats
    }

    fn on_link(&mut self, link: &LinkInfo<'_>) {
        self.line.packets.on_link(link);
    }
}

impl Discipline for Codel {
    type Config = CodelConfig;

    fn build(config: &CodelConfig, _: Seed, _: &str) -> Result<Self, ConfigError> {
        if config.limit == 0 {
            let message = "a queue of 0 packets passes nothing; expected 1 or more";
            return Err(ConfigError::new("limit", message));
        }
        Ok(Self {
            limit: config.limit,
            rules: Rules::new((config.target, config.interval), config.mtu, config.ecn)?,
            line: Line::default(),
            control: Control::default(),
            ledger: Ledger::default(),
        })
    }

    #[cfg(test)]
    fn samples() -> Vec<CodelConfig> {
        let (target, interval) = (Span::from_micros(100), Span::from_millis(1));
        let base = CodelConfig { target, interval, limit: 9, mtu: Bytes(100), ecn: false };
        vec![
            base.clone(),
            CodelConfig { ecn: true, ..base },
            CodelConfig { limit: 30, ..CodelConfig::default() },
        ]
    }

    #[cfg(test)]
    fn limit(config: &CodelConfig) -> Backlog {
        Backlog { packets: config.limit, bytes: u64::MAX }
    }
}

#[cfg(test)]
mod tests;
