//! The same seed gives the same bits, with any number of workers and with unused parts in the scenario.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use crate::common::{run_first, run_with};

const LOSSY: &str = r#"
seed = 7
replications = 4
duration = "20 s"
[[links]]
name = "air"
from = "a"
to = "b"
rate = "10 Mb/s"
delay = "20 ms"
loss = { model = "bernoulli", probability = 0.01 }
[[flows]]
name = "one"
from = "a"
to = "b"
"#;

#[test]
fn workers_do_not_matter() {
    let (one, three) = (run_with(LOSSY, 1), run_with(LOSSY, 3));
    assert_eq!(one, three);
    let prints: std::collections::BTreeSet<_> =
        one.replications.iter().map(|r| r.fingerprint.clone()).collect();
    assert_eq!(prints.len(), 4, "replications differ from one another");
}

#[test]
fn seeds_matter() {
    let other = LOSSY.replace("seed = 7", "seed = 8");
    assert_ne!(run_first(LOSSY).fingerprint, run_first(&other).fingerprint);
}

/// The same in debug and release builds. A change of any model changes it, and needs a line under "Changed
/// behaviour" in the changelog.
#[test]
fn the_fingerprint_is_pinned() {
    assert_eq!(run_first(LOSSY).fingerprint, PINNED);
}

const PINNED: &str = "74cef3a8fb76d10b";

/// An unused link with its own node, and a flow that never starts, change nothing.
#[test]
fn unused_parts_change_nothing() {
    let idle = r#"
[[links]]
name = "unused"
from = "c"
to = "b"
rate = "1 Mb/s"
loss = { model = "bernoulli", probability = 0.5 }
[[flows]]
name = "late"
from = "c"
to = "b"
app = { kind = "bulk", start = "1000 s" }
"#;
    let (alone, with) = (run_first(LOSSY), run_first(&format!("{LOSSY}{idle}")));
    assert_eq!(alone.flows[0], with.flows[0]);
    assert_eq!(alone.links[0], with.links[0]);
}

#[test]
fn creation_order_does_not_matter() {
    let flow = |name: &str| format!("[[flows]]\nname = \"{name}\"\nfrom = \"a\"\nto = \"b\"\n");
    let head = LOSSY.split("[[flows]]").next().unwrap();
    let forward = run_first(&format!("{head}{}{}", flow("x"), flow("y")));
    let backward = run_first(&format!("{head}{}{}", flow("y"), flow("x")));
    assert_eq!(forward.flows[0], backward.flows[1]);
    assert_eq!(forward.flows[1], backward.flows[0]);
}
