//! What senders wait for, in scenarios that are built so that the answer is known.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use crate::common::run_first;
use airtcp_sim::results::FlowResult;
use airtcp_units::Wait;

/// A flow over a link of 10 Mb/s with a round-trip time of 40 ms.
fn flow(seconds: u32, link: &str, flow: &str) -> FlowResult {
    let text = format!(
        r#"
duration = "{seconds} s"
warmup = "2 s"
[[links]]
from = "a"
to = "b"
[links.forward]
rate = "10 Mb/s"
delay = "20 ms"
{link}
[links.reverse]
rate = "10 Mb/s"
delay = "20 ms"
[[flows]]
from = "a"
to = "b"
{flow}
"#
    );
    run_first(&text).flows.remove(0)
}

/// The share of a state; 0 if the transport does not have it.
fn share(f: &FlowResult, wait: Wait) -> f64 {
    let json = serde_json::to_value(f).unwrap();
    json.get(format!("waits_{}", wait.name())).map_or(0.0, |share| share.as_f64().unwrap())
}

/// The largest share is that of this state, and above `least`; the shares add up to 1.
fn waits_for(f: &FlowResult, wait: Wait, least: f64) {
    let shares = Wait::ALL.map(|wait| share(f, wait));
    assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{:?}", f.waits);
    assert_eq!(f.waits.waits_most_for.as_deref(), Some(wait.name()), "{:?}", f.waits);
    assert!(share(f, wait) > least, "{:?}", f.waits);
}

/// 16 kB in 40 ms are 3.3 Mb/s.
#[test]
fn a_small_receive_buffer() {
    let f = flow(12, "", "tcp = { receive_buffer = \"16 kB\" }");
    waits_for(&f, Wait::ReceiveWindow, 0.8);
    assert!(f.goodput_bps < 4e6);
}

#[test]
fn a_small_send_buffer() {
    for transport in ["tcp", "lt-tcp"] {
        let keys = format!("transport = \"{transport}\"\ntcp = {{ send_buffer = \"16 kB\" }}");
        let f = flow(12, "", &keys);
        waits_for(&f, Wait::SendBuffer, 0.8);
        assert!(f.goodput_bps < 4e6);
    }
}

#[test]
fn an_application_below_the_rate_of_the_link() {
    for transport in ["tcp", "lt-tcp", "tfrc", "sliding", "udp"] {
        let app = "{ kind = \"constant-rate\", rate = \"1 Mb/s\", message = \"1000 B\" }";
        let f = flow(12, "", &format!("transport = \"{transport}\"\napp = {app}"));
        waits_for(&f, Wait::Application, 0.9);
    }
}

/// Everything is sent at once, and then the sender waits for the next request, not for its window.
#[test]
fn the_sender_of_an_exchange_is_the_end_that_sends_more() {
    let app = "{ kind = \"request-response\", request = \"100 B\", response = \"500000 B\", think = \"100 ms\" }";
    let f = flow(12, "", &format!("app = {app}\ntcp = {{ receive_buffer = \"16 kB\" }}"));
    waits_for(&f, Wait::ReceiveWindow, 0.8);
}

#[test]
fn a_paced_law() {
    let f = flow(
        22,
        "queue = { kind = \"drop-tail\", packets = 100 }",
        "tcp = { profile = \"linux\", congestion = \"bbr\" }",
    );
    waits_for(&f, Wait::Pacing, 0.6);
    let f = flow(22, "", "transport = \"sliding\"");
    assert!(share(&f, Wait::Pacing) + share(&f, Wait::WindowModel) > 0.99, "{:?}", f.waits);
}

/// Reno over a full link halves its window, grows back, and loses again.
#[test]
fn a_full_link() {
    for transport in ["tcp", "lt-tcp"] {
        let keys = format!("transport = \"{transport}\"\ntcp = {{ congestion = \"reno\" }}");
        let f = flow(62, "queue = { kind = \"drop-tail\", packets = 35 }", &keys);
        // LT-TCP paces a small window.
        let pacing = if transport == "tcp" { 0.0 } else { share(&f, Wait::Pacing) };
        let window = share(&f, Wait::WindowAfterLoss) + share(&f, Wait::WindowGrowth) + pacing;
        assert!(window > 0.9, "{transport}: {:?}", f.waits);
        waits_for(&f, Wait::WindowAfterLoss, 0.5);
    }
}

/// A full link and a lossy link look alike: the state is no limit.
#[test]
fn a_lossy_link_looks_like_a_full_link() {
    let lossy = "loss = { model = \"bernoulli\", probability = 0.005 }";
    let f = flow(62, lossy, "tcp = { congestion = \"reno\" }");
    waits_for(&f, Wait::WindowAfterLoss, 0.5);
    assert!(f.goodput_bps < 6e6, "the link is not full: {}", f.goodput_bps);
}

#[test]
fn marks() {
    for transport in ["tcp", "lt-tcp"] {
        let keys =
            format!("transport = \"{transport}\"\ntcp = {{ congestion = \"reno\", ecn = true }}");
        let f = flow(62, "queue = { kind = \"red\", ecn = true }", &keys);
        assert!(f.ecn_reactions > 0);
        waits_for(&f, Wait::WindowAfterMark, 0.5);
        let loss = share(&f, Wait::WindowAfterLoss) + share(&f, Wait::Recovery);
        assert!(loss < 0.1, "{transport}: {:?}", f.waits);
    }
}

#[test]
fn a_configured_maximum() {
    let f = flow(12, "", "tcp = { max_window = 8 }");
    waits_for(&f, Wait::WindowModel, 0.8);
    let f = flow(12, "", "tcp = { congestion = \"vegas\" }");
    assert!(share(&f, Wait::WindowModel) > 0.9, "{:?}", f.waits);
}

/// Slow start over a link of a huge bandwidth-delay product.
#[test]
fn growth() {
    let text = r#"
duration = "3 s"
[[links]]
from = "a"
to = "b"
rate = "10 Gb/s"
delay = "150 ms"
[[flows]]
from = "a"
to = "b"
tcp = { receive_buffer = "1 GB", initial_window = 2 }
"#;
    let f = run_first(text).flows.remove(0);
    waits_for(&f, Wait::WindowGrowth, 0.85);
    assert!((share(&f, Wait::Handshake) - 0.1).abs() < 0.001, "one round trip: {:?}", f.waits);
}

/// The link loses everything for 3 s of 20 s. The wait for the timer begins a round-trip time after the last
/// ACK and ends with the first ACK after the blackout: between the blackout, and the blackout with one more
/// timeout, which has doubled until then; probes of sliding are at most a second apart.
#[test]
fn a_blackout_is_a_timeout_of_its_length() {
    let blackout =
        "loss = { model = \"blackout\", period = \"100 s\", duration = \"3 s\", phase = \"10 s\" }";
    for (transport, most) in [("tcp", 7.0), ("lt-tcp", 7.0), ("sliding", 4.1)] {
        let f = flow(22, blackout, &format!("transport = \"{transport}\""));
        let timeout = 20.0 * share(&f, Wait::Timeout);
        assert!(timeout > 2.8 && timeout < most, "{transport}: {timeout} s, {:?}", f.waits);
    }
}

/// A warm-up that ends during the wait for a timer: the measured part is right.
#[test]
fn a_warmup_that_ends_in_a_timeout() {
    let text = |warmup: &str| {
        format!(
            r#"
duration = "20 s"
warmup = "{warmup}"
[[links]]
from = "a"
to = "b"
rate = "10 Mb/s"
delay = "20 ms"
queue = {{ kind = "drop-tail", packets = 20 }}
loss = {{ model = "blackout", period = "100 s", duration = "3 s", phase = "10 s" }}
[[flows]]
from = "a"
to = "b"
"#
        )
    };
    let in_timeout = |warmup: &str, measured: f64| {
        let f = run_first(&text(warmup)).flows.remove(0);
        let sum: f64 = Wait::ALL.iter().map(|w| share(&f, *w)).sum();
        assert!((sum - 1.0).abs() < 1e-12);
        measured * share(&f, Wait::Timeout)
    };
    // The blackout begins at 10 s; a round-trip time and a queue later the sender waits for the timer.
    let (early, late) = (in_timeout("9 s", 11.0), in_timeout("10.3 s", 9.7));
    assert!(early > late && early - late < 0.5, "{early} {late}");
    let later = in_timeout("10.4 s", 9.6);
    assert!((late - later - 0.1).abs() < 1e-9, "{late} {later}");
}

/// A transfer that has ended waits for nothing: the shares are of its own time.
#[test]
fn a_transfer_ends() {
    for transport in ["tcp", "lt-tcp", "tfrc", "sliding"] {
        let f = flow(
            60,
            "",
            &format!("transport = \"{transport}\"\napp = {{ kind = \"bulk\", size = \"8 MB\" }}"),
        );
        // The receiver of datagrams sees no end.
        assert!(transport == "tfrc" || f.completion_s.is_some_and(|s| s < 30.0));
        assert!(share(&f, Wait::Application) < 0.1, "{transport}: {:?}", f.waits);
        let sum: f64 = Wait::ALL.iter().map(|w| share(&f, *w)).sum();
        assert!((sum - 1.0).abs() < 1e-12);
    }
}
