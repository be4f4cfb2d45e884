//! A change of a scenario that takes one thing away, as arguments of `--set`.

use std::collections::{BTreeMap, BTreeSet};

use airtcp_scenario::Without;

use crate::document::limits::Cause;

/// Things that are taken away together before the winner is split by place: equal causes in series hide one
/// another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Slow,
    Loss,
    Queue,
    Return,
    Rate,
    Window,
    Others,
    RoundTrip,
    Pauses,
    Application,
}

impl Kind {
    /// True for what wastes a full link or medium.
    pub(crate) const fn is_waste(self) -> bool {
        matches!(self, Self::Slow | Self::Loss | Self::Others)
    }

    /// True for what is a defect of the network or of an end. Delays are none, and pauses are the user's.
    pub(crate) const fn is_defect(self) -> bool {
        !matches!(self, Self::Application | Self::Pauses | Self::RoundTrip)
    }
}

/// Part of a change.
#[derive(Debug, Clone, PartialEq)]
enum Set {
    /// A value that another part would change along with its own, such as the rate of a reverse direction
    /// that follows the forward one.
    Kept(String, String),
    /// A new value.
    Value(String, String),
    /// A name in a list of the table `without`.
    Without(&'static str, String),
}

/// Something that can be taken away.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Change {
    pub(crate) kind: Kind,
    pub(crate) cause: Cause,
    /// Causes whose removal is the same change.
    pub(crate) or: Vec<Cause>,
    /// Where, in words.
    pub(crate) place: String,
    /// Of a rate: how full the link or medium is, from 0; 1 and more is full. 0 for other kinds.
    pub(crate) full: f64,
    /// Of a link's rate: the share of its time or capacity that is used.
    pub(crate) busy: f64,
    /// Packets lost or dropped there, or the use of the link: by it, places are tried one by one.
    pub(crate) weight: f64,
    /// What a real network can have against it, as a change of the scenario.
    pub(crate) help: Option<Box<Change>>,
    sets: Vec<Set>,
}

impl Change {
    pub(crate) fn new(kind: Kind, cause: Cause, place: impl Into<String>) -> Self {
        let place = place.into();
        Self {
            kind,
            cause,
            or: Vec::new(),
            place,
            full: 0.0,
            busy: 0.0,
            weight: 0.0,
            help: None,
            sets: Vec::new(),
        }
    }

    /// The same, with a new value at a path of the scenario.
    pub(crate) fn set(mut self, path: impl Into<String>, value: impl Into<String>) -> Self {
        self.sets.push(Set::Value(path.into(), value.into()));
        self
    }

    /// The same, with a value that stays as it is.
    pub(crate) fn keep(mut self, path: impl Into<String>, value: impl Into<String>) -> Self {
        self.sets.push(Set::Kept(path.into(), value.into()));
        self
    }

    /// The same, with a name in a list of `without`.
    pub(crate) fn without(mut self, list: &'static str, name: impl Into<String>) -> Self {
        self.sets.push(Set::Without(list, name.into()));
        self
    }

    /// The same, with what a real network can have against it.
    pub(crate) fn helped_by(mut self, help: Option<Self>) -> Self {
        self.help = help.map(Box::new);
        self
    }

    /// True if it changes nothing.
    pub(crate) const fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    /// True if both take away the same thing.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        (self.cause, &self.place) == (other.cause, &other.place)
    }
}

/// Paths and values of several changes at once. `written` is what the scenario leaves out itself: a list of
/// `without` that a change writes keeps these names.
pub(crate) fn sets<'a>(
    changes: impl IntoIterator<Item = &'a Change>,
    written: &Without,
) -> Vec<(String, String)> {
    let mut values: Vec<(String, String)> = Vec::new();
    let mut kept: Vec<(String, String)> = Vec::new();
    let mut without: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
    for set in changes.into_iter().flat_map(|change| &change.sets) {
        match set {
            Set::Kept(path, value) => kept.push((path.clone(), value.clone())),
            Set::Value(path, value) => values.push((path.clone(), value.clone())),
            Set::Without(list, name) => without.entry(list).or_default().push(name.clone()),
        }
    }
    let changed: BTreeSet<&str> = values.iter().map(|(path, _)| path.as_str()).collect();
    kept.retain(|(path, _)| !changed.contains(path.as_str()));
    for (list, mut names) in without {
        names.extend_from_slice(match list {
            "flows" => &written.flows,
            "cells" => &written.cells,
            "overlap" => &written.overlap,
            _ => &written.distance,
        });
        names.sort_unstable();
        names.dedup();
        let names: Vec<String> =
            names.into_iter().map(|n| serde_json::json!(n).to_string()).collect();
        values.push((format!("without.{list}"), format!("[{}]", names.join(", "))));
    }
    kept.extend(values);
    // Equal changes of several places of one description.
    let mut seen = BTreeSet::new();
    kept.retain(|set| seen.insert(set.clone()));
    kept
}

/// Paths and values as arguments of `--set`.
pub(crate) fn written(sets: &[(String, String)]) -> Vec<String> {
    sets.iter().map(|(path, value)| format!("{path}={value}")).collect()
}

/// Most places that are named one by one.
const NAMED_PLACES: usize = 3;

/// Places as a list, of which the first are named.
pub(crate) fn joined<'s>(places: impl IntoIterator<Item = &'s str>) -> String {
    let mut names: Vec<&str> = Vec::new();
    for place in places {
        if !names.contains(&place) {
            names.push(place);
        }
    }
    match names.split_at_checked(NAMED_PLACES) {
        Some((first, rest)) if !rest.is_empty() => {
            format!("{} and {} more", first.join(", "), rest.len())
        }
        _ => match names.as_slice() {
            [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
            names => names.join(""),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_joined_and_what_is_changed_is_not_kept() {
        let forward = Change::new(Kind::Rate, Cause::LinkRate, "a")
            .set("links[0].rate", "2 Mb/s")
            .keep("links[0].reverse.rate", "1 Mb/s");
        let back = Change::new(Kind::Return, Cause::ReturnPath, "a (reverse)")
            .set("links[0].reverse.rate", "8 Mb/s");
        let far =
            |name: &str| Change::new(Kind::Slow, Cause::Distance, name).without("distance", name);
        let text = |changes: &[&Change]| -> Vec<String> {
            let written = Without { distance: vec!["c".to_owned()], ..Without::default() };
            let sets = sets(changes.iter().copied(), &written);
            sets.iter().map(|(path, value)| format!("{path}={value}")).collect()
        };
        assert_eq!(text(&[&forward]), ["links[0].reverse.rate=1 Mb/s", "links[0].rate=2 Mb/s"]);
        assert_eq!(
            text(&[&forward, &back]),
            ["links[0].rate=2 Mb/s", "links[0].reverse.rate=8 Mb/s"]
        );
        // What the scenario leaves out stays out.
        assert_eq!(text(&[&far("b"), &far("a")]), ["without.distance=[\"a\", \"b\", \"c\"]"]);
    }
}
