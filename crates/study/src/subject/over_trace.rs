//! TCPs over a delivery trace, one packet a slot, and over synthetic links that look like it.
//!
//! The method is the study's (S1): the trace's entry at the time of sending is the outcome of a
//! packet. Over the trace itself each variant runs once, and the run is cut into equal stretches. A
//! comparison pairs the same stretch under two variants, and the interval is over the stretches
//! (the method of batch means). A stretch has at least [`MIN_STRETCH`] slots, so that the state of
//! TCP at its start matters little. Over synthetic links a replication is a link. The links are
//! those of the study, drawn from the same streams, and the same for every variant.

use airtcp_sim::slotted::{self, SlottedConfig};
use airtcp_units::{Nanos, Narrow, Outcomes, Span};

use crate::base::draws::Draws;
use crate::base::slot_use::SlotUse;
use crate::document::compare::{Channel, CompareRun, Done};
use crate::subject::observe::{Observer, Stretch};
use crate::subject::synthetic_links::{Kind, SyntheticLinks};
use crate::variant::preconditions::{Unmet, unmet_over_slots};

/// Fewest slots in a stretch: ten times S1's least timeout. \[choice\]
pub(crate) const MIN_STRETCH: usize = 1000;

/// A trace, or the synthetic links of one kind.
pub(crate) enum Fates<'a> {
    /// The trace, and the number of its stretches.
    Trace(&'a Outcomes, u32),
    /// Links drawn from these streams.
    Synthetic(SyntheticLinks, Draws),
}

/// TCPs over a trace or over synthetic links, one packet a slot.
pub(crate) struct OverTrace<'a> {
    pub(crate) fates: Fates<'a>,
    /// The slotted configuration of each variant.
    pub(crate) configs: Vec<SlottedConfig>,
}

/// The number of stretches a trace of `slots` can be cut into, if `wanted` are asked for.
pub(crate) fn stretches(slots: usize, wanted: u32) -> u32 {
    u32::narrow(slots / MIN_STRETCH).clamp(1, wanted)
}

impl OverTrace<'_> {
    /// For each variant, its needs that the path does not meet.
    pub(crate) fn unmet(&self) -> Vec<Option<Unmet>> {
        self.configs.iter().map(|config| unmet_over_slots(&config.tcp)).collect()
    }

    /// A full packet in each slot, in bits per second.
    pub(crate) fn most_bps(&self) -> f64 {
        let of =
            |config: &SlottedConfig| f64::from(config.tcp.mss) * 8.0 / config.slot.as_secs_f64();
        self.configs.iter().map(of).fold(0.0, f64::max)
    }

    pub(crate) const fn channel(&self) -> Channel {
        match &self.fates {
            Fates::Trace(..) => Channel::Trace,
            Fates::Synthetic(links, _) => match links.kind {
                Kind::Independent => Channel::Independent,
                Kind::GilbertElliott => Channel::GilbertElliott,
            },
        }
    }

    /// Runs one variant over the trace (`number` is then 0), or over synthetic link `number`.
    pub(crate) fn run(&self, variant: usize, number: u32) -> Option<Done> {
        let config = &self.configs[variant];
        let drawn;
        let (outcomes, parts) = match &self.fates {
            Fates::Trace(outcomes, stretches) => (*outcomes, *stretches),
            Fates::Synthetic(links, draws) => {
                drawn = links.draw(draws, number)?;
                (&drawn, 1)
            }
        };
        let slots = outcomes.len() as u64 / u64::from(parts);
        let length = config.slot * slots;
        // What arrives at the end of a stretch belongs to it, as in the general simulator.
        let mut observer = Observer::new(&[0], Nanos::ZERO, length + Span(1), parts as usize);
        if number == 0 {
            let whole = config.slot * outcomes.len() as u64;
            observer = observer.with_window(0, config.tcp.mss, whole);
        }
        slotted::run(outcomes, None, config, &mut observer);
        let (stretches, window) = observer.finish();
        let runs = stretches
            .iter()
            .zip(number..)
            .map(|(stretch, replication)| summed(stretch, replication, length, config))
            .collect();
        Some((runs, window))
    }
}

fn summed(stretch: &Stretch, replication: u32, length: Span, config: &SlottedConfig) -> CompareRun {
    let seconds = length.as_secs_f64();
    let per_second = |amount: f64| if seconds > 0.0 { amount / seconds } else { 0.0 };
    let delivered = stretch.delivered as f64 / f64::from(config.tcp.mss);
    let packets = per_second(delivered);
    let slots = seconds / config.slot.as_secs_f64();
    let (sent, again) = (stretch.segments, stretch.retransmissions);
    CompareRun {
        replication,
        goodput_bps: per_second(stretch.delivered as f64 * 8.0),
        packets_per_second: Some(packets),
        segments_sent: sent,
        retransmissions: again,
        retransmission_ratio: if sent == 0 { 0.0 } else { again as f64 / sent as f64 },
        timeouts: stretch.timeouts,
        fast_retransmits: stretch.fast_retransmits,
        slots: Some(SlotUse::of_tcp(delivered, slots - delivered)),
        ..stretch.times()
    }
}
