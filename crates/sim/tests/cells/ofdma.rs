//! Cells with OFDMA in whole runs: goodput in closed form, conservation, the same bits with any number of workers, and
//! refusals.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use crate::common::{no_traces, plan, run_first, run_with};
use airtcp_scenario::read;
use airtcp_sim::results::{Replication, StationResult};
use airtcp_sim::run;
use airtcp_wifi::phy::{
    Format, GuardInterval, Mode, MuFormat, MuPpdu, Standard, Timing, TimingConfig, Width, equal_rus,
};

/// A cell of 802.11ax of 20 MHz with `stations`: `keys` are those of the cell, `flows` the flows.
fn cell(stations: u32, keys: &str, flows: &str) -> String {
    format!(
        r#"
        duration = "3 s"
        warmup = "500 ms"
        [[cells]]
        standard = "802.11ax"
        width = "20 MHz"
        layout = {{ kind = "star", stations = {stations}, radius_m = 2 }}
        access_point_queue.kind = "airtime-fair"
        {keys}
        {flows}
    "#
    )
}

fn udp(from: &str, to: &str, count: u32, app: &str) -> String {
    format!(
        "[[flows]]\ncount = {count}\nfrom = \"{from}\"\nto = \"{to}\"\ntransport = \"udp\"\n\
         app = {{ kind = \"constant-rate\", {app} }}\n"
    )
}

const SATURATED: &str = "rate = \"40 Mb/s\", message = \"1472 B\"";

fn station<'a>(run: &'a Replication, name: &str) -> &'a StationResult {
    run.cells[0].stations.iter().find(|s| s.name == name).unwrap()
}

fn goodput_mbps(run: &Replication) -> f64 {
    run.flows.iter().map(|flow| flow.goodput_bps / 1e6).sum()
}

/// Saturated downloads: DIFS, 7.5 slots, an HE MU PPDU for `n` stations, SIFS and their BlockAcks. Every discipline with
/// queues per station has them.
#[test]
fn downloads_have_a_closed_form() {
    let (n, mcs) = (4, 5);
    let keys = format!("mcs = {mcs}\nmac.ofdma.uplink = false\nmac.aggregation.max_mpdus = 16");
    let text = cell(n, &keys, &udp("ap", "sta*", n, SATURATED));
    let timing = Timing::new(Standard::Ax, &TimingConfig::default()).unwrap();
    let (ru, served) = equal_rus(Width::Mhz20, n as usize);
    let mode = Mode::mcs(Format::He, mcs, 1, Width::Mhz20, GuardInterval::Ns800).unwrap();
    let data = mode.in_ru(ru).unwrap();
    let mpdu = 1_500 + 38;
    let psdu = |k: u32| (k - 1) * (mpdu + 4_u32).next_multiple_of(4) + mpdu + 4;
    let longest =
        MuPpdu::longest(MuFormat::Mu, &vec![data; served], airtcp_wifi::phy::MAX_TIME).unwrap();
    let k = (1..=16).rfind(|k| psdu(*k) <= longest.bytes(data)).unwrap();
    let ppdu = MuPpdu::new(MuFormat::Mu, &vec![(data, psdu(k)); served]).unwrap();
    let robust = Mode::mcs(Format::He, 3, 1, Width::Mhz20, GuardInterval::Ns1600).unwrap();
    let answers =
        MuPpdu::new(MuFormat::Tb, &vec![(robust.in_ru(ru).unwrap(), 32); served]).unwrap();
    let air = timing.difs() + ppdu.duration() + timing.sifs + answers.duration();
    let cycle = air.0 as f64 + 7.5 * timing.slot.0 as f64;
    let expected = f64::from(k) * served as f64 * 1_472.0 * 8e3 / cycle;
    for kind in ["airtime-fair", "fq-codel", "per-station"] {
        let run = run_first(&text.replace("airtime-fair", kind));
        let found = goodput_mbps(&run);
        assert!((found / expected - 1.0).abs() < 0.01, "{kind}: {found} {expected}");
        let shares: Vec<f64> = run.flows.iter().map(|f| f.goodput_bps / 1e6 / found).collect();
        assert!(shares.iter().all(|share| (share * f64::from(n) - 1.0).abs() < 0.02), "{shares:?}");
        assert!(station(&run, "ap").mu_frames.unwrap() > 300);
    }
}

/// Small packets to and from many stations at a load that single-user operation just does not carry: with OFDMA all
/// arrive, those of the access point wait less than half as long, and those of stations come in triggered PPDUs.
#[test]
fn small_packets_wait_less() {
    let n = 16;
    let small = "rate = \"640 kb/s\", message = \"100 B\"";
    let flows = format!("{}{}", udp("ap", "sta*", n, small), udp("sta*", "ap", n, small));
    let of = |keys: &str| {
        let run = run_first(&cell(n, &format!("mcs = 7\n{keys}"), &flows));
        let delay = |name: &str| station(&run, name).queue_delay_mean_s.unwrap();
        (goodput_mbps(&run), delay("ap"), delay("sta0"), run)
    };
    let (with, down, up, run) = of("mac.ofdma.mu_edca = {}");
    let (without, down_without, up_without, plain) = of("");
    let offered = 2.0 * f64::from(n) * 0.64;
    assert!((with / offered - 1.0).abs() < 0.03, "{with} {offered}");
    let all = format!("{with} {without}: {down} {down_without}, {up} {up_without}");
    assert!(down < 0.5 * down_without && with > without, "{all}");
    let triggered = |s: &StationResult| s.mu_frames.unwrap_or_default();
    let responses: u64 = (0..n).map(|i| triggered(station(&run, &format!("sta{i}")))).sum();
    assert!(responses > 0, "{responses}");
    assert!(station(&run, "ap").frames.contains_key("trigger"));
    assert!(plain.cells[0].stations.iter().all(|s| s.mu_frames.is_none()));
}

/// Airtime of all stations together is at most the time, though several transmit at once.
#[test]
fn airtime_of_a_group_counts_once() {
    // Without collisions, whose frames count each.
    let keys = "mcs = 7\nmac.ofdma.mu_edca.timer = \"2088960 us\"";
    let flows = format!("{}{}", udp("ap", "sta*", 8, SATURATED), udp("sta*", "ap", 8, SATURATED));
    let run = run_first(&cell(8, keys, &flows));
    let busy: f64 = run.cells[0].stations.iter().map(|s| s.airtime_share).sum();
    assert!((0.8..1.0).contains(&busy), "{busy}");
}

/// TCP in both directions, lossy, with a station of 802.11ac, a lifetime and EDCA: packets are conserved, and the
/// results do not depend on the number of workers.
#[test]
fn runs_repeat_and_conserve() {
    let flows = "[[flows]]\ncount = 5\nfrom = \"ap\"\nto = \"sta*\"\n\
                 [[flows]]\ncount = 5\nfrom = \"sta*\"\nto = \"ap\"\naccess_category = \"background\"\n";
    for ofdma in [
        "mac.ofdma = {}",
        "mac.ofdma = { scheduler = \"proportional\", max_stations = 3, mu_edca = { aifsn = 7 } }",
        "mac.ofdma = { downlink = false }",
    ] {
        let keys = format!(
            "rate_control.control = \"minstrel\"\nresidual_error = \"10 %\"\nmac.access = \"edca\"\n\
             mac.lifetime = \"200 ms\"\nstations = [{{ name = \"sta3\", standard = \"802.11ac\" }}]\n{ofdma}"
        );
        let text = format!("replications = 2\n{}", cell(5, &keys, flows));
        let one = run_with(&text, 1);
        let two = run(&plan(&text), &no_traces, Some(2), |_, _| true).unwrap();
        assert_eq!(one.replications, two.replications, "{ofdma}");
        let (down, up) = one.replications[0].flows.split_at(5);
        let down: Vec<f64> = down.iter().map(|f| f.goodput_bps).collect();
        // A flow in background can wait for a retransmission timeout nearly all the time, also without OFDMA.
        assert!(up.iter().map(|f| f.goodput_bps).sum::<f64>() > 1e5, "{ofdma} {up:?}");
        let ap = &station(&one.replications[0], "ap").categories;
        assert!(down.iter().all(|goodput| *goodput > 1e4), "{ofdma} {down:?} {ap:#?}");
    }
}

/// MPDUs that expire while they wait for a retransmission are dropped, and packets are conserved.
#[test]
fn waiting_mpdus_that_expire_are_dropped() {
    let keys = "mcs = 5\nmac.ofdma.uplink = false\nmac.lifetime = \"20 ms\"\nresidual_error = 0.3";
    let text = cell(4, keys, &udp("ap", "sta*", 4, SATURATED));
    let text = format!("replications = 4\n{}", text.replace("\"3 s\"", "\"1500 ms\""));
    // Checks the conservation of each replication.
    let runs = run_with(&text, 1).replications;
    let drops = |run: &Replication| station(run, "ap").lifetime_drops;
    assert!(runs.len() == 4 && runs.iter().all(|run| drops(run) > 500));
}

/// The ideal rate control learns the SNR from BlockAcks in resource units and from triggered data: near the access point
/// both directions have the goodput of the fastest scheme.
#[test]
fn ideal_rates_follow_the_snr_of_resource_units() {
    for (ofdma, from, to) in [
        ("mac.ofdma.uplink = false", "ap", "sta*"),
        ("mac.ofdma = { downlink = false, mu_edca = { timer = \"2088960 us\" } }", "sta*", "ap"),
    ] {
        let of = |rate: &str| {
            goodput_mbps(&run_first(&cell(
                4,
                &format!("{rate}\n{ofdma}"),
                &udp(from, to, 4, SATURATED),
            )))
        };
        let (fastest, ideal) = (of("mcs = 11"), of("rate_control.control = \"ideal\""));
        assert!(ideal > 0.97 * fastest, "{from} {ideal} {fastest}");
    }
}

/// Two saturated stations of 802.11ax do not keep a station of 802.11ac from its packets.
#[test]
fn older_stations_are_served_beside_saturated_ones() {
    let keys = "mcs = 7\nmac.ofdma.uplink = false\n\
                stations = [{ name = \"sta2\", standard = \"802.11ac\" }]";
    let little = "rate = \"1 Mb/s\", message = \"1472 B\"";
    let flows = format!("{}{}", udp("ap", "sta*", 2, SATURATED), udp("ap", "sta2", 1, little));
    let run = run_first(&cell(3, keys, &flows));
    let goodput: Vec<f64> = run.flows.iter().map(|flow| flow.goodput_bps / 1e6).collect();
    assert!((goodput[2] - 1.0).abs() < 0.03, "{goodput:?}");
    assert!(goodput[0] > 10.0 && goodput[1] > 10.0, "{goodput:?}");
}

/// A-MSDU does not hold for multi-user PPDUs, which a warning says.
#[test]
fn a_warning_names_amsdu() {
    let flow = udp("ap", "sta0", 1, SATURATED);
    let of = |keys: &str| airtcp_sim::warnings(&plan(&cell(2, keys, &flow)));
    let amsdu = "mac.aggregation.max_amsdu_bytes = \"4000 B\"";
    let both = of(&format!("{amsdu}\nmac.ofdma = {{}}"));
    assert_eq!(both.len(), 1, "{both:?}");
    let said = "cells[0]: mac.aggregation.max_amsdu_bytes has no effect on HE MU PPDUs and on triggered PPDUs";
    assert!(both[0].starts_with(said), "{both:?}");
    assert!(
        of(&format!("{amsdu}\nmac.ofdma.uplink = false"))[0].contains("on HE MU PPDUs (mac.ofdma)")
    );
    assert!(of(amsdu).is_empty() && of("mac.ofdma = {}").is_empty());
}

#[test]
fn what_ofdma_needs_is_named() {
    let refused = |text: &str| {
        let plan = read(text, "test", &[]).and_then(|s| s.resolve());
        plan.unwrap_err().to_string()
    };
    let flow = udp("ap", "sta0", 1, SATURATED);
    let text = cell(2, "mac.ofdma = {}", &flow);
    let queue = refused(&text.replace("airtime-fair", "drop-tail"));
    assert!(queue.contains("cells[0].mac.ofdma"), "{queue}");
    assert!(queue.contains("set access_point_queue.kind = \"airtime-fair\""), "{queue}");
    let old = refused(&text.replace("802.11ax", "802.11ac"));
    assert!(old.contains("needs 802.11ax"), "{old}");
    let single = refused(&cell(2, "mac.ofdma = {}\nmac.aggregation.max_mpdus = 1", &flow));
    assert!(single.contains("needs A-MPDU"), "{single}");
    let none = refused(&cell(2, "mac.ofdma = { downlink = false, uplink = false }", &flow));
    assert!(none.contains("neither downlink nor uplink"), "{none}");
    let timer = refused(&cell(2, "mac.ofdma.mu_edca.timer = \"10 ms\"", &flow));
    assert!(timer.contains("mac.ofdma.mu_edca.timer"), "{timer}");
}

/// A multi-user PPDU has no room for a packet, so each receiver is served alone: also the one behind a receiver that has
/// packets in the queue only.
#[test]
fn transmission_opportunities_too_short_for_several_users() {
    let flow = |to: &str, start: &str| {
        format!(
            "[[flows]]\nfrom = \"ap\"\nto = \"{to}\"\ntransport = \"udp\"\n\
             app = {{ kind = \"constant-rate\", rate = \"5 Mb/s\", message = \"1472 B\", \
             start = \"{start}\", stop = \"50 ms\" }}\n"
        )
    };
    for seed in 0..8 {
        let run = run_first(&format!(
            "duration = \"500 ms\"\nwarmup = \"0 s\"\nseed = {seed}\n\
             [[cells]]\nstandard = \"802.11ax\"\nwidth = \"20 MHz\"\nmcs = 0\n\
             layout = {{ kind = \"star\", stations = 2, radius_m = 2 }}\n\
             access_point_queue.kind = \"airtime-fair\"\n\
             mac = {{ access = \"edca\", ofdma.uplink = false, edca.best_effort.txop_limit = \"1 ms\" }}\n{}{}",
            flow("sta1", "0 s"),
            flow("sta0", "1 ms")
        ));
        assert_eq!(run.conservation.in_flight, 0, "seed {seed}");
    }
}
