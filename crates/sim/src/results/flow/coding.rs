//! Results of the erasure coding of a flow.
//!
//! Every payload byte sent is data, proactive parity (PFEC), reactive parity (RFEC) or a retransmission;
//! the sum is the flow's throughput. Wasted parity arrived after its block was complete. Both ends of the
//! flow together; rates over the time the flow was active and measured.

use airtcp_transport::lt::{Amount, LtConnection, LtStats};
use airtcp_units::Metric;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::world::transport::Transport;

/// Results of the coding of a flow in one replication.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CodingResult {
    /// Data sent for the first time.
    #[schemars(extend("metric" = Metric::rate("Data", 1).group("coding")))]
    pub data_bps: f64,
    /// Parity sent with the data (PFEC).
    #[schemars(extend("metric" = Metric::rate("PFEC", 2).group("coding")))]
    pub pfec_bps: f64,
    /// Parity sent as a repair (RFEC).
    #[schemars(extend("metric" = Metric::rate("RFEC", 3).group("coding")))]
    pub rfec_bps: f64,
    /// Payload retransmitted.
    #[schemars(extend("metric" = Metric::rate("Resent", 9).group("coding")))]
    pub resent_bps: f64,
    /// PFEC that arrived and was not needed.
    #[schemars(extend("metric" = Metric::rate("PFEC not needed", 5).group("coding")))]
    pub pfec_wasted_bps: f64,
    /// RFEC that arrived and was not needed.
    #[schemars(extend("metric" = Metric::rate("RFEC not needed", 6).group("coding")))]
    pub rfec_wasted_bps: f64,
    /// Blocks decoded.
    #[schemars(extend("metric" = Metric::count("Blocks decoded", 10).group("coding")))]
    pub blocks_decoded: u64,
    /// Number of block repairs.
    #[schemars(extend("metric" = Metric::count("Reactive rounds", 7).group("coding")))]
    pub reactive_rounds: u64,
    /// Reactions of the congestion law to losses.
    pub loss_reactions: u64,
    /// Estimated loss rate at the end.
    #[schemars(extend("metric" = Metric::share("Loss estimate", 4).group("coding")))]
    pub loss_estimate: f64,
    /// Segment size at the end.
    #[schemars(extend("metric" = Metric::other("Segment", "kB", 1e-3, 8).group("coding")))]
    pub segment_bytes: u64,
}

/// Counters of the coding of a flow.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct CodingCounters {
    data: u64,
    proactive: u64,
    reactive: u64,
    resent: u64,
    wasted_proactive: u64,
    wasted_reactive: u64,
    blocks_decoded: u64,
    reactive_rounds: u64,
    loss_reactions: u64,
    estimate: f64,
    segment: u32,
}

impl CodingCounters {
    /// The counters of both ends together, with the estimate of the end that sent more. `None` for flows
    /// that do not code.
    pub(crate) fn of(client: &Transport, server: &Transport) -> Option<Self> {
        let (Transport::Lt { connection: c, .. }, Transport::Lt { connection: s, .. }) =
            (client, server)
        else {
            return None;
        };
        let (a, b) = (c.stats(), s.stats());
        let main = if a.bytes_sent() >= b.bytes_sent() { c } else { s };
        // Payload of an end that uses plain TCP because its peer does not code.
        let again = |end: &LtConnection| end.tcp().stats().bytes_retransmitted;
        let fresh = |end: &LtConnection| end.tcp().stats().bytes_sent.saturating_sub(again(end));
        let bytes = |amount: fn(&LtStats) -> Amount| amount(a).bytes + amount(b).bytes;
        Some(Self {
            data: bytes(|s| s.data) + fresh(c) + fresh(s),
            proactive: bytes(|s| s.proactive),
            reactive: bytes(|s| s.reactive),
            resent: bytes(|s| s.resent) + again(c) + again(s),
            wasted_proactive: bytes(|s| s.wasted_proactive),
            wasted_reactive: bytes(|s| s.wasted_reactive),
            blocks_decoded: a.blocks_decoded + b.blocks_decoded,
            reactive_rounds: a.reactive_rounds + b.reactive_rounds,
            loss_reactions: a.loss_reactions + b.loss_reactions,
            estimate: main.loss_estimate(),
            segment: main.segment_size(),
        })
    }

    /// The results since `before`; `per_second` converts bytes to a rate.
    pub(crate) fn result(&self, before: &Self, per_second: impl Fn(u64) -> f64) -> CodingResult {
        CodingResult {
            data_bps: per_second(self.data - before.data),
            pfec_bps: per_second(self.proactive - before.proactive),
            rfec_bps: per_second(self.reactive - before.reactive),
            resent_bps: per_second(self.resent - before.resent),
            pfec_wasted_bps: per_second(self.wasted_proactive - before.wasted_proactive),
            rfec_wasted_bps: per_second(self.wasted_reactive - before.wasted_reactive),
            blocks_decoded: self.blocks_decoded - before.blocks_decoded,
            reactive_rounds: self.reactive_rounds - before.reactive_rounds,
            loss_reactions: self.loss_reactions - before.loss_reactions,
            loss_estimate: self.estimate,
            segment_bytes: u64::from(self.segment),
        }
    }
}
