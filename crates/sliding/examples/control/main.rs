//! Bench of the control: one Markdown table per aim. `control [AIM...] [--short] [--seeds N] [--as LAW]`
//!
//! AIM is `gate`, `opening`, `share`, `joiner`, `many`, `alone` or `jitter`; without any, all of them. `--short` measures
//! fewer seeds and cells; `--as cubic` puts a TCP with this law in the place of sliding, as a reference.
//!
//! The path is one bottleneck of 10 Mb/s, unless stated, in virtual time. The ceiling of goodput is the link's rate
//! times 1436/1496, and times 1 - p at a loss rate p.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::format_push_string,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    missing_docs,
    reason = "a program to look at"
)]

mod aims;
mod codel;
mod world;

/// What to measure.
pub(crate) struct Options {
    pub(crate) short: bool,
    pub(crate) seeds: u64,
    /// The flow under test.
    pub(crate) law: String,
}

impl Options {
    /// Number of seeds: what was asked for, otherwise `usual`, or a quarter of it in a short run.
    pub(crate) fn seeds(&self, usual: u64) -> u64 {
        if self.seeds > 0 {
            self.seeds
        } else if self.short {
            usual.div_ceil(4)
        } else {
            usual
        }
    }
}

const AIMS: [(&str, fn(&Options)); 7] = [
    ("gate", aims::gate),
    ("opening", aims::opening),
    ("share", aims::share),
    ("joiner", aims::joiner),
    ("many", aims::many),
    ("alone", aims::alone),
    ("jitter", aims::jitter),
];

fn main() {
    let mut options = Options { short: false, seeds: 0, law: "sliding".into() };
    let mut wanted = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--short" => options.short = true,
            "--seeds" => options.seeds = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(1),
            "--as" => options.law = arguments.next().unwrap_or(options.law),
            _ if AIMS.iter().any(|a| a.0 == argument) => wanted.push(argument),
            _ => {
                println!("control: no aim is named {argument}: {}", AIMS.map(|a| a.0).join(", "));
                std::process::exit(2);
            }
        }
    }
    for (name, measure) in AIMS {
        if wanted.is_empty() || wanted.iter().any(|w| w == name) {
            measure(&options);
            println!();
        }
    }
}
