//! Remedies against the losses of a link or the wait in its queue, by name.

use super::tcp::VariantSpec;
use crate::base::error::CompareError;

/// The name that stands for all usual remedies.
const USUAL: &str = "usual";

/// The usual remedies against losses, behind plain SACK as in the papers. LL-ARQ retransmits the missing units. S2's
/// baseline retransmits whole frames: worse than LL-ARQ if single units are lost, equal if packets are lost as a whole.
const AGAINST_LOSSES: [&str; 6] =
    ["sack", "sack@ll-arq:arq=selective", "sack@ll-harq", "lt-tcp", "lt-tcp@ll-harq", "sliding"];

/// The usual remedies against the wait in the queue of a link of varying capacity, the reference
/// first: queue disciplines that control the delay, and a transport that keeps the queue short.
const AGAINST_DELAY: [&str; 5] = ["cubic", "cubic@codel", "cubic@fq-codel", "cubic@pie", "sliding"];

/// The remedies against losses that `names` request, the reference first; none without names.
pub(crate) fn against_losses(names: &[String]) -> Result<Vec<VariantSpec>, CompareError> {
    let [reference, usual @ ..] = &AGAINST_LOSSES;
    let named = names.iter().flat_map(|name| match name.trim() {
        USUAL => usual.to_vec(),
        name => vec![name],
    });
    choices(std::iter::once(*reference).chain(named))
}

/// The same on a link of varying capacity.
pub(crate) fn against_delay(names: &[String]) -> Result<Vec<VariantSpec>, CompareError> {
    let is_usual = |name: &&str| name.trim() == USUAL;
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    let usual = if names.iter().any(is_usual) { AGAINST_DELAY.len() } else { 1 };
    names.retain(|name| !is_usual(name));
    choices(AGAINST_DELAY[..usual].iter().copied().chain(names))
}

/// Each remedy once; none if there is only the reference.
fn choices<'n>(names: impl Iterator<Item = &'n str>) -> Result<Vec<VariantSpec>, CompareError> {
    let mut found: Vec<VariantSpec> = Vec::new();
    for name in names {
        let choice = VariantSpec::parse(name)?;
        if !found.iter().any(|c| c.label() == choice.label()) {
            found.push(choice);
        }
    }
    Ok(if found.len() > 1 { found } else { Vec::new() })
}
