//! `airtcp-live`: what `airtcp` runs where real packets are concerned.

use std::process::ExitCode;

use airtcp_live::ftca::Ftca;
use clap::{Parser, Subcommand};

/// Real packets for airtcp: rules on a Linux host.
#[derive(Debug, Parser)]
#[command(name = "airtcp-live", version)]
struct Program {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Ftca(Ftca),
}

fn main() -> ExitCode {
    match Program::parse().command {
        Command::Ftca(ftca) => ftca.run(),
    }
}
