//! The requests of the page, and the run that is in progress.

use std::cell::RefCell;

use airtcp_probe::Entry;
use airtcp_scenario::ScenarioError;
use airtcp_sim::Session;
use airtcp_study::{ExplainedRun, Explanation};
use airtcp_units::Nanos;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::changes::Pair;
use crate::edit;
use crate::opened::opened;
use crate::plan::{self, described, no_traces};
use crate::recorder::{self, Recorder};
use crate::series::series;

/// A request.
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
enum Request {
    /// Version, and what can be chosen by name.
    About {},
    /// The scenario in a text: TOML, or the JSON of a scenario or of a result.
    Open { text: String },
    /// A text with other values. A pair is a path and a value as TOML; `null` removes the key.
    Edit { text: String, set: Vec<(String, Option<String>)> },
    /// The scenario with every default filled in, and its warnings.
    Describe { text: String, name: String },
    /// Begins a run, in place of the one in progress.
    Begin {
        text: String,
        name: String,
        #[serde(default)]
        set: Vec<(String, String)>,
    },
    /// Runs up to `events` events.
    Step { events: u64 },
    /// The series of the first replication so far: of the flows with these names, or of all flows.
    Series { flows: Option<Vec<String>> },
    /// The document of the replications that are finished so far.
    Document {},
    /// For each pair the paired difference of two runs.
    Differences { pairs: Vec<Pair> },
}

thread_local! {
    static RUN: RefCell<Option<Session<Recorder>>> = const { RefCell::new(None) };
}

/// Handles a request.
pub fn answer(request: &str) -> String {
    let made = match serde_json::from_str(request) {
        Ok(request) => handled(request),
        Err(e) => Err(ScenarioError::at("", format!("request: {e}"))),
    };
    made.unwrap_or_else(|e| {
        let error = json!({"message": e.to_string(), "line": e.line, "path": e.path});
        json!({ "error": error }).to_string()
    })
}

fn handled(request: Request) -> Result<String, ScenarioError> {
    let text = |text: String| text_of(&json!({ "text": text }));
    match request {
        Request::About {} => text_of(&about()),
        Request::Open { text: given } => text(opened(&given)?),
        Request::Edit { text: given, set } => text(edit::edited(&given, &set)?),
        Request::Describe { text, name } => text_of(&described(&plan::planned(&text, &name, &[])?)),
        Request::Begin { text, name, set } => {
            // The memory of the earlier run is free before the next one needs it.
            RUN.take();
            let (_, plan) = plan::planned(&text, &name, &set)?;
            let probe = recorder::recorder(&plan);
            let begun = Session::begin(plan, &no_traces, probe);
            RUN.set(Some(begun.map_err(|e| e.located(&name, &text))?));
            text_of(&json!({}))
        }
        Request::Step { events } => with_run(|run| {
            let done = run.step(&no_traces, events)?;
            let all = f64::from(run.plan().scenario.replications);
            let duration = run.plan().scenario.duration.as_secs_f64();
            let now = run.now().as_secs_f64();
            let part = if done || duration <= 0.0 { 0.0 } else { now / duration };
            let progress = ((run.finished() as f64 + part) / all).min(1.0);
            text_of(&json!({"done": done, "progress": progress, "finished": run.finished()}))
        }),
        Request::Series { flows } => with_run(|run| {
            let end = Nanos::ZERO + run.plan().scenario.duration;
            let until = if run.finished() > 0 { end } else { run.now() };
            let wanted = |name: &str| {
                flows.as_ref().is_none_or(|flows| flows.iter().any(|flow| flow == name))
            };
            let made = run.probe().map(|(recorded, progress)| {
                // A copy ends with the latest rows.
                let mut recorded = recorded.clone();
                recorded.finish();
                series(&recorded, progress, run.plan(), until, &wanted)
            });
            text_of(&json!({ "series": made }))
        }),
        Request::Document {} => with_run(|run| {
            // The page does not ask for limits, which take several runs.
            let explanation = Explanation::not_asked();
            text_of(&ExplainedRun { run: run.so_far(), explanation })
        }),
        Request::Differences { pairs } => {
            let all: Vec<_> = pairs.iter().map(Pair::difference).collect();
            text_of(&json!({ "differences": all }))
        }
    }
}

fn with_run(
    act: impl FnOnce(&mut Session<Recorder>) -> Result<String, ScenarioError>,
) -> Result<String, ScenarioError> {
    RUN.with_borrow_mut(|run| act(run.as_mut().ok_or_else(no_run)?))
}

fn no_run() -> ScenarioError {
    ScenarioError::at("", "no run is in progress")
}

fn text_of(value: &impl Serialize) -> Result<String, ScenarioError> {
    serde_json::to_string(value).map_err(|e| ScenarioError::at("", e.to_string()))
}

fn about() -> Value {
    let (laws, transport) = (airtcp_congestion::registry(), airtcp_transport::registry());
    let wifi = airtcp_wifi::registries().into_iter().flatten();
    let all = transport.iter().chain(&laws).chain(airtcp_queueing::registry()).chain(wifi);
    let entry =
        |e: &Entry| json!({"family": e.family, "name": e.name, "description": e.description});
    let listed: Vec<Value> = all.map(entry).collect();
    json!({"version": env!("CARGO_PKG_VERSION"), "registry": listed})
}
