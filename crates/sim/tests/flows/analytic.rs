//! TCP over random loss against the closed forms of Mathis et al. (1997) and Padhye et al. (1998).
//!
//! Mathis: `rate = C MSS / (RTT sqrt p)`. For independent losses and an ACK per segment the
//! constant is 1.31 (Mathis et al., table 1; Ott et al.'s stationary analysis); delayed ACKs
//! divide its square by two. Padhye adds timeouts, which take over above a few percent.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may fail, and prints its measurements"
)]

use crate::common::run_with;

const MSS: f64 = 1460.0;

struct Point {
    p: f64,
    goodput_bps: f64,
    rtt_s: f64,
}

/// One flow over a link fast enough that only loss limits it.
fn over_loss(p: f64, rtt_ms: u32, tcp: &str, seconds: u32) -> Point {
    let text = format!(
        "duration = \"{seconds} s\"\nwarmup = \"20 s\"\nreplications = 4\n\
         [[links]]\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Gb/s\"\ndelay = \"{} us\"\n\
         queue = {{ kind = \"drop-tail\", packets = 100000 }}\n\
         loss = {{ model = \"bernoulli\", probability = {p} }}\n\
         [[flows]]\nfrom = \"a\"\nto = \"b\"\ntcp = {{ receive_buffer = \"64 MB\", {tcp} }}\n",
        500 * rtt_ms
    );
    let result = run_with(&text, 2);
    let flow = &result.summary.flows[0].quantities;
    let rtt_s = f64::from(rtt_ms) / 1e3;
    // The models use the path's round-trip time; the sender's measurement must agree with it.
    let measured = flow["rtt_mean_s"].mean.unwrap();
    assert!((measured / rtt_s - 1.0).abs() < 0.05, "{measured} s over a path of {rtt_s} s");
    Point { p, goodput_bps: flow["goodput_bps"].mean.unwrap(), rtt_s }
}

impl Point {
    /// Measured rate divided by the square-root law with constant 1.
    fn constant(&self) -> f64 {
        self.goodput_bps * self.rtt_s * self.p.sqrt() / (8.0 * MSS)
    }

    /// Measured rate divided by Padhye's full model with `b` segments per ACK.
    fn over_padhye(&self, b: f64, rto_s: f64) -> f64 {
        let p = self.p;
        let timeouts =
            rto_s * (3.0 * (3.0 * b * p / 8.0).sqrt()).min(1.0) * p * (1.0 + 32.0 * p * p);
        let segments = 1.0 / (self.rtt_s * (2.0 * b * p / 3.0).sqrt() + timeouts);
        self.goodput_bps / (8.0 * MSS) / segments
    }
}

#[test]
fn square_root_law_at_low_loss() {
    for tcp in ["recovery = \"sack\", ack_every = 1", "recovery = \"newreno\", ack_every = 1"] {
        for (p, seconds) in [(0.001, 400), (0.002, 400), (0.005, 200), (0.01, 200)] {
            let point = over_loss(p, 80, tcp, seconds);
            let c = point.constant();
            println!("{tcp} p {p}: C = {c:.3}, over Padhye {:.3}", point.over_padhye(1.0, 1.0));
            assert!((1.05..1.45).contains(&c), "{tcp}, p = {p}: C = {c}");
        }
    }
}

#[test]
fn delayed_acks_divide_the_constant_by_root_two() {
    let each = over_loss(0.002, 80, "ack_every = 1", 400).constant();
    let second = over_loss(0.002, 80, "ack_every = 2", 400).constant();
    let ratio = each / second;
    println!("ratio {ratio:.3}");
    assert!((1.2..1.6).contains(&ratio), "{ratio}");
}

#[test]
fn the_rate_goes_with_one_over_rtt() {
    let (near, far) =
        (over_loss(0.005, 40, "ack_every = 1", 200), over_loss(0.005, 160, "ack_every = 1", 400));
    let ratio = near.goodput_bps / far.goodput_bps;
    assert!((3.6..4.4).contains(&ratio), "{ratio}");
}

/// Above 1 % loss timeouts dominate: the square-root law overestimates the rate, and Padhye's model stays
/// within a band.
#[test]
fn departs_from_the_square_root_law_as_padhye_says() {
    let mut last = f64::INFINITY;
    for p in [0.01, 0.03, 0.06, 0.1, 0.2] {
        let point = over_loss(p, 80, "recovery = \"newreno\", ack_every = 1", 1000);
        let (c, padhye) = (point.constant(), point.over_padhye(1.0, 1.0));
        println!("p {p}: C = {c:.3}, over Padhye {padhye:.3}");
        assert!(c < last, "p = {p}: {c} is not below {last}");
        assert!((0.5..2.0).contains(&padhye), "p = {p}: {padhye} times Padhye");
        last = c;
    }
    assert!(last < 0.35, "at 20 % loss the square-root law should be far off: {last}");
}
