//! Workloads whose instructions `benches/instructions` counts: `cost list` lists them, `cost NAME COUNT` runs
//! COUNT units of one.

#![allow(clippy::print_stdout, reason = "the program prints its result")]

use std::hint::black_box;
use std::sync::Arc;

use airtcp_congestion::{
    AckSample, Congestion, CongestionControl, CongestionKind, LawConfig, LawParams, RateSample,
    Sent,
};
use airtcp_probe::NoProbe;
use airtcp_random::Seed;
use airtcp_scenario::read;
use airtcp_sim::slotted::{self, SlottedConfig};
use airtcp_transport::tcp::{Profile, TcpConfig};
use airtcp_units::{BitRate, Nanos, Narrow, Outcomes, Span};

/// ACKs per loss.
const LOSS_EVERY: u64 = 1000;
const MSS: u64 = 1460;
/// Segments in flight; with `GAP` between ACKs, a round-trip time of 40 ms.
const WINDOW: u64 = 32;
const GAP: Span = Span::from_micros(1250);

/// Passes `count` acknowledgements to a law, with a loss every [`LOSS_EVERY`].
fn law(config: &LawConfig, count: u64) -> u64 {
    let mut law = config.build();
    let params = LawParams {
        mss: u32::narrow(MSS),
        initial_window: 10 * MSS,
        max_cwnd: 200 * MSS,
        selective_acks: true,
        ..LawParams::default()
    };
    let mut now = Nanos(1);
    law.start(now, &params);
    let rtt = Span(GAP.0 * WINDOW);
    let mut folded = 0;
    for i in 0..count {
        now += GAP;
        law.on_sent(now, &Sent { bytes: MSS, pipe: WINDOW * MSS, retransmission: false });
        let delivered = (i + 1) * MSS;
        if i % LOSS_EVERY == LOSS_EVERY - 1 {
            let kind = CongestionKind::FastRetransmit;
            let flight = WINDOW * MSS;
            law.on_congestion(now, &Congestion { kind, flight, restart: false });
        }
        let rate = RateSample {
            delivered: WINDOW * MSS,
            interval: rtt,
            prior_delivered: delivered.saturating_sub(WINDOW * MSS),
            tx_in_flight: WINDOW * MSS,
            ..RateSample::default()
        };
        let sample = AckSample {
            acked: MSS,
            delivered: MSS,
            pipe: (WINDOW - 1) * MSS,
            prior_pipe: WINDOW * MSS,
            total_delivered: delivered,
            acked_up_to: delivered,
            sent_up_to: delivered + WINDOW * MSS,
            rtt: Some(rtt + Span(i % 7 * 10_000)),
            srtt: Some(rtt),
            min_rtt: Some(rtt),
            rate: Some(rate),
            cwnd_limited: true,
            ..AckSample::default()
        };
        law.on_ack(now, black_box(&sample));
        folded ^= law.cwnd() ^ law.pacing_rate().map_or(0, BitRate::bps);
    }
    folded
}

/// Runs a flow with these TCP keys over a 10 Mb/s link with 1 % loss for `count` seconds.
fn flow(keys: &str, count: u64) -> u64 {
    let text = format!(
        "duration = \"{count} s\"\n[[links]]\nfrom = \"a\"\nto = \"b\"\nrate = \"10 Mb/s\"\ndelay = \"40 ms\"\n\
         loss = {{ model = \"bernoulli\", probability = 0.01 }}\n[[flows]]\nfrom = \"a\"\nto = \"b\"\ntcp = {{ {keys} }}\n"
    );
    folded(&text)
}

/// Runs this many SACK flows over one link of 10 Mb/s for each flow and 80 ms, with a queue of 100 packets for
/// each flow and without other losses, for `count` seconds.
fn wire(flows: u64, count: u64) -> u64 {
    let (rate, queue) = (10 * flows, 100 * flows);
    folded(&format!(
        "duration = \"{count} s\"\n[[links]]\nfrom = \"a\"\nto = \"b\"\nrate = \"{rate} Mb/s\"\ndelay = \"40 ms\"\n\
         queue = {{ kind = \"drop-tail\", packets = {queue} }}\n\
         [[flows]]\ncount = {flows}\nfrom = \"a\"\nto = \"b\"\n"
    ))
}

/// Runs a loss-tolerant transport, or SACK over a link protocol, over 10 Mb/s and 80 ms with a marking queue
/// and this loss.
fn tolerant(scheme: &str, loss: &str, count: u64) -> u64 {
    let (link, flow) = match scheme {
        "ll-harq" | "ll-arq" => (format!("protocol = {{ kind = \"{scheme}\" }}"), String::new()),
        transport => (String::new(), format!("transport = \"{transport}\"")),
    };
    folded(&format!(
        "duration = \"{count} s\"\n[[links]]\nfrom = \"a\"\nto = \"b\"\nrate = \"10 Mb/s\"\ndelay = \"40 ms\"\n\
         queue = {{ kind = \"red\", limit = 100, min = 25.0, max = 90.0, ecn = true }}\n\
         loss = {{ model = \"bernoulli\", probability = {loss} }}\n{link}\n\
         [[flows]]\nfrom = \"a\"\nto = \"b\"\n{flow}\n"
    ))
}

/// The variants of the star whose counts are checked: name, stations, and keys of the cell. The first four have
/// no scheme.
const CELLS: [(&str, u32, &str); 8] = [
    ("dcf-2", 2, ""),
    ("dcf", 6, ""),
    ("dcf-50", 50, ""),
    ("edca", 6, EDCA),
    (
        "ftca",
        6,
        "schemes = [{ scheme = \"ftca\" }]\nmac = { access = \"edca\", txop_limits = \"zero\" }",
    ),
    (
        "per-station",
        6,
        "schemes = [{ scheme = \"per-station\", controller = { interval = \"100 ms\" } }]",
    ),
    ("ack-filter", 6, "access_point_queue = { kind = \"ack-filter\" }"),
    ("airtime-fair", 6, "queue = { kind = \"airtime-fair\" }"),
];
/// Access categories with one frame per access, as in S3.
const EDCA: &str = "mac = { access = \"edca\", txop_limits = \"zero\" }";

/// Runs S3's star of `stations` uploads over 802.11a at 54 Mb/s for `time`, with these keys of the cell.
fn star(stations: u32, keys: &str, time: &str) -> u64 {
    folded(&format!(
        "duration = \"{time}\"\n[[cells]]\nrate = \"54 Mb/s\"\n{keys}\n\
         layout = {{ kind = \"star\", stations = {stations} }}\nnoise.floor_dbm = -99\n\
         propagation.path_loss = {{ model = \"log-distance\", exponent = 3.5, reference_loss_db = 46.67 }}\n\
         timing.ack_rate.fixed = \"6 Mb/s\"\nresidual_error = \"1 %\"\n\
         [[flows]]\ncount = {stations}\nfrom = \"sta*\"\nto = \"ap\"\ntcp = {{ profile = \"s0\", mss = 536 }}\n"
    ))
}

/// Cells of other standards: aggregates of up to 64 MPDUs of a station that sends UDP below its capacity, or TCP, to
/// the access point; and an upload over 802.11b and a wire.
const OTHERS: [&str; 3] = ["ac-udp", "ac-tcp", "b-upload"];

/// Runs one of [`OTHERS`] for `count` milliseconds.
fn other(name: &str, count: u64) -> u64 {
    let flow = match name {
        "ac-udp" => {
            "transport = \"udp\"\n\
             app = { kind = \"constant-rate\", rate = \"340 Mb/s\", message = \"1472 B\" }"
        }
        _ => "tcp = \"linux\"",
    };
    folded(&if name == "b-upload" {
        format!(
            "duration = \"{count} ms\"\n[[cells]]\nstandard = \"802.11b\"\n\
             layout = {{ kind = \"star\", stations = 1, radius_m = 5 }}\ntiming.ack_rate.fixed = \"11 Mb/s\"\n\
             [[links]]\nfrom = \"ap\"\nto = \"server\"\nrate = \"100 Mb/s\"\ndelay = \"5 ms\"\n\
             [[flows]]\nfrom = \"sta0\"\nto = \"server\"\n\
             tcp = {{ profile = \"s0\", recovery = \"sack-ns2\", max_window = 100 }}\n"
        )
    } else {
        format!(
            "duration = \"{count} ms\"\n[[cells]]\nstandard = \"802.11ac\"\n\
             layout = {{ kind = \"star\", stations = 1, radius_m = 5 }}\n\
             propagation.path_loss = {{ model = \"log-distance\", exponent = 3.5, reference_loss_db = 46.67 }}\n\
             queue = {{ kind = \"drop-tail\", packets = 500 }}\nmac.access = \"edca\"\n\
             mac.txop_limits = \"2012\"\nmac.edca_access_point_table = \"stations\"\nmac.attempts = 255\n\
             mac.aggregation = {{ max_bytes = \"65535 B\", max_mpdus = 64, after_missed_block_ack = \"bar\" }}\n\
             [[flows]]\nfrom = \"sta0\"\nto = \"ap\"\n{flow}\n"
        )
    })
}

/// Runs a scenario. Returns a combination of its fingerprints.
fn folded(text: &str) -> u64 {
    let plan = read(text, "cost", &[]).ok().and_then(|s| s.resolve().ok());
    let none = |name: &str| -> Result<Arc<Outcomes>, String> { Err(name.to_owned()) };
    let run = plan.and_then(|plan| airtcp_sim::run(&plan, &none, Some(1), |_, _| true).ok());
    let print = |text: &String| u64::from_str_radix(text, 16).unwrap_or_default();
    run.map_or(0, |r| {
        r.replications.iter().map(|r| print(&r.fingerprint)).fold(0, u64::wrapping_add)
    })
}

/// Runs TCP over `count` slots of a lossless or bursty trace.
fn slots(prr: f64, count: u64) -> u64 {
    let mut stream = Seed::new(1).stream("cost");
    let trace: Outcomes = (0..count).map(|_| stream.chance(prr)).collect();
    let config = SlottedConfig {
        tcp: TcpConfig::profile(Profile::S1Mirage),
        slot: Span::from_millis(10),
        attempts: 1,
    };
    slotted::run(&trace, None, &config, &mut NoProbe).slots_used
}

fn subjects() -> Vec<String> {
    let laws = LawConfig::all().into_iter().map(|c| format!("law {}", c.name()));
    let flows = ["flow newreno", "flow sack"].map(String::from);
    let wires = ["wire 1", "wire 100"].map(String::from);
    let tolerant = ["lt-tcp 0.01", "lt-tcp 0.3", "sliding 0.01", "sliding 0.3", "ll-harq 0.1"];
    let tolerant = tolerant.map(|scheme| format!("tolerant {scheme}"));
    let slots = ["slots 1.0", "slots 0.9"].map(String::from);
    let cells = CELLS.map(|(name, ..)| name).into_iter().chain(OTHERS);
    let cells = cells.map(|name| format!("cell {name}"));
    laws.chain(flows).chain(wires).chain(tolerant).chain(slots).chain(cells).collect()
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let count = args.last().and_then(|n| n.parse().ok()).unwrap_or(0);
    let folded = match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["law", name, _] => {
            LawConfig::all().iter().find(|c| c.name() == *name).map_or(0, |c| law(c, count))
        }
        ["flow", recovery, _] => flow(&format!("recovery = \"{recovery}\""), count),
        ["wire", flows, _] => wire(flows.parse().unwrap_or(1), count),
        ["tolerant", scheme, loss, _] => tolerant(scheme, loss, count),
        ["star", n, _] => star(n.parse().unwrap_or(6), "", &format!("{count} s")),
        ["cell", name, _] if OTHERS.contains(name) => other(name, count),
        ["cell", name, _] => CELLS
            .iter()
            .find(|c| c.0 == *name)
            .map_or(0, |(_, stations, keys)| star(*stations, keys, &format!("{count} ms"))),
        ["slots", prr, _] => slots(prr.parse().unwrap_or(1.0), count),
        _ => {
            println!("{}", subjects().join("\n"));
            return;
        }
    };
    println!("{folded}");
}
