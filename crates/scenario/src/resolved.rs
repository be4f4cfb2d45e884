//! A scenario ready to be built: every node, one-way link, cell and flow explicit.

use airtcp_sliding::SlidingConfig;
use airtcp_transport::lt::LtConfig;
use airtcp_transport::tcp::TcpConfig;
use airtcp_transport::tfrc::TfrcConfig;
use airtcp_units::Span;
use airtcp_wifi::mac::Category;

use crate::{Application, Cell, Direction, Scenario, TransportKind};

/// One direction of a link between two nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct OneWay {
    /// Name in results.
    pub name: String,
    /// Index of the node it leaves.
    pub from: usize,
    /// Index of the node it reaches.
    pub to: usize,
    /// Its properties. `queue`, `delay` and `loss` are always present.
    pub direction: Direction,
    /// Path in the scenario for errors, such as `links[0].forward`.
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
    /// Access category of its packets from `from` to `to`, and back.
    pub access_categories: [Category; 2],
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
    /// Maximum random delay of its start.
    pub start_spread: Span,
    /// True if it never starts, because `without` names it.
    pub taken_out: bool,
}

/// A scenario ready to be built.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolved {
    /// The scenario with topology expanded and flows explicit. Results contain it.
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

/// One direction between two nodes of a cell that exchange frames.
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
    /// The number of the scenario's table `flows` that makes a flow; 0 for a flow that no table makes.
    pub fn table_of(&self, flow: usize) -> usize {
        let mut before = 0;
        let made = self.scenario.flows.iter().position(|table| {
            before += table.count as usize;
            flow < before
        });
        made.unwrap_or(0)
    }

    /// The hops through the air: for each station of each cell, towards the access point and back. Routes
    /// number them after the links.
    pub fn air_hops(&self) -> Vec<AirHop> {
        let hops = |(cell, c): (usize, &Cell)| {
            let both = move |i| {
                let next = c.spec.hops.next_to_access_point(i);
                [AirHop { cell, from: i, to: next }, AirHop { cell, from: next, to: i }]
            };
            (1..c.nodes.len()).flat_map(both).collect::<Vec<_>>()
        };
        self.cells.iter().enumerate().flat_map(hops).collect()
    }

    /// The hop through the air of a number in [`air_hops`](Self::air_hops).
    pub fn air_hop(&self, number: usize) -> Option<AirHop> {
        let mut rest = number;
        for (cell, c) in self.cells.iter().enumerate() {
            let hops = 2 * c.nodes.len().saturating_sub(1);
            if rest < hops {
                let (i, back) = (1 + rest / 2, rest % 2 == 1);
                let next = c.spec.hops.next_to_access_point(i);
                let (from, to) = if back { (next, i) } else { (i, next) };
                return Some(AirHop { cell, from, to });
            }
            rest -= hops;
        }
        None
    }

    /// The nodes where real traffic enters and leaves, as indices of [`nodes`](Self::nodes): those that `outside` names, or
    /// the two ends of the first flow.
    pub fn outside_nodes(&self) -> Vec<usize> {
        let named = self.scenario.outside.iter();
        let named: Vec<usize> =
            named.filter_map(|o| self.nodes.iter().position(|node| *node == o.node)).collect();
        match self.flows.first() {
            Some(flow) if named.is_empty() => vec![flow.from, flow.to],
            _ => named,
        }
    }
}
