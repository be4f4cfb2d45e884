//! Forwards between two ports without a model, and says what a packet costs and how late it leaves.
//!
//! `cargo run --release -p airtcp-os --example forward -- [user] [ordinary] [seconds=5] [cores] [IPERF3 ARGUMENTS...]`:
//! `user` does it in a user namespace, `ordinary` without priority, `cores` gives the forwarder a core of its own
//! (which rules SCHED_DEADLINE out). Without arguments, iperf3 sends with CUBIC.
#![allow(clippy::print_stdout, reason = "its output is the measurement")]

use airtcp_os::child::{Names, spawn_in};
use airtcp_os::interface::{Mac, Veth};
use airtcp_os::namespace::NetNs;
use airtcp_os::ring::{Ring, Shape};
use airtcp_os::schedule::{self, Priority};
use airtcp_os::send::Sender;
use airtcp_os::signal::{Signal, Signals};
use airtcp_os::{Result, clock, user, wait};
use rustix::time::{ClockId, clock_gettime};
use std::net::IpAddr;
use std::os::fd::AsFd;
use std::process::{Child, Command, Stdio};

const MACS: [Mac; 2] = [[2, 0, 0, 0, 0, 1], [2, 0, 0, 0, 0, 2]];
const SIDES: [&str; 2] = ["client", "server"];
/// Frames that one system call sends.
const BATCH: usize = 64;

fn main() -> Result<()> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut take = |word: &str| {
        let place = arguments.iter().position(|argument| argument.split('=').next() == Some(word));
        place.map(|place| arguments.remove(place))
    };
    let (user, ordinary, cores) = (take("user"), take("ordinary"), take("cores"));
    let seconds = take("seconds").and_then(|text| text.split('=').nth(1)?.parse().ok());
    if user.is_some() {
        user::enter_user_namespace()?;
    }
    let signals = Signals::open()?;
    let tool = NetNs::new()?;
    let ports = [NetNs::new()?, NetNs::new()?];
    connect(&tool, &ports)?;
    tool.enter()?;
    let shape = Shape { frames: 16_384, ..Shape::default() };
    let mut rings = [Ring::open("t0", shape)?, Ring::open("t1", shape)?];
    let senders = [Sender::open("t0")?, Sender::open("t1")?];
    let names = Names::new(&[("client", address(0)), ("server", address(1))])?;
    let start = |side: usize, arguments: &[String]| -> Result<Child> {
        let mut command = Command::new(if cores.is_some() { "taskset" } else { "iperf3" });
        if cores.is_some() {
            command.args(["-c", "0", "iperf3"]);
        }
        let output = if side == 0 { Stdio::inherit() } else { Stdio::null() };
        spawn_in(&ports[side], Some(&names), command.args(arguments).stdout(output))
    };
    let text = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let mut server = start(1, &text(&["-s", "-1"]))?;
    wait::until(&[], Some(clock::now() + 300_000_000))?;
    let seconds: u32 = seconds.unwrap_or(5);
    let mut client = text(&["-c", "server", "-f", "m", "-t", &seconds.to_string()]);
    client.extend(if arguments.is_empty() { text(&["-C", "cubic"]) } else { arguments });
    let mut client = start(0, &client)?;
    if cores.is_some() {
        own_core();
    }
    let priority = if ordinary.is_some() { Priority::Ordinary } else { schedule::raise() };
    let (begin, cpu) = (clock::now(), thread_time());
    let mut late = Vec::new();
    while client.try_wait().is_ok_and(|status| status.is_none()) {
        turn(&mut rings, &senders, &signals, &mut late)?;
    }
    let (wall, cpu) = (clock::now() - begin, thread_time() - cpu);
    let _ = (server.kill(), server.wait());
    report(priority, wall, cpu, &mut late);
    for ring in &mut rings {
        println!("{:?}, stamps within {} ns", ring.seen()?, ring.stamp_error());
    }
    Ok(())
}

fn address(n: usize) -> IpAddr {
    IpAddr::from([10, 77, 0, if n == 0 { 1 } else { 2 }])
}

/// A veth pair from the tool to each port.
fn connect(tool: &NetNs, ports: &[NetNs; 2]) -> Result<()> {
    for (n, port) in ports.iter().enumerate() {
        let veth = Veth {
            tool: format!("t{n}"),
            port: SIDES[n].to_owned(),
            mac: MACS[n],
            mtu: 1_500,
            addresses: vec![(address(n), 24)],
            neighbours: vec![(address(1 - n), MACS[1 - n])],
        };
        veth.create(tool, port)?;
    }
    Ok(())
}

/// Waits, and forwards what has arrived until a child ends.
fn turn(
    rings: &mut [Ring; 2],
    senders: &[Sender; 2],
    signals: &Signals,
    late: &mut Vec<i64>,
) -> Result<()> {
    loop {
        let fds = [rings[0].as_fd(), rings[1].as_fd(), signals.as_fd()];
        wait::until(&fds, None)?;
        for (n, ring) in rings.iter_mut().enumerate() {
            ring.refresh();
            while forward(ring, &senders[1 - n], late)? == BATCH {}
        }
        if signals.read()? == Some(Signal::Child) {
            return Ok(());
        }
    }
}

/// Sends up to a batch of frames, and returns how many.
fn forward(ring: &mut Ring, sender: &Sender, late: &mut Vec<i64>) -> Result<usize> {
    let mut frames: [&[u8]; BATCH] = [&[]; BATCH];
    let mut stamps = [0; BATCH];
    let mut count = 0;
    for (n, frame) in ring.waiting().take(BATCH).enumerate() {
        (frames[n], stamps[n]) = (frame.bytes, frame.stamp);
        count = n + 1;
    }
    let sent = sender.send(&frames[..count])?;
    let now = clock::now();
    late.extend(stamps[..sent].iter().map(|stamp| now - stamp));
    for _ in 0..sent {
        ring.release();
    }
    Ok(sent)
}

fn own_core() {
    let mut set = rustix::thread::CpuSet::new();
    set.set(1);
    let _ = rustix::thread::sched_setaffinity(None, &set);
}

fn thread_time() -> i64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

fn report(priority: Priority, wall: i64, cpu: i64, late: &mut [i64]) {
    late.sort_unstable();
    let count = late.len().max(1);
    // The nearest rank, in thousandths.
    let at = |share: usize| late.get((late.len() * share / 1_000).min(count - 1)).copied();
    let at = |share| at(share).unwrap_or_default() / 1_000;
    let (wall, cpu) = (wall as f64, cpu as f64);
    println!(
        "{priority}: {} packets, {:.0} kpkt/s, {:.2} us of the core a packet, core {:.2}",
        late.len(),
        count as f64 / wall * 1e6,
        cpu / count as f64 / 1e3,
        cpu / wall
    );
    println!(
        "arrival to write, us: p50 {}, p99 {}, p99.9 {}, max {}",
        at(500),
        at(990),
        at(999),
        at(1_000)
    );
}
