//! TCPs over a delivery trace, one packet a slot, and over synthetic links that look like it.
//!
//! The method is the study's (S1): the fate of a packet is the trace's entry at the time it is
//! sent. Over the trace itself each variant runs once, and the run is cut into equal stretches;
//! what is compared is the same stretch under two variants, and the interval is over the
//! stretches (the method of batch means, each batch at least [`LEAST_STRETCH`] slots, so that TCP
//! forgets within a batch what it did before). Over synthetic links a replication is a link: the
//! same links as in the study, drawn from the same streams, and the same for every variant.

use airtcp_random::Seed;
use airtcp_sim::slotted::{self, SlottedConfig};
use airtcp_trace::LinkTrace;
use airtcp_trace::synth::SynthModel;
use airtcp_units::{Nanos, Outcomes, Span};

use super::observe::{Observer, Stretch};
use super::preconditions::unmet_over_slots;
use super::result::{Channel, CompareRun};
use crate::Cwnd;
use crate::chance::SlotUse;
use crate::runs::synthetic;

/// SlotUse in a stretch, at least: ten of S1's least timeouts. Chosen.
pub(crate) const LEAST_STRETCH: usize = 1000;

/// A trace, or the synthetic links of one kind.
pub(crate) struct OverTrace<'a> {
    pub(crate) link: &'a LinkTrace,
    pub(crate) seed: u64,
    /// How each variant is put over it.
    pub(crate) configs: Vec<SlottedConfig>,
    pub(crate) channel: Channel,
    /// Stretches of the trace.
    pub(crate) stretches: u32,
    /// What the path lacks of what each variant needs.
    pub(crate) unmet: Vec<Option<String>>,
}

/// The number of stretches a trace of `slots` can be cut into, if `wanted` are asked for.
pub(crate) fn stretches(slots: usize, wanted: u32) -> u32 {
    ((slots / LEAST_STRETCH) as u32).clamp(1, wanted)
}

impl<'a> OverTrace<'a> {
    pub(crate) fn new(
        link: &'a LinkTrace,
        seed: u64,
        configs: Vec<SlottedConfig>,
        channel: Channel,
        stretches: u32,
    ) -> Self {
        let unmet = configs.iter().map(|config| unmet_over_slots(&config.tcp)).collect();
        Self { link, seed, configs, channel, stretches, unmet }
    }
}

impl OverTrace<'_> {
    /// Runs one variant over the trace (`number` is then 0), or over synthetic link `number`.
    pub(crate) fn run(
        &self,
        variant: usize,
        number: u32,
    ) -> Option<(Vec<CompareRun>, Option<Cwnd>)> {
        let config = &self.configs[variant];
        let made;
        let (outcomes, parts) = match self.channel {
            Channel::Trace | Channel::Scenario => (&self.link.outcomes, self.stretches),
            Channel::Independent | Channel::GilbertElliott => {
                made = self.synthetic(number)?;
                (&made, 1)
            }
        };
        let slots = outcomes.len() as u64 / u64::from(parts);
        let length = config.slot * slots;
        let mut observer = Observer::new(&[0], Nanos::ZERO, length, parts as usize);
        if number == 0 {
            let whole = config.slot * outcomes.len() as u64;
            observer = observer.with_window(0, config.tcp.mss, whole);
        }
        slotted::run(outcomes, None, config, &mut observer);
        let (stretches, window) = observer.finish();
        let first = if parts == 1 { number } else { 0 };
        let runs = stretches
            .iter()
            .zip(first..)
            .map(|(stretch, replication)| summed(stretch, replication, length, config))
            .collect();
        Some((runs, window))
    }

    /// The synthetic link of a replica: as the study draws it.
    fn synthetic(&self, replica: u32) -> Option<Outcomes> {
        let independent = self.channel == Channel::Independent;
        let (model, _): (SynthModel, bool) = synthetic(&self.link.outcomes, independent)?;
        let kind = if independent { "independent" } else { "gilbert-elliott" };
        let label = format!("study/{}/{kind}", self.link.name);
        let mut stream = Seed::new(self.seed).replicate(replica).stream(&label);
        model.generate(self.link.outcomes.len(), &mut stream).ok()
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
        rtt_mean_s: stretch.rtt().mean_s(),
        rtt_p95_s: stretch.rtt().quantile_s(0.95),
        delivery_mean_s: stretch.delivery().mean_s(),
        delivery_p50_s: stretch.delivery().quantile_s(0.5),
        delivery_p95_s: stretch.delivery().quantile_s(0.95),
        segments_sent: sent,
        retransmissions: again,
        retransmission_ratio: if sent == 0 { 0.0 } else { again as f64 / sent as f64 },
        timeouts: stretch.timeouts,
        fast_retransmits: stretch.fast_retransmits,
        slots: Some(SlotUse::of_tcp(delivered, slots - delivered)),
        ..CompareRun::default()
    }
}
