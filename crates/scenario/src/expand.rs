//! Expands the topology and links of several hops into single links. Keeps the path of each link's
//! description in the scenario, for errors.

use airtcp_units::Span;
use serde::Serialize;

use crate::limits::{EMPTY_NAME, MAX_PARTS};
use crate::topology::in_range;
use crate::{LinkSpec, Scenario, ScenarioError};

/// Maximum size of the text of all links expanded from one description. The links built from it take ten
/// times as much memory.
const MAX_TEXT_BYTES: usize = 64_000_000;

/// Paths of the parts of a link in the scenario as written.
#[derive(Debug, Clone)]
pub(crate) struct LinkPaths {
    pub(crate) link: String,
    pub(crate) forward: String,
    pub(crate) reverse: String,
}

/// Puts the links of the topology before the scenario's links, and replaces each link of several hops by
/// its hops.
///
/// # Errors
/// The first impossible link.
pub(crate) fn expand(scenario: &mut Scenario) -> Result<Vec<LinkPaths>, ScenarioError> {
    let (mut links, mut places) = (Vec::new(), Vec::new());
    if let Some(topology) = scenario.topology.take() {
        let (described, count) = topology.repeated();
        check_text_size(&described, count as usize, topology.paths(count as usize).0)?;
        links = topology.links()?;
        places.extend((0..links.len()).map(|i| {
            let (forward, reverse) = topology.paths(i);
            let (forward, reverse) = (forward.to_owned(), reverse.to_owned());
            LinkPaths { link: forward.clone(), forward, reverse }
        }));
        for (link, place) in links.iter().zip(&places) {
            check(link, place)?;
        }
    }
    for (i, written) in std::mem::take(&mut scenario.links).into_iter().enumerate() {
        let link = format!("links[{i}]");
        let (forward, reverse) = (format!("{link}.forward"), format!("{link}.reverse"));
        let place = LinkPaths { link, forward, reverse };
        check(&written, &place)?;
        if let Some(hops) = written.hops {
            let at = format!("{}.hops", place.link);
            check_text_size(&written, hops as usize, &at)?;
            let made = |node: &str| (1..hops).any(|i| node == written.hop_node(i));
            if made(&written.from) || made(&written.to) {
                let first = written.hop_node(1);
                let message = format!(
                    "makes nodes \"{first}\" and on, and one of them is an end of the link: \
                     give the link another name"
                );
                return Err(ScenarioError::at(at, message));
            }
        }
        let hops = written.hops();
        if links.len() + hops.len() > MAX_PARTS {
            let message = format!("is beyond the {MAX_PARTS} links that a scenario may have");
            return Err(ScenarioError::at(place.link, message));
        }
        places.extend(std::iter::repeat_n(place, hops.len()));
        links.extend(hops);
    }
    scenario.links = links;
    Ok(places)
}

/// Refuses a number of copies that would take gigabytes.
fn check_text_size<T: Serialize>(link: &T, count: usize, at: &str) -> Result<(), ScenarioError> {
    let length = serde_json::to_string(link).map_or(0, |text| text.len());
    if length.saturating_mul(count) <= MAX_TEXT_BYTES {
        return Ok(());
    }
    let message = format!(
        "makes {count} links that take {length} bytes each to describe: expected {} MB in all",
        MAX_TEXT_BYTES / 1_000_000
    );
    Err(ScenarioError::at(at, message))
}

impl LinkSpec {
    /// Name in results.
    pub(crate) fn name(&self) -> String {
        self.name.clone().unwrap_or_else(|| format!("{}-{}", self.from, self.to))
    }

    /// Name of the node after hop `i`.
    fn hop_node(&self, i: u32) -> String {
        format!("{}-{i}", self.name())
    }

    /// The single links, one per hop.
    fn hops(self) -> Vec<Self> {
        let Some(hops) = self.hops else { return vec![self] };
        let name = self.name();
        let node = |i: u32| match i {
            0 => self.from.clone(),
            i if i == hops => self.to.clone(),
            i => self.hop_node(i),
        };
        (0..hops)
            .map(|i| Self {
                name: Some(format!("{name} {}", i + 1)),
                from: node(i),
                to: node(i + 1),
                hops: None,
                ..self.clone()
            })
            .collect()
    }
}

fn check(spec: &LinkSpec, place: &LinkPaths) -> Result<(), ScenarioError> {
    let link = &place.link;
    for (key, name) in
        [("from", Some(&spec.from)), ("to", Some(&spec.to)), ("name", spec.name.as_ref())]
    {
        if name.is_some_and(String::is_empty) {
            return Err(ScenarioError::at(format!("{link}.{key}"), EMPTY_NAME));
        }
    }
    if spec.from == spec.to {
        return Err(ScenarioError::at(
            format!("{link}.to"),
            format!("is \"{}\", the same node as from: a link joins two nodes", spec.to),
        ));
    }
    if let Some(hops) = spec.hops {
        in_range(&format!("{link}.hops"), hops)?;
    }
    for (at, direction) in
        [(&place.forward, Some(&spec.forward)), (&place.reverse, spec.reverse.as_ref())]
    {
        let Some(direction) = direction else { continue };
        if direction.rate.is_some() && direction.slot.is_some() {
            return Err(ScenarioError::at(
                format!("{at}.slot"),
                "and rate exclude one another: a link sends at a rate or one packet a slot",
            ));
        }
        if direction.slot == Some(Span::ZERO) {
            return Err(ScenarioError::at(
                format!("{at}.slot"),
                "is 0 s: give a time such as \"10 ms\"",
            ));
        }
        if let Some(mtu) = direction.mtu
            && !(68..=65_535).contains(&mtu.0)
        {
            return Err(ScenarioError::at(
                format!("{at}.mtu"),
                format!("is {mtu}: expected 68 B (RFC 791) to 65535 B"),
            ));
        }
    }
    Ok(())
}
