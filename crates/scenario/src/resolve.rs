//! From what was written to what will be built: every node, one-way link and flow explicit.

use std::collections::BTreeMap;

use airtcp_link::LinkConfig;
use airtcp_transport::lt::LtConfig;
use airtcp_transport::sliding::SlidingConfig;
use airtcp_transport::tcp::TcpConfig;
use airtcp_transport::tfrc::TfrcConfig;
use airtcp_units::{Probability, Span};

use airtcp_wifi::mac::Category;

use crate::written::{self, Place};
use crate::{
    Application, Cell, CellSpec, Direction, FlowSpec, Scenario, ScenarioError, Topology,
    TransportKind,
};

/// Most flows, nodes or links in one scenario.
pub(crate) const MAX_PARTS: usize = 100_000;

/// Most results (of flows and directions of links, over all replications): about 2 GB.
const MAX_RESULTS: u64 = 2_000_000;

pub(crate) const EMPTY_NAME: &str = "is \"\": a name has at least one character";

/// One direction of a link between two nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct OneWay {
    /// Name in results.
    pub name: String,
    /// Index of the node it leaves.
    pub from: usize,
    /// Index of the node it reaches.
    pub to: usize,
    /// What it is. `queue`, `delay` and `loss` are always present.
    pub direction: Direction,
    /// Path to where the scenario describes it, such as `links[0].forward`: for errors.
    pub path: String,
}

/// One flow.
#[derive(Debug, Clone, PartialEq)]
pub struct Flow {
    /// Name in results.
    pub name: String,
    /// Index of the node that opens it.
    pub from: usize,
    /// Index of the node at the other end.
    pub to: usize,
    /// Transport protocol.
    pub transport: TransportKind,
    /// Access category of its packets.
    pub access_category: Category,
    /// TCP parameters.
    pub tcp: TcpConfig,
    /// TFRC parameters.
    pub tfrc: TfrcConfig,
    /// Parameters of the sliding-window transport.
    pub sliding: SlidingConfig,
    /// LT-TCP parameters.
    pub lt: LtConfig,
    /// Application.
    pub app: Application,
    /// Largest random delay of its start.
    pub start_spread: Span,
}

/// A scenario ready to be built.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolved {
    /// The scenario as written, with topology expanded and flows explicit: what is stored with
    /// results.
    pub scenario: Scenario,
    /// Names of the nodes.
    pub nodes: Vec<String>,
    /// One-way links; a full-duplex link gives two, the forward one first.
    pub links: Vec<OneWay>,
    /// 802.11 cells.
    pub cells: Vec<Cell>,
    /// Flows.
    pub flows: Vec<Flow>,
}

/// One direction between a station and its access point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AirHop {
    /// Number of the cell.
    pub cell: usize,
    /// Station it leaves, by its number in the cell; 0 is the access point.
    pub from: usize,
    /// Station it reaches.
    pub to: usize,
}

impl Resolved {
    /// The hops through the air: of each cell, of each station, up and then down. A route counts
    /// them after the links.
    pub fn air_hops(&self) -> Vec<AirHop> {
        let hops = |(cell, c): (usize, &Cell)| {
            let both = move |i| [AirHop { cell, from: i, to: 0 }, AirHop { cell, from: 0, to: i }];
            (1..c.nodes.len()).flat_map(both).collect::<Vec<_>>()
        };
        self.cells.iter().enumerate().flat_map(hops).collect()
    }
}

impl Scenario {
    /// Expands topology, defaults and counts, and checks that everything fits together.
    ///
    /// # Errors
    /// The first thing that does not fit, with its path.
    pub fn resolve(&self) -> Result<Resolved, ScenarioError> {
        let mut scenario = self.clone();
        scenario.check_times()?;
        let ends = scenario.topology.as_ref().map(Topology::ends);
        if let Some(ends) = ends.filter(|_| scenario.flows.is_empty()) {
            scenario.flows.push(default_flow(&ends));
        }
        let none = scenario.links.is_empty() && scenario.topology.is_none();
        if none && scenario.cells.is_empty() {
            let message = "is empty: add a [[links]], a [[cells]] or a [topology]";
            return Err(ScenarioError::at("links", message));
        }
        if scenario.flows.is_empty()
            && none
            && let [cell] = scenario.cells.as_slice()
        {
            let ends = (format!("{}*", cell.prefix), cell.access_point.clone());
            let count = cell.layout.stations() as u32;
            scenario.flows.push(FlowSpec { count, ..default_flow(&ends) });
        }
        if scenario.flows.is_empty() && scenario.links.len() == 1 {
            let link = &scenario.links[0];
            scenario.flows.push(default_flow(&(link.from.clone(), link.to.clone())));
        }
        let places = written::expand(&mut scenario)?;
        let mut nodes = Vec::new();
        let mut index = BTreeMap::new();
        let mut links = Vec::new();
        for (spec, place) in scenario.links.iter().zip(&places) {
            let mut node = |name: &String| {
                *index.entry(name.clone()).or_insert_with(|| {
                    nodes.push(name.clone());
                    nodes.len() - 1
                })
            };
            let (from, to) = (node(&spec.from), node(&spec.to));
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
        unique_names(&links, &places)?;
        let cells = resolve_cells(&scenario.cells, &mut nodes, &mut index)?;
        if scenario.flows.is_empty() {
            return Err(ScenarioError::at("flows", "is empty: add a [[flows]] with from and to"));
        }
        let flows = resolve_flows(&scenario.flows, &index)?;
        let results = u64::from(scenario.replications) * (flows.len() + links.len()) as u64;
        if results > MAX_RESULTS {
            return Err(ScenarioError::at(
                "replications",
                format!(
                    "is {}: with {} flows and {} directions of links that makes {results} \
                     results to keep; accepted are up to {MAX_RESULTS}",
                    scenario.replications,
                    flows.len(),
                    links.len()
                ),
            ));
        }
        Ok(Resolved { scenario, nodes, links, cells, flows })
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
                format!("is {}: accepted are 1 to 1000000", self.replications),
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
        tcp: TcpConfig::default(),
        tfrc: TfrcConfig::default(),
        sliding: SlidingConfig::default(),
        lt: LtConfig::default(),
        app: Application::default(),
        start_spread: Span::ZERO,
    }
}

impl Direction {
    /// The link this direction describes, without its queue.
    pub fn link_config(&self) -> LinkConfig {
        LinkConfig {
            rate: self.rate,
            slot: self.slot,
            delay: self.delay.unwrap_or(Span::ZERO),
            mtu: self.mtu,
            loss: self.loss.clone().unwrap_or_default(),
            jitter: self.jitter.clone(),
            reordering: self.reordering.clone(),
            duplication: self.duplication.unwrap_or(Probability::ZERO),
            protocol: self.protocol.clone().unwrap_or_default(),
        }
    }

    /// Fills in the defaults of a forward direction.
    fn completed(&self) -> Self {
        Self {
            delay: Some(self.delay.unwrap_or(Span::ZERO)),
            queue: Some(self.queue.clone().unwrap_or_default()),
            loss: Some(self.loss.clone().unwrap_or_default()),
            ..self.clone()
        }
    }

    /// Fills in a reverse direction from its forward one.
    fn completed_from(&self, forward: &Self) -> Self {
        let own_pace = self.rate.is_some() || self.slot.is_some();
        Self {
            rate: if own_pace { self.rate } else { forward.rate },
            slot: if own_pace { self.slot } else { forward.slot },
            delay: self.delay.or(forward.delay),
            queue: self.queue.clone().or_else(|| forward.queue.clone()),
            mtu: self.mtu.or(forward.mtu),
            loss: Some(self.loss.clone().unwrap_or_default()),
            reordering: self.reordering.clone(),
            duplication: self.duplication,
            jitter: self.jitter.clone(),
            protocol: self.protocol.clone().or_else(|| forward.protocol.clone()),
        }
    }
}

fn unique_names(links: &[OneWay], places: &[Place]) -> Result<(), ScenarioError> {
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

fn resolve_cells(
    specs: &[CellSpec],
    nodes: &mut Vec<String>,
    index: &mut BTreeMap<String, usize>,
) -> Result<Vec<Cell>, ScenarioError> {
    let mut owner: BTreeMap<usize, String> = BTreeMap::new();
    let mut cells: Vec<Cell> = Vec::new();
    for (i, spec) in specs.iter().enumerate() {
        let path = format!("cells[{i}]");
        spec.check(&path)?;
        if let Some(first) = cells.iter().position(|c| c.spec.name == spec.name) {
            let message = format!(
                "\"{}\" is also the name of cells[{first}]: give each cell a name of its own",
                spec.name
            );
            return Err(ScenarioError::at(format!("{path}.name"), message));
        }
        let mut own = Vec::new();
        for name in spec.node_names() {
            let node = *index.entry(name.clone()).or_insert_with(|| {
                nodes.push(name.clone());
                nodes.len() - 1
            });
            if let Some(other) = owner.insert(node, spec.name.clone()) {
                let key = if own.is_empty() { "access_point" } else { "prefix" };
                let message = format!(
                    "makes a node \"{name}\", which cell \"{other}\" has already: choose another"
                );
                return Err(ScenarioError::at(format!("{path}.{key}"), message));
            }
            own.push(node);
        }
        let neighbours = Vec::new();
        cells.push(Cell { spec: spec.clone(), nodes: own, path, neighbours });
    }
    crate::medium::join(&mut cells)?;
    Ok(cells)
}

fn resolve_flows(
    specs: &[FlowSpec],
    index: &BTreeMap<String, usize>,
) -> Result<Vec<Flow>, ScenarioError> {
    let mut flows: Vec<Flow> = Vec::new();
    let mut names = BTreeMap::new();
    for (i, spec) in specs.iter().enumerate() {
        let at = |key: &str| format!("flows[{i}].{key}");
        if spec.name.as_deref() == Some("") {
            return Err(ScenarioError::at(at("name"), EMPTY_NAME));
        }
        let total = flows.len() + spec.count as usize;
        if spec.count == 0 || total > MAX_PARTS {
            return Err(ScenarioError::at(
                at("count"),
                format!("is {}: accepted are 1 to {MAX_PARTS} flows in all", spec.count),
            ));
        }
        if let Some((key, message)) = spec.app.fault() {
            return Err(ScenarioError::at(at(&format!("app.{key}")), message));
        }
        check_transport(spec, &at)?;
        for n in 0..spec.count {
            let node = |key: &str, name: &str| {
                let name = name.replace('*', &n.to_string());
                index.get(&name).copied().ok_or_else(|| unknown_node(at(key), &name, index))
            };
            let (from, to) = (node("from", &spec.from)?, node("to", &spec.to)?);
            if from == to {
                return Err(ScenarioError::at(at("to"), "is the same node as from"));
            }
            let name = match (&spec.name, spec.count) {
                (Some(name), 1) => name.clone(),
                (Some(name), _) => format!("{name}{n}"),
                (None, _) => format!("flow{}", flows.len()),
            };
            // Its name is also where a flow's random draws come from.
            if let Some(first) = names.insert(name.clone(), i) {
                return Err(ScenarioError::at(
                    at("name"),
                    format!(
                        "\"{name}\" is also the name of one of flows[{first}]: give each flow a \
                         name of its own"
                    ),
                ));
            }
            flows.push(Flow {
                name,
                from,
                to,
                transport: spec.transport,
                access_category: spec.access_category,
                tcp: spec.tcp.clone(),
                tfrc: spec.tfrc,
                sliding: spec.sliding,
                lt: spec.lt,
                app: spec.app.clone(),
                start_spread: spec.start_spread,
            });
        }
    }
    Ok(flows)
}

fn unknown_node(path: String, name: &str, index: &BTreeMap<String, usize>) -> ScenarioError {
    let names: Vec<&str> = index.keys().map(String::as_str).take(20).collect();
    ScenarioError::at(
        path,
        format!("no link or cell has a node \"{name}\" (nodes: {})", names.join(", ")),
    )
}

fn check_transport(spec: &FlowSpec, at: &dyn Fn(&str) -> String) -> Result<(), ScenarioError> {
    match spec.transport {
        TransportKind::LtTcp => {
            spec.tcp.validate().map_err(|e| ScenarioError::at(at("tcp"), e.to_string()))?;
            spec.lt.validate_with(&spec.tcp).map_err(|e| ScenarioError::at(at("lt"), e.to_string()))
        }
        TransportKind::Tcp => {
            spec.tcp.validate().map_err(|e| ScenarioError::at(at("tcp"), e.to_string()))
        }
        TransportKind::Sliding => {
            spec.sliding.validate().map_err(|e| ScenarioError::at(at("sliding"), e.to_string()))
        }
        TransportKind::Tfrc => {
            spec.tfrc.validate().map_err(|e| ScenarioError::at(at("tfrc"), e.to_string()))?;
            match &spec.app {
                Application::ConstantRate { message, .. } | Application::OnOff { message, .. } => {
                    if (1..=65_000).contains(&message.0) {
                        return Ok(());
                    }
                    Err(ScenarioError::at(
                        at("app.message"),
                        format!("is {message}: a TFRC packet carries 1 to 65000 B"),
                    ))
                }
                Application::Bulk { .. } => Ok(()),
                Application::RequestResponse { .. } => Err(ScenarioError::at(
                    at("app.kind"),
                    "needs a reliable stream: with transport = \"tfrc\" use \"bulk\", \"constant-rate\" or \"on-off\"",
                )),
            }
        }
        TransportKind::Udp => match &spec.app {
            Application::ConstantRate { message, .. } | Application::OnOff { message, .. } => {
                if (1..=65_507).contains(&message.0) {
                    return Ok(());
                }
                Err(ScenarioError::at(
                    at("app.message"),
                    format!("is {message}: a UDP datagram carries 1 to 65507 B"),
                ))
            }
            Application::Bulk { .. } | Application::RequestResponse { .. } => {
                Err(ScenarioError::at(
                    at("app.kind"),
                    "needs a reliable stream: with transport = \"udp\" use \"constant-rate\" or \"on-off\"",
                ))
            }
        },
    }
}
