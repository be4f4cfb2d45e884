//! Which TCP suits a link: the comparison over the trace itself that is part of a study.

use airtcp_sim::slotted::SlottedConfig;
use airtcp_trace::LinkTrace;

use super::choice::Choice;
use super::options::STRETCHES;
use super::over_trace::{OverTrace, stretches};
use super::{Case, Channel, Done, Over, assemble};
use crate::{StudyError, StudyOptions};

/// The TCPs that a study compares; empty if it does not.
pub(crate) struct Suits {
    variants: Vec<Choice>,
}

impl Suits {
    /// What `options` ask for with this many links.
    pub(crate) fn new(options: &StudyOptions, links: usize) -> Result<Self, StudyError> {
        if links > options.compare_links as usize {
            return Ok(Self { variants: Vec::new() });
        }
        let read = |name: &String| Choice::parse(name).map_err(|e| StudyError::Tcp(e.to_string()));
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
        let over = OverTrace {
            link,
            seed: 0,
            configs: vec![SlottedConfig { tcp, attempts, slot: config.slot }],
            channel: Channel::Trace,
            stretches: stretches(link.outcomes.len(), STRETCHES),
        };
        over.run(0, 0)
    }

    /// Puts the runs of a link together; `None` if there are none.
    pub(crate) fn assemble(&self, done: Vec<Done>) -> Option<Case> {
        if done.is_empty() || done.len() != self.variants.len() {
            return None;
        }
        let names: Vec<String> = self.variants.iter().map(|v| v.label().to_owned()).collect();
        let case = assemble((Channel::Trace, Over::Stretches), &names, 0, vec![done]);
        Some(Case { runs: Vec::new(), windows: Vec::new(), ..case })
    }
}
