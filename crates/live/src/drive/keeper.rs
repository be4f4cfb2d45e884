//! What undoes the changes of a run when it has ended, however that comes.
//!
//! A program of its own, which waits for the end of its standard input: the run itself has given up its privilege by then, or
//! was killed.

use std::io::{self, Read as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitCode, Stdio};

use airtcp_os::namespace;
use airtcp_os::offload::{self, Merging};
use clap::Args;

use super::failure::{Failure, said};
use crate::exit::ended;

/// When standard input ends: gives an interface its offloads back, removes the name of a namespace, or removes a named pipe.
#[derive(Debug, Args)]
pub struct Restore {
    /// An interface.
    #[arg(long)]
    device: Option<String>,
    /// The kernel merged its packets.
    #[arg(long)]
    gro: bool,
    /// The interface itself merged packets.
    #[arg(long)]
    lro: bool,
    /// A namespace.
    #[arg(long)]
    netns: Option<String>,
    /// A named pipe.
    #[arg(long)]
    pipe: Option<PathBuf>,
}

impl Restore {
    /// Runs it.
    pub fn run(self) -> ExitCode {
        let mut rest = Vec::new();
        let _ = io::stdin().read_to_end(&mut rest);
        if let Some(path) = &self.pipe {
            let _ = std::fs::remove_file(path);
        }
        if let Some(name) = &self.netns {
            let _ = namespace::remove(name);
        }
        let to = Merging { kernel: self.gro, device: self.lro };
        let device = self.device.as_deref();
        let done = device.map_or(Ok(()), |device| offload::set_merging(device, to));
        ended(done.map(|()| ExitCode::SUCCESS))
    }
}

/// Undoes a change when it goes.
pub(super) struct Keeper {
    child: Child,
    pipe: Option<ChildStdin>,
}

impl Keeper {
    /// Gives an interface its merging of packets back.
    pub(super) fn of_device(name: &str, before: Merging) -> Result<Self, Failure> {
        let gro = before.kernel.then_some("--gro");
        let lro = before.device.then_some("--lro");
        Self::start(restore()?.args(["--device", name]).args(gro).args(lro))
    }

    /// Removes the name of a namespace.
    pub(super) fn of_namespace(name: &str) -> Result<Self, Failure> {
        Self::start(restore()?.args(["--netns", name]))
    }

    /// Removes a named pipe.
    pub(super) fn of_pipe(path: &Path) -> Result<Self, Failure> {
        Self::start(restore()?.arg("--pipe").arg(path))
    }

    fn start(command: &mut Command) -> Result<Self, Failure> {
        // Ctrl-C is not for it.
        command.stdin(Stdio::piped()).stdout(Stdio::null()).process_group(0);
        let mut child = command.spawn().map_err(said)?;
        Ok(Self { pipe: child.stdin.take(), child })
    }
}

/// This program, as [`Restore`].
fn restore() -> Result<Command, Failure> {
    let mut command = Command::new(std::env::current_exe().map_err(said)?);
    command.arg("restore");
    Ok(command)
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.pipe = None;
        let _ = self.child.wait();
    }
}
