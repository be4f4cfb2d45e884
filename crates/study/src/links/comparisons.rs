//! The comparisons of TCPs and of remedies over the trace itself, as parts of a study.

use airtcp_sim::parallel::Stop;
use airtcp_sim::slotted::SlottedConfig;
use airtcp_trace::LinkTrace;

use crate::base::compare_error::CompareError;
use crate::comparison::assemble::{Setup, assemble, assemble_remedies};
use crate::document::compare::{Case, Channel, Done, Over, Remedies};
use crate::document::compare_options::STRETCHES;
use crate::subject::over_trace::{OverTrace, stretches};
use crate::subject::planned::Remedy;
use crate::subject::remedies;
use crate::variant::preconditions::unmet_over_slots;
use crate::variant::tcp::VariantSpec;
use crate::{StudyError, StudyOptions};

/// The TCPs that a study compares; may be empty.
pub(crate) struct TcpComparison {
    variants: Vec<VariantSpec>,
}

impl TcpComparison {
    /// The comparison that `options` request for this many links.
    pub(crate) fn new(options: &StudyOptions, links: usize) -> Result<Self, StudyError> {
        if links > options.compare_links as usize {
            return Ok(Self { variants: Vec::new() });
        }
        let read =
            |name: &String| VariantSpec::parse(name).map_err(|e| StudyError::Tcp(e.to_string()));
        Ok(Self { variants: options.compare.iter().map(read).collect::<Result<_, _>>()? })
    }

    /// Runs of each link.
    pub(crate) fn runs(&self) -> usize {
        self.variants.len()
    }

    /// Checks the variants on a link.
    pub(crate) fn check(&self, config: &SlottedConfig) -> Result<(), StudyError> {
        for variant in &self.variants {
            variant.apply(&config.tcp).map_err(|e| StudyError::Tcp(e.to_string()))?;
        }
        Ok(())
    }

    /// Runs one of the variants over a link whose study has this `config`.
    pub(crate) fn run(
        &self,
        link: &LinkTrace,
        config: &SlottedConfig,
        variant: usize,
    ) -> Option<Done> {
        let choice = self.variants.get(variant)?;
        let tcp = choice.apply(&config.tcp).ok()?;
        let attempts = choice.attempts();
        let configs = vec![SlottedConfig { tcp, attempts, slot: config.slot }];
        let parts = stretches(link.outcomes.len(), STRETCHES);
        OverTrace::of_trace(&link.outcomes, parts, configs).run(0, 0)
    }

    /// Makes a case of the runs of a link whose study has this `config`; `None` without runs.
    pub(crate) fn assemble(&self, config: &SlottedConfig, done: Vec<Done>) -> Option<Case> {
        if done.is_empty() || done.len() != self.variants.len() {
            return None;
        }
        let names: Vec<String> = self.variants.iter().map(|v| v.label().to_owned()).collect();
        let applied = self.variants.iter().map(|v| v.apply(&config.tcp).ok());
        let unmet: Vec<_> = applied.map(|tcp| unmet_over_slots(&tcp?)).collect();
        let setup = Setup {
            channel: Channel::Trace,
            over: Over::Stretches,
            names: &names,
            coded: self.variants.iter().any(VariantSpec::is_coded),
            reference: 0,
            most_bps: f64::from(config.tcp.mss) * 8.0 / config.slot.as_secs_f64(),
            is_random: true,
            unmet: &unmet,
        };
        let case = assemble(&setup, done.into_iter().map(|done| vec![done]).collect());
        Some(Case { runs: Vec::new(), windows: Vec::new(), ..case })
    }
}

/// The remedies that a study tries on each link; may be empty.
pub(crate) struct RemedyComparison<'a> {
    links: Vec<Option<Remedy<'a>>>,
}

impl RemedyComparison<'_> {
    /// Prepares what `options` request for these links, each with its slotted configuration.
    pub(crate) fn new(
        options: &StudyOptions,
        links: &[LinkTrace],
        configs: &[SlottedConfig],
    ) -> Result<Self, StudyError> {
        if links.len() > options.remedy_links as usize {
            return Ok(Self { links: Vec::new() });
        }
        let refuse = |e: CompareError| StudyError::Tcp(e.to_string());
        let choices = remedies::choices(&options.remedies).map_err(refuse)?;
        if choices.is_empty() {
            return Ok(Self { links: Vec::new() });
        }
        let made = links.iter().zip(configs);
        let made = made.map(|(link, config)| remedies::over_slots(link, config, None, &choices));
        let links = made.collect::<Result<_, _>>().map_err(refuse)?;
        Ok(Self { links })
    }

    /// Runs of a link: none if its slots are too long for any.
    pub(crate) fn runs(&self, link: usize) -> usize {
        let remedy = self.links.get(link).and_then(Option::as_ref);
        remedy.map_or(0, |remedy| remedy.names.len())
    }

    /// Runs one of the remedies of a link; `None` if it was stopped.
    pub(crate) fn run(&self, link: usize, variant: usize, stop: &Stop) -> Option<Done> {
        // An error of the plan was found when it was made.
        self.links.get(link)?.as_ref()?.planned.run(variant, 0, stop).ok()?
    }

    /// Makes the remedies of a link from its runs; `None` without runs.
    pub(crate) fn assemble(&mut self, link: usize, done: Vec<Done>) -> Option<Remedies> {
        let remedy = self.links.get_mut(link)?.take()?;
        if done.len() != remedy.names.len() {
            return None;
        }
        let found = assemble_remedies(remedy, done.into_iter().map(|done| vec![done]).collect());
        let case = Case { runs: Vec::new(), windows: Vec::new(), ..found.case };
        Some(Remedies { case, ..found })
    }
}
