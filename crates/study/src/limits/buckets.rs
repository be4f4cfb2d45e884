//! What can be taken away of token buckets: the rates of policers and shapers of links.

use airtcp_queueing::QueueConfig;
use airtcp_units::{BitRate, Bytes};
use serde_json::{Value, json};

use super::change::{Change, Kind};
use super::place::{Place, least_use};
use super::view::View;
use crate::document::limits::Cause;
use crate::variant::toml_value::inline;

/// Use from which a token bucket counts as full.
const FULL: f64 = 0.8;

/// Twice the rate and the burst of the token buckets of a place, if they are used.
pub(super) fn changes(view: &View<'_>, place: &Place<'_>, name: &str) -> Vec<Change> {
    let direction = place.direction();
    let policer = direction.policer.and_then(|policer| {
        let change = used(view, place, name, Cause::Policer, policer.rate)?;
        let twice = json!({ "rate": rate(policer.rate)?, "burst": burst(policer.burst) });
        Some(change.set(place.key("policer"), inline(&twice)))
    });
    let shaper = match &direction.queue {
        Some(QueueConfig::Tbf(shaper)) => Some(shaper),
        _ => None,
    };
    let shaper = shaper.and_then(|shaper| {
        let change = used(view, place, name, Cause::Shaper, shaper.rate)?;
        let mut twice = place.value("queue")?;
        (twice["rate"], twice["burst"]) = (json!(rate(shaper.rate)?), json!(burst(shaper.burst)));
        Some(place.change(view.plan, change, "queue", &twice))
    });
    policer.into_iter().chain(shaper).collect()
}

/// A change of a token bucket of this rate, if its link sends at a good part of the rate.
fn used(
    view: &View<'_>,
    place: &Place<'_>,
    name: &str,
    cause: Cause,
    rate: BitRate,
) -> Option<Change> {
    let sent = place.members().map(|index| view.mean(|run| run.links[index].sent_bps));
    let used = sent.fold(0.0, f64::max) / rate.bps() as f64;
    let mut change = Change::new(Kind::Rate, cause, name);
    (change.busy, change.weight, change.full) = (used, used, used / FULL);
    (used >= least_use(view)).then_some(change)
}

fn rate(rate: BitRate) -> Option<Value> {
    Some(json!(BitRate::new(rate.bps().saturating_mul(2))?.to_string()))
}

fn burst(burst: Bytes) -> Value {
    json!(Bytes(burst.0.saturating_mul(2)).to_string())
}
