//! Notes for the reader on the limits of a comparison's numbers.

use crate::document::compare::{Case, Channel, Subject, SubjectKind};

/// Added if replications are alike.
const ALIKE: &str = "The replications hardly differ: what is random in this scenario changes \
goodputs by at most 0.1 %. The intervals show this scatter and nothing more.";

/// Added to [`ALIKE`] if neither losses of a link nor a cell are random.
const HOW_TO_DIFFER: &str =
    "A loss model, or a start_spread of the flows, makes replications differ.";

/// Added if the stretches of a capacity are alike.
const ALIKE_STRETCHES: &str = "The stretches of the file are alike, because its capacity hardly \
changes or repeats itself: they are one run, counted several times. The intervals show the scatter between \
these stretches and nothing more; they say nothing of other links.";

/// Added if rare replications determine the means.
const RARE: &str = "Over slots, goodputs and their differences have no interval where a \
replication delivers fewer than 30 packets in the mean, or leaves fewer than 200 slots without one: rare \
replications make the mean there, and an interval from the others would miss it.";

/// Added if the mean wait in the queue is longer than the mean round trip, which contains it.
const LONGER_WAIT: &str = "The mean wait in the queue is longer than the mean round-trip time of some \
TCPs, because they count different packets. The wait is the mean length of the queue over the packets that left \
it, so that it counts retransmissions and those still waiting at the end. A round-trip time counts the packets \
whose acknowledgement gave a sample, and few do during a loss recovery.";

/// The same note for remedies over slots.
pub(crate) const RARE_REMEDY: &str = "Over slots, goodputs of remedies and their differences have no \
interval where a stretch delivers fewer than 20 packets in the mean, or leaves fewer than 30 slots without one: \
rare stretches make the mean there, and an interval from the others would miss it.";

/// Replications are alike if their goodputs are within this share of their mean.
const NEARLY: f64 = 1e-3;

/// Adds the notes on the intervals of a case. `is_random`: see
/// [`crate::subject::channel::ChannelRuns::is_random`].
pub(crate) fn remark(subject: &mut Subject, case: &Case, is_random: bool) {
    if alike(case) && subject.kind == SubjectKind::Capacity {
        subject.notes.push(ALIKE_STRETCHES.to_owned());
    } else if alike(case) && case.channel == Channel::Scenario {
        let advice = (!is_random).then(|| HOW_TO_DIFFER.to_owned());
        subject.notes.push(ALIKE.to_owned());
        subject.notes.extend(advice);
    }
    let mut once = |note: &str, holds: bool| {
        if holds && !subject.notes.iter().any(|said| said == note) {
            subject.notes.push(note.to_owned());
        }
    };
    once(RARE, rare(case));
    once(LONGER_WAIT, waits_longer(case));
}

/// True if some mean wait in the queue is longer than the mean round trip that contains it.
fn waits_longer(case: &Case) -> bool {
    case.outcomes.iter().any(|o| match (o.queue_delay_s.mean, o.rtt_mean_s.mean) {
        (Some(wait), Some(rtt)) => wait > rtt,
        _ => false,
    })
}

/// True if a mean has no interval because rare replications determine it.
pub(crate) fn rare(case: &Case) -> bool {
    case.replications > 1 && case.outcomes.iter().any(|o| o.goodput_bps.ci_low.is_none())
}

/// True if there are several replications and those of each variant give nearly the same goodput
/// above zero. For stretches of a capacity, most variants suffice: BBR, for instance, draws random
/// numbers itself and differs between stretches of a constant rate.
fn alike(case: &Case) -> bool {
    let near = |name: &String| {
        let values = || case.runs.iter().filter(|r| r.variant == *name).map(|r| r.goodput_bps);
        let (low, high) = values().fold((f64::MAX, 0.0_f64), |(l, h), v| (l.min(v), h.max(v)));
        high - low <= NEARLY * high
    };
    let same = case.outcomes.iter().filter(|o| near(&o.variant)).count();
    let enough = match case.channel {
        Channel::Scenario => same == case.outcomes.len(),
        Channel::Trace => 2 * same > case.outcomes.len(),
        Channel::Independent | Channel::GilbertElliott => false,
    };
    enough && case.replications > 1 && case.runs.iter().any(|run| run.goodput_bps > 0.0)
}
