//! Growth of laws: HyStart++ and standard slow start on a long path, and the shares of two flows with
//! different round-trip times under Reno, BIC and CUBIC.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may fail, and prints its measurements"
)]

use crate::common::run_first;
use airtcp_sim::results::Replication;
use airtcp_units::detmath::ln;

/// One flow from the first SYN on over 50 Mb/s and 200 ms, with an ACK per segment, so that both slow starts
/// double the window per round trip.
fn long_path(slow_start: &str, queue: u32) -> Replication {
    run_first(&format!(
        "duration = \"8 s\"\n\
         [[links]]\nfrom = \"a\"\nto = \"b\"\nrate = \"50 Mb/s\"\ndelay = \"100 ms\"\n\
         queue = {{ kind = \"drop-tail\", packets = {queue} }}\n\
         [[flows]]\nfrom = \"a\"\nto = \"b\"\n\
         tcp = {{ congestion = \"cubic\", slow_start = \"{slow_start}\", ack_every = 1, \
         receive_buffer = \"64 MB\" }}\n"
    ))
}

/// The bandwidth-delay product is 833 packets. Standard slow start overshoots by a window. HyStart++
/// continues at a quarter of the speed once the round-trip time rises.
#[test]
fn hystart_loses_far_less_in_slow_start() {
    for (queue, most) in [(833, 0.35), (2500, 0.35)] {
        let (standard, hystart) = (long_path("standard", queue), long_path("hystart++", queue));
        let lost = |r: &Replication| r.flows[0].retransmissions;
        let (a, b) = (lost(&standard), lost(&hystart));
        let used = |r: &Replication| r.links[0].utilisation;
        println!("queue {queue}: {a} and {b}, use {:.3} {:.3}", used(&standard), used(&hystart));
        assert!(a > 500, "standard slow start overshoots: {a}");
        assert!((b as f64) < most * a as f64, "queue {queue}: {b} against {a}");
        assert!(used(&hystart) > used(&standard) - 0.02);
    }
    // Conservative slow start grows the window by a factor of up to three in five round trips. A queue of
    // six bandwidth-delay products holds that without loss.
    let hystart = long_path("hystart++", 5000);
    assert_eq!(hystart.flows[0].retransmissions, 0);
}

/// Two flows of one law, 40 and 160 ms without queueing, over 200 Mb/s. Returns the ratio of their goodputs,
/// and this ratio as a power of the ratio of their round-trip times.
fn near_and_far(law: &str, queue: &str) -> (f64, f64) {
    let tcp =
        format!("tcp = {{ congestion = \"{law}\", ack_every = 1, receive_buffer = \"64 MB\" }}\n");
    let access = "rate = \"2 Gb/s\"\nqueue = { kind = \"drop-tail\", packets = 100000 }\n";
    let r = run_first(&format!(
        "duration = \"120 s\"\nwarmup = \"30 s\"\n\
         [[links]]\nfrom = \"near\"\nto = \"router\"\ndelay = \"19 ms\"\n{access}\
         [[links]]\nfrom = \"far\"\nto = \"router\"\ndelay = \"79 ms\"\n{access}\
         [[links]]\nfrom = \"router\"\nto = \"sink\"\nrate = \"200 Mb/s\"\ndelay = \"1 ms\"\n\
         queue = {queue}\n\
         [[flows]]\nfrom = \"near\"\nto = \"sink\"\n{tcp}\
         [[flows]]\nfrom = \"far\"\nto = \"sink\"\n{tcp}"
    ));
    let ratio = r.flows[0].goodput_bps / r.flows[1].goodput_bps;
    let rtts = r.flows[1].rtt_mean_s.unwrap() / r.flows[0].rtt_mean_s.unwrap();
    let power = ln(ratio) / ln(rtts);
    println!("{law} {queue}: goodputs {ratio:.2}, RTTs {rtts:.2}, power {power:.2}");
    (ratio, power)
}

/// Random early drops: losses are not synchronised.
#[test]
fn cubic_is_nearly_fair_where_losses_are_not_synchronised() {
    let red = "{ kind = \"red\", limit = 400, min = 50, max = 150 }";
    let (reno, _) = near_and_far("reno", red);
    let (cubic, power) = near_and_far("cubic", red);
    // By the response functions, goodput is proportional to RTT^-1 for Reno and RTT^-0.75 for CUBIC: RTTs of
    // 4 to 1 give ratios of 4 and 2.83 (RFC 9438, section 5.1).
    assert!(cubic < 0.71 * reno, "{cubic:.2} against Reno's {reno:.2}");
    assert!(power < 0.7, "RTT to the power of {power:.2}");
}

/// A full queue drops packets of both flows: the ratio of goodputs is that of RTT squared for Reno, and about
/// that of RTT for CUBIC. The law's own tests check the exact powers.
#[test]
fn cubic_is_linear_where_reno_is_quadratic() {
    let tail = "{ kind = \"drop-tail\", packets = 400 }";
    let (_, reno) = near_and_far("reno", tail);
    let (_, cubic) = near_and_far("cubic", tail);
    assert!((1.5..2.5).contains(&reno), "Reno: RTT to the power of {reno:.2}");
    assert!(cubic < 1.4, "CUBIC: RTT to the power of {cubic:.2}");
}
