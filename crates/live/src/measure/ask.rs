//! Drives a client with a socket and the clock.

use std::io::ErrorKind;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::AsFd as _;

use airtcp_os::clock::{self, Offset};
use airtcp_os::datagram::{Datagrams, Outgoing};
use airtcp_os::signal::{Signal, Signals};
use airtcp_os::{privilege, random, wait};

use super::auth::{Key, NONCE};
use super::call::Caller;
use super::client::{Client, Cut};
use super::document::Document;
use super::message::LONGEST;
use super::plan::{MS, Plan};

/// Datagrams that are sent, or read, in a row.
const BATCH: usize = 64;
/// Time between two looks at a thread.
const LOOK_EVERY: i64 = 20 * MS;

/// Measures the path to a server. `name` is how the user calls it, and `say` tells the user what happens.
///
/// # Errors
/// If nothing was measured: without an answer, or after a refusal.
pub(super) fn measure(
    name: &str,
    server: SocketAddr,
    secret: Key,
    plan: Plan,
    say: &dyn Fn(&str),
) -> Result<Document, String> {
    let said = |e: airtcp_os::Error| e.to_string();
    let signals = Signals::open().map_err(said)?;
    let any = match server {
        SocketAddr::V4(_) => SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)),
        SocketAddr::V6(_) => SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0)),
    };
    let socket = Datagrams::bind(any).map_err(said)?;
    privilege::give_up(&[]).map_err(said)?;
    socket.connect(server).map_err(said)?;
    let nonce = random::secret::<NONCE>().map_err(said)?;
    let offset = Offset::measure();
    let mut client = Client::new(secret, nonce, plan, server.is_ipv6(), clock::now(), offset.value);
    let mut driver = Driver { socket, offset, refused: false };
    let mut caller = Caller::new(server);
    let mut told = "";
    loop {
        let due = |_| Some(Outgoing { bytes: client.take(clock::now())?, to: None, from: None });
        let ready: Vec<_> = (0..BATCH).map_while(due).collect();
        let begin = clock::now();
        driver.socket.send_all(&ready);
        client.wrote(ready.len(), clock::now() - begin);
        if client.is_done() {
            break;
        }
        if client.doing() != told {
            told = client.doing();
            say(told);
        }
        caller.turn(&mut client);
        let fds = [driver.socket.as_fd(), signals.as_fd()];
        let look = caller.runs().then(|| clock::now() + LOOK_EVERY);
        let next = [client.next(), look].into_iter().flatten().min();
        wait::until(&fds, next).map_err(said)?;
        while let Some(signal) = signals.read().map_err(said)? {
            if matches!(signal, Signal::Interrupt | Signal::Terminate) {
                client.interrupt(clock::now());
            }
        }
        driver.read(&mut client)?;
    }
    ended(&client, name, server, driver.refused)
}

struct Driver {
    socket: Datagrams,
    offset: Offset,
    /// The network said that nothing listens there.
    refused: bool,
}

impl Driver {
    fn read(&mut self, client: &mut Client) -> Result<(), String> {
        let mut buffer = [0; LONGEST + 1];
        for _ in 0..BATCH {
            let datagram = match self.socket.receive(&mut buffer) {
                Ok(Some(datagram)) => datagram,
                Ok(None) => return Ok(()),
                Err(error) if error.kind() == ErrorKind::ConnectionRefused => {
                    self.refused = true;
                    continue;
                }
                // The network has no way at the moment: as if it were lost.
                Err(error) if is_of_the_network(&error) => continue,
                Err(error) => return Err(format!("receiving: {error}")),
            };
            let at = self.offset.arrival(datagram.stamp);
            client.receive(clock::now(), at, &buffer[..datagram.length]);
        }
        Ok(())
    }
}

fn is_of_the_network(error: &std::io::Error) -> bool {
    use ErrorKind::{HostUnreachable, NetworkDown, NetworkUnreachable};
    matches!(error.kind(), HostUnreachable | NetworkDown | NetworkUnreachable)
}

fn ended(
    client: &Client,
    name: &str,
    server: SocketAddr,
    refused: bool,
) -> Result<Document, String> {
    match client.cut() {
        Some(Cut::NoAnswer) if refused => Err(format!(
            "no answer from {name}: nothing listens at {server}; start `airtcp measure --serve --secret FILE` there"
        )),
        Some(Cut::NoAnswer) => Err(format!(
            "no answer from {name} ({server}): no server runs there, a firewall drops UDP, or the secret may differ"
        )),
        Some(Cut::Refused(text)) => Err(format!("{name} refuses: {text}")),
        Some(Cut::Interrupted) if !client.has_met() => Err("interrupted".to_owned()),
        _ => Ok(Document::new(client, server.to_string())),
    }
}
