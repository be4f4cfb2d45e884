//! TCPs over links of varying capacity, as a part of a study.

use airtcp_trace::LinkTrace;

use crate::base::error::CompareError;
use crate::base::error::StudyError;
use crate::comparison::compare;
use crate::document::TraceSource;
use crate::document::capacity::{CapacityStats, CapacityStudy};
use crate::document::compare::{Case, Remedies};
use crate::document::compare_options::{AsLink, CompareOptions};
use crate::document::study_options::StudyOptions;
use crate::subject::input::Input;

/// Studies links of varying capacity, and skips links without one. `report` is as for
/// [`study`](crate::study). Returns the finished links, and true if `report` stopped the study.
///
/// # Errors
/// If the options are impossible.
pub fn study_capacities(
    links: &[LinkTrace],
    options: &StudyOptions,
    report: impl FnMut(usize, usize) -> bool,
) -> Result<(Vec<CapacityStudy>, bool), StudyError> {
    let links: Vec<&LinkTrace> = links.iter().filter(|link| link.capacity.is_some()).collect();
    let (mut cases, mut interrupted) = (Vec::new(), false);
    if !links.is_empty() && links.len() <= options.compare_links as usize {
        let given: Vec<Input> =
            links.iter().map(|link| Input::Link(Box::new((*link).clone()))).collect();
        let chosen = CompareOptions {
            tcp: options.compare.clone(),
            seed: Some(options.seed),
            workers: options.workers,
            remedies: options.remedies.clone(),
            remedies_up_to: options.remedy_links,
            ..CompareOptions::default()
        };
        let found = compare(&given, Vec::new(), &chosen, report)
            .map_err(|e: CompareError| StudyError::Tcp(e.to_string()))?;
        interrupted = found.interrupted;
        cases = found.subjects;
    }
    let mut cases = cases.into_iter();
    let made = links.into_iter().filter_map(|link| {
        let capacity = link.capacity.as_ref()?;
        // A stopped comparison holds the first subjects.
        let subject = cases.next();
        let mut notes = link.notes.clone();
        notes.extend(
            subject.iter().flat_map(|s| s.notes.clone()).filter(|n| !link.notes.contains(n)),
        );
        let (cases, remedies) = subject.map_or((Vec::new(), None), |s| (s.cases, s.remedies));
        Some(CapacityStudy {
            name: link.name.clone(),
            source: TraceSource::of(link),
            notes,
            stats: CapacityStats::of(capacity),
            around: AsLink::default(),
            compared: cases.into_iter().next().map(Case::without_runs),
            remedies: remedies.map(Remedies::without_runs),
        })
    });
    Ok((made.collect(), interrupted))
}
