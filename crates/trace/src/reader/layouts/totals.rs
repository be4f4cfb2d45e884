//! Compares a program's totals with the packets in its log.
//!
//! A log with missing or unreadable lines looks like a lossy link; the totals at its end
//! distinguish the two. Only a missing beginning can be tolerated, because packets have numbers.

use std::path::Path;

use airtcp_units::Outcomes;

use crate::error::TraceError;

/// The totals of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Totals {
    pub(super) sent: u64,
    pub(super) received: Option<u64>,
}

/// Compares `totals` with `seen`, the packets shown, before which `lead` others were sent. True if
/// the log's beginning is missing: the replies received there have no lines.
pub(super) fn begins_late(
    totals: Totals,
    lead: u64,
    seen: &Outcomes,
    path: &Path,
    program: &str,
) -> Result<bool, TraceError> {
    let Totals { sent, received } = totals;
    let read = seen.received() as u64;
    let received = received.unwrap_or(read);
    let refusal = |what: String, hint: String| {
        Err(TraceError::NotATrace { path: path.display().to_string(), what, hint })
    };
    let each = match program {
        "fping" => "fping -D -l, or -C,",
        _ => "ping -D -O",
    };
    if read == 0 && received > 0 {
        let what = format!("the totals of {program} alone ({received} of {sent} received)");
        let hint = format!(
            "No reply has a line of its own (as with -q or -f), so which packets were lost is not known: \
             {each} prints each."
        );
        return refusal(what, hint);
    }
    if lead + seen.len() as u64 > sent {
        let what = format!(
            "a log of {program} whose summary says that {sent} packets were sent, while their numbers \
             reach the {}th",
            lead + seen.len() as u64
        );
        return refusal(what, "Give the whole output of one run, as it was printed.".to_owned());
    }
    match received.checked_sub(read) {
        Some(0) => Ok(false),
        Some(missing) if missing <= lead => Ok(true),
        _ => {
            let what = format!(
                "a log of {program} with {read} replies, while its summary says that {received} were received"
            );
            let hint = "Lines are missing, or they are of another run: give the whole output of one run, as \
                        it was printed.";
            refusal(what, hint.to_owned())
        }
    }
}

/// The note on a log that begins with packet `number`.
pub(super) fn late_start(number: u64) -> String {
    format!(
        "the log begins with packet number {number}, and so does the trace: what became of the packets \
         before it is not known"
    )
}
