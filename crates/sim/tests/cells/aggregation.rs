//! Cells with aggregation in whole runs: throughput in closed form, airtime fairness, TCP, conservation, and
//! the same bits with any number of workers.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use crate::common::{no_traces, plan, run_first, run_with};
use airtcp_scenario::read;
use airtcp_sim::results::Replication;
use airtcp_sim::run;
use airtcp_wifi::phy::{GuardInterval, Mode, Standard, Timing, TimingConfig, Width};

/// A cell of 802.11ac of 80 MHz: `keys` are those of the cell, `flows` the flows.
fn cell(keys: &str, flows: &str) -> String {
    format!(
        r#"
        duration = "2 s"
        warmup = "500 ms"
        [[cells]]
        standard = "802.11ac"
        {keys}
        {flows}
    "#
    )
}

fn udp(from: &str, to: &str, count: u32) -> String {
    format!(
        "[[flows]]\ncount = {count}\nfrom = \"{from}\"\nto = \"{to}\"\ntransport = \"udp\"\n\
         app = {{ kind = \"constant-rate\", rate = \"900 Mb/s\", message = \"1472 B\" }}"
    )
}

fn star(stations: u32) -> String {
    format!("layout = {{ kind = \"star\", stations = {stations}, radius_m = 2 }}")
}

fn goodputs(run: &Replication) -> Vec<f64> {
    run.flows.iter().map(|flow| flow.goodput_bps / 1e6).collect()
}

/// Goodput in Mb/s of one saturated sender of aggregates of `n` datagrams.
fn closed_form(mcs: u8, n: u32) -> f64 {
    let timing = Timing::new(Standard::Ac, &TimingConfig::default()).unwrap();
    let format = Standard::Ac.format();
    let mode = Mode::mcs(format, mcs, 1, Width::Mhz80, GuardInterval::Ns400).unwrap();
    let mpdu = 1_500 + 38;
    let psdu = (n - 1) * (mpdu + 4_u32).next_multiple_of(4) + mpdu + 4;
    let answer = timing.frame(timing.answer_mode(mode), 32);
    let air = timing.difs() + timing.frame(mode, psdu) + timing.sifs + answer;
    f64::from(n) * 1_472.0 * 8e3 / (air.0 as f64 + 7.5 * timing.slot.0 as f64)
}

#[test]
fn one_saturated_station_is_a_sum_of_times() {
    for (mcs, limit, n) in [(9, 64, 64), (9, 8, 8), (0, 64, 14), (5, 2, 2)] {
        let keys = format!("{}\nmcs = {mcs}\nmac.aggregation.max_mpdus = {limit}", star(1));
        let run = run_first(&cell(&keys, &udp("sta0", "ap", 1)));
        let (found, expected) = (goodputs(&run)[0], closed_form(mcs, n));
        assert!((found / expected - 1.0).abs() < 0.01, "MCS {mcs}, {limit}: {found} {expected}");
        let mean = run.cells[0].stations[1].aggregate_mean_mpdus.unwrap();
        assert!((mean / f64::from(n) - 1.0).abs() < 0.01, "{mean}");
    }
}

/// The access point sends aggregates to several stations from its per-station queues, with equal airtime: each of
/// two stations, of which one has short packets or a low rate, gets half of what it would get alone.
#[test]
fn aggregates_share_airtime() {
    for (bytes, mcs) in [([1472, 400], [5, 5]), ([1472, 1472], [9, 0])] {
        let stations = format!("stations = [{{ name = \"sta1\", mcs = {} }}]", mcs[1]);
        let queue = "access_point_queue = { kind = \"airtime-fair\" }";
        let keys = format!("{}\nmcs = {}\n{stations}\n{queue}", star(2), mcs[0]);
        let flow = |i: usize| {
            udp("ap", &format!("sta{i}"), 1).replace("1472 B", &format!("{} B", bytes[i]))
        };
        let both = goodputs(&run_first(&cell(&keys, &format!("{}\n{}", flow(0), flow(1)))));
        for (i, shared) in both.iter().enumerate() {
            let alone = goodputs(&run_first(&cell(&keys, &flow(i))))[0];
            assert!((shared / alone - 0.5).abs() < 0.03, "{bytes:?} {mcs:?}: {shared} {alone}");
        }
    }
}

/// MPDUs to send again wait for the turn of their station: a station that loses none of its MPDUs gets half of the
/// airtime, and the same goodput, however many its neighbour loses. Round robin over stations leaves the turn to the
/// neighbour until all of its MPDUs have arrived. 10.5 m: a quarter is lost; 11 m: most are.
#[test]
fn a_station_with_losses_gets_no_more_airtime() {
    let flows = format!("{}\n{}", udp("ap", "sta0", 1), udp("ap", "sta1", 1));
    let run = |distance: f64, queue: &str| {
        let keys = format!(
            "layout = {{ kind = \"positions\", stations = [[2, 0], [{distance}, 0]] }}\n\
             propagation.path_loss = {{ model = \"log-distance\", exponent = 3.5, reference_loss_db = 46.67 }}\n\
             mcs = 7\naccess_point_queue = {{ kind = \"{queue}\" }}"
        );
        let run = run_first(&cell(&keys, &flows));
        assert!(run.conservation.ok);
        let [_, clean, lossy] = &run.cells[0].stations[..] else { panic!("three stations") };
        (goodputs(&run), lossy.airtime_received_share / clean.airtime_received_share)
    };
    let alone = run(6.0, "airtime-fair").0[0];
    for (distance, lossy_gets) in [(10.5, 0.6..0.9), (11.0, 0.05..0.3)] {
        let (got, airtime) = run(distance, "airtime-fair");
        assert!((airtime - 1.0).abs() < 0.04, "{distance}: {airtime}");
        assert!((got[0] / alone - 1.0).abs() < 0.04, "{distance}: {got:?} {alone}");
        assert!(lossy_gets.contains(&(got[1] / got[0])), "{distance}: {got:?}");
        let (_, airtime) = run(distance, "per-station");
        assert!(airtime > 3.0, "{distance}: {airtime}");
    }
}

/// TCP in both directions over a lossy cell: conservation holds ([`run_with`]), retransmission of MPDUs hides
/// the losses, and the bits do not depend on the number of workers.
#[test]
fn tcp_over_lost_mpdus() {
    let flow = |from: &str, to: &str| {
        format!("[[flows]]\nfrom = \"{from}\"\nto = \"{to}\"\napp = {{ kind = \"bulk\" }}")
    };
    let flows = format!("{}\n{}", flow("sta0", "ap"), flow("ap", "sta1"));
    for policy in ["retransmit", "bar", "no-bar"] {
        let keys = format!(
            "{}\nmcs = 7\nresidual_error = 0.1\nmac.aggregation.after_missed_block_ack = \"{policy}\"",
            star(3)
        );
        let text = format!("replications = 3\n{}", cell(&keys, &flows));
        let (one, three) = (run_with(&text, 1), run_with(&text, 3));
        for (a, b) in one.replications.iter().zip(&three.replications) {
            assert_eq!(goodputs(a), goodputs(b));
            assert_eq!(a.fingerprint, b.fingerprint);
        }
        let sum: f64 = goodputs(&one.replications[0]).iter().sum();
        assert!(sum > 100.0, "{policy}: {sum}");
    }
}

/// What needs single frames is refused with the key, and with the way out.
#[test]
fn what_does_not_go_with_aggregates_is_refused() {
    let off = "mac.aggregation.max_mpdus = 1";
    for (keys, path, expected) in [
        ("mac.aggregation.max_mpdus = 65", "mac.aggregation.max_mpdus", "expected 1 to 64"),
        ("mac.aggregation.max_bytes = \"2 MB\"", "mac.aggregation.max_bytes", "4096 to 1048575 B"),
        ("mac.aggregation.max_time = \"6 ms\"", "mac.aggregation.max_time", "100 us to 5484 us"),
        ("mac.aggregation.reorder_timeout = \"0 s\"", "reorder_timeout", "expected 1 ms"),
        ("mac.fragmentation_threshold = \"500 B\"", "mac.fragmentation_threshold", off),
        ("mac.ablation.ack_oracle = true", "mac.ablation.ack_oracle", off),
        ("schemes = [{ scheme = \"link-red\" }]", "mac.aggregation", off),
        ("schemes = [{ scheme = \"dcf+\" }]", "mac.aggregation", off),
    ] {
        let text = cell(&format!("{}\n{keys}", star(1)), &udp("sta0", "ap", 1));
        let refused = match read(&text, "test", &[]) {
            Err(e) => e.to_string(),
            Ok(scenario) => scenario.resolve().map(|_| ()).unwrap_err().to_string(),
        };
        assert!(refused.contains(path) && refused.contains(expected), "{keys}: {refused}");
    }
    // A-MSDU alone, and both.
    let both = "max_mpdus = 1 and mac.aggregation.max_amsdu_bytes = 0";
    let alone = "switch A-MSDU off with mac.aggregation.max_amsdu_bytes = 0";
    for (mpdus, off) in [(1, alone), (2, both)] {
        for keys in [
            "mac.fragmentation_threshold = \"500 B\"",
            "mac.ablation.ack_oracle = true",
            "schemes = [{ scheme = \"link-red\" }]",
            "schemes = [{ scheme = \"dcf+\" }]",
        ] {
            let amsdu =
                format!("mac.aggregation = {{ max_mpdus = {mpdus}, max_amsdu_bytes = \"4 kB\" }}");
            let text = cell(&format!("{}\n{amsdu}\n{keys}", star(1)), &udp("sta0", "ap", 1));
            let refused = read(&text, "test", &[]).unwrap().resolve().map(|_| ()).unwrap_err();
            assert!(refused.to_string().contains(off), "{keys}: {refused}");
        }
    }
    let old = cell(&format!("{}\nmac.aggregation = {{}}", star(1)), &udp("sta0", "ap", 1));
    let refused = read(&old.replace("802.11ac", "802.11a"), "test", &[]).unwrap().resolve();
    let refused = refused.map(|_| ()).unwrap_err().to_string();
    assert!(refused.contains("needs 802.11n, ac or ax"), "{refused}");
    let agent = cell(&format!("{}\nschemes = [{{ scheme = \"ack-agent\" }}]", star(2)), "")
        + "[[flows]]\nfrom = \"sta0\"\nto = \"sta1\"\n";
    let refused = run(&plan(&agent), &no_traces, Some(1), |_, _| true).map(|_| ());
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("schemes") && refused.contains(off), "{refused}");
}

/// A receiver that waits 1 ms for a missing packet discards it when it comes later. These packets are counted
/// apart from those without a successful attempt.
#[test]
fn packets_that_come_too_late_are_counted_apart() {
    let keys = format!(
        "{}\nmcs = 0\nresidual_error = 0.3\nmac.aggregation = {{ max_mpdus = 8, reorder_timeout = \"1 ms\" }}",
        star(1)
    );
    let run = run_first(&cell(&keys, &udp("sta0", "ap", 1)));
    assert!(run.conservation.ok);
    let station = run.cells[0].stations.iter().find(|station| station.name == "sta0").unwrap();
    let late = station.reorder_drops.unwrap();
    assert!(late > 400 && station.retry_drops < 20, "{late} {}", station.retry_drops);
    let by = |reason: &str| -> u64 {
        run.drops.iter().filter(|drop| drop.reason == reason).map(|drop| drop.packets).sum()
    };
    assert_eq!((by("duplicate"), by("retry_limit")), (late, station.retry_drops));
    // Three of ten MPDUs come again, after at least 1 ms. Those with no later one before them are in time.
    let share = station.residual_loss.unwrap();
    assert!((0.2..0.3).contains(&share), "{share}");
}

/// The default queue holds enough packets for the longest aggregates: 1000 at all stations of the newer standards,
/// 100 at those of the older ones.
#[test]
fn the_default_queue_fills_aggregates() {
    let mean = |keys: &str, rate: &str| {
        let flows = format!(
            "[[flows]]\nfrom = \"ap\"\nto = \"sta0\"\ntransport = \"udp\"\n\
             app = {{ kind = \"constant-rate\", rate = \"{rate}\", message = \"1472 B\" }}"
        );
        let cell = cell(&format!("{}\n{keys}", star(1)), &flows);
        let run = run_first(&cell.replace("802.11ac", "802.11ax"));
        let ap = run.cells[0].stations[0].clone();
        (ap.aggregate_mean_mpdus.unwrap_or(1.0), ap.mean_queue_packets)
    };
    let fast = "streams = 4\nmcs = 11\nwidth = \"160 MHz\"";
    let (mpdus, _) = mean(fast, "4 Gb/s");
    assert!(mpdus > 255.0, "{mpdus}");
    let (mpdus, _) =
        mean(&format!("{fast}\nqueue = {{ kind = \"drop-tail\", packets = 100 }}"), "4 Gb/s");
    assert!((100.0..=101.0).contains(&mpdus), "{mpdus}");
    // A rate above the capacity keeps the queue full.
    for (keys, packets) in [
        ("mcs = 0", 1000.0),
        ("mcs = 0\nqueue.kind = \"ack-filter\"", 1000.0),
        ("mcs = 0\nqueue = { kind = \"drop-tail\", packets = 50 }", 50.0),
        ("mcs = 0\naccess_point_queue = { kind = \"drop-tail\", packets = 70 }", 70.0),
    ] {
        let (_, found) = mean(keys, "900 Mb/s");
        assert!(found <= packets && found > 0.9 * packets - 5.0, "{keys}: {found}");
    }
    let old = "[[flows]]\nfrom = \"ap\"\nto = \"sta0\"\ntransport = \"udp\"\n\
               app = { kind = \"constant-rate\", rate = \"90 Mb/s\", message = \"1472 B\" }";
    let run = run_first(&cell(&star(1), old).replace("802.11ac", "802.11a"));
    assert!(run.cells[0].stations[0].mean_queue_packets <= 100.0);
}

/// Goodput in Mb/s of one saturated sender of aggregates of `n` MPDUs with `k` datagrams each: a subframe of an
/// A-MSDU has 14 + 8 + 1500 = 1522 bytes, padded to 1524.
fn closed_form_amsdu(mcs: u8, n: u32, k: u32) -> f64 {
    let timing = Timing::new(Standard::Ac, &TimingConfig::default()).unwrap();
    let format = Standard::Ac.format();
    let mode = Mode::mcs(format, mcs, 1, Width::Mhz80, GuardInterval::Ns400).unwrap();
    let mpdu = 30 + (k - 1) * 1_524 + 1_522;
    let psdu = (n - 1) * (mpdu + 4_u32).next_multiple_of(4) + mpdu + 4;
    let answer = match n {
        1 => timing.ack(mode),
        _ => timing.frame(timing.answer_mode(mode), 32),
    };
    let air = timing.difs() + timing.frame(mode, psdu) + timing.sifs + answer;
    f64::from(n * k) * 1_472.0 * 8e3 / (air.0 as f64 + 7.5 * timing.slot.0 as f64)
}

#[test]
fn one_station_with_several_packets_in_each_mpdu_is_a_sum_of_times() {
    for (mcs, mpdus, bytes, k) in
        [(9, 16, 7_935, 5), (9, 2, 4_000, 2), (5, 4, 11_424, 7), (9, 1, 7_935, 5)]
    {
        let keys = format!(
            "{}\nmcs = {mcs}\nmac.aggregation = {{ max_mpdus = {mpdus}, max_amsdu_bytes = \"{bytes} B\" }}",
            star(1)
        );
        let run = run_first(&cell(&keys, &udp("sta0", "ap", 1)));
        assert!(run.conservation.ok);
        let (found, expected) = (goodputs(&run)[0], closed_form_amsdu(mcs, mpdus, k));
        assert!((found / expected - 1.0).abs() < 0.01, "MCS {mcs}, {mpdus}: {found} {expected}");
    }
}

/// Packets of several flows share MPDUs, losses included: every packet is accounted for, TCP gets nearly what it
/// gets without losses, and short packets gain the most.
#[test]
fn flows_share_mpdus() {
    let keys = |loss: f64, bytes: u32| {
        format!(
            "{}\nmcs = 5\nresidual_error = {loss}\n\
             mac.aggregation = {{ max_amsdu_bytes = \"{bytes} B\" }}",
            star(1)
        )
    };
    let short = "[[flows]]\ncount = 2\nfrom = \"ap\"\nto = \"sta0\"\ntransport = \"udp\"\n\
                 app = { kind = \"constant-rate\", rate = \"200 Mb/s\", message = \"100 B\" }";
    let rates: Vec<f64> = [0, 7_935]
        .map(|bytes| {
            let run = run_first(&cell(&keys(0.1, bytes), short));
            assert!(run.conservation.ok);
            goodputs(&run).iter().sum()
        })
        .into();
    // A subframe takes 152 bytes for 100, at 260 Mb/s: 154 Mb/s with a tenth lost.
    assert!(rates[1] > 2.0 * rates[0] && (140.0..154.0).contains(&rates[1]), "{rates:?}");
    let both = "[[flows]]\ncount = 2\nfrom = \"ap\"\nto = \"sta0\"\n\
                [[flows]]\nfrom = \"sta0\"\nto = \"ap\"\n";
    let runs = [0.0, 0.05].map(|loss| run_first(&cell(&keys(loss, 7_935), both)));
    assert!(runs.iter().all(|run| run.conservation.ok));
    let rates = runs.map(|run| goodputs(&run).iter().sum::<f64>());
    assert!(rates[1] > 0.85 * rates[0], "{rates:?}");
}

/// A request of a station that uploads waits behind the packets below the queue discipline, which FQ-CoDel cannot
/// reorder: their number over the packets that the station sends per second, and no more.
#[test]
fn a_hardware_queue_delays_what_the_discipline_prefers() {
    let request = "[[flows]]\nfrom = \"sta0\"\nto = \"ap\"\napp = { kind = \"request-response\", \
                   request = \"200 B\", response = \"200 B\", think = \"7 ms\" }";
    let run = |packets: u32| {
        let keys = format!(
            "{}\nmcs = 5\nqueue.kind = \"fq-codel\"\nmac.hardware_queue = {packets}",
            star(1)
        );
        let flows = format!("{}\n{request}", udp("sta0", "ap", 1));
        let run = run_first(&cell(&keys, &flows));
        assert!(run.conservation.ok);
        let found = goodputs(&run)[0] * 1e6 / (1_472.0 * 8.0);
        (run.flows[1].exchange_p50_s.unwrap(), found)
    };
    let (alone, _) = run(0);
    for packets in [640, 1_280] {
        let (median, rate) = run(packets);
        let expected = f64::from(packets) / rate;
        // The wait is a number of aggregates of 64 packets.
        let error = (median - alone) / expected - 1.0;
        assert!(error.abs() < 0.05, "{packets}: {median} {alone} {expected}");
    }
}

/// A BlockAckReq follows MPDUs that are given up. When it has ended, the next packets go out, also if no new packet
/// arrives.
#[test]
fn packets_do_not_wait_after_a_block_ack_request() {
    let flow = "[[flows]]\nfrom = \"sta0\"\nto = \"ap\"\ntransport = \"udp\"\n\
        app = { kind = \"constant-rate\", rate = \"400 Mb/s\", message = \"1472 B\", stop = \"20 ms\" }";
    let (mut given_up, mut stuck) = (0, 0);
    for seed in 0..20 {
        let keys = format!(
            "{}\nresidual_error = 0.4\nmac.attempts = 4\nmac.aggregation.max_mpdus = 4",
            star(1)
        );
        let text = cell(&keys, flow).replace("500 ms", "0 s");
        let run = run_first(&format!("seed = {seed}\n{text}"));
        given_up += run.cells[0].stations[1].retry_drops;
        stuck += run.conservation.in_flight;
    }
    assert!(given_up > 100, "{given_up} packets given up");
    assert_eq!(stuck, 0, "packets still in the queue");
}
