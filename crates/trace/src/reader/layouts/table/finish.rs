//! Makes a link of its rows, with notes on their reading.

use airtcp_units::{Narrow, Outcomes};

use super::super::super::head::Head;
use super::super::super::limits;
use super::super::super::notes::counted;
use super::columns::Plan;
use super::group::Group;
use crate::error::TraceError;
use crate::reader::{ColumnKind, LinkTrace};

pub(super) fn finish(
    plan: &Plan,
    template: &LinkTrace,
    key: Vec<String>,
    mut group: Group,
    (head, max_gap): (&Head<'_>, u64),
    charge: impl FnOnce(u64) -> Result<(), TraceError>,
) -> Result<LinkTrace, TraceError> {
    let mut link = template.clone();
    link.notes = vec![plan.taken(group.rows, group.blank, group.sorted_by_time)];
    link.notes.extend(plan.notes.iter().cloned());
    let (interval, times) = match &plan.time {
        Some(time) => group.interval(time.unit),
        None => (None, Vec::new()),
    };
    link.notes.extend(rows_noted(plan, &mut group));
    let is_whole = plan.kind == ColumnKind::Arrival && plan.sequence.is_some();
    link.outcomes = if plan.kind == ColumnKind::Sequence {
        let (outcomes, mut notes) = group.recorder.finish();
        let path = link.source.path.display().to_string();
        let outcomes = match plan.total {
            Some(total) => {
                "losses are gaps in the received sequence numbers".clone_into(&mut notes[0]);
                let (lead, sent) = total.around(outcomes.len() as u64);
                let ends = Ends { lead, sent };
                ends.check(outcomes.len() as u64, &path, max_gap)?;
                charge(sent - outcomes.len() as u64)?;
                ends.around(&outcomes)
            }
            None => outcomes,
        };
        link.notes.extend(notes);
        outcomes
    } else if is_whole && group.recorder.stride().is_none() {
        let missing = group.recorder.missing();
        let (outcomes, notes) = group.recorder.finish();
        link.notes.extend(notes.into_iter().skip(1));
        link.notes.extend((missing > 0).then(|| missing_noted(missing)));
        outcomes
    } else {
        group.outcomes
    };
    link.notes.extend(times);
    link.interval = interval.or(head.interval());
    if !key.is_empty() {
        link.name = format!("{}:{}", link.name, key.join(">"));
        let names = plan.keys.iter().map(|&i| plan.columns[i].clone());
        link.labels = names.zip(key).collect();
    }
    Ok(link)
}

/// The notes on the reading of a link's rows.
fn rows_noted(plan: &Plan, group: &mut Group) -> Vec<String> {
    let mut notes = Vec::new();
    if group.minus_one > 0 {
        let rows = counted(group.minus_one, ("row holds", "rows hold"));
        notes.push(format!("{rows} -1, which is taken for lost"));
    }
    if group.zeros > 0 {
        let rows = counted(group.zeros, ("row holds", "rows hold"));
        notes.push(format!("{rows} a receive time of 0, which is taken for lost"));
    }
    notes.extend(group.negative_delays.note(plan));
    notes.append(&mut group.order);
    if group.breaks > 0 {
        notes.push(format!(
            "{} the sequence number is not the next one; rows are taken in their order",
            counted(group.breaks, ("time", "times"))
        ));
    }
    if matches!(plan.kind, ColumnKind::Received | ColumnKind::Lost) {
        notes.extend(group.unlisted());
        notes.extend(group.all_received(plan));
    }
    notes
}

fn missing_noted(missing: u64) -> String {
    let said =
        ("number has no row and is taken for lost", "numbers have no row and are taken for lost");
    counted(missing, said)
}

/// The packets sent in all and before the first received one, from a comment of airtcp's own
/// writer, which makes losses at both ends known.
struct Ends {
    lead: u64,
    sent: u64,
}

impl Ends {
    /// Refuses more losses at an end than a gap may have.
    fn check(&self, known: u64, path: &str, max_gap: u64) -> Result<(), TraceError> {
        let tail = self.sent.saturating_sub(self.lead).saturating_sub(known);
        let longest = self.lead.max(tail);
        if longest > max_gap {
            return Err(TraceError::Malformed {
                path: path.to_owned(),
                line: 1,
                found: format!("a comment that adds {longest} losses at an end"),
                expected: format!(
                    "a gap of at most {max_gap} (set the environment variable {} higher)",
                    limits::VARIABLE
                ),
            });
        }
        Ok(())
    }

    /// The outcomes with the losses at both ends.
    fn around(&self, known: &Outcomes) -> Outcomes {
        let mut whole = Outcomes::new();
        whole.push_run(false, usize::narrow(self.lead));
        known.iter().for_each(|bit| whole.push(bit));
        whole.push_run(false, usize::narrow(self.sent) - whole.len());
        whole
    }
}
