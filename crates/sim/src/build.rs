//! Builds the world of a replication from a resolved scenario.

use std::sync::Arc;

use airtcp_congestion::external::for_flow;
use airtcp_link::protocol::Way;
use airtcp_link::{Link, ProtocolConfig};
use airtcp_packet::{Seq, Side};
use airtcp_probe::Probe;
use airtcp_queueing::{LinkInfo, Qdisc, Queue};
use airtcp_random::Seed;
use airtcp_scenario::{
    Application, Cell as CellPlan, Flow, Resolved, ScenarioError, TransportKind,
};
use airtcp_sliding::SlidingConnection;
use airtcp_transport::lt::LtConnection;
use airtcp_transport::tcp::{Connection, LossNotification, Role};
use airtcp_transport::tfrc::{TfrcReceiver, TfrcSender};
use airtcp_transport::udp::{UdpReceiver, UdpSender};
use airtcp_units::{Bytes, LowBits, Narrow, Outcomes, Span};
use airtcp_wifi::ConfigError;
use airtcp_wifi::mac::service_time;

mod amsdu;
mod beside;
pub(crate) mod boundary;
pub(crate) mod check;
pub(crate) mod coverage;
mod curves;
pub(crate) mod media;
mod medium;
mod memory;
pub(crate) mod paths;
mod radio_map;
mod receivers;

use medium::medium;
use paths::{routes, starts};
use radio_map::label;
use receivers::{air_ends, ends, has_several, over_the_air};

use crate::world::World;
use crate::world::application::App;
use crate::world::interface::Interface;
use crate::world::medium::{AirHop, StationQueues};
use crate::world::transport::Transport;

/// Loads the delivery trace that a loss model names.
pub type TraceLoader<'a> = dyn Fn(&str) -> Result<Arc<Outcomes>, String> + Sync + 'a;

/// Builds the world of one replication.
pub(crate) fn build<P: Probe>(
    plan: &Resolved,
    seed: Seed,
    load: &TraceLoader<'_>,
    probe: P,
) -> Result<World<P>, ScenarioError> {
    let mut world = World::new(routes(plan), probe);
    let notices = corruption_notices(plan);
    for (i, one_way) in plan.links.iter().enumerate() {
        let path = |key: &str| {
            let path = format!("{}.{key}", one_way.path);
            path.trim_end_matches('.').to_owned()
        };
        let label = format!("link/{}", one_way.name);
        let config = one_way.direction.link_config();
        let mut link = Link::new(&config, seed, &label, load)
            .map_err(|e| ScenarioError::at(path(&link_key(e.key)), e.message))?;
        if let Some(delays) = &notices {
            link.set_corruption_notices(delays.clone());
        }
        let queue = one_way.direction.queue.clone().unwrap_or_default();
        let mut queue = Queue::new(&queue, seed, &format!("{label}/queue"))
            .map_err(|e| ScenarioError::at(path(&format!("queue.{}", e.key)), e.message))?;
        let (time_for, receivers) = (|bytes| link.time_for(bytes), || ends(plan));
        queue.on_link(&LinkInfo { receivers: &receivers, ..LinkInfo::link(&time_for, false) });
        let mut interface = Interface::new(queue, link, u32::narrow(one_way.to), u32::narrow(i));
        interface.is_device = one_way.direction.sender_device == Some(true);
        world.add_interface(interface, seed.number(&format!("{label}/tie")));
    }
    join_directions(&mut world, plan);
    let mut cells = vec![(0, 0); plan.cells.len()];
    for (medium, of_it) in plan.media().into_iter().enumerate() {
        for (number, cell) in of_it.iter().enumerate() {
            cells[*cell] = (u32::narrow(medium), u32::narrow(number));
        }
        let of_it: Vec<&CellPlan> = of_it.iter().map(|cell| &plan.cells[*cell]).collect();
        add_medium(&mut world, plan, &of_it, seed)?;
    }
    let hops = plan.air_hops().into_iter().map(|hop| {
        let (medium, number) = cells[hop.cell];
        let station = |i| world.media()[medium as usize].station(number as usize, i);
        AirHop { medium, from: station(hop.from), to: station(hop.to) }
    });
    let hops = hops.collect();
    world.set_air_hops(hops);
    world.set_cells(cells);
    let starts = starts(plan, world.routes());
    for (flow, starts) in plan.flows.iter().zip(starts) {
        for side in [Side::Client, Side::Server] {
            let mut make = || add_endpoint(&mut world, flow, side, starts, seed);
            if flow.tcp.congestion.external().is_some() {
                for_flow(&flow.name, make);
            } else {
                make();
            }
        }
    }
    boundary::add_boundaries(&mut world, plan, seed)?;
    world.tell_devices();
    world.keep_links_apart();
    if !plan.cells.is_empty() {
        let delays = notices.unwrap_or_else(|| vec![None; 2 * plan.flows.len()]);
        world.add_notices(delays, seed.number("notices/tie"));
    }
    Ok(world)
}

/// By endpoint, the delay of a corruption notice; `None` if no flow uses notices.
fn corruption_notices(plan: &Resolved) -> Option<Vec<Option<Span>>> {
    let delays: Vec<Option<Span>> = plan
        .flows
        .iter()
        .flat_map(|flow| {
            let tcp = matches!(flow.transport, TransportKind::Tcp | TransportKind::LtTcp);
            let asks = tcp && flow.tcp.loss_notification == LossNotification::Oracle;
            let delay = asks.then_some(flow.tcp.loss_notification_delay);
            [delay; 2]
        })
        .collect();
    delays.iter().any(Option::is_some).then_some(delays)
}

/// Sends the reports of link protocols over the other direction, where configured. The two directions of
/// a link are adjacent.
fn join_directions<P: Probe>(world: &mut World<P>, plan: &Resolved) {
    for (i, one_way) in plan.links.iter().enumerate() {
        let protocol = one_way.direction.protocol.as_ref();
        let feedback = protocol.and_then(ProtocolConfig::common).map(|c| c.feedback);
        if let Some(feedback) = feedback.filter(|f| f.way == Way::Reverse) {
            world.report_over(i, i ^ 1, feedback.size);
        }
    }
}

/// Path of a key that a link refused: a key of the link, or of its loss model.
pub(crate) fn link_key(key: &str) -> String {
    let first = key.split('.').next().unwrap_or(key);
    match first {
        "rate" | "slot" | "delay" | "mtu" | "jitter" | "reordering" | "duplication"
        | "protocol" | "loss" | "loss_unit" | "policer" => key.into(),
        _ => format!("loss.{key}"),
    }
}

fn add_medium<P: Probe>(
    world: &mut World<P>,
    plan: &Resolved,
    cells: &[&CellPlan],
    seed: Seed,
) -> Result<(), ScenarioError> {
    let cell = medium(cells, seed)?;
    let (routes, air_ends) = (world.routes(), air_ends(plan));
    let receivers = |node: usize| over_the_air(plan, routes, &air_ends, node);
    let queues = cells.iter().map(|plan| station_queues(plan, &receivers, seed));
    let queues = queues.collect::<Result<_, _>>()?;
    let label = label(&cells[0].spec);
    world.add_medium(cell, queues, seed.number(&format!("{label}/tie")));
    Ok(())
}

/// The queues and nodes of a cell. `receivers` gives, by endpoint, the node that receives its packets
/// from a node's station.
fn station_queues(
    plan: &CellPlan,
    receivers: &dyn Fn(usize) -> Vec<u32>,
    seed: Seed,
) -> Result<StationQueues, ScenarioError> {
    let (spec, label) = (&plan.spec, label(&plan.spec));
    let at = |key: &str, e: ConfigError| {
        ScenarioError::at(format!("{}.{key}{}", plan.path, e.key), e.message)
    };
    let seams = spec.seams().map_err(|(table, e)| at(&format!("{table}."), e))?;
    let categories = seams.stations[0].access.len();
    let timing = spec.times().map_err(|e| at("timing.", e))?;
    let keys = spec.station_keys();
    let mut queues = Vec::with_capacity(plan.nodes.len() * categories);
    let mut by_receiver = Vec::with_capacity(plan.nodes.len());
    for (i, station) in seams.stations.iter().enumerate() {
        let rates = keys.rate_plan(i).map_err(|e| at("", e))?;
        let fastest = rates.modes.iter().copied().max_by_key(|mode| mode.kbps());
        let mode = rates.start.or(fastest).unwrap_or(timing.lowest());
        let (config, key) = keys.queue(i);
        let receivers = || receivers(plan.nodes[i]);
        // With one receiver, the next packet is always one for it.
        let selects = spec.standard.has_mcs()
            && (has_several(&receivers()) || i == 0 && spec.mac.ofdma.is_some());
        by_receiver.push(selects);
        for (category, access) in station.access.iter().enumerate() {
            let label = format!("{label}/sta/{i}/queue/{category}");
            let mut queue =
                Queue::new(&config, seed, &label).map_err(|e| at(&format!("{key}."), e))?;
            let qos = categories > 1 || timing.standard.has_mcs();
            let time = |bytes: Bytes| {
                let own = service_time(&timing, access, mode, bytes, qos);
                Span::from_secs_f64(own.as_secs_f64() / spec.mac.speed())
            };
            queue.on_link(&LinkInfo {
                time_for: &time,
                polls_when_idle: true,
                receivers: &receivers,
                reports_airtime: true,
                by_receiver: selects,
            });
            queues.push(queue);
        }
    }
    Ok(StationQueues {
        nodes: plan.nodes.iter().map(|n| u32::narrow(*n)).collect(),
        queues,
        by_receiver,
        categories,
        reads_dscp: spec.dscp,
        below: spec.mac.hardware_queue.unwrap_or_default() as usize,
    })
}

fn add_endpoint<P: Probe>(world: &mut World<P>, flow: &Flow, side: Side, starts: bool, seed: Seed) {
    let label = format!("flow/{}/{side:?}", flow.name);
    let role = if side == Side::Client { Role::Active } else { Role::Passive };
    let iss = Seq(u32::low_bits(seed.number(&format!("{label}/iss"))));
    let transport = match (flow.transport, side) {
        (TransportKind::Tcp, _) => Transport::tcp(Connection::new(&flow.tcp, role, iss)),
        (TransportKind::LtTcp, _) => Transport::Lt {
            connection: Box::new(LtConnection::new(&flow.lt, &flow.tcp, role, iss)),
            taken: 0,
        },
        (TransportKind::Sliding, _) => Transport::Sliding {
            connection: Box::new(SlidingConnection::new(&flow.sliding, side)),
            taken: 0,
        },
        (TransportKind::Udp, Side::Client) => {
            Transport::UdpSender(UdpSender::new(datagram(&flow.app)))
        }
        (TransportKind::Tfrc, Side::Client) => Transport::TfrcSender {
            sender: Box::new(TfrcSender::new(&flow.tfrc, tfrc_packet(flow))),
            topped: false,
        },
        (TransportKind::Tfrc, Side::Server) => {
            Transport::TfrcReceiver(Box::new(TfrcReceiver::new(&flow.tfrc)))
        }
        (TransportKind::Udp, Side::Server) => Transport::UdpReceiver(UdpReceiver::new()),
    };
    let mut stream = seed.stream(&format!("{label}/app"));
    let delay = Span(stream.below(flow.start_spread.0.saturating_add(1)));
    let app = match side {
        Side::Client if !starts => App::never(),
        _ => App::new(&flow.app, side, delay, stream),
    };
    let node = if side == Side::Client { flow.from } else { flow.to };
    let tie = seed.number(&format!("{label}/tie"));
    // The category is that of packets to the endpoint.
    let [there, back] = flow.access_categories;
    let category = if side == Side::Client { back } else { there };
    world.add_endpoint(u32::narrow(node), category, transport, app, tie);
}

/// Payload of a TFRC packet: the application's message, or for bulk the configured packet.
pub(crate) fn tfrc_packet(flow: &Flow) -> u16 {
    match datagram(&flow.app) {
        0 => flow.tfrc.segment,
        message => message,
    }
}

fn datagram(app: &Application) -> u16 {
    app.message().map_or(0, |message| u16::try_from(message.0).unwrap_or(u16::MAX))
}
