//! Access points of 802.11n, ac and ax take the packets of an aggregate by receiver, with every queue discipline, and
//! have a queue for each station by default.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use crate::common::{plan, run_first, run_with};
use airtcp_sim::results::Replication;
use airtcp_wifi::phy::{GuardInterval, Mode, Standard, Timing, TimingConfig, Width};

/// Every discipline, with room for the aggregates of three stations.
const DISCIPLINES: [&str; 11] = [
    "{ kind = \"drop-tail\" }",
    "{ kind = \"red\", min = 300, max = 900, limit = 1000 }",
    "{ kind = \"codel\" }",
    "{ kind = \"fq-codel\" }",
    "{ kind = \"pie\", target = \"50 ms\" }",
    "{ kind = \"airtime-fair\" }",
    "{ kind = \"per-station\" }",
    "{ kind = \"ack-filter\" }",
    "{ kind = \"jersey\", limit = 1000 }",
    "{ kind = \"drop-tail\", bytes = \"2 MB\" }",
    "{ kind = \"tbf\", rate = \"10 Gb/s\", burst = \"1 MB\", packets = 1000 }",
];

/// A cell of 802.11ac with three stations: `keys` are those of the cell, `flows` the flows.
fn cell(keys: &str, flows: &str) -> String {
    format!(
        "duration = \"2 s\"\nwarmup = \"500 ms\"\n[[cells]]\nstandard = \"802.11ac\"\n\
         layout = {{ kind = \"star\", stations = 3, radius_m = 2 }}\n{keys}\n{flows}"
    )
}

/// Datagrams to the first `stations` stations, one after the other.
fn udp(stations: u32, rate: &str) -> String {
    let flow = |i: u32| {
        format!(
            "[[flows]]\nfrom = \"ap\"\nto = \"sta{i}\"\ntransport = \"udp\"\n\
             app = {{ kind = \"constant-rate\", rate = \"{rate}\", message = \"1472 B\" }}\n"
        )
    };
    (0..stations).map(flow).collect()
}

fn goodputs(run: &Replication) -> Vec<f64> {
    run.flows.iter().map(|flow| flow.goodput_bps / 1e6).collect()
}

fn mpdus(run: &Replication) -> f64 {
    run.cells[0].stations[0].aggregate_mean_mpdus.unwrap()
}

fn mode(mcs: u8, width: Width) -> Mode {
    Mode::mcs(Standard::Ac.format(), mcs, 1, width, GuardInterval::Ns400).unwrap()
}

/// Time of an aggregate of `n` datagrams to one receiver, with its BlockAck and the mean back-off under DCF.
fn cycle(mcs: u8, n: u32) -> f64 {
    let timing = Timing::new(Standard::Ac, &TimingConfig::default()).unwrap();
    let (mode, mpdu) = (mode(mcs, Width::Mhz80), 1_500 + 38);
    let psdu = (n - 1) * (mpdu + 4_u32).next_multiple_of(4) + mpdu + 4;
    let answer = timing.frame(timing.answer_mode(mode), 32);
    let air = timing.difs() + timing.frame(mode, psdu) + timing.sifs + answer;
    air.0 as f64 + 7.5 * timing.slot.0 as f64
}

/// Packets that interleave, as those of paced flows do: the aggregates have 64 MPDUs, or as many as the time allows (14
/// at MCS 0), and the goodput is the sum of the times. Taking only consecutive packets, they have one MPDU.
#[test]
fn interleaved_packets_fill_aggregates() {
    for (mcs, n) in [(9, 64), (0, 14)] {
        for queue in DISCIPLINES {
            let keys = format!("mcs = {mcs}\naccess_point_queue = {queue}");
            let run = run_first(&cell(&keys, &udp(3, "300 Mb/s")));
            assert!(run.conservation.ok);
            let (mean, sum) = (mpdus(&run), goodputs(&run).iter().sum::<f64>());
            assert!((mean / f64::from(n) - 1.0).abs() < 0.02, "{queue}, MCS {mcs}: {mean}");
            let expected = f64::from(n) * 1_472.0 * 8e3 / cycle(mcs, n);
            assert!((sum / expected - 1.0).abs() < 0.02, "{queue}, MCS {mcs}: {sum} {expected}");
        }
    }
}

/// A packet that does not fit stays in the queue. If it went to the head instead, it would be sent alone, since the
/// discipline offers another station next: 14 MPDUs, 1, 14, 1.
#[test]
fn no_lone_mpdu_follows_an_aggregate_that_time_ends() {
    for access in ["dcf", "edca"] {
        for queue in DISCIPLINES {
            let keys = format!("mcs = 0\nmac.access = \"{access}\"\naccess_point_queue = {queue}");
            let means = [1, 3].map(|stations| {
                let run = run_first(&cell(&keys, &udp(stations, "300 Mb/s")));
                mpdus(&run)
            });
            assert!((means[1] / means[0] - 1.0).abs() < 0.02, "{queue}, {access}: {means:?}");
        }
    }
}

/// Packets below the discipline are selected by receiver, too.
#[test]
fn a_hardware_queue_is_one_for_each_receiver() {
    let keys = "mcs = 9\nmac.hardware_queue = 500\naccess_point_queue = { kind = \"drop-tail\" }";
    let run = run_first(&cell(keys, &udp(3, "300 Mb/s")));
    assert!(run.conservation.ok);
    assert!(mpdus(&run) > 63.0, "{}", mpdus(&run));
}

/// Two fast stations and a slow one (MCS 9, 9 and 0) take turns with an aggregate each, with queues per station and with
/// FQ-CoDel: the goodputs are those of a cycle of three aggregates. Airtime-fair queueing divides the time instead.
#[test]
fn stations_take_turns() {
    let slow = "stations = [{ name = \"sta2\", mcs = 0 }]";
    let whole = 2.0 * cycle(9, 64) + cycle(0, 14);
    let expected = [64, 64, 14].map(|n| f64::from(n) * 1_472.0 * 8e3 / whole);
    for queue in
        ["", "access_point_queue.kind = \"per-station\"", "access_point_queue.kind = \"fq-codel\""]
    {
        let run = run_first(&cell(&format!("mcs = 9\n{slow}\n{queue}"), &udp(3, "300 Mb/s")));
        for (found, expected) in goodputs(&run).iter().zip(expected) {
            assert!((found / expected - 1.0).abs() < 0.02, "{queue}: {found} {expected}");
        }
    }
    // One queue for all gives each station the same number of packets.
    let queue = "access_point_queue.kind = \"drop-tail\"";
    let run = run_first(&cell(&format!("mcs = 9\n{slow}\n{queue}"), &udp(3, "300 Mb/s")));
    let found = goodputs(&run);
    assert!((found[0] / found[2] - 1.0).abs() < 0.1, "{found:?}");
}

/// Three downloads of a law that paces have the goodput of three that do not.
#[test]
fn paced_downloads_keep_their_goodput() {
    let sum = |law: &str, queue: &str| {
        let flow = |i: u32| {
            format!("[[flows]]\nfrom = \"server\"\nto = \"sta{i}\"\ntcp.congestion = \"{law}\"\n")
        };
        let link =
            "[[links]]\nfrom = \"server\"\nto = \"ap\"\nrate = \"1 Gb/s\"\ndelay = \"10 ms\"\n";
        let flows: String = (0..3).map(flow).collect();
        let run = run_first(&cell(&format!("mcs = 9\n{queue}"), &format!("{link}{flows}")));
        goodputs(&run).iter().sum::<f64>()
    };
    for queue in
        ["", "access_point_queue.kind = \"drop-tail\"", "access_point_queue.kind = \"fq-codel\""]
    {
        let (cubic, bbr) = (sum("cubic", queue), sum("bbr1", queue));
        assert!(bbr > 0.85 * cubic, "{queue}: {cubic} {bbr}");
    }
}

/// The default of an access point, and what replaces it.
#[test]
fn access_points_have_a_queue_for_each_station() {
    let kinds = |keys: &str| {
        let text = cell(keys, &udp(1, "1 Mb/s"));
        let plan = plan(&text);
        let keys = plan.cells[0].spec.station_keys();
        [0, 1].map(|station| keys.queue(station).0.kind())
    };
    assert_eq!(kinds(""), ["per-station", "drop-tail"]);
    assert_eq!(kinds("queue.kind = \"drop-tail\""), ["drop-tail"; 2]);
    assert_eq!(kinds("queue.kind = \"codel\""), ["codel"; 2]);
    assert_eq!(kinds("access_point_queue.kind = \"pie\""), ["pie", "drop-tail"]);
    assert_eq!(kinds("queue.kind = \"red\"\naccess_point_queue.kind = \"pie\""), ["pie", "red"]);
    assert_eq!(kinds("hops = \"chain\""), ["drop-tail"; 2]);
    let old = cell("", &udp(1, "1 Mb/s")).replace("802.11ac", "802.11a");
    assert_eq!(plan(&old).cells[0].spec.station_keys().queue(0).0.kind(), "drop-tail");
}

/// A run says so if aggregates stay short although the queue is long: here a queue of 140 packets is shared by 30
/// stations, so that each has four or five. With a queue for three stations, or aggregates of few MPDUs, it says nothing.
#[test]
fn short_aggregates_beside_a_long_queue_are_named() {
    let of = |stations: u32, keys: &str| {
        let layout = format!("stations = {stations}, radius_m = 2");
        let text = cell(&format!("mcs = 9\n{keys}"), &udp(stations, "50 Mb/s"));
        run_with(&text.replace("stations = 3, radius_m = 2", &layout), 1).warnings
    };
    let queue = |kind: &str| format!("access_point_queue = {{ kind = \"{kind}\", packets = 140 }}");
    let one = of(30, &queue("drop-tail"));
    assert!(one[0].starts_with("cells[0]: the aggregates of ap have "), "{one:?}");
    assert!(one[0].contains("access_point_queue.kind = \"per-station\""), "{one:?}");
    let below = of(30, &format!("{}\nmac.hardware_queue = 30", queue("per-station")));
    assert!(below[0].contains("mac.hardware_queue"), "{below:?}");
    let own = of(30, &queue("per-station"));
    assert!(own[0].contains("each with few packets"), "{own:?}");
    for keys in [
        "",
        "mac.aggregation.max_mpdus = 1",
        "mac.aggregation.max_mpdus = 2",
        // Five MPDUs are then a full aggregate, and so are those of one A-MSDU each.
        "mac.aggregation.max_bytes = \"8000 B\"",
        "mac.aggregation = { max_amsdu_bytes = \"11000 B\", max_bytes = \"65 kB\" }",
        "mac.access = \"edca\"",
    ] {
        assert_eq!(of(3, keys), Vec::<String>::new(), "{keys}");
    }
}
