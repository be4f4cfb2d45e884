//! The options of `emulate`, and the order of things.

use std::ffi::OsString;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};

use airtcp_os::child::{self, spawn_in};
use airtcp_os::privilege::{self, Capability};
use airtcp_os::signal::Signals;
use airtcp_os::{clock, schedule, user, wait};
use airtcp_scenario::Resolved;
use clap::Args;

use super::control::Control;
use super::ending::Why;
use super::failure::{Failure, said, say};
use super::given::{Given, Subject};
use super::line::Line;
use super::output::{Outputs, Whole};
use super::path::round_trip;
use super::ports::Ports;
use super::report::Run;
use super::turn::Loop;
use crate::emulate::{Emulation, RECORD_BETWEEN, RECORD_HEADER};
use crate::exit::ended;

/// Exit status of a run whose COMMAND was ended by Ctrl-C or SIGTERM, as of all commands of airtcp.
const INTERRUPTED: u8 = 130;
/// Time that a program at the other side has to begin to listen.
const SERVER_STARTS_NS: i64 = 400_000_000;

/// Runs real programs over the links and cells of a scenario, in real time.
///
/// COMMAND runs at the node `client`, where the first flow goes to; the node where it comes from is `server`.
#[derive(Debug, Args)]
pub struct Emulate {
    #[command(flatten)]
    given: Given,
    /// Seconds that a run without COMMAND takes; default: the duration of the scenario.
    #[arg(long = "for", value_name = "SECONDS", value_parser = seconds)]
    time: Option<f64>,
    /// Program at the server's side. Default: iperf3 -s if COMMAND is iperf3.
    #[arg(long, value_name = "PROGRAM AND ARGUMENTS")]
    server: Option<String>,
    /// Puts the model between two interfaces of this machine, and not between namespaces. DEV1 stands for the node where the first
    /// flow comes from.
    #[arg(long, num_args = 2, value_names = ["DEV1", "DEV2"], conflicts_with_all = ["server", "shell", "command"])]
    between: Option<Vec<String>>,
    /// Gives the namespaces names for "ip netns exec": PREFIX and the name of the node. They are removed at the end.
    #[arg(long, value_name = "PREFIX", conflicts_with = "between")]
    ns_name: Option<String>,
    /// Starts a shell at the client's side.
    #[arg(long, conflicts_with = "command")]
    shell: bool,
    /// Takes lines such as "set links[0].rate=5 Mb/s" while it runs, from a named pipe, which is made if there is none; "-": from
    /// standard input, without COMMAND.
    #[arg(long, value_name = "PATH")]
    control: Option<PathBuf>,
    /// Writes the fate of each packet, a line each.
    #[arg(long, value_name = "FILE")]
    loss_log: Option<PathBuf>,
    /// Writes the arrivals, which the same scenario can meet again.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Writes a capture (pcapng), an interface a port.
    #[arg(long, value_name = "FILE")]
    pcap: Option<PathBuf>,
    /// Writes what the run was like, as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Ends when this process, which started it, ends.
    #[arg(long, value_name = "PID", hide = true)]
    parent: Option<i32>,
    /// Says nothing but errors, and that a run is not valid; no line on the terminal.
    #[arg(long, short)]
    quiet: bool,
    /// The program that runs at the client's side, and its arguments.
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

fn seconds(text: &str) -> Result<f64, String> {
    let value: f64 = text.trim_end_matches('s').trim().parse().unwrap_or(f64::NAN);
    let fits = (0.001..=1e6).contains(&value);
    if fits { Ok(value) } else { Err("expected seconds, 0.001 to 1000000".to_owned()) }
}

impl Emulate {
    /// Runs it. Exit: the status of COMMAND; 2 for wrong input; 3 if the run is not valid; 130 if COMMAND was
    /// interrupted.
    pub fn run(self) -> ExitCode {
        ended(self.emulate())
    }

    fn emulate(mut self) -> Result<ExitCode, Failure> {
        let subject = self.given.open()?;
        let Subject { plan, traces, source } = subject.clone();
        let refused = |error| said(source.locate(error, &[]));
        let control = self.control(subject)?;
        let load = |name: &str| traces.load(name);
        let base = round_trip(&plan, &load).map_err(refused)?;
        let unprivileged = self.enter()?;
        let signals = Signals::open().map_err(said)?;
        let mut ports = match &self.between {
            Some(devices) => Ports::between(&plan, devices)?,
            None => Ports::open(&plan, unprivileged, self.ns_name.as_deref())?,
        };
        let mut emulation = Emulation::new(&plan, ports.macs(), &load).map_err(refused)?;
        if self.between.is_some() {
            emulation = emulation.between();
        }
        let mut outputs = self.outputs(&ports)?;
        let document = self.json.as_deref().map(Whole::open).transpose()?;
        if self.record.is_some() {
            emulation.record();
        }
        if self.shell {
            self.command = vec![std::env::var_os("SHELL").unwrap_or_else(|| "/bin/sh".into())];
        }
        let mut server = self.start_server(&ports)?;
        let limit = self.limit(&plan);
        // The clock of the model starts here.
        let mut driver = Loop::begin(base, limit);
        driver.control = control;
        driver.line = if self.quiet || self.shell { None } else { Line::open(ports.names()) };
        let mut client = self.start(&ports)?;
        if client.is_none() {
            say(&ports.how_to_enter());
        }
        let priority = schedule::raise();
        let later: &[Capability] = if ports.spreads() { &[Capability::NetAdmin] } else { &[] };
        privilege::give_up(later).map_err(said)?;
        let stop = driver.run(&mut emulation, &mut ports, &signals, client.as_mut(), &mut outputs);
        // Programs end before the model does.
        let status = end(client.take());
        end(server.take());
        outputs.close()?;
        let why = match &stop {
            Ok(why) => *why,
            Err(_) => Why::Failed,
        };
        let run = Run::new(&plan, &emulation, &driver, &ports, priority, why)
            .of(self.given.name(), &self.command);
        if !self.quiet || !run.is_valid() {
            say(&run.text());
        }
        if let Some(file) = document {
            file.write(&run.json())?;
        }
        stop?;
        if !run.is_valid() {
            return Ok(ExitCode::from(3));
        }
        if why == Why::Interrupted && status.is_some() {
            return Ok(ExitCode::from(INTERRUPTED));
        }
        Ok(status.map_or(ExitCode::SUCCESS, code))
    }

    /// Enters a user namespace where there is no privilege: in one of its own, everybody is root. Given interfaces are in none.
    fn enter(&self) -> Result<bool, Failure> {
        let unprivileged = !user::is_root() && self.between.is_none();
        if unprivileged && self.ns_name.is_some() {
            return Err(
                "--ns-name needs root: names of namespaces are those of the host".to_owned()
            );
        }
        if unprivileged {
            user::enter_user_namespace().map_err(said)?;
        }
        if let Some(parent) = self.parent {
            child::end_with(parent).map_err(said)?;
        }
        Ok(unprivileged)
    }

    fn outputs(&self, ports: &Ports) -> Result<Outputs, Failure> {
        let header = if self.between.is_some() { RECORD_BETWEEN } else { RECORD_HEADER };
        Outputs::open(
            self.loss_log.as_deref(),
            self.record.as_deref().map(|path| (path, header)),
            self.pcap.as_deref(),
            &ports.names(),
        )
    }

    fn control(&self, subject: Subject) -> Result<Option<Control>, Failure> {
        let Some(path) = &self.control else { return Ok(None) };
        if path.as_os_str() == "-" && (self.shell || !self.command.is_empty()) {
            return Err("--control - takes standard input, which is that of COMMAND: give a path"
                .to_owned());
        }
        Control::open(path, subject).map(Some)
    }

    /// When a run without COMMAND ends, in nanoseconds after its start.
    fn limit(&self, plan: &Resolved) -> Option<i64> {
        if !self.command.is_empty() && self.time.is_none() {
            return None;
        }
        let own = plan.scenario.duration.as_secs_f64();
        #[allow(clippy::cast_possible_truncation, reason = "at most 1e6 s")]
        let limit = (self.time.unwrap_or(own) * 1e9) as i64;
        Some(limit)
    }

    fn start_server(&self, ports: &Ports) -> Result<Option<Child>, Failure> {
        let words: Vec<OsString> = match &self.server {
            Some(text) => text.split_whitespace().map(OsString::from).collect(),
            None if self.command.first().is_some_and(is_iperf3) => {
                vec!["iperf3".into(), "-s".into()]
            }
            None => return Ok(None),
        };
        let Some((program, arguments)) = words.split_first() else { return Ok(None) };
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null());
        // Ctrl-C is for COMMAND, whose last words pass while the server runs.
        command.process_group(0);
        let Some(spaces) = ports.spaces() else { return Ok(None) };
        let child = spawn_in(spaces.server(), Some(spaces.hosts()), &mut command).map_err(said)?;
        wait::until(&[], Some(clock::now() + SERVER_STARTS_NS)).map_err(said)?;
        Ok(Some(child))
    }

    fn start(&self, ports: &Ports) -> Result<Option<Child>, Failure> {
        let Some((program, arguments)) = self.command.split_first() else { return Ok(None) };
        let mut command = Command::new(program);
        command.args(arguments);
        let Some(spaces) = ports.spaces() else { return Ok(None) };
        spawn_in(spaces.client(), Some(spaces.hosts()), &mut command).map(Some).map_err(said)
    }
}

fn is_iperf3(program: &OsString) -> bool {
    Path::new(program).file_name().is_some_and(|name| name == "iperf3")
}

/// Ends a program that still runs, and returns its status.
fn end(child: Option<Child>) -> Option<ExitStatus> {
    let mut child = child?;
    if let Ok(Some(status)) = child.try_wait() {
        return Some(status);
    }
    let _ = child.kill();
    child.wait().ok()
}

/// The exit code of a program, as shells give it.
fn code(status: ExitStatus) -> ExitCode {
    let signal = status.signal().map(|signal| 128 + signal);
    ExitCode::from(u8::try_from(status.code().or(signal).unwrap_or(1)).unwrap_or(1))
}
