//! A link protocol on a link: its sender, its receiver and the wire between them.
//!
//! The losses of a transmission are known when it starts, units arrive in order, and the receiver
//! depends only on what arrives. So the engine gives the receiver all units of a transmission as
//! one [`Train`] when the transmission starts. Events remain for deliveries, reports and timers. A
//! link of 20 units a frame then costs little more than a link without a protocol.

use std::collections::VecDeque;

use airtcp_packet::{EndpointId, PacketId};
use airtcp_random::Keyed;
use airtcp_units::{Nanos, Narrow, Span};

use super::latency::Latency;
use super::wire::Wire;
use crate::protocol::{Block, Decision, Receiver, Report, Sender, Train, Way};

/// Counters of one direction's link protocol since the start.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ProtocolStats {
    /// Transmissions of frames, retransmissions included.
    pub blocks: u64,
    /// Units sent.
    pub units: u64,
    /// Units that the loss model lost.
    pub units_lost: u64,
    /// Bytes of data units in first transmissions.
    pub data_bytes: u64,
    /// Bytes of parity in first transmissions.
    pub pfec_bytes: u64,
    /// Bytes of the units sent after reports: reactive parity (RFEC) or retransmitted fragments.
    pub rfec_bytes: u64,
    /// Bytes of units of first transmissions that arrived after the frame was complete.
    pub pfec_wasted_bytes: u64,
    /// Bytes of units of later transmissions that arrived after the frame was complete.
    pub rfec_wasted_bytes: u64,
    /// Reports sent back.
    pub reports: u64,
    /// Reports that were lost.
    pub reports_lost: u64,
    /// Transmissions whose report timer expired.
    pub timeouts: u64,
    /// Time from the start of a frame's first unit until the receiver could decode the frame.
    pub decode: Latency,
    /// Time from the start of a frame's first unit until the receiver delivered the frame.
    pub release: Latency,
}

/// End of a frame on the link: delivered or abandoned, and when.
#[derive(Debug, Clone, Copy)]
pub(super) struct FrameEnd {
    pub(super) at: Nanos,
    pub(super) started: Nanos,
    pub(super) frame: u64,
    pub(super) id: PacketId,
    pub(super) delivered: bool,
}

/// A frame that is neither delivered nor abandoned yet.
#[derive(Debug, Clone, Copy)]
struct Carried {
    id: PacketId,
    payload: u16,
    to: EndpointId,
    started: Nanos,
    decided: bool,
}

/// Runs a link protocol on a link.
#[derive(Debug)]
pub(super) struct ArqEngine {
    sender: Sender,
    receiver: Receiver,
    way: Way,
    feedback_loss: Option<(f64, Keyed)>,
    /// Number of the first frame in `carried`.
    first: u64,
    carried: VecDeque<Carried>,
    undecided: usize,
    /// Frames that the sender abandoned while no unit reached the receiver: the first frame after
    /// them, and the time until which the receiver may still learn of it.
    unheard: Option<(u64, Nanos)>,
    frame_ends: VecDeque<FrameEnd>,
    /// Reports on their way to the sender.
    reports: VecDeque<(Nanos, Report)>,
    /// Reports to be sent over the other direction.
    outgoing: VecDeque<(Nanos, Report)>,
    stats: ProtocolStats,
}

impl ArqEngine {
    pub(super) fn new(
        sender: Sender,
        receiver: Receiver,
        way: Way,
        feedback_loss: Option<(f64, Keyed)>,
    ) -> Self {
        Self {
            sender,
            receiver,
            way,
            feedback_loss,
            first: 0,
            carried: VecDeque::new(),
            undecided: 0,
            unheard: None,
            frame_ends: VecDeque::new(),
            reports: VecDeque::new(),
            outgoing: VecDeque::new(),
            stats: ProtocolStats::default(),
        }
    }

    pub(super) const fn stats(&self) -> &ProtocolStats {
        &self.stats
    }

    pub(super) fn estimate(&self) -> Option<f64> {
        self.sender.protocol().estimate()
    }

    pub(super) fn allow_reports(&mut self, by: Span) {
        self.sender.allow_reports(by);
    }

    /// Frames neither delivered nor abandoned yet.
    pub(super) fn in_flight(&self) -> usize {
        self.undecided + self.frame_ends.len()
    }

    /// True if a new frame may start.
    pub(super) fn is_open(&self) -> bool {
        self.sender.has_room() && !self.sender.has_retry()
    }

    /// Sends a new frame. Returns the start of its first unit and the duration of the transmission.
    pub(super) fn send(
        &mut self,
        now: Nanos,
        (id, bytes, payload, to): (PacketId, u32, u16, EndpointId),
        wire: &mut Wire,
    ) -> (Nanos, Span, u64) {
        let started = now.max(wire.ready_at);
        let block = self.sender.start(bytes);
        self.carried.push_back(Carried { id, payload, to, started, decided: false });
        self.undecided += 1;
        let (duration, sent) = self.transmit(started, &block, wire);
        (started, duration, sent)
    }

    /// Handles the reports and timers due at `now` and sends retransmissions. Returns the bytes
    /// sent.
    pub(super) fn advance(&mut self, now: Nanos, wire: &mut Wire) -> u64 {
        while let Some((_, report)) = self.reports.pop_front_if(|r| r.0 <= now) {
            self.sender.on_report(&report);
        }
        if self.sender.next_timer() <= now {
            self.sender.on_timer(now);
        }
        self.catch_up(now, wire.delay);
        let mut sent = 0;
        while now >= wire.ready_at
            && let Some(block) = self.sender.retry()
        {
            sent += self.transmit(now, &block, wire).1;
        }
        self.stats.timeouts = self.sender.counts().timeouts;
        self.give_up(now);
        sent
    }

    /// Handles a report that arrived over the other direction.
    pub(super) fn on_report(&mut self, now: Nanos, report: Report) {
        self.reports.push_back((now, report));
    }

    /// Next report to send over the other direction.
    pub(super) fn take_outgoing(&mut self, now: Nanos) -> Option<Report> {
        self.outgoing.pop_front_if(|r| r.0 <= now).map(|r| r.1)
    }

    /// Next frame that was delivered or abandoned.
    pub(super) fn take_frame_end(&mut self, now: Nanos) -> Option<FrameEnd> {
        let end = self.frame_ends.pop_front_if(|f| f.at <= now)?;
        if end.delivered {
            self.stats.release.add(end.at.since(end.started));
        }
        Some(end)
    }

    /// Time of the next event; the transmitter is free at `ready_at`.
    pub(super) fn next_timer(&self, ready_at: Nanos, waiting: bool) -> Nanos {
        let front = |queue: &VecDeque<(Nanos, Report)>| queue.front().map_or(Nanos::NEVER, |r| r.0);
        let end = self.frame_ends.front().map_or(Nanos::NEVER, |f| f.at);
        let timers = self.sender.next_timer().min(self.receiver.next_timer());
        let reports = front(&self.reports).min(front(&self.outgoing));
        let wants = self.sender.has_retry() || (waiting && self.sender.has_room());
        let ready = if wants { ready_at } else { Nanos::NEVER };
        let unheard = self.unheard.map_or(Nanos::NEVER, |u| u.1);
        end.min(timers).min(reports).min(ready).min(unheard)
    }

    /// Sends the units of a block back to back and hands the surviving units to the receiver.
    /// Returns the duration and the bytes.
    fn transmit(&mut self, now: Nanos, block: &Block, wire: &mut Wire) -> (Span, u64) {
        let place = block.frame.checked_sub(self.first);
        let Some(&Carried { payload, to, .. }) =
            place.and_then(|i| self.carried.get(usize::narrow(i)))
        else {
            return (Span::ZERO, 0);
        };
        let start = now.max(wire.ready_at);
        let what = (block.unit_bytes, payload, to);
        let of = block.symbols.len();
        let bytes = u64::from(block.unit_bytes);
        let (pace, lost) = wire.transmit_train(start, what, of, block.needed);
        self.stats.units_lost += u64::from(lost.len());
        let train = Train { block: *block, start: start + wire.delay, pace, lost };
        let useful = self.receiver.on_train(&train);
        let wasted = u64::from(train.arriving().len() - useful) * bytes;
        if block.attempt == 1 {
            self.stats.pfec_wasted_bytes += wasted;
        } else {
            self.stats.rfec_wasted_bytes += wasted;
        }
        self.decide(wire.delay);
        self.count(block, of);
        let time = wire.ready_at.since(start);
        self.sender.on_sent(block, wire.ready_at, time);
        (time, u64::from(of) * bytes)
    }

    fn count(&mut self, block: &Block, of: u16) {
        let bytes = |units: u16| u64::from(units) * u64::from(block.unit_bytes);
        self.stats.blocks += 1;
        self.stats.units += u64::from(of);
        if block.attempt == 1 {
            self.stats.data_bytes += bytes(of - block.parity);
            self.stats.pfec_bytes += bytes(block.parity);
        } else {
            self.stats.rfec_bytes += bytes(of);
        }
    }

    /// Runs the receiver's timers that expire at `now` or before.
    fn catch_up(&mut self, now: Nanos, delay: Span) {
        while self.receiver.next_timer() <= now {
            self.receiver.on_timer(self.receiver.next_timer());
            self.decide(delay);
        }
    }

    /// Carries out the receiver's decisions.
    fn decide(&mut self, delay: Span) {
        while let Some((at, decision)) = self.receiver.poll() {
            match decision {
                Decision::Report(report) => self.schedule_report(at, report, delay),
                Decision::Decoded(frame) => {
                    let started = self.carried(frame).map(|c| c.started);
                    if let Some(started) = started {
                        self.stats.decode.add(at.since(started));
                    }
                }
                Decision::Released(frame) => self.settle(frame, at, true),
                Decision::Skipped(frame) => self.settle(frame, at, false),
                Decision::SkippedBefore(frame) => {
                    let sent = self.first + self.carried.len() as u64;
                    (self.first..frame.min(sent)).for_each(|frame| self.settle(frame, at, false));
                }
            }
        }
    }

    fn schedule_report(&mut self, at: Nanos, report: Report, delay: Span) {
        let number = self.stats.reports;
        self.stats.reports += 1;
        if self.feedback_loss.as_ref().is_some_and(|(p, draws)| draws.unit(number) < *p) {
            self.stats.reports_lost += 1;
            return;
        }
        match self.way {
            Way::Free => self.reports.push_back((at + delay, report)),
            Way::Reverse => self.outgoing.push_back((at, report)),
        }
    }

    fn settle(&mut self, frame: u64, at: Nanos, delivered: bool) {
        let Some(carried) = self.carried(frame).filter(|c| !c.decided) else { return };
        carried.decided = true;
        let Carried { id, started, .. } = *carried;
        self.undecided -= 1;
        self.frame_ends.push_back(FrameEnd { at, started, frame, id, delivered });
    }

    fn carried(&mut self, frame: u64) -> Option<&mut Carried> {
        self.carried.get_mut(usize::narrow(frame.checked_sub(self.first)?))
    }

    /// Ends the wait for frames that the sender abandoned. If the link loses everything, the
    /// receiver never learns of them.
    fn give_up(&mut self, now: Nanos) {
        if let Some((end, _)) = self.unheard.take_if(|u| u.1 <= now) {
            (self.first..end).for_each(|frame| self.settle(frame, now, false));
        }
        self.forget();
        let oldest = self.sender.oldest();
        if self.first == oldest {
            self.unheard = None;
        } else if self.unheard.is_none() {
            self.unheard = Some((oldest, now + self.sender.max_frame_wait()));
        }
    }

    /// Drops the records of frames that both ends have finished.
    fn forget(&mut self) {
        let oldest = self.sender.oldest();
        while self.first < oldest && self.carried.pop_front_if(|c| c.decided).is_some() {
            self.first += 1;
        }
    }
}
