//! Drives a server with a socket and the clock.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::AsFd as _;

use airtcp_os::clock::{self, Offset};
use airtcp_os::datagram::{Datagrams, Outgoing};
use airtcp_os::privilege::{self, Capability};
use airtcp_os::signal::{Signal, Signals};
use airtcp_os::{random, wait};

use super::PORT;
use super::auth::{Key, SECRET};
use super::door::Door;
use super::message::LONGEST;
use super::server::Server;
use super::session::Fresh;

/// Datagrams that are sent, or read, in a row.
const BATCH: usize = 64;

/// Serves until a signal ends it.
///
/// # Errors
/// If the address cannot be listened at.
pub(super) fn serve(
    listen: Option<SocketAddr>,
    secret: Key,
    rate: u32,
    say: &dyn Fn(&str),
) -> Result<(), String> {
    let said = |e: airtcp_os::Error| e.to_string();
    let signals = Signals::open().map_err(said)?;
    let socket =
        listen.map_or_else(|| Datagrams::everywhere(PORT), Datagrams::bind).map_err(said)?;
    socket.tell_addresses().map_err(said)?;
    let key = random::secret::<SECRET>().map_err(said)?;
    let mut server = Server::new(secret, &key, rate);
    let mut offset = Offset::measure();
    let (mut running, mut here) = (0, Here::new());
    let address = socket.address().map_err(said)?;
    privilege::give_up(&[Capability::NetBind]).map_err(said)?;
    let mut door = Door::new(address);
    say(&format!("listening at {address}; Ctrl-C ends it"));
    loop {
        let fds = [socket.as_fd(), signals.as_fd()].into_iter().chain(door.fds());
        let next = [server.next(), door.next(clock::now())].into_iter().flatten().min();
        wait::until(&fds.collect::<Vec<_>>(), next).map_err(said)?;
        while let Some(signal) = signals.read().map_err(said)? {
            if matches!(signal, Signal::Interrupt | Signal::Terminate) {
                return Ok(());
            }
        }
        read(&socket, &mut server, &mut offset, &mut here);
        let due = |_| {
            let (to, bytes) = server.due(clock::now())?;
            Some(Outgoing { bytes, to: Some(to), from: here.get(&to).copied() })
        };
        let ready: Vec<_> = (0..BATCH).map_while(due).collect();
        let begin = clock::now();
        socket.send_all(&ready);
        let now = clock::now();
        server.wrote(&ready.iter().filter_map(|one| one.to), now - begin);
        door.turn(now, &mut server);
        server.expire(now);
        if server.sessions() != running {
            running = server.sessions();
            say(&format!("measurements that run: {running}"));
        }
    }
}

/// The address of this host that each client has sent to: what is sent comes from there. Only who has the secret is here.
type Here = BTreeMap<SocketAddr, IpAddr>;
/// Clients that are remembered.
const CLIENTS: usize = 1024;

fn read(socket: &Datagrams, server: &mut Server, offset: &mut Offset, here: &mut Here) {
    let mut buffer = [0; LONGEST + 1];
    for _ in 0..BATCH {
        // An error is what the network says of a datagram that was sent: it was lost.
        let Ok(found) = socket.receive(&mut buffer) else { continue };
        let Some(datagram) = found else { return };
        let at = offset.arrival(datagram.stamp);
        let now = clock::now();
        let fresh = || Some(Fresh { number: random::secret().ok()?, wall: now + offset.value });
        let bytes = &buffer[..datagram.length];
        if let Some(answer) = server.receive(now, at, datagram.from, bytes, fresh) {
            if here.len() >= CLIENTS {
                here.clear();
            }
            here.extend(datagram.to.map(|to| (datagram.from, to)));
            let (to, from) = (Some(datagram.from), datagram.to);
            socket.send_all(&[Outgoing { bytes: answer, to, from }]);
        }
    }
}
