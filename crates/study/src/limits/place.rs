//! Directions of links that one description makes, and changes of their keys.

use std::collections::BTreeMap;

use airtcp_scenario::{Direction, OneWay, Resolved};
use serde_json::Value;

use super::change::Change;
use super::view::View;
use crate::variant::toml_value::inline;

/// Least use of a link from which its rate may limit.
const USED: f64 = 0.4;
/// The same if an application pauses: the mean over its pauses says little.
pub(crate) const USED_WITH_PAUSES: f64 = 0.08;

/// The directions of links that one description makes, such as the hops of a chain.
pub(super) struct Place<'a> {
    /// Path of the description in the scenario.
    path: String,
    pub(super) members: Vec<(usize, &'a OneWay)>,
}

impl<'a> Place<'a> {
    pub(super) fn direction(&self) -> &'a Direction {
        &self.members[0].1.direction
    }

    /// Indices of its links.
    pub(super) fn members(&self) -> impl Iterator<Item = usize> {
        self.members.iter().map(|(index, _)| *index)
    }

    pub(super) fn is_reverse(&self) -> bool {
        self.members[0].0 % 2 == 1
    }

    /// Its name: that of the link, or of the first and the last of several.
    pub(super) fn name(&self) -> String {
        let name = |(_, one): &(usize, &OneWay)| one.name.clone();
        match self.members.as_slice() {
            [one] => name(one),
            [first, .., last] => format!("{} to {}", name(first), name(last)),
            [] => String::new(),
        }
    }

    pub(super) fn key(&self, key: &str) -> String {
        format!("{}.{key}", self.path)
    }

    pub(super) fn value(&self, key: &str) -> Option<Value> {
        value(self.direction(), key)
    }

    /// A change of a key, by which the opposite direction does not change, even if it follows this one.
    pub(super) fn change(
        &self,
        plan: &Resolved,
        change: Change,
        key: &str,
        value: &Value,
    ) -> Change {
        let change = change.set(self.key(key), inline(value));
        let (index, _) = self.members[0];
        if self.is_reverse() || self.path == "topology.access" {
            return change;
        }
        let back = &plan.links[index + 1];
        match self::value(&back.direction, key) {
            Some(now) => change.keep(format!("{}.{key}", written(back, true)), inline(&now)),
            None => change,
        }
    }
}

fn value(direction: &Direction, key: &str) -> Option<Value> {
    serde_json::to_value(direction).ok()?.get(key).cloned()
}

/// The path of a direction's description, for `--set`.
fn written(one: &OneWay, is_reverse: bool) -> String {
    let path = one.path.strip_suffix(".forward").unwrap_or(&one.path);
    match path {
        // The reverse direction of a ready-made topology follows the forward one until it has keys of its own.
        "topology.link" | "topology.bottleneck" if is_reverse => "topology.reverse".to_owned(),
        path => path.to_owned(),
    }
}

/// The places that the judged flows cross.
pub(super) fn places<'a>(view: &View<'a>) -> Vec<Place<'a>> {
    let mut places: BTreeMap<String, Place<'a>> = BTreeMap::new();
    let mut order = Vec::new();
    for (index, one) in view.plan.links.iter().enumerate() {
        if !view.carries_data[index] && !view.carries_acks[index] {
            continue;
        }
        let path = written(one, index % 2 == 1);
        let new = || Place { path: path.clone(), members: Vec::new() };
        if !places.contains_key(&path) {
            order.push(path.clone());
        }
        places.entry(path.clone()).or_insert_with(new).members.push((index, one));
    }
    order.iter().filter_map(|path| places.remove(path)).collect()
}

/// Least use of a rate from which it may limit.
pub(super) fn least_use(view: &View<'_>) -> f64 {
    if view.pauses() { USED_WITH_PAUSES } else { USED }
}
