//! The driver: runs `nft` and `iw` without a shell, and reads which devices there are.

use std::fs;
use std::process::Output;

use airtcp_os::program;
use thiserror::Error;

use super::device::Device;
use super::station::{self, Cell};

/// Why rules cannot be read or changed, and what to do.
#[derive(Debug, Error)]
pub enum ProgramError {
    /// There is no `nft`.
    #[error("nft is not installed; Debian: apt install nftables; OpenWrt: opkg install nftables")]
    NoNft,
    /// The caller may not change or list rules.
    #[error("not permitted: run it as root (sudo), or with CAP_NET_ADMIN; --dry-run needs neither")]
    NotPermitted,
    /// The device does not exist.
    #[error("there is no device {0}; `ip link` lists them")]
    NoDevice(Device),
    /// The kernel has no hook at the egress of a device.
    #[error(
        "this kernel has no egress hook of nftables: Linux 5.16 or later with CONFIG_NETFILTER_EGRESS is needed"
    )]
    OldKernel,
    /// nft does not know the hook.
    #[error(
        "{version} does not know the egress of a device: nftables 1.0.1 or later is needed (nft: {said})"
    )]
    OldNft {
        /// What `nft --version` says.
        version: String,
        /// The first line of the error.
        said: String,
    },
    /// Anything else that nft says.
    #[error("nft: {0}")]
    Refused(String),
    /// A program could not be run.
    #[error("{program}: {error}")]
    NotRun {
        /// Its name.
        program: &'static str,
        /// The reason.
        error: std::io::Error,
    },
}

/// Runs a program with text on its standard input; none if it is not installed.
fn run(
    program: &'static str,
    arguments: &[&str],
    input: &str,
) -> Result<Option<Output>, ProgramError> {
    program::run(program, arguments, input).map_err(|error| ProgramError::NotRun { program, error })
}

fn nft(arguments: &[&str], input: &str) -> Result<String, ProgramError> {
    let output = run("nft", arguments, input)?.ok_or(ProgramError::NoNft)?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(reason(&String::from_utf8_lossy(&output.stderr), || {
        let version = run("nft", &["--version"], "").ok().flatten();
        let text = version.map(|v| String::from_utf8_lossy(&v.stdout).trim().to_owned());
        text.filter(|t| !t.is_empty()).unwrap_or_else(|| "nft".to_owned())
    }))
}

/// What an error of nft means.
pub fn reason(stderr: &str, version: impl FnOnce() -> String) -> ProgramError {
    let said = stderr.lines().find(|line| !line.trim().is_empty()).unwrap_or("no reason given");
    if stderr.contains("Operation not permitted") || stderr.contains("Permission denied") {
        ProgramError::NotPermitted
    } else if stderr.contains("Operation not supported") {
        ProgramError::OldKernel
    } else if stderr.contains("syntax error") || stderr.contains("unknown chain hook") {
        ProgramError::OldNft { version: version(), said: said.to_owned() }
    } else {
        ProgramError::Refused(said.to_owned())
    }
}

/// Loads a text in one transaction.
///
/// # Errors
///
/// If nft is missing or refuses it.
pub fn load(ruleset: &str) -> Result<(), ProgramError> {
    nft(&["-f", "-"], ruleset).map(drop)
}

/// The ruleset of the machine, as JSON and as text.
///
/// # Errors
///
/// If nft is missing or may not list it.
pub fn ruleset() -> Result<(String, String), ProgramError> {
    Ok((nft(&["-j", "list", "ruleset"], "")?, nft(&["list", "ruleset"], "")?))
}

/// The flow tables of the machine as text.
pub fn flowtables() -> Option<String> {
    nft(&["list", "flowtables"], "").ok()
}

/// What iw tells of a device; none if it is missing or the device is not one of Wi-Fi.
pub fn cell(device: &Device) -> Option<Cell> {
    let iw = |rest: &[&str]| {
        let arguments: Vec<&str> = ["dev", device.as_str()].iter().chain(rest).copied().collect();
        let output = run("iw", &arguments, "").ok()??;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        output.status.success().then_some(text)
    };
    let info = iw(&["info"])?;
    Some(station::cell(&info, &iw(&["station", "dump", "-v"]).unwrap_or_default()))
}

/// Refuses a device that does not exist: the kernel takes rules for one, and waits for it.
///
/// # Errors
///
/// If this network namespace has no such device.
pub fn exists(device: &Device) -> Result<(), ProgramError> {
    // Of the process's own namespace, also where /sys shows another.
    let Ok(text) = fs::read_to_string("/proc/self/net/dev") else { return Ok(()) };
    let named = |line: &str| line.split_once(':').map(|(name, _)| name.trim().to_owned());
    if text.lines().filter_map(named).any(|name| name == device.as_str()) {
        return Ok(());
    }
    Err(ProgramError::NoDevice(device.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_nft_become_advice() {
        let of = |text: &str| reason(text, || "nftables v0.9.8".to_owned()).to_string();
        assert!(of("Operation not permitted (you must be root)\n").contains("as root"));
        assert!(
            of("-:3:1-2: Error: Could not process rule: Operation not supported").contains("5.16")
        );
        assert!(of("-:9:1: Error: syntax error, unexpected device\n").contains("1.0.1 or later"));
        assert_eq!(of("\nError: other\nmore"), "nft: Error: other");
        assert_eq!(of(""), "nft: no reason given");
    }

    #[test]
    fn a_program_that_is_not_installed_is_none() {
        assert!(run("airtcp-no-such-program", &[], "").unwrap().is_none());
    }
}
