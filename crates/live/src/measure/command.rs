//! `airtcp-live measure`: the options, and what is written.

use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::plan::{Plan, RATE, RATE_ALLOWED, RATE_LIMIT};
use super::{PORT, ask, secret, serve};
use crate::exit::ended;
use crate::place;

/// Measure the path between two hosts: losses and their order, delay, capacity.
///
/// One end serves, and the other measures. Both have the same secret.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("what").required(true).args(["host", "serve", "new_secret"]))]
pub struct Measure {
    /// The server: a name or an address, and perhaps a port (default 5299).
    #[arg(value_name = "HOST[:PORT]")]
    host: Option<String>,
    /// Answers those who measure from elsewhere, until a signal ends it.
    #[arg(long, requires = "secret")]
    serve: bool,
    /// Where to listen; by default at port 5299 of all addresses.
    #[arg(long, value_name = "ADDRESS:PORT", requires = "serve")]
    listen: Option<String>,
    /// The file of the secret, which both ends have.
    #[arg(long, value_name = "FILE", conflicts_with = "new_secret")]
    secret: Option<PathBuf>,
    /// Writes a new secret, and does nothing else.
    #[arg(long, value_name = "FILE")]
    new_secret: Option<PathBuf>,
    /// About how long the measurement takes, 6 s to 120 s.
    #[arg(long = "for", value_name = "SECONDS", default_value = "60s", value_parser = seconds, conflicts_with = "serve")]
    time: f64,
    /// Small packets that each end sends in a second, 100 to 10000. To measure: 1000/s. With --serve, the most that
    /// clients may ask for: 1250/s, which is 1 Mb/s.
    #[arg(long, value_name = "NUMBER/s", value_parser = rate)]
    rate: Option<u32>,
    /// Says nothing of what happens.
    #[arg(long, short)]
    quiet: bool,
}

fn seconds(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('s').unwrap_or(text).trim_end();
    let value: f64 = number.parse().unwrap_or(f64::NAN);
    let fits = (6.0..=120.0).contains(&value);
    if fits { Ok(value) } else { Err("expected seconds, 6s to 120s".to_owned()) }
}

fn rate(text: &str) -> Result<u32, String> {
    let value = text.strip_suffix("/s").unwrap_or(text).parse().ok();
    value
        .filter(|value| (100..=RATE_LIMIT).contains(value))
        .ok_or_else(|| format!("expected packets per second, 100/s to {RATE_LIMIT}/s"))
}

impl Measure {
    /// Runs it. Exit: 0; 2 for wrong input, without an answer, or after a refusal; 130 after Ctrl-C.
    pub fn run(self) -> ExitCode {
        ended(self.done())
    }

    fn done(self) -> Result<ExitCode, String> {
        if let Some(path) = &self.new_secret {
            secret::write(path)?;
            return Ok(ExitCode::SUCCESS);
        }
        let path = self.secret.as_deref().ok_or(
            "--secret FILE is missing: both ends need one; `airtcp measure --new-secret FILE` makes it",
        )?;
        let key = secret::read(path)?;
        let quiet = self.quiet;
        let say = move |text: &str| {
            if !quiet {
                let _ = writeln!(io::stderr(), "airtcp measure: {text}");
            }
        };
        let Some(host) = &self.host else {
            let listen =
                self.listen.as_deref().map(|text| place::address(text, PORT)).transpose()?;
            serve::serve(listen, key, self.rate.unwrap_or(RATE_ALLOWED), &say)?;
            return Ok(ExitCode::SUCCESS);
        };
        let server: SocketAddr = place::address(host, PORT)?;
        let plan = Plan::of(self.time, self.rate.unwrap_or(RATE));
        let document = ask::measure(host, server, key, plan, &say)?;
        let json = serde_json::to_string(&document).map_err(|e| e.to_string())?;
        writeln!(io::stdout(), "{json}").map_err(|e| format!("standard output: {e}"))?;
        Ok(ExitCode::SUCCESS)
    }
}
