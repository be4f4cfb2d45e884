//! `airtcp-live`: what `airtcp` runs where real packets are concerned.

use std::process::ExitCode;

use airtcp_live::drive::{Emulate, Replay};
use airtcp_live::ftca::Ftca;
use airtcp_live::record::Record;
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
    Ftca(Ftca),
    Record(Record),
}

fn main() -> ExitCode {
    match Program::parse().command {
        Command::Emulate(emulate) => emulate.run(),
        Command::Replay(replay) => replay.run(),
        Command::Ftca(ftca) => ftca.run(),
        Command::Record(record) => record.run(),
    }
}
