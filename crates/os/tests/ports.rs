//! Two ports with a forwarder between them: as root, as an unprivileged user, and what `kill -9` leaves.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "this program is its own harness")]

use airtcp_os::child::{self, Names, spawn_in};
use airtcp_os::interface::{Mac, Veth, ip};
use airtcp_os::namespace::NetNs;
use airtcp_os::ring::{Ring, Shape};
use airtcp_os::send::Sender;
use airtcp_os::signal::{Signal, Signals};
use airtcp_os::spread::Spread;
use airtcp_os::{Error, clock, device, offload, user, wait};
use std::io::{Read, Write};
use std::net::{IpAddr, TcpListener, TcpStream, UdpSocket};
use std::os::fd::AsFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const MACS: [Mac; 2] = [[2, 0, 0, 0, 0, 1], [2, 0, 0, 0, 0, 2]];
const SIDES: [&str; 2] = ["client", "server"];

fn main() -> ExitCode {
    let mode = std::env::args().nth(1).unwrap_or_default();
    match mode.as_str() {
        "user" => {
            if let Err(e) = user::enter_user_namespace() {
                println!("skipped without privilege: {e}");
                return ExitCode::SUCCESS;
            }
            checks("unprivileged");
            nothing_is_left("unprivileged");
        }
        "hold" => hold(),
        _ if rustix::process::geteuid().is_root() => {
            checks("root");
            nothing_is_left("root");
            unprivileged();
        }
        _ => {
            println!("skipped as root: this user is not");
            unprivileged();
        }
    }
    ExitCode::SUCCESS
}

fn address(n: usize, v6: bool) -> IpAddr {
    let text = if v6 { format!("fd00:a1::{}", n + 1) } else { format!("10.77.0.{}", n + 1) };
    text.parse().unwrap()
}

/// The tool's namespace and those of two ports, with neighbours known for IPv6 only: ARP is forwarded.
struct World {
    tool: NetNs,
    ports: [NetNs; 2],
}

impl World {
    fn new() -> Self {
        let tool = NetNs::new().unwrap();
        let ports = [NetNs::new().unwrap(), NetNs::new().unwrap()];
        for (n, port) in ports.iter().enumerate() {
            let veth = Veth {
                tool: format!("t{n}"),
                port: SIDES[n].to_owned(),
                mac: MACS[n],
                mtu: 1_500,
                addresses: vec![(address(n, false), 24), (address(n, true), 64)],
                neighbours: vec![(address(1 - n, true), MACS[1 - n])],
            };
            veth.create(&tool, port).unwrap();
        }
        Self { tool, ports }
    }

    fn ring(&self, n: usize, frames: u32) -> Ring {
        let shape = Shape { frames, ..Shape::default() };
        self.tool.within(|| Ring::open(&format!("t{n}"), shape)).unwrap()
    }

    fn sender(&self, n: usize) -> Sender {
        self.tool.within(|| Sender::open(&format!("t{n}"))).unwrap()
    }
}

fn checks(who: &str) {
    let run = |name: &str, check: fn()| {
        check();
        println!("{who}: {name} ... ok");
    };
    run("a frame is read as it was sent", a_frame_is_read_as_it_was_sent);
    run("a tap sees both directions", a_tap_sees_both_directions);
    run("traffic is forwarded", traffic_is_forwarded);
    run("a full ring counts", a_full_ring_counts);
    run("devices that went are named", devices_that_went_are_named);
    run("offloads", offloads_are_seen);
    run("programs inside", programs_inside);
}

/// Length, bytes, checksum and stamp of a UDP packet.
fn a_frame_is_read_as_it_was_sent() {
    let world = World::new();
    let mut ring = world.ring(0, 256);
    assert_eq!(ring.link(), 1);
    let payload: Vec<u8> = (0..1_400_u32).map(|n| n.to_le_bytes()[0]).collect();
    let socket =
        world.ports[0].within(|| Ok(UdpSocket::bind((address(0, true), 0)).unwrap())).unwrap();
    let before = clock::now();
    socket.send_to(&payload, (address(1, true), 9)).unwrap();
    let after = clock::now();
    let mut found = 0;
    while wait::until(&[ring.as_fd()], Some(clock::now() + 100_000_000)).unwrap()[0] {
        let error = ring.stamp_error();
        ring.drain(64, |frame| {
            if frame.bytes.len() == 14 + 40 + 8 + 1_400 {
                found += 1;
                assert_eq!(frame.length, 1_462);
                assert_eq!((&frame.bytes[..6], &frame.bytes[6..12]), (&MACS[1][..], &MACS[0][..]));
                assert_eq!(&frame.bytes[62..], &payload[..]);
                assert!(!frame.unsummed && frame.vlan.is_none());
                let slack = error + 1_000;
                assert!((before - slack..=after + slack).contains(&frame.stamp), "{frame:?}");
            }
        });
    }
    assert_eq!(found, 1);
    // What is sent is not read again, by IGNORE_OUTGOING.
    let sender = world.sender(0);
    assert_eq!(sender.send(&[&[0xff; 60], &[0xff; 60]]).unwrap(), 2);
    assert!(ring.peek().is_none());
    let error = sender.send(&[&[0xff; 1_600]]).unwrap_err().to_string();
    assert!(error.contains("1600 bytes is longer than 't0' carries"), "{error}");
}

/// What arrives at a device and what leaves it, cut to the length asked for; on the loopback device each packet once.
fn a_tap_sees_both_directions() {
    const HEAD: usize = 160;
    let world = World::new();
    let shape = Shape { frames: 256, mtu: 160, promiscuous: true };
    let packets = |device: &str, from: IpAddr, to: IpAddr| {
        let mut ring = world.ports[0].within(|| Ring::tap(device, shape)).unwrap();
        let socket = world.ports[0].within(|| Ok(UdpSocket::bind((from, 0)).unwrap())).unwrap();
        let before = clock::wall();
        socket.send_to(&[7; 1_000], (to, 9)).unwrap();
        if device == SIDES[0] {
            world.sender(0).send(&[&[0xff; 1_000]]).unwrap();
        }
        let mut lengths = Vec::new();
        while wait::until(&[ring.as_fd()], Some(clock::now() + 100_000_000)).unwrap()[0] {
            ring.drain(64, |frame| {
                assert_eq!(frame.bytes.len() >= HEAD, frame.length as usize >= HEAD, "{frame:?}");
                assert!(frame.wall >= before - ring_slack(), "{frame:?}");
                lengths.push(frame.length);
            });
        }
        let seen = ring.seen().unwrap();
        assert_eq!((seen.frames, seen.dropped), (lengths.len() as u64, 0));
        lengths
    };
    let lengths = packets(SIDES[0], address(0, true), address(1, true));
    let long = |lengths: &[u32]| lengths.iter().filter(|length| **length > 900).count();
    assert_eq!(long(&lengths), 2, "the datagram, and a frame that arrives: {lengths:?}");
    ip(&world.ports[0], "link set dev lo up\n").unwrap();
    // Nobody listens, so the answer is an ICMP message with the beginning of the datagram.
    let lengths = packets("lo", "::1".parse().unwrap(), "::1".parse().unwrap());
    assert_eq!(long(&lengths), 2, "the datagram and its answer, each once: {lengths:?}");
    let kind = |device: &str| world.ports[0].within(|| device::kind(device)).unwrap();
    assert_eq!((kind(SIDES[0]), kind("lo")), (1, 772));
    let names = world.ports[0].within(|| Ok(device::names())).unwrap();
    assert!(names.contains(&"lo".to_owned()) && names.contains(&SIDES[0].to_owned()), "{names:?}");
}

/// How much earlier a stamp may be than a reading of the clock before: the kernel's wall clock is read without a lock.
const fn ring_slack() -> i64 {
    1_000_000
}

/// Copies frames between two ports until told to stop.
fn forward(rings: &mut [Ring; 2], senders: &[Sender; 2], stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        let fds = [rings[0].as_fd(), rings[1].as_fd()];
        wait::until(&fds, Some(clock::now() + 20_000_000)).unwrap();
        for (n, ring) in rings.iter_mut().enumerate() {
            ring.refresh();
            while let Some(frame) = ring.peek() {
                assert_eq!(senders[1 - n].send(&[frame.bytes]).unwrap(), 1);
                ring.release();
            }
        }
    }
}

/// TCP over both versions of IP, 2 MB each: every byte arrives, no frame is longer than the MTU, none is lost.
fn traffic_is_forwarded() {
    let world = World::new();
    let mut rings = [world.ring(0, 4_096), world.ring(1, 4_096)];
    let senders = [world.sender(0), world.sender(1)];
    let stop = AtomicBool::new(false);
    // Root chooses the processors that receive; in a user namespace nobody may.
    let several = std::thread::available_parallelism().is_ok_and(|n| n.get() > 1);
    for (port, side) in world.ports.iter().zip(SIDES) {
        let chosen = Spread::open(port, side).and_then(|mut spread| spread.away_from_here());
        let root = std::fs::read_to_string("/proc/self/uid_map").unwrap().contains("4294967295");
        assert_eq!(chosen.is_ok(), several && root, "{chosen:?}");
    }
    std::thread::scope(|scope| {
        let forwarder = scope.spawn(|| forward(&mut rings, &senders, &stop));
        for v6 in [false, true] {
            let bind = || Ok(TcpListener::bind((address(1, v6), 0)).unwrap());
            let listener = world.ports[1].within(bind).unwrap();
            let to = listener.local_addr().unwrap();
            let sink = scope.spawn(move || {
                let mut bytes = Vec::new();
                listener.accept().unwrap().0.read_to_end(&mut bytes).unwrap();
                bytes
            });
            let open = || Ok(TcpStream::connect_timeout(&to, Duration::from_secs(5)).unwrap());
            let mut stream = world.ports[0].within(open).unwrap();
            let data: Vec<u8> = (0..500_000_u32).flat_map(u32::to_le_bytes).collect();
            stream.write_all(&data).unwrap();
            drop(stream);
            assert!(sink.join().unwrap() == data, "v6 {v6}");
        }
        stop.store(true, Ordering::Relaxed);
        forwarder.join().unwrap();
    });
    for ring in &mut rings {
        let seen = ring.seen().unwrap();
        assert!(seen.frames > 500 && seen.dropped == 0, "{seen:?}");
    }
}

/// 200 frames into 64 places: 136 are counted as dropped, and the 64 are the first.
fn a_full_ring_counts() {
    let world = World::new();
    let mut ring = world.ring(0, 64);
    let sender = world.ports[0].within(|| Sender::open("client")).unwrap();
    while wait::until(&[ring.as_fd()], Some(clock::now() + 50_000_000)).unwrap()[0] {
        ring.drain(64, |_| ());
    }
    let before = ring.seen().unwrap();
    let frames: Vec<[u8; 60]> = (0..200).map(|n| [n; 60]).collect();
    let slices: Vec<&[u8]> = frames.iter().map(|frame| &frame[..]).collect();
    assert_eq!(sender.send(&slices).unwrap(), 200);
    let mut read = Vec::new();
    wait::until(&[ring.as_fd()], Some(clock::now() + 1_000_000_000)).unwrap();
    assert_eq!(ring.waiting().count(), 64);
    ring.drain(1_000, |frame| read.push(frame.bytes[59]));
    assert_eq!(read, (0..64).collect::<Vec<u8>>());
    let after = ring.seen().unwrap();
    assert_eq!((after.frames - before.frames, after.dropped - before.dropped), (200, 136));
}

fn devices_that_went_are_named() {
    let world = World::new();
    let ring = world.ring(0, 64);
    let sender = world.sender(0);
    ring.check().unwrap();
    ip(&world.tool, "link set dev t0 down\n").unwrap();
    let fds = [ring.as_fd()];
    assert!(wait::until(&fds, Some(clock::now() + 1_000_000_000)).unwrap()[0]);
    assert!(matches!(ring.check(), Err(Error::Down(name)) if name == "t0"));
    assert!(matches!(sender.send(&[&[0; 60]]), Err(Error::Down(_))));
    ip(&world.tool, "link del dev t0\n").unwrap();
    assert!(matches!(ring.check(), Err(Error::NoDevice(_))));
    assert!(matches!(sender.send(&[&[0; 60]]), Err(Error::NoDevice(_))));
}

fn offloads_are_seen() {
    let world = World::new();
    let any = |namespace: &NetNs, device: &str| namespace.within(|| offload::any(device)).unwrap();
    assert!(!any(&world.tool, "t0") && !any(&world.ports[0], "client"));
    ip(&world.tool, "link add fresh type veth peer name other\n").unwrap();
    assert!(any(&world.tool, "fresh"));
    let error = ip(&world.tool, "link set dev none up\n").unwrap_err().to_string();
    assert!(error.contains("ip failed") && error.contains("none"), "{error}");
}

/// A program finds the names, signals work in it, its end is read, and the system's files stay as they are.
fn programs_inside() {
    let hosts = std::fs::read("/etc/hosts").unwrap();
    let world = World::new();
    let list: Vec<(&str, IpAddr)> = (0..2).map(|n| (SIDES[n], address(n, false))).collect();
    let names = Names::new(&list).unwrap();
    let signals = Signals::open().unwrap();
    let mut command = Command::new("getent");
    command.args(["ahostsv4", "server"]).stdout(Stdio::piped());
    let child = spawn_in(&world.ports[0], Some(&names), &mut command).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && text.starts_with("10.77.0.2 "), "{text}");
    while signals.read().unwrap() == Some(Signal::Child) {}
    let mut command = Command::new("sleep");
    let mut child = spawn_in(&world.ports[0], None, command.arg("1000")).unwrap();
    // It is in the port's namespace, and has no signal blocked.
    let program = *children(child.id()).last().unwrap();
    let path = format!("/proc/{program}/ns/net");
    let there = std::fs::read_link(path).unwrap();
    let port =
        world.ports[0].within(|| Ok(std::fs::read_link("/proc/thread-self/ns/net").unwrap()));
    assert_eq!(there, port.unwrap());
    let status = std::fs::read_to_string(format!("/proc/{program}/status")).unwrap();
    assert!(status.contains("SigBlk:\t0000000000000000"), "{status}");
    assert!(child.try_wait().unwrap().is_none());
    child::ask(&child, Signal::Terminate).unwrap();
    let fds = [signals.as_fd()];
    assert!(wait::until(&fds, Some(clock::now() + 5_000_000_000)).unwrap()[0]);
    assert_eq!(signals.read().unwrap(), Some(Signal::Child));
    assert_eq!(child.wait().unwrap().signal(), Some(15));
    // What it started ends with it, in whatever session, and its exit code is passed on.
    let mut command = Command::new("sh");
    command.args(["-c", "setsid sleep 1000 & test $$ -gt 1 && exit 7"]);
    let mut child = spawn_in(&world.ports[0], None, &mut command).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(7));
    let end = clock::now() + 5_000_000_000;
    while left("/proc/0", &[&there.to_string_lossy()]) {
        assert!(clock::now() < end, "a program is left");
        wait::until(&[], Some(clock::now() + 10_000_000)).unwrap();
    }
    let error = spawn_in(&world.ports[0], None, &mut Command::new("no-such-program")).unwrap_err();
    assert!(error.to_string().starts_with("'no-such-program' was not found"), "{error}");
    assert_eq!(std::fs::read("/etc/hosts").unwrap(), hosts);
    assert!(!std::path::Path::new("/tmp/0").exists());
}

/// The processes that a process started.
fn children(process: u32) -> Vec<u32> {
    let list = std::fs::read_to_string(format!("/proc/{process}/task/{process}/children"));
    list.unwrap().split_whitespace().map(|number| number.parse().unwrap()).collect()
}

/// Makes all there is, says where, and waits to be killed.
fn hold() {
    let world = World::new();
    let rings = [world.ring(0, 64), world.ring(1, 64)];
    let names = Names::new(&[("server", address(1, false))]).unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", "setsid sleep 1000 & sleep 1000"]).stdout(Stdio::null());
    let child = spawn_in(&world.ports[0], Some(&names), &mut command);
    let place = |ns: &NetNs| {
        ns.within(|| Ok(std::fs::read_link("/proc/thread-self/ns/net").unwrap())).unwrap()
    };
    let [a, b] = [place(&world.ports[0]), place(&world.ports[1])];
    println!(
        "{} {} {} {}",
        child.unwrap().id(),
        place(&world.tool).display(),
        a.display(),
        b.display()
    );
    let fds = [rings[0].as_fd()];
    loop {
        let _ = wait::until(&fds, Some(clock::now() + 60_000_000_000));
    }
}

fn links() -> Vec<String> {
    let list = std::fs::read_dir("/sys/class/net").unwrap();
    list.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
}

fn nothing_is_left(who: &str) {
    let before = links();
    let mut held = Command::new(std::env::current_exe().unwrap())
        .arg("hold")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut byte = [0];
    let out = held.stdout.as_mut().unwrap();
    while out.read_exact(&mut byte).is_ok() && byte != *b"\n" {
        line.push(char::from(byte[0]));
    }
    let words: Vec<&str> = line.split(' ').collect();
    let program = format!("/proc/{}", words[0]);
    assert!(std::path::Path::new(&program).exists() && words.len() == 4, "{line}");
    assert_eq!(links(), before, "the ports are not in the system's namespace");
    held.kill().unwrap();
    held.wait().unwrap();
    let end = clock::now() + 5_000_000_000;
    while left(&program, &words[1..]) {
        assert!(clock::now() < end, "something is left of: {line}");
        wait::until(&[], Some(clock::now() + 10_000_000)).unwrap();
    }
    assert_eq!(links(), before);
    println!("{who}: kill -9 leaves nothing ... ok");
}

/// Whether the program runs (one that waits for its parent does not), or a process or mount holds a namespace.
fn left(program: &str, spaces: &[&str]) -> bool {
    let stat = std::fs::read_to_string(format!("{program}/stat")).unwrap_or_default();
    let runs = !stat.is_empty() && !stat.contains(") Z ");
    let inside = std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        std::fs::read_link(entry.path().join("ns/net"))
            .is_ok_and(|place| spaces.iter().any(|space| place.as_os_str() == *space))
    });
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
    runs || inside || spaces.iter().any(|space| mounts.contains(space))
}

/// The same checks by a user without any privilege.
fn unprivileged() {
    let program = std::env::current_exe().unwrap();
    let status = if rustix::process::geteuid().is_root() {
        Command::new("setpriv")
            .args(["--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs"])
            .args(["--inh-caps=-all", "--bounding-set=-all", "--"])
            .arg(program)
            .arg("user")
            .status()
    } else {
        Command::new(program).arg("user").status()
    };
    match status {
        Ok(status) => assert!(status.success(), "{status}"),
        Err(e) => println!("skipped without privilege: setpriv: {e}"),
    }
}
