//! A warning about A-MSDU beside OFDMA: MPDUs of multi-user PPDUs carry one packet each.

use airtcp_scenario::Cell as Plan;

/// The warning for a cell with both.
pub(super) fn warning(plan: &Plan) -> Option<String> {
    let mac = &plan.spec.mac;
    let ofdma = mac.ofdma?;
    let most = mac.aggregation.as_ref().map(|aggregation| aggregation.max_amsdu_bytes)?;
    let ppdus = match (ofdma.downlink, ofdma.uplink) {
        (true, true) => "HE MU PPDUs and on triggered PPDUs",
        (true, false) => "HE MU PPDUs",
        _ => "triggered PPDUs",
    };
    let key = "mac.aggregation.max_amsdu_bytes";
    (most.0 > 0).then(|| {
        format!(
            "{}: {key} has no effect on {ppdus} (mac.ofdma), whose MPDUs carry one packet each; it holds for \
             single-user frames",
            plan.path
        )
    })
}
