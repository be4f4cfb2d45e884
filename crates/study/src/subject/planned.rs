//! The runs of a comparison over one subject: its channels and its remedies.

use airtcp_scenario::ScenarioError;
use airtcp_sim::parallel::Stop;

use crate::document::compare::{Aim, Channel, Done, Over, Subject, VariantTcp};
use crate::subject::over_trace::OverTrace;
use crate::subject::plan::Plans;

/// One channel with what runs over it.
pub(crate) enum Planned<'a> {
    Plans { plans: Box<Plans>, replications: u32, channel: Channel },
    Slots { over: OverTrace<'a>, replications: u32 },
}

/// A subject without its results, and the cases to run.
pub(crate) struct Prepared<'a> {
    pub(crate) subject: Subject,
    pub(crate) cases: Vec<Planned<'a>>,
    pub(crate) remedies: Option<Remedy<'a>>,
}

impl Planned<'_> {
    /// How many jobs each variant has.
    pub(crate) fn jobs(&self) -> u32 {
        match self {
            Self::Plans { replications, .. } | Self::Slots { replications, .. } => *replications,
        }
    }

    pub(crate) fn channel(&self) -> Channel {
        match self {
            Self::Plans { channel, .. } => *channel,
            Self::Slots { over, .. } => over.channel(),
        }
    }

    /// For each variant, its needs that the path does not meet.
    pub(crate) fn unmet(&self) -> &[Option<String>] {
        match self {
            Self::Plans { plans, .. } => &plans.unmet,
            Self::Slots { over, .. } => &over.unmet,
        }
    }

    /// True if losses of a link, or the back-off of stations, are random.
    pub(crate) fn is_random(&self) -> bool {
        match self {
            Self::Plans { plans, .. } => plans.is_random(),
            Self::Slots { .. } => true,
        }
    }

    /// The most that the compared flows can deliver, in bits per second; infinite if unknown.
    pub(crate) fn most_bps(&self) -> f64 {
        match self {
            Self::Plans { plans, .. } => plans.most_bps(),
            Self::Slots { over, .. } => over.most_bps(),
        }
    }

    pub(crate) fn over(&self) -> Over {
        match self.channel() {
            Channel::Trace => Over::Stretches,
            _ => Over::Replications,
        }
    }

    pub(crate) fn run(
        &self,
        variant: usize,
        number: u32,
        stop: &Stop,
    ) -> Result<Option<Done>, ScenarioError> {
        match self {
            Self::Plans { plans, .. } => plans.run(variant, number, stop),
            Self::Slots { over, .. } => Ok(over.run(variant, number)),
        }
    }
}

/// The runs for the remedies of a subject.
pub(crate) struct Remedy<'a> {
    pub(crate) aim: Aim,
    pub(crate) planned: Planned<'a>,
    pub(crate) names: Vec<String>,
    pub(crate) tcp: Vec<VariantTcp>,
    pub(crate) notes: Vec<String>,
}
