//! Results of a cell's stations by category and rate, and of flows by layer: sums that must agree, and cases
//! worked by hand.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use crate::common::run_first;
use airtcp_sim::results::Replication;
use airtcp_sim::results::StationResult;

fn cell(stations: u32, keys: &str, flows: &str) -> Replication {
    run_first(&format!(
        r#"
        duration = "2 s"
        warmup = "500 ms"
        [[cells]]
        layout = {{ kind = "star", stations = {stations}, radius_m = 5 }}
        propagation.path_loss = {{ model = "log-distance", exponent = 3.5, reference_loss_db = 46.67 }}
        noise.floor_dbm = -99
        {keys}
        {flows}
    "#
    ))
}

fn datagrams(from: &str, rate: &str, more: &str) -> String {
    format!(
        r#"
        [[flows]]
        from = "{from}"
        to = "ap"
        transport = "udp"
        app = {{ kind = "constant-rate", rate = "{rate}", message = "1000 B" }}
        {more}
    "#
    )
}

const TCP: &str = r#"
    [[flows]]
    count = 3
    from = "sta*"
    to = "ap"
    tcp = { profile = "s0", mss = 536 }
"#;

#[test]
fn a_packet_alone_takes_one_exchange() {
    let run = cell(1, "rate = \"24 Mb/s\"", &datagrams("sta0", "800 kb/s", ""));
    let station = &run.cells[0].stations[1];
    // 1064 B in 20 + 4 * 89 us, SIFS of 16 us, ACK in 28 us; the medium was idle long enough.
    let exchange = 420e-6;
    assert!((station.latency_mean_s.unwrap() - exchange).abs() < 1e-12);
    assert!((station.service_mean_s.unwrap() - exchange).abs() < 1e-12);
    // The first packet, in the warm-up, waits DIFS: the medium was not idle long enough.
    assert!((station.service_max_s.unwrap() - exchange - 34e-6).abs() < 1e-12);
    assert_eq!((station.queue_delay_mean_s, station.residual_loss), (Some(0.0), Some(0.0)));
    assert_eq!(station.rates.len(), 1);
    let rate = &station.rates[0];
    assert_eq!((rate.rate_bps, rate.lost), (24_000_000, 0));
    assert_eq!(rate.sent, station.frames["data"].sent);
    let flow = &run.flows[0];
    // Data: SIGNAL 24, service and tail 22; the ACK likewise.
    let bits = |bytes: f64| 8.0 * bytes + 46.0;
    let ratio = (bits(1064.0) + bits(14.0)) / 8000.0;
    assert!((flow.mac_sent_bps.unwrap() / flow.goodput_bps - ratio).abs() < 1e-9);
    assert!((flow.mac_delivered_bps.unwrap() / flow.goodput_bps - 1.064).abs() < 1e-9);
    assert!((flow.ip_delivered_bps / flow.goodput_bps - 1.028).abs() < 1e-9);
}

#[test]
fn a_full_queue_delays_by_its_length() {
    let keys = "rate = \"24 Mb/s\"\nqueue = { kind = \"drop-tail\", packets = 50 }";
    let run = cell(1, keys, &datagrams("sta0", "30 Mb/s", ""));
    let station = &run.cells[0].stations[1];
    let (delay, service) = (station.queue_delay_mean_s.unwrap(), station.service_mean_s.unwrap());
    // 50 packets wait, and each takes one service time.
    assert!((delay / (50.0 * service) - 1.0).abs() < 0.02, "{delay} {service}");
    assert!(station.latency_mean_s.unwrap() < service);
    assert!(station.queue_drops > 1000);
}

/// Bits of all frames of a station, computed from their counts.
fn bits(station: &StationResult, plcp: f64, seconds: f64) -> f64 {
    let sent: u64 = station.frames.values().map(|f| f.sent).sum();
    station.mac_bps + sent as f64 * plcp / seconds
}

#[test]
fn all_that_is_on_the_air_belongs_to_some_flow() {
    let b = "standard = \"802.11b\"\ntiming.preamble = \"short\"\nrate = \"11 Mb/s\"";
    for (keys, plcp) in [
        ("mac.rts_threshold = \"0 B\"", 46.0),
        ("mac.access = \"edca\"", 46.0),
        ("standard = \"802.11b\"", 192.0),
        (b, 120.0),
    ] {
        // With short preambles, only frames at 1 Mb/s have the long preamble.
        let keys = &format!("{keys}\ntiming.ack_rate.fixed = \"{}\"", ack(plcp));
        let run = cell(3, keys, TCP);
        let of_stations: f64 = run.cells[0].stations.iter().map(|s| bits(s, plcp, 1.5)).sum();
        let of_flows: f64 = run.flows.iter().filter_map(|f| f.mac_sent_bps).sum();
        assert!((of_flows / of_stations - 1.0).abs() < 1e-9, "{keys}: {of_flows} {of_stations}");
        for flow in &run.flows {
            let (sent, delivered) = (flow.mac_sent_bps.unwrap(), flow.mac_delivered_bps.unwrap());
            assert!(sent > delivered && delivered > flow.goodput_bps, "{keys} {flow:?}");
        }
    }
}

fn ack(plcp: f64) -> &'static str {
    if plcp < 50.0 { "6 Mb/s" } else { "2 Mb/s" }
}

#[test]
fn rates_add_up_to_the_data_frames() {
    let run = cell(3, "rate_control = { control = \"minstrel\" }", TCP);
    let mut several = 0;
    for station in &run.cells[0].stations {
        let of = |class: &str| {
            station.frames.get(class).map_or((0, 0), |f| (f.sent, f.lost.values().sum()))
        };
        let (data, acks): ((u64, u64), (u64, u64)) = (of("data"), of("tcp_ack"));
        let sent: u64 = station.rates.iter().map(|r| r.sent).sum();
        let lost: u64 = station.rates.iter().map(|r| r.lost).sum();
        assert_eq!((sent, lost), (data.0 + acks.0, data.1 + acks.1), "{}", station.name);
        assert!(station.rates.is_sorted_by_key(|r| r.rate_bps));
        several += usize::from(station.rates.len() > 1);
    }
    assert!(several > 0);
}

#[test]
fn categories_add_up_to_the_station() {
    let flows = datagrams("sta0", "20 Mb/s", "access_category = \"voice\"")
        + &datagrams("sta0", "20 Mb/s", "access_category = \"background\"")
        + &datagrams("sta1", "20 Mb/s", "");
    let run = cell(2, "rate = \"24 Mb/s\"\nmac.access = \"edca\"", &flows);
    let [ap, both, one] = run.cells[0].stations.as_slice() else { panic!() };
    assert!(ap.categories.is_empty());
    assert_eq!(one.categories.len(), 1);
    assert_eq!(one.categories[0].attempts_mean, one.attempts_mean);
    assert_eq!(one.categories[0].latency_mean_s, one.latency_mean_s);
    let [background, voice] = both.categories.as_slice() else { panic!() };
    assert_eq!((background.category.as_str(), voice.category.as_str()), ("background", "voice"));
    assert!(voice.sent > 10 * background.sent);
    assert!(background.queue_delay_mean_s > voice.queue_delay_mean_s);
    assert_eq!(background.sent + voice.sent, both.frames["data"].sent);
    assert_eq!(background.retry_drops + voice.retry_drops, both.retry_drops);
    assert_eq!(background.queue_drops + voice.queue_drops, both.queue_drops);
    let airtime = background.airtime_share + voice.airtime_share;
    assert!((airtime - both.frames["data"].airtime_share).abs() < 1e-12);
    let packets = background.mean_queue_packets + voice.mean_queue_packets;
    assert!((packets - both.mean_queue_packets).abs() < 1e-9);
}

/// With queues of one packet, saturated stations send as much as with long queues, the excess is dropped, and
/// TCP works. Queues of 0 packets are refused.
#[test]
fn queues_of_one_packet() {
    let keys = |packets: u32| {
        format!("rate = \"54 Mb/s\"\nqueue = {{ kind = \"drop-tail\", packets = {packets} }}")
    };
    let of = |packets| cell(3, &keys(packets), &datagrams("sta*", "30 Mb/s", "count = 3"));
    let (one, many) = (of(1), of(100));
    let bits = |run: &Replication| run.flows.iter().map(|f| f.goodput_bps).sum::<f64>();
    assert!((bits(&one) / bits(&many) - 1.0).abs() < 0.02, "{} {}", bits(&one), bits(&many));
    for station in &one.cells[0].stations[1..] {
        assert!(station.queue_drops > 1000 && station.mean_queue_packets <= 1.0);
    }
    let tcp = cell(3, &keys(1), TCP);
    assert!(tcp.flows.iter().all(|flow| flow.goodput_bps > 1e6));
    let text = format!("[[cells]]\nlayout = {{ kind = \"star\", stations = 1 }}\n{}", keys(0));
    let flow = datagrams("sta0", "1 Mb/s", "");
    let plan = crate::common::plan(&format!("{text}\n{flow}"));
    let refused = airtcp_sim::prepare(&plan, &crate::common::no_traces).unwrap_err();
    assert!(refused.to_string().contains("packets"), "{refused}");
}
