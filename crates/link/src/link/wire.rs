//! The transmitter of a link and its loss model.

use std::sync::Arc;

use airtcp_packet::EndpointId;
use airtcp_units::{Bytes, CapacityClock, Nanos, Pace, Span, TxClock};

use crate::protocol::SymbolSet;
use crate::{Frame, LinkConfig, Loss, LossModel, Rate};

#[derive(Debug)]
pub(super) enum Transmitter {
    Unlimited,
    Rate(TxClock),
    Slot(Span),
    /// Boxed because it is large and few links have a varying rate.
    Varying(Box<CapacityClock>),
}

impl Transmitter {
    pub(super) fn new(config: &LinkConfig) -> Self {
        match (config.slot, &config.rate) {
            (Some(slot), _) => Self::Slot(slot),
            (None, Some(Rate::Constant(rate))) => Self::Rate(TxClock::new(*rate)),
            // A trace without capacity was refused earlier.
            (None, Some(Rate::Trace(trace))) => match trace.scaled() {
                Ok(Some(capacity)) => {
                    let clock = CapacityClock::new(capacity, trace.offset);
                    Self::Varying(Box::new(clock))
                }
                Ok(None) | Err(_) => Self::Unlimited,
            },
            (None, Some(Rate::Steps(all))) => match all.capacity() {
                Some(capacity) => {
                    let clock = CapacityClock::new(Arc::new(capacity), Span::ZERO);
                    Self::Varying(Box::new(clock))
                }
                None => Self::Unlimited,
            },
            (None, None) => Self::Unlimited,
        }
    }

    /// Duration of the next transmission, which begins at `start`. Apart from the constant rate, which most links have.
    fn transmit_otherwise(&mut self, start: Nanos, bytes: u64) -> Span {
        match self {
            Self::Unlimited => Span::ZERO,
            Self::Rate(clock) => clock.transmit(bytes),
            Self::Slot(slot) => *slot,
            Self::Varying(clock) => clock.transmit(start, bytes),
        }
    }
}

/// Result of one transmission.
#[derive(Debug, Clone, Copy)]
pub(super) struct Transmission {
    pub(super) duration: Span,
    pub(super) lost: bool,
    pub(super) ordinal: u64,
}

/// One direction of a wire. It carries packets, units of frames and reports one at a time.
#[derive(Debug)]
pub(super) struct Wire {
    pub(super) transmitter: Transmitter,
    pub(super) loss: Loss,
    /// Propagation delay; the longest, if it changes.
    pub(super) delay: Span,
    /// When the transmitter is free.
    pub(super) ready_at: Nanos,
    /// Transmissions started. The count numbers them for all random decisions.
    pub(super) ordinal: u64,
    /// Busy time of the transmitter, including transmissions already scheduled.
    pub(super) busy: Span,
}

impl Wire {
    pub(super) fn new(config: &LinkConfig, loss: Loss) -> Self {
        Self {
            transmitter: Transmitter::new(config),
            loss,
            delay: config.delay.longest(),
            ready_at: Nanos::ZERO,
            ordinal: 0,
            busy: Span::ZERO,
        }
    }

    /// Transmission time of `bytes`; at the mean rate if the rate varies.
    pub(super) fn time_for(&self, bytes: Bytes) -> Span {
        match &self.transmitter {
            Transmitter::Unlimited => Span::ZERO,
            Transmitter::Rate(clock) => clock.rate().time_for(bytes.0),
            Transmitter::Slot(slot) => *slot,
            Transmitter::Varying(clock) => clock.mean_time_for(bytes.0),
        }
    }

    /// Capacity in bits of the interval (`from`, `until`] of a varying rate.
    pub(super) fn offered(&self, from: Nanos, until: Nanos) -> Option<f64> {
        match &self.transmitter {
            Transmitter::Varying(clock) => Some(clock.bits_between(from, until)),
            _ => None,
        }
    }

    /// Bits accepted for transmission that have not left by `now`, for a varying rate.
    pub(super) fn bits_left(&self, now: Nanos) -> f64 {
        match &self.transmitter {
            Transmitter::Varying(clock) => clock.bits_left(now),
            _ => 0.0,
        }
    }

    /// Transmits as soon as the transmitter is free, at `now` at the earliest.
    #[inline]
    pub(super) fn transmit(&mut self, now: Nanos, what: (u32, u16, EndpointId)) -> Transmission {
        self.transmit_as(now, what, None)
    }

    /// [`transmit`](Self::transmit), of a packet whose fate may be known.
    #[inline]
    pub(super) fn transmit_as(
        &mut self,
        now: Nanos,
        what: (u32, u16, EndpointId),
        fate: Option<bool>,
    ) -> Transmission {
        let (start, ordinal, duration) = self.occupy(now, what.0);
        let lost = fate.unwrap_or_else(|| self.loses(start, ordinal, what));
        Transmission { duration, lost, ordinal }
    }

    /// Occupies the transmitter with the next packet. Returns start, number and duration of the transmission.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "once a packet, and the call costs a third of it")]
    pub(super) fn occupy(&mut self, now: Nanos, bytes: u32) -> (Nanos, u64, Span) {
        let start = now.max(self.ready_at);
        let ordinal = self.ordinal;
        self.ordinal += 1;
        let duration = match &mut self.transmitter {
            Transmitter::Rate(clock) => clock.transmit(u64::from(bytes)),
            other => other.transmit_otherwise(start, u64::from(bytes)),
        };
        self.ready_at = start + duration;
        self.busy += duration;
        (start, ordinal, duration)
    }

    /// Whether the packet of this number is lost. Most links lose nothing, and need no frame.
    #[inline]
    pub(super) fn loses(
        &mut self,
        start: Nanos,
        ordinal: u64,
        (bytes, payload, to): (u32, u16, EndpointId),
    ) -> bool {
        let frame = Frame { now: start, ordinal, bytes, payload, to };
        !matches!(self.loss, Loss::None(_)) && self.loss.loses(&frame)
    }

    /// Transmits `count` parts of a frame back to back as soon as the transmitter is free, at `now`
    /// at the earliest. Returns their duration and which of them are lost. On a slotted link `of`
    /// parts share a slot. With a varying rate the parts are spread evenly over the duration of
    /// all.
    pub(super) fn transmit_train(
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
