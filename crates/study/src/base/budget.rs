//! How long a simulation may last.

use airtcp_sim::slotted::SlottedConfig;
use airtcp_trace::LinkTrace;
use airtcp_units::Span;

use crate::StudyError;

/// Longest trace in simulated time: 100 years.
pub(crate) const LONGEST: Span = Span::from_secs(100 * 365 * 86_400);

/// Refuses a trace longer than [`LONGEST`].
pub(crate) fn fits(link: &LinkTrace, config: &SlottedConfig) -> Result<(), StudyError> {
    let most = LONGEST.0 / config.slot.0.max(1);
    if link.outcomes.len() as u64 <= most {
        return Ok(());
    }
    Err(StudyError::Range {
        option: "slot",
        found: format!(
            "{} for the {} packets of link \"{}\"",
            config.slot,
            link.outcomes.len(),
            link.name
        ),
        accepted: "a slot with which a trace lasts up to 100 years",
    })
}
