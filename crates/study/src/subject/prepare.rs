//! Prepares the inputs of a comparison of TCPs: scenarios here, traces in `traces`.

use super::channel::{Asked, Prepared};
use super::describe::mixed_recoveries;
use super::input::{Input, SINGLE, located, with_runs};
use super::remedies;
use super::scenarios::Scene;
use super::traces::{over_capacity, over_link, over_slots};
use crate::base::draws::Naming;
use crate::base::error::CompareError;
use crate::document::compare::{Aim, Subject, SubjectKind};
use crate::document::compare_options::{CompareOptions, check_counts};
use crate::variant::remedy::against_losses;

/// What `options` ask for over the inputs `given`.
pub(crate) fn asked<'o>(
    given: &[Input],
    options: &'o CompareOptions,
) -> Result<Asked<'o>, CompareError> {
    check_counts(options.replications, options.workers)?;
    let (variants, reference) = options.variants()?;
    if options.as_link.is_some() && !given.iter().any(|g| matches!(g, Input::Link(_))) {
        return Err(CompareError::other(
            "as_link: puts traces behind a link, and none was given; a scenario has its own links",
        ));
    }
    let few = given.len() <= options.remedies_up_to as usize;
    let names: &[String] = if few { &options.remedies } else { &[] };
    Ok(Asked { variants, reference, remedies: against_losses(names)?, names, options })
}

/// Prepares an input, and refuses one that cannot run.
pub(crate) fn prepare<'a>(
    given: &'a Input,
    naming: &mut Naming,
    asked: &Asked<'_>,
) -> Result<Prepared<'a>, CompareError> {
    let options = asked.options;
    match (given, &options.as_link) {
        (Input::Scenario { name, scenario, folder, .. }, _) => {
            let scenario = with_runs(scenario, options.seed, options.replications);
            let scene = Scene::written(scenario, folder);
            over_scenario(name, &scene, asked).map_err(|e| located(e, given))
        }
        (Input::Link(link), around) if link.capacity.is_some() => {
            over_capacity(link, &around.clone().unwrap_or_default(), asked)
        }
        (Input::Link(link), None) => over_slots(link, &naming.draws(&link.outcomes), asked),
        (Input::Link(link), Some(around)) => over_link(link, around, asked),
    }
}

fn over_scenario<'a>(
    name: &str,
    scene: &Scene<'_>,
    asked: &Asked<'_>,
) -> Result<Prepared<'a>, CompareError> {
    let subject = Subject {
        name: name.to_owned(),
        kind: SubjectKind::Scenario,
        title: scene.scenario.title.clone(),
        ..Subject::default()
    };
    let mut made = Prepared::of(subject, scene, asked)?;
    let subject = &mut made.subject;
    subject.notes.extend(mixed_recoveries(&subject.tcp));
    if scene.scenario.replications == 1 {
        subject.notes.push(SINGLE.to_owned());
    }
    made.remedies = remedies::over(scene, Aim::Losses, &asked.remedies, asked.options, Vec::new())?;
    Ok(made)
}
