//! Shares in short parts of the measured time: losses counted in a part belong to packets counted as sent in
//! it, wherever the part begins and ends.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::sync::Arc;

use crate::common::{no_traces, plan};
use airtcp_link::Rate;
use airtcp_probe::NoProbe;
use airtcp_scenario::Resolved;
use airtcp_sim::parallel::Stop;
use airtcp_sim::run_parts;
use airtcp_units::{Capacity, Span};
use serde_json::Value;

/// Quantities that are shares.
const SHARES: [&str; 8] = [
    "loss_rate",
    "unit_loss_rate",
    "error_rate",
    "residual_loss",
    "retransmission_ratio",
    "utilisation",
    "busy_share",
    "airtime_share",
];

/// Checks every share in a document. Returns their number.
fn check(at: &str, value: &Value) -> usize {
    match value {
        Value::Object(record) => {
            if let (Some(sent), Some(lost)) =
                (record.get("sent").and_then(Value::as_u64), record.get("lost"))
            {
                let causes = lost.as_object().into_iter().flatten();
                let lost = lost.as_u64().unwrap_or(0)
                    + causes.filter_map(|(_, n)| n.as_u64()).sum::<u64>();
                assert!(lost <= sent, "{at}: {lost} of {sent}");
            }
            let share = |(key, value): (&String, &Value)| {
                let at = format!("{at}.{key}");
                if let Some(share) = value.as_f64().filter(|_| SHARES.contains(&key.as_str())) {
                    assert!((-1e-9..=1.0 + 1e-9).contains(&share), "{at} is {share}");
                    return 1;
                }
                check(&at, value)
            };
            record.iter().map(share).sum()
        }
        Value::Array(items) => {
            items.iter().enumerate().map(|(i, item)| check(&format!("{at}[{i}]"), item)).sum()
        }
        _ => 0,
    }
}

/// Cuts a run into many parts, shorter than a round trip or a frame, and checks each.
fn in_stretches(plan: &Resolved, parts: u32) {
    let done = run_parts(plan, 0, &no_traces, NoProbe, parts, &Stop::new()).unwrap().unwrap();
    for (i, part) in done.0.iter().enumerate() {
        let found = check(&format!("part {i}"), &serde_json::to_value(part).unwrap());
        assert!(found > 3, "{found}");
    }
}

fn link(rest: &str) -> String {
    format!(
        "duration = \"3 s\"\nwarmup = \"1 s\"\n\
         [[links]]\nfrom = \"a\"\nto = \"b\"\ndelay = \"20 ms\"\n{rest}\n\
         [[flows]]\nfrom = \"a\"\nto = \"b\"\n"
    )
}

#[test]
fn links_that_lose() {
    let loss = "rate = \"1 Mb/s\"\nloss = { model = \"bernoulli\", probability = 0.3 }";
    in_stretches(&plan(&link(loss)), 997);
}

#[test]
fn link_protocols_that_abandon_frames() {
    for kind in ["ll-arq", "ll-harq"] {
        for way in ["free", "reverse"] {
            let protocol = format!(
                "rate = \"1 Mb/s\"\nloss = {{ model = \"bernoulli\", probability = 0.5 }}\n\
                 protocol = {{ kind = \"{kind}\", attempts = 2, feedback = {{ way = \"{way}\" }} }}"
            );
            in_stretches(&plan(&link(&protocol)), 997);
        }
    }
}

#[test]
fn links_whose_rate_varies() {
    let mut plan = plan(&link("rate = { trace = \"x\" }\nreverse = { rate = \"1 Gb/s\" }"));
    let steps =
        [0, 300, 1000].map(Span::from_millis).into_iter().zip([1_000_000, 400_000, 3_000_000]);
    let steps: Vec<(Span, u64)> = steps.collect();
    let capacity = Arc::new(Capacity::rates(&steps, Span::from_millis(1400)).unwrap());
    for link in &mut plan.links {
        if let Some(Rate::Trace(trace)) = &mut link.direction.rate {
            trace.capacity = Some(capacity.clone());
        }
    }
    in_stretches(&plan, 997);
}

#[test]
fn stations_of_cells() {
    let cell = |mac: &str| {
        format!(
            "duration = \"400 ms\"\nwarmup = \"100 ms\"\n\
             [[cells]]\nlayout = {{ kind = \"star\", stations = 3, radius_m = 5 }}\n{mac}\n\
             propagation.path_loss = {{ model = \"log-distance\", exponent = 3.5, \
             reference_loss_db = 46.67 }}\nresidual_error = \"30 %\"\n\
             [[flows]]\ncount = 3\nfrom = \"sta*\"\nto = \"ap\"\n"
        )
    };
    for mac in ["", "mac = { access = \"edca\" }"] {
        in_stretches(&plan(&cell(mac)), 3_989);
    }
}
