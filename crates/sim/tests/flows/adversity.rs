//! Extremely bad links: every transfer still completes, and every packet is accounted for.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use crate::common::{run_first, run_with};

const RECOVERIES: [&str; 4] = ["tahoe", "reno", "newreno", "sack"];

/// Losses of 30 to 60 % in both directions, also during handshake and close.
#[test]
fn finite_transfers_end_under_heavy_loss() {
    for recovery in RECOVERIES {
        for loss in [0.3, 0.45, 0.6] {
            for more in [
                "",
                "timestamps = true, ",
                "ack_every = 1, limited_transmit = false, ",
                "receive_buffer = \"3000 B\", ",
            ] {
                let lossy = format!("loss = {{ model = \"bernoulli\", probability = {loss} }}");
                let text = format!(
                    "replications = 4\nduration = \"9000000 s\"\n[[links]]\nfrom = \"a\"\nto = \"b\"\nrate = \"10 Mb/s\"\n\
                     delay = \"10 ms\"\n{lossy}\nreverse = {{ {lossy} }}\n[[flows]]\nfrom = \"a\"\nto = \"b\"\n\
                     tcp = {{ {more}recovery = \"{recovery}\" }}\napp = {{ kind = \"bulk\", size = \"100 kB\" }}\n"
                );
                for r in run_with(&text, 2).replications {
                    let f = &r.flows[0];
                    assert_eq!(
                        f.delivered_bytes, 100_000,
                        "{recovery} {loss} {more} {}",
                        r.replication
                    );
                    assert!(f.completion_s.is_some(), "{recovery} {loss} {more} {}", r.replication);
                    assert_eq!(r.conservation.in_flight, 0);
                }
            }
        }
    }
}

/// Loss, duplication, jitter, reordering and an MTU together.
#[test]
fn packets_are_conserved_whatever_the_link_does() {
    for recovery in RECOVERIES {
        let bad = "loss = { model = \"gilbert-elliott\", mean_good = \"50 ms\", mean_bad = \"5 ms\" }\n\
                   duplication = 0.3\nmtu = \"1500 B\"\njitter = { mean = \"5 ms\", distribution = \"exponential\", keep_order = false }\n\
                   reordering = { probability = 0.2, every = 7, extra = \"3 ms\", extra_max = \"40 ms\" }\n\
                   queue = { kind = \"red\", min = 2.0, max = 6.0, limit = 12, weight = 0.1, ecn = true }\n";
        let back = bad.replace('\n', ", ");
        let text = format!(
            "replications = 3\nduration = \"100000 s\"\n[[links]]\nfrom = \"a\"\nto = \"b\"\nrate = \"5 Mb/s\"\ndelay = \"10 ms\"\n{bad}\
             reverse = {{ {} }}\n[[flows]]\nfrom = \"a\"\nto = \"b\"\ncount = 5\nstart_spread = \"1 s\"\n\
             tcp = {{ recovery = \"{recovery}\", ecn = true }}\napp = {{ kind = \"bulk\", size = \"300 kB\" }}\n\
             [[flows]]\nname = \"cross\"\nfrom = \"b\"\nto = \"a\"\ntransport = \"udp\"\n\
             app = {{ kind = \"on-off\", rate = \"2 Mb/s\", on = \"10 ms\", off = \"30 ms\", stop = \"20 s\" }}\n",
            back.trim_end_matches(", ")
        );
        for r in run_with(&text, 2).replications {
            for f in &r.flows[..5] {
                assert_eq!(f.delivered_bytes, 300_000, "{recovery} {} {}", r.replication, f.name);
            }
        }
    }
}

/// An unused connection changes neither the throughput nor the random draws of others.
#[test]
fn an_idle_flow_changes_nothing() {
    let flow = "[[flows]]\nfrom = \"a\"\nto = \"b\"\n";
    let text = format!(
        "duration = \"20 s\"\n[[links]]\nfrom = \"a\"\nto = \"b\"\nrate = \"5 Mb/s\"\ndelay = \"10 ms\"\n\
         loss = {{ model = \"bernoulli\", probability = 0.02 }}\nqueue = {{ kind = \"red\" }}\n\
         {flow}name = \"one\"\n{flow}name = \"two\"\n"
    );
    let idle = format!("{flow}name = \"idle\"\napp = {{ kind = \"bulk\", start = \"100 s\" }}\n");
    let (alone, beside) = (run_first(&text), run_first(&format!("{text}{idle}")));
    assert_eq!(alone.fingerprint, beside.fingerprint);
    assert_eq!(alone.flows[..], beside.flows[..2]);
    let never = &beside.flows[2];
    assert_eq!((never.active_s, never.goodput_bps, never.segments_sent), (0.0, 0.0, 0));
}

/// Parameters at the ends of their ranges.
#[test]
fn extreme_parameters_complete() {
    let link = |keys: &str| {
        format!(
            "duration = \"10000000 s\"\n[[links]]\nfrom = \"a\"\nto = \"b\"\n{keys}\n[[flows]]\nfrom = \"a\"\nto = \"b\"\n\
             app = {{ kind = \"bulk\", size = \"20 kB\" }}\n"
        )
    };
    // Nothing gets through: only the SYN and its retransmissions, at most a minute apart.
    for all in [
        "loss = { model = \"bernoulli\", probability = 1.0 }",
        "loss = { model = \"blackout\", period = \"1 us\", duration = \"1 us\" }",
        "loss = { model = \"gilbert-elliott\", g = 0.0, b = 1.0, slot = \"1 ms\", stepping = \"slot\" }",
    ] {
        let r = run_first(&link(&format!("delay = \"1 ms\"\n{all}")));
        assert_eq!(r.flows[0].delivered_bytes, 0, "{all}");
        assert!(r.links[0].sent_packets > 100_000, "{all}: {}", r.links[0].sent_packets);
    }
    for slow in [
        "rate = \"1 b/s\"",
        "slot = \"10000 s\"",
        "delay = \"20000 s\"",
        "rate = \"1000000 Gb/s\"\ndelay = \"1 ns\"",
    ] {
        let f = run_first(&link(slow)).flows.remove(0);
        assert!(f.delivered_bytes <= 20_000, "{slow}");
        assert!(f.delivered_bytes > 0, "{slow}");
    }
    // Delays and starts beyond the end of time.
    for never in ["delay = \"500 h\"\njitter = { mean = \"5000000 h\" }", "delay = \"5000000 h\""] {
        assert_eq!(run_first(&link(never)).flows[0].delivered_bytes, 0);
    }
    let late = link("delay = \"1 ms\"")
        .replace("app = {", "start_spread = \"5000000 h\"\napp = { start = \"5000000 h\", ");
    assert_eq!(run_first(&late).flows[0].segments_sent, 0);
}
