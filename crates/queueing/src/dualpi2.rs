//! DualPI2: a queue for scalable flows and one for all others, with coupled marking.
//!
//! K. De Schepper, B. Briscoe and G. White, RFC 9332, appendix A (figures 3 to 8). The queue L takes packets with
//! ECT(1) or CE, the queue C all others. `coupling.rs` has the probabilities.
//!
//! ```text
//! L, p_CL < 1   marked with probability max(p'_L, p_CL)
//! L, p_CL = 1   overload: dropped with probability p_C, otherwise marked
//! C             with probability p_C: marked if ECT(0) and p_C < 1/k^2, otherwise dropped
//! ```
//!
//! Marks and drops are spread evenly (`recur`): the probability is added up, and a packet is struck whenever the sum
//! exceeds 1, so that nothing is drawn. A weighted round robin serves the queues (A.2). Its credit changes only while
//! packets wait in both, and it begins with L: over a long contention C has `classic_weight` of the bytes. The wait of a
//! packet is its sojourn time.
//!
//! A packet of a flow with ECT(0) that was marked before goes to L and may overtake others of its flow, as RFC 9331
//! section 5.1 accepts. Lengths in bytes on the wire. Leaves out: the time-shifted FIFO, Curvy RED (appendix B), other
//! classifiers than ECN, Linux's exemption of queues below 2 MTU.

mod config;
mod coupling;

use airtcp_packet::{Ecn, PacketId};
use airtcp_probe::{ConfigError, DropReason, PoolCx, Probe};
use airtcp_random::Seed;
use airtcp_units::{Nanos, Span};

use crate::arrivals::Arrivals;
use crate::fifo::{Backlog, Ledger, Stats};
use crate::{Discipline, LinkInfo, Qdisc, Verdict, Wanted};
pub use config::DualPi2Config;
use coupling::{Controller, Recur};

/// A waiting packet, its bytes on the wire and its arrival.
type Waiting = (PacketId, u32, Nanos);

/// One of the two queues.
#[derive(Debug, Default)]
struct Line {
    packets: Arrivals<Waiting>,
    recur: Recur,
}

impl Line {
    /// Place of the next packet, for a receiver if one is given.
    fn next(&mut self, receiver: Option<u32>) -> Option<usize> {
        match receiver {
            None => (!self.packets.is_empty()).then_some(0),
            Some(receiver) => self.packets.find(receiver),
        }
    }

    /// Arrival of the packet that waits longest; none if no packet waits.
    fn since(&self) -> Option<Nanos> {
        self.packets.get(0).map(|waiting| waiting.2)
    }
}

/// What becomes of a packet that leaves its line.
#[derive(Debug, PartialEq, Eq)]
enum Fate {
    Pass,
    Mark,
    Drop,
}

/// DualPI2 queue.
#[derive(Debug)]
pub struct DualPi2 {
    config: DualPi2Config,
    /// Packets of scalable flows, and of classic ones.
    lines: [Line; 2],
    ledger: Ledger,
    controller: Controller,
    /// Credit of the round robin in bytes; L is next unless it is positive.
    credit: f64,
}

const L: usize = 0;
const C: usize = 1;

impl DualPi2 {
    fn catch_up(&mut self, now: Nanos) {
        let oldest = self.lines.iter().filter_map(Line::since).min();
        self.controller.catch_up(now, oldest, &self.config);
    }

    /// The line that the round robin serves next, and the place of its packet there.
    fn choose(&mut self, receiver: Option<u32>) -> Option<(usize, usize)> {
        let [l, c] = &mut self.lines;
        match (l.next(receiver), c.next(receiver)) {
            (Some(l), None) => Some((L, l)),
            (None, Some(c)) => Some((C, c)),
            (Some(l), Some(c)) => Some(if self.credit > 0.0 { (C, c) } else { (L, l) }),
            (None, None) => None,
        }
    }

    /// Charges the round robin for a packet of `len` bytes of a line, if both lines hold packets.
    fn charge(&mut self, line: usize, len: u32) {
        if self.lines.iter().any(|line| line.packets.is_empty()) {
            return;
        }
        let weight = self.config.classic_weight.get();
        self.credit += f64::from(len) * if line == L { weight } else { weight - 1.0 };
    }

    /// What becomes of a packet that leaves its line, of which it is still part, after a wait (figure 7).
    fn judge(&mut self, line: usize, wait: Span, ecn: Ecn) -> Fate {
        let Self { lines, controller, config, .. } = self;
        let (coupled, classic) = (controller.coupled(config), controller.classic());
        let Line { packets, recur } = &mut lines[line];
        if line == C {
            if !recur.strikes(classic) {
                return Fate::Pass;
            }
            let drops = classic >= coupling::overload_from(config) || !ecn.is_capable();
            return if drops { Fate::Drop } else { Fate::Mark };
        }
        if coupled >= 1.0 {
            return if recur.strikes(classic) { Fate::Drop } else { Fate::Mark };
        }
        let ramps = packets.len() > config.ramp_packets as usize;
        let own = if ramps { coupling::native(wait, config) } else { 0.0 };
        if recur.strikes(own.max(coupled)) { Fate::Mark } else { Fate::Pass }
    }

    /// Takes the next packet that passes, for a receiver if one is given, and only if it fits.
    fn take<P: Probe>(
        &mut self,
        now: Nanos,
        wanted: Option<&Wanted<'_>>,
        cx: &mut PoolCx<'_, P>,
    ) -> Option<PacketId> {
        self.catch_up(now);
        loop {
            let Some((line, place)) = self.choose(wanted.map(|wanted| wanted.receiver)) else {
                if self.ledger.backlog().packets == 0 {
                    self.credit = 0.0;
                }
                return None;
            };
            let (id, len, since) = *self.lines[line].packets.get(place)?;
            if wanted.is_some_and(|wanted| !(wanted.fits)(len)) {
                return None;
            }
            self.charge(line, len);
            let ecn = cx.pool.get(id).segment.ecn;
            let fate = self.judge(line, now.since(since), ecn);
            self.lines[line].packets.remove(place);
            match fate {
                Fate::Drop => {
                    self.ledger.discard(now, id, len, DropReason::QueueEarly, cx);
                    continue;
                }
                // A packet that is marked already stays as it is.
                Fate::Mark if ecn != Ecn::Ce => {
                    self.ledger.mark(now, id, cx);
                }
                _ => {}
            }
            self.ledger.leave(now, id, len, cx);
            return Some(id);
        }
    }
}

impl Qdisc for DualPi2 {
    fn enqueue<P: Probe>(&mut self, now: Nanos, id: PacketId, cx: &mut PoolCx<'_, P>) -> Verdict {
        self.catch_up(now);
        if self.ledger.backlog().packets >= self.config.limit {
            return self.ledger.refuse(now, id, DropReason::QueueFull, cx);
        }
        let packet = cx.pool.get(id);
        let (len, endpoint) = (packet.wire_len(), packet.to.index());
        let line = if matches!(packet.segment.ecn, Ecn::Ect1 | Ecn::Ce) { L } else { C };
        self.lines[line].packets.push_back((id, len, now), || endpoint);
        self.ledger.enter(now, id, len, cx)
    }

    fn dequeue<P: Probe>(&mut self, now: Nanos, cx: &mut PoolCx<'_, P>) -> Option<PacketId> {
        self.take(now, None, cx)
    }

    fn dequeue_for<P: Probe>(
        &mut self,
        now: Nanos,
        wanted: &Wanted<'_>,
        cx: &mut PoolCx<'_, P>,
    ) -> Option<PacketId> {
        self.take(now, Some(wanted), cx)
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
        for line in &mut self.lines {
            line.packets.on_link(link);
        }
    }
}

impl Discipline for DualPi2 {
    type Config = DualPi2Config;

    fn build(config: &DualPi2Config, _: Seed, _: &str) -> Result<Self, ConfigError> {
        let err = |key, message: String| Err(ConfigError::new(key, message));
        if config.limit == 0 {
            let message = "a queue of 0 packets passes nothing; expected 1 or more";
            return err("limit", message.to_owned());
        }
        for (key, value, usual) in
            [("target", config.target, "15 ms"), ("update", config.update, "16 ms")]
        {
            if value == Span::ZERO {
                return err(key, format!("is 0 s; expected values above 0 s (RFC 9332: {usual})"));
            }
        }
        for (key, value) in [("alpha", config.alpha), ("beta", config.beta)] {
            if !(value.is_finite() && value >= 0.0) {
                return err(key, format!("{value} is out of range: expected 0 or more, in 1/s"));
            }
        }
        if !(1.0..=1000.0).contains(&config.coupling) {
            let message = format!("{} is out of range: expected 1 to 1000", config.coupling);
            return err("coupling", message);
        }
        let weight = config.classic_weight.get();
        if weight <= 0.0 || weight >= 1.0 {
            let message = format!("{weight} is out of range: expected a share above 0 and below 1");
            return err("classic_weight", message);
        }
        Ok(Self {
            lines: Default::default(),
            ledger: Ledger::default(),
            controller: Controller::new(config),
            credit: 0.0,
            config: config.clone(),
        })
    }

    #[cfg(test)]
    fn samples() -> Vec<DualPi2Config> {
        let base = DualPi2Config {
            target: Span::from_micros(100),
            update: Span::from_millis(1),
            alpha: 20.0,
            beta: 200.0,
            limit: 9,
            ..DualPi2Config::default()
        };
        vec![
            base.clone(),
            DualPi2Config { ramp: Span::ZERO, ramp_packets: 0, coupling: 1.0, ..base },
            DualPi2Config { limit: 30, ..DualPi2Config::default() },
        ]
    }

    #[cfg(test)]
    fn limit(config: &DualPi2Config) -> Backlog {
        Backlog { packets: config.limit, bytes: u64::MAX }
    }

    #[cfg(test)]
    const BY_FLOW: bool = true;
    #[cfg(test)]
    const BY_ECN: bool = true;
    #[cfg(test)]
    const REPLACES: bool = false;
}

#[cfg(test)]
mod tests;
