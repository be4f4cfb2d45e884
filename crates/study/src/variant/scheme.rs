//! One variant of a cell: what its text says, and what it sets in a scenario.
//!
//! ```text
//! base                    the scenario as written
//! edca                    mac.access = "edca", no scheme
//! ftca:exclusive=true     the scheme with a key; in a DCF cell it sets mac.access if it needs access categories
//! rts                     mac.rts_threshold = "100 B", or rts:threshold=1000 B; a lower threshold stays
//! ack-1                   an ACK for every segment in every TCP flow
//! fq-codel:target=10 ms   the queue of every station and of the access point, each with the capacity it has
//! ftca+rts                both
//! ```
//! A scheme replaces the schemes of the scenario. A plus sign joins two parts if a letter follows it. All
//! cells of the scenario get what a variant sets.

use airtcp_probe::{near, reworded};
use airtcp_scenario::{CellSpec, Scenario, TransportKind};
use airtcp_units::Bytes;
use airtcp_wifi::mac::AccessMethod;
use airtcp_wifi::scheme::SchemeConfig;
use serde_json::{Map, Value, json};

use crate::base::error::CompareError;
use crate::base::keys;
use crate::variant::queues;
use crate::variant::toml_value::inline;

/// The scenario as written.
pub(crate) const BASE: &str = "base";
const EDCA: &str = "edca";
const RTS: &str = "rts";
const ACK_1: &str = "ack-1";

/// Queue disciplines that `all` leaves out: what cells have anyway, and those for routers.
const NOT_FOR_CELLS: [&str; 5] = ["drop-tail", "red", "dualpi2", "jersey", "tbf"];

/// Schemes that need a key to act, in the form that `all` has.
const WITH_A_KEY: [(&str, &str); 1] = [("per-station", "per-station:controller={}")];

/// RTS before every data frame that is longer, MAC header included: all but those of TCP ACKs.
const RTS_THRESHOLD: &str = "100 B";

/// What one part of a variant sets.
#[derive(Debug, Clone, PartialEq)]
enum Part {
    Edca,
    Scheme(Box<SchemeConfig>, Value),
    /// RTS from this length on; `told` if the user names the length.
    Rts {
        threshold: Bytes,
        told: bool,
    },
    Ack1,
    Queue(Value),
}

/// A variant of a cell.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Variant {
    label: String,
    parts: Vec<Part>,
}

impl Variant {
    /// Reads a variant from its text.
    ///
    /// # Errors
    /// If a part has no such name, or a key or value is impossible.
    pub(crate) fn parse(text: &str) -> Result<Self, CompareError> {
        let text = text.trim();
        if keys::name(text) == BASE && text.len() == BASE.len() {
            return Ok(Self { label: BASE.to_owned(), parts: Vec::new() });
        }
        let (mut parts, mut labels): (Vec<Part>, Vec<String>) = (Vec::new(), Vec::new());
        for written in split(text) {
            let part = part(written)?;
            let same = |p: &Part| match (p, &part) {
                (Part::Scheme(a, _), Part::Scheme(b, _)) => a.scheme() == b.scheme(),
                (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
            };
            if parts.iter().any(same) {
                let message = "sets what a part before it sets: leave one of them out";
                return Err(CompareError::other(format!("\"{text}\": \"{written}\" {message}")));
            }
            parts.push(part);
            let keys = written.split_once(':').map(|(_, keys)| format!(":{}", keys.trim()));
            labels.push(keys::name(written) + &keys.unwrap_or_default());
        }
        Ok(Self { label: labels.join("+"), parts })
    }

    /// The text, as it stands in results.
    pub(crate) fn label(&self) -> &str {
        &self.label
    }

    /// Names of the variants that `all` stands for, the base first.
    pub(crate) fn all() -> Vec<&'static str> {
        let form = |name| WITH_A_KEY.iter().find(|known| known.0 == name).map_or(name, |f| f.1);
        let schemes = airtcp_wifi::scheme::registry().iter().map(|entry| form(entry.name));
        let queues = airtcp_queueing::registry().iter().map(|entry| entry.name);
        let queues = queues.filter(|name| !NOT_FOR_CELLS.contains(name));
        [BASE, EDCA].into_iter().chain(schemes).chain([RTS, ACK_1]).chain(queues).collect()
    }

    /// Puts the variant into a scenario, and says what it sets, as keys and values of the file.
    ///
    /// # Errors
    /// If it cannot act in this scenario.
    pub(crate) fn put(&self, scenario: &mut Scenario) -> Result<Vec<String>, CompareError> {
        let mut sets = Vec::new();
        for (number, cell) in scenario.cells.iter_mut().enumerate() {
            let at = format!("cells[{number}]");
            self.put_schemes(cell, &at, &mut sets);
            for part in &self.parts {
                match part {
                    // A cell that sends RTS before these frames keeps its threshold, unless one is named.
                    Part::Rts { threshold, told }
                        if cell
                            .mac
                            .rts_threshold
                            .is_none_or(|has| has > *threshold || (*told && has != *threshold)) =>
                    {
                        cell.mac.rts_threshold = Some(*threshold);
                        sets.push(format!("{at}.mac.rts_threshold = \"{threshold}\""));
                    }
                    Part::Queue(table) => {
                        let put = queues::put(cell, table, &at, &mut sets);
                        put.map_err(|e| CompareError::other(format!("\"{}\": {e}", self.label)))?;
                    }
                    _ => {}
                }
            }
        }
        if self.parts.contains(&Part::Ack1) {
            sets.extend(self.acknowledge_every(scenario)?);
        }
        Ok(sets)
    }

    /// Why a scenario into which the variant puts nothing is the scenario as written.
    pub(crate) fn unchanged(&self) -> &'static str {
        match self.parts[..] {
            [Part::Rts { .. }] => "the scenario already sends RTS before these frames",
            _ => "the scenario already has these values",
        }
    }

    /// True if the variant has a scheme.
    pub(crate) fn has_scheme(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Scheme(..)))
    }

    /// Puts the schemes into a cell, and the access method that they need.
    fn put_schemes(&self, cell: &mut CellSpec, at: &str, sets: &mut Vec<String>) {
        let chosen = self.parts.iter().filter_map(|part| match part {
            Part::Scheme(scheme, table) => Some(((**scheme).clone(), table.clone())),
            _ => None,
        });
        let (schemes, tables): (Vec<SchemeConfig>, Vec<Value>) = chosen.unzip();
        let edca = self.parts.contains(&Part::Edca);
        if schemes.is_empty() && !edca {
            return;
        }
        if cell.schemes != schemes {
            sets.push(format!("{at}.schemes = {}", inline(&Value::Array(tables))));
            cell.schemes = schemes;
        }
        if cell.mac.access == AccessMethod::Dcf && (edca || needs_edca(cell)) {
            cell.mac.access = AccessMethod::Edca;
            sets.push(format!("{at}.mac.access = \"edca\""));
        }
    }

    /// An ACK for every segment in every TCP flow.
    fn acknowledge_every(&self, scenario: &mut Scenario) -> Result<Option<String>, CompareError> {
        let flows = scenario.flows.iter_mut().filter(|f| f.transport == TransportKind::Tcp);
        let (mut any, mut changed) = (false, false);
        for flow in flows {
            any = true;
            changed |= flow.tcp.ack_every != 1;
            flow.tcp.ack_every = 1;
        }
        if !any {
            let message = "the scenario has no TCP flow";
            return Err(CompareError::other(format!("\"{}\": {message}", self.label)));
        }
        Ok(changed.then(|| "flows[*].tcp.ack_every = 1".to_owned()))
    }
}

/// True if the schemes of a cell with DCF act, or fail differently, with access categories.
fn needs_edca(cell: &CellSpec) -> bool {
    let Err((_, with_dcf)) = cell.seams() else { return false };
    let mut other = cell.clone();
    other.mac.access = AccessMethod::Edca;
    other.seams().err().is_none_or(|(_, with_edca)| with_edca != with_dcf)
}

/// Splits at the plus signs that a letter follows: `dcf+` has one in its name.
fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    let ends = |text: &str| {
        let joints = text.match_indices('+').map(|(i, _)| i);
        let letter = |i: &usize| text[i + 1..].trim_start().starts_with(char::is_alphabetic);
        joints.into_iter().find(letter)
    };
    while let Some(i) = ends(rest) {
        parts.push(rest[..i].trim());
        rest = &rest[i + 1..];
    }
    parts.push(rest.trim());
    parts
}

/// Reads one part.
fn part(text: &str) -> Result<Part, CompareError> {
    let name = keys::name(text);
    let refuse = |why: String| CompareError::other(format!("scheme \"{text}\": {why}"));
    let schemes = || airtcp_wifi::scheme::registry().iter().map(|entry| entry.name);
    let queues = || airtcp_queueing::registry().iter().map(|entry| entry.name);
    let bare = |part: Part| {
        if text.contains(':') {
            return Err(refuse(format!("\"{name}\" has no keys")));
        }
        Ok(part)
    };
    match name.as_str() {
        BASE => Err(refuse("the scenario as written stands by itself: it is not joined with others, and has no keys".to_owned())),
        EDCA => bare(Part::Edca),
        ACK_1 => bare(Part::Ack1),
        RTS => rts(text).map_err(refuse),
        name if schemes().any(|known| known == name) => {
            let table = keys::table("scheme", text).map_err(refuse)?;
            let config = keys::read("scheme", &table).map_err(refuse)?;
            Ok(Part::Scheme(Box::new(config), table))
        }
        name if queues().any(|known| known == name) => {
            keys::queue(text).map_err(refuse)?;
            Ok(Part::Queue(keys::table("kind", text).map_err(refuse)?))
        }
        name => {
            let known: Vec<&str> = [BASE, EDCA]
                .into_iter()
                .chain(schemes())
                .chain([RTS, ACK_1])
                .chain(queues())
                .collect();
            let found = near(name, known.iter().copied());
            let meant = if found.is_empty() {
                String::new()
            } else {
                format!("; did you mean \"{}\"?", found.join("\", \""))
            };
            let known = known.join(", ");
            Err(refuse(format!("there is none of this name{meant} (accepted: all, {known})")))
        }
    }
}

/// RTS with its threshold.
fn rts(text: &str) -> Result<Part, String> {
    let mut keys: Map<String, Value> = keys::keys(text)?;
    let named = keys.remove("threshold");
    let told = named.is_some();
    let threshold = named.unwrap_or_else(|| json!(RTS_THRESHOLD));
    if let Some(other) = keys.keys().next() {
        return Err(format!("there is no key \"{other}\" (accepted: threshold)"));
    }
    let threshold = serde_json::from_value(threshold).map_err(|e| reworded(&e.to_string()))?;
    Ok(Part::Rts { threshold, told })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keys_and_combinations() {
        for (text, label) in [
            ("base", "base"),
            ("EDCA", "edca"),
            ("ftca:exclusive=true", "ftca:exclusive=true"),
            (" rts:threshold=1000 B + ack-1", "rts:threshold=1000 B+ack-1"),
            ("ftca+fq-codel:target=10 ms", "ftca+fq-codel:target=10 ms"),
            ("same-category+leith-clifford", "same-category+leith-clifford"),
        ] {
            assert_eq!(Variant::parse(text).unwrap().label(), label);
        }
        assert_eq!(
            Variant::parse("rts").unwrap().parts,
            [Part::Rts { threshold: Bytes(100), told: false }]
        );
        assert_eq!(split("dcf+"), ["dcf+"]);
        assert_eq!(split("dcf++rts + dcf+"), ["dcf+", "rts", "dcf+"]);
        for name in Variant::all() {
            assert_eq!(Variant::parse(name).unwrap().label(), name);
        }
    }

    #[test]
    fn what_is_refused() {
        for (text, part) in [
            ("ftac", "did you mean \"ftca\""),
            ("nothing-like-it", "accepted: all, base, edca"),
            ("", "accepted: all, base"),
            ("ftca+", "accepted: all"),
            ("ftca:exklusive=true", "exclusive"),
            ("ftca:exclusive", "KEY=VALUE"),
            ("ftca:exclusive=7", "exclusive"),
            ("rts:treshold=1", "accepted: threshold"),
            ("rts:threshold=minus", "minus"),
            ("ack-1:every=2", "has no keys"),
            ("base+rts", "stands by itself"),
            ("base:x=1", "stands by itself"),
            ("ftca:scheme=tap", "scheme: the name before the colon"),
            ("codel:kind=pie", "kind: the name before the colon"),
            ("eln:x=1", "unknown key \"x\": there is none here"),
            ("ftca+ftca:exclusive=true", "leave one of them out"),
            ("codel+pie", "leave one of them out"),
            ("codel:target=0 s", "target"),
        ] {
            let message = Variant::parse(text).unwrap_err().to_string();
            assert!(message.contains(part), "{text}: {message}");
        }
    }
}
