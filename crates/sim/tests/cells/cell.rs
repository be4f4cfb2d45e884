//! TCP in an 802.11 cell, from the scenario to the results.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use crate::common::run_first;

const STAR: &str = r#"
duration = "12 s"
warmup = "2 s"
[[cells]]
layout = { kind = "star", stations = 6, radius_m = 5 }
propagation.path_loss = { model = "log-distance", exponent = 3.5, reference_loss_db = 46.67 }
noise.floor_dbm = -99
timing.ack_rate.fixed = "6 Mb/s"
residual_error = "1 %"
[[flows]]
count = 6
from = "sta*"
to = "ap"
tcp = { profile = "s0", mss = 536 }
"#;

/// Six uploads collide about as often as six saturated stations, and the causes of loss add up.
#[test]
fn six_uploads_in_a_star() {
    let run = run_first(STAR);
    assert!(run.conservation.ok, "{:?}", run.conservation);
    let cell = &run.cells[0];
    assert!(cell.busy_share > 0.5 && cell.busy_share < 1.0);
    let mut airtime = 0.0;
    for station in &cell.stations {
        for (class, frames) in &station.frames {
            let lost: u64 = frames.lost.values().sum();
            assert!(lost <= frames.sent, "{} {class}", station.name);
            airtime += frames.airtime_share;
        }
    }
    // Overlapping airtime counts for each frame.
    assert!(airtime > cell.busy_share && airtime < 1.2 * cell.busy_share, "{airtime}");
    let data: Vec<f64> = cell.stations[1..]
        .iter()
        .filter_map(|s| s.frames.get("data").filter(|f| f.sent > 1000))
        .map(|f| f.error_rate)
        .collect();
    assert!(data.len() >= 4 && data.iter().all(|e| (0.15..0.30).contains(e)), "{data:?}");
    assert!(run.total_goodput_bps > 10e6, "{}", run.total_goodput_bps);
}

/// One segment takes four transmissions in sequence without back-off (inventory 7.2). The goodput agrees
/// within 1 % for every data rate, ACK rate and policy of TCP acknowledgements.
#[test]
fn goodput_of_one_flow_is_that_of_its_four_transmissions() {
    let half = [4.89, 7.00, 8.90, 12.53, 15.61, 20.86, 24.75, 26.79];
    let basic = [4.89, 7.00, 9.07, 12.64, 15.78, 20.86, 24.75, 26.79];
    let delayed = [5.13, 7.42, 9.52, 13.57, 17.10, 23.31, 28.14, 30.66];
    for (ack_rate, ack_every, table) in
        [("half", 1, half), ("basic", 1, basic), ("half", 2, delayed)]
    {
        for (rate, expected) in [6, 9, 12, 18, 24, 36, 48, 54].into_iter().zip(table) {
            let run = run_first(&format!(
                "duration = \"6 s\"\nwarmup = \"1 s\"\n\
                 [[cells]]\nlayout = {{ kind = \"star\", stations = 1 }}\nrate = \"{rate} Mb/s\"\n\
                 timing.ack_rate = \"{ack_rate}\"\nmac = {{ cw_min = 0, cw_max = 0 }}\n\
                 [[flows]]\nfrom = \"sta0\"\nto = \"ap\"\n\
                 tcp = {{ profile = \"s0\", mss = 1460, max_window = {ack_every}, \
                 initial_window = {ack_every}, ack_every = {ack_every} }}\n"
            ));
            let goodput = run.flows[0].goodput_bps / 1e6;
            let off = goodput / expected - 1.0;
            assert!(off.abs() < 0.01, "{rate} Mb/s, {ack_rate}, {ack_every}: {goodput} {expected}");
        }
    }
}

/// An idle station changes no result.
#[test]
fn an_idle_station_changes_nothing() {
    let of = |stations: &str| {
        run_first(&format!(
            "duration = \"3 s\"\n[[cells]]\n\
             layout = {{ kind = \"positions\", stations = {stations} }}\n\
             [[flows]]\ncount = 2\nfrom = \"sta*\"\nto = \"ap\"\n"
        ))
    };
    let (two, three) = (of("[[5, 0], [0, 5]]"), of("[[5, 0], [0, 5], [3, 3]]"));
    assert_eq!(two.flows, three.flows);
    assert_eq!(two.cells[0].stations[..3], three.cells[0].stations[..3]);
    assert!(three.cells[0].stations[3].frames.is_empty());
}

/// A cell on another medium changes no result; the first cell is behind a wired link here.
#[test]
fn another_cell_changes_nothing() {
    let one = "duration = \"3 s\"\n\
        [[links]]\nfrom = \"ap\"\nto = \"server\"\nrate = \"100 Mb/s\"\ndelay = \"10 ms\"\n\
        [[cells]]\nlayout = { kind = \"star\", stations = 2 }\n\
        [[flows]]\ncount = 2\nfrom = \"server\"\nto = \"sta*\"\n";
    let two = "[[cells]]\nname = \"other\"\naccess_point = \"ap2\"\nprefix = \"x\"\n\
        layout = { kind = \"star\", stations = 2 }\n\
        [[flows]]\nname = \"beside\"\nfrom = \"x0\"\nto = \"ap2\"\n";
    let (alone, both) = (run_first(one), run_first(&format!("{one}{two}")));
    assert_eq!(alone.flows[..], both.flows[..2]);
    assert_eq!(alone.cells[0], both.cells[0]);
    assert!(both.flows[2].goodput_bps > 10e6);
}

/// Beacons are a frame class of the access point, and take airtime from other frames.
#[test]
fn beacons_are_counted_by_themselves() {
    let of = |beacons: &str| {
        run_first(&format!(
            "duration = \"11 s\"\nwarmup = \"1 s\"\n\
             [[cells]]\nlayout = {{ kind = \"star\", stations = 1 }}\n{beacons}\n\
             [[flows]]\nfrom = \"sta0\"\nto = \"ap\"\n"
        ))
    };
    let (without, with) = (of(""), of("mac.beacons = { interval = \"10.24 ms\" }"));
    assert!(!without.cells[0].stations[0].frames.contains_key("beacon"));
    let beacons = &with.cells[0].stations[0].frames["beacon"];
    assert!((976..=977).contains(&beacons.sent), "{}", beacons.sent);
    // 160 us of 10.24 ms, none lost, although some overlapped data frames.
    assert!((beacons.airtime_share / (0.160 / 10.24) - 1.0).abs() < 0.01);
    assert!(beacons.lost.is_empty() && beacons.error_rate.abs() < 1e-12);
    let cost = 1.0 - with.total_goodput_bps / without.total_goodput_bps;
    assert!((0.01..0.06).contains(&cost), "{cost}");
    assert!(of("mac.beacons = {}").cells[0].stations[0].frames["beacon"].sent.abs_diff(98) <= 1);
}

/// Stations that associate first: every packet is accounted for, and goodput after association differs
/// little.
#[test]
fn stations_associate_before_their_flows_begin() {
    let of = |association: &str| {
        run_first(&format!(
            "duration = \"6 s\"\n\
             [[cells]]\nlayout = {{ kind = \"star\", stations = 4 }}\nmac.beacons = {{}}\n{association}\n\
             [[links]]\nfrom = \"server\"\nto = \"ap\"\nrate = \"100 Mb/s\"\ndelay = \"1 ms\"\n\
             [[flows]]\ncount = 4\nfrom = \"sta*\"\nto = \"ap\"\ntransport = \"udp\"\n\
             app = {{ kind = \"constant-rate\", rate = \"1 Mb/s\" }}\n\
             [[flows]]\nname = \"down\"\nfrom = \"server\"\nto = \"sta0\"\n"
        ))
    };
    let (without, with) = (of(""), of("mac.association = {}"));
    for station in &with.cells[0].stations {
        let sent = |class: &str| station.frames.get(class).map_or(0, |f| f.sent);
        let answers = if station.name == "ap" { 4 } else { 1 };
        assert!(sent("authentication") >= answers, "{}", station.name);
        let last =
            if station.name == "ap" { "association_response" } else { "association_request" };
        assert!(sent(last) >= answers, "{}", station.name);
    }
    assert_eq!(with.cells[0].stations[0].refused_drops, 1);
    assert!(without.cells[0].stations.iter().all(|station| station.refused_drops == 0));
    // Uploads wait for the first beacon. The server's first segment finds no associated station, and
    // is retransmitted after one of the six seconds.
    assert!(with.flows[..4].iter().all(|f| (f.goodput_bps / 1e6 - 1.0).abs() < 0.02));
    let ratio = with.flows[4].goodput_bps / without.flows[4].goodput_bps;
    assert!((0.75..0.9).contains(&ratio), "{ratio}");
}

/// Voice has priority over best effort, and each category has its own queue.
#[test]
fn categories_have_queues_of_their_own() {
    let run = run_first(
        "duration = \"5 s\"\nwarmup = \"1 s\"\n\
         [[cells]]\nlayout = { kind = \"star\", stations = 2 }\nmac = { access = \"edca\" }\n\
         [[flows]]\nname = \"bulk\"\nfrom = \"sta0\"\nto = \"ap\"\n\
         [[flows]]\nname = \"voice\"\nfrom = \"sta0\"\nto = \"ap\"\ntransport = \"udp\"\n\
         access_category = \"voice\"\n\
         app = { kind = \"constant-rate\", rate = \"64 kb/s\", message = \"160 B\" }\n",
    );
    let voice = &run.flows[1];
    assert_eq!(voice.datagrams_lost, 0);
    assert!((voice.goodput_bps / 64e3 - 1.0).abs() < 0.02, "{}", voice.goodput_bps);
    assert!(run.flows[0].goodput_bps > 15e6);
    assert!(run.conservation.ok);
}

/// Rayleigh fading at a mean SNR of 30 dB: 6 Mb/s loses frames whose gain is too low, a share of
/// `1 - exp(-needed / mean)`.
#[test]
fn fades_lose_what_the_distribution_says() {
    // Power 18 dBm, loss 87.0 dB, noise -99 dBm: 30 dB. A step at 10 dB: 1 - exp(-0.01) = 0.995 %.
    let run = run_first(
        "duration = \"60 s\"\n\
         [[cells]]\nlayout = { kind = \"star\", stations = 1 }\nrate = \"6 Mb/s\"\n\
         propagation.path_loss = { model = \"matrix\", losses = \
         [{ between = [\"ap\", \"sta0\"], loss_db = 87 }] }\n\
         noise.floor_dbm = -99\nsensing = { sensitivity_dbm = -120, carrier_sense_dbm = -120 }\n\
         error = { model = \"threshold\", sinr_db = 10 }\n\
         fading = { model = \"rayleigh\", coherence_time = \"100 us\" }\n\
         [[flows]]\nfrom = \"sta0\"\nto = \"ap\"\ntransport = \"udp\"\n\
         app = { kind = \"constant-rate\", rate = \"3 Mb/s\", message = \"1000 B\" }\n",
    );
    let data = &run.cells[0].stations[1].frames["data"];
    // A lost ACK causes one more attempt, which counts as a data frame sent.
    assert!((data.error_rate / 0.00995 - 1.0).abs() < 0.15, "{}", data.error_rate);
    assert!(data.sent > 20_000);
}
