//! Expands ready-made topologies into links, and gives the ends of a default flow.

use airtcp_units::{BitRate, Span};

use crate::{Direction, LinkSpec, ScenarioError, Topology};

/// Maximum number of links or pairs, so that a typing error does not exhaust memory.
const MAX_SIZE: u32 = 10_000;

impl Topology {
    /// The links of the topology.
    pub(crate) fn links(&self) -> Result<Vec<LinkSpec>, ScenarioError> {
        match self {
            Self::Chain { hops, link, reverse } => {
                in_range("topology.hops", *hops)?;
                Ok((0..*hops)
                    .map(|i| LinkSpec {
                        name: Some(format!("hop{i}")),
                        from: format!("n{i}"),
                        to: format!("n{}", i + 1),
                        hops: None,
                        forward: (**link).clone(),
                        reverse: reverse.as_deref().cloned(),
                    })
                    .collect())
            }
            Self::Dumbbell { pairs, bottleneck, reverse, access, access_delays } => {
                in_range("topology.pairs", *pairs)?;
                let access = access.as_deref().cloned().unwrap_or_else(default_access);
                let mut links = vec![LinkSpec {
                    name: Some("bottleneck".into()),
                    from: "left".into(),
                    to: "right".into(),
                    hops: None,
                    forward: (**bottleneck).clone(),
                    reverse: reverse.as_deref().cloned(),
                }];
                for i in 0..*pairs {
                    let delay = access_delays.get(i as usize).or(access_delays.last()).copied();
                    let delay = delay.map(Into::into).or_else(|| access.delay.clone());
                    let near = Direction { delay, ..access.clone() };
                    links.push(edge(format!("s{i}"), "left".into(), near));
                    links.push(edge("right".into(), format!("r{i}"), access.clone()));
                }
                Ok(links)
            }
        }
    }

    /// The description of the repeated links, in both directions, and their number, cut to the accepted
    /// maximum.
    pub(crate) fn repeated(&self) -> ([Option<&Direction>; 2], u32) {
        match self {
            Self::Chain { hops, link, reverse } => {
                ([Some(link), reverse.as_deref()], MAX_SIZE.min(*hops))
            }
            Self::Dumbbell { pairs, access, .. } => {
                ([access.as_deref(), None], 2 * MAX_SIZE.min(*pairs))
            }
        }
    }

    /// Paths of the descriptions of the two directions of link `i`.
    pub(crate) fn paths(&self, i: usize) -> (&'static str, &'static str) {
        match self {
            Self::Chain { reverse: None, .. } => ("topology.link", "topology.link"),
            Self::Chain { .. } => ("topology.link", "topology.reverse"),
            Self::Dumbbell { .. } if i > 0 => ("topology.access", "topology.access"),
            Self::Dumbbell { reverse: None, .. } => ("topology.bottleneck", "topology.bottleneck"),
            Self::Dumbbell { .. } => ("topology.bottleneck", "topology.reverse"),
        }
    }

    /// The two ends of the default flow.
    pub(crate) fn ends(&self) -> (String, String) {
        match self {
            Self::Chain { hops, .. } => ("n0".into(), format!("n{hops}")),
            Self::Dumbbell { .. } => ("s*".into(), "r*".into()),
        }
    }
}

fn default_access() -> Direction {
    Direction {
        rate: Some(BitRate::from_mbps(1000).into()),
        delay: Some(Span::from_millis(1).into()),
        ..Direction::default()
    }
}

fn edge(from: String, to: String, direction: Direction) -> LinkSpec {
    LinkSpec { name: None, from, to, hops: None, forward: direction, reverse: None }
}

/// Checks a number of links.
pub(crate) fn in_range(path: &str, n: u32) -> Result<(), ScenarioError> {
    if (1..=MAX_SIZE).contains(&n) {
        return Ok(());
    }
    Err(ScenarioError::at(path, format!("is {n}: expected 1 to {MAX_SIZE}")))
}
