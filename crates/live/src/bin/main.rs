//! `airtcp-live`: what `airtcp` runs where real packets are concerned.

use std::process::ExitCode;

use airtcp_live::drive::{Emulate, Replay, Restore};
use airtcp_live::ftca::Ftca;
use airtcp_live::measure::Measure;
use airtcp_live::record::Record;
use airtcp_live::tunnel::Tunnel;
use clap::{Parser, Subcommand};

/// Real packets for airtcp: links and cells of a scenario in real time, rules on a host.
#[derive(Debug, Parser)]
#[command(name = "airtcp-live", version)]
struct Program {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Emulate(Emulate),
    Replay(Replay),
    #[command(hide = true)]
    Restore(Restore),
    Ftca(Ftca),
    Measure(Measure),
    Record(Record),
    Tunnel(Tunnel),
}

fn main() -> ExitCode {
    match Program::parse().command {
        Command::Emulate(emulate) => emulate.run(),
        Command::Replay(replay) => replay.run(),
        Command::Restore(restore) => restore.run(),
        Command::Ftca(ftca) => ftca.run(),
        Command::Measure(measure) => measure.run(),
        Command::Record(record) => record.run(),
        Command::Tunnel(tunnel) => tunnel.run(),
    }
}
