//! The interface of a loss model: its input, its answer, and how it is built.

use std::sync::Arc;

use airtcp_packet::EndpointId;
use airtcp_probe::ConfigError;
use airtcp_random::Seed;
use airtcp_units::{Nanos, Outcomes, Pace, Span};

use crate::protocol::SymbolSet;

/// What a loss model knows of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    /// When its transmission starts. Never before the start of the previous frame.
    pub now: Nanos,
    /// Its number among the packets transmitted on this link, from 0.
    pub ordinal: u64,
    /// Its length on the wire in bytes.
    pub bytes: u32,
    /// Its payload in bytes; 0 for a pure acknowledgement.
    pub payload: u16,
    /// Where it is going.
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

    /// The long-run share of lost packets, if the model knows it. A model in time assumes packets at a
    /// constant rate.
    fn mean_loss(&self) -> Option<f64>;

    /// True if a frame's fate depends only on its time and number, not on which other frames
    /// were sent.
    fn is_independent_of_traffic(&self) -> bool {
        true
    }
}

/// Which of a train of `count` frames are lost: the model is asked about each in turn.
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

/// What a model is built with besides its own table.
pub(crate) struct Build<'a> {
    pub(crate) seed: Seed,
    /// Label of the model's random streams.
    pub(crate) label: &'a str,
    /// The link's slot, which models that need one fall back to.
    pub(crate) slot: Option<Span>,
    pub(crate) load: Load<'a>,
}

impl Build<'_> {
    /// Label of the random stream named `what`.
    pub(crate) fn label(&self, what: &str) -> String {
        format!("{}/{what}", self.label)
    }

    /// The slot a model runs on: its own, or the link's.
    pub(crate) fn slot(&self, own: Option<Span>, why: &str) -> Result<Span, ConfigError> {
        let slot = own.or(self.slot).ok_or_else(|| {
            ConfigError::new("loss.slot", format!("missing: {why}, for instance slot = \"10 ms\""))
        })?;
        let key = if own.is_some() { "loss.slot" } else { "slot" };
        at_least_a_microsecond(key, slot)
    }
}

/// What a registered model adds to [`LossModel`]: how it is built.
pub(crate) trait Model: LossModel + Sized {
    type Config;
    fn build(config: &Self::Config, build: &Build<'_>) -> Result<Self, ConfigError>;
    /// Configurations the conformance suite runs.
    #[cfg(test)]
    fn samples() -> Vec<Self::Config>;
}

/// Refuses a period below 1 us: stepping through a whole run would take too long.
pub(crate) fn at_least_a_microsecond(key: &'static str, span: Span) -> Result<Span, ConfigError> {
    if span < Span::from_micros(1) {
        return Err(ConfigError::new(key, format!("{span} is too short: it is at least 1 us")));
    }
    Ok(span)
}
