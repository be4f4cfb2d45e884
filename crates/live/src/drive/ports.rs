//! A namespace and a veth pair for each node with real traffic, with names for their addresses.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::os::fd::{AsFd, AsRawFd};

use airtcp_os::child::{Names, is_host};
use airtcp_os::interface::{Mac, Veth};
use airtcp_os::namespace::NetNs;
use airtcp_os::ring::{Ring, Shape};
use airtcp_os::send::Sender;
use airtcp_os::spread::Spread;
use airtcp_scenario::Resolved;

use super::between;
use super::failure::{Failure, said};
use super::keeper::Keeper;

/// Frames that fit into the ring of a port: 32 MB.
const RING: u32 = 16_384;
const MTU: u32 = 1_500;
/// Name of the interface in the namespace of a port.
const DEVICE: &str = "air0";
/// Aliases of the two ends of the first flow, where no node has the name.
const CLIENT: &str = "client";
const SERVER: &str = "server";

/// A node with real traffic.
pub(super) struct Port {
    /// Name of the node.
    pub name: String,
    /// Frames from it.
    pub ring: Ring,
    /// Frames to it.
    pub sender: Sender,
    /// Where its protocol work is done, if the system lets this be chosen.
    pub spread: Option<Spread>,
}

/// All nodes with real traffic.
pub(super) struct Ports {
    /// In the order of the model's ports.
    pub all: Vec<Port>,
    spaces: Option<Spaces>,
    /// Restores given interfaces.
    _keepers: Vec<Keeper>,
}

/// The namespaces of the nodes.
pub(super) struct Spaces {
    /// In the order of the model's ports.
    all: Vec<NetNs>,
    client: usize,
    server: usize,
    hosts: Names,
    /// Whether the namespaces belong to a user namespace of this process.
    unprivileged: bool,
    /// Their names, which go with them.
    _named: Vec<Keeper>,
    /// The namespace of the tool's ends, which goes with it.
    _tool: NetNs,
}

impl Ports {
    /// Makes namespaces and interfaces. The calling thread enters the tool's own namespace.
    /// `prefix` begins the names of the namespaces, if they have any.
    pub(super) fn open(
        plan: &Resolved,
        unprivileged: bool,
        prefix: Option<&str>,
    ) -> Result<Self, Failure> {
        let nodes = plan.outside_nodes();
        let names: Vec<String> = nodes.iter().map(|node| plan.nodes[*node].clone()).collect();
        let tool = NetNs::new().map_err(said)?;
        let (mut spaces, mut named) = (Vec::new(), Vec::new());
        for (number, name) in names.iter().enumerate() {
            let namespace = match prefix {
                None => NetNs::new().map_err(said)?,
                Some(prefix) => {
                    let name = format!("{prefix}{name}");
                    let namespace = NetNs::named(&name).map_err(said)?;
                    named.push(Keeper::of_namespace(&name)?);
                    namespace
                }
            };
            veth(number, nodes.len()).create(&tool, &namespace).map_err(said)?;
            spaces.push(namespace);
        }
        tool.enter().map_err(said)?;
        let mut all = Vec::new();
        for (number, (namespace, name)) in spaces.iter().zip(names).enumerate() {
            let device = tool_end(number);
            let shape = Shape { frames: RING, mtu: MTU, promiscuous: true };
            let ring = Ring::open(&device, shape).map_err(said)?;
            let sender = Sender::open(&device).map_err(said)?;
            let spread = Spread::open(namespace, DEVICE).ok();
            all.push(Port { name, ring, sender, spread });
        }
        let place = |node: usize| nodes.iter().position(|other| *other == node);
        let first = plan.flows.first();
        let server = first.and_then(|flow| place(flow.from)).unwrap_or(0);
        let client = first
            .and_then(|flow| place(flow.to))
            .filter(|port| *port != server)
            .unwrap_or(usize::from(server == 0));
        let hosts = hosts(&all, client, server)?;
        let spaces =
            Spaces { all: spaces, client, server, hosts, unprivileged, _named: named, _tool: tool };
        Ok(Self { all, spaces: Some(spaces), _keepers: Vec::new() })
    }

    /// Opens two interfaces that are given.
    pub(super) fn between(plan: &Resolved, devices: &[String]) -> Result<Self, Failure> {
        let (opened, keepers) = between::open(plan, devices)?;
        let port = |(name, ring, sender)| Port { name, ring, sender, spread: None };
        let all = opened.into_iter().map(port).collect();
        Ok(Self { all, spaces: None, _keepers: keepers })
    }

    /// The namespaces of the nodes; none between given interfaces.
    pub(super) const fn spaces(&self) -> Option<&Spaces> {
        self.spaces.as_ref()
    }

    /// Lets other processors than that of the calling thread do the protocol work of the nodes. Where the system does not
    /// allow it, it is done within each write.
    pub(super) fn spread(&mut self) {
        for port in &mut self.all {
            if port.spread.as_mut().is_some_and(|spread| spread.away_from_here().is_err()) {
                port.spread = None;
            }
        }
    }

    /// Whether the processors of any node can be chosen.
    pub(super) fn spreads(&self) -> bool {
        self.all.iter().any(|port| port.spread.is_some())
    }

    /// Names of the nodes, in the order of the ports.
    pub(super) fn names(&self) -> Vec<String> {
        self.all.iter().map(|port| port.name.clone()).collect()
    }

    /// Ethernet addresses, in the order of the ports.
    pub(super) fn macs(&self) -> Vec<Mac> {
        (0..self.all.len()).map(mac).collect()
    }

    /// Says how to start a program at each node.
    pub(super) fn how_to_enter(&self) -> String {
        let Some(spaces) = &self.spaces else {
            let of = |port: &Port| format!("{} is {}", port.ring.device(), port.name);
            let of: Vec<String> = self.all.iter().map(of).collect();
            return format!("{}. Ctrl-C ends.", of.join(", "));
        };
        let lines = self.all.iter().zip(&spaces.all).enumerate();
        let lines = lines.map(|(number, (port, space))| spaces.line(number, &port.name, space));
        let lines: Vec<String> = lines.collect();
        format!("{}\nCtrl-C ends.", lines.join("\n"))
    }
}

impl Spaces {
    /// The namespace where COMMAND runs: the first flow goes there.
    pub(super) fn client(&self) -> &NetNs {
        &self.all[self.client]
    }

    /// The namespace where the first flow comes from.
    pub(super) fn server(&self) -> &NetNs {
        &self.all[self.server]
    }

    /// Names and addresses of the nodes.
    pub(super) const fn hosts(&self) -> &Names {
        &self.hosts
    }

    /// Says how to start a program at a node.
    fn line(&self, number: usize, name: &str, space: &NetNs) -> String {
        let pid = std::process::id();
        let user = if self.unprivileged {
            format!("--user=/proc/{pid}/ns/user --preserve-credentials ")
        } else {
            String::new()
        };
        let fd = space.as_fd().as_raw_fd();
        let (v4, v6) = addresses(number);
        format!("{name} ({v4}, {v6}): nsenter {user}--net=/proc/{pid}/fd/{fd} COMMAND")
    }
}

fn tool_end(number: usize) -> String {
    format!("port{number}")
}

pub(super) fn mac(number: usize) -> Mac {
    [2, 0xa1, 0x47, 0, 0, last(number)]
}

/// Last part of the addresses of a port, from 1.
fn last(number: usize) -> u8 {
    u8::try_from(number + 1).unwrap_or(u8::MAX)
}

fn addresses(number: usize) -> (IpAddr, IpAddr) {
    let end = last(number);
    let v4 = Ipv4Addr::new(10, 77, 0, end);
    let v6 = Ipv6Addr::new(0xfd77, 0, 0, 0, 0, 0, 0, u16::from(end));
    (v4.into(), v6.into())
}

fn veth(number: usize, ports: usize) -> Veth {
    let (v4, v6) = addresses(number);
    let others = (0..ports).filter(|other| *other != number);
    let neighbours = others.flat_map(|other| {
        let (v4, v6) = addresses(other);
        [(v4, mac(other)), (v6, mac(other))]
    });
    Veth {
        tool: tool_end(number),
        port: DEVICE.to_owned(),
        mac: mac(number),
        mtu: MTU,
        addresses: vec![(v4, 24), (v6, 64)],
        neighbours: neighbours.collect(),
    }
}

/// Names of the nodes that can be names of hosts, and the two aliases where no node has them.
fn hosts(all: &[Port], client: usize, server: usize) -> Result<Names, Failure> {
    let own: BTreeSet<&str> = all.iter().map(|port| port.name.as_str()).collect();
    let mut named: Vec<(&str, IpAddr)> = Vec::new();
    for (number, port) in all.iter().enumerate() {
        let aliases = [(client, CLIENT), (server, SERVER)];
        let aliases =
            aliases.into_iter().filter(|(of, alias)| *of == number && !own.contains(alias));
        let (v4, v6) = addresses(number);
        for name in std::iter::once(port.name.as_str()).chain(aliases.map(|(_, alias)| alias)) {
            if is_host(name) && name != "localhost" {
                named.extend([(name, v4), (name, v6)]);
            }
        }
    }
    Names::new(&named).map_err(said)
}
