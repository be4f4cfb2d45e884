//! What can be taken away of links: losses, drops, rates, reordering, delays.

use airtcp_link::LossConfig;
use airtcp_scenario::OneWay;
use airtcp_sim::results::LinkResult;
use airtcp_units::{Bytes, Span};
use serde_json::{Value, json};

use super::buckets;
use super::change::{Change, Kind};
use super::place::{Place, least_use, places};
use super::view::View;
use crate::document::limits::Cause;
use crate::variant::toml_value::inline;

/// Use from which a link counts as full.
const FULL: f64 = 0.8;
/// How much longer a queue is that is tried as help.
const QUEUE_FACTOR: u32 = 8;
/// A return path is made this many times as fast: it costs no data packets, and a factor of 2 can name the
/// wrong one of two.
const RETURN_FACTOR: u64 = 8;

/// What can be taken away of the links that the judged flows cross.
pub(crate) fn changes(view: &View<'_>) -> Vec<Change> {
    places(view).iter().flat_map(|place| of_place(view, place)).collect()
}

fn of_place(view: &View<'_>, place: &Place<'_>) -> Vec<Change> {
    let sum = |of: &dyn Fn(&LinkResult) -> u64| -> u64 {
        let links = |(index, _): &(usize, &OneWay)| {
            view.runs.iter().map(|run| of(&run.links[*index])).sum::<u64>()
        };
        place.members.iter().map(links).sum()
    };
    let dropped = |link: &LinkResult, reasons: &[&str]| -> u64 {
        reasons.iter().filter_map(|reason| link.drops.get(*reason)).sum()
    };
    // Nothing was sent here, unless nothing arrived at all: then a packet may have been lost before the measured time.
    if sum(&|link| link.sent_packets) == 0 && view.delivers() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let name = place.name();
    let lossy = place.direction().loss.as_ref().is_some_and(|loss| !LossConfig::is_lossless(loss));
    let lost = sum(&|link| dropped(link, &["loss", "retry_limit"]));
    if lossy || lost > 0 {
        let mut change = Change::new(Kind::Loss, Cause::LinkLosses, &name);
        change.weight = lost as f64;
        found.push(change.set(place.key("loss"), "{ model = \"none\" }"));
    }
    if let Some(change) = in_order(place, &name) {
        found.push(change);
    }
    let queued = sum(&|link| dropped(link, &["queue_full", "queue_early"]) + link.marked_packets);
    let queue = place.value("queue").unwrap_or(Value::Null);
    // A drop before the measured time holds the window down in it.
    let peak = place.members.iter().flat_map(|(index, _)| {
        view.runs.iter().map(move |run| run.links[*index].max_queue_packets)
    });
    let peak = peak.max().unwrap_or(0);
    if queued > 0 || f64::from(peak) >= likely_drops(&queue) {
        let with = |queue: Value| {
            let change = Change::new(Kind::Queue, Cause::Queue, &name);
            place.change(view.plan, change, "queue", &queue)
        };
        if let Some(mut change) = without_drops(&queue).map(with) {
            change.weight = queued as f64;
            found.push(change.helped_by(longer(&queue).map(with)));
        }
    }
    found.extend(rate(view, place, &name));
    found.extend(buckets::changes(view, place, &name));
    found
}

/// The length that a queue reaches before it drops, at least.
fn likely_drops(queue: &Value) -> f64 {
    match queue["kind"].as_str() {
        Some("drop-tail" | "per-station" | "ack-filter") => {
            queue["packets"].as_f64().unwrap_or(100.0)
        }
        _ => 5.0,
    }
}

/// A queue discipline that drops and marks nothing; `None` if it is not known how.
pub(crate) fn without_drops(queue: &Value) -> Option<Value> {
    let mut queue = queue.as_object()?.clone();
    let kind = queue.get("kind")?.as_str()?.to_owned();
    let mut put = |key: &str, value: Value| queue.insert(key.to_owned(), value);
    match kind.as_str() {
        "drop-tail" | "per-station" | "ack-filter" | "tbf" => {
            put("packets", json!(1_000_000));
            queue.remove("bytes");
            queue.remove("latency");
        }
        "red" => {
            for (key, value) in
                [("min", 1_000_000_000_u64), ("max", 2_000_000_000), ("limit", 3_000_000_000)]
            {
                put(key, json!(value));
            }
        }
        "jersey" => {
            put("limit", json!(1_000_000));
            put("threshold", json!(1e6));
        }
        "dualpi2" => {
            put("limit", json!(1_000_000));
            put("target", json!("1000 s"));
            put("ramp_start", json!("1000 s"));
        }
        "codel" | "fq-codel" | "pie" | "airtime-fair" => {
            put("limit", json!(1_000_000));
            put("target", json!("1000 s"));
            if kind != "pie" {
                put("interval", json!("1000 s"));
            }
        }
        _ => return None,
    }
    Some(Value::Object(queue))
}

/// The same discipline with a queue, or a delay from which it drops or marks, eight times as long; `None` if it is
/// not known how.
pub(crate) fn longer(queue: &Value) -> Option<Value> {
    let mut queue = queue.as_object()?.clone();
    let keys = ["packets", "bytes", "limit", "min", "max", "threshold", "target", "interval"];
    let mut is_longer = false;
    for (_, value) in queue.iter_mut().filter(|(key, _)| keys.contains(&key.as_str())) {
        *value = times(value, QUEUE_FACTOR)?;
        is_longer = true;
    }
    is_longer.then_some(Value::Object(queue))
}

/// A number, a size or a time, this many times as large; null stays null.
fn times(value: &Value, factor: u32) -> Option<Value> {
    Some(match value {
        Value::Null => Value::Null,
        Value::String(text) => match (text.parse::<Span>(), text.parse::<Bytes>()) {
            (Ok(span), _) => json!(Span(span.0.saturating_mul(factor.into())).to_string()),
            (_, Ok(bytes)) => json!(Bytes(bytes.0.saturating_mul(factor.into())).to_string()),
            _ => return None,
        },
        number => match number.as_u64() {
            Some(number) => json!(number.saturating_mul(factor.into())),
            None => json!(number.as_f64()? * f64::from(factor)),
        },
    })
}

/// Packets arrive in the order in which they were sent.
fn in_order(place: &Place<'_>, name: &str) -> Option<Change> {
    let direction = place.direction();
    let mut change = Change::new(Kind::Loss, Cause::Reordering, name);
    if direction.reordering.is_some() {
        change = change.set(place.key("reordering"), "{ probability = 0, extra = \"0 s\" }");
    }
    if direction.jitter.as_ref().is_some_and(|jitter| !jitter.keep_order) {
        let mut jitter = place.value("jitter")?;
        jitter["keep_order"] = json!(true);
        change = change.set(place.key("jitter"), inline(&jitter));
    }
    (!change.is_empty()).then_some(change)
}

/// A faster link, or a faster return path if it carries no data of the judged flows.
fn rate(view: &View<'_>, place: &Place<'_>, name: &str) -> Option<Change> {
    let used = place
        .members
        .iter()
        .map(|(index, _)| view.mean(|run| run.links[*index].utilisation))
        .fold(0.0, f64::max);
    if used < least_use(view) {
        return None;
    }
    let data = place.members.iter().any(|(index, _)| view.carries_data[*index]);
    let (kind, cause, factor) = if data {
        (Kind::Rate, Cause::LinkRate, 2)
    } else {
        (Kind::Return, Cause::ReturnPath, RETURN_FACTOR)
    };
    let mut change = Change::new(kind, cause, name);
    change.busy = used;
    change.weight = used;
    change.full = if data { used / FULL } else { 0.0 };
    let direction = place.direction();
    if let Some(slot) = direction.slot {
        let slot = json!(Span(slot.0 / factor).to_string());
        return Some(place.change(view.plan, change, "slot", &slot));
    }
    let mut rate = place.value("rate")?;
    let faster = |rate: airtcp_units::BitRate| {
        airtcp_units::BitRate::new(rate.bps().saturating_mul(factor)).map(|rate| rate.to_string())
    };
    match (&direction.rate, &mut rate) {
        (Some(airtcp_link::Rate::Constant(constant)), _) => rate = json!(faster(*constant)?),
        (Some(airtcp_link::Rate::Steps(all)), _) => {
            let steps = all.steps.iter().map(|(at, rate)| Some((at.to_string(), faster(*rate)?)));
            rate = json!({ "steps": steps.collect::<Option<Vec<_>>>()? });
        }
        (_, Value::Object(table)) => {
            let scale = table.get("scale").and_then(Value::as_f64).unwrap_or(1.0);
            table.insert("scale".into(), json!(scale * factor as f64));
        }
        _ => return None,
    }
    Some(place.change(view.plan, change, "rate", &rate))
}

/// Shorter propagation delays, a quarter of each; `None` if there are none.
pub(crate) fn nearer(view: &View<'_>) -> Option<Change> {
    let mut change = Change::new(Kind::RoundTrip, Cause::RoundTripTime, "all links");
    for place in places(view) {
        let quarter = |span: Span| json!(Span(span.0 / 4).to_string());
        if let Some(delay) = &place.direction().delay
            && delay.longest().0 > 0
        {
            let shorter = json!(delay.map(|delay| Span(delay.0 / 4)));
            change = place.change(view.plan, change, "delay", &shorter);
        }
        if let (Some(config), Some(mut jitter)) = (&place.direction().jitter, place.value("jitter"))
        {
            jitter["mean"] = quarter(config.mean);
            change = change.set(place.key("jitter"), inline(&jitter));
        }
    }
    // Delays of one pair of a dumbbell each.
    if let Some(airtcp_scenario::Topology::Dumbbell { access_delays, .. }) = view.written_topology {
        let quarters: Vec<Value> =
            access_delays.iter().map(|delay| json!(Span(delay.0 / 4).to_string())).collect();
        if !quarters.is_empty() {
            change = change.set("topology.access_delays", inline(&json!(quarters)));
        }
    }
    (!change.is_empty()).then_some(change)
}
