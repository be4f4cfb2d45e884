//! `airtcp-live tunnel`: the options, and what is written.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use airtcp_os::datagram::Datagrams;
use airtcp_os::privilege;
use airtcp_os::signal::Signals;
use airtcp_tunnel::PublicKey;
use clap::{Args, Subcommand};

use super::dial::Dialler;
use super::drive::{Drive, Role};
use super::listen::{self, Listeners, Port};
use super::status::{self, Socket, canonical};
use super::targets::Allowed;
use super::whereabouts::Whereabouts;
use super::{PORT, keys};
use crate::exit::ended;
use crate::place;

/// TCP connections over a path that loses packets, in one encrypted flow.
#[derive(Debug, Args)]
pub struct Tunnel {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Makes a private key, and prints its public half.
    Keygen {
        /// The file of the private key; it must not exist.
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
    },
    /// Connects clients to their targets, until a signal ends it.
    Serve {
        /// Where to listen; by default at port 5298 of all addresses.
        #[arg(long, value_name = "ADDRESS:PORT")]
        listen: Option<String>,
        /// Beside public addresses of other hosts, targets that clients may reach; PORT may be *. Again for each.
        #[arg(long, value_name = "HOST:PORT")]
        allow: Vec<String>,
        #[command(flatten)]
        common: Common,
    },
    /// Takes connections of applications, until a signal ends it.
    Connect {
        /// The server: a name or an address, and perhaps a port (default 5298).
        #[arg(value_name = "HOST[:PORT]")]
        host: String,
        /// Forwards a local port to a target. Again for each.
        #[arg(short = 'L', long = "forward", value_name = "[ADDRESS:]PORT:HOST:PORT")]
        forward: Vec<String>,
        /// Serves SOCKS 5 at a local port.
        #[arg(long, value_name = "[ADDRESS:]PORT")]
        socks: Vec<String>,
        #[command(flatten)]
        common: Common,
    },
    /// Says what the tunnels of this user do on this host.
    Status {
        /// The socket of one tunnel; by default all are asked.
        #[arg(long, value_name = "FILE")]
        socket: Option<PathBuf>,
        /// Prints the document.
        #[arg(long, conflicts_with = "prometheus")]
        json: bool,
        /// Prints the text format of Prometheus.
        #[arg(long)]
        prometheus: bool,
    },
}

#[derive(Debug, Args)]
struct Common {
    /// The file of this end's private key.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// The public key of the other end; a server may have several.
    #[arg(long, value_name = "PUBLIC", required = true)]
    peer: Vec<String>,
    /// Where `status` asks; by default a socket in the folder of this user.
    #[arg(long, value_name = "FILE")]
    socket: Option<PathBuf>,
    /// Says nothing of what happens.
    #[arg(long, short)]
    quiet: bool,
}

impl Tunnel {
    /// Runs it. Exit: 0 when ended as asked; 2 for wrong input, a wrong key, or a refusal of the system.
    pub fn run(self) -> ExitCode {
        ended(self.done().map(|()| ExitCode::SUCCESS))
    }

    fn done(self) -> Result<(), String> {
        match self.command {
            Command::Keygen { out } => {
                let key = keys::make(&out)?;
                print(&format!("{}\n", key.public()))
            }
            Command::Serve { listen, allow, common } => serve(listen, &allow, &common),
            Command::Connect { host, forward, socks, common } => {
                connect(&host, &forward, &socks, &common)
            }
            Command::Status { socket, json, prometheus } => {
                let documents = status::ask(socket.as_deref())?;
                if json {
                    let text = serde_json::to_string(&documents).map_err(|e| e.to_string())?;
                    return print(&(text + "\n"));
                }
                let each =
                    |d: &status::Document| if prometheus { d.prometheus() } else { d.lines() };
                print(&documents.iter().map(each).collect::<String>())
            }
        }
    }
}

fn print(text: &str) -> Result<(), String> {
    io::stdout().write_all(text.as_bytes()).map_err(|e| format!("standard output: {e}"))
}

fn serve(listen: Option<String>, allow: &[String], common: &Common) -> Result<(), String> {
    let key = keys::read(&common.key)?;
    let peers = common.peers()?;
    let rules = allow.iter().map(|rule| rule.parse()).collect::<Result<Vec<Allowed>, _>>();
    let rules = rules.map_err(|e| format!("--allow {e}"))?;
    let listen = listen.map(|text| place::address(&text, PORT)).transpose();
    let listen = listen.map_err(|e| format!("--listen {e}"))?;
    let said = |e: airtcp_os::Error| e.to_string();
    // Before any thread starts: threads inherit which signals are blocked.
    let signals = Signals::open().map_err(said)?;
    airtcp_os::user::raise_descriptors();
    let socket = match listen {
        Some(address) => Datagrams::bind(address),
        None => Datagrams::everywhere(PORT),
    }
    .map_err(said)?;
    socket.tell_addresses().and_then(|()| socket.never_fragment()).map_err(said)?;
    let address = socket.address().map_err(said)?;
    let say = common.voice();
    let dialler = Dialler::new(rules).map_err(|e| e.to_string())?;
    let status = common.status(&say);
    privilege::give_up(&[]).map_err(said)?;
    say(&format!("listening at {address} with key {}; Ctrl-C ends it", key.public()));
    let role = Role::Server(dialler, peers);
    Drive { socket, signals, key, role, status, say: &say }.run()
}

fn connect(
    host: &str,
    forward: &[String],
    socks: &[String],
    common: &Common,
) -> Result<(), String> {
    let key = keys::read(&common.key)?;
    let peers = common.peers()?;
    let [peer] = peers.as_slice() else {
        return Err("--peer stands once here: a client has one server".to_owned());
    };
    let forwards = forward.iter().map(|text| listen::forward(text).map_err(|e| format!("-L {e}")));
    let proxies = socks.iter().map(|text| listen::socks(text).map_err(|e| format!("--socks {e}")));
    let ports: Vec<Port> = forwards.chain(proxies).collect::<Result<_, _>>()?;
    if ports.is_empty() {
        return Err(
            "nothing to carry: give -L [ADDRESS:]PORT:HOST:PORT, --socks [ADDRESS:]PORT, or both"
                .to_owned(),
        );
    }
    let said = |e: airtcp_os::Error| e.to_string();
    let signals = Signals::open().map_err(said)?;
    airtcp_os::user::raise_descriptors();
    let listeners = Listeners::open(&ports)?;
    let (server, socket) = Whereabouts::of(host, PORT)?;
    socket.never_fragment().map_err(said)?;
    let address = canonical(server.address());
    let say = common.voice();
    let status = common.status(&say);
    privilege::give_up(&[]).map_err(said)?;
    for port in &ports {
        let what = match &port.purpose {
            listen::Purpose::Forward(target) => format!("{target} through {address}"),
            listen::Purpose::Socks => format!("SOCKS 5 through {address}"),
        };
        say(&format!("{} is {what}", port.address));
    }
    let role = Role::Client(listeners, server, *peer);
    Drive { socket, signals, key, role, status, say: &say }.run()
}

impl Common {
    fn peers(&self) -> Result<Vec<PublicKey>, String> {
        let read = |text: &String| text.parse().map_err(|e| format!("--peer {text}: {e}"));
        self.peer.iter().map(read).collect()
    }

    fn voice(&self) -> impl Fn(&str) + use<> {
        let quiet = self.quiet;
        move |text: &str| {
            if !quiet {
                let _ = writeln!(io::stderr(), "airtcp tunnel: {text}");
            }
        }
    }

    fn status(&self, say: &dyn Fn(&str)) -> Option<Socket> {
        match Socket::open(self.socket.as_deref()) {
            Ok(socket) => Some(socket),
            Err(error) => {
                say(&format!("`airtcp tunnel status` will not find this one: {error}"));
                None
            }
        }
    }
}
