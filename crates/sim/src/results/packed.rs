//! Replications as text for another process: also what stands in no document.

use airtcp_units::{Delays, Nanos};
use serde::{Deserialize, Serialize};

use super::replication::Replication;

/// A replication with the parts that its document leaves out.
#[derive(Serialize, Deserialize)]
struct Whole<R> {
    replication: R,
    /// The interval in which each flow was active, in nanoseconds.
    active: Vec<[u64; 2]>,
    histograms: Vec<Delays>,
}

/// Results that can go to another process and are the same there.
pub trait Packed: Sized {
    /// The text; `None` if it has none.
    fn pack(&self) -> Option<String>;

    /// The results of a text.
    fn unpack(text: &str) -> Option<Self>;
}

impl Packed for Vec<Replication> {
    fn pack(&self) -> Option<String> {
        let mut all = Vec::with_capacity(self.len());
        for replication in self {
            all.push(Whole {
                replication,
                active: replication.flows.iter().map(|f| f.active.map(|at| at.0)).collect(),
                histograms: replication.histograms.clone(),
            });
        }
        serde_json::to_string(&all).ok()
    }

    fn unpack(text: &str) -> Option<Self> {
        let all: Vec<Whole<Replication>> = serde_json::from_str(text).ok()?;
        let one = |whole: Whole<Replication>| {
            let mut replication = whole.replication;
            for (flow, active) in replication.flows.iter_mut().zip(whole.active) {
                flow.active = active.map(Nanos);
            }
            Replication { histograms: whole.histograms, ..replication }
        };
        Some(all.into_iter().map(one).collect())
    }
}

impl Packed for Replication {
    fn pack(&self) -> Option<String> {
        vec![self.clone()].pack()
    }

    fn unpack(text: &str) -> Option<Self> {
        Vec::unpack(text)?.pop()
    }
}
