//! Saturated link protocols: the trade-offs of LL-ARQ and LL-HARQ, and the use of LL-HARQ's capacity at 50 %
//! unit loss.

use airtcp_probe::NoProbe;

use super::{Found, Job, simulate};

const SEEDS: u64 = 3;

/// A link of 10 Mb/s and 10 ms (S2's) that always has frames of 1028 bytes to send.
fn saturated(protocol: &str, p: f64) -> Found {
    let mut found = Vec::new();
    for seed in 1..=SEEDS {
        let text = format!(
            "duration = \"45 s\"\nwarmup = \"5 s\"\n[[links]]\nfrom = \"a\"\nto = \"b\"\nrate = \"10 Mb/s\"\ndelay = \"10 ms\"\n\
             queue = {{ kind = \"drop-tail\", packets = 10 }}\nprotocol = {{ {protocol} }}\n\
             loss = {{ model = \"bernoulli\", probability = {p} }}\n\
             [[flows]]\nfrom = \"a\"\nto = \"b\"\ntransport = \"udp\"\n\
             app = {{ kind = \"constant-rate\", rate = \"11 Mb/s\", message = \"1000 B\" }}\n"
        );
        let (r, _) = simulate(&text, seed, NoProbe);
        let l = &r.links[0];
        let Some(q) = &l.protocol else { continue };
        let mut say = |what, value: Option<f64>| found.extend(value.map(|v| (seed, what, v)));
        let mbps = |bps: f64| Some(bps / 1e6);
        say("goodput_mbps", mbps(l.delivered_bps));
        say("pfec_wasted_mbps", mbps(q.pfec_wasted_bps));
        say("rfec_wasted_mbps", mbps(q.rfec_wasted_bps));
        let arrived = q.throughput_bps * (1.0 - q.unit_loss_rate);
        let rest = arrived - l.delivered_bps - q.pfec_wasted_bps - q.rfec_wasted_bps;
        say("rest_mbps", mbps(rest));
        say("residual_loss", Some(l.loss_rate));
        say("attempts", q.attempts_mean);
        say("in_order_ms", q.latency_mean_s.map(|s| s * 1e3));
        say("in_order_p99_ms", q.latency_p99_s.map(|s| s * 1e3));
        say("decoded_ms", q.decode_mean_s.map(|s| s * 1e3));
    }
    found
}

/// Ten flows of TCP or LT-TCP over the link, as in S2.
fn under_flows(protocol: &str, transport: &str, p: f64) -> Found {
    let mut found = Vec::new();
    for seed in 1..=SEEDS {
        let text = format!(
            "duration = \"45 s\"\nwarmup = \"5 s\"\n[[links]]\nfrom = \"a\"\nto = \"b\"\nrate = \"10 Mb/s\"\ndelay = \"10 ms\"\n\
             queue = {{ kind = \"red\", min = 25, max = 90, limit = 100, ecn = true }}\nprotocol = {{ {protocol} }}\n\
             loss = {{ model = \"bernoulli\", probability = {p} }}\nreverse = {{ loss = {{ model = \"bernoulli\", probability = {p} }} }}\n\
             [[flows]]\nfrom = \"a\"\nto = \"b\"\ncount = 10\nstart_spread = \"1 s\"\ntransport = \"{transport}\"\n\
             tcp = {{ profile = \"s0\", mss = 1000, ecn = true }}\n"
        );
        let (r, _) = simulate(&text, seed, NoProbe);
        let application = r.flows.iter().map(|f| f.goodput_bps).sum::<f64>() / 1e6;
        found.push((seed, "application_mbps", application));
        found.push((seed, "goodput_mbps", r.links[0].delivered_bps / 1e6));
        let q = r.links[0].protocol.as_ref();
        found.extend(q.and_then(|q| q.latency_mean_s).map(|s| (seed, "in_order_ms", s * 1e3)));
    }
    found
}

/// LL-HARQ with its rules disabled one by one, and all together.
const VARIANTS: &[(&str, &str)] = &[
    ("LL-HARQ", "kind = \"ll-harq\""),
    ("40 units", "kind = \"ll-harq\", units = 40"),
    ("100 units", "kind = \"ll-harq\", units = 100"),
    ("no deviation", "kind = \"ll-harq\", deviations = 0"),
    ("repair without P", "kind = \"ll-harq\", rfec = \"margin\""),
    ("up to 8 rounds", "kind = \"ll-harq\", attempts = 8"),
    ("up to 8 rounds, repair without P", "kind = \"ll-harq\", attempts = 8, rfec = \"margin\""),
    (
        "no deviation, up to 8 rounds, repair without P",
        "kind = \"ll-harq\", attempts = 8, rfec = \"margin\", deviations = 0",
    ),
    (
        "the same with 100 units",
        "kind = \"ll-harq\", units = 100, attempts = 8, rfec = \"margin\", deviations = 0",
    ),
    ("out of order", "kind = \"ll-harq\", in_order = false"),
    ("selective LL-ARQ", "kind = \"ll-arq\", arq = \"selective\""),
];

const PROTOCOLS: &[(&str, &str)] = &[
    ("LL-HARQ", "kind = \"ll-harq\""),
    ("LL-ARQ, missing fragments again", "kind = \"ll-arq\", arq = \"selective\""),
    ("LL-ARQ, whole frames again", "kind = \"ll-arq\""),
];

pub fn jobs(jobs: &mut Vec<Job>) {
    let mut add = |part, name: &str, p, case: &str, work: Box<dyn Fn() -> Found + Send + Sync>| {
        let (scheme, case) = (name.to_owned(), case.to_owned());
        jobs.push(Job { part, scheme, channel: "independent", loss: p, case, work });
    };
    for &(name, keys) in PROTOCOLS {
        for p in [0.0, 0.1, 0.2, 0.3, 0.4, 0.5] {
            add("arq", name, p, "always busy", Box::new(move || saturated(keys, p)));
            for (case, transport) in [("ten SACK flows", "tcp"), ("ten LT-TCP flows", "lt-tcp")] {
                add("arq", name, p, case, Box::new(move || under_flows(keys, transport, p)));
            }
        }
    }
    for &(name, keys) in VARIANTS {
        for p in [0.1, 0.3, 0.5] {
            add("parts", name, p, "always busy", Box::new(move || saturated(keys, p)));
            for (case, transport) in [("ten SACK flows", "tcp"), ("ten LT-TCP flows", "lt-tcp")] {
                add("parts", name, p, case, Box::new(move || under_flows(keys, transport, p)));
            }
        }
    }
}
