//! `airtcp-live ftca install`, `verify` and `remove`.

use std::io::Write as _;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Subcommand};

use super::class::{Asked, choose};
use super::device::Device;
use super::programs::{self, ProgramError};
use super::verdict::{Looks, judge};
use super::{listing, ruleset, service};
use crate::exit::{REFUSED, ended};

/// Put TCP packets without payload (ACK, SYN, FIN, RST) in a higher access category of Wi-Fi.
#[derive(Debug, Args)]
pub struct Ftca {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Install the rules at the egress of a device; they replace earlier ones of this command.
    Install(Install),
    /// Say whether the rules work: exit status 0 if they are seen to, 4 if not, 5 if no packet passed.
    Verify(Verify),
    /// Remove the rules; the rest of the ruleset stays as it was.
    Remove(Remove),
}

#[derive(Debug, Args)]
struct Install {
    /// The device that sends the ACKs, such as wlan0.
    #[arg(long, value_name = "DEV", required_unless_present = "print_service")]
    dev: Option<Device>,
    /// The category: auto takes video where aggregation is in use or nothing is known, else voice.
    #[arg(long, value_enum, default_value_t)]
    class: Asked,
    /// Print the rules and change nothing; needs no privilege, and any name of a device will do.
    #[arg(long)]
    dry_run: bool,
    /// Print a unit of systemd and a script for OpenWrt that install the rules at each start.
    #[arg(long)]
    print_service: bool,
}

#[derive(Debug, Args)]
struct Verify {
    /// The device.
    #[arg(long, value_name = "DEV")]
    dev: Device,
    /// Seconds to watch the counters.
    #[arg(long = "for", value_name = "SECONDS", default_value_t = 3,
          value_parser = clap::value_parser!(u64).range(1..=3600))]
    seconds: u64,
}

#[derive(Debug, Args)]
struct Remove {
    /// The device; it need not exist any more.
    #[arg(long, value_name = "DEV")]
    dev: Device,
    /// Print what would be loaded, and change nothing.
    #[arg(long)]
    dry_run: bool,
}

impl Ftca {
    /// Runs the command; an error is one line on standard error, and the exit status 2.
    pub fn run(self) -> ExitCode {
        let done = match self.action {
            Action::Install(install) => install.run(),
            Action::Verify(verify) => verify.run(),
            Action::Remove(remove) => remove.run(),
        };
        ended(done.map(|(text, status)| {
            let heard = std::io::stdout().lock().write_all(text.as_bytes()).is_ok();
            ExitCode::from(if heard { status } else { REFUSED })
        }))
    }
}

type Done = Result<(String, u8), ProgramError>;

impl Install {
    fn run(self) -> Done {
        let Some(device) = self.dev.filter(|_| !self.print_service) else {
            let program = std::env::current_exe();
            let place = program.ok().and_then(|p| p.to_str().map(str::to_owned));
            let plain =
                |p: &String| !p.contains(|c: char| c.is_whitespace() || "\"'\\%$`;&|".contains(c));
            let place = place.filter(plain).unwrap_or_else(|| "/usr/bin/airtcp-live".to_owned());
            return Ok((service::print(&place), 0));
        };
        let choice = choose(self.class, programs::cell(&device).as_ref());
        let text = ruleset::install(&device, choice.class);
        let why = format!("class {}, because {}", choice.class, choice.reason);
        if self.dry_run {
            return Ok((format!("# {device}: {why}\n{text}"), 0));
        }
        programs::exists(&device)?;
        programs::load(&text)?;
        let next = format!("Does it work? airtcp ftca verify --dev {device}");
        Ok((format!("{device}: installed; {why}.\n{next}\n"), 0))
    }
}

impl Remove {
    fn run(self) -> Done {
        let text = ruleset::remove(&self.dev);
        if self.dry_run {
            return Ok((text, 0));
        }
        programs::load(&text)?;
        Ok((format!("{}: no rules of this command any more.\n", self.dev), 0))
    }
}

impl Verify {
    fn run(self) -> Done {
        let rules = || {
            let (json, plain) = programs::ruleset()?;
            listing::rules(&json, &plain, &self.dev)
                .ok_or_else(|| ProgramError::Refused("its JSON cannot be read".to_owned()))
        };
        programs::exists(&self.dev)?;
        let mut looks = Looks { before: rules()?, seconds: self.seconds, ..Looks::default() };
        if looks.before.hooked {
            looks.cell_before = programs::cell(&self.dev);
            std::thread::sleep(Duration::from_secs(self.seconds));
        }
        looks.after = rules()?;
        looks.cell_after = programs::cell(&self.dev);
        looks.offloaded = programs::flowtables().map(|text| listing::offloaded(&text));
        let verdict = judge(&self.dev, &looks);
        Ok((verdict.lines.join("\n") + "\n", verdict.status))
    }
}
