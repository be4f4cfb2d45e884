//! The transmitter of a link and what is lost on its way.

use airtcp_packet::EndpointId;
use airtcp_units::{Bytes, Nanos, Span, TxClock};

use crate::{Frame, LinkConfig, Loss, LossModel};

#[derive(Debug)]
pub(super) enum Transmitter {
    Unlimited,
    Rate(TxClock),
    Slot(Span),
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

/// A part of a frame: `position`, of which `of` make up as much as the frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    pub(super) position: u16,
    pub(super) of: u16,
}

impl Wire {
    pub(super) fn new(config: &LinkConfig, loss: Loss) -> Self {
        Self {
            transmitter: match (config.slot, config.rate) {
                (Some(slot), _) => Transmitter::Slot(slot),
                (None, Some(rate)) => Transmitter::Rate(TxClock::new(rate)),
                (None, None) => Transmitter::Unlimited,
            },
            loss,
            delay: config.delay,
            ready_at: Nanos::ZERO,
            ordinal: 0,
            busy: Span::ZERO,
        }
    }

    /// Time the transmitter takes for `bytes`.
    pub(super) fn time_for(&self, bytes: Bytes) -> Span {
        match &self.transmitter {
            Transmitter::Unlimited => Span::ZERO,
            Transmitter::Rate(clock) => clock.rate().time_for(bytes.0),
            Transmitter::Slot(slot) => *slot,
        }
    }

    /// Sends something when the transmitter is free, at `now` at the earliest. Where each packet
    /// takes a slot, a part of a frame takes its share of one.
    #[inline]
    pub(super) fn pass(
        &mut self,
        now: Nanos,
        (bytes, payload, to): (u32, u16, EndpointId),
        part: Option<Part>,
    ) -> Passage {
        let start = now.max(self.ready_at);
        let ordinal = self.ordinal;
        self.ordinal += 1;
        let duration = match (&mut self.transmitter, part) {
            (Transmitter::Unlimited, _) => Span::ZERO,
            (Transmitter::Rate(clock), _) => clock.transmit(u64::from(bytes)),
            (Transmitter::Slot(slot), None) => *slot,
            (Transmitter::Slot(slot), Some(Part { position, of })) => {
                let until = |n: u64| slot.0 * n / u64::from(of.max(1));
                Span(until(u64::from(position) + 1) - until(u64::from(position)))
            }
        };
        self.ready_at = start + duration;
        self.busy += duration;
        let frame = Frame { now: start, ordinal, bytes, payload, to };
        Passage { duration, lost: self.loss.outcome(&frame), ordinal }
    }
}
