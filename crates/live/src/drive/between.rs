//! Two given interfaces in the place of namespaces: the model stands between two machines.
//!
//! A program of its own waits for the end of this one, however that comes, and then lets the interfaces merge packets again that
//! did so before.

use std::io::{self, Read as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, Command, ExitCode, Stdio};

use airtcp_os::device;
use airtcp_os::offload::{self, Merging};
use airtcp_os::ring::{Ring, Shape};
use airtcp_os::send::Sender;
use airtcp_scenario::Resolved;
use clap::Args;

use super::failure::{Failure, said, say};
use crate::exit::ended;

/// Memory of a ring, in bytes, and the fewest frames that it holds.
const MEMORY: u32 = 32 << 20;
const FEWEST: u32 = 1_024;
/// Bytes of a place in a ring beyond the packet.
const BEYOND: u32 = 128;

/// Gives an interface its offloads back when standard input ends.
#[derive(Debug, Args)]
pub struct Restore {
    device: String,
    #[arg(long)]
    gro: bool,
    #[arg(long)]
    lro: bool,
}

impl Restore {
    /// Runs it.
    pub fn run(self) -> ExitCode {
        let mut rest = Vec::new();
        let _ = io::stdin().read_to_end(&mut rest);
        let to = Merging { kernel: self.gro, device: self.lro };
        ended(offload::set_merging(&self.device, to).map(|()| ExitCode::SUCCESS))
    }
}

/// Restores an interface when it goes.
pub(super) struct Keeper {
    child: Child,
    pipe: Option<ChildStdin>,
}

impl Keeper {
    /// Lets an interface merge nothing from now on; `None` if it did not.
    fn hold(name: &str) -> Result<Option<Self>, Failure> {
        let before = offload::merging(name).map_err(said)?;
        if !before.any() {
            return Ok(None);
        }
        let program = std::env::current_exe().map_err(said)?;
        let mut command = Command::new(program);
        command.args(["restore", name]);
        command.args(before.kernel.then_some("--gro")).args(before.device.then_some("--lro"));
        // Ctrl-C is not for it.
        command.stdin(Stdio::piped()).stdout(Stdio::null()).process_group(0);
        let mut child = command.spawn().map_err(said)?;
        let keeper = Self { pipe: child.stdin.take(), child };
        offload::set_merging(name, Merging::NONE).map_err(said)?;
        Ok(Some(keeper))
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.pipe = None;
        let _ = self.child.wait();
    }
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
        keepers.extend(Keeper::hold(device)?);
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
