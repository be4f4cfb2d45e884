//! The laws against ns-3 and closed forms, and properties of all laws.

use airtcp_probe::ConfigError;
use airtcp_units::{Db, Saturate, detmath};
use proptest::prelude::*;

use super::*;
use crate::phy::{Format, GuardInterval, Mode, PhySetup, Standard, Width};

fn all_modes() -> impl Iterator<Item = Mode> {
    Mode::DSSS.into_iter().chain(Mode::OFDM)
}

fn mode(kbps: u64) -> Mode {
    Mode::from_kbps(kbps).unwrap()
}

fn model(toml: &str) -> Result<ErrorModel, ConfigError> {
    ErrorModel::new(&toml::from_str(toml).unwrap())
}

/// ns-3's results for a law: mode, SINR, probability that 12,000 bits are correct.
pub(super) fn ns3(law: &str) -> Vec<(Mode, f64, f64)> {
    let rows = include_str!("../../../tests/data/ns3-success.csv");
    let fields = |row: &str| -> Vec<String> { row.split(',').map(String::from).collect() };
    rows.lines()
        .filter(|row| !row.starts_with('#'))
        .map(fields)
        .filter(|row| row[0] == law)
        .map(|row| {
            let sinr = Db(row[2].parse().unwrap()).linear();
            (mode(row[1].parse().unwrap()), sinr, row[3].parse().unwrap())
        })
        .collect()
}

/// Every mode at five SNRs of its waterfall, 1500 bytes. The test of Yans' law is in `yans.rs`.
#[test]
fn success_is_that_of_ns3() {
    let model = ErrorModel::default();
    for (law, rows, near) in [("nist", 40, 1e-11), ("dsss", 20, 1e-8)] {
        let theirs = ns3(law);
        assert_eq!(theirs.len(), rows);
        for (mode, sinr, theirs) in theirs {
            let ours = model.success(mode, sinr, 12_000);
            assert!((ours / theirs - 1.0).abs() < near, "{law} {mode} {sinr}: {ours} {theirs}");
        }
    }
}

/// A mode of HT, VHT or HE with a guard interval of 800 ns.
fn scheme(format: Format, mcs: u8, streams: u8, width: Width) -> Mode {
    Mode::mcs(format, mcs, streams, width, GuardInterval::Ns800).unwrap()
}

/// ns-3's results for HT, VHT and HE, over 20 and 80 MHz. ns-3 leaves out the last terms of the sums of
/// Yans' law.
#[test]
fn success_of_schemes_is_that_of_ns3() {
    let models = [ErrorModel::default(), model("model = \"yans\"").unwrap()];
    let mut compared = 0;
    for row in include_str!("../../../tests/data/ns3-mcs-success.csv").lines() {
        if row.starts_with('#') {
            continue;
        }
        let fields: Vec<&str> = row.split(',').collect();
        let format = match fields[1] {
            "ht" => Format::Ht,
            "vht" => Format::Vht,
            _ => Format::He,
        };
        let width = if fields[3] == "80" { Width::Mhz80 } else { Width::Mhz20 };
        let mode = scheme(format, fields[2].parse().unwrap(), 1, width);
        let sinr = Db(fields[4].parse().unwrap()).linear();
        let theirs: f64 = fields[5].parse().unwrap();
        let (ours, near) = match fields[0] {
            "nist" => (models[0].success(mode, sinr, 12_000), 1e-10),
            _ => (models[1].success(mode, sinr, 12_000), 5e-6),
        };
        assert!((ours - theirs).abs() < near, "{row}: {ours}");
        compared += 1;
    }
    assert_eq!(compared, 336);
}

/// Two, three and four streams need 3.0, 4.8 and 6.0 dB more, under every law with an SNR.
#[test]
fn streams_share_the_power() {
    for text in ["model = \"nist\"", "model = \"threshold\""] {
        let model = model(text).unwrap();
        let need =
            |streams| model.sinr_for(scheme(Format::He, 5, streams, Width::Mhz80), 12_000, 0.5);
        for streams in 2..=4 {
            let ratio = need(streams) / need(1);
            assert!((ratio - f64::from(streams)).abs() < 1e-6, "{text} {streams}: {ratio}");
        }
    }
}

/// The need of SNR rises with the index, and does not depend on format, width and guard interval under the
/// NIST law. The shortcut agrees with the law.
#[test]
fn schemes_need_more_and_more() {
    let setup = PhySetup::usual(Standard::Ax);
    let modes = setup.modes(false);
    let plain = ErrorModel::default();
    let short = ErrorModel::for_modes(&ErrorModelConfig::default(), &modes).unwrap();
    let mut before = 0.0;
    for mode in modes {
        let need = plain.sinr_for(mode, 12_000, 0.5);
        assert!(need > before, "{mode}: {need} {before}");
        before = need;
        let clear = short.error_free_above(mode);
        assert!(plain.error_free_above(mode).is_infinite() && clear.is_finite());
        assert_eq!(short.success(mode, clear, 12_000), 1.0);
        assert!(1.0 - plain.success(mode, clear, 12_000) < 1e-12);
        let other = scheme(Format::He, mode.mcs_index().unwrap(), 1, Width::Mhz20);
        assert_eq!(plain.sinr_for(other, 12_000, 0.5), need);
    }
}

/// Minimum sensitivities over the assumed noise: 4 dB for MCS 0 to 34 dB for MCS 11, for any width.
#[test]
fn steps_of_schemes() {
    let steps = model("model = \"threshold\"").unwrap();
    for (mcs, need) in [(0, 4.0), (4, 16.0), (7, 22.0), (9, 29.0), (11, 34.0)] {
        for width in Width::ALL {
            let mode = scheme(Format::He, mcs, 1, width);
            let at = |db: f64| steps.success(mode, Db(db).linear(), 1_000);
            assert_eq!((at(need - 1e-6), at(need + 1e-6)), (0.0, 1.0), "{mode}");
        }
    }
}

/// DSSS and CCK do not depend on the law of OFDM.
#[test]
fn dsss_is_the_same_under_both_laws() {
    let (nist, yans) = (ErrorModel::default(), model("model = \"yans\"").unwrap());
    for mode in Mode::DSSS {
        for db in [-5.0, 0.0, 3.0, 6.0, 9.0] {
            let sinr = Db(db).linear();
            assert_eq!(nist.success(mode, sinr, 8_000), yans.success(mode, sinr, 8_000));
        }
    }
}

/// At 1 Mb/s the formula can be inverted by hand.
#[test]
fn dbpsk_closed_form() {
    let model = ErrorModel::default();
    let bits = 4_096_u32;
    for success in [0.1, 0.5, 0.9] {
        let p = 1.0 - detmath::pow(success, 1.0 / f64::from(bits));
        let sinr = -detmath::ln(2.0 * p) / 22.0;
        let ours = model.success(Mode::DSSS[0], sinr, bits.into());
        assert!((ours - success).abs() < 1e-10, "{ours} {success}");
        let back = model.sinr_for(Mode::DSSS[0], bits.into(), success);
        assert!((back / sinr - 1.0).abs() < 1e-8, "{back} {sinr}");
    }
}

/// A faster rate needs a higher SINR. By NIST's law 9 and 12 Mb/s need almost the same SINR, which is
/// why 9 Mb/s is of little use.
#[test]
fn faster_rates_need_more() {
    let model = ErrorModel::default();
    let need = |mode| model.sinr_for(mode, 8_000, 0.9);
    for pair in Mode::OFDM.windows(2).chain(Mode::DSSS.windows(2)) {
        assert!(need(pair[0]) < need(pair[1]), "{pair:?}");
    }
    let gap = 10.0 * detmath::log10(need(mode(12_000)) / need(mode(9_000)));
    assert!(gap < 0.2, "{gap}");
}

/// At the error-free SINR nothing is lost, and just below it errors begin.
#[test]
fn error_free_means_no_errors() {
    for config in ErrorModelConfig::samples() {
        let model = ErrorModel::new(&config).unwrap();
        for mode in all_modes() {
            let clear = model.error_free_above(mode);
            if clear.is_infinite() {
                assert!(model.success(mode, f64::INFINITY, 100) < 1.0, "{config:?}");
                continue;
            }
            assert_eq!(model.success(mode, clear, 65_536), 1.0);
            // Just below, the error probability is almost 1e-12 or more.
            let below = -model.law.ln_bit_success(mode, clear * (1.0 - 1e-6)) * 65_536.0;
            assert!(below > 0.99e-12, "{config:?} {mode}: {below}");
        }
    }
}

#[test]
fn table_interpolates_and_scales() {
    let text = "model = \"table\"\nreference = \"1000 B\"\n[[curves]]\nrate = \"54 Mb/s\"\n\
                snr_db = [20, 22, 25]\nper = [1.0, 0.5, 0.0]\n";
    let table = model(text).unwrap();
    let at = |db: f64, bits| table.success(mode(54_000), Db(db).linear(), bits);
    assert_eq!(at(19.0, 8_000), 0.0);
    assert!((at(21.0, 8_000) - 0.25).abs() < 1e-9);
    assert!((at(23.5, 8_000) - 0.75).abs() < 1e-9);
    assert!((at(23.5, 16_000) - 0.5625).abs() < 1e-9);
    assert!((at(23.5, 4_000) - 0.75_f64.sqrt()).abs() < 1e-9);
    assert_eq!(at(30.0, 80_000), 1.0);
    // No curve: NIST.
    let nist = ErrorModel::default();
    let sinr = Db(12.9).linear();
    assert_eq!(table.success(mode(24_000), sinr, 9), nist.success(mode(24_000), sinr, 9));
}

#[test]
fn steps() {
    let steps = model("model = \"threshold\"").unwrap();
    let at = |kbps, db: f64| steps.success(mode(kbps), Db(db).linear(), 1_000);
    for (kbps, need) in
        [(6_000, 4.0), (12_000, 7.0), (24_000, 12.0), (54_000, 21.0), (1_000, 10.0), (11_000, 10.0)]
    {
        assert_eq!((at(kbps, need - 1e-6), at(kbps, need + 1e-6)), (0.0, 1.0), "{kbps}");
    }
    let own = "model = \"threshold\"\nsinr_db = 8\nrates = [{ rate = \"54 Mb/s\", sinr_db = 24 }]";
    let own = model(own).unwrap();
    let at = |kbps, db: f64| own.success(mode(kbps), Db(db).linear(), 1_000);
    assert_eq!((at(54_000, 23.9), at(54_000, 24.1)), (0.0, 1.0));
    assert_eq!((at(6_000, 7.9), at(6_000, 8.1)), (0.0, 1.0));
}

/// Rows for schemes: the most specific one applies. With `streams` the ratio is that of the frame, without that of one
/// stream, which has half of the power of two.
#[test]
fn rows_for_schemes() {
    let thresholds = model(
        "model = \"threshold\"\nrates = [{ mcs = 7, sinr_db = 20 }, { mcs = 7, width = \"80 MHz\", sinr_db = 21 },\n\
         { mcs = 7, streams = 2, sinr_db = 30 }, { mcs = 7, streams = 2, width = \"160 MHz\", sinr_db = 31 }]",
    )
    .unwrap();
    let two = 10.0 * detmath::log10(2.0);
    let three = 10.0 * detmath::log10(3.0);
    for (format, mcs, streams, width, need) in [
        (Format::Ht, 7, 1, Width::Mhz20, 20.0),
        (Format::Vht, 7, 1, Width::Mhz80, 21.0),
        (Format::He, 7, 3, Width::Mhz40, 20.0 + three),
        (Format::He, 7, 2, Width::Mhz40, 30.0),
        (Format::He, 7, 2, Width::Mhz80, 30.0),
        (Format::Vht, 7, 2, Width::Mhz160, 31.0),
        (Format::He, 6, 2, Width::Mhz160, 21.0 + two),
    ] {
        let mode = scheme(format, mcs, streams, width);
        let at = |db: f64| thresholds.success(mode, Db(db).linear(), 1_000);
        assert_eq!((at(need - 1e-6), at(need + 1e-6)), (0.0, 1.0), "{mode}");
    }
    let table = model(
        "model = \"table\"\nreference = \"1000 B\"\ncurves = [{ mcs = 7, snr_db = [20, 22], per = [1.0, 0.5] },\n\
         { mcs = 9, streams = 2, snr_db = [20, 22], per = [1.0, 0.5] }]",
    )
    .unwrap();
    let at = |mcs, streams, db: f64| {
        let mode = scheme(Format::He, mcs, streams, Width::Mhz40);
        table.success(mode, Db(db).linear(), 8_000)
    };
    assert!((at(7, 1, 21.0) - 0.25).abs() < 1e-9);
    assert!((at(7, 2, 21.0 + two) - 0.25).abs() < 1e-9);
    assert!((at(9, 2, 21.0) - 0.25).abs() < 1e-9);
    // No curve: NIST.
    let nist = ErrorModel::default();
    for (mcs, streams) in [(9, 1), (8, 2)] {
        let mode = scheme(Format::He, mcs, streams, Width::Mhz40);
        let need = nist.sinr_for(mode, 12_000, 0.5);
        assert!((table.success(mode, need, 12_000) - 0.5).abs() < 1e-6);
        assert!(table.lacks(mode) && !nist.lacks(mode));
    }
    assert!(!table.lacks(scheme(Format::He, 7, 3, Width::Mhz20)) && !table.lacks(mode(54_000)));
}

#[test]
fn rows_that_name_no_modes_are_refused() {
    let refuse = |row: &str| {
        let text = format!("model = \"threshold\"\nrates = [{row}]");
        model(&text).unwrap_err().to_string()
    };
    let both = refuse("{ rate = \"54 Mb/s\", mcs = 7, sinr_db = 1 }");
    assert_eq!(both, "rates[0].mcs: and `rate` both name the modes of a row: leave out one");
    assert!(refuse("{ sinr_db = 1 }").starts_with("rates[0].mcs: is missing: a row has `rate`"));
    assert!(refuse("{ sinr_db = 1 }").contains("expected 0 to 11"));
    let second = "{ mcs = 7, sinr_db = 1 }, { mcs = 8, streams = 9, sinr_db = 1 }";
    assert_eq!(refuse(second), "rates[1].streams: is 9: expected 1 to 4");
    let curves = |rows: &str| {
        let text = format!("model = \"table\"\nreference = \"1000 B\"\ncurves = [{rows}]");
        model(&text).unwrap_err().to_string()
    };
    let second =
        "{ mcs = 7, snr_db = [1], per = [1] }, { mcs = 8, streams = 9, snr_db = [1], per = [1] }";
    assert_eq!(curves(second), "curves[1].streams: is 9: expected 1 to 4");
    let twice = "{ mcs = 7, snr_db = [1], per = [1] }, { mcs = 7, snr_db = [1], per = [1] }";
    assert_eq!(curves(twice), "curves[1]: is the second for MCS 7: accepted is one per rate");
    let wrong = curves("{ mcs = 7, snr_db = [1], per = [2] }");
    assert_eq!(wrong, "curves[0].per: is 2 at MCS 7: expected 0 to 1");
    let fast = refuse("{ rate = \"65 Mb/s\", sinr_db = 1 }");
    assert!(
        fast.ends_with("; rows for 802.11n, ac and ax have `mcs` in place of `rate`"),
        "{fast}"
    );
    assert!(refuse("{ mcs = 15, sinr_db = 1 }").contains("MCS 8 to 31 of 802.11n are 0 to 7"));
    assert!(refuse("{ mcs = 1, streams = 5, sinr_db = 1 }").starts_with("rates[0].streams: is 5"));
    assert!(
        refuse("{ rate = \"6 Mb/s\", width = \"20 MHz\", sinr_db = 1 }")
            .starts_with("rates[0].width")
    );
    let twice =
        refuse("{ mcs = 3, streams = 2, sinr_db = 1 }, { mcs = 3, streams = 2, sinr_db = 2 }");
    assert_eq!(twice, "rates[1]: is the second row for MCS 3 with 2 streams: accepted is one");
}

/// Each stream after the first needs the penalty on top of its part of the power.
#[test]
fn streams_have_a_penalty() {
    let config = ErrorModelConfig::default();
    let model = ErrorModel::with_penalty(&config, &[], 2.5).unwrap();
    let need = |streams| model.sinr_for(scheme(Format::He, 5, streams, Width::Mhz80), 12_000, 0.5);
    for streams in 1..=4 {
        let more = 10.0 * detmath::log10(need(streams) / need(1));
        let expected = 10.0 * detmath::log10(streams.into()) + 2.5 * f64::from(streams - 1);
        assert!((more - expected).abs() < 1e-6, "{streams}: {more} {expected}");
    }
    let plain = ErrorModel::default();
    let one = scheme(Format::He, 5, 1, Width::Mhz80);
    assert_eq!(model.sinr_for(one, 12_000, 0.5), plain.sinr_for(one, 12_000, 0.5));
    let refused = ErrorModel::with_penalty(&config, &[], -1.0).unwrap_err();
    assert_eq!(refused.to_string(), "stream_penalty_db: is -1 dB: expected 0 to 30 dB");
}

/// Two frames of equal power destroy each other; a slightly stronger one survives.
#[test]
fn the_stronger_survives() {
    let ideal = model("model = \"ideal\"").unwrap();
    for mode in all_modes() {
        assert_eq!(ideal.success(mode, 1.0, 100), 0.0);
        assert_eq!(ideal.success(mode, 1.001, 1_000_000), 1.0);
    }
}

#[test]
fn bad_input_is_named() {
    let refuse = |text: &str| model(text).unwrap_err().to_string();
    let curve = |snr: &str, per: &str| {
        format!(
            "model = \"table\"\nreference = \"1000 B\"\n\
             curves = [{{ rate = \"6 Mb/s\", snr_db = {snr}, per = {per} }}]"
        )
    };
    assert_eq!(
        refuse(&curve("[5, 4]", "[1, 0]")),
        "curves[0].snr_db: is out of order at 6 Mb/s: expected rising numbers"
    );
    assert_eq!(
        refuse(&curve("[4, 5]", "[0, 1]")),
        "curves[0].per: rises at 6 Mb/s: expected rates that do not rise"
    );
    assert_eq!(refuse(&curve("[4]", "[2]")), "curves[0].per: is 2 at 6 Mb/s: expected 0 to 1");
    assert!(refuse(&curve("[4]", "[nan]")).starts_with("curves[0].per: is NaN"));
    assert!(refuse(&curve("[]", "[]")).starts_with("curves[0].per: has 0 values for 0"));
    let twice = "model = \"table\"\nreference = \"1000 B\"\n\
                 [[curves]]\nrate = \"6 Mb/s\"\nsnr_db = [1]\nper = [0]\n\
                 [[curves]]\nrate = \"6 Mb/s\"\nsnr_db = [1]\nper = [0]\n";
    assert_eq!(refuse(twice), "curves[1]: is the second for 6 Mb/s: accepted is one per rate");
    assert!(refuse("model = \"table\"\nreference = \"0 B\"\ncurves = []").starts_with("reference"));
    assert_eq!(
        refuse("model = \"threshold\"\nsinr_db = 99"),
        "sinr_db: is 99 dB: expected -50 to 60 dB"
    );
    assert!(
        refuse("model = \"threshold\"\nrates = [{ rate = \"7 Mb/s\", sinr_db = 1 }]")
            .starts_with("rates[0].rate: is 7 Mb/s")
    );
    assert!(refuse("model = \"ideal\"\ncapture_db = -90").starts_with("capture_db"));
}

#[test]
fn every_law_is_listed_once() {
    let names: Vec<&str> = registry().iter().map(|entry| entry.name).collect();
    assert_eq!(names, ["nist", "yans", "table", "threshold", "ideal"]);
    assert_eq!(ErrorModelConfig::default().model(), "nist");
}

proptest! {
    /// In [0, 1] and not NaN for any arguments, not decreasing in the SINR; chunks multiply.
    #[test]
    fn what_holds_of_any_law(
        which in 0..ErrorModelConfig::samples().len(),
        place in 0..Mode::all().count(),
        db in -60.0..60.0_f64,
        more in 0.0..20.0_f64,
        bits in 0..70_000_u64,
        cut in 0.0..1.0_f64,
    ) {
        let model = ErrorModel::new(&ErrorModelConfig::samples()[which]).unwrap();
        let mode = Mode::all().nth(place).unwrap();
        let (low, high) = (Db(db).linear(), Db(db + more).linear());
        let (worse, better) = (model.success(mode, low, bits), model.success(mode, high, bits));
        prop_assert!((0.0..=1.0).contains(&worse));
        prop_assert!(better >= worse * (1.0 - 1e-12), "{better} {worse}");
        let first = u64::saturate(bits as f64 * cut);
        let product = model.success(mode, low, first) * model.success(mode, low, bits - first);
        prop_assert!((product - worse).abs() < 1e-11);
    }

    #[test]
    fn odd_sinr_is_no_accident(
        which in 0..ErrorModelConfig::samples().len(),
        place in 0..Mode::all().count(),
        bits in 1..70_000_u64,
    ) {
        let model = ErrorModel::new(&ErrorModelConfig::samples()[which]).unwrap();
        let mode = Mode::all().nth(place).unwrap();
        for sinr in [0.0, -0.0, 5e-324, 1e-300, -1.0, f64::NAN, f64::NEG_INFINITY] {
            let success = model.success(mode, sinr, bits);
            prop_assert!((0.0..=1.0).contains(&success));
        }
        for sinr in [1e300, f64::MAX, f64::INFINITY] {
            let success = model.success(mode, sinr, bits);
            prop_assert!((0.0..=1.0).contains(&success));
            prop_assert!(success >= model.success(mode, 0.0, bits));
        }
        prop_assert_eq!(model.success(mode, 0.0, 0), 1.0);
    }
}
