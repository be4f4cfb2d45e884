//! What jobs give, as text for another process: also what stands in no document.

use airtcp_scenario::ScenarioError;
use airtcp_sim::results::{Replication, packed};
use serde::{Deserialize, Serialize};

use crate::base::jobs::Packed;
use crate::base::slot_use::SlotUse;
use crate::document::Cwnd;
use crate::document::compare::{CompareRun, Done};
use crate::document::schemes::{SchemeRun, StationRun};

/// A run with the parts that its document leaves out.
#[derive(Serialize, Deserialize)]
struct Whole<R> {
    run: R,
    active_s: f64,
    slots: Option<SlotUse>,
}

impl Packed for Done {
    fn pack(&self) -> Option<String> {
        let (runs, window) = self;
        let mut whole = Vec::with_capacity(runs.len());
        for run in runs {
            whole.push(Whole { run, active_s: run.active_s, slots: run.slots });
        }
        serde_json::to_string(&(whole, window)).ok()
    }

    fn unpack(text: &str) -> Option<Self> {
        let (runs, window): (Vec<Whole<CompareRun>>, Option<Cwnd>) =
            serde_json::from_str(text).ok()?;
        let whole = |Whole { run, active_s, slots }: Whole<CompareRun>| CompareRun {
            active_s,
            slots,
            ..run
        };
        Some((runs.into_iter().map(whole).collect(), window))
    }
}

impl Packed for SchemeRun {
    fn pack(&self) -> Option<String> {
        serde_json::to_string(&(self, &self.stations)).ok()
    }

    fn unpack(text: &str) -> Option<Self> {
        let (run, stations): (Self, Vec<StationRun>) = serde_json::from_str(text).ok()?;
        Some(Self { stations, ..run })
    }
}

/// File, line, path, message and override of an error.
type Said = (String, Option<usize>, String, String, Option<Box<(String, String)>>);

/// A variant that cannot run is a result, too.
impl Packed for Result<Replication, ScenarioError> {
    fn pack(&self) -> Option<String> {
        let packed: Result<String, Said> = match self {
            Ok(replication) => Ok(packed::pack(std::slice::from_ref(replication))?),
            Err(e) => {
                Err((e.file.clone(), e.line, e.path.clone(), e.message.clone(), e.given.clone()))
            }
        };
        serde_json::to_string(&packed).ok()
    }

    fn unpack(text: &str) -> Option<Self> {
        let packed: Result<String, Said> = serde_json::from_str(text).ok()?;
        Some(match packed {
            Ok(text) => Ok(packed::unpack(&text)?.pop()?),
            Err((file, line, path, message, given)) => {
                Err(ScenarioError { file, line, path, message, given })
            }
        })
    }
}
