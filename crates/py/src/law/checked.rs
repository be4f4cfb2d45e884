//! The conformance suite on a law of one's own.
//!
//! A case in which the law breaks a rule is returned as the statements of a unit test in Python, so
//! that it can be run and looked into.

use airtcp_congestion::conformance::{Broken, Step, Told, check};
use airtcp_congestion::{
    AckSample, Congestion, ExternalLaw, Law, LawConfig, LawParams, LawRules, SlowStartKind,
};
use airtcp_units::Span;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::given::{Laws, offered};
use super::samples::KINDS;

/// Checks the first of the laws in random cases. Returns the rule that it breaks, and the statements
/// of a test that shows it; `None` if it keeps all.
#[pyfunction]
pub(crate) fn check_law(
    py: Python<'_>,
    laws: &Laws,
    cases: u32,
    calls: usize,
    seed: u64,
) -> PyResult<Option<(String, Vec<String>)>> {
    let offered = offered(Some(laws))?;
    let law =
        airtcp_congestion::external::offered().first().and_then(|name| ExternalLaw::named(name));
    let Some(law) = law else { return Err(PyValueError::new_err("there is no law to check")) };
    let config = LawConfig::External(law);
    let make = || match config.build() {
        Law::Dyn(law) => law,
        other => Box::new(other),
    };
    let found = py.detach(|| check(&make, cases, calls, seed)).err().map(|broken| {
        let statements = statements(&broken);
        (broken.rule, statements)
    });
    offered.settle(py, Ok(found))
}

/// The statements of a test, without the assertion.
fn statements(broken: &Broken) -> Vec<String> {
    let mut lines =
        vec![format!("law.begin({})", params(&broken.params)), "law.start(law.params)".into()];
    let mut now = None;
    for step in &broken.steps {
        if now != Some(step.now) {
            lines.push(format!("law.at({})", seconds(step.now.since(airtcp_units::Nanos::ZERO))));
            now = Some(step.now);
        }
        let quiet = matches!(step.told, Told::Sent(_) | Told::Lost(_));
        let after = if quiet { String::new() } else { format!("  # cwnd {}", step.cwnd) };
        lines.push(format!("{}{after}", call(step)));
    }
    lines
}

fn seconds(span: Span) -> String {
    let text = format!("{:.9}", span.as_secs_f64());
    let text = text.trim_end_matches('0');
    if text.ends_with('.') { format!("{text}0") } else { text.to_owned() }
}

fn params(p: &LawParams) -> String {
    let mut said = vec![format!("mss={}", p.mss), format!("initial_window={}", p.initial_window)];
    let mut add = |key: &str, value: Option<String>| {
        said.extend(value.map(|value| format!("{key}={value}")));
    };
    let bound = |bytes: u64| (bytes != u64::MAX).then(|| bytes.to_string());
    let flag = |set: bool| set.then(|| "True".to_owned());
    add("initial_ssthresh", bound(p.initial_ssthresh));
    add("max_cwnd", bound(p.max_cwnd));
    add("abc_limit", (p.abc_limit != 1).then(|| p.abc_limit.to_string()));
    add("half_of_cwnd", flag(p.half_of_cwnd));
    add("ssthresh_in_segments", flag(p.ssthresh_in_segments));
    add("srtt", p.srtt.map(seconds));
    add("seed", (p.seed != 1).then(|| p.seed.to_string()));
    add("paced", flag(p.paced));
    let hystart = p.slow_start == SlowStartKind::HyStartPlusPlus;
    add("slow_start", hystart.then(|| "\"hystart++\"".to_owned()));
    add("rules", (p.rules == LawRules::Linux).then(|| "\"linux\"".to_owned()));
    format!("Params({})", said.join(", "))
}

fn call(step: &Step) -> String {
    match &step.told {
        Told::Sent(sent) => format!("law.on_sent(Sent({}, pipe={}))", sent.bytes, sent.pipe),
        Told::Lost(lost) => format!(
            "law.on_lost(Lost({}, start={}, tx_in_flight={}, lost={}, total_delivered={}))",
            lost.bytes, lost.start, lost.tx_in_flight, lost.lost, lost.total_delivered
        ),
        Told::Ack(sample) => format!("law.on_ack({})", ack(sample)),
        Told::Congestion(c) => format!("law.on_congestion({})", congestion(c)),
        Told::Spurious => "law.on_spurious()".to_owned(),
        Told::Idle(idle) => format!(
            "law.on_idle(Idle({}, rto={}, restart={}, app_limited={}))",
            seconds(idle.idle),
            seconds(idle.rto),
            python(idle.restart),
            python(idle.app_limited)
        ),
        Told::Limit(bytes) => format!("law.limit_cwnd({bytes})"),
        Told::Raise(bytes) => format!("law.raise_ssthresh({bytes})"),
    }
}

const fn python(flag: bool) -> &'static str {
    if flag { "True" } else { "False" }
}

fn congestion(c: &Congestion) -> String {
    let kind = KINDS.iter().find(|(_, kind)| *kind == c.kind).map_or("", |(name, _)| name);
    let restart = if c.restart { ", restart=True" } else { "" };
    format!("Congestion(\"{kind}\", {}{restart})", c.flight)
}

fn ack(a: &AckSample) -> String {
    let mut said = vec![a.acked.to_string()];
    for (key, value) in [
        ("delivered", a.delivered),
        ("pipe", a.pipe),
        ("prior_pipe", a.prior_pipe),
        ("total_delivered", a.total_delivered),
        ("total_lost", a.total_lost),
        ("acked_up_to", a.acked_up_to),
        ("sent_up_to", a.sent_up_to),
        ("marked", a.marked),
    ] {
        if value != 0 {
            said.push(format!("{key}={value}"));
        }
    }
    for (key, value) in [("rtt", a.rtt), ("srtt", a.srtt), ("min_rtt", a.min_rtt)] {
        said.extend(value.map(|value| format!("{key}={}", seconds(value))));
    }
    if let Some(rate) = &a.rate {
        said.push(format!(
            "rate=Rate({}, {}, prior_delivered={}, app_limited={}, tx_in_flight={}, lost={})",
            rate.delivered,
            seconds(rate.interval),
            rate.prior_delivered,
            python(rate.app_limited),
            rate.tx_in_flight,
            rate.lost
        ));
    }
    for (key, value, usual) in [
        ("cwnd_limited", a.cwnd_limited, true),
        ("in_fast_recovery", a.in_fast_recovery, false),
        ("in_recovery", a.in_recovery, false),
        ("ece", a.ece, false),
    ] {
        if value != usual {
            said.push(format!("{key}={}", python(value)));
        }
    }
    format!("Ack({})", said.join(", "))
}
