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

use airtcp_sim::slotted::SlottedConfig;
use airtcp_trace::LinkTrace;
use airtcp_units::Span;

use super::channel::{ChannelRuns, Remedy};
use super::over_trace::stretches;
use super::plan::Plans;
use super::scenarios::Scene;
use crate::base::error::CompareError;
use crate::document::compare::Aim;
use crate::document::compare_options::{CompareOptions, STRETCHES};
use crate::variant::preconditions::loses;
use crate::variant::tcp::VariantSpec;

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

pub(super) const AS_LINK: &str = "Packets, and units of a link protocol, that are sent within one slot of the trace \
share its fate: parity within a packet helps only if the packet lasts longer than a slot.";

/// Remedies over a scenario; none without choices. `notes` are said before those on what is left out.
pub(crate) fn over<'a>(
    scene: &Scene<'_>,
    aim: Aim,
    choices: &[VariantSpec],
    options: &CompareOptions,
    mut notes: Vec<String>,
) -> Result<Option<Remedy<'a>>, CompareError> {
    if choices.is_empty() {
        return Ok(None);
    }
    let plans = |choices: &[VariantSpec]| Plans::new(scene, choices, options);
    let mut kept = choices.to_vec();
    if !scene.scenario.resolve()?.links.iter().any(loses) {
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
    let mut runs = ChannelRuns::of_plans(made, &kept);
    runs.coded = true;
    Ok(Some(Remedy { aim, runs, notes }))
}

/// Remedies over a trace, one packet per slot; `None` if its slots are too long for them.
pub(crate) fn over_slots<'a>(
    link: &LinkTrace,
    config: &SlottedConfig,
    wanted: Option<u32>,
    choices: &[VariantSpec],
) -> Result<Option<Remedy<'a>>, CompareError> {
    let slots = link.outcomes.len().min(MAX_SLOTS);
    if choices.is_empty() || config.slot > LONGEST_SLOT || slots == 0 {
        return Ok(None);
    }
    let parts = stretches(slots, wanted.unwrap_or(STRETCHES));
    let Some(scene) = Scene::of_slots(link, config, slots, parts)? else { return Ok(None) };
    let mut notes = vec![SLOTTED.to_owned()];
    if slots < link.outcomes.len() {
        let all = link.outcomes.len();
        notes.push(format!("Over the first {slots} of the trace's {all} packets."));
    }
    over(&scene, Aim::Losses, choices, &CompareOptions::default(), notes)
}
