//! TFRC flows in whole scenarios, alone and beside TCP.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use crate::common::run_first;

/// With the same losses, each alone on an unlimited link, TFRC's rate equals TCP's.
#[test]
fn as_much_as_tcp_at_the_same_losses() {
    for loss in [0.002, 0.01, 0.03] {
        let text = |flow: &str| {
            format!(
                "duration = \"400 s\"\nwarmup = \"50 s\"\n[[links]]\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Gb/s\"\ndelay = \"40 ms\"\n\
                 loss = {{ model = \"bernoulli\", probability = {loss} }}\n[[flows]]\nfrom = \"a\"\nto = \"b\"\n{flow}\n"
            )
        };
        let tcp = run_first(&text("tcp = { ack_every = 1, rto_min = \"320 ms\" }")).flows.remove(0);
        let tfrc = run_first(&text("transport = \"tfrc\"")).flows.remove(0);
        // TFRC averages eight loss intervals, so a single value varies by a third or more.
        let p = tfrc.loss_event_rate.unwrap();
        assert!((0.3..3.0).contains(&(p / loss)), "{loss}: {p}");
        let ratio = tfrc.goodput_bps / tcp.goodput_bps;
        assert!((0.85..1.2).contains(&ratio), "{loss}: {ratio}");
        assert_eq!(tfrc.transport, "tfrc");
    }
}

/// Over one RED bottleneck, neither starves the other.
#[test]
fn beside_tcp_on_one_bottleneck() {
    let text = "duration = \"300 s\"\nwarmup = \"50 s\"\n[[links]]\nfrom = \"a\"\nto = \"b\"\nrate = \"5 Mb/s\"\ndelay = \"25 ms\"\nqueue = { kind = \"red\" }\n\
         [[flows]]\nfrom = \"a\"\nto = \"b\"\ncount = 3\ntcp = { ack_every = 1 }\nstart_spread = \"1 s\"\n\
         [[flows]]\nfrom = \"a\"\nto = \"b\"\ncount = 3\ntransport = \"tfrc\"\nstart_spread = \"1 s\"\n";
    let run = run_first(text);
    let of = |kind: &str| -> f64 {
        run.flows.iter().filter(|f| f.transport == kind).map(|f| f.goodput_bps).sum()
    };
    let ratio = of("tfrc") / of("tcp");
    assert!((0.5..2.0).contains(&ratio), "{ratio}");
    assert!(of("tfrc") + of("tcp") > 0.85 * 5e6 * 1460.0 / 1500.0);
}

/// TFRC does not slow a source below the allowed rate, and a stop ends the flow.
#[test]
fn applications_over_tfrc() {
    let with = |flow: &str| {
        let text = format!(
            "duration = \"20 s\"\n[[links]]\nfrom = \"a\"\nto = \"b\"\nrate = \"10 Mb/s\"\ndelay = \"10 ms\"\n[[flows]]\nfrom = \"a\"\nto = \"b\"\ntransport = \"tfrc\"\n{flow}\n"
        );
        run_first(&text).flows.remove(0)
    };
    let f = with("app = { kind = \"constant-rate\", rate = \"800 kb/s\", message = \"1000 B\" }");
    assert!(f.delivered_bytes >= 1_970_000, "{}", f.delivered_bytes);
    let f = with("app = { kind = \"bulk\", stop = \"5 s\" }");
    let full = 5.0 * 10e6 * 1460.0 / 1500.0 / 8.0;
    let share = f.delivered_bytes as f64 / full;
    assert!((0.7..1.01).contains(&share), "{share}");
    let f = with("app = { kind = \"bulk\", size = \"146 kB\" }");
    assert_eq!(f.delivered_bytes, 146_000);
}
