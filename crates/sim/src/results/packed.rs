//! Replications as text for another process, where they are the same: also what stands in no document.

use airtcp_units::{Delays, Nanos};
use serde::{Deserialize, Serialize};

use super::replication::Replication;

/// A replication with the parts that its document leaves out.
#[derive(Serialize, Deserialize)]
struct Whole<R, H> {
    replication: R,
    /// The interval in which each flow was active, in nanoseconds.
    active: Vec<[u64; 2]>,
    histograms: H,
}

/// The text of replications; `None` if they have none.
pub fn pack(replications: &[Replication]) -> Option<String> {
    let whole = replications.iter().map(|replication| Whole {
        replication,
        active: replication.flows.iter().map(|f| f.active.map(|at| at.0)).collect(),
        histograms: &replication.histograms,
    });
    serde_json::to_string(&whole.collect::<Vec<_>>()).ok()
}

/// The replications of a text.
pub fn unpack(text: &str) -> Option<Vec<Replication>> {
    let all: Vec<Whole<Replication, Vec<Delays>>> = serde_json::from_str(text).ok()?;
    let one = |whole: Whole<Replication, Vec<Delays>>| {
        let mut replication = whole.replication;
        for (flow, active) in replication.flows.iter_mut().zip(whole.active) {
            flow.active = active.map(Nanos);
        }
        Replication { histograms: whole.histograms, ..replication }
    };
    Some(all.into_iter().map(one).collect())
}
