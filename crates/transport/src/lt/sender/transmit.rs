//! The next symbol: repairs, the rest of the present block, a new block.

use airtcp_probe::{Cx, Event, Probe};
use airtcp_units::{BitRate, LowBits, Nanos, Narrow, Saturate, Wait};

use super::super::block::{Kind, plan};
use super::super::ecn::estimates_path;
use super::super::ledger::{Fate, Sent as Packet};
use super::super::receiver::MAX_BLOCKS;
use super::super::stats::LtStats;
use super::super::wire::Data;
use super::{LtSender, Outgoing};
use crate::tcp::{Pacing, spread};
use airtcp_congestion::{CongestionControl, Idle, Sent};

/// Without pacing, windows of at least this many of the largest segments leave in bursts. Against
/// TCP, which sends bursts, a spread window of this size takes a tenth of the link more than its
/// half.
const SPREAD: u64 = 48;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Symbol {
    pub(crate) header: Data,
    /// Offset of the symbol's block in the stream.
    pub(crate) start: u64,
    /// The packet is ECN-capable.
    pub(crate) capable: bool,
    /// The symbol was sent before.
    pub(crate) again: bool,
}

impl LtSender {
    /// The next symbol that may leave at `now`.
    #[inline]
    pub(crate) fn next<P: Probe>(
        &mut self,
        now: Nanos,
        stats: &mut LtStats,
        cx: &mut Cx<'_, P>,
    ) -> Option<Symbol> {
        if now < self.next_send && self.pacing_rate(now).is_some() {
            self.send_at = self.next_send;
            let idle = self.pending == 0 && self.written == self.assigned;
            return self.wait(now, if idle { Wait::Application } else { Wait::Pacing });
        }
        debug_assert_eq!(self.pending, self.blocks.iter().filter(|b| b.has_next()).count());
        if self.pending == 0 {
            if self.written == self.assigned {
                self.note_limited_by_application();
                return self.wait(now, Wait::Application);
            }
            self.begin_block(now, stats, cx)?;
        }
        // Usually it is the last block, and the only one.
        let last = self.blocks.len() - 1;
        let at = if self.pending == 1 && self.blocks[last].has_next() {
            last
        } else {
            self.blocks.iter().position(Outgoing::has_next)?
        };
        let len = self.blocks[at].plan.symbol;
        if !self.fits(u64::from(len)) {
            return self.wait_for_window(now);
        }
        Some(self.emit(now, at, stats))
    }

    /// The pacing rate; `None` if the window alone governs sending. If marks are not reliable, a
    /// small window is spread over the round trip, since losses of a burst do not show the path's
    /// own loss rate.
    #[inline]
    pub(super) fn pacing_rate(&self, now: Nanos) -> Option<BitRate> {
        let even = self.tcp.pacing == Pacing::Cwnd
            || self.heard < self.refill_to
            || (self.window() < SPREAD * u64::from(self.mss_most)
                && estimates_path(&self.ecn, &self.config, now));
        if self.tcp.pacing == Pacing::Off && !even {
            return None;
        }
        let rate = self.law.pacing_rate();
        if even {
            rate.or_else(|| spread(self.window(), &self.law, self.rtt.srtt()?))
        } else {
            rate
        }
    }

    /// The application has nothing to send, possibly with room in the window.
    pub(super) fn note_limited_by_application(&mut self) {
        if self.ledger.pipe() < self.window() {
            self.rate.on_app_limited(self.ledger.pipe());
        }
    }

    /// True if the window has room for `bytes`; otherwise notes that the window is the limit.
    #[inline]
    fn fits(&mut self, bytes: u64) -> bool {
        let pipe = self.ledger.pipe();
        let fits = pipe == 0 || self.burst > 0 || pipe + bytes <= self.window();
        if !fits {
            self.limited_to = self.sent;
        }
        fits
    }

    /// Begins a block of the waiting data if the windows have room for one of its segments.
    fn begin_block<P: Probe>(
        &mut self,
        now: Nanos,
        stats: &mut LtStats,
        cx: &mut Cx<'_, P>,
    ) -> Option<()> {
        // The application writes on as its buffer empties: the data in blocks fills the buffer.
        let buffer = self.tcp.send_buffer.map_or(u64::MAX, |b| b.0);
        let edge = self.una.saturating_add(self.peer_window.min(buffer));
        let waiting = self.written - self.assigned;
        let available = waiting.min(edge.saturating_sub(self.assigned));
        if available == 0 || self.blocks.len() as u64 >= MAX_BLOCKS - 1 {
            return self.wait_for_room(now);
        }
        if !self.fits(u64::from(self.mss).min(available)) {
            return self.wait_for_window(now);
        }
        self.adapt_segment();
        let protection = self.estimator.protection();
        let plan = plan(self.window(), self.mss, available, &protection, &self.config);
        self.assigned += u64::from(plan.bytes);
        let made = (self.window(), self.sent, now);
        self.blocks.push_back(Outgoing::new(plan, self.assigned, made));
        self.pending += 1;
        stats.blocks_sent += 1;
        let estimate_ppm = u32::saturate((self.estimator.estimate() * 1e6).round());
        cx.record(now, || Event::Coding {
            estimate_ppm,
            segment: u32::from(plan.segment),
            data: u32::from(plan.data),
            parity: u32::from(plan.parity),
        });
        Some(())
    }

    /// The segment size follows the window: down at once, up by one step per round trip.
    fn adapt_segment(&mut self) {
        let target = self.target_segment();
        if target <= self.mss {
            self.mss = target;
        } else if self.heard >= self.raised_at {
            self.mss = self.mss.saturating_add(self.config.mss_step).min(target);
            self.raised_at = self.sent + 1;
        }
    }

    #[inline]
    fn emit(&mut self, now: Nanos, at: usize, stats: &mut LtStats) -> Symbol {
        if self.ledger.is_quiet() && self.outage.is_none() {
            self.after_pause(now);
        }
        self.burst = self.burst.saturating_sub(1);
        let number = self.ledger.next();
        let block = &mut self.blocks[at];
        let (index, again) = block.take_next();
        self.pending -= usize::from(!block.has_next());
        let len = block.len_of(index);
        let amount = match block.kind_of(index) {
            _ if again => &mut stats.resent,
            Kind::Data => &mut stats.data,
            Kind::Proactive => &mut stats.proactive,
            Kind::Reactive => &mut stats.reactive,
        };
        amount.add(len);
        let symbol = Symbol {
            header: Data {
                number: u32::low_bits(number),
                block: u32::low_bits(self.first_block + at as u64),
                index,
                k: u8::narrow(block.plan.data),
                padding: block.plan.padding,
                last: self.fin && block.end == self.written,
                reactive: block.is_repairing(),
                len,
            },
            start: block.end - u64::from(block.plan.bytes),
            capable: self.ecn.send(),
            again,
        };
        let bytes = u64::from(len);
        let rate = self.rate.on_sent(now, bytes, self.ledger.pipe(), self.lost);
        self.sent += bytes;
        self.ledger.send(Packet {
            block: self.first_block + at as u64,
            at: now,
            end: self.sent,
            rate,
            len,
            index,
            fate: Fate::Flying,
            capable: symbol.capable,
        });
        self.last_sent = Some(now);
        if self.rto_at == Nanos::NEVER {
            self.rto_at = now + self.rtt.rto();
        }
        if self.probe_at == Nanos::NEVER {
            self.arm_probe(now);
        }
        let sent = Sent { bytes, pipe: self.ledger.pipe(), retransmission: again };
        self.law.on_sent(now, &sent);
        if let Some(rate) = self.pacing_rate(now) {
            self.next_send = self.next_send.max(now) + rate.time_for(bytes);
        }
        symbol
    }

    /// Sending begins with nothing in the network: reports the preceding pause to the law.
    fn after_pause(&mut self, now: Nanos) {
        if let Some(last) = self.last_sent {
            let idle = Idle {
                idle: now.since(last),
                rto: self.rtt.backed_off(0),
                restart: self.tcp.idle_restart,
                app_limited: self.rate.is_app_limited(),
            };
            self.law.on_idle(now, &idle);
        }
    }
}
