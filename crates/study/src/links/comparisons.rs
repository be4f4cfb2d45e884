//! The comparisons of TCPs and of remedies over the traces themselves, as parts of a study.

use airtcp_sim::slotted::SlottedConfig;
use airtcp_trace::LinkTrace;

use crate::base::error::{CompareError, StudyError};
use crate::comparison::assemble::{assemble, assemble_remedies};
use crate::document::compare::{Case, Done, Remedies};
use crate::document::compare_options::STRETCHES;
use crate::document::study_options::StudyOptions;
use crate::subject::channel::{ChannelRuns, Remedy};
use crate::subject::remedies;
use crate::subject::traces::over_trace;
use crate::variant::remedy::against_losses;
use crate::variant::tcp::VariantSpec;

/// What is compared over the trace of a link; either may be missing.
pub(crate) struct Comparisons<'a> {
    tcps: Option<ChannelRuns<'a>>,
    remedies: Option<Remedy<'a>>,
}

impl<'a> Comparisons<'a> {
    /// What `options` ask for over each link, whose study has this slotted configuration.
    pub(crate) fn of(
        options: &StudyOptions,
        links: &'a [LinkTrace],
        configs: &[SlottedConfig],
    ) -> Result<Vec<Self>, StudyError> {
        let made = || -> Result<Vec<Self>, CompareError> {
            let up_to = |most: u32, of: &[String]| {
                if links.len() > most as usize { Vec::new() } else { of.to_vec() }
            };
            let tcps = up_to(options.compare_links, &options.compare);
            let tcps: Vec<VariantSpec> =
                tcps.iter().map(|text| VariantSpec::parse(text)).collect::<Result<_, _>>()?;
            let choices = against_losses(&up_to(options.remedy_links, &options.remedies))?;
            let of = |(link, config): (&'a LinkTrace, &SlottedConfig)| {
                let tcps = (!tcps.is_empty()).then(|| over_trace(link, config, STRETCHES, &tcps));
                let remedies = remedies::over_slots(link, config, None, &choices)?;
                Ok(Self { tcps: tcps.transpose()?, remedies })
            };
            links.iter().zip(configs).map(of).collect()
        };
        made().map_err(|e| StudyError::Tcp(e.to_string()))
    }

    /// The TCPs, and the remedies.
    pub(crate) fn subjects(&self) -> [Option<&ChannelRuns<'a>>; 2] {
        [self.tcps.as_ref(), self.remedies.as_ref().map(|remedy| &remedy.runs)]
    }

    /// What the runs of each variant show, without the single runs and windows.
    pub(crate) fn assemble(
        self,
        [tcps, tried]: [Vec<Done>; 2],
    ) -> (Option<Case>, Option<Remedies>) {
        let each = |done: Vec<Done>| done.into_iter().map(|done| vec![done]).collect();
        let compared = self.tcps.map(|runs| assemble(&runs, each(tcps)).without_runs());
        let remedies = self.remedies.map(|remedy| assemble_remedies(remedy, each(tried)));
        (compared, remedies.map(Remedies::without_runs))
    }
}
