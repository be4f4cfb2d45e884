//! Delivery traces and capacities as subjects: one packet a slot, as the losses of a link, as its rate.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use airtcp_scenario::Scenario;
use airtcp_sim::slotted::SlottedConfig;
use airtcp_trace::LinkTrace;
use airtcp_units::{Outcomes, Span};

use crate::StudyOptions;
use crate::base::budget::fits;
use crate::base::compare_error::CompareError;
use crate::base::draws::Draws;
use crate::document::compare::{Channel, Subject, SubjectKind};
use crate::document::compare_options::{AsLink, CompareOptions, STRETCHES, SYNTHETIC_LINKS};
use crate::subject::describe::{mixed_recoveries, of_link, of_plans, parameters};
use crate::subject::over_trace::{MIN_STRETCH as MIN_SLOTS, OverTrace, stretches};
use crate::subject::plan::Plans;
use crate::subject::planned::{Planned, Prepared};
use crate::subject::remedies;
use crate::subject::scenarios::{Stretches, around_trace, with_capacity, with_trace};
use crate::subject::synthetic_links::{Kind, SyntheticLinks};
use crate::variant::tcp::VariantSpec;

/// Shortest stretch of a trace behind a link: several hundred round trips. \[choice\]
const MIN_STRETCH: Span = Span::from_secs(20);

/// What runs with one packet per slot can and cannot show.
const SLOTTED: &str = "One packet a slot: a round trip takes two slots plus the wait in the sender's own \
queue, which never overflows. Congestion laws therefore react to the link's losses almost alone. A law \
that keeps its queue short keeps a window of a few packets, which is too small for a fast retransmit. To \
show what such laws gain, put the trace behind a link with a rate, a delay and a queue (as-link).";

const AS_LINK: &str = "The trace decides the fate of a packet by the time at which it is sent: packets \
sent within one slot of the trace share its fate.";

const CAPACITY: &str = "The file gives what the link can carry over time. The link drops only packets \
that find the queue full. Acknowledgements return at 1 Gb/s.";

const REPEATED: &str = "The file is shorter than 20 s and starts over until it is as long.";

const NO_INTERVAL: &str = "The trace is too short to cut into stretches: there are no intervals, and the \
ranking of the variants may be chance.";

const NO_CHAIN: &str =
    "mu is undefined: a link that never changes has no Gilbert-Elliott parameters.";

const DRAWN: &str = "The file does not give the order of losses: mu is not known, and no Gilbert-Elliott \
chain is run. What TCPs get over the trace depends on an order that was drawn at random.";

/// The note on fewer stretches than requested; for a single one see [`NO_INTERVAL`].
fn fewer(parts: u32, wanted: u32, least: &str) -> Option<String> {
    let few = (2..wanted).contains(&parts);
    few.then(|| format!("The file is cut into {parts} stretches, not {wanted}: a stretch {least}."))
}

/// TCPs with one packet per slot, over the trace and over its synthetic links.
pub(super) fn over_slots<'a>(
    link: &'a LinkTrace,
    draws: &Draws,
    (variants, remedies): (&[VariantSpec], &[VariantSpec]),
    options: &CompareOptions,
) -> Result<Prepared<'a>, CompareError> {
    for (given, option) in [(&options.share, "share"), (&options.flow, "flow")] {
        if given.is_some() {
            return Err(CompareError::other(format!(
                "{option}: one packet a slot over the trace \"{}\" has a single flow; put it behind a \
                 link (as-link), or give a scenario",
                link.name
            )));
        }
    }
    let defaults = StudyOptions::default();
    let study = StudyOptions {
        profile: options.profile.clone().unwrap_or(defaults.profile.clone()),
        slot: options.slot,
        ..defaults
    };
    let base = study.slotted(link.interval)?;
    fits(link, &base)?;
    let configs = slotted(link, &base, variants)?;
    let seed = options.seed.unwrap_or(1);
    let asked = options.replications.unwrap_or(STRETCHES);
    let parts = stretches(link.outcomes.len(), asked);
    let notes: &[&str] = if parts == 1 { &[SLOTTED, NO_INTERVAL] } else { &[SLOTTED] };
    let mut subject = of_link(link, SubjectKind::Trace, base.slot, seed, notes);
    subject.slot_assumed = study.slot_assumed(link.interval);
    subject.tcp = variants.iter().zip(&configs).map(|(v, c)| parameters(v, &c.tcp)).collect();
    let least = format!("has at least {MIN_SLOTS} slots");
    subject.notes.extend(fewer(parts, asked, &least));
    subject.notes.extend(mixed_recoveries(&subject.tcp));
    let over = OverTrace::of_trace(&link.outcomes, parts, configs.clone());
    let mut cases = vec![Planned::Slots { over, replications: 1 }];
    if options.synthetic {
        let replications = options.replications.unwrap_or(SYNTHETIC_LINKS);
        let kinds = [Kind::Independent, Kind::GilbertElliott].into_iter();
        cases.extend(kinds.filter_map(|kind| SyntheticLinks::of(link, kind, false)).map(|links| {
            let over = OverTrace::of_synthetic(links, draws.clone(), configs.clone());
            Planned::Slots { over, replications }
        }));
        let chain = cases.iter().any(|case| case.channel() == Channel::GilbertElliott);
        if link.order_known && !chain {
            subject.notes.push(NO_CHAIN.to_owned());
        }
    }
    if !link.order_known {
        subject.notes.push(DRAWN.to_owned());
    }
    let remedies = if remedies.is_empty() {
        None
    } else {
        remedies::over_slots(link, &base, options.replications, remedies)?
    };
    Ok(Prepared { subject, cases, remedies })
}

/// The slotted configuration of each variant, on top of `base`.
fn slotted(
    link: &LinkTrace,
    base: &SlottedConfig,
    variants: &[VariantSpec],
) -> Result<Vec<SlottedConfig>, CompareError> {
    let each = variants.iter().map(|variant| match variant.no_tcp() {
        Some(name) => Err(CompareError::other(format!(
            "tcp: {name} is no TCP, and only TCPs run one packet a slot over the trace \"{}\"; name \
             {name} among the remedies, or put the trace behind a link (as-link)",
            link.name
        ))),
        None => Ok(SlottedConfig {
            tcp: variant.apply(&base.tcp)?,
            attempts: variant.attempts(),
            slot: base.slot,
        }),
    });
    each.collect()
}

/// The stretches of a file that lasts `whole`, and a note if they are fewer than requested.
fn cut(whole: Span, repeats: u64, options: &CompareOptions) -> (Stretches, Option<String>) {
    let wanted = options.replications.unwrap_or(STRETCHES);
    let parts = ((whole.0 / MIN_STRETCH.0) as u32).clamp(1, wanted);
    let length = Span(whole.0 * repeats / u64::from(parts));
    let least = format!("lasts at least {MIN_STRETCH}");
    (Stretches { parts, length }, fewer(parts, wanted, &least))
}

/// The subject with the variants over a link that uses its file.
fn behind_link<'a>(
    subject: Subject,
    scenario: &Scenario,
    known: BTreeMap<String, Arc<Outcomes>>,
    stretches: Stretches,
    variants: &[VariantSpec],
    options: &CompareOptions,
) -> Result<Prepared<'a>, CompareError> {
    let mut plans = Plans::new(scenario, Path::new(""), known, variants, options)?;
    plans.stretch = Some(stretches.length);
    let Subject { flows, tcp, scenario, .. } = of_plans(&plans, variants);
    let duration_s = stretches.length.as_secs_f64();
    let case = Planned::Plans {
        plans: Box::new(plans),
        replications: stretches.parts,
        channel: Channel::Trace,
    };
    let subject = Subject { duration_s, flows, tcp, scenario, ..subject };
    Ok(Prepared { subject, cases: vec![case], remedies: None })
}

/// The trace as the losses of a link.
pub(super) fn over_link<'a>(
    link: &'a LinkTrace,
    around: &AsLink,
    (variants, remedies): (&[VariantSpec], &[VariantSpec]),
    options: &CompareOptions,
) -> Result<Prepared<'a>, CompareError> {
    let study = StudyOptions { slot: options.slot, ..StudyOptions::default() };
    let slot = study.slotted(link.interval)?.slot;
    let seed = options.seed.unwrap_or(1);
    let (stretches, few) = cut(slot * link.outcomes.len() as u64, 1, options);
    let scenario = around_trace(link, around, slot, stretches, seed)?;
    let notes: &[&str] = if stretches.parts == 1 { &[AS_LINK, NO_INTERVAL] } else { &[AS_LINK] };
    let mut subject = of_link(link, SubjectKind::TraceAsLink, slot, seed, notes);
    subject.slot_assumed = study.slot_assumed(link.interval);
    subject.notes.extend(few);
    let known = with_trace(link.outcomes.clone());
    let mut made = behind_link(subject, &scenario, known, stretches, variants, options)?;
    made.subject.notes.extend(mixed_recoveries(&made.subject.tcp));
    if !remedies.is_empty() {
        let remedies = remedies::over_link(link, &scenario, stretches.length, remedies, options)?;
        made.remedies = Some(remedies);
    }
    Ok(made)
}

/// A link with the capacity of a file; each replication is the next stretch of the file.
pub(super) fn over_capacity<'a>(
    link: &'a LinkTrace,
    around: &AsLink,
    (variants, asked): (&[VariantSpec], &[String]),
    options: &CompareOptions,
) -> Result<Prepared<'a>, CompareError> {
    let whole = link.capacity.as_ref().map_or(Span::ZERO, |capacity| capacity.period());
    let seed = options.seed.unwrap_or(1);
    // A file shorter than a stretch repeats until it is as long as one.
    let repeats = MIN_STRETCH.0.div_ceil(whole.0.max(1)).max(1);
    let (stretches, few) = cut(whole, repeats, options);
    let scenario = with_capacity(link, around, stretches, seed)?;
    let mut notes = vec![CAPACITY];
    if repeats > 1 {
        notes.push(REPEATED);
    }
    if stretches.parts == 1 {
        notes.push(NO_INTERVAL);
    }
    let mut subject = of_link(link, SubjectKind::Capacity, Span::ZERO, seed, &notes);
    subject.slot_s = None;
    subject.notes.extend(few);
    let known = BTreeMap::new();
    let mut made = behind_link(subject, &scenario, known, stretches, variants, options)?;
    let choices = remedies::against_delay(asked)?;
    if choices.len() > 1 {
        let remedies = remedies::over_capacity(&scenario, stretches.length, &choices, options)?;
        made.remedies = Some(remedies);
    }
    Ok(made)
}
