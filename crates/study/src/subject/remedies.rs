//! Remedies against the losses of a link, beside the choice of a TCP: transports with erasure
//! coding (LT-TCP, sliding), link protocols (LL-ARQ, LL-HARQ), and combinations.
//!
//! Remedies have a separate list and ranking. Each is compared with plain SACK over the same
//! channel, in pairs, as the TCPs are. Over a scenario, and over a trace as a link, remedies run as
//! the TCPs do. With one packet per slot, the study's driver runs TCP only, so remedies run in the
//! general simulator over the same link: a full packet takes a slot and a shorter one less (of a
//! plain TCP every packet takes a slot, as in that driver, so that its numbers are the same), the
//! queue never overflows and marks nothing, and acknowledgements take a slot and are never lost. A
//! packet, or a unit of a link protocol, has the outcome of the slot in which its transmission
//! starts. The protocol's reports take no time, as in 802.11. One run covers the trace and is cut
//! into stretches.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use airtcp_scenario::{Resolved, Scenario};
use airtcp_sim::slotted::SlottedConfig;
use airtcp_trace::LinkTrace;
use airtcp_units::{Outcomes, Span};

use crate::base::compare_error::CompareError;
use crate::document::compare::{Aim, Channel};
use crate::document::compare_options::{CompareOptions, STRETCHES};
use crate::subject::describe::parameters;
use crate::subject::over_trace::stretches;
use crate::subject::plan::{Cut, Plans};
use crate::subject::planned::{Planned, Remedy};
use crate::subject::scenarios::{of_slots, with_trace};
use crate::variant::preconditions::loses;
use crate::variant::tcp::VariantSpec;

/// The TCP without a remedy, as in the papers.
pub(crate) const REFERENCE: &str = "sack";

/// The name that stands for all usual remedies.
const USUAL: &str = "usual";

/// The usual remedies. LL-ARQ retransmits the missing units. S2's baseline retransmits whole
/// frames: worse than LL-ARQ if single units are lost, equal if packets are lost as a whole.
const REMEDIES: [&str; 5] =
    ["sack@ll-arq:arq=selective", "sack@ll-harq", "lt-tcp", "lt-tcp@ll-harq", "sliding"];

/// The usual remedies against the wait in the queue of a link of varying capacity, the reference
/// first: queue disciplines that control the delay, and a transport that keeps the queue short.
const AGAINST_DELAY: [&str; 5] = ["cubic", "cubic@codel", "cubic@fq-codel", "cubic@pie", "sliding"];

/// Longest slot: the transports' own timers last up to several seconds.
const LONGEST_SLOT: Span = Span::from_secs(10);

/// Remedies run over this many packets from the start of a trace, one packet per slot, to limit the
/// running time. \[choice\]
pub(crate) const MAX_SLOTS: usize = 100_000;

const NO_LOSS: &str = "Link protocols are left out: no link of the scenario loses packets, and 802.11 \
cells have their own retransmissions.";

const SLOTTED: &str = "One packet a slot, behind a queue that never overflows and marks nothing; \
acknowledgements arrive a slot later. A unit of a link protocol has the fate of the slot in which it is \
sent. The trace has no finer outcomes, so parity within a packet helps little, and retransmission in later \
slots helps. The reports of the link protocol take no time. A plain TCP takes a slot for every packet, and \
its numbers are those of the comparison of TCPs. Shorter packets of other transports and of link protocols \
take less.";

const AS_LINK: &str = "Packets, and units of a link protocol, that are sent within one slot of the trace \
share its fate: parity within a packet helps only if the packet lasts longer than a slot.";

/// The remedies that `names` request, the reference first; empty without names.
pub(crate) fn choices(names: &[String]) -> Result<Vec<VariantSpec>, CompareError> {
    let named = names.iter().map(String::as_str);
    let named = named.flat_map(|name| match name.trim() {
        USUAL => REMEDIES.to_vec(),
        name => vec![name],
    });
    let mut found: Vec<VariantSpec> = Vec::new();
    for name in std::iter::once(REFERENCE).chain(named) {
        let choice = VariantSpec::parse(name)?;
        if !found.iter().any(|c| c.label() == choice.label()) {
            found.push(choice);
        }
    }
    Ok(if found.len() > 1 { found } else { Vec::new() })
}

/// The remedies that `names` request on a link of varying capacity, the reference first.
pub(crate) fn against_delay(names: &[String]) -> Result<Vec<VariantSpec>, CompareError> {
    let usual = |name: &String| name.trim() == USUAL;
    let named: Vec<&str> = names.iter().filter(|name| !usual(name)).map(String::as_str).collect();
    let usual = if names.iter().any(usual) { &AGAINST_DELAY[..] } else { &AGAINST_DELAY[..1] };
    let mut found: Vec<VariantSpec> = Vec::new();
    for name in usual.iter().chain(&named) {
        let choice = VariantSpec::parse(name)?;
        if !found.iter().any(|c| c.label() == choice.label()) {
            found.push(choice);
        }
    }
    Ok(found)
}

/// Remedies over a scenario, whose traces lie in `folder` or are `known`.
pub(crate) fn over_scenario<'a>(
    scenario: &Scenario,
    (folder, known): (&Path, &BTreeMap<String, Arc<Outcomes>>),
    choices: &[VariantSpec],
    options: &CompareOptions,
) -> Result<Remedy<'a>, CompareError> {
    let plans =
        |choices: &[VariantSpec]| Plans::new(scenario, folder, known.clone(), choices, options);
    let mut notes = Vec::new();
    let mut kept = choices.to_vec();
    if !scenario.resolve()?.links.iter().any(loses) {
        kept.retain(|choice| !choice.has_link());
        if kept.len() < choices.len() {
            notes.push(NO_LOSS.to_owned());
        }
    }
    let made = if let Ok(made) = plans(&kept) {
        made
    } else {
        // Leaves out a remedy that this scenario cannot run; the others run.
        let mut possible: Vec<VariantSpec> = Vec::new();
        for (i, choice) in kept.into_iter().enumerate() {
            match plans(std::slice::from_ref(&choice)) {
                Ok(_) => possible.push(choice),
                Err(e) if i == 0 => return Err(e),
                Err(e) => notes.push(format!("{} is left out: {e}.", choice.label())),
            }
        }
        kept = possible;
        plans(&kept)?
    };
    let first = made.flows[0];
    let tcp = kept.iter().zip(&made.each).map(|(c, plan)| parameters(c, &plan.flows[first].tcp));
    Ok(Remedy {
        aim: Aim::Losses,
        names: kept.iter().map(|c| c.label().to_owned()).collect(),
        tcp: tcp.collect(),
        notes,
        planned: Planned::Plans {
            plans: Box::new(made),
            replications: scenario.replications,
            channel: Channel::Scenario,
        },
    })
}

/// Remedies over a trace as the losses of a link: `scenario` is the link around it, a replication the
/// `stretch` after the one before.
pub(crate) fn over_link<'a>(
    link: &LinkTrace,
    scenario: &Scenario,
    stretch: Span,
    choices: &[VariantSpec],
    options: &CompareOptions,
) -> Result<Remedy<'a>, CompareError> {
    let known = with_trace(link.outcomes.clone());
    let mut made = over_scenario(scenario, (Path::new(""), &known), choices, options)?;
    made.notes.insert(0, AS_LINK.to_owned());
    if let Planned::Plans { plans, channel, .. } = &mut made.planned {
        plans.stretch = Some(stretch);
        *channel = Channel::Trace;
    }
    Ok(made)
}

/// Remedies over a link of varying capacity: `scenario` is the link, a replication the `stretch` after the
/// one before.
pub(crate) fn over_capacity<'a>(
    scenario: &Scenario,
    stretch: Span,
    choices: &[VariantSpec],
    options: &CompareOptions,
) -> Result<Remedy<'a>, CompareError> {
    let known = BTreeMap::new();
    let mut made = over_scenario(scenario, (Path::new(""), &known), choices, options)?;
    made.aim = Aim::Delay;
    if let Planned::Plans { plans, channel, .. } = &mut made.planned {
        plans.stretch = Some(stretch);
        *channel = Channel::Trace;
    }
    Ok(made)
}

/// Gives every packet of the data's direction a slot, and the acknowledgements no time but their delay, as in
/// the study's driver ([`airtcp_sim::slotted`]).
fn take_slots(plan: &mut Resolved, slot: Span) {
    if let [forward, reverse] = &mut plan.links[..] {
        (forward.direction.rate, forward.direction.slot) = (None, Some(slot));
        reverse.direction.rate = None;
    }
}

/// Remedies over a trace, one packet per slot; `None` if its slots are too long for them.
pub(crate) fn over_slots<'a>(
    link: &LinkTrace,
    config: &SlottedConfig,
    wanted: Option<u32>,
    choices: &[VariantSpec],
) -> Result<Option<Remedy<'a>>, CompareError> {
    let slots = link.outcomes.len().min(MAX_SLOTS);
    if config.slot > LONGEST_SLOT || slots == 0 {
        return Ok(None);
    }
    let Some(scenario) = of_slots(config, slots)? else { return Ok(None) };
    let mut outcomes = link.outcomes.slice(0..slots);
    // A packet that would start at the very end has no slot: it is no loss.
    outcomes.push(true);
    let known = with_trace(outcomes);
    let options = CompareOptions::default();
    let mut made = over_scenario(&scenario, (Path::new(""), &known), choices, &options)?;
    made.notes.insert(0, SLOTTED.to_owned());
    if slots < link.outcomes.len() {
        made.notes.insert(
            1,
            format!("Over the first {slots} of the trace's {} packets.", link.outcomes.len()),
        );
    }
    if let Planned::Plans { plans, replications, channel } = &mut made.planned {
        let parts = stretches(slots, wanted.unwrap_or(STRETCHES));
        for (name, plan) in made.names.iter().zip(&mut plans.each) {
            if !VariantSpec::parse(name)?.is_coded() {
                take_slots(plan, config.slot);
            }
        }
        plans.cut = Some(Cut { parts, mss: config.tcp.mss, slot: config.slot });
        *replications = 1;
        *channel = Channel::Trace;
    }
    Ok(Some(made))
}
