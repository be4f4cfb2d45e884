//! ECN end to end: with marks instead of drops, a bottleneck is busy without losses.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use crate::common::run_first;

#[test]
fn marks_keep_the_link_busy_without_loss() {
    let text = r#"
duration = "60 s"
warmup = "10 s"
[[links]]
from = "a"
to = "b"
rate = "10 Mb/s"
delay = "20 ms"
queue = { kind = "red", ecn = true }
[[flows]]
from = "a"
to = "b"
count = 2
tcp = { profile = "linux", ecn = true }
"#;
    let r = run_first(text);
    let link = &r.links[0];
    assert!(link.utilisation > 0.9, "{}", link.utilisation);
    assert!(link.marked_packets > 0);
    let reactions: u64 = r.flows.iter().map(|f| f.ecn_reactions).sum();
    assert!(reactions > 0 && reactions <= link.marked_packets, "{reactions}");
    assert_eq!(r.flows.iter().map(|f| f.retransmissions).sum::<u64>(), 0);
}

/// After a timeout the sender retransmits without new data, and only new data carry CWR. So every ACK echoes
/// marks that the timeout has answered. They must not hold the window at one segment (0.65 Mb/s; ns-2 has
/// 8.1).
#[test]
fn an_echo_does_not_stop_the_slow_start_after_a_timeout() {
    let text = r#"
duration = "10 s"
[[links]]
from = "a"
to = "b"
rate = "10 Mb/s"
delay = "40 ms"
queue = { kind = "red", ecn = true }
[[flows]]
from = "a"
to = "b"
tcp = { profile = "s0", ecn = true }
"#;
    let r = run_first(text);
    let (flow, link) = (&r.flows[0], &r.links[0]);
    // The run has the intended case: marks, then hundreds of losses and a timeout.
    assert!(link.marked_packets > 0 && flow.timeouts >= 1 && flow.retransmissions > 100);
    assert!(flow.goodput_bps > 6e6, "{}", flow.goodput_bps);
}
