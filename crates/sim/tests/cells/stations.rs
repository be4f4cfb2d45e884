//! Single stations of a cell: rate, power and queue of their own, and the queue of the access point.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may fail, and shows what it measured"
)]

use crate::common::run_first;
use airtcp_sim::results::Replication;
use airtcp_units::BitRate;
use airtcp_units::detmath::pow;
use airtcp_wifi::phy::{Standard, Timing, TimingConfig};

/// Payload and IP length of the datagrams, and length of their data frame.
const PAYLOAD: f64 = 1472.0;
const FRAME: u32 = 1500 + 8 + 28;

/// A cell of 802.11a, with further keys of it and a flow of `rate` for each of its stations.
fn cell(stations: u32, keys: &str, flow: &str, rate: &str) -> Replication {
    run_first(&format!(
        r#"
        duration = "21 s"
        warmup = "1 s"
        [[cells]]
        layout = {{ kind = "star", stations = {stations}, radius_m = 5 }}
        {keys}
        [[flows]]
        count = {stations}
        {flow}
        transport = "udp"
        app = {{ kind = "constant-rate", rate = "{rate}", message = "1472 B" }}
    "#
    ))
}

const UP: &str = "from = \"sta*\"\nto = \"ap\"";
const DOWN: &str = "from = \"ap\"\nto = \"sta*\"";

fn goodputs(run: &Replication) -> Vec<f64> {
    run.flows.iter().map(|flow| flow.goodput_bps / 1e6).collect()
}

/// Times of a data frame and its ACK in microseconds, with and without the space between them.
fn exchange(mbps: u64) -> [f64; 2] {
    let timing = Timing::new(Standard::A, &TimingConfig::default()).unwrap();
    let mode = Standard::A.mode(BitRate::from_mbps(mbps)).unwrap();
    let air = timing.frame(mode, FRAME).0 + timing.ack(mode).0;
    [(air + timing.sifs.0) as f64 / 1e3, air as f64 / 1e3]
}

const DIFS: f64 = 34.0;
const SLOT: f64 = 9.0;
const CW_MIN: f64 = 15.0;

/// Attempts per slot of one of `n` saturated stations, and the probability that an attempt collides:
/// Bianchi's chain with windows that double from 16 to 1024 and 7 attempts.
fn attempts_per_slot(n: i32) -> f64 {
    let tau = |p: f64| {
        let stages = (0..7).map(|i| (pow(p, f64::from(i)), 16.0 * pow(2.0, f64::from(i))));
        let (attempts, slots) =
            stages.fold((0.0, 0.0), |(a, s), (q, w)| (a + q, s + q * (w + 1.0) / 2.0));
        attempts / slots
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let p = f64::midpoint(low, high);
        if 1.0 - pow(1.0 - tau(p), f64::from(n - 1)) > p {
            low = p;
        } else {
            high = p;
        }
    }
    tau(low)
}

/// Throughput in Mb/s of each of several saturated stations of given rates. A slot with one sender
/// lasts its exchange and DIFS, one with several the longest frame and EIFS.
fn saturated(rates: &[u64]) -> f64 {
    let timing = Timing::new(Standard::A, &TimingConfig::default()).unwrap();
    let n = i32::try_from(rates.len()).unwrap();
    let tau = attempts_per_slot(n);
    let eifs = DIFS + timing.eifs_extra().0 as f64 / 1e3;
    let frame = |mbps: u64| {
        let mode = Standard::A.mode(BitRate::from_mbps(mbps)).unwrap();
        timing.frame(mode, FRAME).0 as f64 / 1e3
    };
    let mut slot = 0.0;
    for senders in 0_u32..1 << n {
        let of = (0..n).filter(|i| senders >> i & 1 == 1);
        let of: Vec<u64> = of.map(|i| rates[usize::try_from(i).unwrap()]).collect();
        let k = i32::try_from(of.len()).unwrap();
        let lasts = match of[..] {
            [] => SLOT,
            [alone] => exchange(alone)[0] + DIFS,
            _ => of.iter().map(|rate| frame(*rate)).fold(0.0, f64::max) + eifs,
        };
        slot += pow(tau, f64::from(k)) * pow(1.0 - tau, f64::from(n - k)) * lasts;
    }
    tau * pow(1.0 - tau, f64::from(n - 1)) * 8.0 * PAYLOAD / slot
}

/// The rate anomaly (Heusse, Rousseau, Berger-Sabbatel and Duda, INFOCOM 2003): stations that send
/// equally often all get what the slow one lets them have. Their formula has no time for collisions,
/// and is above what stations get:
///
/// ```text
/// cycle = sum of exchanges + n (DIFS + SLOT (1 + Pc)/n CWmin/2)      Pc = 1 - (1 - 1/CWmin)^(n-1)
/// ```
#[test]
fn one_slow_station_slows_all() {
    let n = 4.0;
    let collide = 1.0 - pow(1.0 - 1.0 / CW_MIN, n - 1.0);
    let overhead = n * DIFS + SLOT * (1.0 + collide) * CW_MIN / 2.0;
    let heusse = |slow: u64| 8.0 * PAYLOAD / (3.0 * exchange(54)[0] + exchange(slow)[0] + overhead);
    let keys = "stations = [{ name = \"sta2\", rate = \"6 Mb/s\" }]";
    let mean = |list: &[f64]| list.iter().sum::<f64>() / list.len() as f64;
    let mut means = Vec::new();
    for (slow, keys) in [(54, ""), (6, keys)] {
        let got = goodputs(&cell(4, keys, UP, "40 Mb/s"));
        let (mean, expected) = (mean(&got), saturated(&[54, 54, slow, 54]));
        println!("{got:.3?}: {mean:.3}, {expected:.3} with collisions, {:.3}", heusse(slow));
        for got in &got {
            assert!((got / mean - 1.0).abs() < 0.05, "{got} {mean}");
        }
        assert!((mean / expected - 1.0).abs() < 0.03, "{mean} {expected}");
        assert!(mean < heusse(slow) && mean > 0.8 * heusse(slow), "{mean} {}", heusse(slow));
        means.push(mean);
    }
    assert!(means[1] < 0.5 * means[0], "{means:?}");
}

/// Downloads: with one queue the stations get equal numbers of packets, with the airtime-fair queue
/// equal airtime. The access point alone sends, so that both follow from the times of the exchanges.
#[test]
fn airtime_fair_downloads_share_the_air() {
    let rates = [54, 54, 54, 6];
    // Between two exchanges: DIFS and on average CWmin/2 slots.
    let between = DIFS + SLOT * CW_MIN / 2.0;
    let slow = "stations = [{ name = \"sta3\", rate = \"6 Mb/s\" }]";
    for queue in ["drop-tail", "airtime-fair"] {
        let fair = queue == "airtime-fair";
        let key = format!("access_point_queue = {{ kind = \"{queue}\" }}\n{slow}");
        let got = goodputs(&cell(4, &key, DOWN, "40 Mb/s"));
        // Packets of each in a cycle.
        let packets = rates.map(|rate| if fair { 1e6 / exchange(rate)[1] } else { 1.0 });
        let spent = |(n, rate): (&f64, u64)| n * (exchange(rate)[0] + between);
        let cycle: f64 = packets.iter().zip(rates).map(spent).sum();
        let airtime: Vec<f64> = got
            .iter()
            .zip(rates)
            .map(|(got, rate)| got / 8.0 / PAYLOAD * exchange(rate)[1])
            .collect();
        println!("{queue}: {got:.3?}, airtime {airtime:.4?}");
        for (got, n) in got.iter().zip(packets) {
            let expected = n * 8.0 * PAYLOAD / cycle;
            assert!((got / expected - 1.0).abs() < 0.03, "{queue}: {got} {expected}");
        }
        if fair {
            for share in &airtime {
                assert!((share / airtime[0] - 1.0).abs() < 0.02, "{airtime:?}");
            }
        }
    }
}

/// With RTS, EDCA and frame errors every attempt counts: the airtime of the stations is equal although
/// one of them needs several attempts at a slower rate.
#[test]
fn every_attempt_counts_as_airtime() {
    let key = "access_point_queue = { kind = \"airtime-fair\" }\nresidual_error = \"20 %\"\n\
               mac = { access = \"edca\", rts_threshold = \"0 B\" }\n\
               stations = [{ name = \"sta1\", rate = \"12 Mb/s\" }]";
    let run = cell(2, key, DOWN, "40 Mb/s");
    let rates: Vec<_> =
        run.cells[0].stations[0].rates.iter().map(|r| (r.rate_bps, r.sent)).collect();
    let [(slow, few), (fast, many)] = rates[..] else { panic!("{rates:?}") };
    assert_eq!((slow, fast), (12_000_000, 54_000_000));
    let timing = Timing::new(Standard::A, &TimingConfig::default()).unwrap();
    // RTS and CTS before each attempt; an ACK after each that is decoded.
    let airtime = |mbps, sent: u64| {
        let mode = Standard::A.mode(BitRate::from_mbps(mbps)).unwrap();
        let answer = timing.answer_mode(mode);
        let each =
            timing.frame(answer, 20).0 + timing.cts(answer).0 + timing.frame(mode, FRAME + 2).0;
        (each as f64 + 0.8 * timing.ack(mode).0 as f64) * sent as f64
    };
    let ratio = airtime(12, few) / airtime(54, many);
    println!("{few} and {many} attempts, airtime {ratio:.4}");
    assert!((ratio - 1.0).abs() < 0.02, "{ratio}");
}

/// What a station sends is charged to it, so that uploads cost it downloads, unless `received` is
/// false.
#[test]
fn uploads_are_charged() {
    let run = |received: bool| {
        let text = format!(
            r#"
            duration = "11 s"
            warmup = "1 s"
            [[cells]]
            layout = {{ kind = "star", stations = 2, radius_m = 5 }}
            access_point_queue = {{ kind = "airtime-fair", received = {received} }}
            [[flows]]
            name = "up"
            from = "sta0"
            to = "ap"
            transport = "udp"
            app = {{ kind = "constant-rate", rate = "4 Mb/s", message = "1472 B" }}
            [[flows]]
            name = "down"
            count = 2
            from = "ap"
            to = "sta*"
            transport = "udp"
            app = {{ kind = "constant-rate", rate = "40 Mb/s", message = "1472 B" }}
        "#
        );
        goodputs(&run_first(&text))
    };
    let counted = run(true);
    println!("{counted:.3?}, {:.3?}", run(false));
    // Up and down together take as long as what the other station gets.
    assert!((counted[0] + counted[1] - counted[2]).abs() < 0.03 * counted[2], "{counted:?}");
    let down_only = run(false);
    assert!((down_only[1] / down_only[2] - 1.0).abs() < 0.02, "{down_only:?}");
}

/// The access point's queue apart from the stations'.
#[test]
fn the_access_point_has_a_queue_of_its_own() {
    let peak = |keys: &str| {
        let run = cell(2, keys, DOWN, "40 Mb/s");
        (run.cells[0].stations[0].mean_queue_packets, run.cells[0].stations[1].mean_queue_packets)
    };
    let (short, _) = peak("access_point_queue = { kind = \"drop-tail\", packets = 7 }");
    assert!(short > 6.0 && short <= 7.0, "{short}");
    let (long, _) = peak("queue = { kind = \"drop-tail\", packets = 50 }");
    assert!(long > 45.0 && long <= 50.0, "the default is that of all: {long}");
    // A station's own queue, and the others' as before.
    let keys = "queue = { kind = \"drop-tail\", packets = 50 }\n\
                stations = [{ name = \"sta1\", queue = { kind = \"drop-tail\", packets = 3 } }]";
    let run = cell(2, keys, UP, "40 Mb/s");
    let means: Vec<f64> = run.cells[0].stations[1..].iter().map(|s| s.mean_queue_packets).collect();
    assert!(means[0] > 40.0 && means[1] > 2.0 && means[1] <= 3.0, "{means:?}");
}

/// The power of one transmitter: only its frames arrive with more.
#[test]
fn a_station_has_its_own_power() {
    let signals = |keys: &str| -> Vec<f64> {
        let run = cell(3, keys, UP, "100 kb/s");
        run.cells[0].stations[1..].iter().map(|s| s.signal_dbm.unwrap()).collect()
    };
    let usual = signals("power_dbm = 12");
    let own = signals("power_dbm = 12\nstations = [{ name = \"sta1\", power_dbm = 17.5 }]");
    assert!((own[1] - usual[1] - 5.5).abs() < 1e-9, "{own:?} {usual:?}");
    assert_eq!((own[0], own[2]), (usual[0], usual[2]));
}

/// Keys that say what the cell says anyway change no bit of the result.
#[test]
fn neutral_keys_change_nothing() {
    let plain = cell(3, "", UP, "40 Mb/s");
    let neutral = cell(
        3,
        "access_point_queue = { kind = \"drop-tail\" }\n\
         stations = [{ name = \"sta2\", power_dbm = 18, queue = { kind = \"drop-tail\" } }, \
         { name = \"sta0\", rate = \"54 Mb/s\" }]",
        UP,
        "40 Mb/s",
    );
    assert_eq!(format!("{plain:?}"), format!("{neutral:?}"));
}

#[test]
fn impossible_stations_are_refused() {
    let refusal = |keys: &str| {
        let text = format!(
            "duration = \"1 s\"\n[[cells]]\nlayout = {{ kind = \"star\", stations = 3 }}\n{keys}\n\
             [[flows]]\nfrom = \"sta0\"\nto = \"ap\"\n"
        );
        let plan = airtcp_scenario::read(&text, "test.toml", &[]).and_then(|s| s.resolve());
        match plan.and_then(|plan| {
            airtcp_sim::run(&plan, &crate::common::no_traces, Some(1), |_, _| true)
                .map_err(|e| airtcp_scenario::ScenarioError::at("run", e.to_string()))
        }) {
            Ok(_) => String::new(),
            Err(e) => e.to_string(),
        }
    };
    for (keys, parts) in [
        (
            "stations = [{ name = \"stb1\" }]",
            &["stations[0].name", "\"sta1\"", "sta0, sta1, sta2"][..],
        ),
        ("stations = [{ name = \"ap\" }]", &["stations[0].name", "access_point_queue"]),
        (
            "stations = [{ name = \"sta0\" }, { name = \"sta0\" }]",
            &["stations[1].name", "stations[0]"],
        ),
        ("stations = [{ name = \"sta0\", rat = 3 }]", &["rat", "rate"]),
        ("stations = [{ rate = \"6 Mb/s\" }]", &["name"]),
        ("stations = [{ name = \"sta0\", rate = \"7 Mb/s\" }]", &["stations[0].rate", "7 Mb/s"]),
        (
            "rates = [\"54 Mb/s\"]\nstations = [{ name = \"sta0\", rate = \"6 Mb/s\" }]",
            &["stations[0].rate", "is 6 Mb/s: expected 54 Mb/s"],
        ),
        (
            "rate_control = { control = \"arf\" }\nstations = [{ name = \"sta0\", rate = \"6 Mb/s\" }]",
            &["stations[0].rate", "rate_control is \"arf\""],
        ),
        (
            "stations = [{ name = \"sta0\", power_dbm = 80 }]",
            &["stations[0].power_dbm", "-50 to 60"],
        ),
        (
            "propagation.path_loss = { model = \"ranges\", decode_m = 50, interference_m = 100 }\n\
             stations = [{ name = \"sta0\", power_dbm = 8 }]",
            &["stations[0].power_dbm", "\"ranges\""],
        ),
        (
            "stations = [{ name = \"sta0\", queue = { kind = \"drop-tail\", packets = 0 } }]",
            &["stations[0].queue.packets"],
        ),
        (
            "access_point_queue = { kind = \"airtime-fair\", quantum = \"0 s\" }",
            &["access_point_queue.quantum", "1 us to 1 s"],
        ),
        ("access_point_queue = \"fq-codel\"", &["access_point_queue", "{ kind = \"fq-codel\" }"]),
    ] {
        let message = refusal(keys);
        for part in parts {
            assert!(message.contains(part), "{keys}\n{message}\nlacks {part}");
        }
    }
}
