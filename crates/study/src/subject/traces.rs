//! Delivery traces and capacities as subjects: one packet a slot, as the losses of a link, as its rate.

use airtcp_sim::slotted::SlottedConfig;
use airtcp_trace::LinkTrace;
use airtcp_units::Span;

use super::channel::{Asked, ChannelRuns, Prepared};
use super::describe::{mixed_recoveries, of_link};
use super::over_trace::{Fates, MIN_STRETCH as MIN_SLOTS, OverTrace, stretches};
use super::remedies;
use super::scenarios::{Scene, Stretches};
use super::synthetic_links::{Kind, SyntheticLinks};
use crate::base::budget::fits;
use crate::base::draws::Draws;
use crate::base::error::CompareError;
use crate::document::compare::{Aim, Channel, Subject, SubjectKind};
use crate::document::compare_options::{AsLink, CompareOptions, STRETCHES, SYNTHETIC_LINKS};
use crate::document::study_options::StudyOptions;
use crate::variant::remedy::against_delay;
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
    asked: &Asked<'_>,
) -> Result<Prepared<'a>, CompareError> {
    let (options, variants) = (asked.options, &asked.variants[..]);
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
    let wanted = options.replications.unwrap_or(STRETCHES);
    let trace = over_trace(link, &base, wanted, variants)?;
    let parts = stretches(link.outcomes.len(), wanted);
    let notes: &[&str] = if parts == 1 { &[SLOTTED, NO_INTERVAL] } else { &[SLOTTED] };
    let mut subject = Subject {
        seed: options.seed.unwrap_or(1),
        duration_s: (base.slot * link.outcomes.len() as u64).as_secs_f64(),
        slot_s: Some(base.slot.as_secs_f64()),
        slot_assumed: study.slot_assumed(link.interval),
        ..of_link(link, SubjectKind::Trace, notes)
    };
    subject.notes.extend(fewer(parts, wanted, &format!("has at least {MIN_SLOTS} slots")));
    subject.notes.extend(mixed_recoveries(&trace.tcp));
    let mut cases = vec![trace];
    if options.synthetic {
        let links = options.replications.unwrap_or(SYNTHETIC_LINKS);
        for kind in [Kind::Independent, Kind::GilbertElliott] {
            if let Some(drawn) = SyntheticLinks::of(link, kind, false) {
                let fates = Fates::Synthetic(drawn, draws.clone());
                let over = OverTrace { fates, configs: slotted(link, &base, variants)? };
                cases.push(ChannelRuns::over_slots(over, links, variants));
            }
        }
        let chain = cases.iter().any(|case| case.channel == Channel::GilbertElliott);
        if link.order_known && !chain {
            subject.notes.push(NO_CHAIN.to_owned());
        }
    }
    if !link.order_known {
        subject.notes.push(DRAWN.to_owned());
    }
    let remedies = remedies::over_slots(link, &base, options.replications, &asked.remedies)?;
    Ok(Prepared { remedies, ..Prepared::with(subject, cases, asked) })
}

/// TCPs with one packet per slot over the trace itself, in up to `wanted` stretches.
pub(crate) fn over_trace<'a>(
    link: &'a LinkTrace,
    base: &SlottedConfig,
    wanted: u32,
    variants: &[VariantSpec],
) -> Result<ChannelRuns<'a>, CompareError> {
    let parts = stretches(link.outcomes.len(), wanted);
    let fates = Fates::Trace(&link.outcomes, parts);
    let over = OverTrace { fates, configs: slotted(link, base, variants)? };
    Ok(ChannelRuns::over_slots(over, 1, variants))
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

/// The trace as the losses of a link.
pub(super) fn over_link<'a>(
    link: &LinkTrace,
    around: &AsLink,
    asked: &Asked<'_>,
) -> Result<Prepared<'a>, CompareError> {
    let options = asked.options;
    let study = StudyOptions { slot: options.slot, ..StudyOptions::default() };
    let slot = study.slotted(link.interval)?.slot;
    let (stretches, few) = cut(slot * link.outcomes.len() as u64, 1, options);
    let scene = Scene::around_trace(link, around, slot, stretches, options.seed.unwrap_or(1))?;
    let notes: &[&str] = if stretches.parts == 1 { &[AS_LINK, NO_INTERVAL] } else { &[AS_LINK] };
    let subject = Subject {
        slot_s: Some(slot.as_secs_f64()),
        slot_assumed: study.slot_assumed(link.interval),
        ..of_link(link, SubjectKind::TraceAsLink, notes)
    };
    let mut made = Prepared::of(subject, &scene, asked)?;
    made.subject.notes.extend(few);
    made.subject.notes.extend(mixed_recoveries(&made.subject.tcp));
    let notes = vec![remedies::AS_LINK.to_owned()];
    made.remedies = remedies::over(&scene, Aim::Losses, &asked.remedies, options, notes)?;
    Ok(made)
}

/// A link with the capacity of a file; each replication is the next stretch of the file.
pub(super) fn over_capacity<'a>(
    link: &LinkTrace,
    around: &AsLink,
    asked: &Asked<'_>,
) -> Result<Prepared<'a>, CompareError> {
    let options = asked.options;
    let whole = link.capacity.as_ref().map_or(Span::ZERO, |capacity| capacity.period());
    // A file shorter than a stretch repeats until it is as long as one.
    let repeats = MIN_STRETCH.0.div_ceil(whole.0.max(1)).max(1);
    let (stretches, few) = cut(whole, repeats, options);
    let scene = Scene::with_capacity(link, around, stretches, options.seed.unwrap_or(1))?;
    let mut notes = vec![CAPACITY];
    if repeats > 1 {
        notes.push(REPEATED);
    }
    if stretches.parts == 1 {
        notes.push(NO_INTERVAL);
    }
    let subject = of_link(link, SubjectKind::Capacity, &notes);
    let mut made = Prepared::of(subject, &scene, asked)?;
    made.subject.notes.extend(few);
    let choices = against_delay(asked.names)?;
    made.remedies = remedies::over(&scene, Aim::Delay, &choices, options, Vec::new())?;
    Ok(made)
}
