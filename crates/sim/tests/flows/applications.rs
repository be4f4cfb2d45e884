//! Applications over a clean link: amounts and times of delivery.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::sync::atomic::{AtomicU32, Ordering};

use crate::common::{run_first, run_with};
use airtcp_sim::results::{FlowResult, RunResult};

const LINK: &str = "duration = \"20 s\"\n[[links]]\nfrom = \"a\"\nto = \"b\"\nrate = \"10 Mb/s\"\ndelay = \"10 ms\"\n";

fn with(flow: &str) -> FlowResult {
    let text = format!("{LINK}[[flows]]\nfrom = \"a\"\nto = \"b\"\n{flow}\n");
    run_first(&text).flows.remove(0)
}

#[test]
fn a_transfer_of_given_size_completes() {
    let f = with("app = { kind = \"bulk\", size = \"1 MB\", start = \"2 s\" }");
    assert_eq!(f.delivered_bytes, 1_000_000);
    // 685 packets of 1.2 ms take 0.82 s; the handshake and slow start add some round trips.
    let took = f.completion_s.unwrap();
    assert!((0.84..1.3).contains(&took), "{took}");
    assert!((f.goodput_bps * took / 8e6 - 1.0).abs() < 1e-6);
}

/// A send buffer limits the data in flight, not the total.
#[test]
fn a_send_buffer_is_filled_again() {
    let buffer = "tcp = { send_buffer = \"14600 B\" }";
    let f =
        with(&format!("{buffer}\napp = {{ kind = \"bulk\", size = \"1 MB\", start = \"2 s\" }}"));
    assert_eq!(f.delivered_bytes, 1_000_000);
    // Ten segments per round trip of 20 ms and one packet time of 1.2 ms, or more with single ACKs.
    let rate = 14600.0 / f.rtt_mean_s.unwrap();
    let took = f.completion_s.unwrap();
    assert!((took * rate / 1e6 - 1.0).abs() < 0.1, "{took} {rate}");
    let f = with(&format!("{buffer}\napp = {{ kind = \"bulk\", stop = \"5 s\" }}"));
    assert!((f.delivered_bytes as f64 / (5.0 * rate) - 1.0).abs() < 0.1, "{}", f.delivered_bytes);
    assert!(f.active_s < 6.0, "{}", f.active_s);
    let f = with(buffer);
    assert!((f.delivered_bytes as f64 / (20.0 * rate) - 1.0).abs() < 0.1, "{}", f.delivered_bytes);
}

#[test]
fn a_transfer_can_be_stopped() {
    let f = with("app = { kind = \"bulk\", stop = \"5 s\" }");
    let rate = 10e6 * 1460.0 / 1500.0;
    assert!(f.delivered_bytes as f64 * 8.0 > 0.9 * 5.0 * rate);
    // Data in the send buffer still arrive: two windows and 64 kB at most.
    assert!((f.delivered_bytes as f64) < 5.0 * rate / 8.0 + 3e6, "{}", f.delivered_bytes);
    assert!(f.active_s < 8.0, "{}", f.active_s);
}

#[test]
fn constant_rate_over_either_transport() {
    for transport in ["udp", "tcp"] {
        let app = "app = { kind = \"constant-rate\", rate = \"800 kb/s\", message = \"1000 B\" }";
        let f = with(&format!("transport = \"{transport}\"\n{app}"));
        // 100 messages per second from 0 s on; the last are in flight.
        assert!(
            (1_980_000..=2_000_000).contains(&f.delivered_bytes),
            "{transport}: {}",
            f.delivered_bytes
        );
        assert_eq!((f.retransmissions, f.datagrams_lost), (0, 0));
    }
}

#[test]
fn on_off_has_its_duty_cycle() {
    let fixed = "app = { kind = \"on-off\", rate = \"800 kb/s\", on = \"1 s\", off = \"3 s\", periods = \"fixed\" }";
    let f = with(&format!("transport = \"udp\"\n{fixed}"));
    // On at 0, 4, 8, 12 and 16 s with 100 datagrams each, and the first datagram at 20 s.
    assert_eq!(f.segments_sent, 501);
    for periods in ["exponential", "pareto"] {
        let text = LINK.replace("20 s", "2000 s");
        let app = format!(
            "app = {{ kind = \"on-off\", rate = \"800 kb/s\", on = \"100 ms\", off = \"300 ms\", periods = \"{periods}\" }}"
        );
        let text = format!(
            "replications = 4\n{text}[[flows]]\nfrom = \"a\"\nto = \"b\"\ntransport = \"udp\"\n{app}\n"
        );
        let share =
            run_with(&text, 2).summary.flows[0].quantities["goodput_bps"].mean.unwrap() / 800e3;
        // Every on-period begins with a datagram, so short periods send more than their share.
        assert!((0.2..0.33).contains(&share), "{periods}: {share}");
    }
}

#[test]
fn exchanges_take_a_round_trip_and_the_data() {
    let f = with(
        "app = { kind = \"request-response\", request = \"100 B\", response = \"1000 B\", think = \"80 ms\", count = 50 }",
    );
    assert_eq!(f.exchanges, 50);
    assert_eq!(f.delivered_bytes, 50 * 1100);
    // 20 ms of propagation, 0.1 ms to send the request and 0.8 ms the response.
    let mean = f.exchange_mean_s.unwrap();
    assert!((0.0205..0.0225).contains(&mean), "{mean}");
    // All but the first, which waits for the handshake, take this long, headers of 40 bytes included.
    let exact = 0.02 + f64::from(8 * (140 + 1040)) / 10e6;
    for quantile in [f.exchange_p50_s, f.exchange_p95_s] {
        assert!((quantile.unwrap() / exact - 1.0).abs() < 0.01, "{quantile:?}, not {exact}");
    }
    assert!((f.exchange_p99_s.unwrap() / f.exchange_max_s.unwrap() - 1.0).abs() < 0.01);
    assert!(f.exchange_max_s.unwrap() > 1.5 * exact && f.exchange_p99_s <= f.exchange_max_s);
}

#[test]
fn datagrams_lost_are_counted() {
    let text = format!(
        "{LINK}loss = {{ model = \"script\", drop = [3, 5] }}\n[[flows]]\nfrom = \"a\"\nto = \"b\"\ntransport = \"udp\"\n\
         app = {{ kind = \"constant-rate\", rate = \"80 kb/s\", stop = \"5 s\" }}\n"
    );
    let r = run_first(&text);
    assert_eq!(r.flows[0].datagrams_lost, 2);
    assert_eq!(r.links[0].drops["loss"], 2);
}

/// Results exclude the warm-up, also for exchanges and round-trip times.
#[test]
fn results_exclude_the_warm_up() {
    let app = "app = { kind = \"request-response\", request = \"100 B\", response = \"1000 B\", think = \"79 ms\" }";
    // Only the first exchange waits for the handshake.
    let text = format!("{LINK}[[flows]]\nfrom = \"a\"\nto = \"b\"\n{app}\n");
    let all = run_first(&text).flows.remove(0);
    let late = run_first(&format!("warmup = \"10 s\"\n{text}")).flows.remove(0);
    assert!((98..102).contains(&late.exchanges) && late.exchanges * 2 <= all.exchanges + 1);
    assert!(all.exchange_max_s.unwrap() > 1.5 * late.exchange_max_s.unwrap());
    let queue = "queue = { kind = \"drop-tail\", packets = 10000 }";
    let bulk = format!(
        "warmup = \"10 s\"\n{LINK}{queue}\n[[flows]]\nfrom = \"a\"\nto = \"b\"\napp = {{ kind = \"bulk\", stop = \"5 s\" }}\n"
    );
    let f = run_first(&bulk).flows.remove(0);
    assert_eq!((f.delivered_bytes, f.segments_sent, f.rtt_mean_s), (0, 0, None), "{f:?}");
    assert!(f.goodput_bps == 0.0 && f.active_s == 0.0);
}

#[test]
fn a_flow_is_active_until_its_application_finishes() {
    let f = with(
        "app = { kind = \"request-response\", request = \"100 B\", response = \"1000 B\", think = \"80 ms\", count = 50 }",
    );
    assert!((4.9..5.1).contains(&f.active_s), "{}", f.active_s);
    let udp = with(
        "transport = \"udp\"\napp = { kind = \"constant-rate\", rate = \"800 kb/s\", start = \"1 s\", stop = \"5 s\" }",
    );
    assert!((udp.active_s - 4.0).abs() < 1e-12, "{}", udp.active_s);
    assert!((udp.goodput_bps - 800e3).abs() < 1e-6, "{}", udp.goodput_bps);
}

/// A flow with a random start after its stop never starts, and the run continues.
#[test]
fn a_start_after_the_stop_never_happens() {
    for app in ["kind = \"bulk\"", "kind = \"constant-rate\", rate = \"80 kb/s\""] {
        let text = format!(
            "{LINK}[[flows]]\nfrom = \"a\"\nto = \"b\"\ncount = 50\nstart_spread = \"10 s\"\n\
             app = {{ {app}, start = \"5 s\", stop = \"6 s\" }}\n"
        );
        let r = run_first(&text);
        let idle: Vec<_> = r.flows.iter().filter(|f| f.active_s == 0.0).collect();
        assert!((30..50).contains(&idle.len()), "{app}: {}", idle.len());
        assert!(idle.iter().all(|f| f.segments_sent == 0), "{app}");
        assert!(r.flows.iter().all(|f| f.completion_s.is_none()));
    }
}

/// Datagrams that are overtaken at the end of the warm-up count as lost until they arrive.
#[test]
fn late_datagrams_are_not_lost() {
    let held = "reordering = { every = 10, extra = \"5 s\" }";
    let text = format!(
        "warmup = \"10 s\"\n{LINK}{held}\n[[flows]]\nfrom = \"a\"\nto = \"b\"\ntransport = \"udp\"\n\
         app = {{ kind = \"constant-rate\", rate = \"80 kb/s\", stop = \"12 s\" }}\n"
    );
    let f = run_first(&text).flows.remove(0);
    assert_eq!(f.datagrams_lost, 0);
    // Every 100 ms after the warm-up and before the stop.
    assert_eq!(f.segments_sent, 19);
}

/// A Poisson source into a link of constant service time is an M/D/1 queue: at a load of 0.5 the mean
/// wait is `rho s / (2 (1 - rho))`, half a service time. Equal intervals never wait.
#[test]
fn poisson_arrivals_wait_as_in_an_m_d_1_queue() {
    let wait = |arrivals: &str| {
        let run = run_first(&format!(
            "duration = \"400 s\"\n[[links]]\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mb/s\"\n\
             queue = {{ kind = \"drop-tail\", packets = 1000 }}\n\
             [[flows]]\nfrom = \"a\"\nto = \"b\"\ntransport = \"udp\"\n\
             app = {{ kind = \"constant-rate\", rate = \"486.4 kb/s\", message = \"972 B\", \
             arrivals = \"{arrivals}\" }}\n"
        ));
        run.links[0].mean_queue_packets / (486.4e3 / 8.0 / 972.0)
    };
    // 1000 bytes with headers take 8 ms; 62.55 arrive in a second, a load of 0.5004.
    let (service, rho) = (8e-3, 486.4e3 / 8.0 / 972.0 * 8e-3);
    let expected = rho * service / (2.0 * (1.0 - rho));
    let found = wait("poisson");
    assert!((found - expected).abs() < 0.03 * expected, "{found} against {expected}");
    assert!(wait("equal") < 1e-12);
}

/// A scenario whose flow has its arrivals in a file with this text.
fn scheduled(app: &str, arrivals: &str) -> Result<String, String> {
    let n = COUNT.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("airtcp-arrivals-{}-{n}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("arrivals.csv"), arrivals).unwrap();
    let text = format!(
        "{LINK}[[flows]]\nfrom = \"a\"\nto = \"b\"\n\
         app = {{ kind = \"trace\", path = \"arrivals.csv\"{app} }}\n"
    );
    let mut scenario = airtcp_scenario::read(&text, "test", &[]).map_err(|e| e.to_string())?;
    let read = scenario.read_files(&folder).map(|()| scenario.resolve());
    std::fs::remove_dir_all(&folder).unwrap();
    let plan = read.and_then(|plan| plan).map_err(|e| format!("{}: {}", e.path, e.message))?;
    let run = airtcp_sim::run(&plan, &crate::common::no_traces, Some(1), |_, _| true).unwrap();
    assert!(run.replications[0].conservation.ok);
    serde_json::to_string(&run).map_err(|e| e.to_string())
}

static COUNT: AtomicU32 = AtomicU32::new(0);

fn flow_of(run: Result<String, String>) -> (FlowResult, RunResult) {
    let run: RunResult = serde_json::from_str(&run.unwrap()).unwrap();
    (run.replications[0].flows[0].clone(), run)
}

/// The times and sizes of a constant rate, given as a file, give the same packets at the same times.
#[test]
fn arrivals_of_a_file_are_those_of_the_same_schedule() {
    let lines: Vec<String> = (0..300).map(|i| (f64::from(i) * 0.01).to_string()).collect();
    let lines = lines.join("\n");
    for transport in ["udp", "tcp"] {
        let constant = format!(
            "{LINK}[[flows]]\nfrom = \"a\"\nto = \"b\"\ntransport = \"{transport}\"\n\
             app = {{ kind = \"constant-rate\", rate = \"800 kb/s\", start = \"1 s\", stop = \"4 s\" }}\n"
        );
        let constant = run_first(&constant);
        let app = format!(", start = \"1 s\" }}\ntransport = \"{transport}\"\n#");
        let (flow, run) = flow_of(scheduled(&app, &lines));
        assert_eq!(flow.delivered_bytes, 300_000);
        assert_eq!(flow.segments_sent, constant.flows[0].segments_sent);
        assert_eq!(
            run.replications[0].links[0].queue_delay_max_s,
            constant.links[0].queue_delay_max_s
        );
        // TCP closes after the last message, a gap earlier.
        if transport == "udp" {
            assert_eq!(run.replications[0].fingerprint, constant.fingerprint);
            assert!((flow.active_s - 2.99).abs() < 1e-9, "{}", flow.active_s);
        }
    }
}

/// Three datagrams at once, of 1222, 222 and 722 bytes with headers, at 10 Mb/s: the second waits 0.9776 ms and the
/// third 1.1552 ms.
#[test]
fn a_file_gives_sizes_and_delays() {
    let udp = ", start = \"500 ms\" }\ntransport = \"udp\"\n#";
    let (flow, run) = flow_of(scheduled(udp, "time_ms,bytes\n0,1194\n0,194\n0,694\n"));
    assert_eq!((flow.segments_sent, flow.delivered_bytes), (3, 1194 + 194 + 694));
    let link = &run.replications[0].links[0];
    let wait = |bytes: u32| f64::from(8 * bytes) / 10e6;
    let (second, third) = (wait(1222), wait(1222 + 222));
    let mean = link.queue_delay_mean_s.unwrap();
    assert!((mean - (second + third) / 3.0).abs() < 1e-9, "{mean}");
    assert!((link.queue_delay_p50_s.unwrap() / second - 1.0).abs() < 1.0 / 128.0);
    assert!((link.queue_delay_max_s.unwrap() / third - 1.0).abs() < 1.0 / 128.0);
}

/// A file of two messages, 1 s long, repeats until the stop: 0, 0.4, 1, 1.4, ..., 9 and 9.4 s.
#[test]
fn arrivals_repeat() {
    let app = ", repeat = \"1 s\", stop = \"9500 ms\" }\ntransport = \"udp\"\n#";
    let (flow, _) = flow_of(scheduled(app, "0\n0.4\n"));
    assert_eq!((flow.segments_sent, flow.delivered_bytes), (20, 20_000));
    assert!((flow.active_s - 9.5).abs() < 1e-9, "{}", flow.active_s);
    // TFRC divides a message into packets.
    let tfrc = ", message = \"500 B\" }\ntransport = \"tfrc\"\n#";
    let (flow, _) = flow_of(scheduled(tfrc, "0,1200\n1,500\n"));
    assert_eq!((flow.segments_sent, flow.delivered_bytes), (4, 2000));
}

#[test]
fn wrong_arrivals_are_refused() {
    let udp = " }\ntransport = \"udp\"\n#";
    for (app, arrivals, expected) in [
        ("", "0\nx\n", "flows[0].app.path: \"arrivals.csv\": line 2: \"x\" is not a time"),
        (", repeat = \"1 s\"", "0\n2\n", "flows[0].app.repeat: is 1 s: the arrivals last 2 s"),
        (", repeat = \"0 s\"", "0\n", "flows[0].app.repeat: is 0 s"),
        (", message = \"0 B\"", "0\n", "flows[0].app.message: is 0 B"),
        (", start = \"3 s\", stop = \"2 s\"", "0\n", "flows[0].app.stop"),
        (udp, "0,70000\n", "flows[0].app.path: has a message of 70000 B: a UDP datagram carries"),
        (&format!(", message = \"70 kB\"{udp}"), "0\n", "flows[0].app.message: is 70000 B"),
        (", rate = \"1 Mb/s\"", "0\n", "unknown key \"rate\""),
    ] {
        let message = scheduled(app, arrivals).unwrap_err();
        assert!(message.contains(expected), "{app} {arrivals:?}: {message}");
    }
    let text = format!(
        "{LINK}[[flows]]\nfrom = \"a\"\nto = \"b\"\napp = {{ kind = \"trace\", path = \"none.csv\" }}\n"
    );
    let mut scenario = airtcp_scenario::read(&text, "test", &[]).unwrap();
    assert!(scenario.resolve().unwrap_err().message.contains("was not read"));
    let gone = scenario.read_files(&std::env::temp_dir()).unwrap_err();
    assert!(gone.path == "flows[0].app.path" && gone.message.contains("none.csv"), "{gone}");
}
