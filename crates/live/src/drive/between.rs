//! Two given interfaces in the place of namespaces: the model stands between two machines.

use airtcp_os::device;
use airtcp_os::offload::{self, Merging};
use airtcp_os::ring::{Ring, Shape};
use airtcp_os::send::Sender;
use airtcp_scenario::Resolved;

use super::failure::{Failure, said, say};
use super::keeper::Keeper;

/// Memory of a ring, in bytes, and the fewest frames that it holds.
const MEMORY: u32 = 32 << 20;
const FEWEST: u32 = 1_024;
/// Bytes of a place in a ring beyond the packet.
const BEYOND: u32 = 128;

/// Lets an interface merge nothing from now on; `None` if it did not.
fn hold(name: &str) -> Result<Option<Keeper>, Failure> {
    let before = offload::merging(name).map_err(said)?;
    if !before.any() {
        return Ok(None);
    }
    let keeper = Keeper::of_device(name, before)?;
    offload::set_merging(name, Merging::NONE).map_err(said)?;
    Ok(Some(keeper))
}

/// The name of a node, what comes from its interface and what goes to it.
pub(super) type Opened = (String, Ring, Sender);

/// Opens both interfaces: the first stands for the first node with real traffic.
pub(super) fn open(
    plan: &Resolved,
    devices: &[String],
) -> Result<(Vec<Opened>, Vec<Keeper>), Failure> {
    let nodes = plan.outside_nodes();
    let ([a, b], [_, _]) = (devices, &nodes[..]) else {
        return Err(format!(
            "--between has two interfaces, and the scenario {} nodes with real traffic: expected two",
            nodes.len()
        ));
    };
    if a == b {
        return Err(format!("--between has \"{a}\" twice: expected two interfaces"));
    }
    let mtu = same_mtu(a, b)?;
    let frames = (MEMORY / (mtu + BEYOND).next_power_of_two()).max(FEWEST);
    let (mut ports, mut keepers) = (Vec::new(), Vec::new());
    for (device, node) in devices.iter().zip(nodes) {
        warn(device)?;
        let ring = Ring::open(device, Shape { frames, mtu, promiscuous: true }).map_err(said)?;
        let sender = Sender::open(device).map_err(said)?;
        if ring.link() != 1 {
            return Err(format!("interface \"{device}\" is no Ethernet: frames of it cannot pass"));
        }
        keepers.extend(hold(device)?);
        ports.push((plan.nodes[node].clone(), ring, sender));
    }
    Ok((ports, keepers))
}

fn same_mtu(a: &str, b: &str) -> Result<u32, Failure> {
    let [mtu, other] = [device::mtu(a).map_err(said)?, device::mtu(b).map_err(said)?];
    if mtu == other {
        return Ok(mtu);
    }
    Err(format!("\"{a}\" has an MTU of {mtu} bytes and \"{b}\" of {other}: make them equal"))
}

/// Refuses what would pass frames around the model, and says what this machine does with them itself.
fn warn(name: &str) -> Result<(), Failure> {
    if let Some(master) = device::master(name) {
        return Err(format!(
            "\"{name}\" is part of \"{master}\", which would pass its frames beside the model: take it out (ip link set dev {name} nomaster)"
        ));
    }
    if device::has_address(name).map_err(said)? {
        say(&format!(
            "warning: {name} has IP addresses, at which this machine answers beside the model: ip addr flush dev {name}"
        ));
    }
    Ok(())
}
