//! The transmitter of a link and what is lost on its way.

use airtcp_packet::EndpointId;
use airtcp_units::{Bytes, CapacityClock, Nanos, Pace, Span, TxClock};

use crate::protocol::SymbolSet;
use crate::{Frame, LinkConfig, Loss, LossModel, Rate};

#[derive(Debug)]
pub(super) enum Transmitter {
    Unlimited,
    Rate(TxClock),
    Slot(Span),
    /// By itself in a box: links whose rate varies are few, and this is large.
    Varying(Box<CapacityClock>),
}

/// What the wire does to one thing sent over it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Passage {
    pub(super) duration: Span,
    pub(super) lost: bool,
    pub(super) ordinal: u64,
}

/// One direction of a wire: whole packets, units of frames and reports go over it one by one.
#[derive(Debug)]
pub(super) struct Wire {
    transmitter: Transmitter,
    pub(super) loss: Loss,
    pub(super) delay: Span,
    /// When the transmitter is free.
    pub(super) ready_at: Nanos,
    /// Things whose transmission started: numbers them for all random decisions.
    pub(super) ordinal: u64,
    /// Time the transmitter was, or is known to be going to be, busy.
    pub(super) busy: Span,
}

impl Wire {
    pub(super) fn new(config: &LinkConfig, loss: Loss) -> Self {
        Self {
            transmitter: match (config.slot, &config.rate) {
                (Some(slot), _) => Transmitter::Slot(slot),
                (None, Some(Rate::Constant(rate))) => Transmitter::Rate(TxClock::new(*rate)),
                // Without its capacity it was refused.
                (None, Some(Rate::Trace(trace))) => match &trace.capacity {
                    Some(capacity) => Transmitter::Varying(Box::new(CapacityClock::new(
                        capacity.clone(),
                        trace.offset,
                    ))),
                    None => Transmitter::Unlimited,
                },
                (None, None) => Transmitter::Unlimited,
            },
            loss,
            delay: config.delay,
            ready_at: Nanos::ZERO,
            ordinal: 0,
            busy: Span::ZERO,
        }
    }

    /// Time the transmitter takes for `bytes`; where the rate varies, at its mean.
    pub(super) fn time_for(&self, bytes: Bytes) -> Span {
        match &self.transmitter {
            Transmitter::Unlimited => Span::ZERO,
            Transmitter::Rate(clock) => clock.rate().time_for(bytes.0),
            Transmitter::Slot(slot) => *slot,
            Transmitter::Varying(clock) => clock.mean_time_for(bytes.0),
        }
    }

    /// Bits that could leave after `from`, until `until` included, where the rate varies.
    pub(super) fn offered(&self, from: Nanos, until: Nanos) -> Option<f64> {
        match &self.transmitter {
            Transmitter::Varying(clock) => Some(clock.bits_between(from, until)),
            _ => None,
        }
    }

    /// Bits of what was sent that have not left until `now` included, where the rate varies.
    pub(super) fn bits_left(&self, now: Nanos) -> f64 {
        match &self.transmitter {
            Transmitter::Varying(clock) => clock.bits_left(now),
            _ => 0.0,
        }
    }

    /// Sends something when the transmitter is free, at `now` at the earliest.
    #[inline]
    pub(super) fn pass(
        &mut self,
        now: Nanos,
        (bytes, payload, to): (u32, u16, EndpointId),
    ) -> Passage {
        let start = now.max(self.ready_at);
        let ordinal = self.ordinal;
        self.ordinal += 1;
        let duration = match &mut self.transmitter {
            Transmitter::Unlimited => Span::ZERO,
            Transmitter::Rate(clock) => clock.transmit(u64::from(bytes)),
            Transmitter::Slot(slot) => *slot,
            Transmitter::Varying(clock) => clock.transmit(start, u64::from(bytes)),
        };
        self.ready_at = start + duration;
        self.busy += duration;
        let frame = Frame { now: start, ordinal, bytes, payload, to };
        Passage { duration, lost: self.loss.loses(&frame), ordinal }
    }

    /// Sends `count` parts of a frame one after the other when the transmitter is free, at `now` at the
    /// earliest: how long they take, and which of them are lost. Where each packet takes a slot, `of` parts
    /// share one; where the rate varies, the parts are spread evenly over the time that all take.
    pub(super) fn pass_train(
        &mut self,
        now: Nanos,
        (bytes, payload, to): (u32, u16, EndpointId),
        count: u16,
        of: u16,
    ) -> (Pace, SymbolSet) {
        let start = now.max(self.ready_at);
        let ordinal = self.ordinal;
        let pace = match &mut self.transmitter {
            Transmitter::Unlimited => Pace::AT_ONCE,
            Transmitter::Rate(clock) => clock.train(u64::from(bytes), u64::from(count)),
            Transmitter::Slot(slot) => Pace::share(*slot, u64::from(of)),
            Transmitter::Varying(clock) => {
                let all = clock.transmit(start, u64::from(bytes) * u64::from(count));
                Pace::share(all, u64::from(count))
            }
        };
        let duration = pace.after(u64::from(count));
        self.ordinal += u64::from(count);
        self.ready_at = start + duration;
        self.busy += duration;
        let first = Frame { now: start, ordinal, bytes, payload, to };
        (pace, self.loss.losses_of_train(&first, pace, count))
    }
}
