//! Resolves a scenario: makes every node, one-way link, cell and flow explicit.
//!
//! It expands counts and topologies (`expand.rs`), fills in defaults, and refuses inconsistent values with
//! their paths.

use std::collections::BTreeMap;

use airtcp_sliding::SlidingConfig;
use airtcp_transport::lt::LtConfig;
use airtcp_transport::tcp::TcpConfig;
use airtcp_transport::tfrc::TfrcConfig;
use airtcp_units::{Narrow, Span};
use airtcp_wifi::mac::Category;

use crate::expand::{self, LinkPaths};
use crate::{
    Application, CellSpec, FlowSpec, OneWay, Resolved, Scenario, ScenarioError, Topology,
    TransportKind,
};

mod cells;
mod directions;
mod flows;
mod nodes;
mod without;

use nodes::Nodes;

/// Maximum number of results (of flows and directions of links, over all replications): about 2 GB.
const MAX_RESULTS: u64 = 2_000_000;

impl Scenario {
    /// Expands topology, defaults and counts, and checks the consistency of the scenario.
    ///
    /// # Errors
    /// The first inconsistency, with its path.
    pub fn resolve(&self) -> Result<Resolved, ScenarioError> {
        let mut scenario = self.clone();
        scenario.check_times()?;
        scenario.add_default_flow()?;
        let places = expand::expand(&mut scenario)?;
        scenario.cells.iter_mut().for_each(CellSpec::fill_queues);
        let mut nodes = Nodes::default();
        let links = scenario.one_way_links(&places, &mut nodes);
        unique_names(&links, &places)?;
        without::part_cells(&scenario.without, &mut scenario.cells)?;
        let mut cells = cells::resolve(&scenario.cells, &mut nodes)?;
        if scenario.flows.is_empty() {
            return Err(ScenarioError::at("flows", "is empty: add a [[flows]] with from and to"));
        }
        flows::check_categories(&scenario.flows, &cells)?;
        let mut flows = flows::resolve(&scenario.flows, &nodes)?;
        without::apply(&scenario.without, &mut flows, &mut cells)?;
        let results = u64::from(scenario.replications) * (flows.len() + links.len()) as u64;
        if results > MAX_RESULTS {
            return Err(ScenarioError::at(
                "replications",
                format!(
                    "is {}: with {} flows and {} directions of links that makes {results} \
                     results to keep; expected up to {MAX_RESULTS}",
                    scenario.replications,
                    flows.len(),
                    links.len()
                ),
            ));
        }
        crate::outside::check(&scenario.outside, &nodes.names)?;
        Ok(Resolved { scenario, nodes: nodes.names, links, cells, flows })
    }

    /// Without flows, adds one over the topology or over the only link, or one from each station of the
    /// only cell.
    pub(crate) fn add_default_flow(&mut self) -> Result<(), ScenarioError> {
        let ends = self.topology.as_ref().map(Topology::ends);
        if let Some(ends) = ends.filter(|_| self.flows.is_empty()) {
            self.flows.push(default_flow(&ends));
        }
        let none = self.links.is_empty() && self.topology.is_none();
        if none && self.cells.is_empty() {
            let message = "is empty: add a [[links]], a [[cells]] or a [topology]";
            return Err(ScenarioError::at("links", message));
        }
        if self.flows.is_empty()
            && none
            && let [cell] = self.cells.as_slice()
        {
            let ends = (format!("{}*", cell.prefix), cell.access_point.clone());
            let count = u32::narrow(cell.layout.stations());
            self.flows.push(FlowSpec { count, ..default_flow(&ends) });
        }
        if self.flows.is_empty() && self.links.len() == 1 {
            let link = &self.links[0];
            self.flows.push(default_flow(&(link.from.clone(), link.to.clone())));
        }
        Ok(())
    }

    /// Both directions of every link. Adds the nodes that the links name.
    fn one_way_links(&self, places: &[LinkPaths], nodes: &mut Nodes) -> Vec<OneWay> {
        let mut links = Vec::new();
        for (spec, place) in self.links.iter().zip(places) {
            let (from, to) = (nodes.add(&spec.from), nodes.add(&spec.to));
            let name = spec.name();
            let forward = spec.forward.completed();
            let reverse = spec.reverse.clone().unwrap_or_default().completed_from(&forward);
            let (path, path_back) = (place.forward.clone(), place.reverse.clone());
            links.push(OneWay { name: name.clone(), from, to, direction: forward, path });
            links.push(OneWay {
                name: format!("{name} (reverse)"),
                from: to,
                to: from,
                direction: reverse,
                path: path_back,
            });
        }
        links
    }

    fn check_times(&self) -> Result<(), ScenarioError> {
        if self.duration == Span::ZERO {
            return Err(ScenarioError::at("duration", "is 0 s: give a time such as \"60 s\""));
        }
        if self.duration > Span::from_secs(10_000_000) {
            return Err(ScenarioError::at(
                "duration",
                format!("is {}: accepted is up to 10000000 s", self.duration),
            ));
        }
        if self.warmup >= self.duration {
            return Err(ScenarioError::at(
                "warmup",
                format!("is {}, not shorter than duration ({})", self.warmup, self.duration),
            ));
        }
        if !(1..=1_000_000).contains(&self.replications) {
            return Err(ScenarioError::at(
                "replications",
                format!("is {}: expected 1 to 1000000", self.replications),
            ));
        }
        Ok(())
    }
}

fn default_flow(ends: &(String, String)) -> FlowSpec {
    FlowSpec {
        name: None,
        from: ends.0.clone(),
        to: ends.1.clone(),
        count: 1,
        transport: TransportKind::Tcp,
        access_category: Category::default(),
        reverse_access_category: None,
        tcp: TcpConfig::default(),
        tfrc: TfrcConfig::default(),
        sliding: SlidingConfig::default(),
        lt: LtConfig::default(),
        app: Application::default(),
        start_spread: Span::ZERO,
    }
}

fn unique_names(links: &[OneWay], places: &[LinkPaths]) -> Result<(), ScenarioError> {
    let mut seen = BTreeMap::new();
    for (i, link) in links.iter().enumerate() {
        if let Some(first) = seen.insert(&link.name, i) {
            return Err(ScenarioError::at(
                format!("{}.name", places[i / 2].link),
                format!(
                    "\"{}\" is also the name of {}: give each link a name of its own",
                    link.name,
                    places[first / 2].link
                ),
            ));
        }
    }
    Ok(())
}
