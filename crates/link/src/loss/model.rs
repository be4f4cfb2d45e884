//! Interface of a loss model: input, result and construction.

use std::sync::Arc;

use airtcp_packet::EndpointId;
use airtcp_probe::ConfigError;
use airtcp_random::Seed;
use airtcp_units::{Nanos, Outcomes, Pace, Span};

use crate::protocol::SymbolSet;

/// Packet properties that a loss model sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    /// Start of the transmission, never before that of the previous frame.
    pub now: Nanos,
    /// Number of the packet on this link, from 0.
    pub ordinal: u64,
    /// Length on the wire in bytes.
    pub bytes: u32,
    /// Payload in bytes; 0 for a pure acknowledgement.
    pub payload: u16,
    /// Destination endpoint.
    pub to: EndpointId,
}

/// Decides which packets are lost.
pub trait LossModel {
    /// True if the frame is lost. Frames come in the order of their transmission.
    fn loses(&mut self, frame: &Frame) -> bool;

    /// Which of a train of `count` frames are lost, by index in the train. The frames are like `first`, with
    /// consecutive numbers, at `pace`. Equal to `count` calls of [`loses`](Self::loses).
    fn losses_of_train(&mut self, first: &Frame, pace: Pace, count: u16) -> SymbolSet {
        one_by_one(self, first, pace, count)
    }

    /// Long-run loss rate, if known. A model that evolves in time assumes packets at a constant
    /// rate.
    fn mean_loss(&self) -> Option<f64>;

    /// True if the loss of a frame depends only on its time and number, not on other frames.
    fn is_independent_of_traffic(&self) -> bool {
        true
    }
}

/// Queries the model for each of `count` frames in turn; returns the lost frames.
pub(super) fn one_by_one<M: LossModel + ?Sized>(
    model: &mut M,
    first: &Frame,
    mut pace: Pace,
    count: u16,
) -> SymbolSet {
    let mut frame = *first;
    SymbolSet::of(count, || {
        let lost = model.loses(&frame);
        frame.now += pace.step();
        frame.ordinal += 1;
        lost
    })
}

/// Reads the delivery trace a configuration names by its path.
pub type Load<'a> = &'a dyn Fn(&str) -> Result<Arc<Outcomes>, String>;

/// Inputs of a model's construction beside its own table.
pub(crate) struct Build<'a> {
    pub(crate) seed: Seed,
    /// Label of the model's random streams.
    pub(crate) label: &'a str,
    /// The link's slot, the default slot of the model.
    pub(crate) slot: Option<Span>,
    pub(crate) load: Load<'a>,
}

impl Build<'_> {
    /// Label of the random stream named `what`.
    pub(crate) fn label(&self, what: &str) -> String {
        format!("{}/{what}", self.label)
    }

    /// The model's own slot, or the link's.
    pub(crate) fn slot(&self, own: Option<Span>, why: &str) -> Result<Span, ConfigError> {
        let slot = own.or(self.slot).ok_or_else(|| {
            ConfigError::new("loss.slot", format!("missing: {why}, for instance slot = \"10 ms\""))
        })?;
        let key = if own.is_some() { "loss.slot" } else { "slot" };
        at_least_a_microsecond(key, slot)
    }
}

/// Construction of a registered [`LossModel`].
pub(crate) trait Model: LossModel + Sized {
    type Config;
    fn build(config: &Self::Config, build: &Build<'_>) -> Result<Self, ConfigError>;
    /// Configurations that the conformance suite tests.
    #[cfg(test)]
    fn samples() -> Vec<Self::Config>;
}

/// Rejects a period below 1 us, which would make a run too slow.
pub(crate) fn at_least_a_microsecond(key: &'static str, span: Span) -> Result<Span, ConfigError> {
    if span < Span::from_micros(1) {
        return Err(ConfigError::new(key, format!("is {span}; expected 1 us or more")));
    }
    Ok(span)
}
