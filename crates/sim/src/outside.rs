//! A world with traffic from outside: records of real packets enter at nodes and leave at others, and the driver says
//! until when the world runs.
//!
//! ```text
//! inject          a packet enters at its time; the world runs until then
//! run_until       the world runs; the probe hears of what leaves, is dropped or copied
//! next_event      when something happens next
//! change          links take other rates, delays and losses, now
//! ```
//! Time is that of events. A driver that calls late, or in smaller steps, changes nothing: only the order and the times
//! of the packets that enter have an effect. There is no end, and a scenario's `duration` has no meaning.
//!
//! The ends of real flows are endpoints as those of simulated flows, so that queues tell flows apart. Each pair of ports
//! has as many as the driver asks for, in the place of the first simulated flow between the two nodes, and with its access
//! categories, or with those of the packets' DSCP in a cell with `dscp`.

use airtcp_packet::{EndpointId, Segment, Side};
use airtcp_probe::{EventSource, Probe};
use airtcp_random::Seed;
use airtcp_scenario::{Flow, MAX_PACKET, Resolved, ScenarioError, TransportKind};
use airtcp_transport::tcp::LossNotification;
use airtcp_units::{Nanos, Narrow};

use crate::build::boundary::{scheme_name, scheme_of};
use crate::build::check::check_flows;
use crate::build::paths::{path, routes};
use crate::build::{TraceLoader, build};
use crate::results::place;
use crate::world::World;

mod change;
mod state;

/// A world with traffic from outside.
pub struct Outside<P: Probe> {
    world: World<P>,
    plan: Resolved,
    /// The plan as it was given, and as it was changed since.
    given: Resolved,
    changes: u64,
    ports: Vec<usize>,
    pairs: Vec<Pair>,
    slots: u32,
}

/// Two ports, and the first of the flows between them.
struct Pair {
    ports: [usize; 2],
    first: u32,
}

impl<P: Probe> Outside<P> {
    /// Builds the world, with `slots` flows for each pair of ports.
    ///
    /// # Errors
    /// If the scenario cannot run, or has parts that cannot do with real traffic.
    pub fn begin(
        plan: &Resolved,
        slots: u32,
        load: &TraceLoader<'_>,
        probe: P,
    ) -> Result<Self, ScenarioError> {
        let (given, ports) = (plan.clone(), plan.outside_nodes());
        let mut plan = plan.clone();
        refuse(&plan)?;
        check_flows(&plan)?;
        let first = plan.flows.len();
        let pairs = open(&mut plan, &ports, slots)?;
        let mut world = build(&plan, Seed::new(plan.scenario.seed), load, probe)?;
        world.open_from(2 * first);
        plan.flows.truncate(first);
        Ok(Self { world, plan, given, changes: 0, ports, pairs, slots })
    }

    /// Names of the nodes where packets enter and leave, in the order of the ports.
    pub fn ports(&self) -> impl Iterator<Item = &str> {
        self.ports.iter().map(|node| self.plan.nodes[*node].as_str())
    }

    /// The end, at port `to`, of flow number `slot` between two ports.
    pub fn end(&self, from: usize, to: usize, slot: u32) -> Option<EndpointId> {
        let pair = self.pairs.iter().find(|pair| {
            let [a, b] = pair.ports;
            (a, b) == (from, to) || (b, a) == (from, to)
        })?;
        let side = if pair.ports[0] == to { Side::Client } else { Side::Server };
        (slot < self.slots).then(|| EndpointId::new(pair.first + slot, side))
    }

    /// The port where an end is, and the number of its flow; `None` for the ends of simulated flows.
    pub fn port(&self, end: EndpointId) -> Option<(usize, u32)> {
        let pair = self.pairs.iter().rev().find(|pair| pair.first <= end.flow())?;
        Some((pair.ports[end.side() as usize], end.flow() - pair.first))
    }

    /// A packet for the end `to` enters at the other end, at `at`, or now if that has passed. Returns the time. What is due
    /// until then happens before.
    pub fn inject(&mut self, to: EndpointId, segment: Segment, at: Nanos) -> Nanos {
        let at = at.max(self.now());
        self.run_until(at);
        // No station carries longer packets; links have an `mtu` of their own.
        let longest = if self.plan.cells.is_empty() { u64::MAX } else { MAX_PACKET };
        self.world.inject(to, segment, longest);
        at
    }

    /// Runs all events until `until`.
    pub fn run_until(&mut self, until: Nanos) {
        if until >= self.now() {
            self.world.run_until(until, u64::MAX);
        }
    }

    /// Time of the next event, if there is one. It may come earlier if a packet enters.
    pub fn next_event(&mut self) -> Option<Nanos> {
        self.world.next_event()
    }

    /// The time until which the world has run.
    pub const fn now(&self) -> Nanos {
        self.world.now()
    }

    /// Events so far.
    pub const fn events(&self) -> u64 {
        self.world.events()
    }

    /// The probe.
    pub const fn probe(&self) -> &P {
        self.world.probe()
    }

    /// The probe, to say what enters next and to take what it has recorded.
    pub const fn probe_mut(&mut self) -> &mut P {
        self.world.probe_mut()
    }

    /// The plan, with the flows that are simulated.
    pub const fn plan(&self) -> &Resolved {
        &self.plan
    }

    /// Name of the link or station that dropped a packet, as in the results of a run.
    pub fn place(&self, source: EventSource, part: u32) -> String {
        place(&self.world, &self.plan, source.place(part))
    }
}

/// Adds the flows between each pair of ports.
fn open(plan: &mut Resolved, ports: &[usize], slots: u32) -> Result<Vec<Pair>, ScenarioError> {
    let mut pairs = Vec::new();
    for (a, from) in ports.iter().enumerate() {
        for (b, to) in ports.iter().enumerate().skip(a + 1) {
            pairs.push(Pair { ports: [a, b], first: u32::narrow(plan.flows.len()) });
            let flow = take_place(plan, (*from, *to))?;
            let ends = [from, to].map(|node| plan.nodes[*node].as_str()).join("/");
            let added =
                (0..slots).map(|n| Flow { name: format!("outside/{ends}/{n}"), ..flow.clone() });
            plan.flows.extend(added);
            check_path(plan, (*from, *to))?;
        }
    }
    Ok(pairs)
}

/// A real flow between two nodes. The first simulated flow between them never starts.
fn take_place(plan: &mut Resolved, pair: (usize, usize)) -> Result<Flow, ScenarioError> {
    let between = |f: &Flow| (f.from, f.to) == pair || (f.to, f.from) == pair;
    let mut real = if let Some(found) = plan.flows.iter().position(between) {
        let table = plan.table_of(found);
        let flow = &mut plan.flows[found];
        if flow.tcp.loss_notification == LossNotification::Oracle {
            let message = format!(
                "is \"oracle\" for flow \"{}\", which asks for notices of corrupted packets; real traffic takes the \
                 place of this flow, and no real sender hears them: take the key out, or expected is \"none\"",
                flow.name
            );
            return Err(ScenarioError::at(
                format!("flows[{table}].tcp.loss_notification"),
                message,
            ));
        }
        flow.taken_out = true;
        flow.clone()
    } else {
        Flow {
            from: pair.0,
            to: pair.1,
            access_categories: Default::default(),
            ..plan.flows[0].clone()
        }
    };
    if real.from != pair.0 {
        real.access_categories.reverse();
        (real.from, real.to) = pair;
    }
    (real.transport, real.taken_out) = (TransportKind::Udp, true);
    Ok(real)
}

fn check_path(plan: &Resolved, (a, b): (usize, usize)) -> Result<(), ScenarioError> {
    let routes = routes(plan);
    for (from, to) in [(a, b), (b, a)] {
        if path(plan, &routes, from, to).is_none() {
            let message =
                format!("there is no path from \"{}\" to \"{}\"", plan.nodes[from], plan.nodes[to]);
            return Err(ScenarioError::at("outside", message));
        }
    }
    Ok(())
}

/// Refuses what absorbs, creates or rewrites TCP.
fn refuse(plan: &Resolved) -> Result<(), ScenarioError> {
    for cell in &plan.cells {
        if let Some(boundary) = scheme_of(cell)? {
            return Err(ScenarioError::at(
                format!("{}.schemes", cell.path),
                format!(
                    "has {}, which absorbs, creates or rewrites TCP segments: real ones cannot pass it, so take it out",
                    scheme_name(&boundary)
                ),
            ));
        }
    }
    Ok(())
}
