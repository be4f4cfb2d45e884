//! Losses at the ends of a trace, which airtcp's own writer states in a comment.

use std::path::Path;

use airtcp_units::{Narrow, Outcomes};

use super::limits;
use crate::error::TraceError;

/// The outcomes with the losses at both ends, by the packets
/// in all, and those before the first one received. Refuses more losses at an end than a gap may have.
pub(super) fn with_ends(
    known: &Outcomes,
    (packets, lead): (u64, u64),
    max_gap: u64,
    path: &Path,
) -> Result<Outcomes, TraceError> {
    let lead = if known.is_empty() { 0 } else { lead };
    let longest = lead.max(packets.saturating_sub(lead).saturating_sub(known.len() as u64));
    if longest > max_gap {
        return Err(TraceError::Malformed {
            path: path.display().to_string(),
            line: 1,
            found: format!("a comment that adds {longest} losses at an end"),
            expected: format!(
                "a gap of at most {max_gap} (set the environment variable {} higher)",
                limits::VARIABLE
            ),
        });
    }
    let sent = packets.max((known.len() as u64).saturating_add(lead));
    let mut whole = Outcomes::new();
    whole.push_run(false, usize::narrow(lead));
    known.iter().for_each(|bit| whole.push(bit));
    whole.push_run(false, usize::narrow(sent) - whole.len());
    Ok(whole)
}
