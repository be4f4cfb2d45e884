//! One channel with the variants that run over it, and an input of a comparison with all its channels.

use airtcp_sim::parallel::Stop;

use super::Ran;
use super::describe::parameters;
use super::over_trace::OverTrace;
use super::plan::Plans;
use super::scenarios::Scene;
use crate::base::error::CompareError;
use crate::document::compare::{Aim, Channel, Done, Subject, VariantTcp};
use crate::document::compare_options::CompareOptions;
use crate::variant::preconditions::Unmet;
use crate::variant::tcp::VariantSpec;

/// A channel with its variants.
pub(crate) struct ChannelRuns<'a> {
    pub(crate) channel: Channel,
    /// Names of the variants.
    pub(crate) names: Vec<String>,
    /// Their parameters.
    pub(crate) tcp: Vec<VariantTcp>,
    /// For each variant, its needs that the path does not meet.
    pub(crate) unmet: Vec<Option<Unmet>>,
    /// Number of the variant that the others are compared with.
    pub(crate) reference: usize,
    /// True if bytes on the link count as waste: a variant has erasure coding or a link protocol.
    pub(crate) coded: bool,
    /// The most that the compared flows can deliver, in bits per second; infinite if unknown.
    pub(crate) most_bps: f64,
    /// True if losses of a link, or the back-off of stations, are random.
    pub(crate) is_random: bool,
    jobs: u32,
    runner: Runner<'a>,
}

/// What runs the variants.
enum Runner<'a> {
    Plans(Box<Plans>),
    Slots(OverTrace<'a>),
}

impl<'a> ChannelRuns<'a> {
    /// Variants of a scenario.
    pub(crate) fn of_plans(plans: Plans, variants: &[VariantSpec]) -> Self {
        let first = plans.flows[0];
        let tcp = plans.each.iter().map(|plan| &plan.flows[first].tcp);
        Self {
            channel: plans.channel(),
            names: labels(variants),
            tcp: variants.iter().zip(tcp).map(|(v, tcp)| parameters(v, tcp)).collect(),
            unmet: plans.unmet(),
            reference: 0,
            coded: variants.iter().any(VariantSpec::is_coded),
            most_bps: plans.most_bps(),
            is_random: plans.is_random(),
            jobs: plans.each[0].scenario.replications,
            runner: Runner::Plans(Box::new(plans)),
        }
    }

    /// TCPs with one packet a slot, in `jobs` jobs each.
    pub(crate) fn over_slots(over: OverTrace<'a>, jobs: u32, variants: &[VariantSpec]) -> Self {
        let configs = over.configs.iter();
        Self {
            channel: over.channel(),
            names: labels(variants),
            tcp: variants.iter().zip(configs).map(|(v, c)| parameters(v, &c.tcp)).collect(),
            unmet: over.unmet(),
            reference: 0,
            coded: variants.iter().any(VariantSpec::is_coded),
            most_bps: over.most_bps(),
            is_random: true,
            jobs,
            runner: Runner::Slots(over),
        }
    }
}

impl super::Subject for ChannelRuns<'_> {
    type Done = Done;

    fn jobs(&self) -> (usize, u32) {
        (self.names.len(), self.jobs)
    }

    fn key(&self, variant: usize) -> Option<String> {
        // The same channel has the same place in each call; its replications are part of a stretch's place.
        serde_json::to_string(&(self.channel, self.jobs, &self.tcp[variant])).ok()
    }

    fn run(&self, variant: usize, number: u32, stop: &Stop) -> Ran<Done> {
        match &self.runner {
            Runner::Plans(plans) => plans.run(variant, number, stop),
            Runner::Slots(over) => Ok(over.run(variant, number)),
        }
    }
}

/// What runs over each input.
pub(crate) struct Asked<'o> {
    pub(crate) variants: Vec<VariantSpec>,
    /// Number of the variant that the others are compared with.
    pub(crate) reference: usize,
    /// Remedies against losses, the reference first.
    pub(crate) remedies: Vec<VariantSpec>,
    /// The names of the remedies: against delay, the usual ones are others.
    pub(crate) names: &'o [String],
    pub(crate) options: &'o CompareOptions,
}

/// Names of variants.
pub(crate) fn labels(variants: &[VariantSpec]) -> Vec<String> {
    variants.iter().map(|variant| variant.label().to_owned()).collect()
}

/// An input without its results, and what runs over it.
pub(crate) struct Prepared<'a> {
    pub(crate) subject: Subject,
    pub(crate) cases: Vec<ChannelRuns<'a>>,
    pub(crate) remedies: Option<Remedy<'a>>,
}

/// The remedies of an input.
pub(crate) struct Remedy<'a> {
    pub(crate) aim: Aim,
    pub(crate) runs: ChannelRuns<'a>,
    pub(crate) notes: Vec<String>,
}

impl<'a> Prepared<'a> {
    /// The variants over a scenario, which `subject` describes apart from what the scenario says.
    pub(crate) fn of(
        subject: Subject,
        scene: &Scene<'_>,
        asked: &Asked<'_>,
    ) -> Result<Self, CompareError> {
        let plans = Plans::new(scene, &asked.variants, asked.options)?;
        let first = &plans.each[0];
        let scenario = &first.scenario;
        let subject = Subject {
            seed: scenario.seed,
            duration_s: scenario.duration.saturating_sub(scenario.warmup).as_secs_f64(),
            flows: plans.flows.iter().map(|i| first.flows[*i].name.clone()).collect(),
            scenario: serde_json::to_value(scenario).ok(),
            ..subject
        };
        Ok(Self::with(subject, vec![ChannelRuns::of_plans(plans, &asked.variants)], asked))
    }

    /// The variants over several channels, with their parameters.
    pub(crate) fn with(
        subject: Subject,
        mut cases: Vec<ChannelRuns<'a>>,
        asked: &Asked<'_>,
    ) -> Self {
        for case in &mut cases {
            case.reference = asked.reference;
        }
        let tcp = cases.first().map_or_else(Vec::new, |case| case.tcp.clone());
        Self { subject: Subject { tcp, ..subject }, cases, remedies: None }
    }

    /// Everything that runs, the remedies last.
    pub(crate) fn channels(&self) -> impl Iterator<Item = &ChannelRuns<'a>> {
        self.cases.iter().chain(self.remedies.iter().map(|remedy| &remedy.runs))
    }
}
