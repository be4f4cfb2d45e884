//! BBR in scenarios: random loss, queues, sharing, pacing behind a fast access link, marks.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may fail, and prints its measurements"
)]

use crate::common::{run_first, run_with};
use airtcp_sim::results::Replication;

/// Payload over packet.
const PAYLOAD: f64 = 1460.0 / 1500.0;

/// 10 Mb/s and 80 ms from a to b.
fn link(queue: u32, more: &str) -> String {
    format!(
        "[[links]]\nfrom = \"a\"\nto = \"b\"\nrate = \"10 Mb/s\"\ndelay = \"40 ms\"\n\
         queue = {{ kind = \"drop-tail\", packets = {queue} }}\n{more}"
    )
}

/// A flow from a to b with Linux's parameters except the law, and without timestamps, so that segments have
/// 1460 bytes.
fn flow(tcp: &str) -> String {
    format!(
        "[[flows]]\nfrom = \"a\"\nto = \"b\"\n\
         tcp = {{ profile = \"linux\", timestamps = false, {tcp} }}\n"
    )
}

fn law(name: &str) -> String {
    flow(&format!("congestion = \"{name}\""))
}

/// Mean share of the link's payload rate over four replications.
fn share(text: &str) -> f64 {
    let text = format!("duration = \"65 s\"\nwarmup = \"5 s\"\nreplications = 4\n{text}");
    let result = run_with(&text, 2);
    result.summary.flows[0].quantities["goodput_bps"].mean.unwrap() / (10e6 * PAYLOAD)
}

/// Random losses: version 1 keeps the rate until timeouts dominate, version 3 up to its threshold of 2 % in a
/// round trip, and Reno's rate falls as 1 / sqrt(p).
#[test]
fn random_loss() {
    let losses = [0.0, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2];
    let shares = |name: &str| {
        losses.map(|p| {
            let loss = format!("loss = {{ model = \"bernoulli\", probability = {p} }}\n");
            share(&format!("{}{}", link(1000, &loss), law(name)))
        })
    };
    let [v1, v3, reno] = ["bbr1", "bbr", "reno"].map(shares);
    for (i, p) in losses.iter().enumerate() {
        println!("p {p}: bbr1 {:.3}, bbr {:.3}, reno {:.3}", v1[i], v3[i], reno[i]);
    }
    assert!(v1[0] > 0.95 && v3[0] > 0.95);
    assert!(v1[3] > 0.9 * v1[0] && v1[5] > 0.8 * v1[0], "{v1:?}");
    // By the draft's model: (1 - 0.99^31) / 0.31 = 0.864 for 2.5 s of round trips.
    assert!((0.8..0.95).contains(&(v3[3] / v3[0])), "{v3:?}");
    assert!(reno[3] < 0.2, "{reno:?}");
    // Beyond its threshold version 3 reduces its rate; version 1 does not.
    assert!(v3[5] < 0.3 && v1[6] > 0.5, "{v1:?} {v3:?}");
}

/// Reno fills a deep queue. BBR leaves it nearly empty, version 3 more than version 1.
#[test]
fn the_standing_queue() {
    let queue = |name: &str| {
        let head = "duration = \"65 s\"\nwarmup = \"5 s\"\n";
        let link = run_first(&format!("{head}{}{}", link(500, ""), law(name))).links.remove(0);
        println!(
            "{name}: {:.1} packets waiting on average, use {:.3}",
            link.mean_queue_packets, link.utilisation
        );
        assert!(link.utilisation > 0.95);
        link.mean_queue_packets
    };
    let [v1, v3, reno] = ["bbr1", "bbr", "reno"].map(queue);
    // The bandwidth-delay product is 68 packets.
    assert!(v3 < v1 && v1 < 0.25 * 68.0 && reno > 150.0, "{v1} {v3} {reno}");
}

/// Four flows start one after the other.
#[test]
fn four_flows_share() {
    for name in ["bbr1", "bbr"] {
        let flows: String = (0..4)
            .map(|n| {
                let app = format!("app = {{ kind = \"bulk\", start = \"{} s\" }}\n", 3 * n);
                law(name) + &app
            })
            .collect();
        let head = "duration = \"180 s\"\nwarmup = \"40 s\"\n";
        let r = run_first(&format!("{head}{}{flows}", link(200, "")));
        let mbps: Vec<_> = r.flows.iter().map(|f| f.goodput_bps / 1e6).collect();
        let jain = r.jain_index.unwrap();
        println!("{name}: {mbps:.2?} Mb/s, Jain {jain:.3}");
        assert!(jain > 0.9, "{name}: {jain}");
        assert!(r.links[0].utilisation > 0.95);
    }
}

/// An access link of 1 Gb/s before the bottleneck: paced segments do not queue there, and unpaced ones arrive
/// in bursts.
#[test]
fn pacing_keeps_bursts_off_the_access_link() {
    let access = |tcp: &str| -> Replication {
        run_first(&format!(
            "duration = \"30 s\"\nwarmup = \"5 s\"\n\
             [[links]]\nfrom = \"s\"\nto = \"a\"\nrate = \"1 Gb/s\"\ndelay = \"1 us\"\n\
             queue = {{ kind = \"drop-tail\", packets = 1000 }}\n{}{}",
            link(500, ""),
            flow(tcp).replace("\"a\"", "\"s\"")
        ))
    };
    for name in ["bbr1", "bbr"] {
        let congestion = format!("congestion = \"{name}\"");
        let paced = access(&congestion).links[0].max_queue_packets;
        let unpaced = access(&format!("{congestion}, pacing = \"off\"")).links[0].max_queue_packets;
        println!("{name}: at most {paced} packets waiting paced, {unpaced} unpaced");
        assert!(paced <= 1 && unpaced >= 5, "{name}: {paced} {unpaced}");
    }
    // Any law can pace by its window.
    for (pacing, low, high) in [("off", 8, 1000), ("cwnd", 0, 1)] {
        let r = access(&format!("congestion = \"reno\", pacing = \"{pacing}\""));
        let most = r.links[0].max_queue_packets;
        println!("reno, pacing {pacing}: at most {most} packets waiting");
        assert!((low..=high).contains(&most), "{pacing}: {most}");
    }
}

/// Replications differ only by the random draws of the connection.
#[test]
fn workers_do_not_change_bbr() {
    for name in ["bbr1", "bbr"] {
        let text = format!(
            "seed = 11\nreplications = 3\nduration = \"20 s\"\n{}{}{}",
            link(100, ""),
            law(name),
            law(name)
        );
        let (one, three) = (run_with(&text, 1), run_with(&text, 3));
        assert_eq!(one, three);
        let prints: std::collections::BTreeSet<_> =
            one.replications.iter().map(|r| r.fingerprint.clone()).collect();
        assert_eq!(prints.len(), 3, "{name}: phases and waits are drawn by seed");
    }
}

/// With a marking queue, version 3 responds to marks as to losses and keeps the link busy. Version 1 ignores
/// marks.
#[test]
fn marks() {
    for (name, most) in [("bbr1", f64::INFINITY), ("bbr", 0.1)] {
        let red = "[[links]]\nfrom = \"a\"\nto = \"b\"\nrate = \"10 Mb/s\"\ndelay = \"40 ms\"\n\
                   queue = { kind = \"red\", ecn = true }\n";
        let tcp = format!("congestion = \"{name}\", ecn = true");
        let head = "duration = \"65 s\"\nwarmup = \"5 s\"\n";
        let r = run_first(&format!("{head}{red}{}", flow(&tcp)));
        let (link, flow) = (&r.links[0], &r.flows[0]);
        let marked = link.marked_packets as f64 / link.sent_packets as f64;
        println!(
            "{name}: use {:.3}, marked {marked:.4}, reactions {}, retransmissions {}",
            link.utilisation, flow.ecn_reactions, flow.retransmissions
        );
        assert!(link.utilisation > 0.8, "{name}: {}", link.utilisation);
        assert!(marked < most, "{name}: {marked}");
    }
}
