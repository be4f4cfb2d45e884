//! The program prints rules that nft accepts, and refuses bad input in one line with exit status 2.

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

fn ftca(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_airtcp-live"))
        .arg("ftca")
        .args(arguments)
        .output()
        .expect("the program runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What `nft` says of a ruleset in a network namespace of its own; none if the machine cannot tell.
fn checked(ruleset: &[u8]) -> Option<Output> {
    let inside = ["-rn", "sh", "-c", "nft list ruleset && nft -c -f -"];
    let mut child = Command::new("unshare")
        .args(inside)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    let _ = child.stdin.take()?.write_all(ruleset);
    let output = child.wait_with_output().ok()?;
    let said = text(&output.stderr);
    let cannot = ["not found", "unshare", "not permitted", "not supported"];
    (output.status.success() || !cannot.iter().any(|why| said.contains(why))).then_some(output)
}

#[test]
fn nft_accepts_the_rules_of_any_device() {
    for device in ["wlan0", "phy0-ap0", "a_b@c.d", "é", "exactly-fifteen"] {
        for class in ["auto", "voice", "video"] {
            let printed = ftca(&["install", "--dev", device, "--class", class, "--dry-run"]);
            assert!(printed.status.success(), "{}", text(&printed.stderr));
            match checked(&printed.stdout) {
                Some(output) => assert!(output.status.success(), "{}", text(&output.stderr)),
                // Without nft, or without user namespaces, the tests of the end result say that they skip.
                None => return,
            }
        }
    }
}

#[test]
fn bad_names_are_refused() {
    for name in ["a b", "x\"y", "../x", "sixteen-byteslng", "", "wlan*"] {
        let refused = ftca(&["install", "--dry-run", &format!("--dev={name}")]);
        assert_eq!(refused.status.code(), Some(2), "{name}");
        assert!(refused.stdout.is_empty());
    }
}

#[test]
fn the_service_names_this_program() {
    let printed = text(&ftca(&["install", "--print-service"]).stdout);
    assert!(printed.contains("ftca install --dev %I\n"));
    assert!(printed.contains("ftca remove --dev %I\n"));
    assert!(printed.contains("#!/bin/sh\n"));
}
