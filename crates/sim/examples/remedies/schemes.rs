//! The schemes and channels of the comparison.

/// A remedy: a flow, a queue and a link protocol.
#[derive(Debug, Clone, Copy)]
pub struct Scheme {
    pub name: &'static str,
    /// Keys of the flow.
    pub flow: &'static str,
    pub queue: &'static str,
    pub protocol: &'static str,
}

pub const TAIL: &str = r#"{ kind = "drop-tail", packets = 100 }"#;
/// S0's and S2's queue.
pub const RED: &str = r#"{ kind = "red", limit = 100, min = 25, max = 90, ecn = true }"#;
const NONE: &str = r#"{ kind = "none" }"#;
const HARQ: &str = r#"{ kind = "ll-harq" }"#;
const ARQ: &str = r#"{ kind = "ll-arq", arq = "selective" }"#;

pub const SACK: &str = r#"tcp = { receive_buffer = "4 MB" }"#;
pub const CUBIC: &str = r#"tcp = { congestion = "cubic", receive_buffer = "4 MB" }"#;
pub const LT: &str = "transport = \"lt-tcp\"\ntcp = { receive_buffer = \"4 MB\" }";
pub const SLIDING: &str = "transport = \"sliding\"";

const fn over(
    name: &'static str,
    flow: &'static str,
    queue: &'static str,
    protocol: &'static str,
) -> Scheme {
    Scheme { name, flow, queue, protocol }
}

pub const SCHEMES: &[Scheme] = &[
    over("sliding", SLIDING, TAIL, NONE),
    over(
        "sliding, no coding",
        "transport = \"sliding\"\nsliding = { coding = \"off\" }",
        TAIL,
        NONE,
    ),
    over("SACK", SACK, TAIL, NONE),
    over("CUBIC", CUBIC, TAIL, NONE),
    over("BBR version 1", r#"tcp = { congestion = "bbr1", receive_buffer = "4 MB" }"#, TAIL, NONE),
    over("BBR version 3", r#"tcp = { congestion = "bbr", receive_buffer = "4 MB" }"#, TAIL, NONE),
    over(
        "TCP with 30 % of FEC",
        "transport = \"lt-tcp\"\ntcp = { receive_buffer = \"4 MB\" }\nlt = { proactive = \"fixed\", fixed_share = 0.3, \
         reactive = \"retransmission\", response = \"loss\", mss_min = 1460 }",
        TAIL,
        NONE,
    ),
    over("LT-TCP", LT, TAIL, NONE),
    over("LT-TCP, marks", LT, RED, NONE),
    over("SACK over LL-ARQ", SACK, TAIL, ARQ),
    over("SACK over LL-HARQ", SACK, TAIL, HARQ),
    over("LT-TCP over LL-HARQ", LT, TAIL, HARQ),
    over("LT-TCP over LL-HARQ, marks", LT, RED, HARQ),
];

pub const CHANNELS: &[(&str, Option<u32>)] =
    &[("independent", None), ("bursts of 10 ms", Some(10)), ("bursts of 50 ms", Some(50))];
pub const LOSSES: &[f64] = &[0.0, 0.1, 0.2, 0.3, 0.5];

/// The loss model of a channel.
pub fn loss(burst_ms: Option<u32>, p: f64) -> String {
    match burst_ms {
        _ if p <= 0.0 => r#"{ model = "none" }"#.into(),
        None => format!("{{ model = \"bernoulli\", probability = {p} }}"),
        Some(ms) => format!(
            "{{ model = \"gilbert-elliott\", stepping = \"time\", mean_loss = {p}, mean_bad = \"{ms} ms\" }}"
        ),
    }
}

/// The link from `a` to `b`: 10 Mb/s, round-trip time 80 ms.
pub fn link(scheme: &Scheme, loss: &str, back: &str) -> String {
    format!(
        "[[links]]\nfrom = \"a\"\nto = \"b\"\nrate = \"10 Mb/s\"\ndelay = \"40 ms\"\nqueue = {}\nprotocol = {}\n\
         loss = {loss}\nreverse = {{ loss = {back} }}\n",
        scheme.queue, scheme.protocol
    )
}

/// A flow over the link.
pub fn flow(keys: &str, app: &str) -> String {
    format!("[[flows]]\nfrom = \"a\"\nto = \"b\"\n{keys}\napp = {app}\n")
}
