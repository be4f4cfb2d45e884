//! Cells of 802.11n, ac and ax: throughput of one station without aggregation, in closed form.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use crate::common::run_first;
use airtcp_scenario::read;
use airtcp_sim::results::Replication;
use airtcp_wifi::phy::{
    Coding, Format, GuardInterval, Mode, Standard, Timing, TimingConfig, Width,
};

/// IP length of the datagrams, and length of their MPDU: QoS control, LLC and SNAP.
const PACKET: u32 = 1_500;
const FRAME: u32 = PACKET + 8 + 30;

fn goodput_mbps(keys: &str) -> f64 {
    let text = format!(
        r#"
        duration = "3 s"
        warmup = "1 s"
        [[cells]]
        layout = {{ kind = "star", stations = 1, radius_m = 2 }}
        mac.aggregation.max_mpdus = 1
        {keys}
        [[flows]]
        from = "sta0"
        to = "ap"
        transport = "udp"
        app = {{ kind = "constant-rate", rate = "900 Mb/s", message = "1472 B" }}
    "#
    );
    run_first(&text).flows[0].goodput_bps / 1e6
}

/// A packet takes DIFS, 7.5 slots of back-off, data frame, SIFS and ACK.
#[test]
fn one_saturated_station_is_a_sum_of_times() {
    for (keys, standard, parts) in [
        ("standard = \"802.11n\"\nmcs = 7", Standard::N, (7, 1, Width::Mhz40)),
        (
            "standard = \"802.11ac\"\nmcs = 9\nwidth = \"80 MHz\"\nstreams = 2",
            Standard::Ac,
            (9, 2, Width::Mhz80),
        ),
        (
            "standard = \"802.11ax\"\nmcs = 5\nwidth = \"20 MHz\"",
            Standard::Ax,
            (5, 1, Width::Mhz20),
        ),
    ] {
        let timing = Timing::new(standard, &TimingConfig::default()).unwrap();
        let (index, streams, width) = parts;
        let format = standard.format();
        let guard = if format == Format::He { GuardInterval::Ns800 } else { GuardInterval::Ns400 };
        let mode = Mode::mcs(format, index, streams, width, guard).unwrap();
        let backoff = 7.5 * timing.slot.0 as f64;
        // A delimiter precedes it in VHT and HE.
        let psdu = if format == Format::Ht { FRAME } else { FRAME + 4 };
        let air = timing.difs() + timing.frame(mode, psdu) + timing.sifs + timing.ack(mode);
        let expected = 1_472.0 * 8e3 / (air.0 as f64 + backoff);
        let found = goodput_mbps(keys);
        assert!((found / expected - 1.0).abs() < 0.01, "{standard}: {found} {expected}");
    }
}

/// Rates that a station used: index, streams, width in MHz and Mb/s, rounded down.
fn used(run: &Replication, station: &str) -> Vec<(Option<u8>, Option<u8>, Option<u16>, u64)> {
    let found = run.cells[0].stations.iter().find(|s| s.name == station).unwrap();
    found.rates.iter().map(|r| (r.mcs, r.streams, r.width_mhz, r.rate_bps / 1_000_000)).collect()
}

/// Frames between the access point and a station have the older of their standards, and the narrower of their
/// widths.
#[test]
fn older_stations_get_frames_that_they_decode() {
    let run = run_first(
        r#"
        duration = "1 s"
        [[cells]]
        standard = "802.11ax"
        streams = 2
        mcs = 9
        layout = { kind = "star", stations = 4, radius_m = 2 }
        stations = [
            { name = "sta1", standard = "802.11ac", width = "40 MHz" },
            { name = "sta2", standard = "802.11n", streams = 1 },
            { name = "sta3", standard = "802.11a" },
        ]
        [[flows]]
        count = 4
        from = "sta*"
        to = "ap"
        [[flows]]
        count = 4
        from = "ap"
        to = "sta*"
    "#,
    );
    // HE MCS 9 over 80 MHz, VHT MCS 9 over 40 MHz with the guard interval of the cell, HT MCS 7 over 40 MHz.
    let of = [
        (Some(9), Some(2), Some(80), 960),
        (Some(9), Some(2), Some(40), 360),
        (Some(7), Some(1), Some(40), 135),
        (None, None, None, 54),
    ];
    for (i, rate) in of.iter().enumerate() {
        assert_eq!(used(&run, &format!("sta{i}")), [*rate]);
    }
    let mut all = of.to_vec();
    all.sort_by_key(|rate| rate.3);
    assert_eq!(used(&run, "ap"), all);
    let formats = |station: &str| -> Vec<&str> {
        let found = run.cells[0].stations.iter().find(|s| s.name == station).unwrap();
        found.rates.iter().map(|rate| rate.format.as_str()).collect()
    };
    assert_eq!(formats("ap"), ["non-HT", "HT", "VHT", "HE"]);
    assert!(run.flows.iter().all(|flow| flow.goodput_bps > 0.0));
}

/// With `ideal`, a near station uses all streams at the highest index, and a far one fewer. Rate controls without
/// knowledge of the channel reach a high index near the access point.
#[test]
fn rate_controls_choose_among_schemes() {
    let far = |control: &str, radius: f64| {
        run_first(&format!(
            "duration = \"2 s\"\n[[cells]]\nstandard = \"802.11ac\"\nstreams = 2\n\
             rate_control.control = \"{control}\"\n\
             layout = {{ kind = \"star\", stations = 1, radius_m = {radius} }}\n\
             [[flows]]\nfrom = \"sta0\"\nto = \"ap\"\n"
        ))
    };
    let best = |run: &Replication| {
        let station = run.cells[0].stations.iter().find(|s| s.name == "sta0").unwrap();
        let most = station.rates.iter().max_by_key(|rate| rate.sent).unwrap();
        (most.mcs.unwrap(), most.streams.unwrap())
    };
    assert_eq!(best(&far("ideal", 2.0)), (9, 2));
    let (mcs, streams) = best(&far("ideal", 40.0));
    assert!(mcs < 9 && streams <= 2, "{mcs} {streams}");
    for control in ["s0", "arf", "aarf", "amrr", "onoe", "minstrel", "minstrel-ht"] {
        let (mcs, streams) = best(&far(control, 2.0));
        assert!(
            streams == 2 && (mcs > 5 || ["amrr", "onoe"].contains(&control)),
            "{control} {mcs}"
        );
    }
}

/// In 802.11n at 2.4 GHz an 802.11b station lengthens the slot, as in 802.11g, and protection is possible.
#[test]
fn old_stations_at_2_4_ghz() {
    let run = |mac: &str| {
        run_first(&format!(
            "duration = \"2 s\"\n[[cells]]\nstandard = \"802.11n\"\nband = \"2.4 GHz\"\n{mac}\n\
             layout = {{ kind = \"star\", stations = 2, radius_m = 5 }}\n\
             stations = [{{ name = \"sta1\", standard = \"802.11b\" }}]\n\
             [[flows]]\ncount = 2\nfrom = \"sta*\"\nto = \"ap\"\n"
        ))
    };
    let plain = run("");
    assert_eq!(used(&plain, "sta0"), [(Some(7), Some(1), Some(20), 72)]);
    assert_eq!(used(&plain, "sta1"), [(None, None, None, 11)]);
    let protected = run("mac.protection = \"cts-to-self\"");
    assert!(protected.flows[0].goodput_bps > 0.0);
    assert_ne!(plain.fingerprint, protected.fingerprint);
}

/// Keys of a cell, and a part of the message that refuses them.
const REFUSED: &[(&str, &str)] = &[
    (
        "standard = \"802.11ac\"\nband = \"2.4 GHz\"",
        "cells[0].band: is 2.4 GHz: 802.11ac exists at 5 GHz",
    ),
    (
        "standard = \"802.11n\"\nwidth = \"80 MHz\"",
        "cells[0].width: is 80 MHz: 802.11n at 5 GHz has 20 MHz, 40 MHz; the nearest is 40 MHz",
    ),
    ("standard = \"802.11ax\"\nband = \"2.4 GHz\"\nwidth = \"80 MHz\"", "the nearest is 40 MHz"),
    ("standard = \"802.11ax\"\nstreams = 5", "cells[0].streams: is 5: expected 1 to 4"),
    ("streams = 2", "cells[0].streams: is 2: expected 1 with 802.11a"),
    (
        "standard = \"802.11ax\"\nguard_interval = \"400 ns\"",
        "cells[0].guard_interval: is 400 ns: 802.11ax has 800 ns, 1600 ns, 3200 ns; the nearest is 800 ns",
    ),
    (
        "standard = \"802.11ac\"\nwidth = \"20 MHz\"\nmcs = 9",
        "cells[0].mcs: is 9: 802.11ac with 1 stream over 20 MHz has 0, 1, 2, 3, 4, 5, 6, 7, 8; the nearest is 8",
    ),
    ("standard = \"802.11ac\"\nstreams = 3\nmcs = 6", "the nearest is 5"),
    ("mcs = 3", "cells[0].mcs: is 3, and 802.11a has no such index"),
    ("standard = \"802.11n\"\nmcs = 3\nrate = \"60 Mb/s\"", "cells[0].mcs: and `rate` both"),
    (
        "standard = \"802.11n\"\nrate = \"54 Mb/s\"",
        "the nearest is 60 Mb/s (HT MCS 3, 1 stream, 40 MHz)",
    ),
    (
        "standard = \"802.11ac\"\nwidth = \"40 MHz\"\nchannel = 165",
        "cells[0].channel: is 165, which no channel of 40 MHz of 802.11ac at 5 GHz contains: the nearest that one \
         contains is 161, and the widest with 165 has 20 MHz",
    ),
    (
        "standard = \"802.11ax\"\nband = \"6 GHz\"\nchannel = 36",
        "cells[0].channel: is 36: 802.11ax at 6 GHz has the channels 1 to 233 in steps of 4; the nearest is 37",
    ),
    (
        "standard = \"802.11n\"\nsecondary_channel = \"above\"",
        "cells[0].secondary_channel: needs `channel`, the primary 20 MHz",
    ),
    (
        "standard = \"802.11n\"\nchannel = 36\nsecondary_channel = \"above\"",
        "cells[0].secondary_channel: is only for channels of 40 MHz at 2.4 GHz",
    ),
    (
        "standard = \"802.11ac\"\nmac.bonding = \"static\"",
        "cells[0].mac.bonding: is for cells that share a medium with others, and this one names no channel",
    ),
    (
        "standard = \"802.11ax\"\nchannel = 36\nbss_color = 64",
        "cells[0].bss_color: is 64: expected 1 to 63",
    ),
    (
        "standard = \"802.11ac\"\nchannel = 36\nbss_color = 1",
        "cells[0].bss_color: is 1, and 802.11ac has no colours",
    ),
    (
        "standard = \"802.11ax\"\nbss_color = 1",
        "cells[0].bss_color: is 1 in a cell that shares its medium with no",
    ),
    (
        "standard = \"802.11ax\"\nchannel = 36\nmac.obss_pd_dbm = -70",
        "cells[0].mac.obss_pd_dbm: needs bss_color",
    ),
    (
        "standard = \"802.11ax\"\nchannel = 36\nbss_color = 1\nmac.obss_pd_dbm = -60",
        "cells[0].mac.obss_pd_dbm: is -60: expected -82 to -62",
    ),
    (
        "standard = \"802.11a\"\nchannel = 36\nmac.bonding = \"static\"",
        "cells[0].mac.bonding: is for cells of 40 MHz and more, and this one has 20 MHz",
    ),
    (
        "standard = \"802.11n\"\nrate_control.control = \"rbar\"",
        "cells[0].rate_control.control: is \"rbar\", which is for the rates of 802.11a, b and g",
    ),
    (
        "standard = \"802.11g\"\nrate_control.control = \"minstrel-ht\"",
        "cells[0].rate_control.control: is \"minstrel-ht\", which is for 802.11n, ac and ax: 802.11g accepts fixed, s0, \
         arf, aarf, amrr, onoe, minstrel, ideal, chain, rbar",
    ),
    (
        "standard = \"802.11n\"\ntiming.ack_rate.fixed = \"1 Mb/s\"",
        "cells[0].timing.ack_rate: is 1 Mb/s",
    ),
    (
        "standard = \"802.11ax\"\ncoding = \"bcc\"",
        "cells[0].coding: is bcc: frames of 802.11ax are coded with LDPC here; leave out the key",
    ),
    ("coding = \"ldpc\"", "cells[0].coding: is ldpc: 802.11a has one code; leave out the key"),
    (
        "standard = \"802.11n\"\nstreams = 2\nmcs = 15",
        "cells[0].mcs: is 15: 802.11n with 2 streams over 40 MHz has 0, 1, 2, 3, 4, 5, 6, 7; the nearest is 7; MCS 15 of \
         802.11n is mcs = 7 with streams = 2",
    ),
    (
        "standard = \"802.11n\"\nstream_penalty_db = -1",
        "cells[0].stream_penalty_db: is -1 dB: expected 0 to 30 dB",
    ),
    (
        "standard = \"802.11ac\"\nerror = { model = \"threshold\", rates = [{ mcs = 12, sinr_db = 3 }] }",
        "mcs: is 12: expected 0 to 11 for each number of streams",
    ),
    (
        "standard = \"802.11n\"\nmac.protection = \"rts-cts\"",
        "cells[0].mac.protection: is for OFDM beside 802.11b",
    ),
    (
        "standard = \"802.11ac\"\nstations = [{ name = \"sta0\", standard = \"802.11ax\" }]",
        "stations[0].standard: is 802.11ax in a cell of 802.11ac at 5 GHz: expected 802.11a, 802.11n, 802.11ac",
    ),
    (
        "standard = \"802.11ac\"\nstations = [{ name = \"sta0\", width = \"160 MHz\" }]",
        "stations[0].width: is 160 MHz in a cell of 80 MHz",
    ),
    (
        "standard = \"802.11ac\"\nstations = [{ name = \"sta0\", standard = \"802.11n\", mcs = 9 }]",
        "stations[0].mcs: is 9: 802.11n with 1 stream over 40 MHz has 0, 1, 2, 3, 4, 5, 6, 7; the nearest is 7",
    ),
    (
        "standard = \"802.11ac\"\nhops = \"chain\"\nstations = [{ name = \"sta0\", standard = \"802.11a\" }]",
        "stations[0].standard: is 802.11a in a chain",
    ),
    ("standard = \"802.11ax\"\nwidth = \"90 MHz\"", "width"),
    (
        "standard = \"802.11ax\"\ncoding = \"ldpc\"",
        "cells[0].coding: is for frames of 802.11n and ac, and the cell has no station of these",
    ),
    (
        "standard = \"802.11ac\"\nstream_penalty_db = 2",
        "cells[0].stream_penalty_db: is for two and more streams, and the cell has one",
    ),
    (
        "stream_penalty_db = 2",
        "cells[0].stream_penalty_db: is for 802.11n, ac and ax, and the cell has 802.11a",
    ),
    (
        "standard = \"802.11n\"\nmcs = -1",
        "cells[0].mcs: is -1: 802.11n with 1 stream over 40 MHz has 0, 1, 2, 3, 4, 5, 6, 7; the nearest is 0",
    ),
    ("standard = \"802.11n\"\nmcs = 300", "the nearest is 7"),
    (
        "standard = \"802.11ac\"\nerror = { model = \"table\", reference = \"1000 B\", curves = [{ mcs = -1, snr_db = [1], per = [1] }] }",
        "cells[0].error.curves[0].mcs: is -1: expected 0 to 11",
    ),
    (
        "standard = \"802.11ac\"\nerror = { model = \"threshold\", rates = [{ mcs = 1, sinr_db = 3 }, { sinr_db = 3 }] }",
        "cells[0].error.rates[1].mcs: is missing",
    ),
];

#[test]
fn what_does_not_exist_is_refused() {
    for (keys, expected) in REFUSED {
        let text = format!(
            "duration = \"1 s\"\n[[cells]]\nlayout = {{ kind = \"star\", stations = 1 }}\n{keys}\n\
             [[flows]]\nfrom = \"sta0\"\nto = \"ap\"\n"
        );
        let error = match read(&text, "test", &[]) {
            Err(e) => e.to_string(),
            Ok(scenario) => scenario.resolve().unwrap_err().to_string(),
        };
        assert!(error.contains(expected), "{error}\n{expected}");
    }
}

/// Modes in use without a curve are named, and those of unused modes are not.
#[test]
fn a_table_that_lacks_modes_is_named() {
    let warnings = |keys: &str| {
        let text = format!(
            "duration = \"1 s\"\n[[cells]]\nstandard = \"802.11ac\"\n{keys}\n\
             layout = {{ kind = \"star\", stations = 2, radius_m = 5 }}\n\
             [[flows]]\ncount = 2\nfrom = \"sta*\"\nto = \"ap\"\n"
        );
        airtcp_sim::warnings(&read(&text, "test", &[]).unwrap().resolve().unwrap())
    };
    let table = |rows: &str| {
        format!("error = {{ model = \"table\", reference = \"1000 B\", curves = [{rows}] }}")
    };
    let row = |mcs: u8| format!("{{ mcs = {mcs}, snr_db = [5, 10], per = [1, 0] }}");
    assert!(warnings(&format!("mcs = 5\n{}", table(&row(5)))).is_empty());
    let some = warnings(&format!(
        "mcs = 5\nstations = [{{ name = \"sta1\", width = \"40 MHz\", mcs = 3 }}]\n{}",
        table(&row(5))
    ));
    let expected = "cells[0].error.curves: has no curve for modes in use, which follow \"nist\": \
                    MCS 3 with 1 stream over 40 MHz";
    assert_eq!(some, [expected]);
    let never = warnings(&format!("mcs = 5\n{}", table("{ mcs = 5, snr_db = [5], per = [1] }")));
    assert!(
        never[0].ends_with("half of the frames of 1000 B never survive in this mode"),
        "{never:?}"
    );
    let all = warnings(&format!("rate_control.control = \"minstrel\"\n{}", table(&row(2))));
    assert!(all[0].ends_with("MCS 0, 1, 3, 4, 5, 6, 7, 8, 9 with 1 stream over 80 MHz"), "{all:?}");
}

/// In a cell of 802.11ax, LDPC is for its stations of 802.11n and ac.
#[test]
fn coding_of_older_stations() {
    let codes = |keys: &str| {
        let text = format!(
            "duration = \"1 s\"\n[[cells]]\nstandard = \"802.11ax\"\n{keys}\n\
             stations = [{{ name = \"sta0\", standard = \"802.11n\" }}]\n\
             layout = {{ kind = \"star\", stations = 2, radius_m = 5 }}\n\
             [[flows]]\nfrom = \"sta0\"\nto = \"ap\"\n"
        );
        let resolved = read(&text, "test", &[]).unwrap().resolve().unwrap();
        let keys = resolved.cells[0].spec.station_keys();
        [1, 2].map(|i| keys.rate_plan(i).unwrap().modes[0].coding().unwrap())
    };
    assert_eq!(codes("coding = \"ldpc\""), [Coding::Ldpc, Coding::Ldpc]);
    assert_eq!(codes(""), [Coding::Bcc, Coding::Ldpc]);
}

/// LDPC changes the frame times, and a penalty of streams moves the SNR at which frames are lost.
#[test]
fn coding_and_penalty_of_streams() {
    let run = |keys: &str| {
        run_first(&format!(
            "duration = \"1 s\"\n[[cells]]\nstandard = \"802.11ac\"\nwidth = \"20 MHz\"\n{keys}\n\
             layout = {{ kind = \"star\", stations = 1, radius_m = 5 }}\n\
             [[flows]]\nfrom = \"sta0\"\nto = \"ap\"\n"
        ))
    };
    let bcc = run("coding = \"bcc\"");
    assert_eq!(bcc.fingerprint, run("").fingerprint);
    assert_ne!(bcc.fingerprint, run("coding = \"ldpc\"").fingerprint);
    let two = "streams = 2\nmcs = 8";
    let with = |db: u8| run(&format!("{two}\nstream_penalty_db = {db}")).flows[0].goodput_bps;
    assert!(with(0) > 1e6);
    assert!(with(30) < with(0) / 10.0);
}
